"""A player of Rift Valley by rules of thumb: an element is worth the points that it brings and those it makes possible.

Only the board in front of the player counts, and only the own points. An element is judged by its points now, and by
the best that the player could draw on the same board when it comes back, at a discount: others draw there meanwhile,
and the game may end. After a Stop, that is the best Trail from it, to a Stop that is there or to one yet to be drawn.

Nothing depends on what others have decided in the turn that is not over.
"""

from typing import Any

import numpy as np

from riftvalley_env.encoding import COLUMN_FIRST, ROW_FIRST, STOP, TENT, TRAIL_FROM, TWO_STEP_RANGES, path_number
from riftvalley_env.rules import (
    draw_trail,
    empty_columns,
    full_boards,
    held_board,
    is_open,
    stop_columns,
    tents_allowed,
)
from riftvalley_env.scoring import POINTS_OF_TENT, STOP_PENALTY, board_score, is_reached, mark_of, marks_around
from riftvalley_env.state import STATE
from riftvalley_env.vocabulary import FULL_BOARDS_AT_END, MAX_SQUARES, NOWHERE, TENTS_OF_BOARD, Mark, Square, Way
from valley_core.bits import bit, lowest, size_of
from valley_core.jit import kernel

DISCOUNT = 0.85
"""What a point on the same board counts when it comes back, at the start of the game; each time again."""
DISCOUNT_AT_END = 0.4
"""The same when the end is about to be triggered."""

SURELY = 1e-9
"""By how much a judgement must be better to count as better: rounding must not decide."""

MOST_ANIMALS = 62
"""Animals of a board that are looked at, a bit for each."""

ANIMALS_AT = MAX_SQUARES
"""In `notes`: the animals beside each square, as bits; from here on the animals of each kind that score yet."""
NUM_NOTES = MAX_SQUARES + 3

# What a Trail meets on a square.
BLOCKED, BRIDGE, EMPTY, OWN_STOP = range(4)

# Positions in `best`: the best Trail to an own Stop, and to an empty square.
TO_STOP, TO_EMPTY = range(2)
NO_TRAIL = -100.0
NO_VALUE = -1000.0
"""Value of an action that is not legal."""


# --- What a board offers --------------------------------------------------------------------------------------------


@kernel
def take_notes(state: Any, data: Any, board: int, seat: int, notes: Any) -> None:
    """Note which animals are beside each square, and which of them `seat` has not reached yet."""
    printed = data.board[state.start[board]]
    height, width = int(data.height), int(data.width)
    notes[:] = 0
    count = 0
    for s in range(data.squares):
        animal = int(printed.square[s])
        if Square.KOB <= animal <= Square.LION and count < MOST_ANIMALS:
            if not is_reached(state, data, board, seat, s):
                notes[ANIMALS_AT + animal - 1] |= bit(count)
                row, column = s // width, s % width
                for r in range(max(row - 1, 0), min(row + 2, height)):
                    for c in range(max(column - 1, 0), min(column + 2, width)):
                        notes[r * width + c] |= bit(count)
            count += 1


@kernel
def points_of(notes: Any, areas: int, animals: int) -> int:
    """What a Trail through these areas, and beside these animals, brings."""
    points = size_of(areas)
    for kind in range(3):
        points += (kind + 1) * size_of(animals & notes[ANIMALS_AT + kind])
    return points


@kernel
def joining_points(state: Any, data: Any, board: int, seat: int, square: int) -> int:
    """What a Stop brings when it gets a Trail, whether it has been drawn yet or not; 0 if it has one."""
    if mark_of(state, board, seat, square) == Mark.CONNECTED:
        return 0
    tents = marks_around(state, data, board, seat, square, Mark.TENT.value, Mark.TENT.value)
    return STOP_PENALTY + POINTS_OF_TENT * tents


@kernel
def kind_of(state: Any, data: Any, board: int, seat: int, row: int, column: int, upright: bool) -> int:
    """What a Trail of `seat` that goes along a row, or upright, meets on a square."""
    if not (0 <= row < data.height and 0 <= column < data.width):
        return BLOCKED
    if (int(state.row_walls[board, 0, row]) >> column) & 1 == 0:
        return EMPTY
    if (int(state.stops[board, seat, row]) >> column) & 1:
        return OWN_STOP
    who = 1 if seat == board else 0
    walls = (
        int(state.column_walls[board, who, column]) >> row if upright else state.row_walls[board, who, row] >> column
    )
    return BLOCKED if walls & 1 else BRIDGE


