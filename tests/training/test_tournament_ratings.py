"""Ratings against closed forms and known strengths; their coverage is in test_tournament_coverage.py."""

from itertools import combinations, product
from math import inf, log, log10

import numpy as np
import pytest
from scipy.stats import f as f_distribution

from tests.training.tournaments import chances, ranking
from training.tables import rating
from training.tournament_lineups import Finished, Tally, tally
from training.tournament_ratings import PRIOR, comparisons, rate

pytestmark = pytest.mark.plain


def two_agents(outcomes: str) -> list[Finished]:
    """One game a deal: ``w`` won, ``d`` drawn, ``l`` lost by agent 0."""
    places = {"w": (0, 1), "d": (0, 0), "l": (1, 0)}
    return [Finished(deal, (0, 1), places[outcome]) for deal, outcome in enumerate(outcomes)]


def counted(counts: np.ndarray) -> Tally:
    """A tally of one deal with these counts of pairs, of shape (pairs, 3)."""
    agents = round((1 + (1 + 8 * len(counts)) ** 0.5) / 2)
    ahead, drawn = np.zeros((2, 1, agents, agents))
    first, second = np.triu_indices(agents, 1)
    ahead[0, first, second], ahead[0, second, first] = counts[:, 0], counts[:, 2]
    drawn[0, first, second] = drawn[0, second, first] = counts[:, 1]
    return Tally(ahead, drawn, *np.zeros((4, agents), np.int64))


def test_a_tiny_tournament_by_hand() -> None:
    """Of two agents the model fits exactly, and draws say nothing of their difference."""
    found = tally(two_agents("wwwdl" * 4), 20, 2)
    assert comparisons(found).sum(0).tolist() == [[12, 4, 4]]
    ratings = rate(found, anchor=1)
    won, lost, deals = 12 + PRIOR, 4 + PRIOR, 20
    assert ratings.value.tolist() == pytest.approx([400 * log10(won / lost), 0], abs=1e-4)
    # The influence of a deal on log(won / lost), its variance over deals, and that of independent games.
    influences = np.array([1 / won] * 12 + [0] * 4 + [-1 / lost] * 4)
    effect = deals * influences.var(ddof=1) / (1 / won + 1 / lost)
    assert effect > 1
    limit = effect * f_distribution.ppf(0.95, 1, deals - 1) / 2

    def likelihood(points: float) -> float:
        chance = 1 / (1 + 10 ** (-points / 400))
        return won * log(chance) + lost * log(1 - chance)

    interval = ratings.of(0)
    for end in (interval.low, interval.high):
        assert likelihood(interval.value) - likelihood(end) == pytest.approx(limit, rel=1e-3)
    assert interval.low < 0 < interval.value < interval.high
    assert (ratings.of(1).low, ratings.of(1).high, ratings.of(1).kind) == (0, 0, "anchor")


def test_who_never_scored_has_a_bound_alone() -> None:
    ratings = rate(tally(two_agents("l" * 60), 60, 2), anchor=1)
    low, high = ratings.of(0).low, ratings.of(0).high
    assert low == -inf
    # Of 60 games without a point: the chance of one that has that outcome with a probability of 5 %.
    chance = 1 - 0.05 ** (1 / 60)
    assert 0 < high - 400 * log10(chance / (1 - chance)) < 30  # the prior raises it
    other = ratings.differences[1, 0]
    assert (other.low, other.high) == (-high, inf)
    assert rating({"rating": -900, "rating_low": low, "rating_high": high, "kind": "profile"}).startswith("below −")
    assert rating({"rating": 900, "rating_low": -high, "rating_high": None, "kind": "profile"}).startswith("above +")


def test_two_that_score_against_each_other_alone_are_both_bounded() -> None:
    """Agents 2 and 3 draw with each other and lose to all others: no chain leads from them to the anchor."""
    games = [Finished(deal, pair, places) for deal in range(30) for pair, places in (
        ((0, 1), (deal % 2, 1 - deal % 2)), ((0, 2), (0, 1)), ((1, 3), (0, 1)), ((2, 3), (0, 0)), ((0, 3), (0, 1)),
    )]  # fmt: skip
    ratings = rate(tally(games, 30, 4), anchor=0)
    assert np.isfinite([ratings.of(1).low, ratings.of(1).high, ratings.of(2).high, ratings.of(3).high]).all()
    assert ratings.of(2).low == ratings.of(3).low == -inf
    assert ratings.differences[2, 3].low < 0 < ratings.differences[2, 3].high < inf


