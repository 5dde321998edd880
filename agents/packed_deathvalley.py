"""A position of solo Death Valley in five whole numbers: all that the rest of the game depends on, and nothing else.

Two states have the same words if, and only if, nothing that still matters tells them apart. Left out are the order of
the deck and the random numbers (no player knows them), the turn (`exact_deathvalley` counts the turns that are left),
the order of the AI's Journey but within a hazard (R4 alone looks at it), how often both busted but for the difference
(R16), and what a turn remembers but no longer asks for. Words can be unpacked: no two positions share them by accident.

    word 0, 1, 2    six cards each: where the card lies, and which it is; above them the turn, the cards it is about,
                    and the difference of busts
    word 3          three sets of cards: what was used in this turn
    word 4          a fourth set, and the Travel that waits for the abilities before it
"""

from enum import IntEnum
from typing import Any

from deathvalley_env.busts import AI
from deathvalley_env.vocabulary import HAZARD_LIMIT, NO_CARD, NUM_CARDS, NUM_HAZARDS, Decision, Timing
from valley_core.bits import bit, lowest, size_of
from valley_core.jit import kernel

NUM_WORDS = 5
CARDS_OF_WORD = 6
CARD_BITS = 5
PLACE_BITS = 8
"""Bits of a card with its place."""
ABOVE = CARDS_OF_WORD * PLACE_BITS
"""The bits of a word from here on are not about places."""
SET_MASK = (1 << NUM_CARDS) - 1
CARD_MASK = (1 << CARD_BITS) - 1
LOW_SIZE = 8
LOW_BITS = (1 << LOW_SIZE) - 1
"""Of the turn, so many bits are in word 0, the others in word 4."""
TRAVEL_BITS = 2
TRAVEL_MASK = (1 << TRAVEL_BITS) - 1
EVEN = 1 << 14
"""Stands for busts equally many; less: the AI busted more often."""
NO_LIMIT = 1 << 30
"""`max_turns` of unpacked states: turns are counted elsewhere."""


class Place(IntEnum):
    """Where a card lies."""

    DECK = 0
    FACE_UP = 1
    JOURNEY = 2
    SCRAPBOOK = 3
    HIDDEN = 4
    """Under the card before it."""
    AI_JOURNEY = 5
    DISCARD = 6
    AI_DISCARD = 7


# --- What matters ---------------------------------------------------------------------------------------------------


@kernel
def most_ai_busts(state: Any, deck: Any) -> int:
    """How often the AI can bust at most from here on: each time it discards a card of which it has three (R4)."""
    gone = int(state.discard[0] | state.discard[1])
    most = 0
    for hazard in range(NUM_HAZARDS):
        most += max(0, size_of(deck.of_hazard[hazard] & ~gone) - (HAZARD_LIMIT - 1))
    return most


@kernel
def bust_difference(state: Any, deck: Any) -> int:
    """How often the learner busted more than the AI; more than the AI can make up for counts as just that.

    So does a lead of the AI that no game comes near, which is all that the word has room for.
    """
    return max(-EVEN, min(int(state.busts[0]) - int(state.busts[AI]), most_ai_busts(state, deck) + 1))


@kernel
def starts_turn(state: Any) -> bool:
    """Whether a turn has just begun."""
    return state.decision == Decision.TURN and state.used[Timing.START_OF_TURN] == 0


@kernel
def turn_memory(state: Any) -> Any:
    """Four sets of cards: what the rest of the turn asks of what happened in it."""
    window = state.window
    if window == Timing.START_OF_TURN:
        return int(state.used[Timing.START_OF_TURN]), 0, 0, 0
    if window == Timing.INSTEAD_OF_TRAVEL or window == Timing.INSTEAD_OF_REST:
        return 0, 0, 0, 0
    if window == Timing.BEFORE_REST:
        asks = state.decision <= Decision.SECOND_CARD
        return (int(state.used[Timing.BEFORE_REST]) if asks else 0), 0, 0, 0
    if window == Timing.WHEN_BUSTING:
        return int(state.used[Timing.WHEN_BUSTING]), int(state.kept), 0, 0
    return (
        int(state.used[Timing.WHEN_TRAVELED]),
        int(state.used[Timing.AFTER_TRAVEL]),
        int(state.used[Timing.AFTER_REST]),
        int(state.used[Timing.BEFORE_TRAVEL]),
    )


