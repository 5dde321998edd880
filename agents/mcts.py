"""The agent ``mcts``: Monte Carlo tree search for each decision (`agents.search`)."""

from dataclasses import dataclass
from importlib import import_module
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from agents.base import Agent
from agents.greedy import PLAYERS
from agents.network import SUFFIX, load_network, network_for
from agents.network_kernels import network_leaf
from agents.random import streams_of
from agents.search import Leaf, Search, Tree, follow_out, new_tree, roll_out, with_rollouts
from agents.trained import TRAINED, trained_file
from valley_core.batch import in_threads
from valley_core.decisions import Decisions
from valley_core.errors import OptionError
from valley_core.game import Game

LEAVES = ("judge", "random", "greedy", TRAINED)
MOST_SIMULATIONS = 1_000_000
NOISE = 0.25
MOST_EXACT = 10_000_000
CHUNK = 32
"""Simulations between two looks at the clock."""
NO_PARAMS = np.zeros(0)


@dataclass(frozen=True)
class Options:
    """How the agent ``mcts`` searches.

    Attributes:
        simulations: For each decision.
        seconds: Time for each decision, which ends the search before `simulations` do; 0: no limit. What is
            chosen then depends on the machine.
        leaf: What judges a position new to the tree: ``judge`` (the rules of thumb of the agent greedy, which also say
            which actions are tried first), ``random`` or ``greedy`` (the rest of the game is played so), ``trained`` or
            the path of a file (a network, which also says which actions are tried first).
        exploration: Weight of what has been tried seldom (c of PUCT), in units of a victory.
        noise: By which part of itself what is tried first is shaken at each new position: of equals, another one with
            each seed. None: 0.25 where nothing else is random (moves at once), 0 where luck is.
        open_cards: Look at what is hidden, but for luck still to come: for bounds, not for play.
        exact: Positions that exact play may write down before a late decision is searched; where that solves it, the
            best action is played (solo Death Valley: `agents.exact_deathvalley`). 0: search alone.
        spread: The part of what the leaf says of the decision itself that all its actions share equally: from 0 to 1.
            More than 0 so that none is overlooked, in games to learn from.
        rules: The weight of greedy's rules of thumb in what a leaf says that is a network: 0 to 1. They hold where the
            search meets positions such as the network has not seen.
        rollouts: The weight of greedy play to the end of the game in the values of a leaf that judges: 0 to 1. It sees
            what only shows many turns later, and takes ten times as long.

    Raises:
        OptionError: A number that is out of range, or a leaf that there is not.
        NetworkError: The file of a network cannot be used.
    """

    simulations: int = 200
    seconds: float = 0.0
    leaf: str = "judge"
    exploration: float = 1.0
    noise: float | None = None
    open_cards: bool = False
    exact: int = 0
    spread: float = 0.0
    rules: float = 0.0
    rollouts: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what no search can do."""
        if not 1 <= self.simulations <= MOST_SIMULATIONS:
            raise OptionError(f"mcts needs 1 to {MOST_SIMULATIONS:,} simulations, not {self.simulations:,}")
        if self.leaf.endswith(SUFFIX):
            load_network(self.leaf)  # says what is wrong with it before anything is played
        elif self.leaf not in LEAVES:
            raise OptionError(f"mcts knows the leaves {', '.join(LEAVES)} and files *{SUFFIX}, not {self.leaf!r}")
        if self.noise is not None and not 0 <= self.noise < float("inf"):
            raise OptionError("noise of mcts is 0 or more, and finite")
        if not 0 <= self.exact <= MOST_EXACT:
            raise OptionError(f"exact of mcts is 0 to {MOST_EXACT:,} positions, not {self.exact:,}")
        if not 0 <= self.exploration < float("inf") or not 0 <= self.seconds < float("inf"):
            raise OptionError("exploration and seconds of mcts are 0 or more, and finite")
        for name in ("spread", "rules", "rollouts"):
            if not 0 <= getattr(self, name) <= 1:
                raise OptionError(f"{name} of mcts is from 0 to 1, not {getattr(self, name):g}")
        if self.rules and not self.asks_network:
            raise OptionError(f"rules of mcts joins the leaf of a network, and the leaf here is {self.leaf!r}")
        if self.rollouts and self.leaf in ("random", "greedy"):
            raise OptionError(f"rollouts of mcts joins a leaf that judges, and {self.leaf!r} plays to the end")

    @property
    def asks_network(self) -> bool:
        """Whether the leaf is a network."""
        return self.leaf == TRAINED or self.leaf.endswith(SUFFIX)

    def noise_in(self, game: Game) -> float:
        """The noise of searches of this game."""
        return (NOISE if game.simultaneous else 0.0) if self.noise is None else self.noise


_KEYS = {
    "leaf": str,
    "exploration": float,
    "seconds": float,
    "noise": float,
    "open_cards": bool,
    "exact": int,
    "spread": float,
    "rules": float,
    "rollouts": float,
}

ORACLES = {"deathvalley": "agents.exact_deathvalley"}
"""The module of each game that has one.

