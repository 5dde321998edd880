"""The parts of a deck: cards, their abilities, and where each fact comes from.

The words and their meaning are in ``docs/decks.md``. These objects hold data and check nothing;
:class:`deathvalley_env.deck.Deck` checks all the cards that it is made of.
"""

from dataclasses import dataclass, fields
from enum import IntEnum
from typing import Any

from deathvalley_env.vocabulary import NUM_CARDS, Cards, Effect, Having, Hazard, Per, Position, Row, Timing

PROVENANCES = ("stated", "read", "reconstructed", "owner")
"""The words for where a field of a card comes from, from the best known."""

SELECT_REQUIRED = frozenset({Effect.SWAP_HIDDEN, Effect.IGNORE, Effect.SCORE_NOTHING})
"""Effects that make no sense with the default selection, all visible cards."""


def word(member: IntEnum) -> str:
    """The word that a deck file uses for a member of the vocabulary."""
    return member.name.lower()


@dataclass(frozen=True)
class Selection:
    """Which cards an ability chooses from, applies to or counts; a card must pass all fields."""

    row: Row = Row.BOTH
    position: Position = Position.ANY
    hazard: Hazard = Hazard.ANY
    cards: Cards = Cards.VISIBLE
    having: Having = Having.ANY
    other: bool = False
    """Leave out the card with the ability."""

    def to_dict(self) -> dict[str, Any]:
        """The fields that differ from their defaults, in the words of a deck file."""
        values = {field.name: (getattr(self, field.name), field.default) for field in fields(self)}
        return {
            name: word(value) if isinstance(value, IntEnum) else value
            for name, (value, default) in values.items()
            if value != default
        }


@dataclass(frozen=True)
class Condition:
    """Where an ability applies: this card's row, its position, and the size of a selection must all fit."""

    this_row: Row = Row.BOTH
    """``BOTH``, ``JOURNEY`` or ``SCRAPBOOK``."""
    this_position: Position = Position.ANY
    """``ANY``, ``LEFTMOST`` or ``RIGHTMOST``."""
    count: Selection | None = None
    at_least: int = 1
    """0 to ``at_most``; for ``count`` only."""
    at_most: int = NUM_CARDS
    """``at_least`` to 18; for ``count`` only."""
    unless: bool = False
    """Turns the whole condition round."""

    def to_dict(self) -> dict[str, Any]:
        """The condition as the ``if`` table of a deck file."""
        table: dict[str, Any] = {}
        if self.this_position != Position.ANY:
            table["this_position"] = word(self.this_position)
        if self.count is not None:
            table["count"] = self.count.to_dict()
        if self.this_row != Row.BOTH or not table:  # a condition that tests nothing is no valid file
            table["this_row"] = word(self.this_row)
        if self.at_least != 1:
            table["at_least"] = self.at_least
        if self.at_most != NUM_CARDS:
            table["at_most"] = self.at_most
        if self.unless:
            table["unless"] = True
        return table


@dataclass(frozen=True)
class Ability:
    """One ability of a card: when, what, on which cards, under which condition."""

    timing: Timing
    effect: Effect
    optional: bool = False
    select: Selection = Selection()
    condition: Condition | None = None
    hazard: Hazard = Hazard.ANY
    """The hazard whose limit ``Effect.RAISE_LIMIT`` raises; ``ANY`` for all other effects."""
    points: int = 0
    """−9 to 9 and not 0 for ``Effect.POINTS``; 0 for all other effects."""
    per: Per = Per.ONCE
    every: int = 1
    """1 to 9: the points count once for every so many."""
    cap: int | None = None
    """1 to 99: the most that the points amount to, either way; None: no bound."""

    def to_dict(self) -> dict[str, Any]:
        """The ability as a table of a deck file."""
        table: dict[str, Any] = {"timing": word(self.timing), "effect": word(self.effect)}
        if self.optional:
            table["optional"] = True
        if self.select != Selection() or self.effect in SELECT_REQUIRED:
            table["select"] = self.select.to_dict()
        if self.condition is not None:
            table["if"] = self.condition.to_dict()
        if self.hazard != Hazard.ANY:
            table["hazard"] = word(self.hazard)
        if self.points != 0:
            table["points"] = self.points
        if self.per != Per.ONCE:
            table["per"] = word(self.per)
        if self.every != 1:
            table["every"] = self.every
        if self.cap is not None:
            table["cap"] = self.cap
        return table


@dataclass(frozen=True)
class Provenance:
    """Where each field of a card comes from: one of :data:`PROVENANCES` each."""

    name: str = "owner"
    hazard: str = "owner"
    stars: str = "owner"
    skulls: str = "owner"
    abilities: str = "owner"

    def to_dict(self) -> dict[str, str]:
        """Field name to provenance word, all five of them."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True)
class Card:
    """One card: 0 to 9 stars, 0 to 9 skulls, at most three abilities."""

    name: str
    hazard: Hazard
    stars: int = 0
    skulls: int = 0
    abilities: tuple[Ability, ...] = ()
    provenance: Provenance = Provenance()

    @property
    def in_order(self) -> tuple[Ability, ...]:
        """The abilities by their timings; those of one timing in the order of the file, which decides between them."""
        return tuple(sorted(self.abilities, key=lambda ability: ability.timing))

    def to_dict(self) -> dict[str, Any]:
        """The card as a table of a deck file."""
        table: dict[str, Any] = {
            "name": self.name,
            "hazard": word(self.hazard),
            "stars": self.stars,
            "skulls": self.skulls,
            "provenance": self.provenance.to_dict(),
        }
        if self.abilities:
            table["ability"] = [ability.to_dict() for ability in self.abilities]
        return table
