"""The agents ``network:PATH`` and ``trained``: neural networks, run without torch."""

from abc import abstractmethod
from pathlib import Path

import numpy as np

from agents.base import Agent
from agents.mcts import leaf_of
from agents.network import Network, load_network, network_for
from agents.network_kernels import RulesAdder, rules_adder, think_all
from agents.random import next_shares, streams_of
from agents.trained import TRAINED, trained_file
from valley_core.batch import in_threads
from valley_core.decisions import Decisions
from valley_core.errors import OptionError
from valley_core.game import Game

KIND = "network"
SAMPLE = "sample"

LEAST_SHARE = 64
"""Decisions that are worth a thread of their own."""
CHUNK = 256
"""Decisions that a thread observes at a time: all at once could fill the memory."""


class PolicyAgent(Agent):
    """Plays the legal action with the greatest logit."""

    deterministic = True
    _network: Network
    _add: RulesAdder | None = None  # of a residual network

    @abstractmethod
    def path(self, game: Game) -> str | Path:
        """The file of the network for this game."""

    def start(self, game: Game, seeds: np.ndarray) -> None:
        """Load the network; nothing is random here.

        Raises:
            NetworkError: The file cannot be used.
            OptionError: The network does not fit the game, or there is none.
        """
        self._network = network_for(game, self.path(game))
        self._add = rules_adder(game, leaf_of(game, "judge")) if self._network.residual else None

    def logits(self, decisions: Decisions) -> np.ndarray:
        """The logits of all actions, -inf for those that are not legal, float32 of shape (n, num_actions)."""
        shape, numbers = self._network.flat
        masks, heads = decisions.masks, np.zeros((len(decisions), shape[-1]), np.float32)

        def work(part: slice) -> None:
            for first in range(part.start, part.stop, CHUNK):
                own = slice(first, min(first + CHUNK, part.stop))
                some = Decisions(decisions.game, decisions.states[own], decisions.seats[own], decisions.streams[own])
                think_all(some.observations, shape, numbers, heads[own])
                if self._add is not None:
                    self._add(some.states, some.seats, masks[own], heads[own])

        in_threads(len(decisions), work, LEAST_SHARE)
        return np.where(masks != 0, heads[:, : self._network.actions], np.float32(-np.inf))

    def act(self, decisions: Decisions) -> np.ndarray:
        """The action with the greatest logit, for each decision."""
        return self.logits(decisions).argmax(1)


class NetworkAgent(PolicyAgent):
    """The network in a file.

    Raises:
        NetworkError: The file cannot be used.
    """

    def __init__(self, path: str) -> None:
        load_network(path)  # says what is wrong with it before anything is played
        self.name = f"{KIND}:{path}"
        self._path = path

    def path(self, game: Game) -> str:
        """The file that was named."""
        return self._path


class SamplingAgent(NetworkAgent):
    """Draws an action from the softmax of the logits, as in training."""

    deterministic = False

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.name += f",{SAMPLE}"

    def start(self, game: Game, seeds: np.ndarray) -> None:
        """Load the network, and seed one stream of random numbers for each seat of each game."""
        super().start(game, seeds)
        self._draws = streams_of(seeds, game.seats)["rng"]

    def act(self, decisions: Decisions) -> np.ndarray:
        """An action drawn for each decision."""
        own = decisions.streams * decisions.game.seats + decisions.seats
        share = next_shares(self._draws, own)
        logits = self.logits(decisions).astype(np.float64)
        upto = np.exp(logits - logits.max(1, keepdims=True)).cumsum(1)
        return (upto > share[:, None] * upto[:, -1:]).argmax(1)


class TrainedAgent(PolicyAgent):
    """The best shipped network for the game and its setting."""

    name = TRAINED

    def path(self, game: Game) -> Path:
        """The file for this game."""
        return trained_file(game)


def network_of(argument: str) -> Agent:
    """The agent of the file that is named, with ``,sample`` behind it if it is to draw its actions.

    Raises:
        OptionError: No file is named.
        NetworkError: The file cannot be used.
    """
    path, _, how = argument.partition(f",{SAMPLE}")
    if not path or how:
        raise OptionError(f"the agent is written {KIND}:PATH or {KIND}:PATH,{SAMPLE}, not {KIND}:{argument}")
    return SamplingAgent(path) if path != argument else NetworkAgent(path)
