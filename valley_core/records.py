"""What every game checks of a record that a caller passes as a state, before it looks at what the fields mean."""

from collections.abc import Callable, Iterable
from hashlib import blake2b
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
    numbers = np.asarray(value).reshape(-1).tolist()  # faster than NumPy's own bounds of so few
    if min(numbers) < least or max(numbers) > greatest:
        raise StateError(f"field {name} is {np.asarray(value).tolist()}, not within {least} … {greatest}{REMEDY}")


class KnownStates:
    """The check of a game's records, done once for each: what a game itself gave need not be proved to be its state.

    A record is known by its bytes, so that one that was changed since is checked again.

    Args:
        check: Raises `StateError` for what is no state of the game.
        template: A record of it.
        most: So many records are known at most; the oldest are forgotten.
    """

    def __init__(self, check: Callable[[Any], None], template: np.ndarray, most: int = 1 << 16) -> None:
        self._check = check
        self._dtype = template.dtype
        self._most = most
        self._known: dict[bytes, None] = {}

    def note(self, record: Any) -> None:
        """Know a state that the game is or was in."""
        self._add(self._key(record))

    def check(self, record: Any) -> None:
        """Raise `StateError` unless `record` is a state of the game."""
        if getattr(record, "dtype", None) != self._dtype or record.shape != ():
            self._check(record)
            return
        key = self._key(record)
        if key not in self._known:
            self._check(record)
            self._add(key)

    def _key(self, record: Any) -> bytes:
        return blake2b(record.tobytes(), digest_size=16).digest()

    def _add(self, key: bytes) -> None:
        self._known[key] = None
        if len(self._known) > self._most:
            self._known.pop(next(iter(self._known)), None)