@kernel
def note_end(
    state: Any, data: Any, board: int, seat: int, row: int, column: int, areas: int, animals: int, notes: Any, best: Any
) -> None:
    """Note a Trail that ends on a square: an own Stop, or an empty square that admits one."""
    own = (int(state.stops[board, seat, row]) >> column) & 1
    if own or (int(state.beside_stops[board, row]) >> column) & 1 == 0:
        points = points_of(notes, areas, animals)
        points += joining_points(state, data, board, seat, row * int(data.width) + column)
        place = TO_STOP if own else TO_EMPTY
        best[place] = max(best[place], points)


@kernel
def look_around(state: Any, data: Any, board: int, seat: int, square: int, notes: Any, best: Any) -> None:
    """Write the points of the best Trail from a square to an own Stop, and to an empty square, into `best`.

    Points of areas, of animals, and of the Stop at the other end.
    """
    width = int(data.width)
    area = data.board[state.start[board]].area
    best[TO_STOP] = best[TO_EMPTY] = NO_TRAIL
    for heading in range(4):
        upright = heading >= 2
        down, right = (2 * (heading % 2) - 1, 0) if upright else (0, 2 * (heading % 2) - 1)
        row, column = square // width + down, square % width + right
        areas, animals = bit(int(area[square])), int(notes[square])
        first = True
        kind = kind_of(state, data, board, seat, row, column, upright)
        while kind != BLOCKED:
            areas |= bit(int(area[row * width + column]))
            animals |= int(notes[row * width + column])
            if kind != BRIDGE and not first:
                note_end(state, data, board, seat, row, column, areas, animals, notes, best)
            if kind == OWN_STOP:
                break
            if kind == EMPTY:
                for way in range(-1, 2, 2):
                    turn, side = (0, way) if upright else (way, 0)
                    look_on(state, data, board, seat, row, column, turn, side, areas, animals, notes, best)
            first = False
            row += down
            column += right
            kind = kind_of(state, data, board, seat, row, column, upright)


@kernel
def look_on(
    state: Any,
    data: Any,
    board: int,
    seat: int,
    row: int,
    column: int,
    down: int,
    right: int,
    areas: int,
    animals: int,
    notes: Any,
    best: Any,
) -> None:
    """Follow the second leg of an L from its corner."""
    width = int(data.width)
    area = data.board[state.start[board]].area
    upright = down != 0
    while True:
        row += down
        column += right
        kind = kind_of(state, data, board, seat, row, column, upright)
        if kind == BLOCKED:
            return
        areas |= bit(int(area[row * width + column]))
        animals |= int(notes[row * width + column])
        if kind != BRIDGE:
            note_end(state, data, board, seat, row, column, areas, animals, notes, best)
        if kind == OWN_STOP:
            return


@kernel
def best_tent(state: Any, data: Any, board: int, seat: int) -> int:
    """The most points that a Tent brings."""
    if state.tents[board] >= TENTS_OF_BOARD:
        return 0
    best = 0
    for row in range(data.height):
        columns = empty_columns(state, data, board, row)
        while columns:
            square = row * int(data.width) + lowest(columns)
            columns &= columns - 1
            best = max(best, tent_points(state, data, board, seat, square))
    return best


@kernel
def tent_points(state: Any, data: Any, board: int, seat: int, square: int) -> int:
    """What a Tent brings now."""
    stops = marks_around(state, data, board, seat, square, Mark.CONNECTED.value, Mark.CONNECTED.value)
    return POINTS_OF_TENT * stops


@kernel
def best_next(state: Any, data: Any, board: int, seat: int, discount: float, notes: Any, best: Any) -> float:
    """The best that an element brings on a board as it is, or a Stop and then a Trail to it; 0 if nothing does."""
    take_notes(state, data, board, seat, notes)
    value = float(best_tent(state, data, board, seat))
    for row in range(data.height):
        stops = int(state.stops[board, seat, row])
        while stops:
            square = row * int(data.width) + lowest(stops)
            stops &= stops - 1
            look_around(state, data, board, seat, square, notes, best)
            joining = joining_points(state, data, board, seat, square)
            value = max(value, best[TO_STOP] + joining)
            value = max(value, discount * (best[TO_EMPTY] + joining) - STOP_PENALTY)
    return value


