"""Ratings from comparisons: Davidson's model by maximum likelihood with bootstrap intervals, and openskill's.

**Model.** Bradley and Terry's with draws, after Davidson (On extending the Bradley-Terry model to accommodate ties in
paired comparison experiments, Journal of the American Statistical Association 65, 1970): i ahead of j, drawn, j ahead
of i are in the ratio ``p_i : v sqrt(p_i p_j) : p_j``. A rating is ``400 log10 p`` with a mean of 0 over the agents: 400
points more are ten wins for each loss, draws left out. In a game of more than two each pair of seats of different
agents is a comparison, as follows from Luce's choice axiom for whole rankings; they are not independent, which the
intervals allow for.

**Prior.** An agent that is ahead always, or never, has no finite rating of greatest likelihood. So each pair gets half
a deal more of each outcome (Jeffreys' prior of three outcomes): all its comparisons on a deal ahead, drawn and behind.

**Intervals** are the middle 95 % of a Bayesian bootstrap (Rubin, Annals of Statistics 9, 1981) over deals: all
comparisons of a deal, of all agents, get one random weight, exponential with mean 1; each half deal of the prior gets
one of a gamma distribution with mean 1/2. So games on one deal count as what they are, and the interval of an agent
that never lost is not a point, but wide and almost open above. Intervals take the number of deals as given: they are
not widened for a tournament that stopped early.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

import numpy as np
from scipy import optimize

from training.statistics import CONFIDENCE
from training.tournament_lineups import Seating, Tally

ELO = 400 / np.log(10)
"""Points of a unit of log-strength."""

PRIOR = 0.5
"""Deals that each pair gets of each outcome."""

OUTCOMES = 3
"""Ahead, drawn, behind."""

SLACK = 1e-6
"""By how much, as a share of all comparisons, the sums of a fit may differ from those of the data."""


def pairs_of(agents: int) -> list[tuple[int, int]]:
    """All pairs of agents."""
    return list(combinations(range(agents), 2))


def comparisons(found: Tally) -> np.ndarray:
    """How often the first of each pair was ahead, drawn and behind on each deal: float64 of shape (deals, pairs, 3)."""
    first, second = np.array(pairs_of(found.ahead.shape[1])).T
    counts = (found.ahead[:, first, second], found.drawn[:, first, second], found.ahead[:, second, first])
    return np.stack(counts, 2).astype(np.float64)


def _design(agents: int) -> np.ndarray:
    """What each parameter adds to the logit of each outcome of each pair: shape (pairs · 3, agents).

    The parameters are the log-strengths of all agents but the first, whose is 0, and the logarithm of v.
    """
    design = np.zeros((agents * (agents - 1) // 2, OUTCOMES, agents + 1))
    for pair, (i, j) in enumerate(pairs_of(agents)):
        design[pair, 0, [i, j]] = 0.5, -0.5
        design[pair, 2, [i, j]] = -0.5, 0.5
        design[pair, 1, agents] = 1
    return design.reshape(-1, agents + 1)[:, 1:]


def fit(counts: np.ndarray) -> np.ndarray:
    """Ratings of greatest likelihood, with mean 0.

    The likelihood is that of a multinomial logit, so it has one maximum, where its slope is 0.

    Args:
        counts: Of each outcome of each pair (`pairs_of`), float64 of shape (pairs, 3). All above 0, as the prior makes
            them: then the maximum is finite.

    Returns:
        float64 of shape (agents,), in Elo points.
    """
    agents = round((1 + np.sqrt(1 + 8 * len(counts))) / 2)
    design = _design(agents)
    totals = counts.sum(1, keepdims=True)
    scale = totals.sum()

    def expected(parameters: np.ndarray) -> np.ndarray:
        logits = (design @ parameters).reshape(counts.shape)
        odds = np.exp(logits - logits.max(1, keepdims=True))
        return totals * odds / odds.sum(1, keepdims=True)

    def slope(parameters: np.ndarray) -> np.ndarray:
        return (expected(parameters) - counts).ravel() @ design / scale

    def curvature(parameters: np.ndarray) -> np.ndarray:
        own = expected(parameters).reshape(-1, 1) * design
        means = own.reshape(-1, OUTCOMES, agents).sum(1)
        return (design.T @ own - means.T @ (means / totals)) / scale

    found = optimize.root(slope, np.zeros(agents), jac=curvature, method="hybr", tol=1e-10)
    if np.abs(found.fun).max() > SLACK:
        raise ArithmeticError(f"the ratings of {agents} agents were not found: {found.message}")
    strengths = np.concatenate([[0.0], found.x[:-1]])
    return ELO * (strengths - strengths.mean())


@dataclass(frozen=True)
class Ratings:
    """Ratings in Elo points around a mean of 0, float64 of shape (agents,) each.

    Attributes:
        value: Of greatest likelihood, with the prior.
        low, high: Ends of the intervals.
    """

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray


def rate(found: Tally, seed: int, resamples: int) -> Ratings:
    """Fit the ratings of a tournament, and their intervals from this many weightings of its deals."""
    counts = comparisons(found)
    prior = np.full(counts.shape[1:], PRIOR) * counts.sum(2).mean(0)[:, None]
    rng = np.random.default_rng(seed)
    fits = np.empty((resamples, found.ahead.shape[1]))
    for k in range(resamples):
        weights = rng.standard_exponential(len(counts))
        chance = rng.standard_gamma(PRIOR, prior.shape) / PRIOR
        fits[k] = fit(np.tensordot(weights, counts, 1) + chance * prior)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(fits, [tail, 1 - tail], axis=0)
    return Ratings(fit(counts.sum(0) + prior), low, high)


@dataclass(frozen=True)
class Skill:
    """A rating of openskill's model of Plackett and Luce.

    Attributes:
        mu: Mean of the skill; 25 is where all begin.
        sigma: Its standard deviation, taking all games as independent.
    """

    mu: float
    sigma: float


def skills(games: Iterable[tuple[Seating, tuple[int, ...]]], agents: int) -> list[Skill]:
    """openskill's ratings after these games, one after another.

    Agents do not change, so no spread is added between games (``tau = 0``). Of an agent in several seats of a game the
    changes are averaged.
    """
    from openskill.models import PlackettLuce

    model = PlackettLuce(tau=0.0)
    current = [Skill(model.mu, model.sigma)] * agents
    for seating, places in games:
        # A rating of its own for each seat: one object in two teams would be changed twice.
        teams = [[model.rating(current[agent].mu, current[agent].sigma)] for agent in seating]
        rated = model.rate(teams, ranks=[float(place) for place in places])
        for agent in set(seating):
            own = [team[0] for team, seated in zip(rated, seating, strict=True) if seated == agent]
            current[agent] = Skill(fmean(rating.mu for rating in own), fmean(rating.sigma for rating in own))
    return current
