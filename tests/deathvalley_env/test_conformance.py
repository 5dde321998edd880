"""The conformance tests of PettingZoo, Gymnasium and Stable-Baselines3, with warnings as errors."""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test
from pettingzoo.utils.env_logger import EnvLogger

import deathvalley_env
from deathvalley_env import deathvalley_v0

pytestmark = [
    pytest.mark.filterwarnings("error"),
    # What PettingZoo's test says of every environment with a mask in a Dict that is not on a list of its own by name.
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning"),
    # It resets with options={"options": 1}, to see that the argument is accepted; we warn of what we do not know.
    pytest.mark.filterwarnings("ignore:.*knows no option 'options':UserWarning"),
]

VARIANTS: list[dict[str, Any]] = [
    {},
    {"variant": "backseat", "deck": "death_valley"},
    {"ask_forced": True, "reward": "shaped", "first_player": 1},
    {"reward": "margin", "card_facts": False, "max_turns": 12},
]


@pytest.fixture(autouse=True)
def _no_warning_in_the_log() -> Any:
    """PettingZoo's wrappers warn through a log of their own."""
    EnvLogger.flush()
    yield
    assert EnvLogger.mqueue == []


@pytest.mark.parametrize("options", VARIANTS)
@pytest.mark.parametrize("make", [deathvalley_v0.env, deathvalley_v0.raw_env])
def test_pettingzoo_aec(make: Callable[..., Any], options: dict[str, Any]) -> None:
    api_test(make(**options), num_cycles=300)


@pytest.mark.parametrize("options", VARIANTS)
def test_pettingzoo_parallel(options: dict[str, Any]) -> None:
    parallel_api_test(deathvalley_v0.parallel_env(**options), num_cycles=300)


@pytest.mark.parametrize("options", VARIANTS)
@pytest.mark.parametrize("make", [deathvalley_v0.env, deathvalley_v0.raw_env])
def test_pettingzoo_seeds(make: Callable[..., Any], options: dict[str, Any]) -> None:
    seed_test(lambda: make(**options))


@pytest.mark.parametrize("options", VARIANTS)
def test_pettingzoo_parallel_seeds(options: dict[str, Any]) -> None:
    # It plays random actions without a mask.
    parallel_seed_test(lambda: deathvalley_v0.parallel_env(illegal_action="ignore", **options))


@pytest.mark.parametrize("make", [deathvalley_v0.env, deathvalley_v0.raw_env])
def test_pettingzoo_rendering(make: Callable[..., Any]) -> None:
    render_test(make)


def test_an_illegal_action_in_pettingzoos_wrappers_ends_the_game() -> None:
    env = deathvalley_v0.env()
    env.reset(seed=1)
    culprit = env.agent_selection
    env.step(41)
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.rewards[culprit] == -1
    for _ in range(2):
        env.step(None)
    assert env.agents == []
    assert any("Illegal move" in str(message) for message in EnvLogger.mqueue)
    EnvLogger.flush()
    for policy in ("lose", "ignore"):
        ours = deathvalley_v0.env(illegal_action=policy)
        ours.reset(seed=1)
        ours.step(41)
        assert all(ours.terminations.values()) == (policy == "lose")


@pytest.mark.parametrize("policy", ["ignore", "lose"])
@pytest.mark.parametrize("options", [{}, {"discard_points": True, "must_outbust": True}, {"opponents": "random"}])
def test_gymnasium(options: dict[str, Any], policy: str) -> None:
    # It plays random actions without a mask.
    env = gymnasium.make("DeathValleySolo-v0", illegal_action=policy, **options)
    check_env(env.unwrapped)


def test_gymnasium_make() -> None:
    env = gymnasium.make("DeathValleySolo-v0", discard_points=True, render_mode="ansi")
    _, info = env.reset(seed=1)
    over = False
    while not over:
        _, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
        over = terminated or truncated
    assert isinstance(env.render(), str)
    assert env.unwrapped.game.options["discard_points"] is True
    assert env.get_wrapper_attr("action_masks")().any()


def test_gymnasium_make_vec() -> None:
    env = gymnasium.make_vec("DeathValleySolo-v0", num_envs=5, must_outbust=True, autoreset_mode="SameStep")
    assert isinstance(env.unwrapped, deathvalley_env.deathvalley_v0.VectorAdapter)
    observation, _ = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    assert env.action_space.shape == (5,)


@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_gymnasiums_own_vector_environments_play_the_same_games(context: str) -> None:
    native = deathvalley_env.make_vec(2)
    makers = [lambda: gymnasium.make("deathvalley_env:DeathValleySolo-v0")] * 2
    others = [SyncVectorEnv(makers), AsyncVectorEnv(makers, context=context)]
    observations = [env.reset(seed=4)[0] for env in (native, *others)]
    for _ in range(60):
        for observation in observations[1:]:
            for name in observation:
                np.testing.assert_array_equal(observation[name], observations[0][name])
        actions = observations[0]["action_mask"].argmax(1)
        results = [env.step(actions) for env in (native, *others)]
        for result in results[1:]:
            for mine, theirs in zip(results[0][1:4], result[1:4], strict=True):
                np.testing.assert_array_equal(mine, theirs)
        observations = [result[0] for result in results]
    for env in others:
        env.close()


def test_pettingzoos_registry() -> None:
    registry = pytest.importorskip("pettingzoo.env_registry", reason="this release of PettingZoo has no registry")
    assert str(registry.registration.make("aec", "deathvalley_v0")) == "deathvalley_v0"
    parallel = registry.registration.make("parallel", "deathvalley_v0", variant="backseat")
    assert parallel.game.options["variant"] == "backseat"


def test_stable_baselines3() -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(deathvalley_env.solo_env(illegal_action="ignore"))
