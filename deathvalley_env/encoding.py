"""Actions, masks and observations: a state as numbers for a learner.

The observation of a player depends on what that player can know: everything but the order of the deck.
"""

from typing import Any

import numpy as np

from deathvalley_env.rows import rows_of
from deathvalley_env.scoring import NO_WINNER, ending
from deathvalley_env.vocabulary import (
    HAZARD_COUNTS,
    NO_CARD,
    NUM_ACTIONS,
    NUM_CARDS,
    NUM_HAZARDS,
    NUM_PLAYERS,
    NUM_WINDOWS,
    Cards,
    Decision,
    Effect,
    Hazard,
    Per,
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
LAST_COLUMN = NUM_CARDS - 1
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

FACTS_PER_CARD = NUM_HAZARDS + 2 + 8 + len(Effect) + 3 + len(Per) + len(Row) + len(Hazard) + len(Cards)

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
FACTS = Field(
    "facts",
    (NUM_CARDS, FACTS_PER_CARD),
    -1,
    1,
    "each card of the deck: hazard one-hot (4); stars / 9; skulls / 9; timings (8), effects (14) of its abilities; "
    "positive points / 9, negative points / 9, `every` / 9; `per` (5); row (6), hazard (5) and visibility (3) of "
    "selections. Constant for a deck",
)
LAYOUT = Layout((*DYNAMIC, FACTS))
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


def facts_of(deck: Any) -> np.ndarray:
    """The constant part of the observation for a deck record, float32 of shape (18 × FACTS_PER_CARD,)."""
    facts = np.zeros((NUM_CARDS, FACTS_PER_CARD), np.float32)
    timing_at = NUM_HAZARDS + 2
    effect_at = timing_at + 8
    points_at = effect_at + len(Effect)
    per_at = points_at + 3
    row_at = per_at + len(Per)
    hazard_at = row_at + len(Row)
    cards_at = hazard_at + len(Hazard)
    for card in range(NUM_CARDS):
        row = facts[card]
        row[deck["hazard"][card]] = 1
        row[NUM_HAZARDS] = deck["stars"][card] / 9
        row[NUM_HAZARDS + 1] = deck["skulls"][card] / 9
        for ability in deck["abilities"][card]:
            if ability["timing"] == Timing.NONE:
                continue
            row[timing_at + ability["timing"]] = 1
            row[effect_at + ability["effect"]] = 1
            if ability["effect"] == Effect.POINTS:
                points = int(ability["points"])
                row[points_at + (points < 0)] = points / 9
                row[points_at + 2] = ability["every"] / 9
                row[per_at + ability["per"]] = 1
            if ability["effect"] == Effect.RAISE_LIMIT:
                row[hazard_at + ability["hazard"]] = 1
            for select in (ability["select"], ability["condition"]["select"]):
                row[row_at + select["row"]] = 1
                row[hazard_at + select["hazard"]] = 1
                row[cards_at + select["cards"]] = 1
    return facts.reshape(-1)


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
    return Status.TRUNCATED.value if state.truncated else Status.TERMINATED.value


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
