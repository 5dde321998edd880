"""The elements on a board, read back from the marks: for drawings, reports and checks. Plain Python."""

from dataclasses import dataclass
from typing import Any

from riftvalley_env.vocabulary import BLANK, NUM_MARKS, Mark, Way

UP, RIGHT, DOWN, LEFT = (-1, 0), (0, 1), (1, 0), (0, -1)
ARMS = {
    Mark.HORIZONTAL: (LEFT, RIGHT),
    Mark.VERTICAL: (UP, DOWN),
    Mark.RIGHT_DOWN: (RIGHT, DOWN),
    Mark.LEFT_DOWN: (LEFT, DOWN),
    Mark.RIGHT_UP: (RIGHT, UP),
    Mark.LEFT_UP: (LEFT, UP),
}
"""The neighbours that the line on a square leads to, as steps of row and column."""
STOPS = (Mark.STOP, Mark.CONNECTED)


@dataclass(frozen=True)
class Trail:
    """A Trail: whose it is, and its squares from the Stop with the lower index to the other, both included."""

    seat: int
    squares: tuple[int, ...]

    @property
    def way(self) -> Way:
        """How it leaves its start; `Way.ROW_FIRST` if it is straight."""
        first, last = self.squares[0], self.squares[-1]
        leaves_along_row = abs(self.squares[1] - first) == 1
        straight = len({b - a for a, b in zip(self.squares, self.squares[1:], strict=False)}) == 1
        return Way.ROW_FIRST if straight or leaves_along_row or first == last else Way.COLUMN_FIRST


def mark_at(state: Any, board: int, square: int) -> tuple[int, Mark] | None:
    """Seat and mark on a square, or None."""
    code = int(state["drawn"][board, square])
    if code == BLANK:
        return None
    seat, mark = divmod(code - 1, NUM_MARKS)
    return seat, Mark(mark)


def squares_with(state: Any, data: Any, board: int, *marks: Mark) -> list[tuple[int, int]]:
    """(seat, square) of every square with one of these marks, by square."""
    found = []
    for square, code in enumerate(state["drawn"][board, : int(data["squares"])].tolist()):
        if code != BLANK:
            seat, mark = divmod(code - 1, NUM_MARKS)
            if mark in marks:
                found.append((seat, square))
    return found


def trails_on(state: Any, data: Any, board: int) -> list[Trail]:
    """Every Trail on a board, by start and end; lines that lead from no Stop to another are left out."""
    found = []
    for seat, square in squares_with(state, data, board, *STOPS):
        for step in (UP, RIGHT, DOWN, LEFT):
            squares = _follow(state, data, board, seat, square, step)
            if squares and squares[0] < squares[-1]:
                found.append(Trail(seat, tuple(squares)))
    return sorted(found, key=lambda trail: (trail.squares[0], trail.squares[-1], trail.squares))


def _follow(state: Any, data: Any, board: int, seat: int, stop: int, step: tuple[int, int]) -> list[int] | None:
    """The squares of the line that leaves a Stop in a direction, up to the Stop at its other end."""
    height, width = int(data["height"]), int(data["width"])
    squares = [stop]
    while len(squares) <= height * width:
        row, column = divmod(squares[-1], width)
        row, column = row + step[0], column + step[1]
        if not (0 <= row < height and 0 <= column < width):
            return None
        square = row * width + column
        drawn = mark_at(state, board, square)
        squares.append(square)
        if drawn is None or drawn[0] != seat:
            return None
        if drawn[1] in STOPS:
            return squares if len(squares) > 2 else None
        came_from = (-step[0], -step[1])
        arms = ARMS.get(drawn[1], ())
        if came_from not in arms:
            return None
        step = next(arm for arm in arms if arm != came_from)
    return None
