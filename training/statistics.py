"""Intervals and verdicts. SciPy computes; this module names what it computed.

All intervals have 95 % confidence unless told otherwise, each for itself: none is widened for many comparisons.
``docs/statistics.md`` says which is used where, and what counts as an observation.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

CONFIDENCE = 0.95

EXACT = "exact"
"""Kind of an interval that is a point, since all games that there are were played."""


@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval.

    Attributes:
        value: The estimate.
        low, high: Ends of the interval.
        kind: How it was made, as in ``Wilson``.
        size: From how many observations.
        confidence: As in 0.95.
    """

    value: float
    low: float
    high: float
    kind: str
    size: int
    confidence: float = CONFIDENCE

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval lies on one side of 0."""
        return self.low > 0 or self.high < 0

    def is_above(self, margin: float) -> bool:
        """Whether a difference is shown to be no worse than `margin` below 0 (non-inferiority).

        That the interval holds 0 shows no equality: it may reach far below. The test is one-sided, at half of what the
        interval leaves open (2.5 %).
        """
        if not margin > 0:
            raise ValueError(f"a margin of non-inferiority is above 0, not {margin}")
        return self.low > -margin

    def columns(self, name: str) -> dict[str, float]:
        """The estimate and its ends as columns of a row: ``name``, ``name_low`` and ``name_high``."""
        return {name: self.value, f"{name}_low": self.low, f"{name}_high": self.high}


def wilson(successes: int, size: int, confidence: float = CONFIDENCE) -> Interval:
    """A share with Wilson's score interval; of no observations nothing is known: 0 to 1."""
    if size == 0:
        return Interval(float("nan"), 0.0, 1.0, "Wilson", 0, confidence)
    ends = stats.binomtest(int(successes), int(size)).proportion_ci(confidence, method="wilson")
    return Interval(successes / size, float(ends.low), float(ends.high), "Wilson", int(size), confidence)


def exact(values: np.ndarray, confidence: float = CONFIDENCE) -> Interval:
    """The mean of all values that there are: nothing is sampled, so that the interval is a point."""
    mean = float(np.mean(values))
    return Interval(mean, mean, mean, EXACT, len(values), confidence)


def share_interval(happened: np.ndarray, complete: bool = False, confidence: float = CONFIDENCE) -> Interval:
    """The share of games in which something happened, with an interval over deals.

    Args:
        happened: Bool of shape (games of a deal, deals). Games of one deal depend on each other: with one of them the
            interval is Wilson's, with several it is that of the means of the deals (`bounded_mean`).
        complete: Whether these are all games that there are.
        confidence: Of the interval.
    """
    happened = np.asarray(happened, bool)
    if complete:
        return replace(exact(happened.mean(0), confidence), size=happened.size)
    if len(happened) == 1:
        return wilson(int(happened.sum()), happened.size, confidence)
    return replace(bounded_mean(happened.mean(0), confidence=confidence), size=happened.size)


def mean_interval(
    values: np.ndarray, confidence: float = CONFIDENCE, kind: str = "t", complete: bool = False
) -> Interval:
    """A mean with Student's interval; a point if these are all values that there are (`complete`).

    Of fewer than two values, and of values that are all equal, nothing is known of how they spread: the interval is the
    whole line, not a point. Where values have bounds, `bounded_mean` says more.
    """
    values = np.asarray(values, np.float64)
    size = len(values)
    if complete:
        return exact(values, confidence)
    mean = float(values.mean()) if size else float("nan")
    if size < 2 or np.ptp(values) == 0:
        return Interval(mean, float("-inf"), float("inf"), kind, size, confidence)
    half = float(stats.sem(values)) * float(stats.t.ppf((1 + confidence) / 2, size - 1))
    return Interval(mean, mean - half, mean + half, kind, size, confidence)


def bounded_mean(values: np.ndarray, least: float = 0.0, most: float = 1.0, confidence: float = CONFIDENCE) -> Interval:
    """A mean of values from `least` to `most`, with Student's interval as if there were one more of each bound.

    So it does not shrink to a point where all values are equal, as Bonett and Price's does not (`paired_shares`).
    """
    values = np.asarray(values, np.float64)
    mean = float(values.mean()) if len(values) else float("nan")
    wider = mean_interval(np.append(values, (least, most)), confidence)
    return Interval(mean, max(least, wider.low), min(most, wider.high), "adjusted t", len(values), confidence)


