"""Boards: from the package, from files, or from text. The format is in ``docs/boards.md``.

Every way checks every constraint, so that a `Board` is always one that can be played on.
"""

import difflib
import hashlib
import os
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import resources
from typing import Any

from riftvalley_env.board_check import check
from riftvalley_env.board_file import (
    GRIDS,
    KEYS,
    BoardError,
    BoardWarning,
    Defect,
    Parts,
    collapsed,
    read_file,
    split,
)

__all__ = [
    "Board",
    "BoardError",
    "BoardWarning",
    "Defect",
    "board_from_text",
    "load_board",
    "load_boards",
    "shipped_boards",
]


@dataclass(frozen=True)
class Board:
    """A board with nothing drawn on it.

    Attributes:
        name: What it is called.
        kind: ``identical`` (for all players alike, without trees and water) or ``asymmetrical``.
        source: ``original`` (made for this project, or by its owner) or ``transcribed`` (from the published game).
        notes: Anything.
        areas: The rows of area letters, A to I.
        squares: The rows of squares: ``.`` empty, ``k`` kob, ``e`` elephant, ``l`` lion, ``t`` tree, ``w`` water,
            ``r`` Rift.

        warnings: What is hardly meant so, though it can be played on; lines and columns are those of the file that the
            board was read from, else of `to_text`.

    Raises:
        BoardError: The board breaks a rule of ``docs/boards.md``.
    """

    name: str
    kind: str
    source: str
    notes: str
    areas: tuple[str, ...]
    squares: tuple[str, ...]
    warnings: tuple[Defect, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "areas", tuple(self.areas))
        object.__setattr__(self, "squares", tuple(self.squares))
        header = (self.name, self.kind, self.source, self.notes)
        if not all(isinstance(part, str) for part in (*header, *self.areas, *self.squares)):
            raise TypeError("the parts of a board are strings, its grids sequences of strings")
        if any("\n" in part or "\r" in part for part in (*header, *self.areas, *self.squares)):
            raise BoardError(f'"{self.name}"', [Defect(None, None, "a part holds a line break", "take it away")])
        # Nothing unchecked reaches a kernel, however it was made.
        parts = _checked(f'"{self.name}"', split(self.to_text()))
        if [len(parts.grids[name]) for name in GRIDS] != [len(self.areas), len(self.squares)]:
            problem = "a row of a grid is blank, or begins with #"
            raise BoardError(f'"{self.name}"', [Defect(None, None, problem, "give each row as letters alone")])
        for key in KEYS:
            object.__setattr__(self, key, parts.header[key])
        for name in GRIDS:  # as they were understood: without blanks, in capital or small letters
            object.__setattr__(self, name, tuple(parts.grids[name]))
        object.__setattr__(self, "warnings", tuple(collapsed(parts.warnings)))

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (*(getattr(self, key) for key in KEYS), self.areas, self.squares)
        return Board, parts  # so that a pickled board is checked, too

    @property
    def height(self) -> int:
        """Rows."""
        return len(self.squares)

    @property
    def width(self) -> int:
        """Columns."""
        return len(self.squares[0])

    def to_text(self) -> str:
        """The board as the text of a file; `board_from_text` gives an equal board."""
        header = [f"{key}: {getattr(self, key)}".rstrip() for key in ("name", "kind", "source", "notes")]
        return "\n".join([*header, "", "areas", *self.areas, "", "squares", *self.squares, ""])

    @cached_property
    def digest(self) -> str:
        """12 hexadecimal digits that change with the areas and squares, and with nothing else."""
        return hashlib.sha256("\n".join([*self.areas, "", *self.squares]).encode()).hexdigest()[:12]


def _checked(file: str, parts: Parts) -> Parts:
    """The parts, if they have no defect."""
    check(parts)
    if parts.defects:
        raise BoardError(file, parts.defects)
    return parts


def _board(file: str, parts: Parts) -> Board:
    _checked(file, parts)
    header = parts.header
    areas, squares = (tuple(parts.grids[name]) for name in GRIDS)
    board = Board(header["name"], header["kind"], header["source"], header["notes"], areas, squares)
    object.__setattr__(board, "warnings", tuple(collapsed(parts.warnings)))
    return board


def board_from_text(text: str, file: str = "text") -> Board:
    """The board in a text; `file` stands in the defects.

    Raises:
        BoardError: The text has defects: all of them, with lines and columns.
    """
    return _board(file, split(text))


def _folder() -> Any:
    return resources.files("riftvalley_env") / "boards"


@cache
def shipped_boards(kind: str | None = None) -> tuple[str, ...]:
    """The names of the boards in the package, of one kind or of both, in alphabetical order."""
    names = sorted(file.name.removesuffix(".txt") for file in _folder().iterdir() if file.name.endswith(".txt"))
    return tuple(name for name in names if kind in (None, _shipped(name).kind))


@cache
def _shipped(name: str) -> Board:
    return board_from_text((_folder() / f"{name}.txt").read_text(encoding="utf-8"), f"{name}.txt")


def load_board(board: "str | os.PathLike[str] | Board") -> Board:
    """The board with a shipped name, or in a file; a `Board` is given back as it is.

    Raises:
        BoardError: No such file, or the file has defects: all of them, with lines and columns.
        TypeError: Neither a name, a path nor a board.
    """
    if isinstance(board, Board):
        return board
    if not isinstance(board, str | os.PathLike):
        raise TypeError(f"a board is a shipped name, a path or a Board, not {type(board).__name__}")
    if isinstance(board, str) and board in shipped_boards():
        return _shipped(board)
    if not str(board) or not os.path.lexists(board):
        near = difflib.get_close_matches(str(board), shipped_boards(), 1)
        meant = f'did you mean "{near[0]}"? ' if near else ""
        remedy = f"{meant}shipped boards: {', '.join(shipped_boards())}"
        raise BoardError(repr(str(board)), [Defect(None, None, "no such file or shipped board", remedy)])
    return _board(*read_file(board))


def load_boards(
    boards: "list[str | os.PathLike[str] | Board] | tuple[str | os.PathLike[str] | Board, ...]",
) -> list[Board]:
    """Several boards, each as by `load_board`."""
    return [load_board(board) for board in boards]
