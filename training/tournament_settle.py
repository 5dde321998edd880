"""When the order of a tournament is settled: a test that may be looked at after every round.

For each ordered pair of agents a bettor begins with 1 and stakes, on each deal, a share of its capital on the first
agent's score being higher than the second's. If it is not higher in the mean, the capital is a supermartingale, and by
Ville's inequality the chance that it *ever* reaches 1/a is at most a, however often one looks. The stake depends on
earlier deals alone: the approximate growth-rate adaptive rule (aGRAPA) of Waudby-Smith and Ramdas, Estimating means of
bounded random variables by betting, Journal of the Royal Statistical Society B 86, 2024.

**Error rate.** The error is shared evenly among all N·(N − 1) ordered pairs, also those that are never neighbours, so
it does not matter that the data choose which pairs are looked at. The chance that a tournament ever calls its order
settled although a pair of neighbours is equal or the wrong way round is at most `ERROR`. Two equal agents are never
settled but by this error.
"""

from itertools import pairwise

import numpy as np

ERROR = 0.05
"""Chance, at most, of a settled order that is wrong in any place."""

LARGEST_STAKE = 0.5
"""Share of its capital that a bettor risks at most, so that one deal ruins none."""


def log_capital(differences: np.ndarray) -> np.ndarray:
    """Logarithm of the capital that bets on a mean above 0, after each deal.

    Args:
        differences: In -1 … 1, float64 of shape (deals, …), independent from deal to deal.

    Returns:
        float64 of the same shape.
    """
    deals = np.arange(1, len(differences) + 1).reshape(-1, *[1] * (differences.ndim - 1))
    # As if a deal without a difference, and of the greatest spread, had come first.
    mean = np.cumsum(differences, 0) / (deals + 1)
    variance = (1 + np.cumsum((differences - mean) ** 2, 0)) / (deals + 1)
    stake = np.clip(mean / (variance + mean**2), 0, LARGEST_STAKE)
    before = np.concatenate([np.zeros_like(stake[:1]), stake[:-1]])
    return np.cumsum(np.log1p(before * differences), 0)


def level(scores: np.ndarray) -> list[tuple[int, int]]:
    """The neighbours in the order of scores that have the same, where all games that there are were played.

    Args:
        scores: Of each agent, float64 of shape (agents,).
    """
    order = np.argsort(-scores, kind="stable").tolist()
    return [(a, b) for a, b in pairwise(order) if scores[a] == scores[b]]


def unsettled(scores: np.ndarray, error: float = ERROR) -> list[tuple[int, int]]:
    """The neighbours in the order of mean scores that are not separated yet; none if the order is settled.

    Args:
        scores: Of each agent on each deal, in 0 … 1, float64 of shape (deals, agents).
        error: Chance of a wrong settled order.

    Returns:
        Pairs of agents, the first with the higher mean.
    """
    agents = scores.shape[1]
    order = np.argsort(-scores.mean(0), kind="stable").tolist()
    enough = np.log(agents * (agents - 1) / error)
    return [(a, b) for a, b in pairwise(order) if log_capital(scores[:, a] - scores[:, b]).max() < enough]
