"""Death Valley: Highs & Lows as reinforcement-learning environments; see `deathvalley_env.deathvalley_v0`."""

from pathlib import Path

from valley_core.jit import register_package

register_package(__name__, Path(__file__).parent)

# Kernels must know their package, hence the imports after the registration.
from deathvalley_env import deathvalley_v0  # noqa: E402
from deathvalley_env.deathvalley_v0 import (  # noqa: E402
    env,
    make_sb3_env,
    make_vec,
    parallel_env,
    raw_env,
    solo_env,
)
from deathvalley_env.deck import Deck, DeckError, DeckWarning, deck_report, draw_deck, load_deck, shipped_decks  # noqa: E402
from deathvalley_env.game import make_game  # noqa: E402
from deathvalley_env.registration import register  # noqa: E402

register()

__all__ = [
    "Deck",
    "DeckError",
    "DeckWarning",
    "deathvalley_v0",
    "deck_report",
    "draw_deck",
    "env",
    "load_deck",
    "make_game",
    "make_sb3_env",
    "make_vec",
    "parallel_env",
    "raw_env",
    "shipped_decks",
    "solo_env",
]
