"""Tournaments with known strengths, as the model of ratings has them."""

import numpy as np

from training.tournament_lineups import Finished, Schedule, Tally, tally

POINTS = np.log(10) / 400
"""Log-strength of a point."""


def chances(strengths: np.ndarray, draws: float) -> np.ndarray:
    """Davidson's chances of each pair, float64 of shape (pairs, 3)."""
    found = []
    for i, j in zip(*np.triu_indices(len(strengths), 1), strict=True):
        p, q = np.exp(POINTS * strengths[[i, j]])
        found.append(np.array([p, draws * np.sqrt(p * q), q]) / (p + q + draws * np.sqrt(p * q)))
    return np.array(found)


def ranking(rng: np.random.Generator, strengths: np.ndarray) -> tuple[int, ...]:
    """Places by Plackett and Luce: the next place falls to each in proportion to its strength."""
    return places(strengths, rng.gumbel(size=len(strengths)))


def places(strengths: np.ndarray, luck: np.ndarray) -> tuple[int, ...]:
    """The places that strengths and luck make."""
    return tuple(np.argsort(np.argsort(-(POINTS * strengths + luck))).tolist())


def of_pairs(rng: np.random.Generator, strengths: np.ndarray, deals: int, alike: float, draws: float) -> Tally:
    """Two games a deal between each pair; with the chance `alike` the second ends as the first."""
    agents = len(strengths)
    ahead, drawn = np.zeros((2, deals, agents, agents), np.int64)
    pairs = zip(*np.triu_indices(agents, 1), strict=True)
    for (i, j), of_pair in zip(pairs, chances(strengths, draws), strict=True):
        outcomes = rng.choice(3, (deals, 2), p=of_pair)
        same = rng.random(deals) < alike
        outcomes[same, 1] = outcomes[same, 0]
        ahead[:, i, j], drawn[:, i, j], ahead[:, j, i] = ((outcomes == k).sum(1) for k in range(3))
        drawn[:, j, i] = drawn[:, i, j]
    return Tally(ahead, drawn, *np.zeros((4, agents), np.int64))


def of_four(rng: np.random.Generator, strengths: np.ndarray, deals: int, alike: float) -> Tally:
    """Games of four, seated as in a tournament; a game has the luck of its deal with the chance `alike`."""
    schedule = Schedule(len(strengths), 4, rng.integers(0, 2**63, deals, dtype=np.uint64), deals)
    games = []
    for lineup in schedule.lineups:
        for deal, seatings in enumerate(schedule.seatings(lineup)):
            common = rng.gumbel(size=len(strengths))
            for seating in seatings:
                luck = common if rng.random() < alike else rng.gumbel(size=len(strengths))
                chosen = list(seating)
                games.append(Finished(deal, seating, places(strengths[chosen], luck[chosen])))
    return tally(games, deals, len(strengths))
