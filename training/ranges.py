"""From which number to which each option of the commands may be. One name means one thing in all of them.

A number that is out of range is refused before anything is done, so that a slip of a key costs no hours, and no memory.
"""

import dataclasses
from collections.abc import Iterator
from math import isnan
from typing import Any

from training.seeds import MAX_SEED
from valley_core.errors import OptionError

MANY = 1_000_000_000
"""Games, decisions and the like; what of it is in memory at once is looked at apart (`valley_core.options`)."""
MAX_THREADS = 1024
MAX_SECONDS = 1e9

Range = tuple[float, float]

RANGES: dict[str, Range] = {
    "batch": (1, MANY),
    "batches": (1, MANY),
    "bootstrap": (0, 1),
    "budget": (0, MANY),
    "cards": (2, 18),
    "deals": (1, MANY),
    "decay_steps": (1, 1000 * MANY),
    "decisions": (1, MANY),
    "drawn": (1, 100_000),
    "drawn_seed": (0, MAX_SEED),
    "entropy": (0, 1e3),
    "envs": (1, MANY),
    "epochs": (1, 100_000),
    "evaluate": (1, MANY),
    "exploration": (0, 1e6),
    "explored": (0, 1),
    "games": (1, MANY),
    "hidden": (1, 1_000_000),
    "iterations": (1, 1_000_000),
    "judge": (0, 1_000_000),
    "learning_rate": (0, 1e3),
    "margin": (0, 100),
    "max_turns": (1, 1_000_000),
    "minibatch": (1, MANY),
    "minutes": (0, MAX_SECONDS),
    "players": (1, 100),
    "positions": (1, MANY),
    "rollout": (1, MANY),
    "rollouts": (0, 1),
    "round": (1, MANY),
    "rules": (0, 1),
    "runs": (1, 1_000_000),
    "seconds": (0, MAX_SECONDS),
    "seed": (0, MAX_SEED),
    "seeds": (1, 10_000),
    "seen": (0, 100_000),
    "simulations": (1, 1_000_000),
    "spread": (0, 1),
    "steps": (1, 1000 * MANY),
    "test_every": (1, 1000 * MANY),
    "test_games": (1, MANY),
    "threads": (0, MAX_THREADS),
    "tilt": (0, 1e6),
    "unseen": (1, 100_000),
    "weight_decay": (0, 1e6),
    "window": (1, 1_000_000),
    "workers": (1, 10_000),
}
"""Option → the least and the greatest number, of each where it takes several. Commands may ask for more."""

OF_THE_GAME = ("players", "max_turns")
"""Of these the game says what is wrong with them (`OptionError` of `make_game`)."""


def numbers_of(args: Any) -> Iterator[tuple[str, float]]:
    """Name and value of each number among the arguments of a command, a dataclass; each of several."""
    for field in dataclasses.fields(args):
        value = getattr(args, field.name)
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, int | float) and not isinstance(one, bool):
                yield field.name, one


def check_numbers(args: Any) -> None:
    """Refuse numbers that are out of range.

    Raises:
        OptionError: Names the option and the range.
    """
    for name, value in numbers_of(args):
        if name not in OF_THE_GAME:
            check_number(name, value, *RANGES[name])


def check_number(name: str, value: float, least: float, most: float) -> None:
    """Raise `OptionError` for a number that is not from `least` to `most`."""
    option = f"--{name.replace('_', '-')}"
    if isinstance(value, float):
        if isnan(value) or not least <= value <= most:
            wanted = f"from {least:g} to {most:g}" if most <= 1 else f"{least:g} or more, and at most {most:g}"
            raise OptionError(f"{option} {value:g} must be {wanted}")
    elif value < least:
        raise OptionError(f"{option} {value} is too small; give {least:,} or more")
    elif value > most:
        raise OptionError(f"{option} {value:,} is too large; give {most:,} or fewer")
