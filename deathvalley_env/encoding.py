"""Actions, masks and observations: a state as numbers for a learner.

The observation of a player depends on what that player can know: everything but the order of the deck.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

import numpy as np

from deathvalley_env.deck_parts import Ability, Card, Condition, Selection
from deathvalley_env.rows import rows_of
from deathvalley_env.scoring import NO_WINNER, ending
from deathvalley_env.vocabulary import (
    HAZARD_COUNTS,
    MAX_ABILITIES,
    NO_CARD,
    NUM_ACTIONS,
    NUM_CARDS,
    NUM_HAZARDS,
    NUM_PLAYERS,
    NUM_WINDOWS,
    Action,
    Cards,
    Decision,
    Effect,
    Having,
    Hazard,
    Per,
    Position,
    Row,
    Timing,
)
from valley_core.bits import bit, lowest, size_of
from valley_core.game import Reward, Status
from valley_core.jit import inlined, kernel
from valley_core.layout import Field, Layout

WAIT = NUM_ACTIONS
"""The last action: legal, alone, for a player who is asked nothing (Parallel API only)."""

ALL_CARDS = (1 << NUM_CARDS) - 1

MARGIN_SCALE = 20.0
"""Score margin, in points, that counts as 1 in the `margin` reward; larger margins are clipped."""
MOST_BUSTS = 20.0
MOST_POINTS = 40.0
MOST_PRINTED = 9
"""Most stars, skulls, points and `every` that a deck file takes."""
LAST_COLUMN = NUM_CARDS - 1
NUM_TRAVELS = int(Action.TRAVEL_OTHER) + 1
MOST_OF_HAZARD = max(HAZARD_COUNTS.values())
# Kernels multiply by these: a division takes many times as long.
A_COLUMN = np.float32(1 / LAST_COLUMN)
A_CARD = np.float32(1 / NUM_CARDS)
A_HAZARD = np.float32(1 / MOST_OF_HAZARD)
A_BUST = np.float32(1 / MOST_BUSTS)
A_POINT = np.float32(1 / MOST_POINTS)

BITS = 8
ONES = ((np.arange(1 << BITS)[:, None] >> np.arange(BITS)) & 1).astype(np.float32)
"""The binary digits of each number of eight bits: sets are copied from here, which is much faster than bit by bit."""

# Where a card can be, from the observer's view.
DECK_PLACE, FACE_UP = 0, 1
JOURNEY, SCRAPBOOK, UNDER_JOURNEY, UNDER_SCRAPBOOK, DISCARD = 2, 3, 4, 5, 6
OTHERS = 5
"""The other player's places follow the own ones, in the same order."""
NUM_PLACES = 12
PLACES = (
    "deck, unseen",
    "face up in the Desert",
    "own Journey",
    "own Scrapbook",
    "hidden under a card of the own Journey",
    "hidden under a card of the own Scrapbook",
    "own discard pile",
    "other's Journey",
    "other's Scrapbook",
    "hidden under a card of the other's Journey",
    "hidden under a card of the other's Scrapbook",
    "other's discard pile",
)

# What is left at its default is 0 throughout, so that facts are short lists of what is special.
PRINTED_FACTS = NUM_HAZARDS + 2
SELECTION_FACTS = len(Row) - 1 + len(Position) - 1 + NUM_HAZARDS + len(Cards) - 1 + len(Having) - 1 + 1
CONDITION_FACTS = 2 + 2 + 2 + 3 + SELECTION_FACTS
ABILITY_FACTS = int(Timing.NONE) + 1 + len(Effect) + NUM_HAZARDS + 3 + len(Per) - 1 + SELECTION_FACTS + CONDITION_FACTS