def test_intervals_weigh_deals_and_not_games() -> None:
    once = two_agents("wwwlwwlwwwlw" * 4)
    twice = [game for game in once for _ in range(2)]  # two games on each deal that always end alike
    one, two = (rate(tally(games, 48, 2), anchor=1).of(0) for games in (once, twice))
    assert (two.low, two.value, two.high) == pytest.approx((one.low, one.value, one.high), abs=5)  # but for the prior
    apart = [game._replace(deal=deal) for deal, game in enumerate(twice)]
    free = rate(tally(apart, 96, 2), anchor=1).of(0)
    assert free.high - free.low < 0.8 * (one.high - one.low)


def test_the_anchor_changes_no_difference() -> None:
    rng = np.random.default_rng(4)
    games = [Finished(deal, (0, 1, 2), ranking(rng, np.array([100.0, 0, -100]))) for deal in range(60)]
    first, second = (rate(tally(games, 60, 3), anchor) for anchor in (0, 2))
    assert first.value[0] == second.value[2] == 0
    for pair, interval in first.differences.items():
        other = second.differences[pair]
        assert (interval.low, interval.value, interval.high) == pytest.approx(
            (other.low, other.value, other.high), abs=0.1
        )
        back = first.differences[pair[::-1]]
        assert (back.low, back.high) == (-interval.high, -interval.low)


def test_all_games_that_there_are_have_points_for_intervals() -> None:
    ratings = rate(tally(two_agents("wwl"), 3, 2), anchor=0, complete=True)
    assert ratings.of(1).low == ratings.of(1).value == ratings.of(1).high
    assert ratings.of(1).kind == "exact"


def test_one_deal_has_no_interval() -> None:
    ratings = rate(tally([Finished(0, (0, 1), (0, 1)), Finished(0, (1, 0), (0, 1))], 1, 2))
    assert (ratings.of(1).low, ratings.of(1).high) == (-inf, inf)


def test_exact_shares_give_the_strengths_back() -> None:
    strengths = np.array([310.0, 40.0, -20.0, -330.0])
    found = rate(counted(1e5 * chances(strengths, 0.3)), anchor=1).value
    assert found.tolist() == pytest.approx((strengths - 40).tolist(), abs=0.1)


def test_a_fit_is_found_for_extreme_counts() -> None:
    rng = np.random.default_rng(0)
    for agents in (2, 3, 6, 12):
        for _ in range(50):
            shape = (agents * (agents - 1) // 2, 3)
            counts = rng.gamma(0.5, 1, shape) + (rng.random(shape) > 0.6) * 10.0 ** rng.integers(0, 6)
            assert np.isfinite(rate(counted(counts)).value).all()


def test_whole_rankings_give_the_strengths_back() -> None:
    rng = np.random.default_rng(3)
    strengths = np.array([200.0, 50.0, -50.0, -200.0])
    games = [Finished(deal, (0, 1, 2, 3), ranking(rng, strengths)) for deal in range(3000)]
    ratings = rate(tally(games, 3000, 4), anchor=2)
    assert ratings.value.tolist() == pytest.approx((strengths + 50).tolist(), abs=30)  # five standard errors


def test_every_small_tournament_has_ratings() -> None:
    """Also where an outcome is next to impossible, so that the likelihood is flat in a direction."""
    luck = np.random.default_rng(0)
    for agents, deals, _ in product((2, 3, 5), (2, 3, 5, 20), range(8)):
        share, drawn = luck.choice([0, 0.02, 0.1, 0.5, 1]), luck.choice([0, 0.3])
        ahead, level = np.zeros((2, deals, agents, agents), np.int64)
        for deal, (i, j) in product(range(deals), combinations(range(agents), 2)):
            wins = luck.binomial(2, share)
            draws = luck.binomial(2 - wins, drawn)
            ahead[deal, i, j], ahead[deal, j, i] = wins, 2 - wins - draws
            level[deal, i, j] = level[deal, j, i] = draws
        nothing = np.zeros(0, np.int64)
        ratings = rate(Tally(ahead, level, nothing, nothing, nothing, nothing))
        assert np.isfinite(ratings.value).all()
