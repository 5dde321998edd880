"""Whether as much is drawn as the turns of a state allow and ask for: each seat at most one element a turn, and less
only where it could draw nothing, or in the last turns (R8 to R10).

What could not be drawn once can never be drawn again: squares fill up, and a seat's Stops are drawn by that seat alone.
So a seat's draws on a board are the first of its turns there, and the passes the last.
"""

from typing import Any

import numpy as np

from riftvalley_env.encoding import begins_trail
from riftvalley_env.rules import empty_columns, full_boards, stop_columns, tents_allowed
from riftvalley_env.trails import ARMS, DOWN, LEFT, RIGHT, UP
from riftvalley_env.vocabulary import FULL_BOARDS_AT_END, MAX_PLAYERS, NUM_MARKS, Mark
from valley_core.errors import StateError
from valley_core.records import REMEDY

# By the code of a square in ``drawn``: its seat, what it counts in halves, the code of a connected Stop of the seat.
CODES = np.arange(1 + MAX_PLAYERS * NUM_MARKS)
SEAT, MARK = np.divmod(CODES - 1, NUM_MARKS)
HALVES = 2 * (MARK <= Mark.TENT)  # a Stop or a Tent is one element
CONNECTED = 1 + SEAT * NUM_MARKS + Mark.CONNECTED
HAS_ARM = {step: np.array([step in ARMS.get(Mark(mark), ()) for mark in MARK]) for step in (UP, RIGHT, DOWN, LEFT)}
"""For each step, whether the line of a code leads there."""


def elements_drawn(state: Any, datum: Any, players: int) -> np.ndarray:
    """How many elements each seat has drawn on each board, int64 of shape (boards, seats).

    An end of a Trail, where its line leads to a connected Stop of the same seat, counts a half.
    """
    height, width = int(datum["height"]), int(datum["width"])
    grid = np.zeros((players, height + 2, width + 2), np.int64)
    grid[:, 1:-1, 1:-1] = state["drawn"][:players, : height * width].reshape(players, height, width)
    codes = grid.reshape(-1)
    at = np.flatnonzero(codes)
    drawn = codes[at]
    halves = HALVES[drawn]
    for (down, right), has_arm in HAS_ARM.items():
        halves += has_arm[drawn] & (codes[at + down * (width + 2) + right] == CONNECTED[drawn])
    owners = at // ((height + 2) * (width + 2)) * players + SEAT[drawn]
    counts = np.bincount(owners, halves, players * players).astype(np.int64) // 2
    return counts.reshape(players, players)


def first_turns(players: int) -> np.ndarray:
    """The first turn of each seat on each board, int64 of shape (boards, seats); the next are `players` turns apart."""
    return (np.arange(players)[None, :] - np.arange(players)[:, None]) % players


def check_counts(state: Any, datum: Any, players: int) -> None:
    """Raise `StateError`, naming the field, unless what is drawn and the turns agree.

    The fields that follow from what is drawn are right already.
    """
    turn, last, idle = int(state["turn"]), int(state["last_turn"]), int(state["idle"])
    drawn, first = elements_drawn(state, datum, players), first_turns(players)

    def visits(turns: int) -> np.ndarray:
        """How often each seat has held each board in so many turns."""
        return (turns + players - 1 - first) // players

    for board, seat in np.argwhere(drawn > visits(turn))[:1]:
        turns, count = visits(turn)[board, seat], drawn[board, seat]
        raise StateError(
            f"fields turn and drawn do not agree: in {turn} turns seat {seat} held board {board} {turns} times and has "
            f"drawn {count} elements on it{REMEDY}"
        )
    latest = int(np.where(drawn > 0, first + players * (drawn - 1), -1).max())
    if idle != turn - 1 - latest:
        raise StateError(f"field idle is {idle}; turn {turn} follows, and somebody drew in turn {latest}{REMEDY}")
    if turn:
        _check_first_stops(state, datum, players)
    _check_trigger(state, players, turn, last, idle)
    forced = visits(turn if last < 0 else max(0, min(turn, last - players + 1)))  # turns before any trigger
    for board, seat in np.argwhere(drawn < forced).tolist():
        if can_draw_on(state, datum, board, seat):
            raise StateError(
                f"fields turn and drawn do not agree: by turn {turn} seat {seat} has passed on board {board}, where it "
                f"can draw (R8){REMEDY}"
            )


def _check_first_stops(state: Any, datum: Any, players: int) -> None:
    """Each seat's own board holds a Stop of the seat that is away from animals."""
    seats = np.arange(players)
    near = datum["board"]["near_animals"][state["start"][:players]]
    possible = (state["stops"][seats, seats] & ~near).any(1)
    if not possible.all():
        seat = int(possible.argmin())
        raise StateError(f"field drawn has no Stop of seat {seat} on board {seat} that can be its first{REMEDY}")


def _check_trigger(state: Any, players: int, turn: int, last: int, idle: int) -> None:
    """Without enough full boards, the end is triggered by turns in which nobody drew (R9)."""
    full = int(full_boards(state))
    if last < 0 or full >= FULL_BOARDS_AT_END[players]:
        return
    triggered = turn - idle + players
    if idle < players or last != -(-triggered // players) * players:
        raise StateError(
            f"field last_turn is {last}, with {full} full boards of {FULL_BOARDS_AT_END[players]} and idle {idle}: "
            f"nothing has triggered that end{REMEDY}"
        )


def can_draw_on(state: Any, datum: Any, board: int, seat: int) -> bool:
    """Whether any element is legal for a seat on a board, in this turn."""
    width = int(datum["width"])
    for row in range(int(datum["height"])):
        tents = tents_allowed(state, board) and empty_columns(state, datum, board, row)
        if tents or stop_columns(state, datum, board, row):
            return True
    stops = [s for s in range(int(datum["squares"])) if state["stops"][board, seat, s // width] >> s % width & 1]
    return state["turn"] > 0 and any(begins_trail(state, datum, board, seat, *divmod(s, width)) for s in stops)
