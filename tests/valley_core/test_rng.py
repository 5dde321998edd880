"""The stream of random numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from valley_core.batch import CHANCE
from valley_core.rng import below, draw, draw_plain, mix, shuffle

pytestmark = pytest.mark.plain

# The first outputs of splitmix64 from the state 1234567, as published with the reference implementation.
KNOWN = (6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821)


def chance(seed: int) -> np.ndarray:
    """One stream."""
    chances = np.zeros(1, CHANCE)
    chances["rng"] = seed
    return chances


def test_known_outputs() -> None:
    state = 1234567
    for expected in KNOWN:
        state, bits = draw_plain(state)
        assert bits == expected


@given(st.integers(0, 2**64 - 1))
def test_compiled_and_plain_agree(state: int) -> None:
    assert tuple(int(n) for n in draw(np.uint64(state))) == draw_plain(state)


def test_many_streams_at_once() -> None:
    drawn = [draw_plain(state) for state in (0, 1234567, 2**64 - 1)]
    assert mix(np.array([state for state, _ in drawn], np.uint64)).tolist() == [bits for _, bits in drawn]


@given(st.integers(0, 2**64 - 1), st.integers(1, 2**32 - 1))
def test_below_is_below(seed: int, n: int) -> None:
    chances = chance(seed)
    assert 0 <= below(chances[0], n) < n
    assert int(chances["rng"][0]) == draw_plain(seed)[0]


def test_below_is_uniform() -> None:
    chances = chance(5)
    counts = np.bincount([below(chances[0], 6) for _ in range(6000)], minlength=6)
    assert ((counts - 1000) ** 2 / 1000).sum() < 20.5  # chi-squared, 5 degrees of freedom, 0.1 %


def test_shuffle_permutes_the_front_and_leaves_the_rest() -> None:
    chances = chance(3)
    firsts = []
    for _ in range(3000):
        items = np.arange(6, dtype=np.int8)
        shuffle(chances[0], items, 4)
        assert sorted(items[:4]) == [0, 1, 2, 3]
        assert items[4:].tolist() == [4, 5]
        firsts.append(items[0])
    counts = np.bincount(firsts, minlength=4)
    assert ((counts - 750) ** 2 / 750).sum() < 16.3  # 3 degrees of freedom, 0.1 %
