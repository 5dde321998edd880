"""The rules: set-up, what may be drawn, what drawing does, the end (rulebook, Gameplay to End of Game).

A turn: every seat decides on one element for the board in front of it (`decide`); when the last one has, all are drawn,
the boards move to the left, and the end is checked (`end_turn`). ``R1`` … ``R14`` are the rulings of
``docs/riftvalley.md``. `board` is the seat that started with the board (see `riftvalley_env.state`).
"""

from typing import Any

from riftvalley_env.scoring import STOP_PENALTY, connect_stop, score_area_points, score_new_animals, score_tent
from riftvalley_env.vocabulary import (
    BLANK,
    FULL_BOARDS_AT_END,
    MAX_PLAYERS,
    MAX_SIDE,
    MAX_SQUARES,
    NOWHERE,
    NUM_KINDS,
    NUM_MARKS,
    TENTS_OF_BOARD,
    Deal,
    Element,
    Mark,
    Points,
    Way,
)
from valley_core.jit import kernel
from valley_core.rng import shuffle

# --- Set-up ---------------------------------------------------------------------------------------------------------


@kernel
def reset(state: Any, data: Any) -> None:
    """Deal a new game from ``state.rng``; the options of the state stay."""
    deal_boards(state, data)
    for board in range(MAX_PLAYERS):
        for s in range(MAX_SQUARES):
            state.drawn[board, s] = BLANK
        state.tents[board] = 0
        for line in range(MAX_SIDE):
            state.beside_stops[board, line] = 0
            for seat in range(MAX_PLAYERS):
                state.stops[board, seat, line] = 0
        for seat in range(MAX_PLAYERS):
            for kind in range(NUM_KINDS):
                state.points[board, seat, kind] = 0
        print_walls(state, data, board)
    state.turn = 0
    state.idle = 0
    state.last_turn = -1
    state.over = 0
    state.truncated = 0
    begin_turn(state)


@kernel
def deal_boards(state: Any, data: Any) -> None:
    """Give each seat the board that it starts with: the first of the pool, shuffled where boards are drawn (R14)."""
    for seat in range(MAX_PLAYERS):
        state.start[seat] = 0 if state.deal == Deal.SAME else seat
    if state.deal == Deal.SHUFFLED:
        shuffle(state, state.start, int(data.count))
    for seat in range(state.num_players, MAX_PLAYERS):
        state.start[seat] = 0


@kernel
def print_walls(state: Any, data: Any, board: int) -> None:
    """Set what blocks Trails on a board with nothing drawn on it."""
    printed = data.board[state.start[board]]
    for who in range(2):
        for line in range(MAX_SIDE):
            if board < state.num_players:
                state.row_walls[board, who, line] = printed.row_walls[who, line]
                state.column_walls[board, who, line] = printed.column_walls[who, line]
            else:
                state.row_walls[board, who, line] = 0
                state.column_walls[board, who, line] = 0


@kernel
def begin_turn(state: Any) -> None:
    """Nobody has decided anything."""
    for seat in range(MAX_PLAYERS):
        state.element[seat] = Element.UNDECIDED
        state.square[seat] = NOWHERE
        state.target[seat] = NOWHERE
        state.way[seat] = Way.ROW_FIRST


# --- What may be drawn ----------------------------------------------------------------------------------------------


@kernel
def held_board(state: Any, seat: int) -> int:
    """The board in front of a seat: boards move from seat p to seat p + 1 after each turn."""
    return int((seat - int(state.turn)) % int(state.num_players))


@kernel
def empty_columns(state: Any, data: Any, board: int, row: int) -> int:
    """The empty squares of a row, as a bit mask of columns."""
    return ((1 << int(data.width)) - 1) & ~int(state.row_walls[board, 0, row])


