"""How many choices an agent has, counted while it plays."""

import numpy as np

from agents.base import Agent
from training.games import entry_of
from valley_core.decisions import Decisions
from valley_core.game import Game


class Counting(Agent):
    """Plays as another agent, and counts the legal actions at each first decision of a turn.

    Attributes:
        choices: Legal actions at first decisions, for each stream, int64 of shape (streams,).
        turns: First decisions, likewise.
    """

    def __init__(self, agent: Agent) -> None:
        self.name, self.deterministic = agent.name, agent.deterministic
        self._agent = agent

    def start(self, game: Game, seeds: np.ndarray) -> None:
        """Begin to count anew."""
        self._is_first = entry_of(game.name).columns.is_first_decision
        self._agent.start(game, seeds)
        self.choices = np.zeros(len(seeds), np.int64)
        self.turns = np.zeros(len(seeds), np.int64)

    def act(self, decisions: Decisions) -> np.ndarray:
        """The other agent's action for each decision."""
        first = self._is_first(decisions)
        np.add.at(self.choices, decisions.streams[first], decisions.masks[first].sum(1))
        np.add.at(self.turns, decisions.streams[first], 1)
        return self._agent.act(decisions)

    def mean(self, games: np.ndarray, seats: int) -> float:
        """The mean over all turns of these games, of an agent that sits in all seats."""
        choices, turns = (counted.reshape(seats, -1)[:, games].sum() for counted in (self.choices, self.turns))
        return float(choices / turns)
