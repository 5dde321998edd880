"""Late positions of solo Death Valley, for the tests of exact play."""

import random
from typing import Any

import numpy as np

from agents import Decisions, make_agent
from deathvalley_env import rules
from deathvalley_env.vocabulary import NO_CARD, NUM_CARDS, Decision
from tests.agents.tables import deal, game_of, seats_of
from tests.deathvalley_env.table import Position, position_of, put
from tests.reference.deathvalley import Card
from tests.reference.exact_deathvalley import Table
from valley_core.batch import loops_of
from valley_core.game import Game

SETTINGS = {
    "none": "solo",
    "discard_points": "solo discard_points",
    "must_outbust": "solo must_outbust",
    "both": "solo both",
}
"""Settings of the modifiers, and the variant of `game_of`."""
DECKS = ("highs_and_lows", "death_valley")


def solo(setting: str, deck: str = "highs_and_lows") -> Game:
    """The game against the solo AI."""
    return game_of(SETTINGS[setting], deck)


def card_names(game: Game) -> list[str]:
    """The names of the cards, in the order of the deck file."""
    names = game.action_names
    first = names.index("travel face-up") + 22
    return [name.removeprefix("card ") for name in names[first : first + NUM_CARDS]]


def desert(states: Any) -> Any:
    """Cards in the Desert."""
    return states["deck_size"] + (states["face_up"] != NO_CARD)


def decisions_from_play(game: Game, agent_name: str, seeds: np.ndarray) -> np.ndarray:
    """All states in which the learner is asked in these games, played by an agent."""
    states, agent, found = deal(game, seeds), make_agent(agent_name), []
    agent.start(game, seeds)
    while len(going := np.flatnonzero((seats := seats_of(game, states)) >= 0)):
        states, seats = states[going], seats[going]
        found.append(states.copy())
        actions = agent.act(Decisions(game, states, seats, np.arange(len(states))))
        loops_of(game).step_all(states, game.data, seats, actions)
    return np.concatenate(found)


def turns_from_play(game: Game, agent_name: str, seeds: np.ndarray) -> np.ndarray:
    """Those of them in which a turn begins."""
    states = decisions_from_play(game, agent_name, seeds)
    return states[(states["decision"] == Decision.TURN) & (states["used"][:, 0] == 0)]


def scattered(game: Game, count: int, seed: int) -> np.ndarray:
    """Positions laid out at random, of which little can follow: few cards in the Desert and the Journeys."""
    rng, names, found = random.Random(seed), card_names(game), []
    while len(found) < count:
        state: Any = deal(game, np.zeros(1, np.uint64))[0]
        cards = rng.sample(names, NUM_CARDS)
        position = Position(cards.pop(), [cards.pop() for _ in range(rng.randint(1, 3))])
        for player, most in ((0, 2), (1, 3)):
            position.journey[player] = [[cards.pop()] for _ in range(rng.randint(0, most))]
        position.scrapbook[0] = [[cards.pop()] for _ in range(rng.randint(0, 2))]
        if position.scrapbook[0]:
            position.scrapbook[0][-1] += [cards.pop() for _ in range(rng.randint(0, len(cards) - 1))]
        cut = rng.randint(0, len(cards))
        position.discard = [cards[:cut], cards[cut:]]
        position.busts = [rng.randint(0, 2), rng.randint(0, 3)]
        put(state, position, names)
        state["touched"] = 3
        rules.begin_turn(state)
        rules.settle(state, game.data[0])
        if state["decision"] == Decision.TURN and state["player"] == 0 and state["turn"] == 0:
            found.append(state.copy())
    return np.array(found, game.template.dtype)


def reference_table(game: Game, state: Any, cards: list[dict[str, Any]]) -> Table:
    """The same position for the reference implementation."""
    position, number = position_of(state, range(NUM_CARDS)), int
    table = Table([Card(card) for card in cards])
    table.deck = [number(card) for card in position.deck]
    table.face_up = None if state["face_up"] == NO_CARD else int(state["face_up"])
    for player in range(2):
        for name, row in (("journey", table.journey), ("scrapbook", table.scrapbook)):
            piles = [[int(card) for card in pile] for pile in getattr(position, name)[player]]
            row[player] = [pile[0] for pile in piles]
            table.under |= {pile[0]: pile[1:] for pile in piles if pile[1:]}
        table.discard[player] = [int(card) for card in position.discard[player]]
    table.busts = [int(busts) for busts in state["busts"]]
    return table
