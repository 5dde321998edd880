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
from riftvalley_env.vocabulary import FULL_BOARDS_AT_END, NUM_MARKS, Mark
from valley_core.errors import StateError
from valley_core.records import REMEDY

STEPS = (UP, RIGHT, DOWN, LEFT)
HAS_ARM = np.array([[False, *(step in ARMS.get(mark, ()) for mark in Mark)] for step in STEPS])
"""For each step, whether the line of a mark leads there; the first entry of a row is that of a blank square."""


def elements_drawn(state: Any, datum: Any, players: int) -> np.ndarray:
    """How many elements each seat has drawn on each board, int64 of shape (boards, seats)."""
    height, width = int(datum["height"]), int(datum["width"])
    codes = state["drawn"][:players, : height * width].astype(np.int64).reshape(players, height, width)
    seats, marks = np.divmod(codes - 1, NUM_MARKS)
    marks[codes == 0] = -1
    halves = 2 * ((marks >= 0) & (marks <= Mark.TENT))  # a Stop or a Tent is one element, each end of a Trail a half
    around = np.pad(codes, ((0, 0), (1, 1), (1, 1)))
    connected = 1 + seats * NUM_MARKS + Mark.CONNECTED
    for (down, right), has_arm in zip(STEPS, HAS_ARM, strict=True):
        beside = around[:, 1 + down : 1 + down + height, 1 + right : 1 + right + width]
        halves += has_arm[marks + 1] & (beside == connected)
    own = (seats[:, None] == np.arange(players)[None, :, None, None]) & (codes[:, None] > 0)
    counts: np.ndarray = (own * halves[:, None]).sum((2, 3)) // 2
    return counts


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
    for seat in range(players if turn else 0):
        _check_first_stop(state, datum, seat)
    _check_trigger(state, players, turn, last, idle)
    forced = visits(turn if last < 0 else max(0, min(turn, last - players + 1)))  # turns before any trigger
    for board, seat in np.argwhere(drawn < forced).tolist():
        if can_draw_on(state, datum, board, seat):
            raise StateError(
                f"fields turn and drawn do not agree: by turn {turn} seat {seat} has passed on board {board}, where it "
                f"can draw (R8){REMEDY}"
            )


def _check_first_stop(state: Any, datum: Any, seat: int) -> None:
    near = datum["board"][state["start"][seat]]["near_animals"]
    if not (state["stops"][seat, seat] & ~near).any():
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
