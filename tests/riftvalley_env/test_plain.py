"""Compiled and plain kernels play the same games, on random boards of all sizes.

The golden playthroughs (``test_golden.py``) compare them on the shipped boards.
"""

import random
import warnings
from typing import Any

from riftvalley_env.board import Board, BoardWarning
from riftvalley_env.game import make_game
from tests.reference.riftvalley import random_board
from tests.valley_core.plain import digest_of_game, plain_output

TABLES: dict[str, dict[str, Any]] = {
    "two": {},
    "two flat": {"actions": "flat"},
    "three": {"num_players": 3, "max_turns": 7},
    "four flat": {"num_players": 4, "actions": "flat", "deal": "fixed"},
    "five": {"num_players": 5},
}
GAMES = 3
LONGEST = 100
"""Decisions of a game that are played."""


def course(table: str, number: int) -> str:
    """A digest of a random game on random boards."""
    choose = random.Random(f"{table} {number}")
    boards = []
    for index in range(5):
        drawn = random_board(choose, choose.randint(3, 8), choose.randint(3, 12))
        boards.append(
            Board(f"Random {index}", "asymmetrical", "original", "", tuple(drawn.areas), tuple(drawn.squares))
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BoardWarning)  # of boards drawn at random
        game = make_game(boards=boards, **TABLES[table])
    return digest_of_game(game, table, number, LONGEST)


def courses() -> list[str]:
    """A few games of each table."""
    return [course(table, number) for table in TABLES for number in range(GAMES)]


def test_plain_python_plays_the_same_games_on_random_boards() -> None:
    assert plain_output("tests.riftvalley_env.test_plain").splitlines() == courses()


if __name__ == "__main__":
    print("\n".join(courses()))