DYNAMIC = (
    Field("place", (NUM_PLACES, NUM_CARDS), 0, 1, "for each place, whether each card lies there: " + "; ".join(PLACES)),
    Field("column", (NUM_CARDS,), 0, 1, "column / 17, of the card or of the visible card above it"),
    Field("depth", (NUM_CARDS,), 0, 1, "number of cards above a hidden card / 17"),
    Field(
        "asking", (NUM_CARDS,), 0, 1, "the card that asks: its ability is being resolved, or cards are hidden under it"
    ),
    Field("chosen", (NUM_CARDS,), 0, 1, "the first card chosen for a swap"),
    Field("traveled", (NUM_CARDS,), 0, 1, "the card just added by a Travel of the active player"),
    Field("used", (NUM_CARDS,), 0, 1, "cards whose ability of the open window was used this turn"),
    Field("kept", (NUM_CARDS,), 0, 1, "cards kept in this bust"),
    Field("decision", (len(Decision),), 0, 1, "one-hot: " + ", ".join(d.name for d in Decision)),
    Field(
        "window",
        (NUM_WINDOWS,),
        0,
        1,
        "one-hot timing of the abilities being resolved: " + ", ".join(Timing(i).name for i in range(NUM_WINDOWS)),
    ),
    Field(
        "travel",
        (NUM_TRAVELS,),
        0,
        1,
        "one-hot: the Travel to come after the abilities before it: face-up, top, face-up to the other player",
    ),
    Field("own_turn", (1,), 0, 1, "1 if it is the observer's turn"),
    Field("asked", (1,), 0, 1, "1 if the observer is asked"),
    Field("deck_size", (1,), 0, 1, "cards in the deck / 18"),
    Field("turn", (1,), 0, 1, "finished turns / max_turns"),
    Field("busts", (NUM_PLAYERS,), 0, 1, "busts of observer and other / 20, at most 1"),
    Field(
        "hazards",
        (NUM_PLAYERS, NUM_HAZARDS),
        0,
        1,
        "visible cards of each hazard (paw, drop, mountain, sun) in the rows of observer and other / 6",
    ),
    Field("unseen", (NUM_HAZARDS,), 0, 1, "cards of each hazard in the deck / 6"),
    Field("scores", (NUM_PLAYERS,), -1, 1, "score of observer and other if the game ended now / 40, clipped"),
    Field("options", (4,), 0, 1, "solo, backseat, discard_points, must_outbust"),
)


def special(words: type[IntEnum]) -> str:
    """How many members an enumeration has besides its first, the default, and which."""
    names = [member.name for member in words][1:]
    return f"{len(names)}: {', '.join(names) if len(names) < 3 else f'{names[0]} to {names[-1]}'}"


SELECTION_MEANING = (
    f"row ({special(Row)}), position ({special(Position)}), hazard ({NUM_HAZARDS}), cards ({special(Cards)}), "
    f"having ({special(Having)}), other"
)
FACTS = (
    Field(
        "printed",
        (NUM_CARDS, PRINTED_FACTS),
        0,
        1,
        "each card of the deck: hazard one-hot (paw, drop, mountain, sun); stars / 9; skulls / 9. Constant for a deck",
    ),
    Field(
        "abilities",
        (NUM_CARDS, MAX_ABILITIES, ABILITY_FACTS),
        -1,
        1,
        "each ability of each card, in the order of their timings; all 0 where a card has no more. Words are one-hot, "
        f"and defaults (none, any, both, visible, once) 0: timing ({int(Timing.NONE)}), optional, "
        f"effect ({len(Effect)}), hazard whose limit is raised ({NUM_HAZARDS}), points / 9, "
        f"per ({special(Per)}), (every - 1) / 8, 1 / cap or 0 without one; selection: "
        f"{SELECTION_MEANING}; condition: 1 if there is one, unless, this_row (JOURNEY, SCRAPBOOK), this_position "
        "(LEFTMOST, RIGHTMOST), 1 if it counts, at_least / 18, at_most / 18, and the selection counted, as above. "
        "Constant for a deck",
    ),
)
LAYOUT = Layout((*DYNAMIC, *FACTS))
LAYOUT_WITHOUT_FACTS = Layout(DYNAMIC)
FIXED_FROM = LAYOUT_WITHOUT_FACTS.size

AT_COLUMN = LAYOUT.start("column")
AT_DEPTH = LAYOUT.start("depth")
AT_ASKING = LAYOUT.start("asking")
AT_CHOSEN = LAYOUT.start("chosen")
AT_TRAVELED = LAYOUT.start("traveled")
AT_USED = LAYOUT.start("used")
AT_KEPT = LAYOUT.start("kept")
AT_DECISION = LAYOUT.start("decision")
AT_WINDOW = LAYOUT.start("window")
SPARE = AT_DECISION
"""A place that is overwritten later."""
AT_TRAVEL = LAYOUT.start("travel")
AT_OWN_TURN = LAYOUT.start("own_turn")
AT_ASKED = LAYOUT.start("asked")
AT_DECK_SIZE = LAYOUT.start("deck_size")
AT_TURN = LAYOUT.start("turn")
AT_BUSTS = LAYOUT.start("busts")
AT_HAZARDS = LAYOUT.start("hazards")
AT_UNSEEN = LAYOUT.start("unseen")
AT_SCORES = LAYOUT.start("scores")
AT_OPTIONS = LAYOUT.start("options")


