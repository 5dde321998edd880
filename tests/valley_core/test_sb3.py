"""Stable-Baselines3's interface."""

import copy
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecMonitor

from valley_core.errors import IllegalActionError, OptionError
from valley_core.game import Game
from valley_core.gym_env import GymAdapter
from valley_core.sb3 import SB3Adapter
from valley_core.vector import VectorAdapter

pytestmark = [
    pytest.mark.filterwarnings("error"),
    # PyTorch's own, on import of some of its parts.
    pytest.mark.filterwarnings("ignore::DeprecationWarning:torch.*"),
]

Made = tuple[Callable[..., Game], dict[str, Any]]


def make(made: Made, num_envs: int = 4, **kwargs: Any) -> SB3Adapter:
    """Games against random opponents."""
    return SB3Adapter(
        VectorAdapter(*made, num_envs=num_envs, autoreset_mode="SameStep", **{"opponents": "random"} | kwargs)
    )


def pick(env: SB3Adapter) -> np.ndarray:
    """The highest legal action of each game."""
    masks = get_action_masks(env)
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(1)


def test_masks_as_sb3_contrib_asks_for_them(made: Made) -> None:
    env = make(made)
    assert is_masking_supported(env)
    assert is_masking_supported(VecMonitor(env))
    env.seed(1)
    env.reset()
    masks = get_action_masks(env)
    assert masks.dtype == bool
    assert masks.shape == (4, env.action_space.n)
    assert not masks[:, -1].any()
    np.testing.assert_array_equal(masks[[2]], env.env_method("action_masks", indices=2))
    np.testing.assert_array_equal(masks, [method() for method in env.get_attr("action_masks")])
    np.testing.assert_array_equal(masks, env.action_masks())


def test_steps_are_those_of_the_vector_environment(made: Made) -> None:
    env = make(made, summaries=True)
    twin = VectorAdapter(*made, num_envs=4, opponents="random", autoreset_mode="SameStep", summaries=True)
    env.seed(3)
    observation = env.reset()
    expected, _ = twin.reset(seed=3)
    ended = 0
    for _ in range(60):
        np.testing.assert_array_equal(observation, expected["observation"])
        assert all(env.observation_space.contains(one) for one in observation)
        actions = pick(env)
        observation, rewards, dones, infos = env.step(actions)
        expected, their_rewards, terminated, truncated, batched = twin.step(actions)
        np.testing.assert_array_equal(rewards, their_rewards.astype(np.float32))
        np.testing.assert_array_equal(dones, terminated | truncated)
        for i, info in enumerate(infos):
            assert info["TimeLimit.truncated"] == truncated[i]
            assert ("terminal_observation" in info) == dones[i] == ("winner" in info)
            if dones[i]:
                ended += 1
                np.testing.assert_array_equal(info["terminal_observation"], batched["final_obs"][i]["observation"])
    assert ended > 2


def test_truncation(truncating: Made) -> None:
    env = make((truncating[0], {**truncating[1], "max_turns": 3}))
    env.seed(0)
    env.reset()
    seen = 0
    for _ in range(10):
        _, _, dones, infos = env.step(pick(env))
        assert all(info["TimeLimit.truncated"] == done for info, done in zip(infos, dones, strict=True))
        seen += dones.sum()
    assert seen > 4


def test_attributes_methods_and_seeds(made: Made) -> None:
    env = make(made)
    assert env.get_attr("num_envs") == [4] * 4
    assert not env.has_attr("no_such_thing")
    env.set_attr("label", "a")
    assert env.get_attr("label", [0, 2]) == ["a", "a"]
    with pytest.raises(OptionError):
        env.set_attr("label", "b", indices=1)
    assert env.env_is_wrapped(Monitor) == [False] * 4
    assert env.seed(5) == [5, 6, 7, 8]
    env.reset()
    records = env.env_method("state_record")
    env.seed(5)
    env.reset()
    assert env.env_method("state_record") == records
    env.reset()
    assert env.env_method("state_record") != records
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    assert len(set(env.seed(None))) == 4
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002
    env.reset()  # with those seeds
    env.set_options({"state": records[0]})
    env.reset()
    assert env.env_method("state_record") == [records[0]] * 4
    with pytest.raises(IllegalActionError):
        env.step(np.full(4, env.action_space.n - 1))
    env.close()


def test_each_game_can_have_a_seed_of_its_own(made: Made) -> None:
    first, second = make(made), make(made)
    first.seed([9, 2**64 - 1, 7, 8])
    second.seed(7)  # 7, 8, 9, 10
    one, two = first.reset(), second.reset()
    np.testing.assert_array_equal(one[[2, 3, 0]], two[[0, 1, 2]])
    with pytest.raises(OptionError, match="2 seeds for 4 games"):
        first.seed([1, 2])


def test_only_a_vector_environment_that_resets_in_the_same_step(turns: Made) -> None:
    for options in ({"autoreset_mode": "NextStep"}, {"autoreset_mode": "SameStep", "copy": False}):
        with pytest.raises(OptionError, match="SameStep"):
            SB3Adapter(VectorAdapter(*turns, num_envs=2, opponents="random", **options))


def test_copies_go_on_alike(made: Made) -> None:
    env = make(made)
    env.seed(1)
    env.reset()
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        mine = copy.deepcopy(env)
        for _ in range(20):
            ours, theirs = mine.step(pick(mine)), twin.step(pick(twin))
            np.testing.assert_array_equal(ours[0], theirs[0])
            np.testing.assert_array_equal(ours[1], theirs[1])


def test_rendering(turns: Made) -> None:
    env = make(turns, render_mode="rgb_array")
    env.reset()
    picture = env.render()
    assert picture is not None
    assert picture.dtype == np.uint8
    text = make(turns, render_mode="ansi")
    text.reset()
    assert all(isinstance(one, str) for one in text.env_method("render"))


def test_sb3s_checker_on_the_single_environment(made: Made) -> None:
    # It plays random actions without a mask.
    check_env(GymAdapter(*made, opponents="random", illegal_action="ignore"), skip_render_check=False)


def test_maskable_ppo_learns(turns: Made) -> None:
    """A few thousand steps without one illegal action, which would raise; training's own tests measure strength."""
    env = VecMonitor(make((turns[0], {"card_facts": False}), 32))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=UserWarning, message=".*rich|.*progress")
        model = MaskablePPO(
            "MlpPolicy", env, n_steps=64, batch_size=512, n_epochs=4, learning_rate=1e-3, seed=1, device="cpu"
        )
        before = {name: weight.clone() for name, weight in model.policy.state_dict().items()}
        model.learn(3 * 2048)
    assert any((weight != before[name]).any() for name, weight in model.policy.state_dict().items())
    assert model.ep_info_buffer
    rewards, _ = evaluate_policy(model, env, n_eval_episodes=20, warn=False)
    assert -1 <= rewards <= 1
    observation = env.reset()
    masks = get_action_masks(env)
    actions, _ = model.predict(observation, action_masks=masks)
    assert masks[np.arange(32), actions].all()
