"""Whole games as the records of their states, by every interface: equal courses are equal games."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from valley_core.aec import AECAdapter
from valley_core.batch import set_num_threads
from valley_core.gym_env import GymAdapter
from valley_core.parallel import ParallelAdapter
from valley_core.vector import VectorAdapter

Course = list[np.ndarray]


def pick(mask: np.ndarray, number: int) -> int:
    """A legal action that depends on mask and number alone."""
    legal = np.flatnonzero(mask)
    return int(legal[(number * 5) % len(legal)])


def in_bytes(course: Course) -> list[bytes]:
    """A course to compare with others."""
    return [record.tobytes() for record in course]


def aec_course(env: AECAdapter, seed: int, episodes: int) -> Course:
    """Whole games agent by agent; what is played depends on mask and turn alone."""
    course = []
    for episode in range(episodes):
        env.reset(seed=None if episode else seed)
        while not any(env.terminations.values()):
            course.append(env.state_record())
            env.step(pick(env.action_masks(), int(course[-1]["turn"])))
        course.append(env.state_record())
    return course


def parallel_course(env: ParallelAdapter, seed: int, episodes: int) -> Course:
    """The same in the Parallel interface."""
    course = []
    for episode in range(episodes):
        env.reset(seed=None if episode else seed)
        while env.agents:
            course.append(env.state_record())
            turn = int(course[-1]["turn"])
            env.step({agent: pick(mask, turn) for agent, mask in zip(env.agents, env.action_masks(), strict=True)})
        course.append(env.state_record())
    return course


def solo_course(env: GymAdapter, seed: int, steps: int) -> Course:
    """Games of a learner one after the other, reset in the step after the end."""
    env.reset(seed=seed)
    course, over = [], False
    for step in range(steps):
        if over:
            env.reset()
            over = False
        else:
            *_, terminated, truncated, _ = env.step(pick(env.action_masks(), step))
            over = terminated or truncated
        course.append(env.state_record())
    return course


def check_twins_alone_and_in_batches(
    make_solo: Callable[[], GymAdapter], make_vec: Callable[[int], VectorAdapter], size: int, threads: int, steps: int
) -> None:
    """Assert that games of a batch, in so many threads, are those of single environments."""
    watched = sorted({0, size // 2, size - 1})
    set_num_threads(threads)
    try:
        envs = make_vec(size)
        envs.reset(seed=100)
        courses: dict[int, list[bytes]] = {i: [] for i in watched}
        for step in range(steps):
            masks = envs.action_masks()
            wanted = (step * 5) % masks.sum(1) + 1
            envs.step((masks.cumsum(1) == wanted[:, None]).argmax(1))
            records = envs.state_records()
            for i, course in courses.items():
                course.append(records[i].tobytes())
    finally:
        set_num_threads(0)
    for i, course in courses.items():
        assert in_bytes(solo_course(make_solo(), 100 + i, steps)) == course


@contextmanager
def global_random_numbers_left_alone() -> Iterator[None]:
    """Assert that neither Python's nor NumPy's global random numbers move on."""
    python, numpy = random.getstate(), np.random.get_state()[1].copy()  # noqa: NPY002
    yield
    assert random.getstate() == python
    np.testing.assert_array_equal(np.random.get_state()[1], numpy)  # noqa: NPY002


def check_global_random_numbers_do_not_matter(play: Callable[[], Any]) -> None:
    """Assert that `play` gives the same whatever the global random numbers are."""
    found = []
    for seed in (1, 2):
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002
        found.append(play())
    assert found[0] == found[1]


def check_action_spaces_have_seeds_of_their_own(env: AECAdapter) -> None:
    """Assert that a reset of the game does not seed the action spaces."""
    env.reset(seed=1)
    space = env.action_space("player_0")
    space.seed(5)
    first = [int(space.sample()) for _ in range(5)]
    env.reset(seed=1)
    assert [int(space.sample()) for _ in range(5)] != first
    space.seed(5)
    assert [int(space.sample()) for _ in range(5)] == first
