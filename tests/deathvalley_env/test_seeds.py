"""A seed fixes a game, whatever plays it, and nobody else's random numbers are touched."""

import random
from typing import Any

import numpy as np
import pytest

from deathvalley_env import deathvalley_v0
from valley_core.batch import set_num_threads

pytestmark = pytest.mark.filterwarnings("error")

SOLO: list[dict[str, Any]] = [{}, {"discard_points": True, "deck": "death_valley"}, {"must_outbust": True}]


def pick(mask: np.ndarray, step: int) -> int:
    """A legal action that depends on mask and step alone."""
    legal = np.flatnonzero(mask)
    return int(legal[(step * 5) % len(legal)])


def aec_course(options: dict[str, Any], seed: int, episodes: int) -> list[bytes]:
    """Whole games agent by agent."""
    env = deathvalley_v0.raw_env(**options)
    env.reset(seed=seed)
    course = []
    for episode in range(episodes):
        if episode:
            env.reset()
        step = 0
        while not any(env.terminations.values()):
            course.append(env.state_record().tobytes())
            env.step(pick(env.action_masks(), step))
            step += 1
        course.append(env.state_record().tobytes())
    return course


def parallel_course(options: dict[str, Any], seed: int, episodes: int) -> list[bytes]:
    """The same in the Parallel interface."""
    env = deathvalley_v0.parallel_env(**options)
    env.reset(seed=seed)
    course = []
    for episode in range(episodes):
        if episode:
            env.reset()
        step = 0
        while env.agents:
            course.append(env.state_record().tobytes())
            actions = {agent: pick(mask, step) for agent, mask in zip(env.agents, env.action_masks(), strict=True)}
            env.step(actions)
            step += 1
        course.append(env.state_record().tobytes())
    return course


@pytest.mark.parametrize("options", [{}, {"variant": "backseat"}, {"ask_forced": True, "deck": "death_valley"}])
def test_twins_agent_by_agent_and_in_parallel(options: dict[str, Any]) -> None:
    course = aec_course(options, 3, 4)
    assert aec_course(options, 3, 4) == course
    assert parallel_course(options, 3, 4) == course
    assert aec_course(options, 4, 4) != course


def solo_course(options: dict[str, Any], seed: int, steps: int) -> list[bytes]:
    """Solo games one after the other, reset in the step after the end."""
    env = deathvalley_v0.solo_env(**options)
    env.reset(seed=seed)
    course, over = [], False
    for step in range(steps):
        if over:
            env.reset()
            over = False
        else:
            *_, terminated, truncated, _ = env.step(pick(env.action_masks(), step))
            over = terminated or truncated
        course.append(env.state_record().tobytes())
    return course


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("size", [1, 7, 1024])
@pytest.mark.parametrize("options", SOLO)
def test_twins_alone_and_in_batches(options: dict[str, Any], size: int, threads: int) -> None:
    steps, watched = 80, [0, size // 2, size - 1]
    set_num_threads(threads)
    try:
        envs = deathvalley_v0.make_vec(size, **options)
        envs.reset(seed=100)
        courses: dict[int, list[bytes]] = {i: [] for i in watched}
        for step in range(steps):
            masks = envs.action_masks()
            counts = masks.sum(1)
            wanted = (step * 5) % counts + 1
            envs.step((masks.cumsum(1) == wanted[:, None]).argmax(1))
            records = envs.state_records()
            for i, course in courses.items():
                course.append(records[i].tobytes())
    finally:
        set_num_threads(0)
    for i, course in courses.items():
        assert solo_course(options, 100 + i, steps) == course


def test_global_random_numbers_are_left_alone() -> None:
    python, numpy = random.getstate(), np.random.get_state()[1].copy()  # noqa: NPY002
    aec_course({}, 1, 1)
    parallel_course({}, 1, 1)
    solo_course({}, 1, 30)
    fresh = deathvalley_v0.solo_env(opponents="random", seat="random")
    fresh.reset()
    envs = deathvalley_v0.make_vec(3)
    envs.reset()
    assert random.getstate() == python
    np.testing.assert_array_equal(np.random.get_state()[1], numpy)  # noqa: NPY002


def test_global_random_numbers_do_not_matter() -> None:
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002
    course = aec_course({}, 1, 2)
    random.seed(2)
    np.random.seed(2)  # noqa: NPY002
    assert aec_course({}, 1, 2) == course


def test_action_spaces_have_seeds_of_their_own() -> None:
    env = deathvalley_v0.raw_env()
    env.reset(seed=1)
    space = env.action_space("player_0")
    space.seed(5)
    first = [int(space.sample()) for _ in range(5)]
    env.reset(seed=1)
    assert [int(space.sample()) for _ in range(5)] != first
    space.seed(5)
    assert [int(space.sample()) for _ in range(5)] == first
