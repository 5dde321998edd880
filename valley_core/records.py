"""What every game checks of a record that a caller passes as a state, before it looks at what the fields mean."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from valley_core.errors import StateError

REMEDY = "; pass a record that `state_record()` of this game gave"


def one_record(state: Any, template: np.ndarray, title: str, options: Iterable[str]) -> Any:
    """The record that `state` is, or holds as an array of shape (), as `np.load` gives a saved one.

    Args:
        state: Anything.
        template: A record with the options of the game set.
        title: Of the game, for messages.
        options: Fields in which a state and the game must agree.

    Raises:
        StateError: It is no record of this kind, or one of a game with other options; names the field.
    """
    dtype, shape = getattr(state, "dtype", None), getattr(state, "shape", ())
    if dtype != template.dtype or shape != ():
        shape = getattr(state, "shape", None)
        raise StateError(f"not one state of {title}: type {type(state).__name__}, shape {shape}, dtype {dtype}{REMEDY}")
    record = state[()] if isinstance(state, np.ndarray) else state
    for name in options:
        if record[name] != template[name]:
            raise StateError(f"field {name} is {record[name]}; this game was made with {template[name]}{REMEDY}")
    return record


def in_range(name: str, value: Any, least: int, greatest: int) -> None:
    """Raise `StateError` unless all numbers of a field are within these bounds."""
    values = np.asarray(value)
    if values.min() < least or values.max() > greatest:
        raise StateError(f"field {name} is {values.tolist()}, not within {least} … {greatest}{REMEDY}")
