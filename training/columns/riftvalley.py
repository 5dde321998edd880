"""What a finished game of Rift Valley is measured by."""

from pathlib import Path
from typing import Any

import numpy as np

from riftvalley_env.scoring import ending
from riftvalley_env.vocabulary import NOWHERE, Ending, Points
from valley_core.decisions import Decisions
from valley_core.game import Game
from valley_core.jit import kernel, register_package

PACKAGE = "training_riftvalley"
register_package(PACKAGE, Path(__file__).parent, depends=("riftvalley_env",))

KINDS = tuple(kind.name.lower() for kind in Points)
"""Where points come from."""

ENDINGS = tuple(rule.name.lower() for rule in Ending)
"""By which rule a game was decided: names of the column ``ending``."""


def is_first_decision(decisions: Decisions) -> np.ndarray:
    """Whether each decision is the first of its seat in the turn, bool of shape (n,)."""
    chosen: np.ndarray = decisions.states["square"][np.arange(len(decisions)), decisions.seats]
    return chosen == NOWHERE


def _endings(states: Any, out: Any) -> None:
    for i in range(len(states)):
        out[i] = ending(states[i])


endings = kernel(_endings, package=PACKAGE)


def dtype_of(game: Game) -> np.dtype:
    """The columns: points of each seat over all boards, in all and by kind; turns; the rule that decided.

    And which board of the pool each seat started with, and the points of all seats on it, by kind.
    """
    shape = (game.seats,)
    return np.dtype(
        [
            ("scores", "i4", shape),
            ("by_kind", "i4", (*shape, len(KINDS))),
            ("turns", "i4"),
            ("ending", "i4"),
            ("boards", "i4", shape),
            ("on_boards", "i4", (*shape, *shape, len(KINDS))),  # board as the seat that started with it, seat, kind
        ]
    )


def columns(game: Game, states: np.ndarray) -> np.ndarray:
    """The columns of finished games, of shape (n,)."""
    out = np.zeros(len(states), dtype_of(game))
    points = states["points"][:, : game.seats, : game.seats].astype(np.int32)  # game, board, seat, kind
    out["by_kind"] = points.sum(1)
    out["scores"] = out["by_kind"].sum(2)
    out["turns"] = states["turn"]
    out["boards"] = states["start"][:, : game.seats]
    out["on_boards"] = points
    rules = np.zeros(len(states), np.int64)
    if len(states):
        endings(states, rules)
    out["ending"] = rules
    return out
