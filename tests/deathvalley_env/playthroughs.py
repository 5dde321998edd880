"""Whole games as text: for the golden files, and to compare compiled and plain kernels.

python -m tests.deathvalley_env.playthroughs --write     # after a change of the rules that is meant
"""

from typing import Any

from deathvalley_env.game import make_game
from tests.valley_core import playthroughs

GAMES: dict[str, dict[str, Any]] = {
    "base": {},
    "backseat": {"variant": "backseat"},
    "solo": {"solo": True},
    "solo_both": {"solo": True, "discard_points": True, "must_outbust": True},
    "death_valley_deck": {"deck": "death_valley", "variant": "backseat"},
    "ask_forced": {"ask_forced": True},
}
SEED = 20


def playthrough(name: str, seed: int = SEED) -> str:
    """A game with random actions, all equally likely; with all that can be observed in its digests."""
    game = make_game(**GAMES[name], card_facts=True)
    return playthroughs.playthrough(
        game, name, seed, choose=lambda names, bits: names[bits % len(names)], listed=", ".join
    )


if __name__ == "__main__":
    playthroughs.main("deathvalley", GAMES, playthrough)
