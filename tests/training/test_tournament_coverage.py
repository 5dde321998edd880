"""Intervals of ratings hold the true differences as often as they say, at the strengths of the README's tournaments.

The strengths are those that the first published tables had; nothing depends on them being today's. With the chance
`ALIKE` games on one deal share their luck, so that a method which takes all games as independent fails.
"""

from collections.abc import Callable

import numpy as np
import pytest

from tests.training.tournaments import of_four, of_pairs
from training.tournament_lineups import Tally
from training.tournament_ratings import rate

pytestmark = pytest.mark.plain

ALIKE = 0.5
GREEDY = 2
"""The anchor."""
BASE = np.array([329.0, 180.0, 52.0, -3.0, -558.0])
RIFT_2 = np.array([375.0, 210.0, 28.0, -26.0, -587.0])
RIFT_4 = np.array([226.0, 113.0, 109.0, 59.0, -508.0])

TOURNAMENTS: dict[str, tuple[np.ndarray, Callable[[np.random.Generator, np.ndarray], Tally]]] = {
    "two players, 50 deals": (BASE, lambda rng, strengths: of_pairs(rng, strengths, 50, ALIKE, 0.08)),
    "two players, 30 deals": (RIFT_2, lambda rng, strengths: of_pairs(rng, strengths, 30, ALIKE, 0.02)),
    "four players, 20 deals": (RIFT_4, lambda rng, strengths: of_four(rng, strengths, 20, ALIKE)),
}


def covered(name: str, repeats: int, weakest: float | None = None) -> np.ndarray:
    """The share of tournaments in which the interval of each agent but the anchor holds its true rating."""
    strengths, play = TOURNAMENTS[name]
    if weakest is not None:
        strengths = np.append(strengths[:-1], weakest)
    rng = np.random.default_rng(1)
    held = []
    for _ in range(repeats):
        ratings = rate(play(rng, strengths), GREEDY)
        own = [(ratings.of(agent), strengths[agent] - strengths[GREEDY]) for agent in (0, 1, 3, 4)]
        held.append([interval.low <= true <= interval.high for interval, true in own])
    return np.mean(held, axis=0)


@pytest.mark.parametrize("name", TOURNAMENTS)
def test_intervals_hold_the_true_ratings(name: str) -> None:
    assert covered(name, 25).min() > 0.7  # 95 % is expected: more than five standard errors


@pytest.mark.long
@pytest.mark.parametrize("weakest", [None, -800.0])
@pytest.mark.parametrize("name", TOURNAMENTS)
def test_coverage_is_at_least_93_percent(name: str, weakest: float | None) -> None:
    """With the weakest agent so weak, too, that it mostly never scores: then its bound is what has to hold."""
    shares = covered(name, 1000, weakest)
    assert shares.mean() >= 0.93
    assert shares.min() >= (0.915 if weakest is None else 0.88)  # of one or two wins no interval is sure
