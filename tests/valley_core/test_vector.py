"""Gymnasium's vector interface."""

import copy
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics

from tests.valley_core.opponents import Dice, Lowest
from valley_core.batch import set_num_threads
from valley_core.errors import IllegalActionError, OptionError, StateError
from valley_core.game import Game
from valley_core.gym_env import GymAdapter
from valley_core.vector import VectorAdapter

pytestmark = pytest.mark.filterwarnings("error")

Made = tuple[Callable[..., Game], dict[str, Any]]
MODES = [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP]
STEPS = 60


@pytest.fixture(autouse=True)
def own_threads() -> Iterator[None]:
    """Leave the number of threads as it was."""
    yield
    set_num_threads(0)


def make(made: Made, num_envs: int, against: Any = "random", **kwargs: Any) -> VectorAdapter:
    """A vector environment against opponents."""
    rivals = against if isinstance(against, str) else against()
    return VectorAdapter(*made, num_envs=num_envs, **{"seat": "random", "opponents": rivals} | kwargs)


def pick(masks: np.ndarray, step: int) -> np.ndarray:
    """A legal action for each game that depends on its mask and the step alone."""
    counts = masks.sum(1)
    order = np.cumsum(masks, 1)
    wanted = (step * 7) % counts + 1
    return (order == wanted[:, None]).argmax(1)


def run(env: VectorAdapter, seed: int, steps: int = STEPS) -> list[list[bytes]]:
    """What each game gives, step by step."""
    observation, _ = env.reset(seed=seed)
    courses: list[list[bytes]] = [[] for _ in range(env.num_envs)]
    for step in range(steps):
        observation, rewards, terminated, truncated, _ = env.step(pick(observation["action_mask"], step))
        for i, course in enumerate(courses):
            course.append(
                observation["observation"][i].tobytes()
                + observation["action_mask"][i].tobytes()
                + np.array([rewards[i], terminated[i], truncated[i]]).tobytes()
            )
    return courses


def run_single(env: GymAdapter, seed: int, mode: AutoresetMode, steps: int = STEPS) -> list[bytes]:
    """The same from a single environment, reset by hand."""
    observation, _ = env.reset(seed=seed)
    course, over = [], False
    for step in range(steps):
        if over:
            observation, _ = env.reset()
            reward, terminated, truncated, over = 0.0, False, False, False
        else:
            action = int(pick(observation["action_mask"][None], step)[0])
            observation, reward, terminated, truncated, _ = env.step(action)
            over = terminated or truncated
            if over and mode == AutoresetMode.SAME_STEP:
                observation, _ = env.reset()
                over = False
        course.append(
            observation["observation"].tobytes()
            + observation["action_mask"].tobytes()
            + np.array([reward, terminated, truncated]).tobytes()
        )
    return course


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("against", ["random", Lowest, Dice])
def test_the_games_of_single_environments(made: Made, mode: AutoresetMode, against: Any) -> None:
    courses = run(make(made, 7, against, autoreset_mode=mode), 40)
    for i, course in enumerate(courses):
        single = GymAdapter(*made, seat="random", opponents=against if isinstance(against, str) else against())
        assert run_single(single, 40 + i, mode) == course


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("mode", MODES)
def test_batch_size_and_threads_do_not_matter(made: Made, mode: AutoresetMode, threads: int) -> None:
    set_num_threads(1)
    expected = run(make(made, 1, autoreset_mode=mode), 9)[0], run(make(made, 7, autoreset_mode=mode), 9)
    set_num_threads(threads)
    env = make(made, 1024, autoreset_mode=mode)
    observation, _ = env.reset(seed=9)
    courses: list[list[bytes]] = [[] for _ in range(7)]
    for step in range(STEPS):
        observation, rewards, terminated, truncated, _ = env.step(pick(observation["action_mask"], step))
        for i, course in enumerate(courses):
            course.append(
                observation["observation"][i].tobytes()
                + observation["action_mask"][i].tobytes()
                + np.array([rewards[i], terminated[i], truncated[i]]).tobytes()
            )
    assert courses == expected[1]
    assert courses[0] == expected[0]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("copying", [True, False])
