"""A seed fixes a game, whatever plays it, and nobody else's random numbers are touched."""

from functools import partial
from typing import Any

import pytest

from riftvalley_env import riftvalley_v0
from tests.valley_core import courses
from tests.valley_core.courses import Course, aec_course, in_bytes, parallel_course, solo_course

pytestmark = pytest.mark.filterwarnings("error")

TABLES: list[dict[str, Any]] = [
    {},
    {"num_players": 3, "boards": "identical", "actions": "flat"},
    {"num_players": 4, "reward": "shaped"},
    {"num_players": 5, "deal": "fixed"},
]


def turns(course: Course) -> list[bytes]:
    """The positions in which nobody has decided yet: within a turn, agents are asked in another order in parallel."""
    return in_bytes([record for record in course if not record["element"].any() and (record["square"] < 0).all()])


@pytest.mark.parametrize("options", TABLES, ids=str)
def test_twins_agent_by_agent_and_in_parallel(options: dict[str, Any]) -> None:
    course = aec_course(riftvalley_v0.raw_env(**options), 3, 3)
    assert in_bytes(aec_course(riftvalley_v0.raw_env(**options), 3, 3)) == in_bytes(course)
    parallel = parallel_course(riftvalley_v0.parallel_env(**options), 3, 3)
    assert turns(parallel) == turns(course)
    assert len(parallel) < len(course)


@pytest.mark.parametrize("options", TABLES, ids=str)
def test_a_seed_deals_the_boards(options: dict[str, Any]) -> None:
    """The deal is the only chance of this game."""
    env = riftvalley_v0.raw_env(**options)
    deals = set()
    for seed in range(20):
        env.reset(seed=seed)
        deal = env.state_record()["start"].tolist()
        deals.add(tuple(deal))
        env.reset(seed=seed)
        assert env.state_record()["start"].tolist() == deal
    assert (len(deals) > 5) == (options.get("boards") != "identical" and options.get("deal") != "fixed")


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("size", [1, 7, 256])
@pytest.mark.parametrize("options", TABLES, ids=str)
def test_twins_alone_and_in_batches(options: dict[str, Any], size: int, threads: int) -> None:
    options = {"seat": "random", "boards": "identical", **options}
    make_vec = partial(riftvalley_v0.make_vec, **options)
    courses.check_twins_alone_and_in_batches(partial(riftvalley_v0.solo_env, **options), make_vec, size, threads, 80)


def test_global_random_numbers_are_left_alone() -> None:
    with courses.global_random_numbers_left_alone():
        aec_course(riftvalley_v0.raw_env(), 1, 1)
        parallel_course(riftvalley_v0.parallel_env(), 1, 1)
        solo_course(riftvalley_v0.solo_env(), 1, 30)
        riftvalley_v0.solo_env(seat="random").reset()
        riftvalley_v0.make_vec(3).reset()


def test_global_random_numbers_do_not_matter() -> None:
    courses.check_global_random_numbers_do_not_matter(lambda: in_bytes(aec_course(riftvalley_v0.raw_env(), 1, 2)))


def test_action_spaces_have_seeds_of_their_own() -> None:
    courses.check_action_spaces_have_seeds_of_their_own(riftvalley_v0.raw_env())
