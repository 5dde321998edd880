"""Board files and their defects: every defect at once, each with line, column and the remedy.

A file is a header of ``key: value`` lines, then a line ``areas`` and the grid of area letters, then a line ``squares``
and the grid of squares. Blank lines and lines that begin with ``#`` are skipped. What is meant beyond doubt is read:
blanks and tabs between squares, small and capital letters, full-width signs, the line ends of every system, numbers of
rows and columns. The whole is in ``docs/boards.md``.
"""

import codecs
import difflib
import os
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from riftvalley_env.vocabulary import AREA_LETTERS, MAX_SIDE, SQUARE_LETTERS
from valley_core.errors import DefectsError

MAX_FILE_BYTES = 100_000
KINDS = ("identical", "asymmetrical")
SOURCES = ("original", "transcribed")
KEYS = ("name", "kind", "source", "notes")
CHOICES = {"kind": KINDS, "source": SOURCES}
GRIDS = {"areas": AREA_LETTERS, "squares": "".join(SQUARE_LETTERS)}
GRID_MEANING = {"areas": "A to I", "squares": "one of " + " ".join(SQUARE_LETTERS)}
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""How a file of encoding UTF-16 begins."""
LINE_END = re.compile("\r\n|\r|\n")
COLON = re.compile("[:\uff1a]")
ROW_NUMBER = re.compile(r"\s*(\d{1,4})\s+(?=\S)")
EMPTY_SIGNS = "-_+*/0oO\u00b7\u2022\u2013\u2014\u25cb\u25a1"
"""What people write for an empty square in place of a dot."""
LOOK_ALIKES = {
    "\u0410\u0412\u0421\u0415\u041d\u0406": "ABCEHI",  # Cyrillic
    "\u043a\u0435\u0442\u041a\u0422": "KETKT",
    "\u0391\u0392\u0395\u0397\u0399\u03ba\u039a\u03a4": "ABEHIKKT",  # Greek
}
"""Letters of other alphabets, and those of the Latin one that they look like."""
MOST_PLACES = 5
"""Places of a repeated defect that are listed."""

Places = tuple[tuple[int | None, int | None], ...]


@dataclass(frozen=True)
class Defect:
    """One defect of a board; `line` and `column` count from 1, and are None where it belongs to no single place.

    Attributes:
        line, column: Where it is first.
        problem, remedy: In words.
        also: Further places of the same defect.
    """

    line: int | None
    column: int | None
    problem: str
    remedy: str
    also: Places = ()

    def text(self, file: str) -> str:
        """One line: ``file:line:column: problem (also at …); remedy``."""
        place = ":".join(str(part) for part in (file, self.line, self.column) if part is not None)
        listed = [":".join(str(part) for part in one if part is not None) for one in self.also[:MOST_PLACES]]
        more = f" and {len(self.also) - len(listed):,} more places" if len(self.also) > len(listed) else ""
        also = f" (also at {', '.join(listed)}{more})" if listed else ""
        return f"{place}: {self.problem}{also}; {self.remedy}"


def collapsed(defects: Iterable[Defect]) -> list[Defect]:
    """The defects by place, those alike as one."""
    alike: dict[tuple[str, str], list[Defect]] = {}
    for defect in sorted(defects, key=lambda defect: (defect.line or 0, defect.column or 0)):
        alike.setdefault((defect.problem, defect.remedy), []).append(defect)
    return [
        replace(first, also=first.also + tuple((other.line, other.column) for other in others))
        for first, *others in alike.values()
    ]


class BoardError(DefectsError):
    """A board that cannot be used; its text lists all the defects, in the order of the lines, those alike as one."""

    kind = "board"
    defects: tuple[Defect, ...]

    def __init__(self, file: str, defects: Sequence[Defect]) -> None:
        super().__init__(file, collapsed(defects))


class BoardWarning(UserWarning):
    """A board that can be played on, but is hardly meant so."""


@dataclass
class Parts:
    """What a file holds, checked or not, with the lines that it came from."""

    header: dict[str, str] = field(default_factory=dict)
    header_lines: dict[str, int] = field(default_factory=dict)
    header_columns: dict[str, int] = field(default_factory=dict)
    """Columns of the values."""
    grids: dict[str, list[str]] = field(default_factory=dict)
    grid_lines: dict[str, list[int]] = field(default_factory=dict)
    """The line of each row of a grid; the line of the word itself if there is no row."""
    grid_columns: dict[str, list[list[int]]] = field(default_factory=dict)
    """The column of each square of each row."""
    sound: set[str] = field(default_factory=set)
    """The grids without a defect of form; both have the same size if "sizes" is in it."""
    last_line: int | None = None
    defects: list[Defect] = field(default_factory=list)
    warnings: list[Defect] = field(default_factory=list)
    """What is hardly meant so; empty if there is a defect."""

    def note(self, line: int | None, column: int | None, problem: str, remedy: str) -> None:
        """Keep a defect."""
        self.defects.append(Defect(line, column, problem, remedy))

    def warn(self, line: int | None, column: int | None, problem: str, remedy: str) -> None:
        """Keep a warning."""
        self.warnings.append(Defect(line, column, problem, remedy))


def read_file(path: str | os.PathLike[str]) -> tuple[str, Parts]:
    """The text of a board file, split into parts.

    Raises:
        BoardError: it cannot be read, is too large, or is not UTF-8.
    """
    file = os.fsdecode(path)
    try:
        if Path(path).is_dir():
            raise BoardError(file, [Defect(None, None, "it is a folder", "name a board file in it")])
        with Path(path).open("rb") as stream:
            raw = stream.read(MAX_FILE_BYTES + 1)
    except BoardError:
        raise
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise BoardError(file, [Defect(None, None, f"cannot read it ({why})", "name a board file")]) from None
    if len(raw) > MAX_FILE_BYTES:
        remedy = f"a board file has at most {MAX_FILE_BYTES:,} bytes"
        raise BoardError(file, [Defect(None, None, "the file is too large", remedy)])
    if raw.startswith(UTF_16) or b"\0" in raw:
        what = "it is text of encoding UTF-16, or no text"
        raise BoardError(file, [Defect(None, None, what, "save the file with encoding UTF-8")])
    raw = raw.removeprefix(codecs.BOM_UTF8)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        before = raw[: error.start]
        lines = LINE_END.split(before.decode("utf-8", "replace"))
        line, column = len(lines), len(lines[-1]) + 1
        problem = f"the byte 0x{raw[error.start]:02x} is not UTF-8"
        raise BoardError(file, [Defect(line, column, problem, "save the file with encoding UTF-8")]) from None
    return file, split(text)


def split(text: str) -> Parts:
    """The header and the grids of a text, with the defects of its form."""
    parts = Parts()
    grid = ""
    for number, raw in enumerate(LINE_END.split(text), start=1):
        line = _plain(raw).strip()
        if not line or line.startswith("#"):
            continue
        parts.last_line = number
        word = line.rstrip(":").strip().lower()
        if word in GRIDS:
            grid = _begin_grid(parts, word, number)
        elif ":" in line:
            _header_line(parts, raw, number)
        elif grid:
            _row(parts, grid, raw, number)
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


def _plain(text: str) -> str:
    """Full-width and other forms of signs as the usual ones; signs that nobody sees are left out."""
    usual = unicodedata.normalize("NFKC", text)
    return "".join(sign for sign in usual if unicodedata.category(sign) != "Cf")


def _row(parts: Parts, grid: str, raw: str, number: int) -> None:
    """Read a row of a grid, without blanks and the number of the row; the numbers of the columns are skipped."""
    rows = parts.grids[grid]
    if not rows and _is_heading(raw):
        return
    begin = 0
    if given := ROW_NUMBER.match(raw):
        begin = given.end()
        if int(given[1]) != len(rows) + 1:
            problem = f"this is row {len(rows) + 1} of the grid of {grid}, and its number is {int(given[1])}"
            parts.note(number, given.start(1) + 1, problem, "number the rows from 1, or leave the numbers out")
    signs = [(sign, column) for column, one in enumerate(raw, start=1) if column > begin for sign in _plain(one)]
    squares = [(_letter(grid, sign), column) for sign, column in signs if not sign.isspace()]
    rows.append("".join(letter for letter, _ in squares))
    parts.grid_lines[grid].append(number)
    parts.grid_columns[grid].append([column for _, column in squares])


def _is_heading(raw: str) -> bool:
    """Whether a line numbers columns, from 1 on."""
    counted, width = "".join(raw.split()), 0
    while counted:
        width += 1
        if not counted.startswith(str(width)):
            return False
        counted = counted.removeprefix(str(width))
    return True


def _letter(grid: str, sign: str) -> str:
    """A letter of either case as the grid has it."""
    other = sign.upper() if grid.startswith("areas") else sign.lower()
    return other if sign.isascii() else sign


def _short(text: str) -> str:
    return text if len(text) <= 30 else text[:29] + "…"


def _begin_grid(parts: Parts, word: str, number: int) -> str:
    if word in parts.grids:
        parts.note(number, 1, f"a second grid of {word}", f"keep one grid of {word}")
        # Its rows are read into a grid of their own, so that they do not count as rows of the first.
        word += f" at line {number}"
    parts.grids[word] = []
    parts.grid_lines[word] = []
    parts.grid_columns[word] = []
    parts.header_lines.setdefault(word, number)
    return word


def _header_line(parts: Parts, raw: str, number: int) -> None:
    key, value = COLON.split(raw, maxsplit=1)
    column = len(key) - len(key.lstrip()) + 1
    value_column = len(raw) - len(value.lstrip()) + 1
    key = _plain(key).strip().lower()
    if key not in KEYS:
        near = difflib.get_close_matches(key, KEYS, 1)
        remedy = f'write "{near[0]}"' if near else f"the header has {', '.join(KEYS)}"
        parts.note(number, column, f'unknown key "{_short(key)}"', remedy)
    elif key in parts.header:
        parts.note(
            number, column, f"{key} is given twice", f"keep one line; the first is line {parts.header_lines[key]}"
        )
    else:
        parts.header[key] = _plain(value).strip().lower() if key in CHOICES else value.strip()
        parts.header_lines[key] = number
        parts.header_columns[key] = value_column


def _check_header(parts: Parts) -> None:
    for key in KEYS:
        line, value = parts.header_lines.get(key), parts.header.get(key)
        if value is None:
            words = " or ".join(CHOICES[key]) if key in CHOICES else "…"
            parts.note(1, 1, f"the header has no {key}", f'add a line "{key}: {words}"')
        elif key == "name" and not value:
            parts.note(line, 1, "name is empty", "give the board a name")
        elif key in CHOICES and value not in CHOICES[key]:
            column = parts.header_columns[key]
            parts.note(line, column, f'{key} is "{_short(value)}"', f"write {' or '.join(CHOICES[key])}")


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
    lengths = [len(row) for row in rows]
    width = max(lengths, key=lengths.count)
    for row, line, columns in zip(rows, lines, parts.grid_columns[name], strict=True):
        for column, letter in zip(columns, row, strict=True):
            if letter not in GRIDS[name]:
                parts.note(line, column, f"{_shown(letter)} is no letter of the grid of {name}", _remedy(name, letter))
        if len(row) != width:
            column = columns[width] if len(row) > width else columns[-1] + 1
            parts.note(line, column, f"the row has {len(row)} squares, most rows have {width}", "make them equal")
    if len(rows) > MAX_SIDE:
        parts.note(lines[MAX_SIDE], 1, f"the grid of {name} has {len(rows)} rows", f"at most {MAX_SIDE} are possible")
    if width > MAX_SIDE:
        problem = f"the rows of the grid of {name} have {width} squares"
        column = next(columns[MAX_SIDE] for columns in parts.grid_columns[name] if len(columns) == width)
        parts.note(lines[0], column, problem, f"at most {MAX_SIDE} are possible")
    if len(parts.defects) == defects_before:
        parts.sound.add(name)


def _shown(letter: str) -> str:
    """A letter in quotation marks, with its name if it may look like another."""
    return f'"{letter}"' if letter.isascii() else f'"{letter}" ({unicodedata.name(letter, f"U+{ord(letter):04X}")})'


def _remedy(grid: str, letter: str) -> str:
    alike = [_letter(grid, latin[others.index(letter)]) for others, latin in LOOK_ALIKES.items() if letter in others]
    for meant in alike:
        if meant in GRIDS[grid]:
            return f'write "{meant}", the letter of the Latin alphabet'
    if grid == "squares" and letter in EMPTY_SIGNS:
        return 'write "." for an empty square'
    return f"a square of this grid is {GRID_MEANING[grid]}"


def _compare_grids(parts: Parts) -> None:
    """Both grids have the same size."""
    areas, squares = parts.grids["areas"], parts.grids["squares"]
    sizes = [f"{len(grid)} rows of {len(grid[0])}" for grid in (areas, squares)]
    if sizes[0] != sizes[1]:
        line = parts.grid_lines["squares"][0]
        parts.note(line, 1, f"the grid of squares has {sizes[1]}, the grid of areas {sizes[0]}", "make them equal")
    else:
        parts.sound.add("sizes")
