"""The constraints of a board: nine connected areas, one Rift, a place for a first Stop, no Trail that enters more than
five areas; and what is hardly meant so.
"""

from collections.abc import Iterator, Sequence

from riftvalley_env.board_file import Parts
from riftvalley_env.vocabulary import ANIMALS, AREA_LETTERS, MAX_AREAS_OF_TRAIL, MIN_RIFT, SQUARE_LETTERS

Place = tuple[int, int]
"""Row and column, from 0."""

ANIMAL_LETTERS = "".join(letter for letter, square in SQUARE_LETTERS.items() if square in ANIMALS)

STEPS = ((0, 1), (0, -1), (1, 0), (-1, 0))


def check(parts: Parts) -> None:
    """Note every breach of a constraint, in each grid whose form has no defect; if there is none, the warnings."""
    rift_is_straight = False
    if "areas" in parts.sound:
        _check_areas(parts, parts.grids["areas"])
    if "squares" in parts.sound:
        rift_is_straight = _check_rift(parts, parts.grids["squares"])
        _check_first_stop(parts, parts.grids["squares"])
        if parts.header.get("kind") == "identical":
            _check_no_obstacles(parts, parts.grids["squares"])
    if "sizes" in parts.sound and rift_is_straight:
        _check_trails(parts, parts.grids["areas"], parts.grids["squares"])
    if not parts.defects:
        _warn_of_bridges(parts, parts.grids["squares"])
        _warn_of_squares(parts, parts.grids["squares"])
        _warn_of_areas(parts, parts.grids["areas"])


def _at(parts: Parts, grid: str, place: Place) -> tuple[int, int]:
    """Line and column of a square in the file."""
    return parts.grid_lines[grid][place[0]], parts.grid_columns[grid][place[0]][place[1]]


def _places(grid: Sequence[str], letter: str) -> list[Place]:
    return [(r, c) for r, row in enumerate(grid) for c, found in enumerate(row) if found == letter]


def connected_part(places: Sequence[Place]) -> set[Place]:
    """The places that are reached from the first one by orthogonal steps."""
    wanted, found = [places[0]], {places[0]}
    inside = set(places)
    while wanted:
        r, c = wanted.pop()
        for dr, dc in STEPS:
            if (r + dr, c + dc) in inside - found:
                found.add((r + dr, c + dc))
                wanted.append((r + dr, c + dc))
    return found


def _check_areas(parts: Parts, areas: Sequence[str]) -> None:
    for letter in AREA_LETTERS:
        places = _places(areas, letter)
        if not places:
            line = parts.grid_lines["areas"][0]
            parts.note(line, 1, f"there is no area {letter}", "a board has nine areas, A to I")
            continue
        apart = sorted(set(places) - connected_part(places))
        if apart:
            line, column = _at(parts, "areas", apart[0])
            problem = f"{len(apart)} of the {len(places)} squares of area {letter} are cut off from its first one"
            parts.note(line, column, problem, "join the area by orthogonal neighbours")


def _check_rift(parts: Parts, squares: Sequence[str]) -> bool:
    """Whether there is one straight strip (R1)."""
    places = _places(squares, "r")
    if not places:
        line = parts.grid_lines["squares"][0]
        parts.note(line, 1, "there is no Rift", f"write r on {MIN_RIFT} or more squares in a straight line")
        return False
    line, column = _at(parts, "squares", places[0])
    if len(places) < MIN_RIFT:
        parts.note(line, column, "the Rift has one square", f"a Rift has {MIN_RIFT} or more squares in a straight line")
        return False
    rows, columns = {r for r, _ in places}, {c for _, c in places}
    apart = sorted(set(places) - connected_part(places))
    if apart:
        line, column = _at(parts, "squares", apart[0])
        parts.note(
            line, column, f"{len(apart)} Rift squares are apart from the first", "a board has one Rift, unbroken"
        )
    elif len(rows) > 1 and len(columns) > 1:
        axis = 0 if places[1][0] == places[0][0] else 1  # the strip is the row of the first square, or its column
        bent = next(place for place in places if place[axis] != places[0][axis])
        line, column = _at(parts, "squares", bent)
        parts.note(line, column, "the Rift bends or is wider than one square", "make it one straight strip")
    return not apart and (len(rows) == 1 or len(columns) == 1)


def _check_no_obstacles(parts: Parts, squares: Sequence[str]) -> None:
    for letter, word in (("t", "tree"), ("w", "water")):
        for place in _places(squares, letter):
            line, column = _at(parts, "squares", place)
            parts.note(
                line, column, f"{word} on a board of kind identical", "take it away, or write kind: asymmetrical"
            )


def around(place: Place) -> list[Place]:
    """The places adjacent in 8 directions, on the board or not."""
    return [(place[0] + dr, place[1] + dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1) if dr or dc]


