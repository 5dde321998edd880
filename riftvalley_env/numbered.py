"""Grids as text, with rows and columns numbered from 1, as in the names of actions (``r3c7``)."""

from collections.abc import Sequence

ROW_DIGITS = 2


def heading(columns: int, cell: int = 1) -> str:
    """The numbers of the columns, each over cells that are `cell` wide or more, with a blank between them."""
    wide = cell_width(columns, cell)
    return " ".join(str(column).ljust(wide) for column in range(1, columns + 1)).rstrip()


def cell_width(columns: int, cell: int = 1) -> int:
    """How wide the cells of a grid are, so that the numbers of the columns have room."""
    return max(cell, len(str(columns)))


def row_length(columns: int, cell: int = 1) -> int:
    """Characters of a row."""
    return columns * (cell_width(columns, cell) + 1) - 1


def row_of(cells: Sequence[str], cell: int = 1) -> str:
    """The cells of a row, as wide as in `heading`."""
    wide = cell_width(len(cells), cell)
    return " ".join(one.ljust(wide) for one in cells)


def numbered(rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a grid, with a heading."""
    lines = [f"{number:{ROW_DIGITS}}  {row_of(row)}".rstrip() for number, row in enumerate(rows, start=1)]
    return [" " * ROW_DIGITS + f"  {heading(len(rows[0]))}", *lines]
