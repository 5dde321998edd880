"""Decks: the 18 cards of a game as data, and as the record that the kernels read.

A deck comes from a file (:func:`load_deck`), from Python (:func:`deck_from_dict`), or is drawn from several
(:func:`draw_deck`). The format is in ``docs/decks.md``. Every way checks every rule of the format.
"""

import difflib
import hashlib
import json
import operator
import os
import random
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from deathvalley_env.card_data import DECK
from deathvalley_env.deck_check import wrong_counts
from deathvalley_env.deck_file import DeckError, Defect, check_mapping, read_file, read_text, single_error
from deathvalley_env.deck_parts import PROVENANCES, Ability, Card, Condition, Provenance, Selection, word
from deathvalley_env.deck_reader import listing
from deathvalley_env.vocabulary import HAZARD_COUNTS, NUM_WINDOWS, Effect, Having, Hazard, Timing

__all__ = [
    "Ability",
    "Card",
    "Condition",
    "Deck",
    "DeckError",
    "DeckWarning",
    "Defect",
    "Provenance",
    "Selection",
    "deck_from_dict",
    "deck_report",
    "deck_report_table",
    "deck_warnings",
    "draw_deck",
    "load_deck",
    "shipped_decks",
]

MOST_BLANK = 5
"""Cards without stars, skulls and abilities in a deck that nobody is warned of."""


@dataclass(frozen=True)
class Deck:
    """18 cards: 3 paw, 4 drop, 5 mountain and 6 sun (rulebook, Components).

    The index of a card in `cards` is its number in states, actions and observations.

    Raises:
        DeckError: the cards break a rule of ``docs/decks.md``.
    """

    name: str
    source: str
    notes: str
    cards: tuple[Card, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "cards", tuple(self.cards))
        check_mapping(self.to_dict(), f'"{self.name}"')  # nothing unchecked reaches a kernel, however it was made

    def __getstate__(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in ("name", "source", "notes", "cards")}  # no cached views

    def to_dict(self) -> dict[str, Any]:
        """The deck as the tables of its file; :func:`deck_from_dict` gives an equal deck."""
        cards = [card.to_dict() for card in self.cards]
        return {"name": self.name, "source": self.source, "notes": self.notes, "card": cards}

    @cached_property
    def digest(self) -> str:
        """12 hexadecimal digits that change with the rules of the deck, and with nothing else.

        Hazards, stars, skulls, abilities and the order of the cards count; names, notes and provenance do not.
        """
        cards = [card.to_dict() for card in self.cards]
        rules = [{key: card[key] for key in card if key not in ("name", "provenance")} for card in cards]
        return hashlib.sha256(json.dumps(rules, sort_keys=True).encode()).hexdigest()[:12]

    @cached_property
    def record(self) -> np.record:
        """One element of dtype :data:`deathvalley_env.card_data.DECK`, which the kernels read. Do not write to it."""
        return _record(self.cards)


def _record(cards: Sequence[Card]) -> np.record:
    record: Any = np.zeros(1, DECK)[0]
    record.abilities["timing"] = Timing.NONE
    for index, card in enumerate(cards):
        bit = 1 << index
        record.hazard[index] = card.hazard
        record.stars[index] = card.stars
        record.skulls[index] = card.skulls
        record.of_hazard[card.hazard] |= bit
        record.starred |= bit if card.stars else 0
        record.skulled |= bit if card.skulls else 0
        record.silencers |= bit if any(ability.effect == Effect.SCORE_NOTHING for ability in card.abilities) else 0
        record.ai_points[index] = card.stars + card.skulls + sum(max(0, ability.points) for ability in card.abilities)
        for timing in range(len(record.first[index])):
            record.first[index, timing] = sum(ability.timing < timing for ability in card.abilities)
        for slot, ability in enumerate(card.in_order):
            _fill_ability(record.abilities[index, slot], ability, index, cards)
            record.timed[ability.timing] |= bit
            if ability.timing < NUM_WINDOWS and not ability.optional:
                record.mandatory[ability.timing] |= bit
    return record


def _fill_ability(slot: Any, ability: Ability, index: int, cards: Sequence[Card]) -> None:
    slot.timing = ability.timing
    slot.optional = ability.optional
    slot.effect = ability.effect
    slot.hazard = ability.hazard
    slot.points = ability.points
    slot.per = ability.per
    slot.every = ability.every
    slot.cap = ability.cap or 0
    _fill_selection(slot.select, ability.select, index, cards)
    condition = ability.condition or Condition()
    slot.condition.always = ability.condition is None
    slot.condition.unless = condition.unless
    slot.condition.row = condition.this_row
    slot.condition.position = condition.this_position
    slot.condition.counts = condition.count is not None
    slot.condition.at_least = condition.at_least
    slot.condition.at_most = condition.at_most
    _fill_selection(slot.condition.select, condition.count or Selection(), index, cards)