def test_spaces_masks_and_infos(made: Made, mode: AutoresetMode, copying: bool) -> None:
    env = make(made, 3, autoreset_mode=mode, copy=copying, summaries=True)
    assert env.metadata["autoreset_mode"] is mode
    observation, infos = env.reset(seed=1)
    ended_before = np.zeros(3, bool)
    for step in range(STEPS):
        assert env.observation_space.contains(observation)
        assert all(
            env.single_observation_space.contains({name: array[i] for name, array in observation.items()})
            for i in range(3)
        )
        np.testing.assert_array_equal(observation["action_mask"], infos["action_mask"])
        np.testing.assert_array_equal(env.action_masks(), infos["action_mask"].astype(bool))
        assert infos["_action_mask"].all()
        np.testing.assert_array_equal(observation["action_mask"][:, -1].astype(bool), ended_before)
        kept = copy.deepcopy(observation)
        given = observation
        observation, rewards, terminated, truncated, infos = env.step(pick(observation["action_mask"], step))
        assert (given["observation"].tobytes() == kept["observation"].tobytes()) == copying
        assert (rewards.dtype, terminated.dtype, truncated.dtype) == (np.float64, bool, bool)
        over = terminated | truncated
        if mode == AutoresetMode.NEXT_STEP:
            assert (rewards[ended_before] == 0).all()
            assert not over[ended_before].any()
            ended_before = over
            assert "final_obs" not in infos
            if over.any():
                np.testing.assert_array_equal(infos["_summary"], over)
        elif over.any():
            np.testing.assert_array_equal(infos["_final_obs"], over)
            np.testing.assert_array_equal(infos["_final_info"], over)
            np.testing.assert_array_equal(infos["final_info"]["_winner"], over)
            for i in range(3):
                if over[i]:
                    final = infos["final_obs"][i]
                    assert env.single_observation_space.contains(final)
                    assert np.flatnonzero(final["action_mask"]).tolist() == [env.game.wait]
                    np.testing.assert_array_equal(infos["final_info"]["action_mask"][i], final["action_mask"])
                else:
                    assert infos["final_obs"][i] is None


def test_final_observations_are_those_of_single_games(made: Made) -> None:
    env = make(made, 4, autoreset_mode="SAME_STEP", summaries=True)
    singles = [GymAdapter(*made, seat="random", opponents="random") for _ in range(4)]
    observation, _ = env.reset(seed=5)
    for i, single in enumerate(singles):
        single.reset(seed=5 + i)
    found = 0
    for step in range(STEPS):
        actions = pick(observation["action_mask"], step)
        observation, rewards, terminated, _, infos = env.step(actions)
        for i, single in enumerate(singles):
            ours, reward, over, _, info = single.step(int(actions[i]))
            assert reward == rewards[i]
            assert over == terminated[i]
            if over:
                found += 1
                np.testing.assert_array_equal(infos["final_obs"][i]["observation"], ours["observation"])
                assert infos["final_info"]["winner"][i] == info["winner"]
                single.reset()
    assert found > 2


@pytest.mark.parametrize("mode", MODES)
def test_truncation_is_reported_as_such(truncating: Made, mode: AutoresetMode) -> None:
    env = VectorAdapter(
        truncating[0],
        {**truncating[1], "max_turns": 3},
        num_envs=4,
        opponents="random",
        autoreset_mode=mode,
        summaries=True,
    )
    observation, _ = env.reset(seed=0)
    seen = 0
    for step in range(20):
        observation, _, terminated, truncated, infos = env.step(pick(observation["action_mask"], step))
        assert not terminated.any()
        seen += truncated.sum()
        if truncated.any():
            told = infos if mode == AutoresetMode.NEXT_STEP else infos["final_info"]
            np.testing.assert_array_equal(told["_summary"], truncated)
            assert {summary["ending"] for summary in told["summary"][truncated]} == {"truncated"}
    assert seen > 4


def test_seeds_for_each_game(made: Made) -> None:
    env, twin = make(made, 3), make(made, 3)
    env.reset(seed=[7, 8, 9])
    twin.reset(seed=7)
    assert (env.state_records() == twin.state_records()).all()
    env.reset(seed=[7, None, 9])
    twin.reset()
    records, others = env.state_records(), twin.state_records()
    assert records[1] == others[1]
    assert records[0] != others[0]
    fresh = make(made, 3)
    fresh.reset()
    assert len({bytes(record) for record in fresh.state_records()}) == 3
    for wrong in ([1, 2], -1, [1, -1, 2], 0.5, "abc"):
        with pytest.raises(OptionError, match="seed"):
            env.reset(seed=wrong)


@pytest.mark.parametrize("policy", ["raise", "lose", "ignore"])
def test_wrong_actions_raise_and_change_nothing(made: Made, policy: str) -> None:
    env = make(made, 5, illegal_action=policy)
    observation, _ = env.reset(seed=2)
    fine = pick(observation["action_mask"], 3)
    before = env.state_records().tobytes()
    wrong: list[Any] = [None, 0, fine[:4], fine[:, None], fine.astype(float), fine.astype(bool), fine.astype(str)]
    for number in (-1, env.game.num_actions, 2**40):
        actions = fine.copy()
        actions[3] = number
        wrong.append(actions)
    wrong.append(np.full(5, 2**63, np.uint64))
    for actions in wrong:
        with pytest.raises(IllegalActionError):
            env.step(actions)
        assert env.state_records().tobytes() == before
    env.step(fine.astype(np.int32))
    assert env.state_records().tobytes() != before