def first_stops(squares: Sequence[str]) -> list[Place]:
    """The squares that admit a Stop in turn 0: empty, and not adjacent to an animal in 8 directions."""
    near = {other for letter in ANIMAL_LETTERS for place in _places(squares, letter) for other in around(place)}
    return [place for place in _places(squares, ".") if place not in near]


def bridges(squares: Sequence[str]) -> list[Place]:
    """The Rift squares, of one straight strip, that can be bridged: both squares beside the strip are empty."""
    rift = _places(squares, "r")
    dr, dc = (1, 0) if len({r for r, _ in rift}) == 1 else (0, 1)
    empty = set(_places(squares, "."))
    return [(r, c) for r, c in rift if {(r - dr, c - dc), (r + dr, c + dc)} <= empty]


def small_areas(areas: Sequence[str]) -> list[Place]:
    """The squares that are the only one of their area."""
    found = (_places(areas, letter) for letter in AREA_LETTERS)
    return [places[0] for places in found if len(places) == 1]


def _check_first_stop(parts: Parts, squares: Sequence[str]) -> None:
    if not first_stops(squares):
        line, column = _at(parts, "squares", (0, 0))
        remedy = "leave an empty square with no animal around it, in 8 directions"
        parts.note(line, column, "no square admits the first Stop of a game", remedy)


def _warn_of_bridges(parts: Parts, squares: Sequence[str]) -> None:
    if not bridges(squares):
        line, column = _at(parts, "squares", _places(squares, "r")[0])
        remedy = "leave empty squares on both sides of a square of the Rift"
        parts.warn(line, column, "no Trail can bridge the Rift", remedy)


def _warn_of_squares(parts: Parts, squares: Sequence[str]) -> None:
    """The published asymmetrical boards hold all of these."""
    if (parts.header["kind"], parts.header["source"]) == ("asymmetrical", "transcribed"):
        held = {letter for row in squares for letter in row}
        for letters, what in (("t", "trees"), ("w", "water"), (ANIMAL_LETTERS, "animals")):
            if held.isdisjoint(letters):
                line, column = _at(parts, "squares", (0, 0))
                problem = f"a transcribed asymmetrical board without {what}"
                parts.warn(line, column, problem, f"type in all that is printed on the squares ({' '.join(letters)})")


def _warn_of_areas(parts: Parts, areas: Sequence[str]) -> None:
    for place in small_areas(areas):
        line, column = _at(parts, "areas", place)
        parts.warn(line, column, "an area of one square", "look whether the letters of all its squares are the same")


def _is_rift(squares: Sequence[str], r: int, c: int) -> bool:
    return 0 <= r < len(squares) and 0 <= c < len(squares[0]) and squares[r][c] == "r"


def _leg(squares: Sequence[str], place: Place, step: Place) -> list[Place]:
    """The squares of the longest straight leg of a Trail from an empty square, whose owner may bridge the Rift."""
    (r, c), (dr, dc) = place, step
    leg: list[Place] = []
    pending: list[Place] = []
    while 0 <= (r := r + dr) < len(squares) and 0 <= (c := c + dc) < len(squares[0]):
        letter = squares[r][c]
        across = letter == "r" and not any(_is_rift(squares, r + side * dr, c + side * dc) for side in (1, -1))
        if letter != "." and not across:
            break
        pending.append((r, c))
        if letter == ".":  # a Trail ends on an empty square only
            leg += pending
            pending = []
    return leg


def longest_trails(squares: Sequence[str]) -> Iterator[list[Place]]:
    """Straight and L-shaped paths on the empty board, such that every legal Trail is part of one of them."""
    for r, row in enumerate(squares):
        for c, letter in enumerate(row):
            if letter == ".":
                right, left, down, up = (_leg(squares, (r, c), step) for step in STEPS)
                yield [*left[::-1], (r, c), *right]
                yield [*up[::-1], (r, c), *down]
                for along in (left, right):
                    for across in (up, down):
                        if along and across:
                            yield [*along[::-1], (r, c), *across]


def most_areas(areas: Sequence[str], squares: Sequence[str]) -> tuple[int, list[Place]]:
    """The most areas that a Trail on the empty board can enter, and such a Trail's longest form."""
    return max(
        ((len({areas[r][c] for r, c in trail}), trail) for trail in longest_trails(squares)),
        key=lambda found: found[0],
        default=(0, []),
    )


def _check_trails(parts: Parts, areas: Sequence[str], squares: Sequence[str]) -> None:
    most, trail = most_areas(areas, squares)
    if most > MAX_AREAS_OF_TRAIL:
        line, column = _at(parts, "areas", trail[0])
        ends = " to ".join(f"row {r + 1}, column {c + 1}" for r, c in (trail[0], trail[-1]))
        problem = f"a Trail from {ends} enters {most} areas"
        parts.note(
            line, column, problem, f"change areas or obstacles so that none enters more than {MAX_AREAS_OF_TRAIL}"
        )
