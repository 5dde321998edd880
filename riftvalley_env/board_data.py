"""The boards of a game as one NumPy record, which the kernels read.

All boards lie on one grid, as high and as wide as the greatest of them; square s is in row ``s // width`` and column
``s % width``. A set of squares of a row is a bit mask with bit c for column c; of a column, with bit r for row r.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from riftvalley_env.board import Board
from riftvalley_env.vocabulary import (
    ANIMALS,
    AREA_LETTERS,
    MAX_BOARDS,
    MAX_SIDE,
    MAX_SQUARES,
    NO_AREA,
    NUM_AREAS,
    SQUARE_LETTERS,
    Square,
)

RIFT_PLANE = NUM_AREAS + len(ANIMALS) + 2
STATIC_PLANES = RIFT_PLANE + 1
"""Planes of a board that never change: areas, animals, trees, water, Rift."""

OTHERS, OWNER = 0, 1
"""First index of walls: what stops a Trail of most players, and one of the player who may bridge the Rift."""

BOARD = np.dtype(
    (
        np.record,
        [
            ("square", "i1", (MAX_SQUARES,)),  # vocabulary.Square
            ("area", "i1", (MAX_SQUARES,)),  # 0 to 8, NO_AREA outside
            ("row_walls", "i2", (2, MAX_SIDE)),  # for each row, the columns that a Trail along it cannot cover
            ("column_walls", "i2", (2, MAX_SIDE)),  # for each column, the rows
            ("solid", "i2", (MAX_SIDE,)),  # for each row, the columns on which nothing can ever be drawn
            ("near_animals", "i2", (MAX_SIDE,)),  # for each row, the columns adjacent to an animal
            ("planes", "i1", (STATIC_PLANES * MAX_SQUARES,)),  # plane k begins at k × squares
        ],
    )
)

BOARDS = np.dtype(
    (
        np.record,
        [
            ("count", "i4"),
            ("height", "i4"),
            ("width", "i4"),
            ("squares", "i4"),  # height × width
            ("board", BOARD, (MAX_BOARDS,)),
            ("first_path", "i4", (MAX_SQUARES,)),  # number of the first path from each square, for flat actions
        ],
    )
)


def boards_record(boards: Sequence[Board]) -> np.ndarray:
    """The record of a pool of 1 to 5 boards, as an array of shape (1,) and dtype BOARDS."""
    data = np.zeros(1, BOARDS)
    record: Any = data[0]
    record.count = len(boards)
    record.height = height = max(board.height for board in boards)
    record.width = width = max(board.width for board in boards)
    record.squares = height * width
    for index, board in enumerate(boards):
        _fill(record.board[index], board, height, width)
    record.first_path[: height * width] = first_paths(height, width)
    return data


def paths_from(s: int, height: int, width: int) -> int:
    """How many straight and L-shaped paths lead from square s to squares with a higher index."""
    row, column = divmod(s, width)
    return (width - 1 - column) + (height - 1 - row) * (2 * width - 1)


def first_paths(height: int, width: int) -> np.ndarray:
    """The number of the first path from each square, int64 of shape (height × width,)."""
    counts = [paths_from(s, height, width) for s in range(height * width)]
    return np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)


def num_paths(height: int, width: int) -> int:
    """How many straight and L-shaped paths the grid has."""
    return sum(paths_from(s, height, width) for s in range(height * width))


def grids(board: Board, height: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Squares and areas on the grid, int8 of shape (height, width)."""
    squares = np.full((height, width), Square.OUTSIDE, np.int8)
    areas = np.full((height, width), NO_AREA, np.int8)
    squares[: board.height, : board.width] = [[SQUARE_LETTERS[letter] for letter in row] for row in board.squares]
    areas[: board.height, : board.width] = [[AREA_LETTERS.index(letter) for letter in row] for row in board.areas]
    return squares, areas


def _bits(flags: np.ndarray) -> np.ndarray:
    """Bit masks of the rows of a boolean array."""
    return np.asarray((flags << np.arange(flags.shape[1])).sum(1))


def _fill(record: Any, board: Board, height: int, width: int) -> None:
    squares, areas = grids(board, height, width)
    record.square[:] = Square.OUTSIDE
    record.area[:] = NO_AREA
    record.square[: height * width] = squares.reshape(-1)
    record.area[: height * width] = areas.reshape(-1)
    blocked, rift = squares != Square.EMPTY, squares == Square.RIFT
    upright = rift.any(0).sum() == 1  # the Rift lies in one column: Trails along rows bridge it
    record.row_walls[OTHERS, :height] = _bits(blocked)
    record.column_walls[OTHERS, :width] = _bits(blocked.T)
    record.row_walls[OWNER, :height] = _bits(blocked & ~rift if upright else blocked)
    record.column_walls[OWNER, :width] = _bits((blocked if upright else blocked & ~rift).T)
    record.solid[:height] = _bits(blocked & ~rift)
    animal = np.pad(np.isin(squares, ANIMALS), 1)
    near = np.zeros((height, width), bool)
    for down in (0, 1, 2):
        for right in (0, 1, 2):
            near |= animal[down : down + height, right : right + width]
    record.near_animals[:height] = _bits(near)
    planes = [areas == area for area in range(NUM_AREAS)]
    planes += [squares == kind for kind in (*ANIMALS, Square.TREE, Square.WATER, Square.RIFT)]
    record.planes[: STATIC_PLANES * height * width] = np.stack(planes).reshape(-1)