def _fill_selection(slot: Any, select: Selection, index: int, cards: Sequence[Card]) -> None:
    slot.row = select.row
    slot.position = select.position
    slot.cards = select.cards
    slot.hazard = select.hazard
    slot.filter = sum(
        1 << i for i, card in enumerate(cards) if fits(card, select) and not (select.other and i == index)
    )


def fits(card: Card, select: Selection) -> bool:
    """Whether a card passes `hazard` and `having`, which its print alone decides."""
    printed = {Having.ANY: 1, Having.STARS: card.stars, Having.SKULLS: card.skulls}[select.having]
    if select.hazard not in tuple(Hazard):
        raise KeyError(select.hazard)
    return select.hazard in (Hazard.ANY, card.hazard) and printed > 0


def _folder() -> Any:
    return resources.files("deathvalley_env") / "decks"


@cache
def shipped_decks() -> tuple[str, ...]:
    """The names of the decks in the package, in alphabetical order."""
    return tuple(sorted(file.name.removesuffix(".toml") for file in _folder().iterdir() if file.name.endswith(".toml")))


@cache
def _shipped(name: str) -> Deck:
    text = (_folder() / f"{name}.toml").read_text(encoding="utf-8")
    tables = read_text(text, f"{name}.toml")
    return Deck(tables.name, tables.source, tables.notes, tables.cards)


def load_deck(deck: "str | os.PathLike[str] | Deck") -> Deck:
    """The deck with a shipped name, or in a file; a `Deck` is given back as it is.

    Raises:
        DeckError: no such file, or the file has defects: all of them, with lines.
        TypeError: neither a name, a path nor a deck.
    """
    if isinstance(deck, Deck):
        return deck
    if isinstance(deck, str) and deck in shipped_decks():
        return _shipped(deck)
    tables = read_file(_existing(deck))
    return Deck(tables.name, tables.source, tables.notes, tables.cards)


def _existing(deck: "str | os.PathLike[str]") -> Path:
    """The path, if there is something at it."""
    if not isinstance(deck, str | os.PathLike):
        raise TypeError(f"a deck is a shipped name, a path or a Deck, not {type(deck).__name__}")
    path = Path(os.fsdecode(deck))
    if not str(deck) or not os.path.lexists(path):
        near = difflib.get_close_matches(str(deck), shipped_decks(), 1)
        meant = f'did you mean "{near[0]}"? ' if near else ""
        raise single_error(
            repr(str(deck)), "no such file or shipped deck", f"{meant}shipped decks: {', '.join(shipped_decks())}"
        )
    return path


def deck_from_dict(mapping: Mapping[str, Any]) -> Deck:
    """A deck from tables as a deck file holds them: ``{"name": …, "card": [{"name": …, "hazard": …}, …]}``.

    Raises:
        DeckError: with every defect.
    """
    tables = check_mapping(mapping, "from Python")
    return Deck(tables.name, tables.source, tables.notes, tables.cards)


def draw_deck(
    pools: "Iterable[str | os.PathLike[str] | Deck]",
    seed: int | None = None,
    *,
    names: Sequence[str] | None = None,
) -> Deck:
    """A deck of 3 paw, 4 drop, 5 mountain and 6 sun cards out of several (rulebook, Adding Other Cards).

    Args:
        pools: shipped names, paths or decks. A file may have any number of cards of each hazard here. Where two pools
            have a card of the same name, that of the first pool is taken.
        seed: 0 or more; the same seed draws the same cards on every machine. None: drawn anew each time.
        names: the 18 cards to take, instead of drawing; upper and lower case are alike. They keep this order.

    Raises:
        DeckError: too few cards of a hazard in the pools; or `names` has unknown names, names twice, or other counts.
        ValueError: `seed` is negative, or given beside `names`.
        TypeError: a wrong type.
    """
    if isinstance(pools, str | os.PathLike | Deck):
        pools = [pools]
    titles, available = _pooled(list(pools))
    label = f"drawn from {', '.join(titles)}"
    if names is None:
        cards = _drawn(available, seed, label)
        notes = "" if seed is None else f"seed {seed}"
    else:
        if seed is not None:
            raise ValueError("names leave nothing to draw: give either seed or names")
        cards = _named(available, names, label)
        notes = "chosen by name"
    return Deck(label[:60], "; ".join(titles), notes, cards)


def _pooled(pools: "Sequence[str | os.PathLike[str] | Deck]") -> tuple[list[str], list[Card]]:
    """The names of the pools, and their cards, each name once."""
    titles: list[str] = []
    cards: dict[str, Card] = {}
    for pool in pools:
        if isinstance(pool, Deck) or (isinstance(pool, str) and pool in shipped_decks()):
            deck = load_deck(pool)
            title, found = deck.name, deck.cards
        else:
            tables = read_file(_existing(pool), counts=False)
            title, found = tables.name, tables.cards
        titles.append(title)
        for card in found:
            cards.setdefault(card.name.casefold(), card)
    return titles, list(cards.values())


