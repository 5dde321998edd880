"""Whole games as text: for the golden files, and to compare compiled and plain kernels.

python -m tests.riftvalley_env.playthroughs --write     # after a change of the rules that is meant
"""

import re
import warnings
from collections.abc import Sequence
from typing import Any

from riftvalley_env.board import BoardWarning
from riftvalley_env.game import make_game
from tests.riftvalley_env.table import board
from tests.valley_core import playthroughs

NARROW = board("rr.. .... .kk. ..e.", name="Narrow")
SHORT = board("..r. k.r. ....", name="Short")
GAMES: dict[str, dict[str, Any]] = {
    "two": {},
    "two_identical_flat": {"num_players": 2, "boards": "identical", "actions": "flat"},
    "two_small": {"num_players": 2, "boards": [NARROW, SHORT]},  # where players must pass (R8)
    "two_stuck": {"num_players": 2, "boards": board("rrk ... k..", name="Stuck")},  # ended by R9
    "three_flat": {"num_players": 3, "actions": "flat"},
    "three_identical": {"num_players": 3, "boards": "identical"},
    "four": {"num_players": 4, "deal": "fixed"},
    "four_identical_flat": {"num_players": 4, "boards": "identical", "actions": "flat"},
    "five_flat": {"num_players": 5, "actions": "flat", "max_turns": 9},
    "five_identical": {"num_players": 5, "boards": "identical"},
}
SEED = 20


def choose(names: Sequence[str], bits: int) -> str:
    """A kind of action, then one of the kind: so that Trails are not rare among all the squares for Stops and Tents."""
    kinds = sorted({name.split(" ")[0] for name in names})
    kind = kinds[bits % len(kinds)]
    of_kind = [name for name in names if name.split(" ")[0] == kind]
    return of_kind[(bits >> 32) % len(of_kind)]


def listed(names: list[str]) -> str:
    """Actions by kind, with squares beside each other in one: ``stop r1c1 r1c4-6``, ``tent r2c1``."""
    kinds: dict[str, list[str]] = {}
    for name in names:
        kind, _, place = name.partition(" ")
        kinds.setdefault(kind, []).append(place)
    return "; ".join(" ".join([kind, *joined(places)]).rstrip() for kind, places in kinds.items())


def joined(places: list[str]) -> list[str]:
    """Places with each run of squares beside each other in one: ``r1c4-6``; paths stay as they are, in brackets."""
    runs: list[list[int]] = []  # row, first column, last column
    paths = [f"({place})" for place in places if " " in place]
    for place in places:
        if square := re.fullmatch(r"r(\d+)c(\d+)", place):
            row, column = map(int, square.groups())
            if runs and runs[-1][0] == row and runs[-1][2] == column - 1:
                runs[-1][2] = column
            else:
                runs.append([row, column, column])
    return [f"r{row}c{first}" + (f"-{last}" if last > first else "") for row, first, last in runs] + paths


def playthrough(name: str, seed: int = SEED) -> str:
    """A game with random actions, all kinds equally likely."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BoardWarning)  # of boards that are so small for a reason
        game = make_game(**GAMES[name])
    return playthroughs.playthrough(game, name, seed, choose=choose, listed=listed)


if __name__ == "__main__":
    playthroughs.main("riftvalley", GAMES, playthrough)
