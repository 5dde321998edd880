"""Intervals and verdicts. SciPy computes; this module names what it computed.

All intervals have 95 % confidence unless told otherwise, each for itself: none is widened for many comparisons.
"""

from dataclasses import dataclass

import numpy as np
from scipy import stats

CONFIDENCE = 0.95


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

    def columns(self, name: str) -> dict[str, float]:
        """The estimate and its ends as columns of a row: ``name``, ``name_low`` and ``name_high``."""
        return {name: self.value, f"{name}_low": self.low, f"{name}_high": self.high}


def wilson(successes: int, size: int, confidence: float = CONFIDENCE) -> Interval:
    """A share with Wilson's score interval; of no observations nothing is known: 0 to 1."""
    if size == 0:
        return Interval(float("nan"), 0.0, 1.0, "Wilson", 0, confidence)
    ends = stats.binomtest(int(successes), int(size)).proportion_ci(confidence, method="wilson")
    return Interval(successes / size, float(ends.low), float(ends.high), "Wilson", int(size), confidence)


def mean_interval(values: np.ndarray, confidence: float = CONFIDENCE, kind: str = "t") -> Interval:
    """A mean with Student's interval; with fewer than two values the interval is the whole line."""
    values = np.asarray(values, np.float64)
    size = len(values)
    mean = float(values.mean()) if size else float("nan")
    if size < 2:
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


def paired_difference(first: np.ndarray, second: np.ndarray, confidence: float = CONFIDENCE) -> Interval:
    """Mean of first − second over the same deals, with Student's interval of the differences."""
    first, second = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if first.shape != second.shape:
        raise ValueError(f"paired samples must have one shape, not {first.shape} and {second.shape}")
    return mean_interval(first - second, confidence, "paired t")


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


def equal_shares_p(counts: np.ndarray) -> float | None:
    """The probability of counts as unequal as these if all kinds are equally likely (chi-square); None of no counts."""
    return float(stats.chisquare(counts).pvalue) if np.sum(counts) else None


def percent(value: float, signed: bool = False) -> str:
    """A share as in ``31.2 %``."""
    return f"{100 * value:{'+' if signed else ''}.1f} %".replace("-", "−")


def number(value: float, signed: bool = False) -> str:
    """A number with two decimals."""
    return f"{value:{'+' if signed else ''}.2f}".replace("-", "−")


def verdict(what: str, first: str, second: str, difference: Interval, shares: bool = True) -> str:
    """One sentence on a paired difference, with the interval that it rests on.

    Args:
        what: What is compared, as in ``wins``.
        first, second: Names of the two; the difference is first − second.
        difference: With its interval.
        shares: Whether the numbers are shares (percentage points) rather than plain numbers.
    """
    scale, digits, unit = (100, 1, " percentage points") if shares else (1, 2, "")
    low, value, high = (f"{scale * x:+.{digits}f}" for x in (difference.low, difference.value, difference.high))
    interval = (
        f"{100 * difference.confidence:g} % {difference.kind} interval {low} to {high}, {difference.size:,} deals"
    )
    if not difference.excludes_zero:
        sentence = f"{what}: no difference shown between {first} and {second}: {value}{unit} ({interval})"
    else:
        word = "more" if difference.value > 0 else "fewer" if shares else "less"
        sentence = f"{what}: {word} with {first} than with {second}: {value}{unit} ({interval})"
    return sentence.replace(" -", " −")
