"""Games played by hand: boards drawn as text, moves in words."""

from typing import Any

import numpy as np

from riftvalley_env import rules
from riftvalley_env.board import Board
from riftvalley_env.encoding import name_of
from riftvalley_env.game import make_game, summary
from riftvalley_env.render import square_sign
from riftvalley_env.vocabulary import AREA_LETTERS, Way


def board(squares: str, areas: str | None = None, name: str = "Drawn") -> Board:
    """A board from its squares, by default with three bands of three blocks as areas."""
    rows = squares.split()
    height, width = len(rows), len(rows[0])
    blocks = [[AREA_LETTERS[r * 3 // height * 3 + c * 3 // width] for c in range(width)] for r in range(height)]
    grid = areas.split() if areas else ["".join(row) for row in blocks]
    return Board(name, "asymmetrical", "original", "", tuple(grid), tuple(rows))


class Table:
    """One game on boards drawn in the test: seat p starts with the p-th, or all with the only one."""

    def __init__(self, *boards: Board, num_players: int = 2, turn: int = 0, **options: Any) -> None:
        self.game = make_game(num_players=num_players, boards=list(boards), deal="fixed", **options)
        self.states = self.game.new_states(1)
        self.state: Any = self.states[0]
        self.data: Any = self.game.data[0]
        self.game.kernels.reset(self.state, self.data)
        self.state.turn = turn
        self.width = int(self.data.width)

    def square(self, name: str) -> int:
        """The index of a square named as ``r1c1``."""
        row, column = name[1:].split("c")
        return (int(row) - 1) * self.width + int(column) - 1

    # Drawing at once, outside of turns, to set up a position.

    def draw(self, on: int, seat: int, *elements: str) -> "Table":
        """Draw elements: ``o r1c1`` a Stop, ``^ r1c1`` a Tent, ``- r1c1 r3c5`` a Trail, ``|`` one column first."""
        for element in elements:
            sign, *places = element.split()
            squares = [self.square(place) for place in places]
            if sign == "o":
                rules.draw_stop(self.state, self.data, on, seat, *squares)
            elif sign == "^":
                rules.draw_tent(self.state, self.data, on, seat, *squares)
            else:
                assert self.is_open(on, seat, *places, way=int(sign == "|"))
                rules.draw_trail(self.state, self.data, on, seat, *squares, int(sign == "|"))
        return self

    def is_open(self, on: int, seat: int, start: str, end: str, way: int = Way.ROW_FIRST) -> bool:
        """Whether the rules allow a Trail."""
        places = [divmod(self.square(name), self.width) for name in (start, end)]
        return bool(rules.is_open(self.state, on, seat, *places[0], *places[1], int(way)))

    # Playing.

    def legal(self, seat: int) -> set[str]:
        """Names of the legal actions."""
        mask = np.zeros(self.game.num_actions, np.uint8)
        self.game.kernels.legal(self.state, self.data, seat, mask)
        return {self.game.action_names[action] for action in np.flatnonzero(mask)}

    def act(self, seat: int, name: str) -> None:
        """One decision, which must be legal."""
        assert name in self.legal(seat), f"{name} is not legal; {sorted(self.legal(seat))}"
        self.game.kernels.step(self.state, self.data, seat, self.game.action_names.index(name))

    def turn(self, *moves: str) -> "Table":
        """A turn: the move of each seat; decisions of a Trail are joined by `` + ``."""
        for seat, move in enumerate(moves):
            for decision in move.split(" + "):
                self.act(seat, decision)
        return self

    # Looking.

    def picture(self, on: int) -> list[str]:
        """The squares of a board, two characters each."""
        height = int(self.data.height)
        rows = [range(r * self.width, (r + 1) * self.width) for r in range(height)]
        return [" ".join(square_sign(self.state, self.data, on, s) for s in row).rstrip() for row in rows]

    def points(self, on: int, seat: int) -> list[int]:
        """Points for areas, animals, Stops and Tents on a board."""
        return [int(value) for value in self.state.points[on, seat]]

    def summary(self) -> dict[str, Any]:
        """How the game stands."""
        return summary(self.state, [f"board {k}" for k in range(5)])

    def places(self, seat: int, word: str) -> set[str]:
        """The squares for which an action that begins with `word` is legal."""
        return {name.removeprefix(word + " ") for name in self.legal(seat) if name.startswith(word)}


def all_squares(table: Table) -> set[str]:
    """The names of all squares of the grid."""
    return {name_of(s, table.width) for s in range(int(table.data.squares))}


def same_picture(table: Table, on: int, text: str) -> None:
    """Compare a board with a drawing."""
    wanted = [" ".join(cell.ljust(2) for cell in line.split()).rstrip() for line in text.strip().splitlines()]
    assert table.picture(on) == wanted, "\n".join(["", *table.picture(on)])
