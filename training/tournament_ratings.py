"""Ratings from comparisons: Davidson's model by maximum likelihood, with intervals over deals.

**Model.** Bradley and Terry's with draws, after Davidson (On extending the Bradley-Terry model to accommodate ties in
paired comparison experiments, Journal of the American Statistical Association 65, 1970): i ahead of j, drawn, j ahead
of i are in the ratio ``p_i : v sqrt(p_i p_j) : p_j``. A rating is ``400 log10 p``: 400 points more are ten wins for
each loss, draws left out. Only differences mean anything, so one agent, the anchor, has 0. In a game of more than two
each pair of seats of different agents is a comparison, as follows from Luce's choice axiom for whole rankings.

**Prior.** Each pair gets `PRIOR` comparisons more of each outcome, so that every fit is finite.

**Intervals** are of the difference of two agents: all differences that a profile of the likelihood does not reject. The
comparisons of a deal are not independent (seats of one game, rotations of one deal), so the likelihood ratio is divided
by the design effect, the variance of the difference over whole deals (sandwich) over that of independent comparisons,
and compared with a quantile of F(1, deals − 1). Sources: Pace, Salvan, Sartori: Adjusting composite likelihood ratio
statistics, Statistica Sinica 21, 2011; Cameron, Miller: A practitioner's guide to cluster-robust inference, Journal of
Human Resources 50, 2015 (the quantile). A design effect below 1 counts as 1: with few wins it is known badly. A
simulation shows the coverage (``tests/training/test_tournament_coverage.py``).

**Bounds.** If no chain of wins and draws leads from an agent to another, as from one who never scored, no difference is
so low that the games reject it: there is only an upper bound, one-sided at the same confidence. Likewise the other way.
The bound is where the games that came about have a probability of 5 %: of n games without a point, a chance of 3 / n.
Such games do not show how much those of one deal are alike, so the greatest design effect of any pair counts.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from math import inf

import numpy as np
from scipy import optimize, stats
from scipy.sparse.csgraph import shortest_path

from training.statistics import CONFIDENCE, EXACT, Interval
from training.tournament_lineups import Tally

ELO = 400 / np.log(10)
"""Points of a unit of log-strength."""

PRIOR = 0.1
"""Comparisons that each pair gets of each outcome."""

OUTCOMES = 3
"""Ahead, drawn, behind."""

MAX_STEPS, MAX_HALVINGS = 200, 30
"""Of a fit."""

MAX_STEP = 4.0
"""Change of a log-strength in one step of a fit."""

ROUNDING = 1e-12
"""Part of the logarithm of a likelihood that may be lost in rounding."""

SLACK = 1e-7
"""By how much, as a share of all comparisons, the sums of a fit may differ from those of the data."""

MAX_DIFFERENCE = 40.0
"""Log-strength within which the ends of intervals are sought: with the prior no interval reaches so far."""


def pairs_of(agents: int) -> list[tuple[int, int]]:
    """All pairs of agents."""
    return list(combinations(range(agents), 2))


def comparisons(found: Tally) -> np.ndarray:
    """How often the first of each pair was ahead, drawn and behind on each deal: float64 of shape (deals, pairs, 3)."""
    first, second = np.array(pairs_of(found.ahead.shape[1])).T
    counts = (found.ahead[:, first, second], found.drawn[:, first, second], found.ahead[:, second, first])
    return np.stack(counts, 2).astype(np.float64)


def _design(agents: int) -> np.ndarray:
    """What each parameter adds to the logit of each outcome of each pair: shape (pairs · 3, agents + 1).

    The parameters are the log-strengths of all agents, of which one has to be held fast, and the logarithm of v.
    """
    design = np.zeros((agents * (agents - 1) // 2, OUTCOMES, agents + 1))
    for pair, (i, j) in enumerate(pairs_of(agents)):
        design[pair, 0, [i, j]] = 0.5, -0.5
        design[pair, 2, [i, j]] = -0.5, 0.5
        design[pair, 1, agents] = 1
    return design.reshape(-1, agents + 1)


class _Model:
    """The likelihood of counts, float64 of shape (pairs, 3), all above 0."""

    def __init__(self, counts: np.ndarray) -> None:
        self.agents = round((1 + np.sqrt(1 + 8 * len(counts))) / 2)
        self.counts = counts
        self.totals = counts.sum(1, keepdims=True)
        self.design = _design(self.agents)

    def curvature(self, chances: np.ndarray, design: np.ndarray) -> np.ndarray:
        """The information of the parameters of `design`."""
        own = (self.totals * chances).reshape(-1, 1) * design
        means = own.reshape(-1, OUTCOMES, design.shape[1]).sum(1)
        return np.asarray(design.T @ own - means.T @ (means / self.totals))

    def fit(self, held: dict[int, float], start: np.ndarray) -> tuple[np.ndarray, float]:
        """The parameters of greatest likelihood where some log-strengths are held at a value, and its logarithm.

        The likelihood is that of a multinomial logit, so it is concave: Newton's steps, halved where they go too far,
        reach its one maximum.
        """
        free = np.array([k for k in range(self.agents + 1) if k not in held])
        whole = start.copy()
        whole[list(held)] = list(held.values())
        design, scale = self.design[:, free], self.totals.sum()
        chances, height = self.at(whole)
        for _ in range(MAX_STEPS):
            slope = (self.counts - self.totals * chances).ravel() @ design
            if np.abs(slope).max() <= SLACK * scale:
                return whole, height
            step = np.linalg.lstsq(self.curvature(chances, design), slope)[0]
            step *= min(1.0, MAX_STEP / np.abs(step).max())
            for halvings in range(MAX_HALVINGS):
                tried = whole.copy()
                tried[free] += step / 2**halvings
                chances, found = self.at(tried)
                if found >= height - ROUNDING * abs(height):
                    break
            whole, height = tried, found
        raise ArithmeticError(f"the ratings of {self.agents} agents were not found in {MAX_STEPS} steps")

    def at(self, parameters: np.ndarray) -> tuple[np.ndarray, float]:
        """The chances of all outcomes, and the logarithm of the likelihood."""
        logits = (self.design @ parameters).reshape(self.counts.shape)
        logits -= logits.max(1, keepdims=True)
        odds = np.exp(logits)
        sums = odds.sum(1, keepdims=True)
        return odds / sums, float((self.counts * (logits - np.log(sums))).sum())


@dataclass(frozen=True)
class Ratings:
    """Ratings of a tournament in Elo points.

    Attributes:
        anchor: The agent that has 0.
        value: Of greatest likelihood, with the prior, float64 of shape (agents,).
        differences: The first less the second of any two different agents, with its interval: one end is infinite
            where there is only a bound.
    """

    anchor: int
    value: np.ndarray
    differences: dict[tuple[int, int], Interval]

    def of(self, agent: int) -> Interval:
        """The rating of an agent, which is its difference to the anchor; that of the anchor is 0."""
        if agent == self.anchor:
            return Interval(0.0, 0.0, 0.0, "anchor", 0)
        return self.differences[agent, self.anchor]


def rate(found: Tally, anchor: int = 0, confidence: float = CONFIDENCE, complete: bool = False) -> Ratings:
    """Fit the ratings of a tournament, with intervals of all differences.

    Args:
        found: Its results.
        anchor: The agent that has 0.
        confidence: Of each interval, and of each bound.
        complete: Whether these are all games that there are: then nothing is sampled, and intervals are points.
    """
    counts = comparisons(found)
    model = _Model(counts.sum(0) + PRIOR)
    best, top = model.fit({anchor: 0.0}, np.zeros(model.agents + 1))
    value = ELO * best[:-1]
    counts = counts[counts.sum((1, 2)) > 0]
    size = len(counts)
    effects = _effects(model, counts, best, anchor) if size > 1 else {}
    reached = _reach(found)
    differences = {}
    for i, j in pairs_of(model.agents):
        estimate = float(value[i] - value[j])
        low, high, kind = -inf, inf, "profile"
        if complete:
            low, high, kind = estimate, estimate, EXACT
        elif size > 1:
            below, above = bool(reached[i, j]), bool(reached[j, i])
            if below and above:
                limit = effects[i, j] * float(stats.f.ppf(confidence, 1, size - 1)) / 2
            else:
                limit = -max(effects.values()) * np.log(1 - confidence)
            profile = _profile(model, (i, j), best, top - limit)
            low = ELO * _end(profile, estimate / ELO, -1) if below else -inf
            high = ELO * _end(profile, estimate / ELO, 1) if above else inf
        differences[i, j] = Interval(estimate, low, high, kind, size, confidence)
        differences[j, i] = Interval(-estimate, -high, -low, kind, size, confidence)
    return Ratings(anchor, value, differences)


def _effects(model: _Model, counts: np.ndarray, best: np.ndarray, anchor: int) -> dict[tuple[int, int], float]:
    """The design effect of each pair: the variance of its difference over deals (sandwich) against the model's."""
    free = [k for k in range(model.agents + 1) if k != anchor]
    design = model.design[:, free]
    chances, _ = model.at(best)
    bread = np.linalg.inv(model.curvature(chances, design))
    slopes = (counts - counts.sum(2, keepdims=True) * chances).reshape(len(counts), -1) @ design
    meat = len(counts) * np.atleast_2d(np.cov(slopes, rowvar=False))
    found = {}
    for i, j in pairs_of(model.agents):
        weights = np.zeros(model.agents + 1)
        weights[[i, j]] = 1, -1
        own = bread @ weights[free]
        found[i, j] = max(1.0, float(own @ meat @ own) / float(weights[free] @ own))
    return found


def _reach(found: Tally) -> np.ndarray:
    """Whether a chain of wins and draws leads from the first agent to the second, bool of shape (agents, agents)."""
    scored = (found.ahead + found.drawn).sum(0) > 0
    return np.isfinite(shortest_path(scored.astype(np.float64), unweighted=True))


def _profile(model: _Model, pair: tuple[int, int], best: np.ndarray, level: float) -> Callable[[float], float]:
    """By how much the likelihood, at a difference of the pair in log-strength, falls below a level."""
    i, j = pair
    last = best.copy()
    last[:-1] -= best[j]

    def below(difference: float) -> float:
        nonlocal last
        last, height = model.fit({j: 0.0, i: difference}, last)
        return level - height

    return below


def _end(below: Callable[[float], float], middle: float, way: int) -> float:
    """Where the profile falls below its level, going this way from the middle."""
    inner, step = 0.0, 0.25
    while below(middle + way * step) < 0:
        inner, step = step, 2 * step
        if step > MAX_DIFFERENCE:
            return way * inf
    return float(optimize.brentq(below, *sorted((middle + way * inner, middle + way * step)), xtol=1e-3))
