"""PettingZoo's AEC interface."""

import copy
import pickle
from collections.abc import Callable
from enum import IntEnum
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from valley_core.aec import AECAdapter
from valley_core.errors import GameOverError, IllegalActionError, OptionError, StateError
from valley_core.game import Game

pytestmark = pytest.mark.filterwarnings("error")

Made = tuple[Callable[..., Game], dict[str, Any]]


def play(env: AECAdapter, rng: np.random.Generator, steps: int = 10**9) -> list[tuple[Any, ...]]:
    """Play random legal actions; what was seen and done."""
    course = []
    while env.agents and len(course) < steps:
        agent = env.agent_selection
        observation, reward, terminated, truncated, _ = env.last()
        action = None
        if not (terminated or truncated):
            action = int(rng.choice(np.flatnonzero(observation["action_mask"])))
        course.append((agent, observation["observation"].tobytes(), reward, terminated, truncated, action))
        env.step(action)
    return course


def middle(made: Made, steps: int = 12, **kwargs: Any) -> AECAdapter:
    """An environment in the middle of a game."""
    env = AECAdapter(*made, **kwargs)
    env.reset(seed=3)
    play(env, np.random.default_rng(0), steps)
    return env


def illegal_action(env: AECAdapter) -> int:
    """The lowest action that is not legal now."""
    return int(np.flatnonzero(~env.action_masks())[0])


def test_observations_masks_and_rewards_of_whole_games(made: Made) -> None:
    env = AECAdapter(*made)
    wait_alone = np.zeros(env.game.num_actions, np.int8)
    wait_alone[-1] = 1
    rng = np.random.default_rng(1)
    for seed in range(15):
        env.reset(seed=seed)
        sums = dict.fromkeys(env.possible_agents, 0.0)
        over = False
        while not over:
            for agent in env.possible_agents:
                observation = env.observe(agent)
                assert env.observation_space(agent).contains(observation)
                assert np.isfinite(observation["observation"]).all()
                np.testing.assert_array_equal(observation["action_mask"], env.infos[agent]["action_mask"])
                assert observation["action_mask"].any()
                if not env.game.simultaneous and agent != env.agent_selection:
                    np.testing.assert_array_equal(observation["action_mask"], wait_alone)
            mask = env.action_masks()
            assert not mask[-1]
            np.testing.assert_array_equal(mask, env.observe(env.agent_selection)["action_mask"].astype(bool))
            env.step(rng.choice(np.flatnonzero(mask)))
            for agent, reward in env.rewards.items():
                assert type(reward) is float
                sums[agent] += reward
            over = any(env.terminations.values()) or any(env.truncations.values())
        assert abs(sum(sums.values())) < 1e-9
        assert all(env.game.least_reward <= total <= env.game.greatest_reward for total in sums.values())
        for agent in env.possible_agents:
            assert env.observation_space(agent).contains(env.observe(agent))
            np.testing.assert_array_equal(env.observe(agent)["action_mask"], wait_alone)
            assert set(env.infos[agent]) >= {"action_mask", "winner"}


def test_the_agents_of_the_state_act_in_the_order_of_the_state(turns: Made) -> None:
    env = AECAdapter(*turns)
    rng = np.random.default_rng(2)
    again = 0
    for seed in range(5):
        env.reset(seed=seed)
        while not any(env.terminations.values()):
            agent = env.agent_selection
            assert agent == f"player_{int(env.state_record()['player'])}"
            env.step(rng.choice(np.flatnonzero(env.action_masks())))
            again += env.agent_selection == agent
    assert again > 20  # consecutive decisions of one player keep it selected


def test_masks_are_what_can_be_done(made: Made) -> None:
    env = middle(made)
    record, legal = env.state_record(), env.action_masks()
    for action in range(env.game.num_actions):
        if legal[action]:
            env.step(action)
            assert env.state_record() != record
            env.set_state_record(record)
        else:
            with pytest.raises(IllegalActionError):
                env.step(action)
            assert env.state_record() == record


