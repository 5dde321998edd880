"""A deck for each word of the vocabulary of abilities: nearly all of its cards have an ability with that word."""

import random
from enum import IntEnum
from typing import Any

from deathvalley_env.deck import Deck, deck_from_dict
from deathvalley_env.deck_parts import word
from deathvalley_env.vocabulary import EFFECTS_OF_TIMING, Cards, Effect, Having, Hazard, Per, Position, Row, Timing
from tests.deathvalley_env.table import HAZARD_OF_LETTER, PLAIN_NAMES, ability

WORDS: list[IntEnum] = [
    *[timing for timing in Timing if timing != Timing.NONE],
    *Effect,
    *Row,
    *Position,
    *Cards,
    *Having,
    *Per,
    *Hazard,
]
"""Every member of the enumerations that an ability is made of."""

NEEDS: dict[str, dict[str, Any]] = {
    "swap_hidden": {"select": {"cards": "hidden"}},
    "ignore": {"select": {"hazard": "sun", "other": True}},
    "score_nothing": {"select": {"hazard": "drop", "other": True}},
    "raise_limit": {"hazard": "sun"},
    "points": {"points": 2},
}
"""What an effect takes besides its timing, by the word of the effect."""
MAKES_HIDDEN = ability("before_travel", "hide", optional=True)
"""Beside abilities that look at hidden cards, so that there are some."""


def title(member: IntEnum) -> str:
    """Such as ``Effect.HIDE``."""
    return f"{type(member).__name__}.{member.name}"


def with_effect(effect: Effect) -> dict[str, Any]:
    """An ability with an effect, at the first of its timings that a card can always use."""
    timings = [timing for timing, effects in EFFECTS_OF_TIMING.items() if effect in effects]
    assert timings, f"no timing admits {effect.name}"
    timing = Timing.AFTER_TRAVEL if Timing.AFTER_TRAVEL in timings else timings[0]
    return ability(word(timing), word(effect), **NEEDS.get(word(effect), {}))


def with_timing(timing: Timing) -> dict[str, Any]:
    """An ability with a timing."""
    effect = word(min(EFFECTS_OF_TIMING[timing]))
    return ability(word(timing), effect, **NEEDS.get(effect, {}))


def counting(**select: str) -> dict[str, Any]:
    """A scoring ability that counts a selection."""
    return ability("scoring", "points", points=1, per="card", select=select)


def ability_with(member: IntEnum) -> dict[str, Any]:
    """An ability with this word, as a deck file has it."""
    if isinstance(member, Timing):
        return with_timing(member)
    if isinstance(member, Effect):
        return with_effect(member)
    if isinstance(member, Per):
        hazard = {"select": {"hazard": "sun"}} if member == Per.ROW_WITHOUT else {}
        return ability("scoring", "points", points=1, per=word(member), **hazard)
    if isinstance(member, Position) and member in (Position.LEFTMOST, Position.RIGHTMOST):
        return counting(row="scrapbook", position=word(member))
    return counting(**{type(member).__name__.lower(): word(member)})


def deck_with(member: IntEnum) -> Deck:
    """18 cards of which every third has stars alone, every fourth skulls besides, and all others this word."""
    cards = []
    choose = random.Random(title(member))
    for number, name in enumerate(PLAIN_NAMES):
        abilities = [] if number % 5 == 4 else [ability_with(member)]
        if isinstance(member, Cards) or (abilities and abilities[0]["effect"] == "swap_hidden"):
            abilities.append(MAKES_HIDDEN)
        cards.append(
            {
                "name": name,
                "hazard": HAZARD_OF_LETTER[name[0]],
                "stars": choose.randint(0, 3),
                "skulls": choose.randint(0, 1),
                "ability": abilities,
            }
        )
    return deck_from_dict({"name": title(member), "card": cards})
