"""Gymnasium's interface for one learner."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from tests.valley_core.opponents import Cheat, Dice, Lowest
from valley_core.aec import AECAdapter
from valley_core.errors import GameOverError, IllegalActionError, OptionError, StateError
from valley_core.game import Game
from valley_core.gym_env import GymAdapter

pytestmark = pytest.mark.filterwarnings("error")

Made = tuple[Callable[..., Game], dict[str, Any]]


def play(env: GymAdapter, rng: np.random.Generator, steps: int = 10**9) -> list[bytes]:
    """Play random legal actions to the end of the game; what came of them."""
    course: list[bytes] = []
    over = False
    while not over and len(course) < steps:
        results = env.step(int(rng.choice(np.flatnonzero(env.action_masks()))))
        over = results[2] or results[3]
        course.append(pickle.dumps(results))
    return course


def games(env: GymAdapter, seed: int, count: int = 3) -> list[list[bytes]]:
    """Some games one after the other."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    courses = [play(env, rng)]
    for _ in range(count - 1):
        env.reset()
        courses.append(play(env, rng))
    return courses


def middle(made: Made, steps: int = 4, **kwargs: Any) -> GymAdapter:
    """An environment in the middle of a game."""
    env = GymAdapter(*made, **{"opponents": "random", "seat": "random"} | kwargs)
    env.reset(seed=3)
    play(env, np.random.default_rng(0), steps)
    return env


@pytest.mark.parametrize("seat", [0, 1, "random"])
@pytest.mark.parametrize("against", ["random", Lowest, Dice])
def test_observations_masks_and_rewards_of_whole_games(made: Made, seat: int | str, against: Any) -> None:
    env = GymAdapter(*made, seat=seat, opponents=against if isinstance(against, str) else against())
    rng = np.random.default_rng(1)
    seats = set()
    for seed in range(12):
        observation, info = env.reset(seed=seed)
        seats.add(env.seat)
        total, over = 0.0, False
        while not over:
            assert env.observation_space.contains(observation)
            np.testing.assert_array_equal(observation["action_mask"], info["action_mask"])
            np.testing.assert_array_equal(observation["action_mask"].astype(bool), env.action_masks())
            assert not observation["action_mask"][-1]  # the learner is asked
            observation, reward, terminated, truncated, info = env.step(rng.choice(np.flatnonzero(info["action_mask"])))
            assert type(reward) is float
            assert type(terminated) is type(truncated) is bool
            total += reward
            over = terminated or truncated
        assert terminated
        assert env.observation_space.contains(observation)
        assert np.flatnonzero(observation["action_mask"]).tolist() == [env.game.wait]
        assert env.game.least_reward <= total <= env.game.greatest_reward
        winner = info["winner"]
        if winner >= 0:
            assert (total > 0) == (winner == env.seat)
    assert seats == ({seat} if isinstance(seat, int) else set(range(env.game.seats)))


@pytest.mark.parametrize("against", ["random", Lowest, Dice])
def test_a_seed_fixes_all_games_that_follow(made: Made, against: Any) -> None:
    def fresh() -> GymAdapter:
        return GymAdapter(*made, seat="random", opponents=against if isinstance(against, str) else against())

    env = fresh()
    courses = games(env, 5)
    assert games(fresh(), 5) == courses
    assert games(env, 5) == courses
    assert games(env, 6) != courses
    assert courses[0] != courses[1]


def test_the_same_game_as_agent_by_agent(made: Made) -> None:
    aec = AECAdapter(*made)
    env = GymAdapter(*made, seat=0, opponents=Lowest())
    for seed in range(5):
        env.reset(seed=seed)
        aec.reset(seed=seed)
        rng, over, total, paid = np.random.default_rng(0), False, 0.0, 0.0
        while not over:
            while aec.agent_selection != "player_0":
                aec.step(int(aec.action_masks().argmax()))
                paid += aec.rewards["player_0"]
            action = rng.choice(np.flatnonzero(env.action_masks()))
            _, reward, over, _, _ = env.step(action)
            total += reward
            aec.step(action)
            paid += aec.rewards["player_0"]
            while aec.agent_selection != "player_0" and not aec.terminations["player_0"]:
                aec.step(int(aec.action_masks().argmax()))
                paid += aec.rewards["player_0"]
            assert aec.state_record() == env.state_record()
            assert paid == pytest.approx(total)


