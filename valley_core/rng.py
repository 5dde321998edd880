"""The random numbers of a game: splitmix64, its 64-bit state a field of the game's record.

Source: Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014. `draw` is written twice, since
Python's NumPy scalars warn where compiled code wraps around; a test compares the two.
"""

from typing import Any

import numpy as np

from valley_core.jit import JIT_DISABLED, kernel

MASK = (1 << 64) - 1
GAMMA = 0x9E3779B97F4A7C15
MIX_1 = 0xBF58476D1CE4E5B9
MIX_2 = 0x94D049BB133111EB


def draw_plain(state: int) -> tuple[int, int]:
    """(next state, 64 random bits), in plain integers."""
    state = (int(state) + GAMMA) & MASK
    z = ((state ^ (state >> 30)) * MIX_1) & MASK
    z = ((z ^ (z >> 27)) * MIX_2) & MASK
    return state, z ^ (z >> 31)


def _draw_compiled(state: Any) -> Any:
    state = state + np.uint64(GAMMA)
    z = (state ^ (state >> np.uint64(30))) * np.uint64(MIX_1)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(MIX_2)
    return state, z ^ (z >> np.uint64(31))


draw = draw_plain if JIT_DISABLED else kernel(_draw_compiled)


def mix(states: np.ndarray) -> np.ndarray:
    """The 64 random bits of many streams at once, uint64, from the states that `draw` has moved on to."""
    z = (states ^ (states >> np.uint64(30))) * np.uint64(MIX_1)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(MIX_2)
    return z ^ (z >> np.uint64(31))


@kernel
def below(record: Any, n: int) -> int:
    """A random number from 0 to n - 1 (n below 2**32); moves ``record.rng`` on."""
    record.rng, bits = draw(record.rng)
    return int(((bits >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@kernel
def shuffle(record: Any, items: Any, size: int) -> None:
    """Shuffle the first `size` entries of `items` in place (Fisher and Yates, from the end)."""
    for i in range(size - 1, 0, -1):
        j = below(record, i + 1)
        items[i], items[j] = items[j], items[i]
