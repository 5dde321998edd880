"""Compiled and plain kernels play the same games, on decks out of the whole vocabulary.

The golden playthroughs (``test_golden.py``) compare them on the shipped decks.
"""

import random
from typing import Any

from deathvalley_env.deck import deck_from_dict
from deathvalley_env.game import make_game
from tests.reference.deathvalley import random_deck
from tests.valley_core.plain import digest_of_game, plain_output

VARIANTS: dict[str, dict[str, Any]] = {
    "base": {},
    "backseat": {"variant": "backseat", "ask_forced": True},
    "solo": {"solo": True},
    "solo both": {"solo": True, "discard_points": True, "must_outbust": True},
}
GAMES = 6
LONGEST = 150
"""Decisions of a game that are played."""


def course(variant: str, number: int) -> str:
    """A digest of a random game on a random deck."""
    deck = deck_from_dict({"name": "random", "card": random_deck(random.Random(number))})
    return digest_of_game(make_game(deck=deck, **VARIANTS[variant]), variant, number, LONGEST)


def courses() -> list[str]:
    """A few games of each variant."""
    return [course(variant, number) for variant in VARIANTS for number in range(GAMES)]


def test_plain_python_plays_the_same_games_on_random_decks() -> None:
    assert plain_output("tests.deathvalley_env.test_plain").splitlines() == courses()


if __name__ == "__main__":
    print("\n".join(courses()))
