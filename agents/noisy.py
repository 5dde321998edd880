"""The agent ``noisy:SHARE``: greedy, but a share of its decisions is random.

Greedy alone plays the same deal the same way each time, and Rift Valley has few deals. With some noise every game is
another, so that much the same play can be measured as often as one likes.
"""

import numpy as np

from agents.base import Agent
from agents.greedy import GreedyAgent
from agents.random import RandomAgent, next_shares, streams_of
from valley_core.decisions import Decisions
from valley_core.errors import OptionError
from valley_core.game import Game

KIND = "noisy"
DEFAULT_SHARE = 0.1
"""Share of random decisions of the agent that is named ``noisy`` alone."""

SALT = np.uint64(0x2545F4914F6CDD1D)
"""Sets the coins apart from the streams of the random agent."""


class NoisyAgent(Agent):
    """Plays a random legal action with a fixed chance, and else what greedy plays."""

    def __init__(self, share: float) -> None:
        self.name = f"{KIND}:{share:g}"
        self._share = share
        self._greedy, self._random = GreedyAgent(), RandomAgent()

    def start(self, game: Game, seeds: np.ndarray) -> None:
        """Seed streams of coins and of random actions for each seat of each game."""
        self._greedy.start(game, seeds)
        self._random.start(game, seeds)
        self._coins = streams_of(seeds ^ SALT, game.seats)["rng"]

    def act(self, decisions: Decisions) -> np.ndarray:
        """The action of greedy for each decision, or a random one."""
        own = decisions.streams * decisions.game.seats + decisions.seats
        random = next_shares(self._coins, own) < self._share
        actions = np.zeros(len(decisions), np.int64)
        for agent, where in ((self._greedy, ~random), (self._random, random)):
            if where.any():
                states, seats, streams = decisions.states[where], decisions.seats[where], decisions.streams[where]
                actions[where] = agent.act(Decisions(decisions.game, states, seats, streams))
        return actions


def noisy(argument: str) -> Agent:
    """The agent with this share of random decisions.

    Raises:
        OptionError: The argument is no number from 0 to 1.
    """
    try:
        share = float(argument or DEFAULT_SHARE)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise OptionError(f"the agent {KIND!r} takes a share of random decisions from 0 to 1, not {argument!r}")
    return NoisyAgent(share)
