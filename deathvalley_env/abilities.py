"""Card abilities, as data read by kernels: what an ability selects, whether it applies, and which cards it may take.

The meaning of each word is in ``docs/decks.md``.
"""

from typing import Any

from deathvalley_env.rows import (
    card_above,
    column,
    hidden_in_row,
    hidden_under,
    touch,
    visible_above,
)
from deathvalley_env.vocabulary import NO_CARD, NUM_CARDS, Cards, Effect, Position, Row
from valley_core.bits import bit, lowest, size_of
from valley_core.jit import kernel

# `rows` is what `rows_of` gave for the player: it is found once for many questions.


@kernel
def cards_of_row(state: Any, rows: Any, player: int, row: int) -> int:
    """The set of the visible cards of a row, of both, or of discard piles (public: R2)."""
    journey, scrapbook = rows
    if row == Row.BOTH:
        return journey | scrapbook
    if row == Row.JOURNEY:
        return journey
    if row == Row.SCRAPBOOK:
        return scrapbook
    if row == Row.OWN_DISCARD:
        return int(state.discard[player])
    if row == Row.OTHER_DISCARD:
        return int(state.discard[1 - player])
    if row == Row.BOTH_DISCARDS:
        return int(state.discard[0] | state.discard[1])
    raise NotImplementedError("this row has no rule")


@kernel
def looks_at(row: int, own: int) -> bool:
    """Whether `row`, which is a row of the player or both of them, is `own` or both."""
    if row < Row.BOTH or row > Row.SCRAPBOOK:
        raise NotImplementedError("this is no row of cards that lie in order")
    return row == Row.BOTH or row == own


@kernel
def hidden_cards(state: Any, player: int, row: int) -> int:
    """The set of the cards hidden under the cards of a row, or of both."""
    cards = 0
    if looks_at(row, Row.JOURNEY.value):
        cards |= hidden_in_row(state, state.journey[player], state.journey_size[player])
    if looks_at(row, Row.SCRAPBOOK.value):
        cards |= hidden_in_row(state, state.scrapbook[player], state.scrapbook_size[player])
    return cards


@kernel
def neighbours(state: Any, player: int, card: int, position: int) -> int:
    """The cards beside `card` on the two-row grid, in the direction of `position` (rulebook, Adjacent)."""
    in_journey = True
    row, size = state.journey[player], state.journey_size[player]
    across, across_size = state.scrapbook[player], state.scrapbook_size[player]
    k = column(row, size, card)
    if k < 0:
        in_journey = False
        row, size, across, across_size = across, across_size, row, size
        k = column(row, size, card)
    if position < Position.LEFT or position > Position.THIS_OR_ADJACENT:
        raise NotImplementedError("this position is none beside a card")
    everywhere = position == Position.ADJACENT or position == Position.THIS_OR_ADJACENT
    vertical = everywhere or position == Position.VERTICAL
    cards = 0
    if k > 0 and (everywhere or position == Position.LEFT):
        cards |= bit(row[k - 1])
    if k + 1 < size and (everywhere or position == Position.RIGHT):
        cards |= bit(row[k + 1])
    if k < across_size and (vertical or position == (Position.BELOW if in_journey else Position.ABOVE)):
        cards |= bit(across[k])
    return cards


@kernel
def end_of_row(row: Any, size: int, cards: int, rightmost: bool) -> int:
    """The set of the leftmost (or rightmost) card of a row among `cards`; empty if there is none."""
    for i in range(size):
        card = row[size - 1 - i] if rightmost else row[i]
        if cards & bit(card):
            return bit(card)
    return 0


@kernel
def selected(state: Any, rows: Any, player: int, card: int, selection: Any) -> int:
    """The set of cards that a selection of `card`, lying in the rows of `player`, picks out."""
    if selection.cards == Cards.HIDDEN_HERE:
        return hidden_under(state, card) & selection.filter
    if selection.cards == Cards.HIDDEN:
        return hidden_cards(state, player, selection.row) & selection.filter
    if selection.cards != Cards.VISIBLE:
        raise NotImplementedError("this kind of cards has no rule")
    position = selection.position
    if position < Position.ANY or position > Position.RIGHTMOST:
        raise NotImplementedError("this position has no rule")
    if position == Position.THIS:
        return bit(card) & selection.filter
    cards = cards_of_row(state, rows, player, selection.row) & selection.filter
    if position == Position.ANY or (cards == 0 and position != Position.THIS_OR_ADJACENT):
        return cards
    if position == Position.LEFTMOST or position == Position.RIGHTMOST:
        rightmost = position == Position.RIGHTMOST
        if selection.row == Row.JOURNEY:
            return end_of_row(state.journey[player], state.journey_size[player], cards, rightmost)
        if selection.row == Row.SCRAPBOOK:
            return end_of_row(state.scrapbook[player], state.scrapbook_size[player], cards, rightmost)
        raise NotImplementedError("an end of which row is meant?")
    cards &= neighbours(state, player, card, position)
    if position == Position.THIS_OR_ADJACENT:
        cards |= bit(card) & selection.filter
    return cards


@kernel
def stands_at(row: Any, size: int, card: int, position: int) -> bool:
    """Whether `card` lies in this row, at the end that `position` asks for (or anywhere)."""
    k = column(row, size, card)
    if position == Position.ANY:
        return k >= 0
    if position == Position.LEFTMOST:
        return k == 0
    if position == Position.RIGHTMOST:
        return k >= 0 and k == size - 1
    raise NotImplementedError("this position is no end of a row")


