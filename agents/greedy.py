"""Greedy players, written by hand: one for each game, in a module of its own."""

from collections.abc import Callable
from importlib import import_module

import numpy as np

from agents.base import Agent
from valley_core.batch import in_threads
from valley_core.decisions import Decisions
from valley_core.errors import OptionError
from valley_core.game import Game

PLAYERS = {"deathvalley": "agents.greedy_deathvalley", "riftvalley": "agents.greedy_riftvalley"}
"""The module of each game. Its ``choose_some(states, data, seats, actions)`` writes an action for each decision. It
runs in threads, on slices of a batch, and must not depend on what is hidden from the seat, nor on the other games."""

LEAST_SHARE = 16
"""Decisions that are worth a thread of their own: each takes many times as long as a step."""


class GreedyAgent(Agent):
    """Plays each game by the rules of thumb of its module."""

    name = "greedy"
    deterministic = True
    _choose_some: Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], None]

    def start(self, game: Game, seeds: np.ndarray) -> None:
        """Nothing is random here.

        Raises:
            OptionError: A game without a greedy player.
        """
        if game.name not in PLAYERS:
            raise OptionError(f"the agent 'greedy' cannot play {game.name!r}; it knows {', '.join(PLAYERS)}")
        self._choose_some = import_module(PLAYERS[game.name]).choose_some

    def act(self, decisions: Decisions) -> np.ndarray:
        """The greedy action for each decision."""
        states, data, seats = decisions.states, decisions.game.data, decisions.seats
        actions = np.zeros(len(decisions), np.int64)
        in_threads(
            len(decisions),
            lambda part: self._choose_some(states[part], data, seats[part], actions[part]),
            LEAST_SHARE,
        )
        return actions
