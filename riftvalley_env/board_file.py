"""Board files and their defects: every defect at once, each with line, column and the remedy.

A file is a header of ``key: value`` lines, then a line ``areas`` and the grid of area letters, then a line ``squares``
and the grid of squares. Blank lines and lines that begin with ``#`` are skipped. The whole is in ``docs/boards.md``.
"""

import difflib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from riftvalley_env.vocabulary import AREA_LETTERS, MAX_SIDE, SQUARE_LETTERS
from valley_core.errors import DefectsError

MAX_FILE_BYTES = 100_000
KINDS = ("identical", "asymmetrical")
SOURCES = ("original", "transcribed")
KEYS = ("name", "kind", "source", "notes")
GRIDS = {"areas": AREA_LETTERS, "squares": "".join(SQUARE_LETTERS)}
GRID_MEANING = {"areas": "A to I", "squares": "one of " + " ".join(SQUARE_LETTERS)}


@dataclass(frozen=True)
class Defect:
    """One defect of a board; `line` and `column` count from 1, and are None where it belongs to no single place."""

    line: int | None
    column: int | None
    problem: str
    remedy: str

    def text(self, file: str) -> str:
        """One line: ``file:line:column: problem; remedy``."""
        place = ":".join(str(part) for part in (file, self.line, self.column) if part is not None)
        return f"{place}: {self.problem}; {self.remedy}"


class BoardError(DefectsError):
    """A board that cannot be used; its text lists all the defects, in the order of the lines."""

    kind = "board"
    defects: tuple[Defect, ...]

    def __init__(self, file: str, defects: Sequence[Defect]) -> None:
        super().__init__(file, sorted(defects, key=lambda defect: (defect.line or 0, defect.column or 0)))


@dataclass
class Parts:
    """What a file holds, checked or not, with the lines that it came from."""

    header: dict[str, str] = field(default_factory=dict)
    header_lines: dict[str, int] = field(default_factory=dict)
    grids: dict[str, list[str]] = field(default_factory=dict)
    grid_lines: dict[str, list[int]] = field(default_factory=dict)
    """The line of each row of a grid; the line of the word itself if there is no row."""
    indents: dict[str, int] = field(default_factory=dict)
    """Blanks to the left of a grid."""
    sound: set[str] = field(default_factory=set)
    """The grids without a defect of form; both have the same size if "sizes" is in it."""
    last_line: int | None = None
    defects: list[Defect] = field(default_factory=list)

    def note(self, line: int | None, column: int | None, problem: str, remedy: str) -> None:
        """Keep a defect."""
        self.defects.append(Defect(line, column, problem, remedy))


def read_file(path: str | os.PathLike[str]) -> tuple[str, Parts]:
    """The text of a board file, split into parts.

    Raises:
        BoardError: it cannot be read, is too large, or is not UTF-8.
    """
    file = os.fsdecode(path)
    try:
        with Path(path).open("rb") as stream:
            raw = stream.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise BoardError(file, [Defect(None, None, f"cannot read it ({why})", "name a board file")]) from None
    if len(raw) > MAX_FILE_BYTES:
        remedy = f"a board file has at most {MAX_FILE_BYTES:,} bytes"
        raise BoardError(file, [Defect(None, None, "the file is too large", remedy)])
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = raw[: error.start]
        line = before.count(b"\n") + 1
        column = len(before.rpartition(b"\n")[2].decode("utf-8", "replace")) + 1
        problem = f"the byte 0x{raw[error.start]:02x} is not UTF-8"
        raise BoardError(file, [Defect(line, column, problem, "save the file with encoding UTF-8")]) from None
    return file, split(text)


def split(text: str) -> Parts:
    """The header and the grids of a text, with the defects of its form."""
    parts = Parts()
    grid = ""
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.rstrip()
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        parts.last_line = number
        word = line.strip().rstrip(":").strip().lower()
        if word in GRIDS:
            grid = _begin_grid(parts, word, number)
        elif ":" in line:
            _header_line(parts, line, number)
        elif grid:
            parts.grids[grid].append(line)
            parts.grid_lines[grid].append(number)
        else:
            parts.note(
                number, 1, f'"{_short(line)}" is neither "key: value" nor part of a grid', 'write "areas" above it'
            )
    _check_header(parts)
    for name in GRIDS:
        _check_grid(parts, name)
    if parts.sound.issuperset(GRIDS):
        _compare_grids(parts)
    return parts