def action_names(card_names: list[str]) -> tuple[str, ...]:
    """The name of each action, in order; the last is ``wait``."""
    return (
        "travel face-up",
        "travel top",
        "travel face-up to the other Journey",
        "rest",
        *(f"ability of {name}" for name in card_names),
        *(f"card {name}" for name in card_names),
        "done",
        "wait",
    )


def one_hot(value: int, count: int, first: int = 0) -> list[bool]:
    """Which of `count` members of an enumeration, from `first` on, a value is: none of them if it comes before."""
    if not 0 <= value < first + count:
        raise KeyError(value)
    return [value == first + k for k in range(count)]


def hazard_facts(hazard: Hazard) -> list[bool]:
    """Which hazard; all 0 for any."""
    return [False] * NUM_HAZARDS if hazard == Hazard.ANY else one_hot(hazard, NUM_HAZARDS)


def selection_facts(select: Selection) -> list[float]:
    """All fields of a selection."""
    return [
        *one_hot(select.row, len(Row) - 1, Row.JOURNEY),
        *one_hot(select.position, len(Position) - 1, Position.THIS),
        *hazard_facts(select.hazard),
        *one_hot(select.cards, len(Cards) - 1, Cards.HIDDEN_HERE),
        *one_hot(select.having, len(Having) - 1, Having.STARS),
        select.other,
    ]


def condition_facts(condition: Condition) -> list[float]:
    """All fields of a condition."""
    count = condition.count
    counted = [0.0] * (3 + SELECTION_FACTS)
    if count is not None:
        bounds = [condition.at_least / NUM_CARDS, condition.at_most / NUM_CARDS]
        counted = [1.0, *bounds, *selection_facts(count)]
    return [
        1.0,
        condition.unless,
        *one_hot(condition.this_row, 2, Row.JOURNEY),
        *one_hot(condition.this_position, 2, Position.LEFTMOST),
        *counted,
    ]


def ability_facts(ability: Ability) -> list[float]:
    """All fields of an ability."""
    condition = ability.condition
    return [
        *one_hot(ability.timing, int(Timing.NONE)),
        ability.optional,
        *one_hot(ability.effect, len(Effect)),
        *hazard_facts(ability.hazard),
        ability.points / MOST_PRINTED,
        *one_hot(ability.per, len(Per) - 1, Per.CARD),
        (ability.every - 1) / (MOST_PRINTED - 1),
        0.0 if ability.cap is None else 1 / ability.cap,
        *selection_facts(ability.select),
        *([0.0] * CONDITION_FACTS if condition is None else condition_facts(condition)),
    ]


def facts_of(cards: Sequence[Card]) -> np.ndarray:
    """The constant part of the observation for the cards of a deck: all that the rules know of them.

    Returns:
        Float32 of shape (n,): the fields `FACTS` one after another.
    """
    printed = np.zeros((NUM_CARDS, PRINTED_FACTS), np.float32)
    abilities = np.zeros((NUM_CARDS, MAX_ABILITIES, ABILITY_FACTS), np.float32)
    for index, card in enumerate(cards):
        printed[index] = [
            *one_hot(card.hazard, NUM_HAZARDS),
            card.stars / MOST_PRINTED,
            card.skulls / MOST_PRINTED,
        ]
        for slot, ability in enumerate(card.in_order):
            abilities[index, slot] = ability_facts(ability)
    return np.concatenate([printed.reshape(-1), abilities.reshape(-1)])


@kernel
def set_of(card: int) -> int:
    """The set that holds `card` alone; empty for NO_CARD."""
    return (card >= 0) << (int(card) & 31)


