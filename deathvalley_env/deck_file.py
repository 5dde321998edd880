"""Deck files and their defects: every defect at once, each with its line and the remedy."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from deathvalley_env.deck_check import DeckTables, check_deck
from deathvalley_env.deck_reader import Finding, Path, Reader
from deathvalley_env.toml_lines import key_positions, parse
from valley_core.errors import DefectsError

MAX_FILE_BYTES = 1_000_000


@dataclass(frozen=True)
class Defect:
    """One defect of a deck."""

    line: int | None
    """From 1; None where the deck is no file."""
    column: int | None
    """From 1."""
    place: str
    """The card, ability and field, such as ``card 4 (Salt Creek), ability 1, select.row``; may be empty."""
    problem: str
    remedy: str

    def text(self, file: str) -> str:
        """One line: ``file:line: place: problem; remedy``."""
        where = file if self.line is None else f"{file}:{self.line}"
        return ": ".join(part for part in (where, self.place, f"{self.problem}; {self.remedy}") if part)


class DeckError(DefectsError):
    """A deck that cannot be used; its text lists all the defects, in the order of the lines."""

    kind = "deck"
    defects: tuple[Defect, ...]


def single_error(file: str, problem: str, remedy: str, line: int | None = None) -> DeckError:
    """A :class:`DeckError` with one defect that belongs to no field."""
    return DeckError(file, [Defect(line, None, "", problem, remedy)])


def read_file(path: FilePath, *, counts: bool = True) -> DeckTables:
    """Read and check a deck file; `counts` as in :func:`deathvalley_env.deck_check.check_deck`.

    Raises:
        DeckError: the file cannot be read, or has defects.
    """
    file = str(path)
    try:
        directory = path.is_dir()
        size = 0 if directory else path.stat().st_size
        data = path.read_bytes() if not directory and size <= MAX_FILE_BYTES else b""
    except (OSError, ValueError) as error:  # ValueError: a path that no file can have
        reason = getattr(error, "strerror", None) or str(error)
        raise single_error(file, f"cannot be read ({reason})", "check the path and its permissions") from error
    if directory:
        raise single_error(file, "is a directory, not a deck file", "name a TOML file")
    if size > MAX_FILE_BYTES:
        raise single_error(file, f"has {size} bytes", f"a deck file has at most {MAX_FILE_BYTES}")
    return read_text(_decode(data, file), file, counts=counts)


def _decode(data: bytes, file: str) -> str:
    try:
        return data.decode("utf-8-sig")  # some editors begin a file with a byte-order mark
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        guess = " (it looks like UTF-16)" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ""
        raise single_error(file, f"is not UTF-8{guess}", "save the file with encoding UTF-8", line) from None


def read_text(text: str, file: str, *, counts: bool = True) -> DeckTables:
    """Read and check the text of a deck file; `file` names it in the defects.

    Raises:
        DeckError: with every defect.
    """
    mapping, faults, parsed = parse(text.replace("\r\n", "\n").replace("\r", "\n"))
    defects = [Defect(fault.line, fault.column, "", fault.problem, fault.remedy) for fault in faults]
    if mapping is None:
        raise DeckError(file, defects)
    reader = Reader()
    tables = check_deck(mapping, reader, counts=counts)
    if reader.findings:
        positions = {(): (1, 1), **key_positions(parsed)}
        defects += [_defect(finding, reader, mapping, positions) for finding in reader.findings]
    if defects:
        raise DeckError(file, sorted(defects, key=lambda defect: (defect.line or 0, defect.column or 0)))
    return tables


def check_mapping(mapping: Any, source: str, *, counts: bool = True) -> DeckTables:
    """Check a deck that is no file; `source` names it in the defects.

    Raises:
        DeckError: with every defect, without lines.
    """
    reader = Reader()
    tables = check_deck(mapping, reader, counts=counts)
    if reader.findings:
        raise DeckError(source, [_defect(finding, reader, mapping, {}) for finding in reader.findings])
    return tables


def _defect(finding: Finding, reader: Reader, mapping: Any, positions: Mapping[Path, tuple[int, int]]) -> Defect:
    """The finding with its place in words and in the file."""
    written: Path = ()
    for length, part in enumerate(finding.path, 1):
        written = (*written, reader.misspelled.get(finding.path[:length], part))
    line: int | None = None
    column: int | None = None
    for length in range(len(written), -1, -1):  # a missing key is reported where its table begins
        if written[:length] in positions:
            line, column = positions[written[:length]]
            break
    return Defect(line, column, _place(written, mapping), finding.problem, finding.remedy)


def _place(path: Path, mapping: Any) -> str:
    """The path in words: ``card 4 (Salt Creek), ability 1, select.row``."""
    words: list[str] = []
    value = mapping
    for part in path:
        value = _entry(value, part)
        if isinstance(part, int) and words:
            words[-1] = f"{words[-1].rstrip('.')} {part + 1}{_name(value)}, "
        else:
            words.append(f"{part}.")
    return "".join(words).rstrip("., ")


def _entry(value: Any, part: str | int) -> Any:
    try:
        return value[part]
    except (KeyError, IndexError, TypeError):
        return None


def _name(table: Any) -> str:
    name = _entry(table, "name")
    return f" ({name})" if isinstance(name, str) and name.strip() and name.isprintable() else ""