Its ``check_game(game)`` raises `OptionError` for options that it does not solve; its ``exact_choice(game, states,
budget)`` gives the best actions, -1 where they are not known, and must not depend on what is hidden.
"""


def options_of(argument: str) -> Options:
    """The options in an agent's name: ``200``, or ``1000,leaf=random,exploration=1.4``.

    Raises:
        OptionError: It is not so written, or a value is out of range.
        NetworkError: The file of a network cannot be used.
    """
    first, *rest = argument.split(",") if argument else ("200",)
    found: dict[str, Any] = {}
    try:
        found["simulations"] = int(first)
        for item in rest:
            key, _, value = item.partition("=")
            found[key] = _KEYS[key](value) if _KEYS[key] is not bool else {"1": True, "0": False}[value]
    except (ValueError, KeyError):
        raise OptionError(
            f"the agent 'mcts' is written mcts:SIMULATIONS, then ,KEY=VALUE for each of {', '.join(_KEYS)} "
            f"(as in mcts:200,leaf=random), not mcts:{argument}"
        ) from None
    return Options(**found)


def player_of(game: Game) -> Any:
    """The module of the game's greedy player.

    Raises:
        OptionError: There is none.
    """
    if game.name not in PLAYERS:
        raise OptionError(f"mcts has only the leaf 'random' for {game.name!r}: nobody wrote a greedy player for it")
    return import_module(PLAYERS[game.name])


def leaf_of(game: Game, name: str, rules: float = 0.0) -> Leaf:
    """A leaf for this game; of a network, joined with the rules of thumb by their weight `rules`.

    Raises:
        OptionError: The leaf needs the game's greedy player or a network that fits it, and there is none.
        NetworkError: The file of a network cannot be used.
    """
    if name == TRAINED or name.endswith(SUFFIX):
        network = network_for(game, trained_file(game) if name == TRAINED else name)
        return network_leaf(game, network, leaf_of(game, "judge") if rules or network.residual else None, rules)
    if name == "random":
        return Leaf(name, roll_out, {}, NO_PARAMS)
    player = player_of(game)
    if name == "greedy":
        return Leaf(name, follow_out, {"follow": player.follow}, NO_PARAMS)
    return Leaf(name, player.judge_leaf, {}, player.JUDGE_PARAMS)


_searches: dict[tuple[str, str], Search] = {}


def search_of(game: Game, options: Options) -> tuple[Search, Leaf]:
    """The bound search of a game, one for each package of kernels and leaf, and the leaf."""
    made = leaf_of(game, options.leaf, options.rules)
    if options.rollouts:
        made = with_rollouts(game, made, player_of(game).follow, options.rollouts)
    key = (game.package, made.name)
    if key not in _searches:
        _searches[key] = Search(game, made)
    return _searches[key], made


class Searched(NamedTuple):
    """What a search found.

    Attributes:
        visits: Of each action, int64 of shape (n, num_actions).
        means: The mean return of each action for who decides, float64 of the same shape; that of the position where an
            action was not visited.
        priors: How promising each action looked before the search, float64 of the same shape; each row sums to 1.
    """

    visits: np.ndarray
    means: np.ndarray
    priors: np.ndarray


def search(game: Game, states: np.ndarray, seats: np.ndarray, chances: np.ndarray, options: Options) -> Searched:
    """Search decisions of many games, in threads.

    Args:
        game: The game.
        states: One decision in each, records of shape (n,).
        seats: Who decides, int64 of shape (n,).
        chances: A stream of random numbers for each decision, `valley_core.batch.CHANCE` of shape (n,); moved on.
        options: How to search.
    """
    bound, leaf = search_of(game, options)
    visits = np.zeros((len(states), game.num_actions), np.int64)
    means, priors = np.zeros(visits.shape), np.zeros(visits.shape)

    def run(tree: Tree, part: slice, simulations: int, keep: bool) -> None:
        bound.search_all(
            tree,
            states[part],
            game.data,
            seats[part],
            options.open_cards,
            simulations,
            options.exploration,
            options.noise_in(game),
            options.spread,
            chances[part],
            leaf.params,
            keep,
            visits[part],
            means[part],
            priors[part],
        )

    def work(part: slice) -> None:
        tree = new_tree(game, options.simulations)
        if not options.seconds:
            run(tree, part, options.simulations, False)
            return
        for i in range(part.start, part.stop):
            stop = perf_counter() + options.seconds
            done = 0
            while done < options.simulations and (done == 0 or perf_counter() < stop):
                count = min(CHUNK, options.simulations - done)
                run(tree, slice(i, i + 1), count, done > 0)
                done += count

    in_threads(len(states), work, 1)
    return Searched(visits, means, priors)


def most_visited(visits: np.ndarray, means: np.ndarray) -> np.ndarray:
    """The action that `search` visited most in each decision; of equals, the one with the better mean."""
    best = visits == visits.max(1, keepdims=True, initial=0)
    return np.where(best, means, -np.inf).argmax(1)


class MCTSAgent(Agent):
    """Plays the action that was visited most; of equals, the one with the better mean."""

    def __init__(self, options: Options, name: str) -> None:
        self.options = options
        self.name = name

    def start(self, game: Game, seeds: np.ndarray) -> None:
        """Seed one stream of random numbers for each seat of each game.

        Raises:
            OptionError: A leaf, or exact play, that this game has not.
            NetworkError: The file of a network cannot be used.
        """
        search_of(game, self.options)
        self._seats = game.seats
        self._chances = streams_of(seeds, game.seats)
        if self.options.exact:
            if game.name not in ORACLES:
                raise OptionError(f"nobody solves {game.name!r} exactly: leave out exact={self.options.exact}")
            import_module(ORACLES[game.name]).check_game(game)

    def act(self, decisions: Decisions) -> np.ndarray:
        """The action that the search prefers, for each decision."""
        game, states = decisions.game, decisions.states
        actions = np.full(len(states), -1)
        if self.options.exact:
            actions = import_module(ORACLES[game.name]).exact_choice(game, states, self.options.exact)
        searched = np.flatnonzero(actions < 0)
        own = decisions.streams[searched] * self._seats + decisions.seats[searched]
        chances = self._chances[own]
        visits, means, _ = search(game, states[searched], decisions.seats[searched], chances, self.options)
        self._chances[own] = chances
        actions[searched] = most_visited(visits, means)
        return actions


def mcts(argument: str) -> Agent:
    """The agent that a name's argument describes (`options_of`)."""
    return MCTSAgent(options_of(argument), f"mcts:{argument}" if argument else "mcts")
