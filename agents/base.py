"""The one interface of all agents: a batch of decisions in, an action for each out."""

from abc import ABC, abstractmethod
from collections.abc import Callable
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


def register_agent(kind: str, factory: Factory) -> None:
    """Let `make_agent` know agents named ``kind`` or ``kind:…``."""
    _Registry.factories[kind] = factory


def agent_names() -> list[str]:
    """The kinds of agents that `make_agent` knows."""
    return sorted(_Registry.factories)


def make_agent(name: str) -> Agent:
    """The agent that a string names, as ``random``, ``greedy`` or ``mcts:200``.

    Raises:
        OptionError: There is no such agent.
    """
    kind, _, argument = name.partition(":")
    if kind not in _Registry.factories:
        raise OptionError(f"there is no agent {name!r}; known kinds: {', '.join(agent_names())}")
    return _Registry.factories[kind](argument)
