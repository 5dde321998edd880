"""Both games, as the adapters take them: one where players take turns, one where several are asked at once."""

from collections.abc import Callable
from typing import Any

import pytest

import deathvalley_env.game
import riftvalley_env.game
from valley_core.game import Game

GAMES: dict[str, tuple[Callable[..., Game], dict[str, Any]]] = {
    "turns": (deathvalley_env.game.make_game, {"variant": "backseat", "reward": "shaped"}),
    "simultaneous": (riftvalley_env.game.make_game, {"num_players": 3}),
}


@pytest.fixture(params=GAMES)
def made(request: pytest.FixtureRequest) -> tuple[Callable[..., Game], dict[str, Any]]:
    """A function that makes a game, and its options."""
    return GAMES[request.param]


@pytest.fixture
def turns() -> tuple[Callable[..., Game], dict[str, Any]]:
    """The game where players take turns."""
    return GAMES["turns"]


@pytest.fixture
def truncating(turns: tuple[Callable[..., Game], dict[str, Any]]) -> tuple[Callable[..., Game], dict[str, Any]]:
    """The same, truncated at its turn limit."""
    return turns[0], {**turns[1], "turn_limit": "truncate"}


@pytest.fixture
def simultaneous() -> tuple[Callable[..., Game], dict[str, Any]]:
    """The game where several are asked at once."""
    return GAMES["simultaneous"]
