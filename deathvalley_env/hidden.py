"""What a player does not know: the order of the deck, and luck to come."""

from typing import Any

import numpy as np

from deathvalley_env.vocabulary import NUM_PLAYERS
from valley_core.bits import bit, lowest
from valley_core.jit import kernel
from valley_core.rng import shuffle


@kernel
def conceal(state: Any, seat: int) -> None:
    """Take out of a state what `seat` does not know: sort the deck, and set the random numbers to 0."""
    cards = 0
    for k in range(state.deck_size):
        cards |= bit(state.deck[k])
    size = 0
    while cards:
        state.deck[size] = lowest(cards)
        size += 1
        cards &= cards - 1
    # Beyond its size a row holds no card, but what once lay there.
    state.deck[size:] = 0
    for player in range(NUM_PLAYERS):
        state.journey[player, state.journey_size[player] :] = 0
        state.scrapbook[player, state.scrapbook_size[player] :] = 0
    state.rng = np.uint64(0)


@kernel
def reveal(state: Any) -> None:
    """Put something possible in the place of what was concealed: any order of the deck is equally likely."""
    shuffle(state, state.deck, state.deck_size)


@kernel
def put_on_top(state: Any, k: int) -> None:
    """Exchange the card at place `k` of the deck with the top card: to try each card that may be drawn."""
    top = int(state.deck_size) - 1
    state.deck[k], state.deck[top] = state.deck[top], state.deck[k]
