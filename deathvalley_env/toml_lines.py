"""What ``tomllib`` leaves open: in which line each key of a TOML text is, and what follows a syntax error."""

import re
import tomllib
from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

from deathvalley_env.deck_reader import UNREADABLE, Path
from deathvalley_env.look_alikes import mended, name_of, plain

MAX_MENDED = 60
"""Syntax errors after which the rest of a text is not looked at."""
MAX_LOOKED = 300
"""Lines with curly quotation marks and the like that are read as they were meant."""

_PLACEHOLDER = "\x7fsyntax error\x7f"  # control characters, which no TOML text can hold unescaped
_KEY_LINE = re.compile(r"""^\s*[\w."'-][\w."' -]*=""")
_LOCATION = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)")


@dataclass(frozen=True)
class SyntaxFault:
    """One syntax error; line and column from 1."""

    line: int
    column: int
    problem: str
    remedy: str


def parse(text: str) -> tuple[dict[str, Any] | None, list[SyntaxFault], str]:
    """Parse TOML and go on after errors that spoil one ``key = value`` line.

    Returns:
        The tables, with ``UNREADABLE`` for each value that has a syntax error, or None if an error hides what follows;
        the syntax errors; and the text that was parsed in the end, line for line the given one.
    """
    lines = text.split("\n")
    faults: dict[int, SyntaxFault] = {}
    blanked: set[int] = set()
    looked: set[int] = set()
    while True:
        try:
            mapping = tomllib.loads("\n".join(lines))
        except (ValueError, RecursionError) as error:  # ValueError: also a number of thousands of digits
            fault = _fault(error, lines)
            index = fault.line - 1
            if index not in looked and len(looked) < MAX_LOOKED and _mend_look_alikes(lines, index, faults):
                looked.add(index)
                continue
            mendable = _KEY_LINE.match(lines[index]) and len(faults) - len(looked) < MAX_MENDED
            known = faults.setdefault(fault.line, fault) is not fault and index not in looked
            looked.discard(index)
            if index in blanked or not (mendable or known) or isinstance(error, RecursionError):
                return None, [faults[line] for line in sorted(faults)], text
            if known:  # the key itself is wrong, or it stands twice
                lines[index] = ""
                blanked.add(index)
            else:
                _mend(lines, index)
            continue
        return (_unreadable(mapping) if faults else mapping), list(faults.values()), "\n".join(lines)


def _mend_look_alikes(lines: list[str], index: int, faults: dict[int, SyntaxFault]) -> bool:
    """Put what was meant for curly quotation marks and the like in a line; whether there are any."""
    line = lines[index]
    meant, column = mended(line)
    if column is None:
        return False
    sign = line[column]
    right = plain(sign)
    remedy = {
        "": "delete it: it cannot be seen",
        " ": "write a space",
        "'": 'write words in "double quotes"',
        '"': 'write words in "double quotes"',
    }.get(right or "", f"write {right}")
    problem = (
        f"not valid TOML: {name_of(sign)} only looks like what TOML takes"
        if right
        else (f"not valid TOML: there is {name_of(sign)}")
    )
    faults.setdefault(index + 1, SyntaxFault(index + 1, column + 1, problem, f"{remedy}, as in: {meant.strip()[:80]}"))
    lines[index] = meant
    return True


def _mend(lines: list[str], index: int) -> None:
    """Put the placeholder for the value of a line, and drop the lines that an open brace or bracket takes along."""
    depth = _depth(lines[index])
    lines[index] = lines[index].partition("=")[0] + "= " + '"' + _PLACEHOLDER.replace("\x7f", "\\u007f") + '"'
    for following in range(index + 1, len(lines)):
        if depth <= 0 or lines[following].startswith("["):
            return
        depth += _depth(lines[following])
        lines[following] = ""


def _depth(line: str) -> int:
    """How many more braces and brackets the line opens than it closes."""
    return sum(line.count(token) for token in "{[") - sum(line.count(token) for token in "}]")