@kernel
def applies(state: Any, rows: Any, player: int, card: int, condition: Any) -> bool:
    """Whether the condition of an ability of `card` holds."""
    if condition.always:
        return True
    holds = False
    if looks_at(condition.row, Row.JOURNEY.value):
        holds |= stands_at(state.journey[player], state.journey_size[player], card, condition.position)
    if looks_at(condition.row, Row.SCRAPBOOK.value):
        holds |= stands_at(state.scrapbook[player], state.scrapbook_size[player], card, condition.position)
    if holds and condition.counts:
        count = size_of(selected(state, rows, player, card, condition.select))
        holds = condition.at_least <= count and count <= condition.at_most
    return holds != (condition.unless != 0)


@kernel
def swap_partners(state: Any, journey: int, card: int, hidden: int) -> int:
    """The Journey cards that can change places with a hidden card: not this one, nor the one above it."""
    return journey & ~bit(card) & ~bit(visible_above(state, hidden))


@kernel
def choices(state: Any, rows: Any, player: int, card: int, ability: Any) -> int:
    """The cards that can be chosen (first) for an ability of `card`; empty if it cannot be used."""
    effect = ability.effect
    if effect == Effect.TRAVEL_AGAIN:  # chooses no card
        return 0
    journey, scrapbook = rows
    cards = selected(state, rows, player, card, ability.select)
    if effect == Effect.SHUFFLE:
        return cards
    if effect == Effect.SWAP_CARDS:
        return cards if cards & (cards - 1) else 0
    if effect == Effect.SWAP_HIDDEN:
        usable = 0
        while cards:
            hidden = lowest(cards)
            cards &= cards - 1
            if swap_partners(state, journey, card, hidden):
                usable |= bit(hidden)
        return usable
    if effect == Effect.TO_JOURNEY:
        return cards & scrapbook
    if effect == Effect.SWAP_FACE_UP:
        return cards & journey if state.face_up != NO_CARD else 0
    if effect == Effect.HIDE:
        return cards & journey & ~bit(card)
    if effect == Effect.KEEP:
        return cards & journey & ~int(state.kept)
    if effect == Effect.TO_SCRAPBOOK or effect == Effect.SEND:
        return cards & journey
    raise NotImplementedError("this effect has no rule for what it can take")


@kernel
def alternative(state: Any, deck: Any, rows: Any, player: int, card: int, timing: int, choice: int) -> int:
    """Which ability of `card` takes `choice`: the first of this timing that admits it (-1: none)."""
    for i in range(deck.first[card, timing], deck.first[card, timing + 1]):
        ability = deck.abilities[card, i]
        if applies(state, rows, player, card, ability.condition) and choices(state, rows, player, card, ability) & bit(
            choice
        ):
            return i
    return -1


@kernel
def all_choices(state: Any, deck: Any, rows: Any, player: int, card: int, timing: int) -> int:
    """The cards that any ability of `card` with this timing can take."""
    cards = 0
    for i in range(deck.first[card, timing], deck.first[card, timing + 1]):
        ability = deck.abilities[card, i]
        if applies(state, rows, player, card, ability.condition):
            cards |= choices(state, rows, player, card, ability)
    return cards


@kernel
def travels_again(state: Any, deck: Any, rows: Any, player: int, card: int, timing: int) -> bool:
    """Whether `card` grants one more Travel at this timing, and there is a card to take."""
    for i in range(deck.first[card, timing], deck.first[card, timing + 1]):
        ability = deck.abilities[card, i]
        if ability.effect == Effect.TRAVEL_AGAIN:
            return (state.deck_size > 0 or state.face_up != NO_CARD) and applies(
                state, rows, player, card, ability.condition
            )
    return False


@kernel
def swap_with_hidden(state: Any, player: int, hidden: int, journey_card: int) -> None:
    """A hidden card and a Journey card change places; the cards under the latter stay in place (R3)."""
    touch(state, player)
    above = card_above(state, hidden)
    below_hidden, below_journey = state.under[hidden], state.under[journey_card]
    take_journey = column(state.journey[player], state.journey_size[player], journey_card)
    state.journey[player, take_journey] = hidden
    state.journey_set[player] ^= bit(hidden) | bit(journey_card)
    state.under[hidden] = below_journey
    state.under[above] = journey_card
    state.under[journey_card] = below_hidden


@kernel
def swap_visible(state: Any, player: int, first: int, second: int) -> None:
    """Two visible cards change places; the cards under each stay in place (R3)."""
    touch(state, player)
    journey, scrapbook = state.journey[player], state.scrapbook[player]
    first_in_journey = (state.journey_set[player] & bit(first)) != 0
    second_in_journey = (state.journey_set[player] & bit(second)) != 0
    k = column(journey if first_in_journey else scrapbook, NUM_CARDS, first)
    m = column(journey if second_in_journey else scrapbook, NUM_CARDS, second)
    if first_in_journey:
        journey[k] = second
    else:
        scrapbook[k] = second
    if second_in_journey:
        journey[m] = first
    else:
        scrapbook[m] = first
    if first_in_journey != second_in_journey:
        state.journey_set[player] ^= bit(first) | bit(second)
        state.scrapbook_set[player] ^= bit(first) | bit(second)
    state.under[first], state.under[second] = state.under[second], state.under[first]


@kernel
def swap_face_up(state: Any, player: int, card: int) -> None:
    """The face-up card takes the place of a Journey card, with the cards under it, which becomes face up (R13)."""
    touch(state, player)
    new = state.face_up
    k = column(state.journey[player], state.journey_size[player], card)
    state.journey[player, k] = new
    state.journey_set[player] ^= bit(card) | bit(new)
    state.under[new] = state.under[card]
    state.under[card] = NO_CARD
    state.face_up = card
