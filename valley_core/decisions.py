"""What an agent is given: a batch of decisions, one in each of many games."""

from functools import cached_property

import numpy as np

from valley_core.batch import loops_of
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
