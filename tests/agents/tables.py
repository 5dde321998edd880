"""Games, decks and states in mid-play for the tests of agents."""

import random
from functools import cache
from typing import Any

import numpy as np

from agents import Agent, Decisions
from agents.search import Leaf, bound_leaf
from deathvalley_env.deck import deck_from_dict, draw_deck, load_deck
from deathvalley_env.game import make_game
from tests.reference.deathvalley import random_deck
from valley_core.batch import loops_of, new_chances
from valley_core.game import Game

VARIANTS: dict[str, dict[str, Any]] = {
    "base": {},
    "backseat": {"variant": "backseat"},
    "solo": {"solo": True},
    "solo discard_points": {"solo": True, "discard_points": True},
    "solo must_outbust": {"solo": True, "must_outbust": True},
    "solo both": {"solo": True, "discard_points": True, "must_outbust": True, "ask_forced": True},
}
SHIPPED = ("highs_and_lows", "death_valley")
DECKS = (*SHIPPED, "mixed", "random 1", "random 2", "random 3")


@cache
def game_of(variant: str, deck: str = "highs_and_lows") -> Game:
    """A game on a shipped deck, a mixed one, or one made at random from the vocabulary."""
    if deck == "mixed":
        loaded = draw_deck(SHIPPED, seed=4)
    elif deck.startswith("random"):
        loaded = deck_from_dict({"name": deck, "card": random_deck(random.Random(deck))})
    else:
        loaded = load_deck(deck)
    return make_game(deck=loaded, **VARIANTS[variant])


def deal(game: Game, seeds: np.ndarray) -> np.ndarray:
    """Games dealt from these seeds."""
    states = game.new_states(len(seeds))
    states["rng"] = seeds
    loops_of(game).reset_some(states, game.data, np.ones(len(seeds), np.bool_))
    return states


def seats_of(game: Game, states: np.ndarray) -> np.ndarray:
    """Who is asked in each game, -1 at its end."""
    seats, statuses = np.zeros(len(states), np.int64), np.zeros(len(states), np.int64)
    loops_of(game).look_all(states, game.data, 0, seats, statuses, np.zeros((len(states), game.seats)))
    return seats


def decisions_of(game: Game, states: np.ndarray, streams: np.ndarray | None = None) -> Decisions:
    """The decisions asked in these games, none of which is over."""
    return Decisions(game, states, seats_of(game, states), np.arange(len(states)) if streams is None else streams)


def in_mid_play(game: Game, count: int, seed: int = 1) -> np.ndarray:
    """About `count` games stopped after a random number of random decisions; those that are over by then left out."""
    states = deal(game, np.random.default_rng(seed).integers(0, 2**63, count).astype(np.uint64))
    lengths = np.random.default_rng(seed + 1).integers(0, 60, count)
    chances = new_chances(seed, count)
    for step in range(60):
        seats = seats_of(game, states)
        seats[lengths <= step] = -1
        going = np.flatnonzero(seats >= 0)
        actions = np.zeros(count, np.int64)
        masks = Decisions(game, states[going], seats[going], going).masks
        own, chosen = chances[going], np.zeros(len(going), np.int64)
        loops_of(game).pick_all(masks, own, chosen)
        chances[going], actions[going] = own, chosen
        loops_of(game).step_all(states, game.data, seats, actions)
    return states[seats_of(game, states) >= 0]


def with_other_luck(states: np.ndarray, seed: int = 9) -> np.ndarray:
    """The same games as far as any player can know: another order of the deck, other random numbers."""
    rng = np.random.default_rng(seed)
    changed = states.copy()
    for state in changed:
        size = int(state["deck_size"])
        state["deck"][:size] = rng.permutation(state["deck"][:size])
        state["rng"] = rng.integers(0, 2**63)
    return changed


def act_all(agent: Agent, decisions: Decisions) -> np.ndarray:
    """The actions of an agent, which must be legal and leave the states alone."""
    before = decisions.states.tobytes()
    actions = agent.act(decisions)
    assert actions.dtype == np.int64
    assert actions.shape == (len(decisions),)
    assert decisions.states.tobytes() == before
    assert decisions.masks[np.arange(len(actions)), actions].all()
    return actions


def play(game: Game, agents: tuple[Agent, ...], seeds: np.ndarray, batch: int = 1000) -> np.ndarray:
    """The final states of games played to the end, `batch` side by side; one agent for each seat."""
    ended = []
    for start in range(0, len(seeds), batch):
        states = deal(game, seeds[start : start + batch])
        for seat, agent in enumerate(agents):
            agent.start(game, seeds[start : start + batch] + np.uint64(seat))
        while (seats := seats_of(game, states)).max() >= 0:
            actions = np.zeros(len(states), np.int64)
            for seat, agent in enumerate(agents):
                own = np.flatnonzero(seats == seat)
                if len(own):
                    actions[own] = act_all(agent, Decisions(game, states[own], seats[own], own))
            loops_of(game).step_all(states, game.data, seats, actions)
        ended.append(states)
    return np.concatenate(ended)


def win_rate(game: Game, states: np.ndarray, seat: int = 0) -> float:
    """The share of games won by `seat`, shared victories counted as halves."""
    totals = np.zeros((len(states), game.seats))
    numbers = np.zeros((2, len(states)), np.int64)
    loops_of(game).look_all(states, game.data, 0, numbers[0], numbers[1], totals)
    return float((totals[:, seat].mean() + 1) / 2)


def leaf_says(game: Game, leaf: Leaf, decisions: Decisions) -> tuple[np.ndarray, np.ndarray]:
    """What a leaf says of decisions: priors, of shape (n, num_actions), that sum to 1; values, of shape (n, seats)."""
    judge = bound_leaf(game, leaf)
    chance, states = new_chances(0, 1)[0], decisions.states.copy()  # a leaf may spoil them
    priors, values = np.zeros((len(states), game.num_actions)), np.zeros((len(states), game.seats))
    for i in range(len(states)):
        datum, seat, mask = game.data[states[i]["data"]], int(decisions.seats[i]), decisions.masks[i].copy()
        judge(states[i], datum, seat, mask, chance, leaf.params, priors[i], values[i])
    priors *= decisions.masks
    return priors / priors.sum(1, keepdims=True), values
