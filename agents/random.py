"""Uniformly random legal actions, in any game."""

import numpy as np

from agents.base import Agent
from valley_core.batch import CHANCE, in_threads, loops_of
from valley_core.decisions import Decisions
from valley_core.game import Game
from valley_core.rng import GAMMA, MASK, draw_plain, mix

SALT = 0x9D39247E33776D41
"""Sets the streams of this agent apart from that of a deal with the same seed."""


FRACTION_BITS = 53
"""Random bits of a number from 0 to 1: as many as a float64 holds."""


def streams_of(seeds: np.ndarray, seats: int) -> np.ndarray:
    """A stream of random numbers for each game and seat, by the game's seed alone; that of seat s at game × seats + s.

    Seats have streams of their own: two of a simultaneous game may be decided in different threads.
    """
    chances = np.zeros(len(seeds) * seats, CHANCE)
    chances["rng"] = [
        draw_plain((int(seed) ^ SALT) + seat * GAMMA & MASK)[1] for seed in seeds for seat in range(1, seats + 1)
    ]
    return chances


def next_shares(streams: np.ndarray, own: np.ndarray) -> np.ndarray:
    """The next random number from 0 to 1 of each stream in `own`, float64; they move on.

    Args:
        streams: The ``rng`` of `streams_of`.
        own: Indices of different streams.
    """
    streams[own] += np.uint64(GAMMA)
    return np.asarray((mix(streams[own]) >> np.uint64(64 - FRACTION_BITS)) * 2.0**-FRACTION_BITS)


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
