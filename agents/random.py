"""Uniformly random legal actions, in any game."""

import numpy as np

from agents.base import Agent
from valley_core.batch import CHANCE, in_threads, loops_of
from valley_core.decisions import Decisions
from valley_core.game import Game
from valley_core.rng import GAMMA, MASK, draw_plain

SALT = 0x9D39247E33776D41
"""Sets the streams of this agent apart from that of a deal with the same seed."""


def streams_of(seeds: np.ndarray, seats: int) -> np.ndarray:
    """A stream of random numbers for each game and seat, by the game's seed alone; that of seat s at game × seats + s.

    Seats have streams of their own: two of a simultaneous game may be decided in different threads.
    """
    chances = np.zeros(len(seeds) * seats, CHANCE)
    chances["rng"] = [
        draw_plain((int(seed) ^ SALT) + seat * GAMMA & MASK)[1] for seed in seeds for seat in range(1, seats + 1)
    ]
    return chances


class RandomAgent(Agent):
    """Every legal action is equally likely."""

    name = "random"

    def start(self, game: Game, seeds: np.ndarray) -> None:
        """Seed one stream of random numbers for each seat of each game."""
        self._seats = game.seats
        self._chances = streams_of(seeds, game.seats)

    def act(self, decisions: Decisions) -> np.ndarray:
        """A random action for each decision, from the stream of its game and seat."""
        own = decisions.streams * self._seats + decisions.seats
        masks, chances = decisions.masks, self._chances[own]
        actions = np.zeros(len(decisions), np.int64)
        pick_all = loops_of(decisions.game).pick_all
        in_threads(len(decisions), lambda part: pick_all(masks[part], chances[part], actions[part]))
        self._chances[own] = chances
        return actions
