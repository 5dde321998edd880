"""Who sits in the other seats while a policy learns: agents, and past selves of the policy."""

from typing import Any

import numpy as np

from agents.base import Agent, make_agent
from agents.item_network import AnyNetwork
from agents.network import Network
from agents.network_agent import SamplingAgent
from agents.random import streams_of
from valley_core.decisions import Decisions
from valley_core.game import Game

SELF = "self"
"""Names past selves among the opponents."""

NEWEST_SHARE = 0.5
"""How often the newest of the past selves plays rather than any of them."""
MOST_PAST = 8
"""Past selves that are kept; beyond it a random one makes room, so that old and new ones stay."""


class PastSelf(SamplingAgent):
    """Plays as a past self of the policy, drawing its actions as in training.

    Which one, `League.draw` says; it may change within a game.
    """

    _past: AnyNetwork
    _plain: Network | None = None
    """The past self on the game that is played."""

    def __init__(self) -> None:
        self.name = SELF

    def start(self, game: Game, seeds: np.ndarray) -> None:
        """Seed one stream of random numbers for each seat of each game."""
        self._draws = streams_of(seeds, game.seats)["rng"]
        self._plain = None

    def __getstate__(self) -> dict[str, Any]:
        """Without what is found again, so that checkpoints stay small."""
        return self.__dict__ | {"_plain": None, "_network": None}

    def become(self, network: AnyNetwork) -> None:
        """Play as this network from now on."""
        self._past, self._plain = network, None

    def logits(self, decisions: Decisions) -> np.ndarray:
        """The logits of that network on the game, of which there is one between two calls of `start`."""
        if self._plain is None:
            self._plain = self._past.on(decisions.game)
        self._network = self._plain
        return super().logits(decisions)


class League:
    """The past selves of a policy, and the seats in which they play.

    Args:
        seed: Of the draws.
    """

    def __init__(self, seed: int) -> None:
        self.past: list[AnyNetwork] = []
        self.seats: list[PastSelf] = []
        self._rng = np.random.default_rng(seed)

    def opponent(self, name: str) -> Agent:
        """A new opponent: a past self if it is named so, else `agents.make_agent`. `draw` before it plays."""
        if name != SELF:
            return make_agent(name)
        self.seats.append(PastSelf())
        return self.seats[-1]

    def remember(self, network: AnyNetwork) -> None:
        """Take in what the policy is now."""
        if len(self.past) == MOST_PAST:
            del self.past[int(self._rng.integers(MOST_PAST - 1))]  # the newest stays
        self.past.append(network)

    def draw(self) -> None:
        """Draw who plays in each seat of past selves."""
        for seat in self.seats:
            newest = self._rng.random() < NEWEST_SHARE
            seat.become(self.past[-1 if newest else int(self._rng.integers(len(self.past)))])
