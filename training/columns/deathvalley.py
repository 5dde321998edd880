"""What a finished game of Death Valley is measured by."""

from pathlib import Path
from typing import Any

import numpy as np

import deathvalley_env  # noqa: F401  (registers the sources that the cache depends on)
from deathvalley_env.busts import trapped
from deathvalley_env.scoring import card_scores, ending
from deathvalley_env.vocabulary import NUM_CARDS, NUM_PLAYERS, Ending
from valley_core.game import Game
from valley_core.jit import kernel, register_package

PACKAGE = "training_deathvalley"
register_package(PACKAGE, Path(__file__).parent, depends=("deathvalley_env",))

KINDS = ("stars", "skulls", "abilities", "discards")
"""Where points come from."""

ENDINGS = tuple(rule.name.lower() for rule in Ending)
"""By which rule a game was decided: names of the column ``ending``."""

COLUMNS = np.dtype(
    (
        np.record,
        [
            ("scores", "i4", (NUM_PLAYERS,)),
            ("by_kind", "i4", (NUM_PLAYERS, len(KINDS))),
            ("busts", "i4", (NUM_PLAYERS,)),
            ("journey", "i4", (NUM_PLAYERS,)),  # the cards of each Journey, as a bit mask
            ("trapped", "i1", (NUM_PLAYERS,)),  # 1: three of a hazard in the Scrapbook: a bust in every turn (R18)
            ("turns", "i4"),
            ("ending", "i4"),
        ],
    )
)


def _fill(states: Any, data: Any, out: Any) -> None:
    points = np.zeros((NUM_CARDS, 3), np.int64)
    for i in range(len(states)):
        state = states[i]
        deck = data[state["data"]]
        row = out[i]
        for player in range(NUM_PLAYERS):
            score = state.scores[player]
            card_scores(state, deck, player, points)
            row.scores[player] = score
            rest = score
            for kind in range(3):
                total = 0
                for card in range(NUM_CARDS):
                    total += points[card, kind]
                row.by_kind[player, kind] = total
                rest -= total
            row.by_kind[player, 3] = rest
            row.busts[player] = state.busts[player]
            row.journey[player] = state.journey_set[player]
            row.trapped[player] = trapped(state, deck, player)
        row.turns = state.turn
        _, rule = ending(state)
        row.ending = rule


fill = kernel(_fill, package=PACKAGE)


def columns(game: Game, states: np.ndarray) -> np.ndarray:
    """The columns of finished games, of shape (n,)."""
    out = np.zeros(len(states), COLUMNS)
    if len(states):
        fill(states, game.data, out)
    return out
