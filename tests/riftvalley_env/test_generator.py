"""Generated boards, and the one constraint that needs a search: no Trail enters more than five areas."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

from riftvalley_env.board import Board, board_from_text, load_board, shipped_boards
from riftvalley_env.generator import generate_board, usual_numbers
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


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("rows", "columns"), [(9, 9), (12, 12), (7, 11), (5, 5)])
def test_no_trail_on_a_generated_board_enters_more_than_five_areas(seed: int, rows: int, columns: int) -> None:
    assert most_areas(generate_board(seed, rows, columns)) <= 5


SIDES = range(5, 13)


def has_a_first_stop(board: Board) -> bool:
    """Whether an empty square has no animal around it."""
    grid = np.pad(np.array([list(row) for row in board.squares]), 1, constant_values=".")
    animal = np.isin(grid, list("kel"))
    near = sum(np.roll(animal, (down, right), (0, 1)).astype(int) for down in (-1, 0, 1) for right in (-1, 0, 1))
    return bool(((grid == ".") & (near == 0))[1:-1, 1:-1].any())


def can_be_bridged(board: Board) -> bool:
    """Whether a path of the owner, between empty squares, passes over the Rift."""
    return any(board.squares[r][c] == "r" for path in legal_paths(board) for r, c in path)


def check_sound(board: Board) -> None:
    """Nothing that the check of boards would refuse or warn of, found in another way than there."""
    assert has_a_first_stop(board), board.to_text()
    assert can_be_bridged(board), board.to_text()
    letters = "".join(board.areas)
    assert min(letters.count(letter) for letter in "ABCDEFGHI") >= 2, board.to_text()
    assert board.warnings == ()


@pytest.mark.parametrize("rows", SIDES)
def test_boards_of_all_sizes_are_sound(rows: int) -> None:
    for columns in SIDES:
        for seed in range(3):
            board = generate_board(seed, rows, columns)
            assert (board.height, board.width) == (rows, columns)
            assert {"r", "k", "e", "l", "t", "w"} <= set("".join(board.squares))
            check_sound(board)


def test_boards_of_all_numbers_that_are_possible_are_sound() -> None:
    """As full as can be: drawn at random, and of one kind alone."""
    rng = np.random.default_rng(4)
    kinds = ("kobs", "elephants", "lions", "trees", "water")
    for seed in range(40):
        rows, columns = (5, 5) if seed % 2 else (int(rng.integers(5, 13)), int(rng.integers(5, 13)))
        length = int(rng.integers(2, min(rows, columns) - 1))
        room = int(rows * columns * 0.6) - length
        shares = np.zeros(5, int)
        if seed % 4 < 2:
            shares[seed // 4 % 5] = room
        else:
            shares = rng.multinomial(room, rng.dirichlet(np.full(5, 0.5)))
        board = generate_board(
            seed, rows, columns, rift_length=length, **dict(zip(kinds, shares.tolist(), strict=True))
        )
        letters = "".join(board.squares)
        assert [letters.count(letter) for letter in "keltw"] == shares.tolist()
        check_sound(board)
    check_sound(generate_board(1, 5, 5, **dict.fromkeys(kinds, 0)))


def test_usual_numbers_are_in_proportion() -> None:
    assert usual_numbers(9, 9) == {"rift_length": 3, "kobs": 6, "elephants": 4, "lions": 3, "trees": 5, "water": 4}
    before = usual_numbers(5, 5)
    for side in SIDES:
        now = usual_numbers(side, side)
        assert all(now[name] >= before[name] >= 1 for name in now)
        assert sum(now.values()) <= 0.4 * side * side
        before = now
    assert usual_numbers(5, 12) == usual_numbers(12, 5)
    assert generate_board(3, 6, 7, **usual_numbers(6, 7)) == generate_board(3, 6, 7)


def test_other_arguments_have_another_name() -> None:
    arguments: list[dict[str, int]] = [
        {},
        {"seed": 1},
        {"rows": 7},
        {"columns": 7},
        {"rows": 7, "columns": 7},
        *[{name: 1} for name in ("kobs", "elephants", "lions", "trees", "water")],
        {"kobs": 5, "lions": 2},
        {"rift_length": 2},
    ]
    boards = [generate_board(**{"seed": 0, **one}) for one in arguments]
    assert len({board.name for board in boards}) == len({board.digest for board in boards}) == len(boards)
    assert boards[0].name == "Generated 9 x 9, seed 0"
    assert boards[-2].name == "Generated 9 x 9, seed 0, kobs 5, lions 2"


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
    ("wrong", "match"),
    [
        ({"seed": -1}, "seed=-1 must be a whole number, 0 or more"),
        ({"seed": 1.5}, "seed=1.5 must be"),
        ({"rows": 4}, "rows=4 must be from 5 to 12"),
        ({"columns": 13}, "columns=13 must be from 5 to 12"),
        ({"kobs": -1}, "kobs=-1 must be"),
        ({"trees": True}, "trees=True must be"),
        ({"rift_length": 1}, "rift_length=1 must be from 2 to 7, the shorter side of 9 x 9 less 2"),
        ({"rift_length": 8}, "rift_length=8 must be from 2 to 7"),
        ({"rows": 6, "rift_length": 5}, "rift_length=5 must be from 2 to 4"),
        ({"water": 60}, r"rift_length=3 \+ kobs=6 .* water=60 take 81 of the 81 squares of 9 x 9; .* lower them to 48"),
        ({"rows": 5, "columns": 5, "kobs": 10, "trees": 3}, r"kobs=10 .* trees=3 .* take 18 of the 25 .* to 15 in all"),
    ],
    ids=str,
)
def test_arguments_out_of_range(wrong: dict[str, int], match: str) -> None:
    with pytest.raises(OptionError, match=match):
        generate_board(**{"seed": 1, **wrong})