# --- Packing --------------------------------------------------------------------------------------------------------


@kernel
def put(words: Any, i: int, place: int, card: int) -> int:
    """Write the i-th card; i + 1."""
    words[i // CARDS_OF_WORD] |= (int(place) << CARD_BITS | int(card)) << (PLACE_BITS * (i % CARDS_OF_WORD))
    return i + 1


@kernel
def put_set(words: Any, i: int, place: int, cards: int) -> int:
    """Write the cards of a set; the number written so far."""
    while cards:
        i = put(words, i, place, lowest(cards))
        cards &= cards - 1
    return i


@kernel
def put_row(words: Any, i: int, place: int, row: Any, size: int, under: Any) -> int:
    """Write a row from left to right, each card with those hidden under it; the number written so far."""
    for k in range(size):
        i = put(words, i, place, row[k])
        below = int(under[row[k]])
        while below != NO_CARD:
            i = put(words, i, Place.HIDDEN.value, below)
            below = int(under[below])
    return i


@kernel
def put_places(words: Any, state: Any, deck: Any) -> None:
    """Write where all cards lie."""
    i = put_row(words, 0, Place.JOURNEY.value, state.journey[0], state.journey_size[0], state.under)
    i = put_row(words, i, Place.SCRAPBOOK.value, state.scrapbook[0], state.scrapbook_size[0], state.under)
    for hazard in range(NUM_HAZARDS):
        if state.journey_set[AI] & deck.of_hazard[hazard]:
            for k in range(state.journey_size[AI]):
                if deck.hazard[state.journey[AI, k]] == hazard:
                    i = put(words, i, Place.AI_JOURNEY.value, state.journey[AI, k])
    if state.face_up != NO_CARD:
        i = put(words, i, Place.FACE_UP.value, state.face_up)
    unseen = 0
    for k in range(state.deck_size):
        unseen |= bit(state.deck[k])
    i = put_set(words, i, Place.DECK.value, unseen)
    i = put_set(words, i, Place.DISCARD.value, int(state.discard[0]))
    put_set(words, i, Place.AI_DISCARD.value, int(state.discard[AI]))


@kernel
def pack(words: Any, state: Any, deck: Any) -> None:
    """Write the words of a state that is not over into words[5], int64."""
    words[:] = 0
    put_places(words, state, deck)
    busting = state.window == Timing.WHEN_BUSTING
    traveled = int(state.traveled) if state.window == Timing.WHEN_TRAVELED else NO_CARD
    turn = int(state.decision)
    turn = turn << 4 | int(state.window)
    turn = turn << 1 | int(state.active)
    turn = turn << 1 | int(state.player)
    turn = turn << 1 | (0 if busting else int(state.rested))
    turn = turn << 2 | int(state.checked)
    turn = turn << 1 | int(state.returned)
    turn = turn << 1 | int(state.discard_points)
    turn = turn << 1 | int(state.must_outbust)
    words[0] |= (turn & LOW_BITS) << ABOVE
    cards = ((traveled + 1) << CARD_BITS | int(state.asking) + 1) << CARD_BITS | int(state.chosen) + 1
    words[1] |= cards << ABOVE
    words[2] |= (EVEN + bust_difference(state, deck)) << ABOVE
    first, second, third, fourth = turn_memory(state)
    words[3] = (third << NUM_CARDS | second) << NUM_CARDS | first
    words[4] = ((turn >> LOW_SIZE) << TRAVEL_BITS | int(state.travel) + 1) << NUM_CARDS | fourth


@kernel
def take_places(words: Any, state: Any) -> None:
    """Put all cards where the words say."""
    state.deck_size = 0
    state.face_up = NO_CARD
    for player in range(2):
        state.journey_size[player] = 0
        state.scrapbook_size[player] = 0
        state.journey_set[player] = 0
        state.scrapbook_set[player] = 0
        state.discard[player] = 0
    last = NO_CARD
    for i in range(NUM_CARDS):
        code = int(words[i // CARDS_OF_WORD] >> (PLACE_BITS * (i % CARDS_OF_WORD))) & ((1 << PLACE_BITS) - 1)
        card, place = code & CARD_MASK, code >> CARD_BITS
        state.under[card] = NO_CARD
        if place == Place.HIDDEN:
            state.under[last] = card
        elif place == Place.DECK:
            state.deck[state.deck_size] = card
            state.deck_size += 1
        elif place == Place.FACE_UP:
            state.face_up = card
        elif place == Place.SCRAPBOOK:
            state.scrapbook[0, state.scrapbook_size[0]] = card
            state.scrapbook_size[0] += 1
            state.scrapbook_set[0] |= bit(card)
        elif place == Place.DISCARD or place == Place.AI_DISCARD:
            state.discard[0 if place == Place.DISCARD else AI] |= bit(card)
        else:
            player = 0 if place == Place.JOURNEY else AI
            state.journey[player, state.journey_size[player]] = card
            state.journey_size[player] += 1
            state.journey_set[player] |= bit(card)
        last = card


@kernel
def unpack(words: Any, state: Any) -> None:
    """Write into `state` a state with these words, of which no field is left as it was; its deck is sorted."""
    take_places(words, state)
    turn = (int(words[4]) >> (NUM_CARDS + TRAVEL_BITS)) << LOW_SIZE | int(words[0]) >> ABOVE
    state.must_outbust = turn & 1
    state.discard_points = (turn >> 1) & 1
    state.returned = (turn >> 2) & 1
    state.checked = (turn >> 3) & 3
    state.rested = (turn >> 5) & 1
    state.player = (turn >> 6) & 1
    state.active = (turn >> 7) & 1
    state.window = (turn >> 8) & 15
    state.decision = turn >> 12
    state.travel = ((int(words[4]) >> NUM_CARDS) & TRAVEL_MASK) - 1
    cards = int(words[1]) >> ABOVE
    state.chosen = (cards & CARD_MASK) - 1
    state.asking = ((cards >> CARD_BITS) & CARD_MASK) - 1
    state.traveled = (cards >> (2 * CARD_BITS)) - 1
    difference = (int(words[2]) >> ABOVE) - EVEN
    state.busts[0] = max(0, difference)
    state.busts[AI] = max(0, -difference)
    recall(int(words[3]), int(words[4]), state)
    state.rng = 0
    state.data = 0
    state.max_turns = NO_LIMIT
    state.solo = 1
    state.backseat = 1
    state.ask_forced = 0
    state.first_player = 0
    state.turn = 0
    state.at_limit = 0
    state.truncates = 0
    state.legal = 0
    state.scores[:] = 0
    state.touched = bit(0) | bit(AI)


@kernel
def recall(memory: int, more: int, state: Any) -> None:
    """Undo `turn_memory`."""
    first, second, third = memory & SET_MASK, (memory >> NUM_CARDS) & SET_MASK, memory >> (2 * NUM_CARDS)
    state.used[:] = 0
    state.kept = 0
    window = state.window
    if window == Timing.START_OF_TURN or window == Timing.BEFORE_REST:
        state.used[window] = first
    elif window == Timing.INSTEAD_OF_TRAVEL or window == Timing.INSTEAD_OF_REST:
        state.used[window] = 0  # the turn ends with it
    elif window == Timing.WHEN_BUSTING:
        state.used[window] = first
        state.kept = second
    else:
        state.used[Timing.WHEN_TRAVELED] = first
        state.used[Timing.AFTER_TRAVEL] = second
        state.used[Timing.AFTER_REST] = third
        state.used[Timing.BEFORE_TRAVEL] = more & SET_MASK
