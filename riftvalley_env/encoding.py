"""Actions, masks and observations: a state as numbers for a learner.

Everything is public but what others have decided in the turn that is not over.
"""

from functools import cache
from typing import Any

import numpy as np

from riftvalley_env import rules
from riftvalley_env.board_data import RIFT_PLANE, num_paths
from riftvalley_env.rules import asked, empty_columns, full_boards, held_board, is_open, stop_columns, tents_allowed
from riftvalley_env.scoring import best_other, score_of, wins
from riftvalley_env.vocabulary import (
    BLANK,
    NOWHERE,
    NUM_AREAS,
    NUM_MARKS,
    TENTS_OF_BOARD,
    Element,
    Mark,
)
from valley_core.bits import lowest
from valley_core.game import Reward, Status
from valley_core.jit import kernel
from valley_core.layout import Field, Layout

MARGIN_SCALE = 30.0
"""Score margin, in points, that counts as 1 in the `margin` reward; larger margins are clipped."""
MOST_POINTS = 100.0
MOST_TURNS = 100.0

# Kernels multiply by these: a division takes many times as long.
A_POINT = np.float32(1 / MOST_POINTS)
A_TURN = np.float32(1 / MOST_TURNS)
A_TENT = np.float32(1 / TENTS_OF_BOARD)

COLOUR_VIEWS = 5
"""Views of one plane for each board and colour: Rift, Stops, connected Stops, Trails, Tents."""
CONNECTED, TRAILS, TENTS = 1, 2, 3
"""Views after that of the Stops."""

# The ranges of the two-step actions, in squares of the grid.
STOP, TENT, TRAIL_FROM, ROW_FIRST, COLUMN_FIRST, TWO_STEP_RANGES = 0, 1, 2, 3, 4, 5


# --- Layout and names -----------------------------------------------------------------------------------------------


@cache
def layout_of(num_players: int, height: int, width: int) -> Layout:
    """The flat observation of a game for so many players on boards of a grid of this size."""
    n, grid = num_players, (height, width)
    return Layout(
        (
            Field("areas", (n, NUM_AREAS, *grid), 0, 1, "board by board, one plane for each area A to I"),
            Field("animals", (n, 3, *grid), 0, 1, "kobs, elephants, lions of each board"),
            Field("trees", (n, *grid), 0, 1, "trees of each board"),
            Field("water", (n, *grid), 0, 1, "water of each board"),
            Field("rift", (n, n, *grid), 0, 1, "the Rift of each board, in the plane of the colour that may bridge it"),
            Field("stops", (n, n, *grid), 0, 1, "Stops on each board, one plane for each colour"),
            Field("connected", (n, n, *grid), 0, 1, "those among them that have a Trail"),
            Field("trails", (n, n, *grid), 0, 1, "squares that Trails cover, bridged squares included"),
            Field("tents", (n, n, *grid), 0, 1, "Tents"),
            Field("trail_from", grid, 0, 1, "the Stop at which the observer has begun a Trail in this turn"),
            Field("tents_left", (n,), 0, 1, "Tents that each board still has room for / 5"),
            Field("boards_full", (1,), 0, 1, "share of the boards that hold 5 Tents"),
            Field("triggered", (1,), 0, 1, "1 if the end is triggered"),
            Field(
                "turns_left",
                (1,),
                0,
                1,
                "turns still to play, this one included / players; 0 before the end is triggered",
            ),
            Field("scores", (n,), -1, 1, "score of each colour if the game ended now / 100, clipped"),
            Field("turn", (1,), 0, 1, "finished turns / 100, at most 1"),
        )
    )


def name_of(s: int, width: int) -> str:
    """A square as row and column, both from 1: ``r3c7``."""
    return f"r{s // width + 1}c{s % width + 1}"


@cache
def action_names(height: int, width: int, flat: bool) -> tuple[str, ...]:
    """The name of each action, in order; the last two are ``pass`` and ``wait``."""
    squares = [name_of(s, width) for s in range(height * width)]
    names = [f"stop {s}" for s in squares] + [f"tent {s}" for s in squares]
    if flat:
        names += [f"trail {path}" for path in _path_names(height, width)]
    else:
        names += [f"trail-from {s}" for s in squares]
        names += [f"row-first {s}" for s in squares]
        names += [f"column-first {s}" for s in squares]
    return (*names, "pass", "wait")