class Choice(IntEnum):
    """An action by name."""

    FIRST = 0


@pytest.mark.parametrize(
    "kind", [int, np.int8, np.uint8, np.int32, np.int64, np.uint64, np.array, lambda action: Choice(0)]
)
def test_every_kind_of_integer_is_an_action(turns: Made, kind: Callable[[int], Any]) -> None:
    env = AECAdapter(*turns)
    env.reset(seed=0)
    assert env.action_masks()[0]
    env.step(kind(0))


WRONG = [
    *(None, True, np.True_, 0.0, np.float32(0), "0", {}, object()),
    *(
        [0],
        np.array([0, 1]),
        np.array([0.0]),
        np.array([True]),
        np.array([None]),
        np.array(0.0),
        -1,
        10**6,
        2**70,
        -(2**70),
    ),
]


@pytest.mark.parametrize("policy", ["raise", "lose", "ignore"])
@pytest.mark.parametrize("action", WRONG, ids=[f"{i}-{type(wrong).__name__}" for i, wrong in enumerate(WRONG)])
def test_what_is_no_action_raises_and_changes_nothing(made: Made, action: Any, policy: str) -> None:
    env = middle(made, illegal_action=policy)
    before = pickle.dumps((env.state_record(), env.agent_selection, env.rewards, env._cumulative_rewards, env.infos))
    with pytest.raises(IllegalActionError) as caught:
        env.step(action)
    after = pickle.dumps((env.state_record(), env.agent_selection, env.rewards, env._cumulative_rewards, env.infos))
    assert after == before
    assert caught.value.action is action
    assert list(caught.value.legal) == np.flatnonzero(env.action_masks()).tolist()
    assert isinstance(caught.value, ValueError)


def test_an_illegal_action_raises_with_names_and_changes_nothing(made: Made) -> None:
    env = middle(made)
    before = env.state_record().tobytes()
    for action in np.flatnonzero(~env.action_masks()):
        with pytest.raises(IllegalActionError, match="not legal now") as caught:
            env.step(action)
        assert env.agent_selection in str(caught.value)
    assert all(caught.value.legal[number] == env.game.action_names[number] for number in caught.value.legal)
    assert env.state_record().tobytes() == before


def test_an_illegal_action_loses(made: Made) -> None:
    env = middle(made, illegal_action="lose")
    culprit, before = env.agent_selection, env.state_record()
    env.step(illegal_action(env))
    others = env.game.seats - 1
    assert env.rewards == {agent: -1.0 if agent == culprit else 1 / others for agent in env.possible_agents}
    assert set(env.terminations.values()) == {True}
    assert set(env.truncations.values()) == {False}
    assert env.infos[culprit]["illegal_actions"] == 1
    assert env.state_record() == before
    for agent in env.possible_agents:
        assert np.flatnonzero(env.observe(agent)["action_mask"]).tolist() == [env.game.wait]
    for _ in env.possible_agents:
        env.step(None)
    assert not env.agents
    env.reset(seed=1)
    assert env.action_masks().any()
    assert env.infos[env.agent_selection]["illegal_actions"] == 0


def test_an_illegal_action_is_ignored(made: Made) -> None:
    env = middle(made, illegal_action="ignore")
    agent, before = env.agent_selection, env.state_record()
    for count in (1, 2):
        env.step(illegal_action(env))
        assert env.agent_selection == agent
        assert env.state_record() == before
        assert env.infos[agent]["illegal_actions"] == count
        assert set(env.rewards.values()) == {0.0}
    env.step(int(np.flatnonzero(env.action_masks())[0]))
    assert env.state_record() != before


def test_after_the_end(made: Made) -> None:
    env = middle(made)
    while not any(env.terminations.values()):
        env.step(int(np.flatnonzero(env.action_masks())[0]))
    with pytest.raises(GameOverError):
        env.step(0)
    assert env.agents == env.possible_agents
    for agent in env.possible_agents:
        assert env.agent_selection == agent
        env.step(None)
    assert not env.agents
    assert not env.rewards
    for action in (None, 0):
        with pytest.raises(GameOverError, match="reset"):
            env.step(action)
    assert env.observation_space("player_0").contains(env.observe("player_0"))


