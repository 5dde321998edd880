"""The deck checker: reads the tables of a deck into cards, and notes every defect on the way."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

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
    shortage: dict[str, int] = {}
    for key, wanted in HAZARD_COUNTS.items():
        places = [index for index, hazard in enumerate(hazards) if hazard == HAZARDS[key]]
        shortage[key] = max(0, wanted - len(places))
        if len(places) > wanted:
            problem = f"{len(places)} {key} cards, where a deck has {wanted}"
            reader.note(("card", places[wanted], "hazard"), problem, f"delete {len(places) - wanted}")
    # Cards whose hazard is defective may be the very ones that are missing.
    if sum(shortage.values()) <= sum(hazard == Hazard.ANY for hazard in hazards):
        return
    for key, missing in shortage.items():
        if missing:
            wanted = HAZARD_COUNTS[key]
            problem = f"{wanted - missing} {key} cards, where a deck has {wanted} (of {NUM_CARDS} cards)"
            reader.note(("card", len(hazards) - 1), problem, f"add {missing} after this card")
