"""Random games of all numbers of players, boards and actions, for tests that look at every position."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from riftvalley_env.game import make_game
from riftvalley_env.generator import generate_board
from valley_core.game import Game

CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "two": {},
    "two flat": {"actions": "flat"},
    "two identical": {"boards": "identical"},
    "three identical flat": {"num_players": 3, "boards": "identical", "actions": "flat"},
    "three": {"num_players": 3},
    "four mixed": {
        "num_players": 4,
        "boards": [
            "identical",
            generate_board(1, 12, 6),
            generate_board(2, 6, 12),
            generate_board(3, 5, 5, trees=0, kobs=2, elephants=1, lions=1),
        ],
    },
    "five": {"num_players": 5},
}


@cache
def game_of(name: str) -> Game:
    return make_game(**CONFIGURATIONS[name])


def legal(game: Game, state: Any, seat: int) -> np.ndarray:
    """The mask of a seat, on a buffer full of rubbish."""
    mask = np.full(game.num_actions, 7, np.uint8)
    game.kernels.legal(state, game.data[0], seat, mask)
    return mask


def observe(game: Game, state: Any, seat: int) -> np.ndarray:
    """The observation of a seat, on a buffer full of rubbish."""
    out = np.full(game.layout.size, np.nan, np.float32)
    game.kernels.observe(state, game.data[0], seat, out)
    return out


def views(game: Game, state: Any, seat: int) -> dict[str, np.ndarray]:
    """The same by field."""
    return game.layout.views(observe(game, state, seat))


def random_game(game: Game, seed: int, tent_share: float = 0.3) -> Iterator[tuple[Any, int, int]]:
    """State, seat and action before each decision of a random game; seats decide in random order."""
    rng = np.random.default_rng(seed)
    state: Any = game.new_states(1)[0]
    state.rng = seed
    game.kernels.reset(state, game.data[0])
    squares = int(game.data[0]["squares"])
    while not state.over:
        seat = int(rng.choice([s for s in range(game.seats) if game.kernels.asked(state, s)]))
        actions = np.flatnonzero(legal(game, state, seat))
        # Fewer Tents than uniform play draws, so that the games are longer, and more Trails.
        weights = np.where(actions // squares == 1, tent_share, np.where(actions // squares >= 2, 8.0, 1.0))
        action = int(rng.choice(actions, p=weights / weights.sum()))
        yield state, seat, action
        game.kernels.step(state, game.data[0], seat, action)
    yield state, -1, -1
