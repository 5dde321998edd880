"""Intervals against published and hand-computed values."""

import numpy as np
import pytest

from training.statistics import (
    EXACT,
    Interval,
    bootstrap_mean,
    bounded_mean,
    equal_shares_p,
    exact,
    mean_interval,
    paired_difference,
    paired_shares,
    percent,
    separate_shares,
    share_interval,
    verdict,
    wilson,
)


@pytest.mark.parametrize(
    ("successes", "size", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),  # Newcombe 1998, table I, method 3
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_agrees_with_newcombe(successes: int, size: int, low: float, high: float) -> None:
    interval = wilson(successes, size)
    assert interval.value == pytest.approx(successes / size)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=1e-4)
    assert interval.kind == "Wilson"


def test_wilson_of_nothing_says_nothing() -> None:
    assert (wilson(0, 0).low, wilson(0, 0).high) == (0, 1)


def test_mean_interval_is_students() -> None:
    interval = mean_interval(np.array([1, 2, 3, 4, 5]))
    assert interval.value == 3
    assert interval.high - 3 == pytest.approx(2.776445 * np.sqrt(2.5 / 5), rel=1e-6)
    assert 3 - interval.low == pytest.approx(interval.high - 3)


def test_one_value_has_no_finite_interval() -> None:
    assert mean_interval(np.array([1.0])).high == float("inf")


def test_equal_values_say_nothing_of_their_spread() -> None:
    interval = mean_interval(np.full(40, 3.0))
    assert (interval.value, interval.low, interval.high) == (3, -float("inf"), float("inf"))
    same = np.arange(5.0)
    assert paired_difference(same, same).high == float("inf")


def test_only_what_is_complete_is_a_point() -> None:
    values = np.array([1.0, 2.0, 6.0])
    for interval in (
        exact(values),
        mean_interval(values, complete=True),
        paired_difference(values, 0 * values, complete=True),
    ):
        assert (interval.low, interval.value, interval.high, interval.kind) == (3, 3, 3, EXACT)
    happened = np.array([[True, False, True, True]])
    point = share_interval(happened, complete=True)
    assert (point.low, point.value, point.high, point.size) == (0.75, 0.75, 0.75, 4)
    assert share_interval(happened).high > 0.75


def test_games_of_one_deal_are_not_independent() -> None:
    """Two games on each deal that end alike: the interval is that of the deals."""
    once = np.random.default_rng(0).random((1, 200)) < 0.4
    twice = share_interval(np.concatenate([once, once]))
    one = share_interval(once)
    assert one.kind == "Wilson"
    assert twice.size == 400
    assert twice.high - twice.low == pytest.approx(one.high - one.low, rel=0.05)


def test_no_difference_shown_is_no_equality() -> None:
    wide = Interval(-0.01, -0.08, 0.06, "paired t", 50)
    assert not wide.excludes_zero
    assert not wide.is_above(0.05)
    assert wide.is_above(0.09)
    assert Interval(-0.02, -0.03, -0.01, "paired t", 5000).is_above(0.05)  # worse, and by less than the margin
    with pytest.raises(ValueError, match="above 0"):
        wide.is_above(0)
    assert verdict("wins", "a", "b", wide, margin=0.05).endswith(
        "; not shown to be less than 5 percentage points worse"
    )
    assert "; shown to be less than 9 percentage points worse" in verdict("wins", "a", "b", wide, margin=0.09)


def test_inferior_agents_pass_no_oftener_than_stated() -> None:
    """Of agents that are worse by just the margin, 2.5 % pass."""
    rng = np.random.default_rng(0)
    passed = 0
    for _ in range(2000):
        common, own = rng.random((2, 400))
        second = common < 0.8
        passed += paired_shares(second & (own < 0.9375), second).is_above(0.05)  # 0.8 · 0.0625 = 0.05
    assert passed / 2000 < 0.05  # seven standard errors above 0.025


def test_separate_shares_agree_with_newcombe() -> None:
    interval = separate_shares(wilson(56, 70), wilson(48, 80))  # Newcombe 1998, table II, (a): method 10
    assert interval.value == pytest.approx(0.2)
    assert (interval.low, interval.high) == pytest.approx((0.0524, 0.3339), abs=1e-4)


def test_bounded_mean_agrees_with_a_computation_by_hand() -> None:
    interval = bounded_mean(np.array([0.5, 0.5, 1.0]))
    assert interval.value == pytest.approx(2 / 3)
    # 0.5, 0.5, 1, 0, 1: mean 0.6, variance 0.7 / 4, four degrees of freedom.
    half = 2.776445 * np.sqrt(0.175 / 5)
    assert (interval.low, interval.high) == pytest.approx((0.6 - half, 1.0), abs=1e-6)
    assert interval.size == 3


