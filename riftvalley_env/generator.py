"""Random boards that keep every constraint, for experiments with boards that no agent has seen.

None is refused by the check of boards, and the check warns of none (`riftvalley_env.board_check`).
"""

from collections.abc import Collection, Sequence

import numpy as np

from riftvalley_env.board import Board
from riftvalley_env.board_check import (
    STEPS,
    Place,
    around,
    bridges,
    connected_part,
    first_stops,
    longest_trails,
    small_areas,
)
from riftvalley_env.vocabulary import AREA_LETTERS, MAX_AREAS_OF_TRAIL, MAX_SIDE, MIN_RIFT
from valley_core.errors import OptionError

BANDS = 3
"""Areas begin as three bands of three blocks, so that an L enters at most five; then their borders are moved."""
LEAST_SIDE = 5
LEAST_EMPTY = 0.4
"""Share of the squares that stays empty. It leaves room for a first Stop and a bridge on every board (`_kept`)."""
USUAL_SIDE = 9
USUAL_COUNTS = {"kobs": 6, "elephants": 4, "lions": 3, "trees": 5, "water": 4}
"""What a board of the usual size holds; others hold as much in proportion."""
USUAL_RIFT = 3


def usual_numbers(rows: int, columns: int) -> dict[str, int]:
    """What a board of this size holds by default: animals, trees and water in proportion to its squares, the Rift to
    its shorter side.
    """
    counts = {name: round(count * rows * columns / USUAL_SIDE**2) for name, count in USUAL_COUNTS.items()}
    return {"rift_length": max(MIN_RIFT, round(USUAL_RIFT * min(rows, columns) / USUAL_SIDE)), **counts}


def generate_board(
    seed: int,
    rows: int = USUAL_SIDE,
    columns: int = USUAL_SIDE,
    *,
    kobs: int | None = None,
    elephants: int | None = None,
    lions: int | None = None,
    trees: int | None = None,
    water: int | None = None,
    rift_length: int | None = None,
) -> Board:
    """A random valid board; the same arguments give the same board.

    It admits a first Stop, its Rift can be bridged, and no area is a single square. Its name tells seed, size and what
    is not as usual.

    Args:
        seed: 0 or more.
        rows, columns: 5 to 12 each.
        kobs, elephants, lions: Animals of each kind; by default 6, 4 and 3 on 9 x 9 squares, and in proportion on
            others.
        trees: Trees; 5 on 9 x 9.
        water: Squares of water, in bodies of two and more where there is room; 4 on 9 x 9.
        rift_length: Squares of the Rift, 2 or more; at most the shorter side less 2; 3 on 9 x 9.

    Raises:
        OptionError: An argument is out of range, or they leave fewer than 40 % of the squares empty; says which.
    """
    sides = {name: _number(name, value) for name, value in (("rows", rows), ("columns", columns))}
    for name, value in sides.items():
        if not LEAST_SIDE <= value <= MAX_SIDE:
            raise OptionError(f"{name}={value} must be from {LEAST_SIDE} to {MAX_SIDE}")
    given = {"kobs": kobs, "elephants": elephants, "lions": lions, "trees": trees, "water": water}
    given |= {"rift_length": rift_length}
    usual = usual_numbers(**sides)
    numbers = usual | {name: _number(name, value) for name, value in given.items() if value is not None}
    seed = _number("seed", seed)
    _check_room(**sides, numbers=numbers)
    length = numbers["rift_length"]
    counts = {name: numbers[name] for name in USUAL_COUNTS}
    rng = np.random.Generator(np.random.PCG64(seed))
    squares = _squares(rng, **sides, counts=counts, rift_length=length, keeping=False)
    if not (first_stops(squares) and bridges(squares)):
        squares = _squares(rng, **sides, counts=counts, rift_length=length, keeping=True)
    areas = _areas(rng, squares)
    while small_areas(areas):
        areas = _areas(rng, squares)
    unusual = "".join(f", {name} {numbers[name]}" for name in usual if numbers[name] != usual[name])
    arguments = {"seed": seed, **sides, **numbers}
    return Board(
        name=f"Generated {sides['rows']} x {sides['columns']}, seed {seed}{unusual}",
        kind="asymmetrical" if counts["trees"] or counts["water"] else "identical",
        source="original",
        notes="generate_board(" + ", ".join(f"{name}={value}" for name, value in arguments.items()) + ")",
        areas=tuple(areas),
        squares=tuple(squares),
    )


