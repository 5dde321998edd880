"""The deck checker: reads the tables of a deck into cards, and notes every defect on the way."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from deathvalley_env.ability_check import check_abilities
from deathvalley_env.deck_parts import PROVENANCES, Card, Provenance, word
from deathvalley_env.deck_reader import UNREADABLE, Path, Reader, nearest, show, suggestion
from deathvalley_env.vocabulary import HAZARD_COUNTS, NUM_CARDS, Hazard

DECK_KEYS = ("name", "source", "notes", "card")
CARD_KEYS = ("name", "hazard", "stars", "skulls", "ability", "provenance")
PROVENANCE_KEYS = tuple(Provenance().to_dict())
HAZARDS = {word(hazard): hazard for hazard in Hazard if hazard != Hazard.ANY}


@dataclass(frozen=True)
class DeckTables:
    """What a deck says; to be used only where the reader has no findings."""

    name: str
    source: str
    notes: str
    cards: tuple[Card, ...]


def check_deck(mapping: Any, reader: Reader, *, counts: bool = True) -> DeckTables:
    """Read a deck, and note all its defects in `reader`.

    Args:
        mapping: the tables, as ``tomllib`` gives them.
        reader: takes the findings.
        counts: require 3 paw, 4 drop, 5 mountain and 6 sun cards (rulebook, Components); without it, any number.
    """
    table = reader.table(mapping, (), DECK_KEYS, "a table with name and card")
    if table is None:
        return DeckTables("", "", "", ())
    name = reader.name(table, (), "deck")
    source, notes = reader.text(table, (), "source"), reader.text(table, (), "notes")
    entries = reader.tables(table, (), "card", "card")
    if not table.get("card", []):
        reader.note((), "there are no cards", "add [[card]] with name and hazard for each card")
    cards = tuple(_card(reader, entry, ("card", index)) for index, entry in enumerate(entries))
    _check_names(reader, [card.name for card in cards])
    if counts and cards:
        _check_counts(reader, [card.hazard for card in cards])
    return DeckTables(name or "", source or "", notes or "", cards)


def _card(reader: Reader, value: Any, path: Path) -> Card:
    """The card; its name is empty and its hazard ANY where they are defective."""
    table = reader.table(value, path, CARD_KEYS, "[[card]] with name and hazard below it")
    if table is None:
        return Card("", Hazard.ANY)
    name = reader.name(table, path, "card")
    hazard = reader.choice(table, path, "hazard", HAZARDS, None)
    return Card(
        name=name or "",
        hazard=Hazard.ANY if hazard is None else hazard,
        stars=reader.integer(table, path, "stars", (0, 9), 0) or 0,
        skulls=reader.integer(table, path, "skulls", (0, 9), 0) or 0,
        abilities=check_abilities(reader, reader.tables(table, path, "ability", "card.ability"), (*path, "ability")),
        provenance=_provenance(reader, table.get("provenance", "owner"), (*path, "provenance")),
    )


def _provenance(reader: Reader, value: Any, path: Path) -> Provenance:
    """One word for all fields, or a table with a word for each."""
    if isinstance(value, str):
        known = _provenance_word(reader, value, path)
        return Provenance() if known is None else Provenance(**dict.fromkeys(PROVENANCE_KEYS, known))
    table = (
        reader.table(value, path, PROVENANCE_KEYS, 'one word such as "owner", or { name = "owner", hazard = "read" }')
        or {}
    )
    words = {key: _provenance_word(reader, entry, (*path, key)) for key, entry in table.items()}
    return Provenance(**{key: known for key, known in words.items() if known is not None})


def _provenance_word(reader: Reader, value: Any, path: Path) -> str | None:
    if isinstance(value, str) and value in PROVENANCES:
        return value
    if value is not UNREADABLE:
        remedy = suggestion(nearest(value, PROVENANCES), PROVENANCES, "words")
        reader.note(path, f"unknown provenance {show(value)}", remedy)
    return None


def _check_names(reader: Reader, names: Sequence[str]) -> None:
    """Each card has a name of its own, upper and lower case being alike."""
    first: dict[str, int] = {}
    for index, name in enumerate(names):
        earlier = first.setdefault(name.casefold(), index)
        if name and earlier != index:
            problem = f"{show(name)} is the name of card {earlier + 1} already"
            reader.note(("card", index, "name"), problem, "give each card its own name, or delete one of the two")


def _check_counts(reader: Reader, hazards: Sequence[Hazard]) -> None:
    """The number of cards of each hazard (rulebook, Components; Adding Other Cards)."""
    counts = {key: sum(hazard == HAZARDS[key] for hazard in hazards) for key in HAZARD_COUNTS}
    for wrong in wrong_counts(counts, sum(hazard == Hazard.ANY for hazard in hazards)):
        if wrong.surplus:
            places = [index for index, hazard in enumerate(hazards) if hazard == HAZARDS[wrong.surplus]]
            reader.note(("card", places[HAZARD_COUNTS[wrong.surplus]], "hazard"), wrong.problem, wrong.remedy)
        else:
            reader.note(("card", len(hazards) - 1), wrong.problem, f"{wrong.remedy} after this card")


class WrongCount(NamedTuple):
    """A hazard of which a deck has too many cards, or too few, or one of each."""

    surplus: str
    """The hazard of which there are too many; empty if there is none."""
    problem: str
    remedy: str


def wrong_counts(counts: Mapping[str, int], unread: int = 0) -> list[WrongCount]:
    """What is wrong with these numbers of cards of each hazard, and how to mend it in the fewest changes.

    Args:
        counts: The cards of each hazard.
        unread: So many cards have a hazard that is not known: they may be the very ones that are missing.
    """
    if sum(max(0, wanted - counts[key]) for key, wanted in HAZARD_COUNTS.items()) <= unread:
        counts = {key: max(counts[key], wanted) for key, wanted in HAZARD_COUNTS.items()}
    over = {key: counts[key] - wanted for key, wanted in HAZARD_COUNTS.items() if counts[key] > wanted}
    under = {key: wanted - counts[key] for key, wanted in HAZARD_COUNTS.items() if counts[key] < wanted}
    found = []
    for many in over:
        for few in [key for key in under if under[key]]:
            if number := min(over[many], under[few]):
                problem = f"{_too(counts, many, 'many')}, and {_too(counts, few, 'few')}"
                found.append(WrongCount(many, problem, f"change {_cards(number, many)} to {few}"))
                over[many] -= number
                under[few] -= number
    found += [
        WrongCount(key, _too(counts, key, "many"), f"delete {_cards(n, key)}; a deck has {NUM_CARDS} cards")
        for key, n in over.items()
        if n
    ]
    if sum(under.values()) <= unread:
        return found
    return found + [WrongCount("", _too(counts, key, "few"), f"add {_cards(n, key)}") for key, n in under.items() if n]


def _too(counts: Mapping[str, int], key: str, word_: str) -> str:
    """Such as "too many sun cards (7, where a deck has 6)"."""
    return f"too {word_} {key} cards ({counts[key]}, where a deck has {HAZARD_COUNTS[key]})"


def _cards(number: int, key: str) -> str:
    return f"one {key} card" if number == 1 else f"{number} {key} cards"
