"""The sequential test keeps its error, and stops early where there is a difference."""

import numpy as np
import pytest

from training.tournament_settle import ERROR, level, log_capital, unsettled

DEALS, ROUND = 600, 50


def scores_of_two(rng: np.random.Generator, chance: float, deals: int = DEALS) -> np.ndarray:
    """Two agents' scores on deals of two games, each won by the first with this chance."""
    first = rng.binomial(2, chance, deals) / 2
    return np.stack([first, 1 - first], 1)


def stopped_at(scores: np.ndarray) -> int | None:
    """The deal at which a tournament of these scores stops."""
    looks = range(ROUND, len(scores) + 1, ROUND)
    return next((deals for deals in looks if not unsettled(scores[:deals])), None)


def test_two_equal_agents_are_settled_no_oftener_than_stated() -> None:
    rng = np.random.default_rng(0)
    stopped = sum(stopped_at(scores_of_two(rng, 0.5)) is not None for _ in range(800))
    assert 0 < stopped / 800 <= ERROR  # above 0: the test has power, so that this says something


def test_equal_agents_among_others_are_settled_no_oftener_than_stated() -> None:
    rng = np.random.default_rng(1)
    stopped = 0
    for _ in range(300):
        scores = rng.integers(0, 3, (DEALS, 4)) / 2
        scores[:, 0] = 1
        stopped += stopped_at(scores) is not None
    assert stopped / 300 <= ERROR


def test_unequal_agents_stop_early_and_in_the_right_order() -> None:
    rng = np.random.default_rng(2)
    found = [stopped_at(scores_of_two(rng, 0.65)) for _ in range(100)]
    assert sum(stop is not None for stop in found) >= 95
    assert np.median([stop or DEALS for stop in found]) <= DEALS / 2


def test_a_wrong_order_is_rarely_called_settled() -> None:
    rng = np.random.default_rng(3)
    wrong = 0
    for _ in range(400):
        scores = scores_of_two(rng, 0.47)
        stop = stopped_at(scores)
        wrong += stop is not None and scores[:stop].mean(0)[0] > 0.5
    assert wrong / 400 <= ERROR / 2


def test_capital_by_hand() -> None:
    # Nothing is staked on the first deal; then mean 1/2 and variance (1 + 1/4) / 2 give 0.5 / (0.625 + 0.25).
    stake = min(0.5 / 0.875, 0.5)
    assert np.exp(log_capital(np.array([1.0, 1.0, -1.0]))[:2]).tolist() == pytest.approx([1, 1 + stake])
    assert np.exp(log_capital(np.array([1.0, -1.0]))[1]) == pytest.approx(1 - stake)
    assert log_capital(np.array([-1.0, -1.0, -1.0])).tolist() == [0, 0, 0]  # nothing is staked on the worse agent


def test_a_stake_does_not_know_its_own_deal() -> None:
    rng = np.random.default_rng(4)
    differences = rng.uniform(-1, 1, 50)
    other = differences.copy()
    other[30] = -other[30]
    one, two = np.diff(log_capital(differences)), np.diff(log_capital(other))
    assert one[:29].tolist() == two[:29].tolist()
    stakes = [np.expm1(step) / x for step, x in ((one[29], differences[30]), (two[29], other[30]))]
    assert stakes[0] == pytest.approx(stakes[1])


def test_pairs_that_are_not_separated_are_named() -> None:
    rng = np.random.default_rng(5)
    same = rng.integers(0, 2, (400, 2)) / 4
    scores = np.concatenate([same, np.ones((400, 1))], 1)
    assert [set(pair) for pair in unsettled(scores)] == [{0, 1}]
    assert unsettled(scores[:1])[0][0] == 2  # one deal settles nothing


def test_of_all_games_only_equal_scores_are_level() -> None:
    assert level(np.array([0.2, 0.5, 0.5, 0.8])) == [(1, 2)]
    assert level(np.array([0.2, 0.5])) == []
