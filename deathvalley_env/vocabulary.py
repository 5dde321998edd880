"""The words of the game as numbers: hazards, decisions, actions, and the vocabulary of card abilities.

Everything that a kernel compares is an ``IntEnum`` here, so that the rules read in words.
An ability is data: a timing, an effect, a selection of cards, a condition and numbers; ``docs/decks.md`` gives the
meaning of each word. The tables below also say which words go together; the deck checker enforces them.
"""

from enum import IntEnum

NUM_CARDS = 18
NUM_PLAYERS = 2
NUM_HAZARDS = 4
MAX_ABILITIES = 3
"""Most abilities on one card."""

NO_CARD = -1
HAZARD_LIMIT = 3
"""Visible cards of one hazard that make a player bust (rulebook, Busting)."""

HAZARD_COUNTS = {"paw": 3, "drop": 4, "mountain": 5, "sun": 6}
"""Cards of each hazard in a deck (rulebook, Components; Adding Other Cards)."""


class Hazard(IntEnum):
    """Hazard types, in the order of their quantities; ``ANY`` only in selections."""

    PAW = 0
    DROP = 1
    MOUNTAIN = 2
    SUN = 3
    ANY = 4


class Timing(IntEnum):
    """When an ability applies. Those before ``BUST_CHECK`` are decisions of their owner."""

    START_OF_TURN = 0
    INSTEAD_OF_TRAVEL = 1
    INSTEAD_OF_REST = 2
    BEFORE_TRAVEL = 3
    WHEN_TRAVELED = 4
    AFTER_TRAVEL = 5
    BEFORE_REST = 6
    AFTER_REST = 7
    WHEN_BUSTING = 8
    BUST_CHECK = 9
    SCORING = 10
    NONE = 11
    """Marks an unused ability slot."""


NUM_WINDOWS = int(Timing.BUST_CHECK)
"""Timings that open a window of decisions: those before ``Timing.BUST_CHECK``."""


class Effect(IntEnum):
    """What an ability does."""

    SHUFFLE = 0
    SWAP_FACE_UP = 1
    SWAP_CARDS = 2
    HIDE = 3
    SWAP_HIDDEN = 4
    TO_SCRAPBOOK = 5
    TO_JOURNEY = 6
    TRAVEL_AGAIN = 7
    SEND = 8
    KEEP = 9
    IGNORE = 10
    RAISE_LIMIT = 11
    SCORE_NOTHING = 12
    POINTS = 13


class Row(IntEnum):
    """The place that a selection looks at."""

    BOTH = 0
    JOURNEY = 1
    SCRAPBOOK = 2
    OWN_DISCARD = 3
    OTHER_DISCARD = 4
    BOTH_DISCARDS = 5


class Position(IntEnum):
    """Which cards of the row, seen from the card with the ability."""

    ANY = 0
    THIS = 1
    LEFT = 2
    RIGHT = 3
    ABOVE = 4
    BELOW = 5
    VERTICAL = 6
    ADJACENT = 7
    THIS_OR_ADJACENT = 8
    LEFTMOST = 9
    RIGHTMOST = 10


class Cards(IntEnum):
    """Visible cards, or hidden ones."""

    VISIBLE = 0
    HIDDEN_HERE = 1
    """Hidden under the card with the ability."""
    HIDDEN = 2
    """Hidden under any card of the row."""


class Having(IntEnum):
    """Only cards with a star, or with a skull."""

    ANY = 0
    STARS = 1
    SKULLS = 2


class Per(IntEnum):
    """What points are counted by."""

    ONCE = 0
    CARD = 1
    STAR = 2
    SKULL = 3
    ROW_WITHOUT = 4


class Decision(IntEnum):
    """What the player to act is asked."""

    TURN = 0
    """Travel, Rest, or an ability at the start of the turn."""
    TRAVEL = 1
    """Which Travel, when an ability grants one more."""
    ABILITY = 2
    """Which ability of the open window, or done."""
    CARD = 3
    """Which card, for the ability being resolved."""
    SECOND_CARD = 4
    """Which second card, for an ability that swaps two."""
    REST = 5
    """Which Journey card moves to the Scrapbook."""
    HIDE = 6
    """Which further Journey card is hidden under it, or done."""
    RETURN = 7
    """Which further Journey card is shuffled back into the deck, or done."""
    OVER = 8


class Action(IntEnum):
    """The actions; ``ABILITY + i`` uses an ability of card i, ``CARD + i`` names card i (0 to 17)."""

    TRAVEL_FACE_UP = 0
    TRAVEL_TOP = 1
    TRAVEL_OTHER = 2
    """The face-up card to the other player's Journey (Backseat Driver Variant)."""
    REST = 3
    ABILITY = 4
    CARD = 4 + NUM_CARDS
    DONE = 4 + 2 * NUM_CARDS


NUM_ACTIONS = int(Action.DONE) + 1


class Ending(IntEnum):
    """By which rule a game was decided."""

    NONE = 0
    SCORE = 1
    FEWER_BUSTS = 2
    SHARED = 3
    MUST_OUTBUST = 4
    TURN_LIMIT = 5
    """The game reached `max_turns`, and was scored as it stood (R11)."""
    TRUNCATED = 6
    """The game reached `max_turns`, and has no winner (option ``turn_limit="truncate"``)."""


MOVES_ONE_CARD = frozenset({Effect.SHUFFLE, Effect.HIDE, Effect.TO_SCRAPBOOK, Effect.TO_JOURNEY, Effect.SEND})
SWAPS = frozenset({Effect.SWAP_FACE_UP, Effect.SWAP_CARDS, Effect.SWAP_HIDDEN})

EFFECTS_OF_TIMING: dict[Timing, frozenset[Effect]] = {
    Timing.START_OF_TURN: MOVES_ONE_CARD | SWAPS,
    Timing.INSTEAD_OF_TRAVEL: MOVES_ONE_CARD | SWAPS,
    Timing.INSTEAD_OF_REST: MOVES_ONE_CARD | SWAPS,
    Timing.BEFORE_TRAVEL: MOVES_ONE_CARD | SWAPS,
    Timing.WHEN_TRAVELED: MOVES_ONE_CARD | SWAPS | {Effect.TRAVEL_AGAIN},
    Timing.AFTER_TRAVEL: MOVES_ONE_CARD | SWAPS | {Effect.TRAVEL_AGAIN},
    Timing.BEFORE_REST: MOVES_ONE_CARD | SWAPS,
    Timing.AFTER_REST: MOVES_ONE_CARD | SWAPS | {Effect.TRAVEL_AGAIN},
    Timing.WHEN_BUSTING: frozenset({Effect.KEEP}),
    Timing.BUST_CHECK: frozenset({Effect.IGNORE, Effect.RAISE_LIMIT}),
    Timing.SCORING: frozenset({Effect.SCORE_NOTHING, Effect.POINTS}),
}
"""The effects that each timing admits."""

AT_TURN = (Timing.START_OF_TURN, Timing.INSTEAD_OF_TRAVEL, Timing.INSTEAD_OF_REST)
"""The timings whose abilities are offered beside Travel and Rest; a card has at most one of them."""
