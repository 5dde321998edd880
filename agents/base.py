"""The one interface of all agents: a batch of decisions in, an action for each out."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import ClassVar

import numpy as np

from valley_core.batch import loops_of
from valley_core.errors import OptionError
from valley_core.game import Game


class Decisions:
    """Decisions to be taken, one in each game of a batch.

    Attributes:
        game: The game.
        states: Its states, records of shape (n,). They hold what players cannot see (`Game.hidden`): an agent
            that reads them must not depend on it, which the tests prove for each agent.
        seats: Who decides, int64 of shape (n,).
        streams: Index of the game that each decision belongs to, int64 of shape (n,): agents with random choices keep a
            stream of random numbers for each, so that a game's course does not depend on the others in the batch.
    """

    def __init__(self, game: Game, states: np.ndarray, seats: np.ndarray, streams: np.ndarray) -> None:
        self.game = game
        self.states = states
        self.seats = seats
        self.streams = streams

    def __len__(self) -> int:
        return len(self.states)

    @cached_property
    def masks(self) -> np.ndarray:
        """Legal actions, uint8 of shape (n, num_actions)."""
        masks = np.zeros((len(self), self.game.num_actions), np.uint8)
        loops_of(self.game).masks_all(self.states, self.game.data, self.seats, masks)
        return masks

    @cached_property
    def observations(self) -> np.ndarray:
        """What the deciding seats see, float32 of shape (n, layout.size)."""
        observations = self.game.blank_observations(self.states)
        masks = np.zeros((len(self), self.game.num_actions), np.uint8)
        loops_of(self.game).observe_all(self.states, self.game.data, self.seats, observations, masks)
        return observations


class Agent(ABC):
    """Chooses actions for many games at once.

    Attributes:
        name: The string that names it, as in ``mcts:200``.
    """

    name: str

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
