"""Named views on a flat observation, so that a network's input and a reader's table are the same numbers."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True)
class Field:
    """A named part of the observation.

    Attributes:
        name: The name of the view.
        shape: Its shape.
        low, high: Bounds of every number in it.
        meaning: One sentence for the documentation's table.
    """

    name: str
    shape: tuple[int, ...]
    low: float
    high: float
    meaning: str

    @property
    def size(self) -> int:
        """How many numbers the view holds."""
        return math.prod(self.shape)


@dataclass(frozen=True)
class Layout:
    """The fields of a flat observation, in order."""

    fields: tuple[Field, ...]

    @cached_property
    def size(self) -> int:
        """Length of the flat observation."""
        return sum(field.size for field in self.fields)

    def slices(self) -> Iterator[tuple[Field, slice]]:
        """Each field with its place in the flat observation."""
        start = 0
        for field in self.fields:
            yield field, slice(start, start + field.size)
            start += field.size

    def start(self, name: str) -> int:
        """Index of the first number of a field (KeyError if there is none of that name)."""
        for field, where in self.slices():
            if field.name == name:
                return int(where.start)
        raise KeyError(f"no field {name!r} in this observation; there are {[field.name for field in self.fields]}")

    def views(self, observation: np.ndarray) -> dict[str, np.ndarray]:
        """Named views, shape (..., *field.shape), on observations of shape (..., size); no copies."""
        if observation.shape[-1] != self.size:
            raise ValueError(f"the observation has length {observation.shape[-1]}; this layout has {self.size}")
        lead = observation.shape[:-1]
        return {field.name: observation[..., where].reshape(lead + field.shape) for field, where in self.slices()}

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper bounds, float32 of shape (size,)."""
        low = np.concatenate([np.full(field.size, field.low, np.float32) for field in self.fields])
        high = np.concatenate([np.full(field.size, field.high, np.float32) for field in self.fields])
        return low, high

    def table(self) -> str:
        """The layout as a Markdown table."""
        lines = ["| view | from | shape | range | meaning |", "|---|---|---|---|---|"]
        for field, where in self.slices():
            shape = " × ".join(map(str, field.shape))
            lines.append(
                f"| `{field.name}` | {where.start} | {shape} | {field.low:g} … {field.high:g} | {field.meaning} |"
            )
        return "\n".join(lines)
