"""PettingZoo's Parallel interface."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from valley_core.aec import AECAdapter
from valley_core.errors import GameOverError, IllegalActionError, StateError
from valley_core.game import Game
from valley_core.parallel import ParallelAdapter

pytestmark = pytest.mark.filterwarnings("error")

Made = tuple[Callable[..., Game], dict[str, Any]]


def choose(env: ParallelAdapter, rng: np.random.Generator) -> dict[str, int]:
    """A random legal action for each agent."""
    return {
        agent: int(rng.choice(np.flatnonzero(mask)))
        for agent, mask in zip(env.possible_agents, env.action_masks(), strict=True)
    }


def play(env: ParallelAdapter, rng: np.random.Generator, steps: int = 10**9) -> list[bytes]:
    """Play random legal actions; what came of them."""
    course = []
    while env.agents and len(course) < steps:
        results = env.step(choose(env, rng))
        course.append(pickle.dumps(results))
    return course


def middle(made: Made, steps: int = 6, **kwargs: Any) -> ParallelAdapter:
    """An environment in the middle of a game."""
    env = ParallelAdapter(*made, **kwargs)
    env.reset(seed=3)
    play(env, np.random.default_rng(0), steps)
    return env


def askings(env: ParallelAdapter) -> list[str]:
    """The agents that are asked."""
    return [agent for agent, mask in zip(env.agents, env.action_masks(), strict=True) if not mask[-1]]


def test_observations_masks_and_rewards_of_whole_games(made: Made) -> None:
    env = ParallelAdapter(*made)
    rng = np.random.default_rng(1)
    for seed in range(10):
        observations, infos = env.reset(seed=seed)
        sums = dict.fromkeys(env.possible_agents, 0.0)
        while True:
            for agent in env.possible_agents:
                assert env.observation_space(agent).contains(observations[agent])
                mask = observations[agent]["action_mask"]
                assert mask.any()
                np.testing.assert_array_equal(mask, infos[agent]["action_mask"])
            if not env.agents:
                break
            assert len(askings(env)) == 1 or env.game.simultaneous
            observations, rewards, terminations, truncations, infos = env.step(choose(env, rng))
            for agent, reward in rewards.items():
                assert type(reward) is float
                sums[agent] += reward
        assert set(terminations.values()) == {True}
        assert set(truncations.values()) == {False}
        assert all("winner" in info for info in infos.values())
        assert abs(sum(sums.values())) < 1e-9
        assert all(env.game.least_reward <= total <= env.game.greatest_reward for total in sums.values())


def test_the_same_games_as_agent_by_agent(made: Made) -> None:
    parallel, aec = ParallelAdapter(*made), AECAdapter(*made)
    rng = np.random.default_rng(2)
    for seed in range(5):
        parallel.reset(seed=seed)
        aec.reset(seed=seed)
        while parallel.agents:
            actions, asked = choose(parallel, rng), askings(parallel)
            parallel.step(actions)
            for _ in asked:
                aec.step(actions[aec.agent_selection])
            assert parallel.state_record() == aec.state_record()


def test_simultaneous_agents_are_asked_together(simultaneous: Made) -> None:
    env = ParallelAdapter(*simultaneous)
    env.reset(seed=0)
    assert len(askings(env)) == env.game.seats


@pytest.mark.parametrize("policy", ["raise", "lose", "ignore"])
def test_wrong_actions_raise_and_change_nothing(made: Made, policy: str) -> None:
    env = middle(made, illegal_action=policy)
    before, fine = env.state_record(), choose(env, np.random.default_rng(0))
    for agent in env.possible_agents:
        for wrong in (None, True, 0.0, -1, 10**6, 2**70, "0", np.array([0, 1]), np.array([0.0])):
            with pytest.raises(IllegalActionError, match=agent):
                env.step({**fine, agent: wrong})
        with pytest.raises(IllegalActionError, match="missing"):
            env.step({name: action for name, action in fine.items() if name != agent})
    with pytest.raises(IllegalActionError, match="no agent"):
        env.step({**fine, "player_9": 0})
    assert env.state_record() == before
    env.step(fine)
    assert env.state_record() != before


def test_one_illegal_action_raises_before_any_is_carried_out(made: Made) -> None:
    env = middle(made)
    before, fine = env.state_record(), choose(env, np.random.default_rng(0))
    for agent, mask in zip(env.possible_agents, env.action_masks(), strict=True):
        for action in np.flatnonzero(~mask):
            with pytest.raises(IllegalActionError, match="not legal now") as caught:
                env.step({**fine, agent: action})
            assert list(caught.value.legal) == np.flatnonzero(mask).tolist()
    assert env.state_record() == before


def test_an_illegal_action_loses(made: Made) -> None:
    env = middle(made, illegal_action="lose")
    before, fine = env.state_record(), choose(env, np.random.default_rng(0))
    culprit = env.possible_agents[-1]
    wrong = int(np.flatnonzero(~env.action_masks()[-1])[0])
    observations, rewards, terminations, truncations, infos = env.step({**fine, culprit: wrong})
    share = 1 / (env.game.seats - 1)
    assert rewards == {agent: -1.0 if agent == culprit else share for agent in env.possible_agents}
    assert set(terminations.values()) == {True}
    assert set(truncations.values()) == {False}
    assert not env.agents
    assert infos[culprit]["illegal_actions"] == 1
    assert all(np.flatnonzero(seen["action_mask"]).tolist() == [env.game.wait] for seen in observations.values())
    assert env.state_record() == before


def test_an_illegal_action_is_ignored_and_the_others_act(simultaneous: Made) -> None:
    env = ParallelAdapter(*simultaneous, illegal_action="ignore")
    env.reset(seed=1)
    env.step(choose(env, np.random.default_rng(0)))
    fine, before = choose(env, np.random.default_rng(0)), env.state_record()
    wrong = int(np.flatnonzero(~env.action_masks()[0])[0])
    _, _, _, _, infos = env.step({**fine, "player_0": wrong})
    assert env.state_record() != before
    assert askings(env) == ["player_0"]
    assert infos["player_0"]["illegal_actions"] == 1
    wait = env.game.wait
    env.step({"player_0": fine["player_0"], "player_1": wait, "player_2": wait})
    assert len(askings(env)) == 3


def test_nothing_is_ignored_but_the_illegal(turns: Made) -> None:
    env = middle(turns, illegal_action="ignore")
    before = env.state_record()
    actions = {
        agent: int(np.flatnonzero(~mask)[0])
        for agent, mask in zip(env.possible_agents, env.action_masks(), strict=True)
    }
    _, rewards, _, _, infos = env.step(actions)
    assert env.state_record() == before
    assert set(rewards.values()) == {0.0}
    assert all(info["illegal_actions"] == 1 for info in infos.values())


def test_before_the_reset_and_after_the_end(made: Made) -> None:
    env = ParallelAdapter(*made)
    with pytest.raises(ResetNeeded):
        env.step({})
    env.reset(seed=0)
    play(env, np.random.default_rng(0))
    with pytest.raises(GameOverError):
        env.step({})


def test_max_turns_truncates(truncating: Made) -> None:
    env = ParallelAdapter(truncating[0], {**truncating[1], "max_turns": 2})
    env.reset(seed=0)
    while env.agents:
        observations, _, terminations, truncations, _ = env.step(choose(env, np.random.default_rng(0)))
    assert set(truncations.values()) == {True}
    assert set(terminations.values()) == {False}
    assert set(observations) == set(env.possible_agents)


def test_copies_in_the_middle_of_a_game_go_on_alike(made: Made) -> None:
    env = middle(made)
    twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    course = play(env, np.random.default_rng(7))
    for twin in twins:
        assert play(twin, np.random.default_rng(7)) == course


def test_records(made: Made) -> None:
    env = middle(made)
    record = env.state_record()
    course = play(env, np.random.default_rng(5))
    again = ParallelAdapter(*made)
    observations, _ = again.reset(options={"state": record})
    assert set(observations) == set(again.possible_agents)
    assert len(play(again, np.random.default_rng(5))) == len(course)
    assert again.state_record() == env.state_record()
    again.set_state_record(record)
    assert again.state_record() == record
    with pytest.raises(StateError):
        again.set_state_record(np.zeros((), record.dtype))
    assert again.state_record() == record
