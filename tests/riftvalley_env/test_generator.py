"""Generated boards, and the one constraint that needs a search: no Trail enters more than five areas."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

from riftvalley_env.board import Board, board_from_text, load_board, shipped_boards
from riftvalley_env.generator import generate_board
from valley_core.errors import OptionError

pytestmark = pytest.mark.plain


def legal_paths(board: Board) -> Iterator[list[tuple[int, int]]]:
    """Every path between two empty squares that a Trail of the owner could take on the empty board, pair by pair."""
    grid = np.array([list(row) for row in board.squares])
    upright = bool((grid == "r").sum(0).max() > 1)
    empty = grid == "."
    along_rows = empty | ((grid == "r") & upright)
    along_columns = empty | ((grid == "r") & (not upright))
    places = [(int(r), int(c)) for r, c in np.argwhere(empty)]
    for (r, c), (r2, c2) in product(places, places):
        if r > r2 or (r == r2 and c >= c2):
            continue
        low, high = min(c, c2), max(c, c2)
        if r == r2 and along_rows[r, low:high].all():
            yield [(r, k) for k in range(low, high + 1)]
        if c == c2 and along_columns[r:r2, c].all():
            yield [(k, c) for k in range(r, r2 + 1)]
        if r != r2 and c != c2:
            for row, column in ((r, c2), (r2, c)):
                if (
                    empty[row, column]
                    and along_rows[row, low : high + 1].all()
                    and along_columns[r : r2 + 1, column].all()
                ):
                    yield [(row, k) for k in range(low, high + 1)] + [(k, column) for k in range(r, r2 + 1)]


def most_areas(board: Board) -> int:
    return max(len({board.areas[r][c] for r, c in path}) for path in legal_paths(board))


@pytest.mark.parametrize("name", shipped_boards())
def test_no_trail_on_a_shipped_board_enters_more_than_five_areas(name: str) -> None:
    assert 4 <= most_areas(load_board(name)) <= 5


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("rows", "columns"), [(9, 9), (12, 12), (7, 11), (5, 5)])
def test_no_trail_on_a_generated_board_enters_more_than_five_areas(seed: int, rows: int, columns: int) -> None:
    small = {"kobs": 2, "elephants": 1, "lions": 1, "trees": 1, "water": 2, "rift_length": 2}
    assert most_areas(generate_board(seed, rows, columns, **(small if rows == 5 else {}))) <= 5


def test_generated_boards_hold_what_was_asked_for() -> None:
    board = generate_board(3, 8, 10, kobs=7, elephants=3, lions=2, trees=4, water=5, rift_length=4)
    letters = "".join(board.squares)
    assert (board.height, board.width) == (8, 10)
    assert [letters.count(letter) for letter in "keltwr"] == [7, 3, 2, 4, 5, 4]
    assert board.kind == "asymmetrical"
    assert board_from_text(board.to_text()) == board
    assert generate_board(3, 8, 8, trees=0, water=0).kind == "identical"


def test_the_same_arguments_give_the_same_board() -> None:
    assert generate_board(5) == generate_board(5)
    assert len({generate_board(seed).digest for seed in range(30)}) == 30


@pytest.mark.parametrize(
    "wrong",
    [
        {"seed": -1},
        {"seed": 1.5},
        {"rows": 4},
        {"columns": 13},
        {"kobs": -1},
        {"rift_length": 1},
        {"rift_length": 8},
        {"water": 60},
        {"trees": True},
    ],
)
def test_arguments_out_of_range(wrong: dict[str, int]) -> None:
    with pytest.raises(OptionError):
        generate_board(**{"seed": 1, **wrong})