def test_opponents_are_started_by_seeds_and_sit_in_turn_after_the_learner(simultaneous: Made) -> None:
    after, last = Lowest(), Dice()
    env = GymAdapter(*simultaneous, seat=1, opponents=[after, last])
    env.reset(seed=1)
    env.reset()
    assert len(after.starts) == len(last.starts) == 1
    assert after.starts[0] != last.starts[0]
    env.reset(seed=1)
    assert after.starts[0] == after.starts[1]
    mixed = GymAdapter(*simultaneous, seat="random", opponents=["random", Lowest()])
    assert games(mixed, 3) == games(GymAdapter(*simultaneous, seat="random", opponents=["random", Lowest()]), 3)


def test_wrong_opponents_and_seats(made: Made) -> None:
    for wrong in ("mcts:200", 7, Lowest, [], ["random"] * 5):
        with pytest.raises(OptionError, match="opponent"):
            GymAdapter(*made, opponents=wrong)
    for seat in (-1, 9, True, "first", 0.0):
        with pytest.raises(OptionError, match="seat"):
            GymAdapter(*made, opponents="random", seat=seat)
    env = GymAdapter(*made, opponents=Cheat())
    with pytest.raises(IllegalActionError, match=r"player_[12] is not legal now"):
        games(env, 0, 5)


def test_a_game_that_needs_opponents_says_so(made: Made) -> None:
    with pytest.raises(OptionError, match="needs opponents"):
        games(GymAdapter(*made), 0, 2)


@pytest.mark.parametrize("policy", ["raise", "lose", "ignore"])
@pytest.mark.parametrize("against", ["random", Lowest])
def test_what_is_no_action_raises_and_changes_nothing(made: Made, policy: str, against: Any) -> None:
    rivals = against if isinstance(against, str) else against()
    env, twin = (middle(made, illegal_action=policy, opponents=copy.deepcopy(rivals)) for _ in range(2))
    before = env.state_record().tobytes()
    for wrong in (
        None,
        True,
        np.True_,
        0.0,
        "0",
        [0],
        np.array([0, 1]),
        np.array([0.0]),
        np.array([True]),
        np.array([None]),
        -1,
        10**6,
        2**70,
        np.uint64(2**63),
    ):
        with pytest.raises(IllegalActionError) as caught:
            env.step(wrong)
        assert list(caught.value.legal) == np.flatnonzero(env.action_masks()).tolist()
        assert env.state_record().tobytes() == before
    assert play(env, np.random.default_rng(1)) == play(twin, np.random.default_rng(1))


@pytest.mark.parametrize("against", ["random", Lowest])
def test_illegal_actions(made: Made, against: Any) -> None:
    for policy in ("raise", "ignore", "lose"):
        rivals = against if isinstance(against, str) else against()
        env = middle(made, illegal_action=policy, opponents=rivals)
        before = env.state_record().tobytes()
        for count, action in enumerate(np.flatnonzero(~env.action_masks())[:5], 1):
            if policy == "raise":
                with pytest.raises(IllegalActionError, match=f"player_{env.seat} is not legal now"):
                    env.step(action)
            else:
                observation, reward, terminated, truncated, info = env.step(action)
                assert (reward, terminated, truncated) == (
                    (-1.0, True, False) if policy == "lose" else (0, False, False)
                )
                assert info["illegal_actions"] == count
                assert env.observation_space.contains(observation)
            assert env.state_record().tobytes() == before
            if policy == "lose":
                assert np.flatnonzero(observation["action_mask"]).tolist() == [env.game.wait]
                assert np.flatnonzero(env.action_masks()).tolist() == [env.game.wait]
                with pytest.raises(GameOverError):
                    env.step(0)
                break
        env.reset()
        play(env, np.random.default_rng(0))