def _number(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        raise OptionError(f"{name}={value!r} must be a whole number, 0 or more")
    return int(value)


def _check_room(rows: int, columns: int, numbers: dict[str, int]) -> None:
    """Raise `OptionError` unless all of it has a place on a board of this size."""
    length, size, longest = numbers["rift_length"], rows * columns, min(rows, columns) - 2
    if not MIN_RIFT <= length <= longest:
        raise OptionError(
            f"rift_length={length} must be from {MIN_RIFT} to {longest}, the shorter side of {rows} x {columns} less 2"
        )
    taken, most = sum(numbers.values()), int(size * (1 - LEAST_EMPTY))
    if taken > most:
        listed = " + ".join(f"{name}={value}" for name, value in numbers.items() if value)
        raise OptionError(
            f"{listed} take {taken} of the {size} squares of {rows} x {columns}; {LEAST_EMPTY:.0%} must stay empty: "
            f"lower them to {most} in all, or give a greater board"
        )


def _squares(
    rng: np.random.Generator, rows: int, columns: int, counts: dict[str, int], rift_length: int, keeping: bool
) -> list[str]:
    """The grid of squares: the Rift away from the border, then water, trees and animals.

    With `keeping`, squares for a bridge and for a first Stop are kept free.
    """
    grid = [["."] * columns for _ in range(rows)]
    upright = bool(rng.integers(2))
    if upright:
        top, column = rng.integers(1, rows - rift_length), rng.integers(1, columns - 1)
        rift = [(int(top) + k, int(column)) for k in range(rift_length)]
    else:
        left, row = rng.integers(1, columns - rift_length), rng.integers(1, rows - 1)
        rift = [(int(row), int(left) + k) for k in range(rift_length)]
    for r, c in rift:
        grid[r][c] = "r"
    taken = sum(counts.values()) + rift_length
    free, quiet = _kept(rng, grid, rift, upright, taken) if keeping else (set(), set())
    for _ in range(counts["water"]):
        room = _empty(grid, free)
        pools = [place for place in room if sum(_is(grid, n, "w") for n in _beside(place)) == 1]
        r, c = _pick(rng, pools if pools and rng.random() < 0.7 else room)
        grid[r][c] = "w"
    for letter, name in (("t", "trees"), ("l", "lions"), ("e", "elephants"), ("k", "kobs")):
        for _ in range(counts[name]):
            # Animals stand apart from each other where they can, so that a Trail has to choose.
            room = _empty(grid, free if letter == "t" else quiet)
            apart = [place for place in room if not any(_is(grid, n, "kel") for n in around(place))]
            r, c = _pick(rng, apart if letter != "t" and apart else room)
            grid[r][c] = letter
    return ["".join(row) for row in grid]


def _kept(
    rng: np.random.Generator, grid: Sequence[Sequence[str]], rift: Sequence[Place], upright: bool, taken: int
) -> tuple[set[Place], set[Place]]:
    """Squares that stay empty, for a bridge and a first Stop; and those with the ones around that Stop: no animals.

    Whatever the numbers, animals find as many squares as they need: a corner takes 4 squares from them and a bridge 2,
    while at least 40 % of the squares are not `taken`, which is 10 and more.
    """
    r, c = _pick(rng, rift)
    sides = {(r, c - 1), (r, c + 1)} if upright else {(r - 1, c), (r + 1, c)}
    places = [
        place
        for place in _empty(grid, sides)
        if sum(_is(grid, other, ".") for other in {place, *around(place), *sides}) <= len(grid) * len(grid[0]) - taken
    ]
    stop = _pick(rng, places)
    return {stop, *sides}, {stop, *around(stop), *sides}


def _pick(rng: np.random.Generator, places: Sequence[Place]) -> Place:
    return places[int(rng.integers(len(places)))]


def _empty(grid: Sequence[Sequence[str]], kept: Collection[Place] = ()) -> list[Place]:
    return [
        (r, c) for r, row in enumerate(grid) for c, letter in enumerate(row) if letter == "." and (r, c) not in kept
    ]


def _beside(place: Place) -> list[Place]:
    return [(place[0] + dr, place[1] + dc) for dr, dc in STEPS]


def _is(grid: Sequence[Sequence[str]], place: Place, letters: str) -> bool:
    r, c = place
    return 0 <= r < len(grid) and 0 <= c < len(grid[0]) and grid[r][c] in letters


def _areas(rng: np.random.Generator, squares: Sequence[str]) -> list[str]:
    """The grid of areas: 3 × 3 blocks, whose borders wander as long as every constraint holds.

    No area shrinks to one square, but on 5 × 5 squares one begins so.
    """
    rows, columns = len(squares), len(squares[0])
    band = [r * BANDS // rows for r in range(rows)]
    block = [c * BANDS // columns for c in range(columns)]
    areas = [[AREA_LETTERS[band[r] * BANDS + block[c]] for c in range(columns)] for r in range(rows)]
    trails = [trail for trail in longest_trails(squares) if len(trail) > MAX_AREAS_OF_TRAIL]
    least = max(2, rows * columns // (2 * len(AREA_LETTERS)))
    for _ in range(3 * rows * columns):
        r, c = int(rng.integers(rows)), int(rng.integers(columns))
        new = _pick(rng, _beside((r, c)))
        if _is(areas, new, AREA_LETTERS) and areas[new[0]][new[1]] != areas[r][c]:
            _move_border(areas, (r, c), areas[new[0]][new[1]], trails, least)
    return ["".join(row) for row in areas]


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
