"""Ratings against closed forms, known strengths and the coverage of their intervals."""

from math import log10

import numpy as np
import pytest
from scipy.stats import betaprime

from training.tournament_lineups import Finished, tally
from training.tournament_ratings import comparisons, fit, rate, skills

ENDS = [0.025, 0.975]


def two_agents(outcomes: str) -> list[Finished]:
    """One game a deal: ``w`` won, ``d`` drawn, ``l`` lost by agent 0."""
    places = {"w": (0, 1), "d": (0, 0), "l": (1, 0)}
    return [(deal, (0, 1), places[outcome]) for deal, outcome in enumerate(outcomes)]


def test_a_tiny_tournament_by_hand() -> None:
    # Of two agents the model fits exactly: strengths are as wins, each with its half deal of the prior.
    found = tally(two_agents("wwwdl"), 5, 2)
    assert found.ahead.sum(0).tolist() == [[0, 3], [1, 0]]
    assert found.drawn.sum(0).tolist() == [[0, 1], [1, 0]]
    assert comparisons(found).sum(0).tolist() == [[3, 1, 1]]
    ratings = rate(found, seed=0, resamples=4000)
    half = 200 * log10(3.5 / 1.5)
    assert ratings.value.tolist() == pytest.approx([half, -half])
    # Weights of deals are gamma variables, so the ratio of two sums of them is a beta prime variable.
    low, high = 200 * np.log10(betaprime.ppf(ENDS, 3.5, 1.5))
    assert ratings.low.tolist() == pytest.approx([low, -high], abs=15)
    assert ratings.high.tolist() == pytest.approx([high, -low], abs=15)


def test_an_agent_that_always_wins_is_almost_open_above() -> None:
    ratings = rate(tally(two_agents("w" * 50), 50, 2), seed=0, resamples=4000)
    assert ratings.value[0] == pytest.approx(200 * log10(50.5 / 0.5))
    low, high = 200 * np.log10(betaprime.ppf(ENDS, 50.5, 0.5))
    assert ratings.low[0] == pytest.approx(low, rel=0.03)
    assert ratings.high[0] == pytest.approx(high, rel=0.1)
    assert high - ratings.value[0] > 3 * (ratings.value[0] - low)


def test_intervals_weigh_deals_and_not_games() -> None:
    once = two_agents("wwwdlwldwwlw")
    twice = [game for game in once for _ in range(2)]  # two games on each deal that always end alike
    one, two = (rate(tally(games, 12, 2), seed=0, resamples=200) for games in (once, twice))
    for name in ("value", "low", "high"):
        assert getattr(one, name).tolist() == pytest.approx(getattr(two, name).tolist(), abs=1e-4)


def chances(strengths: np.ndarray, draws: float) -> np.ndarray:
    """Davidson's chances of each pair."""
    found = []
    for i in range(len(strengths)):
        for j in range(i + 1, len(strengths)):
            p, q = 10 ** (strengths[[i, j]] / 400)
            found.append(np.array([p, draws * np.sqrt(p * q), q]) / (p + q + draws * np.sqrt(p * q)))
    return np.array(found)


def test_exact_shares_give_the_strengths_back() -> None:
    strengths = np.array([310.0, 40.0, -20.0, -330.0])
    assert fit(1e4 * chances(strengths, 0.3)).tolist() == pytest.approx(strengths.tolist(), abs=1e-3)


def test_a_fit_is_found_for_extreme_counts() -> None:
    rng = np.random.default_rng(0)
    for agents in (2, 3, 6, 12):
        for _ in range(50):
            shape = (agents * (agents - 1) // 2, 3)
            counts = rng.gamma(0.5, 1, shape) + (rng.random(shape) > 0.6) * 10.0 ** rng.integers(0, 6)
            ratings = fit(counts)
            assert np.isfinite(ratings).all()
            assert ratings.sum() == pytest.approx(0, abs=1e-6)


def simulated(rng: np.random.Generator, strengths: np.ndarray, deals: int, luck: float) -> list[Finished]:
    """Two games a deal between each pair; with the chance `luck` the second ends as the first does."""
    of_pairs = chances(strengths, 0.2)
    games: list[Finished] = []
    for deal in range(deals):
        pair = 0
        for i in range(len(strengths)):
            for j in range(i + 1, len(strengths)):
                one, two = rng.choice(3, 2, p=of_pairs[pair])
                two = one if rng.random() < luck else two
                for outcome in (one, two):
                    games.append((deal, (i, j), ((0, 1), (0, 0), (1, 0))[outcome]))
                pair += 1
    return games


@pytest.mark.parametrize("luck", [0.0, 0.8])
def test_intervals_cover_known_strengths(luck: float) -> None:
    rng = np.random.default_rng(1)
    strengths = np.array([150.0, 0.0, -150.0])
    covered = []
    for seed in range(80):
        ratings = rate(tally(simulated(rng, strengths, 60, luck), 60, 3), seed, 120)
        covered += ((ratings.low <= strengths) & (strengths <= ratings.high)).tolist()
    # 240 intervals, three of one tournament depend on each other: three standard errors of 80 tournaments are 7 points.
    assert 0.88 <= np.mean(covered) <= 0.99


@pytest.mark.long
def test_coverage_is_near_95_percent() -> None:
    rng = np.random.default_rng(2)
    strengths = np.array([250.0, 0.0, -50.0, -200.0])
    covered = []
    for seed in range(600):
        ratings = rate(tally(simulated(rng, strengths, 100, 0.5), 100, 4), seed, 300)
        covered += ((ratings.low <= strengths) & (strengths <= ratings.high)).tolist()
    assert 0.93 <= np.mean(covered) <= 0.97


def ranking(rng: np.random.Generator, strengths: np.ndarray) -> tuple[int, ...]:
    """Places by Plackett and Luce: the next place falls to each in proportion to its strength."""
    noise = strengths * np.log(10) / 400 + rng.gumbel(size=len(strengths))
    return tuple(np.argsort(np.argsort(-noise)).tolist())


def test_whole_rankings_give_the_strengths_back() -> None:
    rng = np.random.default_rng(3)
    strengths = np.array([200.0, 50.0, -50.0, -200.0])
    games: list[Finished] = [(deal, (0, 1, 2, 3), ranking(rng, strengths)) for deal in range(3000)]
    ratings = rate(tally(games, 3000, 4), 0, 60)
    assert ratings.value.tolist() == pytest.approx(strengths.tolist(), abs=20)


def test_openskill_orders_agents_and_tires_of_no_game() -> None:
    games = [(seating, places) for _, seating, places in two_agents("wwwlw" * 40)]
    first, second = skills(games, 2)
    assert first.mu > 25 > second.mu
    assert first.sigma < 3


def test_openskill_averages_the_seats_of_an_agent() -> None:
    from openskill.models import PlackettLuce

    model = PlackettLuce(tau=0.0)
    teams = [[model.rating()] for _ in range(3)]
    (one,), (two,), (other,) = model.rate(teams, ranks=[0, 2, 1])
    first, second = skills([((0, 0, 1), (0, 2, 1))], 2)
    assert first.mu == pytest.approx((one.mu + two.mu) / 2)
    assert second.mu == pytest.approx(other.mu)
    assert second.sigma == pytest.approx(other.sigma)