@pytest.mark.parametrize(("least", "most"), [(0, 1), (-1, 1)])
def test_bounded_mean_is_no_point_and_keeps_its_bounds(least: float, most: float) -> None:
    for value in (least, 0.4, most):
        for size in (1, 2, 500):
            interval = bounded_mean(np.full(size, value), least, most)
            assert least <= interval.low <= interval.value <= interval.high <= most
            assert interval.high - interval.low > 1e-3
    assert (bounded_mean(np.array([])).low, bounded_mean(np.array([])).high) == (0, 1)


def test_bounded_mean_covers_as_it_says() -> None:
    rng = np.random.default_rng(0)
    intervals = [bounded_mean(rng.choice([0, 0.5, 1], 100, p=[0.6, 0.3, 0.1])) for _ in range(1000)]
    assert 0.93 < np.mean([interval.low <= 0.25 <= interval.high for interval in intervals]) < 0.98


def test_equal_shares() -> None:
    assert equal_shares_p(np.array([10, 10, 10])) == pytest.approx(1)
    # 3.84 is the 95th percentile of chi-square with one degree of freedom: (60 - 40) ** 2 / 100 = 4.
    assert equal_shares_p(np.array([60, 40])) == pytest.approx(0.0455, abs=1e-4)
    assert equal_shares_p(np.array([0, 0])) is None


def test_columns_of_an_interval() -> None:
    assert Interval(0.3, 0.25, 0.35, "t", 9).columns("win") == {"win": 0.3, "win_low": 0.25, "win_high": 0.35}


def test_bootstrap_is_near_students_and_repeats() -> None:
    values = np.random.default_rng(0).normal(size=400)
    one, two = bootstrap_mean(values, seed=1), bootstrap_mean(values, seed=1)
    assert one == two
    student = mean_interval(values)
    assert (one.low, one.high) == pytest.approx((student.low, student.high), abs=0.02)


def test_paired_difference_uses_the_pairs() -> None:
    noise = np.random.default_rng(0).normal(scale=100, size=1000)
    interval = paired_difference(noise + 1, noise)
    assert interval.value == pytest.approx(1)
    assert interval.high - interval.low < 1e-9  # the common noise is gone
    with pytest.raises(ValueError, match="one shape"):
        paired_difference(noise, noise[1:])


def test_paired_shares_agrees_with_a_computation_by_hand() -> None:
    first = np.array([True] * 12 + [False] * 88)
    second = np.array([True] * 5 + [False] * 7 + [True] * 2 + [False] * 86)
    interval = paired_shares(first, second)
    assert interval.value == pytest.approx(0.05)  # 7 only the first, 2 only the second
    middle, p, q = 5 / 102, 8 / 102, 3 / 102
    half = 1.959964 * np.sqrt((p + q - (p - q) ** 2) / 102)
    assert (interval.low, interval.high) == pytest.approx((middle - half, middle + half), abs=1e-6)


def test_paired_shares_of_equal_samples_is_no_point() -> None:
    same = np.zeros(50, bool)
    interval = paired_shares(same, same)
    assert interval.value == 0
    assert interval.low < 0 < interval.high


def test_wilson_covers_as_it_says() -> None:
    intervals = [wilson(int(k), 200) for k in np.random.default_rng(0).binomial(200, 0.3, 1000)]
    covered = [interval.low <= 0.3 <= interval.high for interval in intervals]
    assert 0.93 < np.mean(covered) < 0.97


def test_paired_shares_cover_as_they_say() -> None:
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(1000):
        common, own, other = rng.random((3, 100))
        first = (common < 0.3) | (own < 0.2)
        second = (common < 0.3) | (other < 0.1)
        interval = paired_shares(first, second)
        covered += interval.low <= 0.07 <= interval.high  # 0.7 × (0.2 − 0.1)
    assert 930 < covered < 980


def test_a_verdict_names_its_interval() -> None:
    clear = verdict("wins", "greedy", "random", Interval(0.3, 0.25, 0.35, "paired t", 1000))
    assert clear == (
        "wins: more with greedy than with random: +30.0 percentage points "
        "(95 % paired t interval +25.0 to +35.0, 1,000 deals)"
    )
    open_ = verdict("wins", "a", "b", Interval(-0.01, -0.03, 0.01, "paired t", 10))
    assert "no difference shown between a and b: −1.0 percentage points" in open_
    assert "interval −3.0 to +1.0, 10 deals" in open_
    assert "fewer" in verdict("wins", "a", "b", Interval(-0.2, -0.3, -0.1, "paired t", 10))
    assert "less" in verdict("score", "a", "b", Interval(-2, -3, -1, "paired t", 10), shares=False)


def test_a_verdict_on_all_games_that_there_are() -> None:
    assert verdict("wins", "a", "b", exact(np.array([0.5, 0.0]))).endswith("+25.0 percentage points (all 2 deals)")
    assert verdict("wins", "a", "b", exact(np.zeros(20))) == "wins: alike with a and with b (all 20 deals)"


def test_percent_uses_a_real_minus() -> None:
    assert percent(-0.125, signed=True) == "−12.5 %"
