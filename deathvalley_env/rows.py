"""Journeys, Scrapbooks and hidden cards: how cards lie and move (rulebook, Journeys and Scrapbooks)."""

from typing import Any

from deathvalley_env.vocabulary import NO_CARD, NUM_CARDS
from valley_core.bits import bit
from valley_core.jit import kernel
from valley_core.rng import shuffle


@kernel
def journey_cards(state: Any, player: int) -> int:
    """The set of the cards in a Journey."""
    return int(state.journey_set[player])


@kernel
def scrapbook_cards(state: Any, player: int) -> int:
    """The set of the visible cards in a Scrapbook."""
    return int(state.scrapbook_set[player])


@kernel
def rows_of(state: Any, player: int) -> tuple[int, int]:
    """The sets of the visible cards in Journey and Scrapbook."""
    return journey_cards(state, player), scrapbook_cards(state, player)


@kernel
def column(row: Any, size: int, card: int) -> int:
    """The column of `card` in a row, or -1."""
    for k in range(size):
        if row[k] == card:
            return k
    return -1


@kernel
def hidden_under(state: Any, card: int) -> int:
    """The set of the cards hidden under a visible card."""
    cards = 0
    below = int(state.under[card])
    while below != NO_CARD:
        cards |= bit(below)
        below = int(state.under[below])
    return cards


@kernel
def hidden_in_row(state: Any, row: Any, size: int) -> int:
    """The set of the cards hidden under the cards of a row."""
    cards = 0
    for k in range(size):
        cards |= hidden_under(state, row[k])
    return cards


@kernel
def close_gap(row: Any, size: int, k: int) -> None:
    """Remove column k: the cards to its right shift to the left."""
    for i in range(k, size - 1):
        row[i] = row[i + 1]


@kernel
def touch(state: Any, player: int) -> None:
    """Note that the rows of `player` changed: the score is to be counted anew (`scoring.update_scores`)."""
    state.touched |= bit(player)


@kernel
def leave_rows(state: Any, player: int, card: int) -> None:
    """Take a visible card, with the cards under it, out of the rows of `player`."""
    touch(state, player)
    if state.journey_set[player] & bit(card):
        leave_journey(state, player, column(state.journey[player], state.journey_size[player], card))
        return
    k = column(state.scrapbook[player], state.scrapbook_size[player], card)
    close_gap(state.scrapbook[player], state.scrapbook_size[player], k)
    state.scrapbook_size[player] -= 1
    state.scrapbook_set[player] &= ~bit(card)


@kernel
def leave_journey(state: Any, player: int, k: int) -> None:
    """Take the card of column k out of a Journey."""
    state.journey_set[player] &= ~bit(state.journey[player, k])
    close_gap(state.journey[player], state.journey_size[player], k)
    state.journey_size[player] -= 1


@kernel
def join_journey(state: Any, player: int, card: int) -> None:
    """Add a card to the right end of a Journey; the cards under it follow, visible, to its right (R3)."""
    touch(state, player)
    while card != NO_CARD:
        state.journey[player, state.journey_size[player]] = card
        state.journey_size[player] += 1
        state.journey_set[player] |= bit(card)
        below = int(state.under[card])
        state.under[card] = NO_CARD
        card = below


@kernel
def join_scrapbook(state: Any, player: int, card: int) -> None:
    """Add a card, with the cards under it, to the right end of a Scrapbook."""
    touch(state, player)
    state.scrapbook[player, state.scrapbook_size[player]] = card
    state.scrapbook_size[player] += 1
    state.scrapbook_set[player] |= bit(card)


@kernel
def join_deck(state: Any, card: int) -> None:
    """Put a card and the cards under it into the deck (R3), which is then still to be shuffled."""
    while card != NO_CARD:
        state.deck[state.deck_size] = card
        state.deck_size += 1
        below = int(state.under[card])
        state.under[card] = NO_CARD
        card = below
    state.returned = 1


@kernel
def shuffle_returned(state: Any) -> None:
    """Shuffle the deck if any card was put into it (R15)."""
    if state.returned:
        shuffle(state, state.deck, state.deck_size)
        state.returned = 0


@kernel
def put_under(state: Any, card: int, above: int) -> None:
    """Hide `card` and the cards under it below `above` and those that it already hides (R3)."""
    last = above
    while state.under[last] != NO_CARD:
        last = state.under[last]
    state.under[last] = card


@kernel
def card_above(state: Any, card: int) -> int:
    """The card directly above a hidden card."""
    for above in range(NUM_CARDS):
        if state.under[above] == card:
            return above
    return NO_CARD


@kernel
def visible_above(state: Any, card: int) -> int:
    """The visible card under which a hidden card lies."""
    above = card_above(state, card)
    while above != NO_CARD:
        card = above
        above = card_above(state, card)
    return card