def test_a_reset_between_the_steps_of_dead_agents(made: Made) -> None:
    env = middle(made)
    play(env, np.random.default_rng(1), 10**9)
    for steps in range(1, env.game.seats):
        env.reset(seed=5)
        while not any(env.terminations.values()):
            env.step(int(np.flatnonzero(env.action_masks())[-1]))
        for _ in range(steps):
            env.step(None)
    env.reset(seed=5)
    fresh = AECAdapter(*made)
    fresh.reset(seed=5)
    assert play(env, np.random.default_rng(2)) == play(fresh, np.random.default_rng(2))


def test_before_the_reset(made: Made) -> None:
    env = AECAdapter(*made, render_mode="ansi")
    for method in (lambda: env.step(0), lambda: env.step(None), lambda: env.observe("player_0"), env.action_masks,
                   env.state_record, env.summary, env.render):  # fmt: skip
        with pytest.raises(ResetNeeded, match=r"reset\(\)"):
            method()


def test_max_turns_truncates(truncating: Made) -> None:
    env = AECAdapter(truncating[0], {**truncating[1], "max_turns": 3})
    env.reset(seed=0)
    while not (any(env.terminations.values()) or any(env.truncations.values())):
        env.step(int(np.flatnonzero(env.action_masks())[0]))
    assert set(env.truncations.values()) == {True}
    assert set(env.terminations.values()) == {False}
    observation, *_, info = env.last()
    assert env.observation_space("player_0").contains(observation)
    assert env.summary()["ending"] == "truncated"
    assert info["winner"] == -1


def test_cumulative_rewards_are_those_since_the_agents_last_action(made: Made) -> None:
    env = AECAdapter(*made)
    rng = np.random.default_rng(4)
    for seed in range(5):
        env.reset(seed=seed)
        since = dict.fromkeys(env.possible_agents, 0.0)
        while env.agents:
            agent = env.agent_selection
            _, reward, terminated, truncated, info = env.last()
            assert reward == pytest.approx(since[agent])
            since[agent] = 0.0
            dead = terminated or truncated
            env.step(None if dead else rng.choice(np.flatnonzero(info["action_mask"])))
            for name, change in env.rewards.items():
                since[name] += change


def copies(env: AECAdapter) -> list[AECAdapter]:
    """Copies of every kind."""
    return [copy.deepcopy(env), pickle.loads(pickle.dumps(env)), copy.deepcopy(pickle.loads(pickle.dumps(env, 4)))]


def test_copies_in_the_middle_of_a_game_go_on_alike(made: Made) -> None:
    env = middle(made, illegal_action="ignore")
    env.step(illegal_action(env))
    twins = copies(env)
    course = play(env, np.random.default_rng(7))
    env.reset()
    course += play(env, np.random.default_rng(8))
    for twin in twins:
        again = play(twin, np.random.default_rng(7))
        twin.reset()
        assert again + play(twin, np.random.default_rng(8)) == course


def test_copies_are_apart(made: Made) -> None:
    env = middle(made)
    before = env.state_record()
    for twin in copies(env):
        play(twin, np.random.default_rng(1), 5)
        assert env.state_record() == before


def test_nothing_handed_out_is_written_to_or_decides_anything(made: Made) -> None:
    env = middle(made)
    before, mask = env.state_record(), env.action_masks()
    observation, *_, info = env.last()
    kept = copy.deepcopy(observation)
    observation["observation"][:] = 9
    observation["action_mask"][:] = 1
    info["action_mask"][:] = 1
    record = env.state_record()
    record["rng"] = 0
    assert env.state_record() == before
    np.testing.assert_array_equal(env.action_masks(), mask)
    with pytest.raises(IllegalActionError):
        env.step(illegal_action(env))
    fresh = env.last()[0]
    for name in fresh:
        np.testing.assert_array_equal(fresh[name], kept[name])
    env.step(int(np.flatnonzero(mask)[0]))
    assert (observation["observation"] == 9).all()