@kernel
def stop_columns(state: Any, data: Any, board: int, row: int) -> int:
    """The squares of a row that admit a Stop (rulebook, Stops; R2); in the first turn, none beside an animal."""
    columns = empty_columns(state, data, board, row) & ~int(state.beside_stops[board, row])
    if state.turn == 0:
        columns &= ~int(data.board[state.start[board]].near_animals[row])
    return columns


@kernel
def tents_allowed(state: Any, board: int) -> bool:
    """Whether the board has room for a Tent, which may then go on any empty square (rulebook, Tents; R7)."""
    return state.turn > 0 and state.tents[board] < TENTS_OF_BOARD


@kernel
def between(low: int, high: int) -> int:
    """The set of the numbers strictly between two, low < high."""
    return (1 << high) - (2 << low)


@kernel
def row_is_open(state: Any, board: int, who: int, row: int, column: int, other: int) -> bool:
    """Whether a Trail can cover all squares of a row strictly between two columns."""
    low, high = min(column, other), max(column, other)
    return int(state.row_walls[board, who, row]) & between(low, high) == 0


@kernel
def column_is_open(state: Any, board: int, who: int, column: int, top: int, bottom: int) -> bool:
    """Whether a Trail can cover all squares of a column strictly between two rows."""
    return int(state.column_walls[board, who, column]) & between(top, bottom) == 0


@kernel
def is_open(state: Any, board: int, seat: int, row: int, column: int, end_row: int, end_column: int, way: int) -> bool:
    """Whether `seat` may draw the Trail between two of its Stops, the first with the lower index (rulebook, Trails).

    A straight Trail runs along a row or a column (R13) and is `Way.ROW_FIRST`. The walls of the owner of the board
    leave its Rift open the short way (R3, R4); the corner is on an empty square.
    """
    who = 1 if seat == board else 0
    if row == end_row:
        return way == Way.ROW_FIRST and row_is_open(state, board, who, row, column, end_column)
    if column == end_column:
        return way == Way.ROW_FIRST and column_is_open(state, board, who, column, row, end_row)
    if way == Way.ROW_FIRST:
        return (
            (int(state.row_walls[board, 0, row]) >> end_column) & 1 == 0
            and row_is_open(state, board, who, row, column, end_column)
            and column_is_open(state, board, who, end_column, row, end_row)
        )
    return (
        (int(state.row_walls[board, 0, end_row]) >> column) & 1 == 0
        and column_is_open(state, board, who, column, row, end_row)
        and row_is_open(state, board, who, end_row, column, end_column)
    )


# --- Deciding -------------------------------------------------------------------------------------------------------


@kernel
def to_act(state: Any) -> int:
    """The lowest seat that is still to decide, -1 at the end."""
    if not state.over:
        for seat in range(state.num_players):
            if state.element[seat] == Element.UNDECIDED:
                return seat
    return -1


@kernel
def asked(state: Any, seat: int) -> bool:
    """Whether a seat is still to decide in this turn."""
    return not state.over and state.element[seat] == Element.UNDECIDED


@kernel
def decide(state: Any, data: Any, seat: int, element: int, square: int, target: int, way: int) -> None:
    """Settle what a seat draws in this turn; when all seats have, draw it."""
    state.element[seat] = element
    state.square[seat] = square
    state.target[seat] = target
    state.way[seat] = way
    if to_act(state) < 0:
        end_turn(state, data)


@kernel
def end_turn(state: Any, data: Any) -> None:
    """Draw what all have decided, pass the boards to the left, and check the end (rulebook, End of Turn)."""
    drew = False
    for seat in range(state.num_players):
        board = held_board(state, seat)
        element = int(state.element[seat])
        square = int(state.square[seat])
        if element == Element.STOP:
            draw_stop(state, data, board, seat, square)
        elif element == Element.TENT:
            draw_tent(state, data, board, seat, square)
        elif element == Element.TRAIL:
            draw_trail(state, data, board, seat, square, int(state.target[seat]), int(state.way[seat]))
        drew = drew or element != Element.PASS
    state.idle = 0 if drew else state.idle + 1
    state.turn += 1
    begin_turn(state)
    check_end(state)


