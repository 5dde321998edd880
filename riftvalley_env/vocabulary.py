"""The words of the game as numbers: squares, marks, elements, kinds of points.

Everything that a kernel compares is an ``IntEnum`` here, so that the rules read in words.
"""

from enum import IntEnum

MIN_PLAYERS = 2
MAX_PLAYERS = 5
MAX_BOARDS = 5
"""Most boards in a game, and in the pool that they are dealt from."""
MAX_SIDE = 12
MAX_SQUARES = MAX_SIDE * MAX_SIDE
NUM_AREAS = 9
MAX_AREAS_OF_TRAIL = 5
MIN_RIFT = 2
"""Least length of a Rift, in squares (R1)."""

TENTS_OF_BOARD = 5
"""Tents that fill a board."""
FULL_BOARDS_AT_END = (0, 0, 2, 2, 3, 4)
"""Full boards that trigger the end, by number of players."""

NOWHERE = -1
"""Stands for no square."""
NO_AREA = -1


class Square(IntEnum):
    """What is printed on a square; ``OUTSIDE`` fills the grid around a board that is smaller than the grid."""

    EMPTY = 0
    KOB = 1
    ELEPHANT = 2
    LION = 3
    TREE = 4
    WATER = 5
    RIFT = 6
    OUTSIDE = 7


SQUARE_LETTERS = {
    ".": Square.EMPTY,
    "k": Square.KOB,
    "e": Square.ELEPHANT,
    "l": Square.LION,
    "t": Square.TREE,
    "w": Square.WATER,
    "r": Square.RIFT,
}
AREA_LETTERS = "ABCDEFGHI"

ANIMALS = (Square.KOB, Square.ELEPHANT, Square.LION)
"""Each scores its own number: kob 1, elephant 2, lion 3."""


class Mark(IntEnum):
    """What a player has drawn on a square. Of a Trail, the shape of its line on that square."""

    STOP = 0
    CONNECTED = 1
    """A Stop with a Trail."""
    TENT = 2
    HORIZONTAL = 3
    VERTICAL = 4
    RIGHT_DOWN = 5
    """A corner with arms to the right and down; the other corners likewise."""
    LEFT_DOWN = 6
    RIGHT_UP = 7
    LEFT_UP = 8


NUM_MARKS = len(Mark)
BLANK = 0
"""Code of a square on which nothing is drawn; a mark of a seat has the code 1 + seat × NUM_MARKS + mark."""


class Element(IntEnum):
    """What a player has decided to draw in this turn."""

    UNDECIDED = 0
    STOP = 1
    TENT = 2
    TRAIL = 3
    PASS = 4


class Way(IntEnum):
    """How an L-shaped Trail leaves its start, the end with the lower index. A straight Trail is ``ROW_FIRST``."""

    ROW_FIRST = 0
    COLUMN_FIRST = 1


class Points(IntEnum):
    """Kinds of points."""

    AREAS = 0
    ANIMALS = 1
    STOPS = 2
    TENTS = 3


NUM_KINDS = len(Points)


class Deal(IntEnum):
    """How the boards of the pool come to the players."""

    FIXED = 0
    """Seat p starts with board p."""
    SHUFFLED = 1
    """The pool is shuffled; seat p starts with the p-th."""
    SAME = 2
    """All players start with the same board."""


class Ending(IntEnum):
    """By which rule a game was decided."""

    NONE = 0
    SCORE = 1
    BEST_BOARDS = 2
    """A tie, broken by the highest single boards."""
    SHARED = 3
    TRUNCATED = 4