def test_records_start_games_and_go_on(made: Made) -> None:
    env = middle(made)
    record = env.state_record()
    course = play(env, np.random.default_rng(5))
    for start in (lambda env: env.reset(options={"state": record}), lambda env: env.set_state_record(record)):
        again = AECAdapter(*made)
        start(again)
        assert again.state_record() == record
        assert again.agent_selection == course[0][0]
        ours = play(again, np.random.default_rng(5))
        assert [step[1] for step in ours] == [step[1] for step in course]
    seeded = AECAdapter(*made)
    seeded.reset(seed=11, options={"state": record})
    assert int(seeded.state_record()["rng"]) == 11


def test_a_record_of_a_game_that_is_over(made: Made) -> None:
    env = middle(made)
    while not any(env.terminations.values()):
        env.step(int(np.flatnonzero(env.action_masks())[0]))
    other = AECAdapter(*made)
    other.set_state_record(env.state_record())
    assert set(other.terminations.values()) == {True}
    with pytest.raises(GameOverError):
        other.step(0)


def test_records_of_no_state_change_nothing(made: Made) -> None:
    env = middle(made)
    before = env.state_record()
    beyond = env.state_record()
    beyond["data"] = 99
    for wrong in (b"", 7, np.zeros(3), np.zeros(2, before.dtype), np.zeros((), before.dtype), beyond):
        with pytest.raises(StateError):
            env.set_state_record(wrong)
        with pytest.raises(StateError):
            env.reset(options={"state": wrong})
        assert env.state_record() == before


def test_seeds(made: Made) -> None:
    env, twin = AECAdapter(*made), AECAdapter(*made)
    for big in (0, np.int64(5), 2**64 + 5, 2**200):
        env.reset(seed=big)
        twin.reset(seed=int(big) % 2**64)
        assert env.state_record() == twin.state_record()
    for wrong in (-1, 0.5, "1", np.float64(2)):
        with pytest.raises(OptionError, match="seed"):
            env.reset(seed=wrong)
    assert env.state_record() == twin.state_record()
    first, second = AECAdapter(*made), AECAdapter(*made)
    first.reset()
    second.reset()
    assert first.state_record() != second.state_record()  # from entropy


def test_unknown_options_warn(made: Made) -> None:
    env = AECAdapter(*made)
    with pytest.warns(UserWarning, match="'colour'"):
        env.reset(seed=0, options={"colour": "red"})
    with pytest.raises(OptionError, match="options"):
        env.reset(options=["state"])
    with pytest.raises(OptionError, match="illegal_action='forgive'"):
        AECAdapter(*made, illegal_action="forgive")


def test_rendering(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    text = middle(made, render_mode="ansi").render()
    assert isinstance(text, str)
    assert "\n" in text
    picture = middle(made, render_mode="rgb_array").render()
    assert (picture.dtype, picture.ndim, picture.shape[2]) == (np.uint8, 3, 3)
    assert picture.min() < picture.max()
    capsys.readouterr()
    assert middle(made, render_mode="human").render() is None
    assert text in capsys.readouterr().out
    with pytest.raises(OptionError, match="render_mode='3d'"):
        AECAdapter(*made, render_mode="3d")
    with pytest.warns(UserWarning, match="render_mode"):
        assert middle(made).render() is None


def draw_length(game: Game, state: Any, data: Any) -> int:
    """A drawing that a game brings along."""
    return len(game.describe(state, data))


def test_drawings_of_the_game(made: Made) -> None:
    env = middle(made, render_mode="length", drawings={"length": draw_length})
    assert "length" in env.metadata["render_modes"]
    assert env.render() > 10


def test_rgb_array_without_pillow_names_the_extra(turns: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("valley_core.rendering.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"valley-envs\[render\]"):
        AECAdapter(*turns, render_mode="rgb_array")
