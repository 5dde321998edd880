"""Reads fields out of tables, as a TOML file or a Python program gives them, and notes every defect on the way.

It knows nothing of text and lines: a place is a path of keys and indices, such as ``("card", 3, "stars")``.
A field that is defective is read as None, and no rule about combinations looks at it again, so that each mistake is
reported once and hides no other.
"""

import datetime
import difflib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, TypeVar

from deathvalley_env.look_alikes import name_of

Path = tuple[str | int, ...]
Member = TypeVar("Member", bound=IntEnum)

UNREADABLE = object()
"""Stands for a value whose defect is known already: a syntax error."""

MAX_NAME = 60
"""Most characters of a name."""


@dataclass(frozen=True)
class Finding:
    """One defect at a path."""

    path: Path
    problem: str
    remedy: str


@dataclass
class Reader:
    """Reads fields out of tables, and notes what is wrong with them."""

    findings: list[Finding] = field(default_factory=list)
    misspelled: dict[Path, str] = field(default_factory=dict)
    """The path of a key as it should be, to the key as it is written."""

    def note(self, path: Path, problem: str, remedy: str) -> None:
        """Add a defect."""
        self.findings.append(Finding(path, problem, remedy))

    def table(self, value: Any, path: Path, keys: Sequence[str], example: str) -> dict[str, Any] | None:
        """The table with its known keys; unknown keys are noted, misspelled ones also read under their right name."""
        if value is UNREADABLE:
            return None
        if not isinstance(value, Mapping):
            self.note(path, f"is {kind(value)}, not a table", f"write {example}")
            return None
        known = {key: entry for key, entry in value.items() if key in keys}
        for key in value:
            if key in keys:
                continue
            meant = nearest(key, [k for k in keys if k not in value])
            self.note((*path, key), f"unknown key {show(key)}", suggestion(meant, keys, "keys"))
            if meant is not None and meant not in known:
                known[meant] = value[key]
                self.misspelled[(*path, meant)] = key
        return known

    def tables(self, table: Mapping[str, Any], path: Path, key: str, header: str) -> list[Any]:
        """The array of tables under `key`; empty where it is missing."""
        value = table.get(key, [])
        if value is UNREADABLE:
            return []
        if isinstance(value, Mapping):
            self.note((*path, key), f'"{key}" is a single table', f"write [[{header}]], with two brackets on each side")
            return [value]
        if not isinstance(value, list | tuple):
            self.note((*path, key), f'"{key}" is {kind(value)}', f"write [[{header}]] above the fields of each")
            return []
        return list(value)

    def choice(
        self, table: Mapping[str, Any], path: Path, key: str, words: Mapping[str, Member], default: Member | None
    ) -> Member | None:
        """A word of the vocabulary; with `default` None it must be there. None where it is defective."""
        if key not in table:
            if default is None:
                self.note(path, f'"{key}" is missing', f"add {key} = one of {listing(words)}")
            return default
        value = table[key]
        if value is UNREADABLE:
            return None
        if not isinstance(value, str):
            self.note((*path, key), f'"{key}" is {kind(value)}', f"write one of {listing(words)}, in double quotes")
            return None
        if value not in words:
            problem = f'"{key}" has no word {show(value)} here'
            self.note((*path, key), problem, suggestion(nearest(value, words), words, "words"))
            return None
        return words[value]

    def integer(
        self, table: Mapping[str, Any], path: Path, key: str, bounds: tuple[int, int], default: int | None
    ) -> int | None:
        """A whole number within bounds; None where it is missing without a default, or defective."""
        if key not in table:
            return default
        value = table[key]
        if value is UNREADABLE:
            return None
        low, high = bounds
        remedy = f"write a whole number from {low} to {high}"
        if isinstance(value, bool) or not isinstance(value, int):
            self.note((*path, key), f'"{key}" is {kind(value)}', remedy)
            return None
        if not low <= value <= high:
            self.note((*path, key), f'"{key}" is {show(value)}, out of range', remedy)
            return None
        return value

    def flag(self, table: Mapping[str, Any], path: Path, key: str) -> bool | None:
        """A truth value, false where it is missing; None where it is defective."""
        value = table.get(key, False)
        if value is UNREADABLE:
            return None
        if not isinstance(value, bool):
            self.note((*path, key), f'"{key}" is {kind(value)}', "write true or false, without quotes")
            return None
        return value

    def text(self, table: Mapping[str, Any], path: Path, key: str) -> str | None:
        """Any text, empty where it is missing; None where it is defective."""
        value = table.get(key, "")
        if value is UNREADABLE:
            return None
        if not isinstance(value, str):
            self.note((*path, key), f'"{key}" is {kind(value)}', "write text in double quotes")
            return None
        return value

    def name(self, table: Mapping[str, Any], path: Path, what: str) -> str | None:
        """A name: one printable line of 1 to 60 characters, without spaces around it."""
        if "name" not in table:
            self.note(path, '"name" is missing', f'add name = "…", the name of the {what}')
            return None
        value = self.text(table, path, "name")
        if value is None:
            return None
        here = (*path, "name")
        if not value.strip():
            self.note(here, '"name" is empty', f"write the name of the {what}")
        elif value != value.strip() or not value.isprintable():
            odd = next((f"; it has {name_of(sign)}" for sign in value if not sign.isprintable()), "")
            self.note(here, f'"name" is {show(value)}{odd}', "write one printable line without spaces at its ends")
        elif len(value) > MAX_NAME:
            self.note(here, f'"name" has {len(value)} characters', f"write at most {MAX_NAME}")
        else:
            return value
        return None


def kind(value: Any) -> str:
    """What sort of value it is, in the words of TOML."""
    if isinstance(value, bool):
        return f"the truth value {str(value).lower()}"
    if isinstance(value, datetime.date | datetime.time):
        return "a date or time"
    for python_type, name in ((str, "the text"), (int, "the number"), (float, "the decimal number")):
        if isinstance(value, python_type):
            return f"{name} {show(value)}"
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list | tuple):
        return "an array"
    return f"a Python {type(value).__name__}"


def show(value: Any) -> str:
    """The value in one short line."""
    try:
        text = f'"{value}"' if isinstance(value, str) and value.isprintable() else repr(value)
    except ValueError:  # Python refuses to write out numbers of thousands of digits
        return "far too large"
    return text if len(text) <= 40 else f"{text[:36]}…{text[-1]}"


def listing(words: Iterable[str]) -> str:
    """The words in one line."""
    return ", ".join(words)


def nearest(wrong: Any, words: Iterable[str]) -> str | None:
    """The word that was probably meant, if any is near."""
    candidates = list(words)
    said = unicodedata.normalize("NFKC", str(wrong)).strip().casefold().replace(" ", "_")
    matches = difflib.get_close_matches(said, candidates, 1, 0.6)
    return matches[0] if matches else None


def suggestion(meant: str | None, words: Iterable[str], what: str) -> str:
    """A remedy that names the nearest word, and all of them."""
    allowed = f"{what} here: {listing(words)}"
    return allowed if meant is None else f'did you mean "{meant}"? ({allowed})'