@inlined
def write_set(cards: int, at: int, out: Any) -> None:
    """Write for each card whether it is in the set."""
    for part in range(NUM_CARDS // BITS):
        ones = ONES[(cards >> (part * BITS)) & (len(ONES) - 1)]
        for i in range(BITS):
            out[at + part * BITS + i] = ones[i]
    ones = ONES[(cards >> (NUM_CARDS // BITS * BITS)) & (len(ONES) - 1)]
    for i in range(NUM_CARDS % BITS):
        out[at + NUM_CARDS // BITS * BITS + i] = ones[i]


# The loops below have few branches that depend on the cards: in most states a processor would guess them wrongly, which
# takes longer than the work itself.


@kernel
def write_column(card: int, k: int, size: int, out: Any) -> None:
    """Write the column of a card that lies in a row of so many cards; past the end of the row, into `SPARE`."""
    place = AT_COLUMN + card
    if k >= size:
        place = SPARE
    out[place] = np.float32(k) * A_COLUMN


@kernel
def write_columns(state: Any, out: Any) -> None:
    """Write the columns of the visible cards, all four rows in one loop."""
    size_0, size_1 = int(state.journey_size[0]), int(state.journey_size[1])
    size_2, size_3 = int(state.scrapbook_size[0]), int(state.scrapbook_size[1])
    for k in range(max(size_0, size_1, size_2, size_3)):
        write_column(int(state.journey[0, k]), k, size_0, out)
        write_column(int(state.journey[1, k]), k, size_1, out)
        write_column(int(state.scrapbook[0, k]), k, size_2, out)
        write_column(int(state.scrapbook[1, k]), k, size_3, out)


@kernel
def cards_above(state: Any) -> int:
    """The cards with a card beneath them."""
    above = 0
    for card in range(NUM_CARDS):
        above |= (state.under[card] >= 0) << card
    return above


@kernel
def write_hidden(state: Any, out: Any) -> tuple[tuple[int, int], tuple[int, int]]:
    """Write columns and depths of the hidden cards; for each player, the sets of those in Journey and in Scrapbook."""
    journey_0, scrapbook_0 = rows_of(state, 0)
    journey_1, scrapbook_1 = rows_of(state, 1)
    under_journey_0, under_scrapbook_0, under_journey_1, under_scrapbook_1 = 0, 0, 0, 0
    tops = cards_above(state) & (journey_0 | scrapbook_0 | journey_1 | scrapbook_1)
    while tops:
        top = lowest(tops)
        tops &= tops - 1
        column = out[AT_COLUMN + top]
        hidden, depth = 0, 1
        below = int(state.under[top])
        while below != NO_CARD:
            hidden |= bit(below)
            out[AT_COLUMN + below] = column
            out[AT_DEPTH + below] = np.float32(depth) * A_COLUMN
            depth += 1
            below = int(state.under[below])
        under_journey_0 |= hidden * ((journey_0 >> top) & 1)
        under_scrapbook_0 |= hidden * ((scrapbook_0 >> top) & 1)
        under_journey_1 |= hidden * ((journey_1 >> top) & 1)
        under_scrapbook_1 |= hidden * ((scrapbook_1 >> top) & 1)
    return (under_journey_0, under_scrapbook_0), (under_journey_1, under_scrapbook_1)


@inlined
def write_hazards(cards: int, deck: Any, at: int, out: Any) -> None:
    """Write how many of the cards have each hazard."""
    for hazard in range(NUM_HAZARDS):
        out[at + hazard] = np.float32(size_of(cards & deck.of_hazard[hazard])) * A_HAZARD


@kernel
def write_player(state: Any, deck: Any, player: int, hidden: Any, other: int, out: Any) -> int:
    """Write the places, hazards, busts and score of a player; the set of all cards in them.

    `hidden` are the cards under Journey and under Scrapbook; `other` is 1 for the player who does not observe.
    """
    # A slice, so that the places below are constants: only then does the compiler copy many numbers at once.
    shift = other * OTHERS * NUM_CARDS
    places = out[shift : shift + (DISCARD + 1) * NUM_CARDS]
    journey, scrapbook = rows_of(state, player)
    under_journey, under_scrapbook = hidden
    discard = int(state.discard[player])
    write_set(journey, JOURNEY * NUM_CARDS, places)
    write_set(scrapbook, SCRAPBOOK * NUM_CARDS, places)
    write_set(under_journey, UNDER_JOURNEY * NUM_CARDS, places)
    write_set(under_scrapbook, UNDER_SCRAPBOOK * NUM_CARDS, places)
    write_set(discard, DISCARD * NUM_CARDS, places)
    write_hazards(journey | scrapbook, deck, AT_HAZARDS + other * NUM_HAZARDS, out)
    out[AT_BUSTS + other] = min(np.float32(state.busts[player]) * A_BUST, np.float32(1))
    points = np.float32(state.scores[player]) * A_POINT
    out[AT_SCORES + other] = max(np.float32(-1), min(np.float32(1), points))
    return journey | scrapbook | under_journey | under_scrapbook | discard


@kernel
def observe(state: Any, deck: Any, seat: int, out: Any) -> None:
    """Write what the player at `seat` sees into `out`, the constant part (`facts`) excepted."""
    out[AT_COLUMN:AT_ASKING] = 0
    write_columns(state, out)
    out[AT_DECISION:AT_OWN_TURN] = 0
    hidden_0, hidden_1 = write_hidden(state, out)
    other_0 = 0 if seat == 0 else 1
    seen = write_player(state, deck, 0, hidden_0, other_0, out)
    seen |= write_player(state, deck, 1, hidden_1, 1 - other_0, out)
    face_up = set_of(state.face_up)
    write_set(face_up, FACE_UP * NUM_CARDS, out)
    # The deck is what is left, so that its order cannot be observed.
    deck_cards = ALL_CARDS & ~(seen | face_up)
    write_set(deck_cards, DECK_PLACE * NUM_CARDS, out)
    write_hazards(deck_cards, deck, AT_UNSEEN, out)
    write_set(set_of(state.asking), AT_ASKING, out)
    write_set(set_of(state.chosen), AT_CHOSEN, out)
    write_set(set_of(state.traveled), AT_TRAVELED, out)
    write_set(state.used[state.window], AT_USED, out)
    write_set(state.kept, AT_KEPT, out)
    out[AT_DECISION + int(state.decision)] = 1
    out[AT_WINDOW + int(state.window)] = 1
    if state.travel != NO_CARD:
        out[AT_TRAVEL + int(state.travel)] = 1
    out[AT_OWN_TURN] = state.active == seat
    out[AT_ASKED] = asked(state, seat)
    out[AT_DECK_SIZE] = np.float32(state.deck_size) * A_CARD
    out[AT_TURN] = np.float32(state.turn) / np.float32(state.max_turns)
    out[AT_OPTIONS] = state.solo
    out[AT_OPTIONS + 1] = state.backseat
    out[AT_OPTIONS + 2] = state.discard_points
    out[AT_OPTIONS + 3] = state.must_outbust


@kernel
def to_act(state: Any) -> int:
    """The player who is asked, -1 at the end."""
    return -1 if state.decision == Decision.OVER else int(state.player)


@kernel
def asked(state: Any, seat: int) -> bool:
    """Whether the player at `seat` is asked now."""
    return state.decision != Decision.OVER and state.player == seat


@kernel
def legal_mask(state: Any, deck: Any, seat: int, out: Any) -> None:
    """Write the mask of legal actions, uint8 of shape (42,)."""
    if asked(state, seat):
        for action in range(NUM_ACTIONS):
            out[action] = (state.legal >> action) & 1
        out[WAIT] = 0
    else:
        out[:] = 0
        out[WAIT] = 1


@kernel
def status(state: Any) -> int:
    """Whether the game goes on: `valley_core.game.Status`."""
    if state.decision != Decision.OVER:
        return Status.RUNNING.value
    if not state.at_limit:
        return Status.TERMINATED.value
    return Status.TRUNCATED.value if state.truncates else Status.TURN_LIMIT.value


@kernel
def returns(state: Any, deck: Any, reward: int, out: Any) -> None:
    """Write the return of each player so far, by the kind of reward, into `out`, float64 of shape (2,)."""
    value = 0.0
    if reward != Reward.WIN and (reward == Reward.SHAPED or state.decision == Decision.OVER):
        margin = (state.scores[0] - state.scores[1]) / MARGIN_SCALE
        value = max(-1.0, min(1.0, margin))
    if reward != Reward.MARGIN:
        value *= 0.5
        winner, _ = ending(state)
        if winner != NO_WINNER:
            value += 1.0 if winner == 0 else -1.0
    out[0] = value
    out[1] = -value
