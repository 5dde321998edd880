"""The state of a game: one NumPy record, with the stream of random numbers in it.

Cards are named by their index in the deck file (0 to 17); NO_CARD (-1) stands for none. A set of cards is a bit mask.

    column         0    1    2   ...
    journey[p]    c00  c01  c02        ordered, left to right, journey_size[p] cards
    scrapbook[p]  c10  c11             column k lies below column k of the Journey

`under[c]` is the card directly beneath card c, hidden; so the cards hidden under a visible card form a chain.
"""

import numpy as np

from deathvalley_env.vocabulary import NO_CARD, NUM_CARDS, NUM_WINDOWS

MAX_BUSTS = 2**30
"""Busts are counted up to here; no game has so many turns."""

RANDOM_FIRST = -1
"""Value of `first_player`: drawn from the seed (R14)."""
MOST_TURNS = 1_000_000
"""The greatest `max_turns`."""

STATE = np.dtype(
    (
        np.record,
        [
            ("rng", "u8"),
            # What was chosen when the game was made; `reset` leaves these alone.
            ("data", "i4"),  # which deck of the batch
            ("max_turns", "i4"),
            ("solo", "i1"),
            ("backseat", "i1"),  # 1 also in solo play
            ("discard_points", "i1"),
            ("must_outbust", "i1"),
            ("ask_forced", "i1"),
            ("first_player", "i1"),  # 0, 1 or RANDOM_FIRST
            ("truncates", "i1"),  # 1: a game that reaches max_turns has no winner; 0: it is scored as it stands (R11)
            # The table.
            ("deck", "i1", (NUM_CARDS,)),  # the top of the deck is deck[deck_size - 1]
            ("deck_size", "i1"),
            ("face_up", "i1"),
            ("journey", "i1", (2, NUM_CARDS)),
            ("scrapbook", "i1", (2, NUM_CARDS)),
            ("journey_size", "i1", (2,)),
            ("scrapbook_size", "i1", (2,)),
            ("under", "i1", (NUM_CARDS,)),
            ("discard", "i4", (2,)),
            ("busts", "i4", (2,)),
            # The turn.
            ("turn", "i4"),  # finished turns of both players
            ("active", "i1"),  # whose turn it is
            ("player", "i1"),  # who is asked: another than `active` only when busting in the other's turn
            ("decision", "i1"),  # vocabulary.Decision
            ("window", "i1"),  # vocabulary.Timing of the abilities being resolved
            ("travel", "i1"),  # the Travel to carry out after the `before_travel` window: an Action, or NO_CARD
            ("traveled", "i1"),  # the card just added by the player's own Travel
            ("asking", "i1"),  # the card whose ability is being resolved, or under which cards are hidden
            ("chosen", "i1"),  # the first card of a swap
            ("rested", "i1"),  # 1: the action of this turn was a Rest
            ("checked", "i1"),  # players whose bust has been checked in this turn
            ("returned", "i1"),  # 1: a card went into the deck and it is still to be shuffled
            ("kept", "i4"),  # cards kept when busting
            ("used", "i4", (NUM_WINDOWS,)),  # cards whose ability of that timing was used this turn
            ("at_limit", "i1"),  # 1: the game is over since it reached max_turns
            # What follows from the rest, kept since every observation needs it.
            ("legal", "i8"),  # the legal actions: bit a stands for action a
            ("journey_set", "i4", (2,)),  # the cards of each Journey
            ("scrapbook_set", "i4", (2,)),  # the visible cards of each Scrapbook
            ("scores", "i4", (2,)),  # the scores if the game ended now
            ("touched", "i1"),  # players whose score is to be counted anew; 0 between steps
        ],
    )
)


def new_states(
    count: int,
    *,
    data: int = 0,
    solo: bool = False,
    backseat: bool = False,
    discard_points: bool = False,
    must_outbust: bool = False,
    ask_forced: bool = False,
    first_player: int | None = None,
    max_turns: int = 200,
    truncates: bool = False,
) -> np.ndarray:
    """`count` records with these options, not yet dealt: `reset` them next."""
    states = np.zeros(count, STATE)
    states["data"] = data
    states["solo"] = solo
    states["backseat"] = backseat or solo
    states["discard_points"] = discard_points
    states["must_outbust"] = must_outbust
    states["ask_forced"] = ask_forced
    states["first_player"] = RANDOM_FIRST if first_player is None else first_player
    states["max_turns"] = max_turns
    states["truncates"] = truncates
    states["face_up"] = NO_CARD
    return states