def _path_names(height: int, width: int) -> list[str]:
    names = []
    for a in range(height * width):
        for b in range(a + 1, height * width):
            ends = f"{name_of(a, width)} {name_of(b, width)}"
            # The corner in the row of the start, then the one in its column.
            corners = (a // width * width + b % width, b // width * width + a % width)
            if a in corners or b in corners:
                names.append(ends)
            else:
                names += [f"{ends}, corner {name_of(corner, width)}" for corner in corners]
    return names


def num_actions(height: int, width: int, flat: bool) -> int:
    """Length of the mask."""
    squares = height * width
    return (2 * squares + num_paths(height, width) if flat else TWO_STEP_RANGES * squares) + 2


# --- Actions --------------------------------------------------------------------------------------------------------


@kernel
def path_number(data: Any, start: int, end: int, way: int) -> int:
    """The number of a path from `start` to `end`, which has a higher index, among all paths of the grid."""
    width = int(data.width)
    row, column = start // width, start % width
    end_row, end_column = end // width, end % width
    first = int(data.first_path[start])
    if row == end_row:
        return first + end_column - column - 1
    # The same row comes first; then each row below, with two paths to every square but the one straight below.
    number = first + (width - 1 - column) + (end_row - row - 1) * (2 * width - 1) + 2 * end_column
    return number - (1 if end_column > column else 0) + way


@kernel
def path_start(data: Any, number: int) -> int:
    """The square from which a path of this number leads."""
    low, high = 0, int(data.squares) - 1
    while low < high:  # the last square whose first path is not above the number
        middle = (low + high + 1) // 2
        if data.first_path[middle] <= number:
            low = middle
        else:
            high = middle - 1
    return low


@kernel
def step(state: Any, data: Any, seat: int, action: int) -> None:
    """Carry out an action that is legal for a seat that is asked."""
    squares = int(data.squares)
    kind, s = action // squares, action % squares
    if kind == STOP:
        rules.decide(state, data, seat, Element.STOP.value, s, NOWHERE, 0)
    elif kind == TENT:
        rules.decide(state, data, seat, Element.TENT.value, s, NOWHERE, 0)
    elif state.one_step:
        step_path(state, data, seat, action - 2 * squares)
    elif kind == TRAIL_FROM:
        state.square[seat] = s
    elif kind >= TWO_STEP_RANGES:
        rules.decide(state, data, seat, Element.PASS.value, NOWHERE, NOWHERE, 0)
    else:
        way = 1 if kind == COLUMN_FIRST else 0
        rules.decide(state, data, seat, Element.TRAIL.value, int(state.square[seat]), s, way)


@kernel
def step_path(state: Any, data: Any, seat: int, number: int) -> None:
    """Draw the Trail of a flat action; the number after those of all paths is that of a pass."""
    width, squares = int(data.width), int(data.squares)
    start = path_start(data, number)
    end, way = start + 1, 0
    if start == squares - 1:  # no path begins there
        rules.decide(state, data, seat, Element.PASS.value, NOWHERE, NOWHERE, 0)
        return
    left = number - int(data.first_path[start])
    column = start % width
    if left < width - 1 - column:
        end = start + 1 + left
    else:
        left -= width - 1 - column
        row = start // width + 1 + left // (2 * width - 1)
        left %= 2 * width - 1
        left += 1 if left > 2 * column else 0
        end = row * width + left // 2
        way = left % 2
    rules.decide(state, data, seat, Element.TRAIL.value, start, end, way)


# --- Masks ----------------------------------------------------------------------------------------------------------


@kernel
def legal_mask(state: Any, data: Any, seat: int, out: Any) -> None:
    """Write the mask of legal actions, uint8 of shape (num_actions,)."""
    out[:] = 0
    wait = len(out) - 1
    if not asked(state, seat):
        out[wait] = 1
    elif state.square[seat] != NOWHERE:
        write_ends(state, data, seat, out)
    else:
        found = write_squares(state, data, seat, out)
        if state.turn > 0 and write_trails(state, data, seat, out):
            found = True
        if state.last_turn >= 0 or not found:
            out[wait - 1] = 1  # pass (R8, R10)


@kernel
def write_squares(state: Any, data: Any, seat: int, out: Any) -> bool:
    """Write the squares for a Stop and for a Tent; whether there are any."""
    width, squares = int(data.width), int(data.squares)
    board = held_board(state, seat)
    allowed = tents_allowed(state, board)
    found = 0
    for row in range(data.height):
        stops = stop_columns(state, data, board, row)
        tents = empty_columns(state, data, board, row) if allowed else 0
        found |= stops | tents
        at = row * width
        for column in range(width):
            out[at + column] = (stops >> column) & 1
            out[squares + at + column] = (tents >> column) & 1
    return found != 0


@kernel
def write_trails(state: Any, data: Any, seat: int, out: Any) -> bool:
    """Write where a Trail can begin, or in the flat encoding every Trail; whether there is any."""
    width, height, squares = int(data.width), int(data.height), int(data.squares)
    board = held_board(state, seat)
    found = False
    for row in range(height):
        starts = int(state.stops[board, seat, row])
        while starts:
            column = lowest(starts)
            starts &= starts - 1
            start = row * width + column
            if state.one_step:
                found = write_paths(state, data, board, seat, start, out) or found
            elif begins_trail(state, data, board, seat, row, column):
                out[TRAIL_FROM * squares + start] = 1
                found = True
    return found


@kernel
def begins_trail(state: Any, data: Any, board: int, seat: int, row: int, column: int) -> bool:
    """Whether a Trail is legal from a Stop to one with a higher index."""
    ends = int(state.stops[board, seat, row]) & -(2 << column)
    for end_row in range(row, data.height):
        if end_row > row:
            ends = int(state.stops[board, seat, end_row])
        while ends:
            end_column = lowest(ends)
            ends &= ends - 1
            if is_open(state, board, seat, row, column, end_row, end_column, 0):
                return True
            if is_open(state, board, seat, row, column, end_row, end_column, 1):
                return True
    return False


@kernel
def write_ends(state: Any, data: Any, seat: int, out: Any) -> None:
    """Write where the Trail that a seat has begun can end."""
    width, squares = int(data.width), int(data.squares)
    board = held_board(state, seat)
    start = int(state.square[seat])
    row, column = start // width, start % width
    for end in range(start + 1, squares):
        end_row, end_column = end // width, end % width
        if (int(state.stops[board, seat, end_row]) >> end_column) & 1:
            out[ROW_FIRST * squares + end] = is_open(state, board, seat, row, column, end_row, end_column, 0)
            out[COLUMN_FIRST * squares + end] = is_open(state, board, seat, row, column, end_row, end_column, 1)


@kernel
def write_paths(state: Any, data: Any, board: int, seat: int, start: int, out: Any) -> bool:
    """Write every Trail from a Stop to one with a higher index, for the flat encoding; whether there is any."""
    width, squares = int(data.width), int(data.squares)
    row, column = start // width, start % width
    found = False
    for end in range(start + 1, squares):
        end_row, end_column = end // width, end % width
        if (int(state.stops[board, seat, end_row]) >> end_column) & 1:
            for way in range(2):
                if is_open(state, board, seat, row, column, end_row, end_column, way):
                    out[2 * squares + path_number(data, start, end, way)] = 1
                    found = True
    return found


# --- Observations ---------------------------------------------------------------------------------------------------


@kernel
def copy_planes(data: Any, index: int, first: int, count: int, out: Any, at: int) -> None:
    """Copy some of the planes of a board that never change into `out`, from index `at` on."""
    squares = int(data.squares)
    planes = data.board[index].planes[first * squares : (first + count) * squares]
    place = out[at : at + count * squares]
    for i in range(count * squares):
        place[i] = planes[i]


@kernel
def write_marks(state: Any, data: Any, board: int, seat: int, at: int, view: int, out: Any) -> None:
    """Write what is drawn on a board; `at` is where its Stops of the first colour begin, `view` the size of a view."""
    width, squares, players = int(data.width), int(data.squares), int(state.num_players)
    printed = data.board[state.start[board]]
    for row in range(data.height):
        columns = int(state.row_walls[board, 0, row]) & ~int(printed.solid[row])
        while columns:
            square = row * width + lowest(columns)
            columns &= columns - 1
            code = int(state.drawn[board, square])
            if code != BLANK:  # a Rift square that is not bridged
                owner, mark = (code - 1) // NUM_MARKS, (code - 1) % NUM_MARKS
                colour = owner - seat if owner >= seat else owner - seat + players
                place = at + colour * squares + square
                if mark == Mark.TENT:
                    out[place + TENTS * view] = 1
                elif mark > Mark.TENT:
                    out[place + TRAILS * view] = 1
                else:
                    out[place] = 1
                    if mark == Mark.CONNECTED:
                        out[place + CONNECTED * view] = 1


@kernel
def write_scalars(state: Any, seat: int, at: int, out: Any) -> None:
    """Write the numbers that belong to no square, from index `at` on."""
    n = int(state.num_players)
    for i in range(n):
        board = held_board(state, (seat - i) % n)
        out[at + i] = np.float32(TENTS_OF_BOARD - int(state.tents[board])) * A_TENT
        points = np.float32(score_of(state, (seat + i) % n)) * A_POINT
        out[at + n + 3 + i] = max(np.float32(-1), min(np.float32(1), points))
    triggered = state.last_turn >= 0
    out[at + n] = full_boards(state) / n
    out[at + n + 1] = 1 if triggered else 0
    out[at + n + 2] = (int(state.last_turn) - int(state.turn) + 1) / n if triggered else 0
    out[at + n + 3 + n] = min(np.float32(state.turn) * A_TURN, np.float32(1))


@kernel
def observe(state: Any, data: Any, seat: int, out: Any) -> None:
    """Write what `seat` sees (`layout_of`): boards in the order in which they come to it, its own colour first."""
    n, squares = int(state.num_players), int(data.squares)
    animals_at = n * NUM_AREAS * squares
    trees_at = animals_at + n * 3 * squares
    water_at = trees_at + n * squares
    rift_at = water_at + n * squares
    view = n * n * squares  # a plane for each board and colour
    stops_at = rift_at + view
    begun_at = rift_at + COLOUR_VIEWS * view
    out[rift_at:] = 0
    for i in range(n):
        board = held_board(state, (seat - i) % n)
        printed = int(state.start[board])
        copy_planes(data, printed, 0, NUM_AREAS, out, i * NUM_AREAS * squares)
        copy_planes(data, printed, NUM_AREAS, 3, out, animals_at + i * 3 * squares)
        copy_planes(data, printed, NUM_AREAS + 3, 1, out, trees_at + i * squares)
        copy_planes(data, printed, NUM_AREAS + 4, 1, out, water_at + i * squares)
        copy_planes(data, printed, RIFT_PLANE, 1, out, rift_at + (i * n + (board - seat) % n) * squares)
        write_marks(state, data, board, seat, stops_at + i * n * squares, view, out)
    if state.element[seat] == Element.UNDECIDED and state.square[seat] != NOWHERE:
        out[begun_at + int(state.square[seat])] = 1
    write_scalars(state, seat, begun_at + squares, out)


# --- Status and returns ---------------------------------------------------------------------------------------------


@kernel
def status(state: Any) -> int:
    """Whether the game goes on: `valley_core.game.Status`."""
    if not state.over:
        return Status.RUNNING.value
    return Status.TRUNCATED.value if state.truncated else Status.TERMINATED.value


@kernel
def returns(state: Any, data: Any, reward: int, out: Any) -> None:
    """Write the return of each seat so far, by the kind of reward, into `out`, float64 of shape (num_players,).

    `WIN`: winners share 1, the others share -1 (nothing if all win). `MARGIN`, at the end: own score less the best
    other score, / 30, clipped to -1 … 1; it sums to 0 for two players alone. `SHAPED`: win, and half of the margin so
    far.
    """
    players = int(state.num_players)
    for seat in range(players):
        out[seat] = 0.0
    if reward != Reward.WIN and (reward == Reward.SHAPED or state.over):
        part = 0.5 if reward == Reward.SHAPED else 1.0
        for seat in range(players):
            margin = (score_of(state, seat) - best_other(state, seat)) / MARGIN_SCALE
            out[seat] = part * max(-1.0, min(1.0, margin))
    if reward != Reward.MARGIN and state.over and not state.truncated:
        winners = 0
        for seat in range(players):
            if wins(state, seat):
                winners += 1
        if winners < players:
            for seat in range(players):
                out[seat] += 1.0 / winners if wins(state, seat) else -1.0 / (players - winners)
