"""Busting (rulebook, Busting; R4)."""

from typing import Any

from deathvalley_env.abilities import applies, selected
from deathvalley_env.rows import join_deck, leave_journey, rows_of, shuffle_returned, touch
from deathvalley_env.vocabulary import HAZARD_LIMIT, NO_CARD, NUM_HAZARDS, Effect, Timing
from valley_core.bits import bit, lowest, size_of
from valley_core.jit import kernel

AI = 1
"""The seat of the rulebook's AI in solo play (R14)."""


@kernel
def has_abilities(state: Any, player: int) -> bool:
    """The abilities of the solo AI's cards are ignored (rulebook, Solo Play)."""
    return not (state.solo and player == AI)


@kernel
def bust_hazards(state: Any, deck: Any, player: int) -> int:
    """The set of hazards of which `player` has too many counted visible cards; not empty: a bust."""
    rows = rows_of(state, player)
    cards = rows[0] | rows[1]
    hazards = 0
    for hazard in range(NUM_HAZARDS):
        if size_of(cards & deck.of_hazard[hazard]) >= HAZARD_LIMIT:
            hazards |= bit(hazard)
    if hazards == 0 or not has_abilities(state, player):
        return hazards
    helpers = cards & deck.timed[Timing.BUST_CHECK]
    if helpers == 0:
        return hazards
    ignored, raised = 0, 0
    while helpers:
        card = lowest(helpers)
        helpers &= helpers - 1
        for i in range(deck.first[card, Timing.BUST_CHECK.value], deck.first[card, Timing.BUST_CHECK.value + 1]):
            ability = deck.abilities[card, i]
            if applies(state, rows, player, card, ability.condition):
                if ability.effect == Effect.IGNORE:
                    ignored |= selected(state, rows, player, card, ability.select)
                elif ability.effect == Effect.RAISE_LIMIT and 0 <= ability.hazard < NUM_HAZARDS:
                    raised += 1 << (8 * int(ability.hazard))  # one byte for each hazard
                else:
                    raise NotImplementedError("this effect has no rule in the bust check")
    over = 0
    for hazard in range(NUM_HAZARDS):
        limit = HAZARD_LIMIT + ((raised >> (8 * hazard)) & 0xFF)
        if size_of(cards & ~ignored & deck.of_hazard[hazard]) >= limit:
            over |= bit(hazard)
    return over


@kernel
def would_bust(state: Any, deck: Any, player: int, card: int) -> bool:
    """Whether `player` would bust with `card` at the right end of their Journey (R9)."""
    state.journey[player, state.journey_size[player]] = card
    state.journey_size[player] += 1
    state.journey_set[player] |= bit(card)
    bust = bust_hazards(state, deck, player) != 0
    state.journey_size[player] -= 1
    state.journey_set[player] &= ~bit(card)
    return bust


@kernel
def trapped(state: Any, deck: Any, player: int) -> bool:
    """Whether the Scrapbook of `player` makes a bust by itself: then every turn does (R18)."""
    if size_of(int(state.scrapbook_set[player])) < HAZARD_LIMIT:
        return False
    size, cards = state.journey_size[player], state.journey_set[player]
    state.journey_size[player], state.journey_set[player] = 0, 0
    busts = bust_hazards(state, deck, player) != 0
    state.journey_size[player], state.journey_set[player] = size, cards
    return busts


@kernel
def discard_hazards(state: Any, deck: Any, player: int, hazards: int) -> None:
    """Discard the rightmost Journey card of each hazard, face down (R4); cards under it go into the deck (R3)."""
    state.touched = bit(0) | bit(1)  # a score may count either discard pile
    for hazard in range(NUM_HAZARDS):
        if hazards & bit(hazard):
            for k in range(state.journey_size[player] - 1, -1, -1):
                card = int(state.journey[player, k])
                if deck.hazard[card] == hazard:
                    leave_journey(state, player, k)
                    state.discard[player] |= bit(card)
                    if state.under[card] != NO_CARD:
                        join_deck(state, state.under[card])
                        state.under[card] = NO_CARD
                    break


@kernel
def clear_journey(state: Any, player: int) -> None:
    """Shuffle the Journey, but for the cards kept, into the deck."""
    touch(state, player)
    size = 0
    for k in range(state.journey_size[player]):
        card = int(state.journey[player, k])
        if state.kept & bit(card):
            state.journey[player, size] = card
            size += 1
        else:
            join_deck(state, card)
    state.journey_size[player] = size
    state.journey_set[player] &= state.kept
    state.kept = 0
    shuffle_returned(state)