def bootstrap_mean(values: np.ndarray, seed: int, confidence: float = CONFIDENCE, resamples: int = 2000) -> Interval:
    """A mean with a percentile bootstrap interval, for few values of a skewed kind."""
    values = np.asarray(values, np.float64)
    if len(values) < 2 or np.ptp(values) == 0:
        return mean_interval(values, confidence, "bootstrap")
    ends = stats.bootstrap(
        (values,),
        np.mean,
        confidence_level=confidence,
        n_resamples=resamples,
        batch=100,
        method="percentile",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return Interval(float(values.mean()), float(ends.low), float(ends.high), "bootstrap", len(values), confidence)


def paired_difference(
    first: np.ndarray, second: np.ndarray, confidence: float = CONFIDENCE, complete: bool = False
) -> Interval:
    """Mean of first − second over the same deals, with Student's interval of the differences (`mean_interval`)."""
    first, second = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if first.shape != second.shape:
        raise ValueError(f"paired samples must have one shape, not {first.shape} and {second.shape}")
    return mean_interval(first - second, confidence, "paired t", complete)


def paired_shares(first: np.ndarray, second: np.ndarray, confidence: float = CONFIDENCE) -> Interval:
    """Difference of two shares over the same deals, with Bonett and Price's interval.

    It is Wald's interval with one observation more of each discordant kind and two more in all, so that it does not
    shrink to a point where no pair differs (Bonett, Price: Adjusted Wald confidence interval for a difference of
    binomial proportions based on paired data, Journal of Educational and Behavioral Statistics 37, 2012).

    Args:
        first, second: Bool of shape (deals,): whether it happened in each.
    """
    first, second = np.asarray(first, bool), np.asarray(second, bool)
    if first.shape != second.shape:
        raise ValueError(f"paired samples must have one shape, not {first.shape} and {second.shape}")
    size = len(first)
    if size == 0:
        return Interval(float("nan"), -1.0, 1.0, "paired Bonett-Price", 0, confidence)
    only_first, only_second = int((first & ~second).sum()), int((second & ~first).sum())
    p, q = (only_first + 1) / (size + 2), (only_second + 1) / (size + 2)
    half = float(stats.norm.ppf((1 + confidence) / 2)) * float(np.sqrt((p + q - (p - q) ** 2) / (size + 2)))
    value = (only_first - only_second) / size
    return Interval(value, max(-1.0, p - q - half), min(1.0, p - q + half), "paired Bonett-Price", size, confidence)


def separate_shares(first: Interval, second: Interval) -> Interval:
    """Difference of two shares with Wilson's intervals, of samples that are not paired: Newcombe's interval.

    On the same deals it is wider than needed, unless what is good for one is bad for the other (Newcombe: Interval
    estimation for the difference between independent proportions, Statistics in Medicine 17, 1998, method 10).
    """
    value = first.value - second.value
    below = float(np.hypot(first.value - first.low, second.high - second.value))
    above = float(np.hypot(first.high - first.value, second.value - second.low))
    size = min(first.size, second.size)
    return Interval(value, value - below, value + above, "Newcombe", size, first.confidence)


def equal_shares_p(counts: np.ndarray) -> float | None:
    """The probability of counts as unequal as these if all kinds are equally likely (chi-square); None of no counts."""
    return float(stats.chisquare(counts).pvalue) if np.sum(counts) else None


def percent(value: float, signed: bool = False) -> str:
    """A share as in ``31.2 %``."""
    return f"{100 * value:{'+' if signed else ''}.1f} %".replace("-", "−")


def number(value: float, signed: bool = False) -> str:
    """A number with two decimals."""
    return f"{value:{'+' if signed else ''}.2f}".replace("-", "−")


def verdict(
    what: str, first: str, second: str, difference: Interval, shares: bool = True, margin: float | None = None
) -> str:
    """One sentence on a paired difference, with the interval that it rests on.

    No difference shown is no equality. With a `margin` the sentence says whether the first is shown to be no worse than
    by that much (`Interval.is_above`).

    Args:
        what: What is compared, as in ``wins``.
        first, second: Names of the two; the difference is first − second.
        difference: With its interval.
        shares: Whether the numbers are shares (percentage points) rather than plain numbers.
        margin: Of non-inferiority, above 0; None: no such test.
    """
    scale, digits, unit = (100, 1, " percentage points") if shares else (1, 2, "")
    low, value, high = (f"{scale * x:+.{digits}f}" for x in (difference.low, difference.value, difference.high))
    interval = (
        f"all {difference.size:,} deals"
        if difference.kind == EXACT
        else f"{100 * difference.confidence:g} % {difference.kind} interval {low} to {high}, {difference.size:,} deals"
    )
    if difference.kind == EXACT and difference.value == 0:
        return f"{what}: alike with {first} and with {second} ({interval})"
    if not difference.excludes_zero:
        sentence = f"{what}: no difference shown between {first} and {second}: {value}{unit} ({interval})"
    else:
        word = "more" if difference.value > 0 else "fewer" if shares else "less"
        sentence = f"{what}: {word} with {first} than with {second}: {value}{unit} ({interval})"
    if margin is not None:
        shown = "shown" if difference.is_above(margin) else "not shown"
        sentence += f"; {shown} to be less than {scale * margin:g}{unit} worse"
    return sentence.replace(" -", " −")