# --- Drawing --------------------------------------------------------------------------------------------------------


@kernel
def fill(state: Any, data: Any, board: int, seat: int, square: int, mark: int) -> None:
    """Draw a mark on a square, which is then no longer empty, nor a Rift square that can be bridged (R4)."""
    row, column = square // int(data.width), square % int(data.width)
    state.drawn[board, square] = 1 + seat * NUM_MARKS + mark
    for who in range(2):
        state.row_walls[board, who, row] |= 1 << column
        state.column_walls[board, who, column] |= 1 << row


@kernel
def draw_stop(state: Any, data: Any, board: int, seat: int, square: int) -> None:
    """Draw a Stop, which has no Trail yet."""
    width = int(data.width)
    row, column = square // width, square % width
    fill(state, data, board, seat, square, Mark.STOP.value)
    state.stops[board, seat, row] |= 1 << column
    state.points[board, seat, Points.STOPS] -= STOP_PENALTY
    state.beside_stops[board, row] |= ((5 << column) >> 1) & ((1 << width) - 1)
    if row > 0:
        state.beside_stops[board, row - 1] |= 1 << column
    if row + 1 < data.height:
        state.beside_stops[board, row + 1] |= 1 << column


@kernel
def draw_tent(state: Any, data: Any, board: int, seat: int, square: int) -> None:
    """Draw a Tent."""
    fill(state, data, board, seat, square, Mark.TENT.value)
    state.tents[board] += 1
    score_tent(state, data, board, seat, square)


@kernel
def draw_trail(state: Any, data: Any, board: int, seat: int, start: int, end: int, way: int) -> None:
    """Draw a Trail from a Stop to one with a higher index, and score it."""
    width = int(data.width)
    row, column = start // width, start % width
    end_row, end_column = end // width, end % width
    score_area_points(state, data, board, seat, start, end, way)
    connect_stop(state, data, board, seat, start)
    connect_stop(state, data, board, seat, end)
    along, down = (row, end_column) if way == Way.ROW_FIRST else (end_row, column)
    for c in range(min(column, end_column) + 1, max(column, end_column)):
        cover(state, data, board, seat, along * width + c, Mark.HORIZONTAL.value)
    for r in range(row + 1, end_row):
        cover(state, data, board, seat, r * width + down, Mark.VERTICAL.value)
    if row != end_row and column != end_column:
        if way == Way.ROW_FIRST:
            mark = Mark.LEFT_DOWN.value if column < end_column else Mark.RIGHT_DOWN.value
        else:
            mark = Mark.RIGHT_UP.value if column < end_column else Mark.LEFT_UP.value
        cover(state, data, board, seat, along * width + down, mark)


@kernel
def cover(state: Any, data: Any, board: int, seat: int, square: int, mark: int) -> None:
    """Draw a Trail's line on a square; animals beside it score."""
    score_new_animals(state, data, board, seat, square)
    fill(state, data, board, seat, square, mark)


# --- The end --------------------------------------------------------------------------------------------------------


@kernel
def full_boards(state: Any) -> int:
    """How many boards hold as many Tents as they may."""
    count = 0
    for board in range(state.num_players):
        if state.tents[board] >= TENTS_OF_BOARD:
            count += 1
    return count


@kernel
def check_end(state: Any) -> None:
    """Trigger the end, or end the game (rulebook, End of Game; R9, R10), or truncate it."""
    players = int(state.num_players)
    if state.last_turn < 0 and (full_boards(state) >= FULL_BOARDS_AT_END[players] or state.idle >= players):
        state.last_turn = (int(state.turn) + players - 1) // players * players
    if state.last_turn >= 0 and state.turn > state.last_turn:
        state.over = 1
    elif state.turn >= state.max_turns:
        state.over = 1
        state.truncated = 1