def test_an_ignored_action_keeps_the_reward_of_what_others_did_before(turns: Made) -> None:
    plain, ignoring = (GymAdapter(*turns, opponents=Lowest(), illegal_action=policy) for policy in ("raise", "ignore"))
    for seed in range(8):
        plain.reset(seed=seed)
        ignoring.reset(seed=seed)
        action = int(plain.action_masks().argmax())
        assert ignoring.step(plain.game.wait)[1] == 0
        assert ignoring.step(action)[1] == plain.step(action)[1]


def test_before_the_reset_and_after_the_end(made: Made) -> None:
    env = GymAdapter(*made, opponents="random", render_mode="ansi")
    for method in (lambda: env.step(0), env.action_masks, env.state_record, env.render):
        with pytest.raises(ResetNeeded):
            method()
    env.reset(seed=0)
    play(env, np.random.default_rng(0))
    with pytest.raises(GameOverError):
        env.step(0)
    assert isinstance(env.render(), str)


def test_max_turns_truncates(truncating: Made) -> None:
    env = GymAdapter(truncating[0], {**truncating[1], "max_turns": 4}, opponents="random")
    env.reset(seed=0)
    over = False
    while not over:
        observation, _, terminated, over, info = env.step(int(env.action_masks().argmax()))
        assert not terminated
    assert env.observation_space.contains(observation)
    assert env.summary()["ending"] == "truncated"
    assert info["winner"] == -1


def test_a_learner_that_is_never_asked(turns: Made) -> None:
    for against in ("random", Lowest()):
        options = {**turns[1], "max_turns": 1, "first_player": 1}
        with pytest.raises(OptionError, match="max_turns"):
            GymAdapter(turns[0], options, opponents=against).reset(seed=0)
        drawn = GymAdapter(turns[0], {**turns[1], "max_turns": 1}, opponents=against)
        for seed in range(10):
            drawn.reset(seed=seed)
            assert not drawn.action_masks()[-1]


@pytest.mark.parametrize("against", ["random", Dice])
def test_copies_in_the_middle_of_a_game_go_on_alike(made: Made, against: Any) -> None:
    env = middle(made, opponents=against if isinstance(against, str) else against(), illegal_action="ignore")
    env.step(env.game.wait)
    twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env)), pickle.loads(pickle.dumps(env, 5))]
    course = play(env, np.random.default_rng(7))
    env.reset()
    course += play(env, np.random.default_rng(8))
    for twin in twins:
        ours = play(twin, np.random.default_rng(7))
        twin.reset()
        assert ours + play(twin, np.random.default_rng(8)) == course


def test_records(made: Made) -> None:
    env = middle(made, opponents=Lowest(), seat=0)
    record = env.state_record()
    course = play(env, np.random.default_rng(5))
    again = GymAdapter(*made, opponents=Lowest())
    observation, _ = again.reset(options={"state": record})
    assert again.observation_space.contains(observation)
    assert again.state_record() == record
    assert play(again, np.random.default_rng(5)) == course
    with pytest.raises(StateError, match="over"):
        again.reset(options={"state": again.state_record()})
    again.set_state_record(record)
    assert again.state_record() == record
    with pytest.raises(StateError):
        again.set_state_record(np.zeros((), record.dtype))
    assert again.state_record() == record
    with pytest.warns(UserWarning, match="'colour'"):
        again.reset(options={"colour": 1})


def test_nothing_handed_out_decides_anything(made: Made) -> None:
    env = middle(made)
    legal = env.action_masks()
    observation, _, _, _, info = env.step(int(legal.argmax()))
    legal = env.action_masks()
    observation["action_mask"][:] = 1
    info["action_mask"][:] = 1
    observation["observation"][:] = 7
    np.testing.assert_array_equal(env.action_masks(), legal)
    with pytest.raises(IllegalActionError):
        env.step(int(legal.argmin()))
    assert env.step(int(legal.argmax()))[0]["observation"].max() <= 1


def test_seeds(made: Made) -> None:
    first, second = (GymAdapter(*made, opponents="random") for _ in range(2))
    first.reset()
    second.reset()
    assert first.state_record() != second.state_record()
    for wrong in (-1, 0.5, "1"):
        with pytest.raises(OptionError, match="seed"):
            first.reset(seed=wrong)
    first.reset(seed=np.int64(4))
    assert first.np_random_seed == 4