def _drawn(available: Sequence[Card], seed: int | None, label: str) -> tuple[Card, ...]:
    if seed is not None and operator.index(seed) < 0:
        raise ValueError(f"seed is {seed}; it must be 0 or more")
    # Of Python's generator, only random() promises the same numbers in every version.
    generator = random.Random(None if seed is None else operator.index(seed))
    lot = [generator.random() for _ in available]
    chosen: set[int] = set()
    defects = []
    for key, wanted in HAZARD_COUNTS.items():
        places = [i for i, card in enumerate(available) if word(card.hazard) == key]
        chosen.update(sorted(places, key=lot.__getitem__)[:wanted])
        if len(places) < wanted:
            problem = f"the pools have {len(places)} {key} cards, where a deck has {wanted}"
            defects.append(Defect(None, None, "", problem, f"add a pool with {wanted - len(places)} more"))
    if defects:
        raise DeckError(label, defects)
    return tuple(available[i] for i in sorted(chosen))


def _named(available: Sequence[Card], names: Sequence[str], label: str) -> tuple[Card, ...]:
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise TypeError("names is a sequence of card names")
    by_name = {card.name.casefold(): card for card in available}
    defects: list[Defect] = []

    def note(problem: str, remedy: str) -> None:
        defects.append(Defect(None, None, "", problem, remedy))

    for name, times in Counter(name.casefold() for name in names).items():
        if name not in by_name:
            near = difflib.get_close_matches(name, by_name, 1)
            remedy = f'did you mean "{by_name[near[0]].name}"?' if near else "check the names of the cards in the pools"
            note(f'no pool has a card "{name}"', remedy)
        elif times > 1:
            note(f'"{by_name[name].name}" is named {times} times', "name each card once")
    cards = tuple(by_name[name.casefold()] for name in names if name.casefold() in by_name)
    counts = Counter(word(card.hazard) for card in cards)
    for wrong in wrong_counts({key: counts[key] for key in HAZARD_COUNTS}, len(names) - len(cards)):
        note(wrong.problem, wrong.remedy)
    if defects:
        raise DeckError(label, defects)
    return cards


class DeckWarning(UserWarning):
    """A deck that can be played, but is hardly typed in whole."""


def deck_warnings(deck: Deck) -> list[str]:
    """What is allowed, but looks as if it were forgotten; a line each.

    Every card of the published game has an ability, and nearly all have stars or skulls.
    """
    found = []
    blank = [card.name for card in deck.cards if not (card.stars or card.skulls or card.abilities)]
    if len(blank) > MOST_BLANK:
        some = listing(blank[:MOST_BLANK]) + ", …"
        found.append(
            f"{len(blank)} of {len(deck.cards)} cards have neither stars nor skulls nor abilities ({some}); "
            "add stars, skulls and [[card.ability]] below their names"
        )
    if len(blank) == len(deck.cards):
        return found
    if not any(card.abilities for card in deck.cards):
        found.append("no card has an ability; add them as [[card.ability]]")
    if not any(card.stars for card in deck.cards):
        found.append("no card has a star; add stars = a number from 1 to 9")
    return found


def warn_of(deck: Deck) -> None:
    """Warn of what `deck_warnings` finds, once for each deck."""
    if found := deck_warnings(deck):
        text = "; ".join(found)
        warnings.warn(
            f"deck {deck.name} can be played, but is hardly whole: {text}. Results on it say nothing of the game",
            DeckWarning,
            stacklevel=3,
        )


def deck_report(deck: "str | os.PathLike[str] | Deck") -> dict[str, int]:
    """How many of the 90 fields (18 cards; name, hazard, stars, skulls, abilities) have each provenance."""
    counts = Counter(value for card in load_deck(deck).cards for value in card.provenance.to_dict().values())
    return {provenance: counts[provenance] for provenance in PROVENANCES}


def deck_report_table(decks: "Iterable[str | os.PathLike[str] | Deck] | None" = None) -> str:
    """The counts of :func:`deck_report` as a Markdown table, by default of all shipped decks."""
    rows = [f"| deck | fields | {' | '.join(PROVENANCES)} |", "|---" * (2 + len(PROVENANCES)) + "|"]
    for deck in shipped_decks() if decks is None else decks:
        counts = deck_report(deck)
        title = f"`{deck}`" if isinstance(deck, str) and deck in shipped_decks() else load_deck(deck).name
        rows.append(f"| {title} | {sum(counts.values())} | {' | '.join(str(n) for n in counts.values())} |")
    return "\n".join(rows)