def test_one_illegal_action_raises_before_any_is_carried_out(made: Made) -> None:
    env = make(made, 200)
    observation, _ = env.reset(seed=2)
    actions = pick(observation["action_mask"], 3)
    before = env.state_records().tobytes()
    for i in (0, 150, 199):
        wrong = actions.copy()
        wrong[i] = int(observation["action_mask"][i].argmin())
        with pytest.raises(IllegalActionError, match=f"in game {i} is not legal now") as caught:
            env.step(wrong)
        assert list(caught.value.legal) == np.flatnonzero(observation["action_mask"][i]).tolist()
        assert env.state_records().tobytes() == before


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("against", ["random", Lowest])
@pytest.mark.parametrize("policy", ["lose", "ignore"])
def test_illegal_actions_concern_their_games_alone(made: Made, mode: AutoresetMode, against: Any, policy: str) -> None:
    env, twin = (make(made, 4, against, autoreset_mode=mode, illegal_action=policy) for _ in range(2))
    observation, _ = env.reset(seed=2)
    twin.reset(seed=2)
    actions = pick(observation["action_mask"], 1)
    twin.step(actions)
    before = env.state_records()
    actions[2] = env.game.wait
    observation, rewards, terminated, truncated, infos = env.step(actions)
    after, expected = env.state_records(), twin.state_records()
    assert all(after[i] == expected[i] for i in (0, 1, 3))
    assert not truncated.any()
    lost = policy == "lose"
    assert (rewards[2], terminated[2]) == ((-1, True) if lost else (0, False))
    if lost and mode == AutoresetMode.SAME_STEP:
        assert np.flatnonzero(infos["final_obs"][2]["action_mask"]).tolist() == [env.game.wait]
        assert infos["final_info"]["illegal_actions"][2] == 1
        assert infos["illegal_actions"].tolist() == [0, 0, 0, 0]
        assert not observation["action_mask"][2, -1]
    else:
        assert after[2] == before[2]
        assert infos["illegal_actions"].tolist() == [0, 0, 1, 0]
    observation, *_ = env.step(pick(observation["action_mask"], 0))
    assert not observation["action_mask"][:, -1].any()


def test_before_the_reset_and_wrong_options(made: Made) -> None:
    env = make(made, 2)
    for method in (lambda: env.step(np.zeros(2, int)), env.action_masks, env.state_records):
        with pytest.raises(ResetNeeded):
            method()
    for wrong in (0, -1, 1.5, True, "2"):
        with pytest.raises(OptionError, match="num_envs"):
            make(made, wrong)
    for mode in ("Disabled", AutoresetMode.DISABLED, 3):
        with pytest.raises(OptionError, match="NextStep"):
            make(made, 2, autoreset_mode=mode)
    with pytest.warns(UserWarning, match="'colour'"):
        env.reset(seed=0, options={"colour": 1})


def test_records(made: Made) -> None:
    env = make(made, 3, seat=0)
    env.reset(seed=1)
    env.step(pick(env.action_masks(), 2))
    records = env.state_records()
    other = make(made, 3, seat=0)
    other.reset(options={"state": records})
    assert (other.state_records() == records).all()
    other.reset(options={"state": records[1]})
    assert all(record == records[1] for record in other.state_records())
    other.set_state_records(records)
    assert (other.state_records() == records).all()
    with pytest.raises(OptionError, match="2 records for 3 games"):
        other.reset(options={"state": records[:2]})
    wrong = records.copy()
    wrong[2] = np.zeros((), records.dtype)
    with pytest.raises(StateError):
        other.reset(options={"state": wrong})
    assert (other.state_records() == records).all()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("against", ["random", Dice])
def test_copies_in_the_middle_of_a_game_go_on_alike(made: Made, mode: AutoresetMode, against: Any) -> None:
    env = make(made, 5, against, autoreset_mode=mode)
    observation, _ = env.reset(seed=1)
    for step in range(7):
        observation, *_ = env.step(pick(observation["action_mask"], step))
    assert env.observation_space.contains(observation)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        again = copy.deepcopy(env)
        mine, theirs = observation, observation
        for step in range(STEPS):
            mine, *ours = again.step(pick(mine["action_mask"], step))
            theirs, *others = twin.step(pick(theirs["action_mask"], step))
            assert pickle.dumps((mine, ours[:3])) == pickle.dumps((theirs, others[:3]))


def test_gymnasiums_wrappers(made: Made) -> None:
    env = DictInfoToList(RecordEpisodeStatistics(make(made, 3)))
    observation, infos = env.reset(seed=1)
    ended = 0
    for step in range(STEPS):
        observation, _, _, _, infos = env.step(pick(observation["action_mask"], step))
        ended += sum("episode" in info for info in infos)
        assert all(info["action_mask"].any() for info in infos)
    assert ended > 1


def test_rendering(made: Made) -> None:
    env = make(made, 2, render_mode="ansi")
    env.reset(seed=0)
    pictures = env.render()
    assert pictures is not None
    assert len(pictures) == 2
    assert all(isinstance(picture, str) for picture in pictures)
    assert make(made, 2).render() is None
