"""A seed fixes a game, whatever plays it, and nobody else's random numbers are touched."""

from functools import partial
from typing import Any

import pytest

from deathvalley_env import deathvalley_v0
from tests.valley_core import courses
from tests.valley_core.courses import aec_course, in_bytes, parallel_course, solo_course

pytestmark = pytest.mark.filterwarnings("error")

SOLO: list[dict[str, Any]] = [{}, {"discard_points": True, "deck": "death_valley"}, {"must_outbust": True}]


@pytest.mark.parametrize("options", [{}, {"variant": "backseat"}, {"ask_forced": True, "deck": "death_valley"}])
def test_twins_agent_by_agent_and_in_parallel(options: dict[str, Any]) -> None:
    course = in_bytes(aec_course(deathvalley_v0.raw_env(**options), 3, 4))
    assert in_bytes(aec_course(deathvalley_v0.raw_env(**options), 3, 4)) == course
    assert in_bytes(parallel_course(deathvalley_v0.parallel_env(**options), 3, 4)) == course
    assert in_bytes(aec_course(deathvalley_v0.raw_env(**options), 4, 4)) != course


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("size", [1, 7, 1024])
@pytest.mark.parametrize("options", SOLO)
def test_twins_alone_and_in_batches(options: dict[str, Any], size: int, threads: int) -> None:
    make_vec = partial(deathvalley_v0.make_vec, **options)
    courses.check_twins_alone_and_in_batches(partial(deathvalley_v0.solo_env, **options), make_vec, size, threads, 80)


def test_global_random_numbers_are_left_alone() -> None:
    with courses.global_random_numbers_left_alone():
        aec_course(deathvalley_v0.raw_env(), 1, 1)
        parallel_course(deathvalley_v0.parallel_env(), 1, 1)
        solo_course(deathvalley_v0.solo_env(), 1, 30)
        deathvalley_v0.solo_env(opponents="random", seat="random").reset()
        deathvalley_v0.make_vec(3).reset()


def test_global_random_numbers_do_not_matter() -> None:
    courses.check_global_random_numbers_do_not_matter(lambda: in_bytes(aec_course(deathvalley_v0.raw_env(), 1, 2)))


def test_action_spaces_have_seeds_of_their_own() -> None:
    courses.check_action_spaces_have_seeds_of_their_own(deathvalley_v0.raw_env())