@kernel
def discount_of(state: Any, board: int, seat: int) -> float:
    """What a point counts that comes when the board does next."""
    players = int(state.num_players)
    if state.last_turn >= 0:
        return 1.0 if state.turn + players <= state.last_turn else 0.0
    needed = TENTS_OF_BOARD * FULL_BOARDS_AT_END[players]
    # The fullest boards are those that trigger the end; a full one counts as it is, others less.
    drawn = 0
    for other in range(players):
        drawn += int(state.tents[other])
    drawn = max(TENTS_OF_BOARD * full_boards(state), drawn * needed // (TENTS_OF_BOARD * players))
    return DISCOUNT + (DISCOUNT_AT_END - DISCOUNT) * drawn / needed


# --- Choosing -------------------------------------------------------------------------------------------------------


@kernel
def value_squares(
    state: Any, data: Any, board: int, seat: int, discount: float, notes: Any, best: Any, values: Any
) -> None:
    """Write the values of Stops and Tents."""
    width, squares = int(data.width), int(data.squares)
    later = best_next(state, data, board, seat, discount, notes, best)
    for row in range(data.height):
        columns = stop_columns(state, data, board, row)
        while columns:
            square = row * width + lowest(columns)
            columns &= columns - 1
            look_around(state, data, board, seat, square, notes, best)
            joining = joining_points(state, data, board, seat, square)
            follow = max(best[TO_STOP] + joining, discount * (best[TO_EMPTY] + joining) - STOP_PENALTY)
            values[STOP * squares + square] = discount * max(later, follow) - STOP_PENALTY
    if tents_allowed(state, board):
        for row in range(data.height):
            columns = empty_columns(state, data, board, row)
            while columns:
                square = row * width + lowest(columns)
                columns &= columns - 1
                points = tent_points(state, data, board, seat, square)
                values[TENT * squares + square] = points + discount * later


@kernel
def trail_value(
    state: Any,
    data: Any,
    board: int,
    seat: int,
    start: int,
    end: int,
    way: int,
    discount: float,
    scratch: Any,
    notes: Any,
    best: Any,
) -> float:
    """What a Trail brings, and makes possible: it is drawn on a copy."""
    scratch[0] = state
    tried = scratch[0]
    draw_trail(tried, data, board, seat, start, end, way)
    points = board_score(tried, board, seat) - board_score(state, board, seat)
    return points + discount * best_next(tried, data, board, seat, discount, notes, best)


@kernel
def value_trails(
    state: Any, data: Any, board: int, seat: int, discount: float, scratch: Any, notes: Any, best: Any, values: Any
) -> None:
    """Write the values of Trails, from the Stop at which one has begun if it has.

    Where a Trail is two decisions, beginning one is worth what the best that begins there is.
    """
    width, squares = int(data.width), int(data.squares)
    begun = int(state.square[seat])
    first, last = (0, squares) if begun == NOWHERE else (begun, begun + 1)
    for start in range(first, last):
        row, column = start // width, start % width
        if (int(state.stops[board, seat, row]) >> column) & 1 == 0:
            continue
        for end in range(start + 1, squares):
            end_row, end_column = end // width, end % width
            if (int(state.stops[board, seat, end_row]) >> end_column) & 1 == 0:
                continue
            for way in range(2):
                if is_open(state, board, seat, row, column, end_row, end_column, way):
                    if begun != NOWHERE:
                        action = (COLUMN_FIRST if way == Way.COLUMN_FIRST else ROW_FIRST) * squares + end
                    elif state.one_step:
                        action = 2 * squares + path_number(data, start, end, way)
                    else:
                        action = TRAIL_FROM * squares + start
                    worth = trail_value(state, data, board, seat, start, end, way, discount, scratch, notes, best)
                    values[action] = max(values[action], worth)


@kernel
def value_actions(state: Any, data: Any, seat: int, scratch: Any, notes: Any, best: Any, values: Any) -> None:
    """Write the value of each legal action of a seat that is asked, in points; `NO_VALUE` for all others."""
    board = held_board(state, seat)
    discount = discount_of(state, board, seat)
    values[:] = NO_VALUE
    value_trails(state, data, board, seat, discount, scratch, notes, best, values)
    if state.square[seat] == NOWHERE:
        value_squares(state, data, board, seat, discount, notes, best, values)
        if state.last_turn >= 0 or values.max() == NO_VALUE:
            values[pass_action(state, data)] = discount * best_next(state, data, board, seat, discount, notes, best)


@kernel
def pass_action(state: Any, data: Any) -> int:
    """The number of a pass."""
    squares = int(data.squares)
    # In the flat encoding, no path begins at the last square: its first number is the one after those of all paths.
    return 2 * squares + int(data.first_path[squares - 1]) if state.one_step else TWO_STEP_RANGES * squares


@kernel
def choose(state: Any, data: Any, seat: int, scratch: Any, notes: Any, best: Any, values: Any) -> int:
    """The greedy action of a seat that is asked: of equals the first, but a Trail before a Stop or a Tent."""
    value_actions(state, data, seat, scratch, notes, best, values)
    trails = 2 * int(data.squares)
    action = pass_action(state, data)
    chosen = first_best(values, trails, action)
    for other in (first_best(values, 0, trails), action):
        if values[other] > values[chosen] + SURELY:
            chosen = other
    return chosen


@kernel
def first_best(values: Any, first: int, last: int) -> int:
    """The first of the greatest values in a range."""
    best = first
    for action in range(first + 1, last):
        if values[action] > values[best] + SURELY:
            best = action
    return best


@kernel
def choose_all(states: Any, data: Any, seats: Any, scratch: Any, notes: Any, best: Any, actions: Any) -> None:
    """The choice of one seat of each game."""
    if len(states):
        values = np.empty(pass_action(states[0], data[states[0]["data"]]) + 1)
        for i in range(len(states)):
            actions[i] = choose(states[i], data[states[i]["data"]], int(seats[i]), scratch, notes, best, values)


def choose_some(states: np.ndarray, data: np.ndarray, seats: np.ndarray, actions: np.ndarray) -> None:
    """Write the greedy choice of one seat of each game into `actions`."""
    choose_all(states, data, seats, np.zeros(1, STATE), np.zeros(NUM_NOTES, np.int64), np.zeros(2), actions)


# --- For search -------------------------------------------------------------------------------------------------------

SHARPNESS = 0.7
"""By how much a point counts in the priors of `judge_leaf`: their logarithm for each."""

WIDTH = 12.0
"""Margin, in points, that is worth tanh(1) of a victory at the start of the game; it shrinks towards the end."""
WIDTH_AT_END = 3.0

JUDGE_PARAMS = np.zeros(0)
"""Handed to `judge_leaf`."""


@kernel
def follow(state: Any, data: Any, seat: int) -> int:
    """The greedy choice, as `choose_some` makes it, in one game."""
    values = np.empty(pass_action(state, data) + 1)
    return choose(state, data, seat, np.empty(1, STATE), np.empty(NUM_NOTES, np.int64), np.empty(2), values)


@kernel
def outlook(state: Any, data: Any, seat: int, notes: Any, best: Any) -> float:
    """The points of a seat, and what it may draw next on each board, at a discount for each turn until it comes."""
    players = int(state.num_players)
    total = 0.0
    for board in range(players):
        total += board_score(state, board, seat)
        wait = (board + state.turn - seat) % players  # at turn t, seat p holds board p - t
        if wait:
            wait = players - wait
        if state.last_turn < 0 or state.turn + wait <= state.last_turn:
            weight = 1.0 if state.last_turn >= 0 else discount_of(state, board, seat)
            total += weight * best_next(state, data, board, seat, weight, notes, best)
    return total


@kernel
def progress(state: Any) -> float:
    """How far the game has come, by its Tents: 0 to 1."""
    players = int(state.num_players)
    if state.last_turn >= 0:
        return 1.0
    tents = 0
    for board in range(players):
        tents += int(state.tents[board])
    return min(1.0, tents / (TENTS_OF_BOARD * FULL_BOARDS_AT_END[players]))


@kernel
def judge_leaf(state: Any, data: Any, seat: int, mask: Any, chance: Any, params: Any, priors: Any, values: Any) -> None:
    """Judge a position by points and prospects, and its actions by what greedy sees in them (`agents.search`)."""
    notes, best, scratch = np.empty(NUM_NOTES, np.int64), np.empty(2), np.empty(1, STATE)
    value_actions(state, data, seat, scratch, notes, best, priors[: pass_action(state, data) + 1])
    greatest = priors[: pass_action(state, data) + 1].max()
    for action in range(len(mask)):
        if mask[action]:
            priors[action] = np.exp(SHARPNESS * (priors[action] - greatest))
    players = int(state.num_players)
    for other in range(players):
        values[other] = outlook(state, data, other, notes, best)
    width = WIDTH + (WIDTH_AT_END - WIDTH) * progress(state)
    first, second = -1e9, -1e9
    for other in range(players):
        if values[other] > first:
            first, second = values[other], first
        else:
            second = max(second, values[other])
    for other in range(players):
        rival = second if values[other] == first else first
        values[other] = np.tanh((values[other] - rival) / width)
