"""Points and winners (rulebook, Scoring).

Points are kept up to date as elements are drawn, so that every score so far is known at any time.
"""

from typing import Any

from riftvalley_env.vocabulary import NUM_KINDS, NUM_MARKS, Ending, Mark, Points, Square, Way
from valley_core.jit import kernel

STOP_PENALTY = 2
POINTS_OF_TENT = 2
"""For each adjacent connected Stop of the same player."""


@kernel
def mark_of(state: Any, board: int, seat: int, square: int) -> int:
    """What `seat` has drawn on a square (`vocabulary.Mark`), out of the range of marks if nothing."""
    return int(state.drawn[board, square]) - 1 - seat * NUM_MARKS


@kernel
def marks_around(state: Any, data: Any, board: int, seat: int, square: int, low: int, high: int) -> int:
    """How many of the 8 squares around hold a mark of `seat` from `low` to `high`."""
    width = int(data.width)
    row, column = square // width, square % width
    count = 0
    for r in range(max(row - 1, 0), min(row + 2, int(data.height))):
        for c in range(max(column - 1, 0), min(column + 2, width)):
            if (r != row or c != column) and low <= mark_of(state, board, seat, r * width + c) <= high:
                count += 1
    return count


@kernel
def is_reached(state: Any, data: Any, board: int, seat: int, square: int) -> bool:
    """Whether a Trail of `seat`, its Stops included, is adjacent to a square in one of 8 directions."""
    if marks_around(state, data, board, seat, square, Mark.CONNECTED.value, Mark.CONNECTED.value) > 0:
        return True
    return marks_around(state, data, board, seat, square, Mark.HORIZONTAL.value, Mark.LEFT_UP.value) > 0


@kernel
def score_new_animals(state: Any, data: Any, board: int, seat: int, square: int) -> None:
    """Score the animals around a square that a Trail is about to enter; none scores twice for a player."""
    printed = data.board[state.start[board]]
    width = int(data.width)
    row, column = square // width, square % width
    for r in range(max(row - 1, 0), min(row + 2, int(data.height))):
        for c in range(max(column - 1, 0), min(column + 2, width)):
            animal = int(printed.square[r * width + c])
            if Square.KOB <= animal <= Square.LION and not is_reached(state, data, board, seat, r * width + c):
                state.points[board, seat, Points.ANIMALS] += animal  # kob 1, elephant 2, lion 3


@kernel
def score_area_points(state: Any, data: Any, board: int, seat: int, start: int, end: int, way: int) -> None:
    """Score 1 for each area that a Trail enters, its Stops and bridged squares included (R11)."""
    area = data.board[state.start[board]].area
    width = int(data.width)
    row, column = start // width, start % width
    end_row, end_column = end // width, end % width
    along, down = (row, end_column) if way == Way.ROW_FIRST else (end_row, column)
    entered = 0
    for c in range(min(column, end_column), max(column, end_column) + 1):
        entered |= 1 << int(area[along * width + c])
    for r in range(row, end_row + 1):
        entered |= 1 << int(area[r * width + down])
    while entered:
        entered &= entered - 1
        state.points[board, seat, Points.AREAS] += 1


@kernel
def connect_stop(state: Any, data: Any, board: int, seat: int, square: int) -> None:
    """A Stop gets a Trail: if it is the first, its penalty ends, its Tents and its animals score."""
    if mark_of(state, board, seat, square) == Mark.STOP:
        score_new_animals(state, data, board, seat, square)
        state.drawn[board, square] = 1 + seat * NUM_MARKS + Mark.CONNECTED.value
        tents = marks_around(state, data, board, seat, square, Mark.TENT.value, Mark.TENT.value)
        state.points[board, seat, Points.STOPS] += STOP_PENALTY
        state.points[board, seat, Points.TENTS] += POINTS_OF_TENT * tents


@kernel
def score_tent(state: Any, data: Any, board: int, seat: int, square: int) -> None:
    """Score a new Tent for the connected Stops around it."""
    stops = marks_around(state, data, board, seat, square, Mark.CONNECTED.value, Mark.CONNECTED.value)
    state.points[board, seat, Points.TENTS] += POINTS_OF_TENT * stops


@kernel
def board_score(state: Any, board: int, seat: int) -> int:
    """The points of `seat` on one board so far."""
    points = 0
    for kind in range(NUM_KINDS):
        points += int(state.points[board, seat, kind])
    return points


@kernel
def score_of(state: Any, seat: int) -> int:
    """The points of `seat` on all boards so far."""
    points = 0
    for board in range(state.num_players):
        points += board_score(state, board, seat)
    return points


@kernel
def next_best(state: Any, seat: int, below: int) -> int:
    """The highest board score of `seat` that is lower than `below`, or a number below all."""
    best = -(1 << 20)
    for board in range(state.num_players):
        points = board_score(state, board, seat)
        if best < points < below:
            best = points
    return best


@kernel
def boards_with(state: Any, seat: int, points: int) -> int:
    """On how many boards `seat` has exactly so many points."""
    count = 0
    for board in range(state.num_players):
        if board_score(state, board, seat) == points:
            count += 1
    return count


@kernel
def compare(state: Any, seat: int, other: int) -> int:
    """1 if `seat` is ahead of `other`, -1 if behind, 0 if even: totals, then the best boards in turn (R12)."""
    difference = score_of(state, seat) - score_of(state, other)
    best = 1 << 20
    while difference == 0 and best > -(1 << 20):
        mine, theirs = next_best(state, seat, best), next_best(state, other, best)
        difference = mine - theirs
        best = mine
        if difference == 0:
            difference = boards_with(state, seat, best) - boards_with(state, other, best)
    return 1 if difference > 0 else (-1 if difference < 0 else 0)


@kernel
def wins(state: Any, seat: int) -> bool:
    """Whether nobody is ahead of `seat`."""
    for other in range(state.num_players):
        if compare(state, other, seat) > 0:
            return False
    return True


@kernel
def ending(state: Any) -> int:
    """By which rule the game was decided (`vocabulary.Ending`)."""
    if not state.over:
        return Ending.NONE.value
    if state.truncated:
        return Ending.TRUNCATED.value
    winners, leaders = 0, 0
    highest = -(1 << 20)
    for seat in range(state.num_players):
        highest = max(highest, score_of(state, seat))
    for seat in range(state.num_players):
        if wins(state, seat):
            winners += 1
        if score_of(state, seat) == highest:
            leaders += 1
    if winners > 1:
        return Ending.SHARED.value
    return Ending.BEST_BOARDS.value if leaders > 1 else Ending.SCORE.value


@kernel
def best_other(state: Any, seat: int) -> int:
    """The highest score among the other seats."""
    best = -(1 << 20)
    for other in range(state.num_players):
        if other != seat:
            best = max(best, score_of(state, other))
    return best
