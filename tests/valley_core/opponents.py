"""Opponents for the tests of adapters that have them."""

from typing import Any

import numpy as np

from valley_core.decisions import Decisions
from valley_core.game import Game


class Lowest:
    """Plays the lowest legal action."""

    def __init__(self) -> None:
        self.starts: list[Any] = []

    def start(self, game: Game, seeds: np.ndarray) -> None:
        """Note the seeds."""
        self.starts.append(seeds.copy())

    def act(self, decisions: Decisions) -> np.ndarray:
        """The lowest legal action of each."""
        assert len(decisions)
        return decisions.masks.argmax(1)


class Dice(Lowest):
    """Plays at random, from a stream of its own for each game."""

    def start(self, game: Game, seeds: np.ndarray) -> None:
        """One generator for each game."""
        super().start(game, seeds)
        self.streams = [np.random.default_rng(int(seed)) for seed in seeds]

    def act(self, decisions: Decisions) -> np.ndarray:
        """A random legal action of each."""
        pairs = zip(decisions.masks, decisions.streams, strict=True)
        return np.array([self.streams[stream].choice(np.flatnonzero(mask)) for mask, stream in pairs])


class Cheat(Lowest):
    """Plays an action that is never legal for a seat that is asked."""

    def act(self, decisions: Decisions) -> np.ndarray:
        """Wait."""
        return np.full(len(decisions), decisions.game.wait)