def _unreadable(value: Any) -> Any:
    """The value with `UNREADABLE` for each placeholder."""
    if isinstance(value, dict):
        return {key: _unreadable(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_unreadable(entry) for entry in value]
    return UNREADABLE if value == _PLACEHOLDER else value


def _fault(error: Exception, lines: list[str]) -> SyntaxFault:
    location = _LOCATION.search(str(error))
    if isinstance(error, RecursionError):
        return SyntaxFault(1, 1, "tables or arrays are nested too deeply", "write each card under its own [[card]]")
    if location is None:  # no error of the syntax: Python refuses the number
        long = next((i for i, line in enumerate(lines) if re.search(r"\d{1000}", line)), 0)
        return SyntaxFault(long + 1, 1, "a number is far too large", "write a whole number of a few digits")
    line = int(location[1]) if location[1] else len(lines)
    column = int(location[2]) if location[2] else len(lines[-1]) + 1
    message = _LOCATION.sub("", str(error))
    problem = f"not valid TOML: {message[:1].lower()}{message[1:]}"
    return SyntaxFault(line, column, problem, _remedy(message, lines[line - 1]))


def _remedy(message: str, line: str) -> str:
    if line.lstrip().startswith("["):
        return "write [[card]] or [[card.ability]] (what follows is not checked before this is mended)"
    if "overwrite" in message:
        return "a key stands once in a table: delete one of the two"
    if _KEY_LINE.match(line) and line.count("{") > line.count("}"):
        return "write a table { key = value, … } in one line"
    if _KEY_LINE.match(line):
        return 'write key = value: words in "double quotes", numbers, true and false without, tables { key = value }'
    return "write key = value, or begin a comment with # (what follows is not checked before this is mended)"


def key_positions(text: str) -> dict[Path, tuple[int, int]]:
    """Line and column, from 1, of each key, table and array element of a valid TOML text, by its path."""
    scanner = _Scanner(text)
    scanner.document()
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    positions = {}
    for path, offset in scanner.offsets.items():
        line = bisect_right(starts, offset)
        positions[path] = (line, offset - starts[line - 1] + 1)
    return positions


_BLANK = re.compile(r"[ \t]*")
_GAP = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_KEY = re.compile(r"""[A-Za-z0-9_-]+|"(?:\\.|[^"\\])*"|'[^']*'""")
_STRING = re.compile(r'''"""(?:\\.|[^\\])*?"{3,5}(?!")|\'\'\'.*?'{3,5}(?!')|"(?:\\.|[^"\\])*"|'[^']*\'''', re.DOTALL)
_BARE = re.compile(r"[^,\]}#\n]+")


class _Scanner:
    """Walks through a text that is known to be valid, and notes where things begin."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.offsets: dict[Path, int] = {}
        self.last_index: dict[Path, int] = {}  # of each array of tables

    def skip(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.at)
        if match is None:
            raise AssertionError(f"no valid TOML at offset {self.at}")
        self.at = match.end()
        return match[0]

    def begins(self, token: str) -> bool:
        return self.text.startswith(token, self.at)

    def note(self, path: Path, offset: int) -> None:
        self.offsets.setdefault(path, offset)

    def document(self) -> None:
        base: Path = ()
        self.skip(_GAP)
        while self.at < len(self.text):
            if self.begins("["):
                base = self.header()
            else:
                self.pair(base)
            self.skip(_GAP)

    def header(self) -> Path:
        start = self.at
        brackets = 2 if self.begins("[[") else 1
        self.at += brackets
        path: Path = ()
        keys = self.dotted_key()
        for number, key in enumerate(keys, 1):
            path = (*path, key)
            self.note(path, start)
            if brackets == 2 and number == len(keys):
                self.last_index[path] = self.last_index.get(path, -1) + 1
            if path in self.last_index:
                path = (*path, self.last_index[path])
                self.note(path, start)
        self.at += brackets
        return path

    def dotted_key(self) -> list[str]:
        keys = []
        while True:
            self.skip(_BLANK)
            key = self.skip(_KEY)
            keys.append(tomllib.loads(f"key = {key}")["key"] if key[0] in "\"'" else key)
            self.skip(_BLANK)
            if not self.begins("."):
                return keys
            self.at += 1

    def pair(self, path: Path) -> None:
        start = self.at
        for key in self.dotted_key():
            path = (*path, key)
            self.note(path, start)
        self.at += 1  # the equals sign
        self.skip(_BLANK)
        self.value(path)

    def value(self, path: Path) -> None:
        if self.begins("["):
            self.elements(path, "]")
        elif self.begins("{"):
            self.elements(path, "}")
        elif self.begins('"') or self.begins("'"):
            self.skip(_STRING)
        else:
            self.skip(_BARE)

    def elements(self, path: Path, end: str) -> None:
        """An array or an inline table."""
        self.at += 1
        index = 0
        self.skip(_GAP)
        while not self.begins(end):
            if end == "}":
                self.pair(path)
            else:
                self.note((*path, index), self.at)
                self.value((*path, index))
            index += 1
            self.skip(_GAP)
            if self.begins(","):
                self.at += 1
            self.skip(_GAP)
        self.at += 1
