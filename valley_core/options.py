"""Checks of options: each says what is possible."""

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