def _short(text: str) -> str:
    return text if len(text) <= 30 else text[:29] + "…"


def _begin_grid(parts: Parts, word: str, number: int) -> str:
    if word in parts.grids:
        parts.note(number, 1, f"a second grid of {word}", f"keep one grid of {word}")
        # Its rows are read into a grid of their own, so that they do not count as rows of the first.
        word += f" at line {number}"
    parts.grids[word] = []
    parts.grid_lines[word] = []
    parts.header_lines.setdefault(word, number)
    return word


def _header_line(parts: Parts, line: str, number: int) -> None:
    key, _, value = line.partition(":")
    column = len(key) - len(key.lstrip()) + 1
    key = key.strip().lower()
    if key not in KEYS:
        near = difflib.get_close_matches(key, KEYS, 1)
        remedy = f'write "{near[0]}"' if near else f"the header has {', '.join(KEYS)}"
        parts.note(number, column, f'unknown key "{_short(key)}"', remedy)
    elif key in parts.header:
        parts.note(
            number, column, f"{key} is given twice", f"keep one line; the first is line {parts.header_lines[key]}"
        )
    else:
        parts.header[key] = value.strip()
        parts.header_lines[key] = number


def _check_header(parts: Parts) -> None:
    allowed = {"kind": KINDS, "source": SOURCES}
    for key in KEYS:
        line, value = parts.header_lines.get(key), parts.header.get(key)
        if value is None:
            words = " or ".join(allowed[key]) if key in allowed else "…"
            parts.note(1, 1, f"the header has no {key}", f'add a line "{key}: {words}"')
        elif key == "name" and not value:
            parts.note(line, 1, "name is empty", "give the board a name")
        elif key in allowed and value not in allowed[key]:
            column = len(key) + 3
            parts.note(line, column, f'{key} is "{_short(value)}"', f"write {' or '.join(allowed[key])}")


def _check_grid(parts: Parts, name: str) -> None:
    """Letters, lengths of rows and size of one grid."""
    rows, lines = parts.grids.get(name), parts.grid_lines.get(name, [])
    if rows is None:
        parts.note(parts.last_line or 1, 1, f"there is no grid of {name}", f'add a line "{name}" and the rows below it')
        return
    if not rows:
        parts.note(parts.header_lines.get(name), 1, f"the grid of {name} has no rows", "write one row in each line")
        return
    defects_before = len(parts.defects)
    parts.indents[name] = indent = min(len(row) - len(row.lstrip()) for row in rows)
    lengths = [len(row) - indent for row in rows]
    width = max(lengths, key=lengths.count)
    for row, line in zip(rows, lines, strict=True):
        for column, letter in enumerate(row[indent:], start=indent + 1):
            if letter not in GRIDS[name]:
                near = [known for known in GRIDS[name] if known.lower() == letter.lower()]
                remedy = f'write "{near[0]}"' if near else f"a square of this grid is {GRID_MEANING[name]}"
                parts.note(line, column, f'"{letter}" is no letter of the grid of {name}', remedy)
        if len(row) - indent != width:
            column = indent + min(len(row) - indent, width) + 1
            parts.note(
                line, column, f"the row has {len(row) - indent} squares, most rows have {width}", "make them equal"
            )
    if len(rows) > MAX_SIDE:
        parts.note(lines[MAX_SIDE], 1, f"the grid of {name} has {len(rows)} rows", f"at most {MAX_SIDE} are possible")
    if width > MAX_SIDE:
        problem = f"the rows of the grid of {name} have {width} squares"
        parts.note(lines[0], indent + MAX_SIDE + 1, problem, f"at most {MAX_SIDE} are possible")
    parts.grids[name] = [row[indent:] for row in rows]
    if len(parts.defects) == defects_before:
        parts.sound.add(name)


def _compare_grids(parts: Parts) -> None:
    """Both grids have the same size."""
    areas, squares = parts.grids["areas"], parts.grids["squares"]
    sizes = [f"{len(grid)} rows of {len(grid[0])}" for grid in (areas, squares)]
    if sizes[0] != sizes[1]:
        line = parts.grid_lines["squares"][0]
        parts.note(line, 1, f"the grid of squares has {sizes[1]}, the grid of areas {sizes[0]}", "make them equal")
    else:
        parts.sound.add("sizes")
