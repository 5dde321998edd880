"""Seeds of deals: a stream for each purpose and each seed, no two of which share a deal.

Deal number i of a purpose and a seed has the 64-bit number ``purpose · 2**56 + seed · 2**32 + i``, of which a bijection
makes the seed of the game: output number that of splitmix64. Different numbers make different seeds, so by
construction no deal that is learnt on is tested on, and two seeds of one purpose share none.

What is not by construction: in a training, a game goes on from the stream of random numbers of the game before it in
its place, so it begins anywhere in the cycle of 2**64 numbers. A training that draws n random numbers meets one of m
deals of other streams with a probability of at most n · m / 2**64: 5 in a million for a thousand million numbers and
100,000 deals.
"""

from enum import IntEnum, unique

import numpy as np

from training.command import at_least
from valley_core.errors import OptionError
from valley_core.rng import GAMMA, mix

SEED_BITS, INDEX_BITS = 24, 32
MAX_SEED = (1 << SEED_BITS) - 1
"""Greatest seed of a command."""
MAX_DEALS = 1 << INDEX_BITS
"""Deals of a stream."""


@unique
class Purpose(IntEnum):
    """What deals are for. A number is never used again for another purpose: it stands in files of networks."""

    EVALUATION = 1
    """Agents against each other or the game's AI: `evaluate`, `difficulty`, `bounds`, `cards`, `endings`."""
    TRAINING = 2
    """First games of each place of `train` (and so of `curves`)."""
    TRAINING_TEST = 3
    """Tests of a training, by which its best network is chosen."""
    TRAINING_RESULT = 4
    """The chosen network of a training, once, at its end."""
    EXPERT = 5
    """Searched games of `expert`, iteration after iteration."""
    EXPERT_TEST = 6
    """Tests of its networks."""
    STRENGTH = 7
    """`strength`: what is written into a finished network."""
    TOURNAMENT = 8
    """`tournament`."""
    GENERALISE = 9
    """`generalise`."""
    STRATEGIES = 10
    """`strategies`."""
    EXACT = 11
    """Positions of `exact`."""
    NOTEBOOK = 12
    """What notebooks measure."""


def check_seed(seed: int) -> int:
    """The seed of a command, if it has a stream.

    Raises:
        OptionError: It is not from 0 to `MAX_SEED`.
    """
    at_least("seed", seed, 0)
    if seed > MAX_SEED:
        raise OptionError(f"--seed {seed} is too large; give one from 0 to {MAX_SEED:,}")
    return seed


def deal_seeds(seed: int, count: int, purpose: Purpose = Purpose.EVALUATION, first: int = 0) -> np.ndarray:
    """Seeds of `count` deals, uint64; the first ones stay the same when more are asked for.

    Args:
        seed: Of the command, 0 to `MAX_SEED`.
        count: How many.
        purpose: What for.
        first: Number of the first of them in its stream.

    Raises:
        OptionError: The seed, or a number of a deal, is out of range.
    """
    check_seed(seed)
    if not 0 <= first <= first + count <= MAX_DEALS:
        raise OptionError(f"deals {first:,} to {first + count:,} are asked for; a seed has {MAX_DEALS:,}")
    start = (int(purpose) << (SEED_BITS + INDEX_BITS)) + (seed << INDEX_BITS) + first
    numbers = np.arange(count, dtype=np.uint64) + np.uint64(start)
    return mix(numbers * np.uint64(GAMMA))
