"""The one interface of all agents: a batch of decisions in, an action for each out."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import numpy as np

from valley_core.decisions import Decisions
from valley_core.errors import OptionError
from valley_core.game import Game


class Agent(ABC):
    """Chooses actions for many games at once.

    Attributes:
        name: The string that names it, as in ``mcts:200``.
        deterministic: Whether it does the same in the same position, whatever its seed.
    """

    name: str
    deterministic: bool = False

    @abstractmethod
    def start(self, game: Game, seeds: np.ndarray) -> None:
        """Prepare for games with these seeds, uint64 of shape (games,): one stream of random numbers for each."""

    @abstractmethod
    def act(self, decisions: Decisions) -> np.ndarray:
        """An action for each decision, int64 of shape (n,). Legal always; the caller counts illegal ones as faults."""


Factory = Callable[[str], Agent]
"""Makes an agent from what follows the colon in its name (empty if nothing does)."""


class _Registry:
    factories: ClassVar[dict[str, Factory]] = {}
    suffixes: ClassVar[dict[str, str]] = {}


def register_agent(kind: str, factory: Factory, *, suffix: str | None = None) -> None:
    """Let `make_agent` know agents named ``kind`` or ``kind:…``, and by the path of a file that ends in `suffix`."""
    _Registry.factories[kind] = factory
    if suffix is not None:
        _Registry.suffixes[suffix] = kind


def agent_names() -> list[str]:
    """The kinds of agents that `make_agent` knows."""
    return sorted(_Registry.factories)


def make_agent(name: str) -> Agent:
    """The agent that a string names, as ``random``, ``greedy``, ``mcts:200`` or ``path/to/weights.npz``.

    Raises:
        OptionError: There is no such agent.
        ValleyError: A file that it needs cannot be used.
    """
    kind, _, argument = name.partition(":")
    if kind not in _Registry.factories and (suffix := Path(name).suffix) in _Registry.suffixes:
        kind, argument = _Registry.suffixes[suffix], name
    if kind not in _Registry.factories:
        files = ", ".join(f"a file *{suffix}" for suffix in _Registry.suffixes)
        raise OptionError(f"there is no agent {name!r}; known kinds: {', '.join(agent_names())}, or {files}")
    return _Registry.factories[kind](argument)
