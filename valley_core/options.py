"""Checks of options: each says what is possible."""

import os
from typing import Any

import numpy as np

from valley_core.errors import OptionError


def one_of(name: str, value: Any, allowed: tuple[Any, ...]) -> Any:
    """`value`, or `OptionError` unless it is one of `allowed` (True is not 1 here)."""
    if isinstance(value, bool) or value not in allowed:
        raise OptionError(f"{name}={value!r} is not possible; choose one of {', '.join(map(repr, allowed))}")
    return value


def flag(name: str, value: Any) -> bool:
    """`value` as ``bool``, or `OptionError` unless it is one."""
    if not isinstance(value, bool | np.bool_):
        raise OptionError(f"{name}={value!r} must be True or False")
    return bool(value)


def whole_number(name: str, value: Any, least: int, greatest: int) -> int:
    """`value` as ``int``, or `OptionError` unless it is a whole number from `least` to `greatest`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not least <= value <= greatest:
        raise OptionError(f"{name}={value!r} must be a whole number from {least} to {greatest:,}")
    return int(value)


ASSUMED_MEMORY = 16 << 30
"""Bytes of memory where the system does not say how many it has."""


def memory_of_machine() -> int:
    """Bytes of memory of this machine."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # AttributeError: Windows
        return ASSUMED_MEMORY


def fits_memory(name: str, value: int, bytes_of_one: int) -> None:
    """Refuse a number of things that cannot all be in memory, before anything is made.

    Args:
        name: Of the option, as it is typed.
        value: Its value.
        bytes_of_one: Memory that each takes, at least.

    Raises:
        OptionError: Says how much memory it would need, and how many fit.
    """
    there, needed = memory_of_machine(), value * bytes_of_one
    if needed > there:
        most = max(1, there // bytes_of_one)
        raise OptionError(
            f"{name} {value:,} would need about {needed / 1e9:,.0f} GB of memory, and this machine has "
            f"{there / 1e9:,.0f} GB; give {most:,} or fewer"
        )
