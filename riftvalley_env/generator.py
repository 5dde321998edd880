"""Random boards that keep every constraint, for experiments with boards that no agent has seen."""

from collections.abc import Sequence

import numpy as np

from riftvalley_env.board import Board
from riftvalley_env.board_check import STEPS, Place, connected_part, longest_trails
from riftvalley_env.vocabulary import AREA_LETTERS, MAX_AREAS_OF_TRAIL, MAX_SIDE, MIN_RIFT
from valley_core.errors import OptionError

BANDS = 3
"""Areas begin as three bands of three blocks, so that an L enters at most five; then their borders are moved."""
LEAST_SIDE = 5
LEAST_EMPTY = 0.4
"""Share of the squares that stays empty."""


def generate_board(
    seed: int,
    rows: int = 9,
    columns: int = 9,
    *,
    kobs: int = 6,
    elephants: int = 4,
    lions: int = 3,
    trees: int = 5,
    water: int = 4,
    rift_length: int = 3,
) -> Board:
    """A random valid board; the same arguments give the same board.

    Args:
        seed: 0 or more.
        rows, columns: 5 to 12 each.
        kobs, elephants, lions: Animals of each kind.
        trees: Trees.
        water: Squares of water, in bodies of two and more where there is room.
        rift_length: Squares of the Rift, 2 or more; at most the shorter side less 2.

    Raises:
        OptionError: An argument is out of range, or leaves fewer than 40 % of the squares empty.
    """
    counts = {"kobs": kobs, "elephants": elephants, "lions": lions, "trees": trees, "water": water}
    numbers: dict[str, object] = {"seed": seed, "rows": rows, "columns": columns, "rift_length": rift_length, **counts}
    for name, value in numbers.items():
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
            raise OptionError(f"{name}={value!r} must be a whole number, 0 or more")
    for name, value in (("rows", rows), ("columns", columns)):
        if not LEAST_SIDE <= value <= MAX_SIDE:
            raise OptionError(f"{name}={value} must be from {LEAST_SIDE} to {MAX_SIDE}")
    if not MIN_RIFT <= rift_length <= min(rows, columns) - 2:
        raise OptionError(f"rift_length={rift_length} must be from {MIN_RIFT} to the shorter side less 2")
    taken = sum(counts.values()) + rift_length
    if rows * columns - taken < LEAST_EMPTY * rows * columns:
        raise OptionError(f"{taken} of {rows * columns} squares are taken; {LEAST_EMPTY:.0%} must stay empty")
    rng = np.random.Generator(np.random.PCG64(seed))
    squares = _squares(rng, rows, columns, counts, rift_length)
    areas = _areas(rng, squares)
    return Board(
        name=f"Generated {seed}",
        kind="asymmetrical" if trees or water else "identical",
        source="original",
        notes="generate_board(" + ", ".join(f"{name}={value}" for name, value in numbers.items()) + ")",
        areas=tuple("".join(row) for row in areas),
        squares=tuple("".join(row) for row in squares),
    )


def _squares(
    rng: np.random.Generator, rows: int, columns: int, counts: dict[str, int], rift_length: int
) -> list[list[str]]:
    """The grid of squares: the Rift away from the border, then water, trees and animals."""
    grid = [["."] * columns for _ in range(rows)]
    if rng.integers(2):
        top, column = rng.integers(1, rows - rift_length), rng.integers(1, columns - 1)
        rift = [(int(top) + k, int(column)) for k in range(rift_length)]
    else:
        left, row = rng.integers(1, columns - rift_length), rng.integers(1, rows - 1)
        rift = [(int(row), int(left) + k) for k in range(rift_length)]
    for r, c in rift:
        grid[r][c] = "r"
    for _ in range(counts["water"]):
        pools = [place for place in _empty(grid) if sum(_is(grid, n, "w") for n in _beside(place)) == 1]
        r, c = _pick(rng, pools if pools and rng.random() < 0.7 else _empty(grid))
        grid[r][c] = "w"
    for letter, name in (("t", "trees"), ("l", "lions"), ("e", "elephants"), ("k", "kobs")):
        for _ in range(counts[name]):
            # Animals stand apart from each other where they can, so that a Trail has to choose.
            apart = [place for place in _empty(grid) if not any(_is(grid, n, "kel") for n in _around(place))]
            r, c = _pick(rng, apart if letter != "t" and apart else _empty(grid))
            grid[r][c] = letter
    return grid


def _pick(rng: np.random.Generator, places: Sequence[Place]) -> Place:
    return places[int(rng.integers(len(places)))]


def _empty(grid: Sequence[Sequence[str]]) -> list[Place]:
    return [(r, c) for r, row in enumerate(grid) for c, letter in enumerate(row) if letter == "."]


def _beside(place: Place) -> list[Place]:
    return [(place[0] + dr, place[1] + dc) for dr, dc in STEPS]


def _around(place: Place) -> list[Place]:
    return [(place[0] + dr, place[1] + dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1) if dr or dc]


def _is(grid: Sequence[Sequence[str]], place: Place, letters: str) -> bool:
    r, c = place
    return 0 <= r < len(grid) and 0 <= c < len(grid[0]) and grid[r][c] in letters


def _areas(rng: np.random.Generator, squares: Sequence[Sequence[str]]) -> list[list[str]]:
    """The grid of areas: 3 × 3 blocks, whose borders wander as long as every constraint holds."""
    rows, columns = len(squares), len(squares[0])
    band = [r * BANDS // rows for r in range(rows)]
    block = [c * BANDS // columns for c in range(columns)]
    areas = [[AREA_LETTERS[band[r] * BANDS + block[c]] for c in range(columns)] for r in range(rows)]
    trails = [trail for trail in longest_trails(["".join(row) for row in squares]) if len(trail) > MAX_AREAS_OF_TRAIL]
    least = max(2, rows * columns // (2 * len(AREA_LETTERS)))
    for _ in range(3 * rows * columns):
        r, c = int(rng.integers(rows)), int(rng.integers(columns))
        new = _pick(rng, _beside((r, c)))
        if _is(areas, new, AREA_LETTERS) and areas[new[0]][new[1]] != areas[r][c]:
            _move_border(areas, (r, c), areas[new[0]][new[1]], trails, least)
    return areas


def _move_border(areas: list[list[str]], place: Place, letter: str, trails: Sequence[list[Place]], least: int) -> None:
    """Give a square to another area, unless that breaks a constraint."""
    r, c = place
    old = areas[r][c]
    rest = [(i, j) for i, row in enumerate(areas) for j, found in enumerate(row) if found == old and (i, j) != place]
    if len(rest) < least or len(connected_part(rest)) < len(rest):
        return
    areas[r][c] = letter
    if any(place in trail and len({areas[i][j] for i, j in trail}) > MAX_AREAS_OF_TRAIL for trail in trails):
        areas[r][c] = old
