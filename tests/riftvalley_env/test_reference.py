"""The engine against the independent reference implementation, decision by decision.

`make test` plays 100 games of each number of players; `make test-long` 2,000.
"""

import random
from functools import cache
from typing import Any

import numpy as np
import pytest

from riftvalley_env.board import Board, load_board, shipped_boards
from riftvalley_env.game import make_game
from riftvalley_env.generator import generate_board
from riftvalley_env.trails import squares_with, trails_on
from riftvalley_env.vocabulary import Mark, Points
from tests.reference.riftvalley import Board as ReferenceBoard
from tests.reference.riftvalley import Game as Reference
from tests.reference.riftvalley import random_board
from valley_core.batch import loops_of
from valley_core.game import Game, Status

KINDS = [kind.name.lower() for kind in Points]
SOURCES = ("asymmetrical", "identical", "generated", "drawn by the reference")
MORE_BOARDS = 40
"""Boards of each of the last two sources."""

LIKING = {"stop": 4.0, "tent": 1.0, "trail": 6.0, "pass": 0.5}
"""How often each kind of element is chosen in every other game; in the rest, every action is equally likely."""


@cache
def generated(number: int) -> Board:
    """A board of the generator, of any size, most with trees and water."""
    choose = random.Random(number)
    rows, columns = choose.randint(5, 9), choose.randint(5, 9)
    room = rows * columns // 12
    return generate_board(
        number,
        rows,
        columns,
        kobs=choose.randint(0, room),
        elephants=choose.randint(0, room),
        lions=choose.randint(0, room),
        trees=choose.randint(0, room),
        water=choose.randint(0, room),
        rift_length=choose.randint(2, min(rows, columns) - 2),
    )


@cache
def drawn_by_the_reference(number: int) -> Board:
    """A board of the reference's generator, of 3 × 3 to 8 × 8: on small ones nobody can draw before the end."""
    choose = random.Random(number)
    board = random_board(choose, choose.randint(3, 8), choose.randint(3, 8))
    return Board(f"Random {number}", "asymmetrical", "original", "", tuple(board.areas), tuple(board.squares))


def boards_of_game(number: int, players: int) -> str | list[Board]:
    """The boards of a game: the four sources in turn."""
    source = SOURCES[number % len(SOURCES)]
    if source in ("asymmetrical", "identical"):
        return source
    make = generated if source == "generated" else drawn_by_the_reference
    return [make((number + seat * 7) % MORE_BOARDS) for seat in range(players)]


class Match:
    """One game on both sides."""

    def __init__(self, number: int, players: int) -> None:
        self.choose = random.Random(f"{players} players, game {number}")
        boards = boards_of_game(number, players)
        actions = ("two_step", "flat")[number // len(SOURCES) % 2]
        limit = 9 if number % 7 == 3 else None
        self.game: Game = make_game(num_players=players, boards=boards, actions=actions, max_turns=limit)
        self.loops = loops_of(self.game)
        self.states = self.game.new_states(1)
        self.states["rng"] = number
        self.loops.reset_some(self.states, self.game.data, np.ones(1, bool))
        pool = [load_board(name) for name in shipped_boards(boards)] if isinstance(boards, str) else boards
        start = self.state["start"][:players].tolist()
        assert len(set(start)) == (1 if boards == "identical" else players)
        dealt = [ReferenceBoard(pool[index].areas, pool[index].squares) for index in start]
        self.reference = Reference(dealt, players, actions=actions, max_turns=limit)
        self.seats = range(players)
        self.legal = [self.reference.legal(seat) for seat in self.seats]
        self.uniform = number // (2 * len(SOURCES)) % 2 == 0

    @property
    def state(self) -> Any:
        """The engine's state."""
        return self.states[0]

    def snapshot(self) -> dict[str, Any]:
        """The engine's state in the terms of the reference."""
        state, data = self.state, self.game.data[0]
        boards = []
        for board in self.seats:
            stops = squares_with(state, data, board, Mark.STOP, Mark.CONNECTED)
            trails = trails_on(state, data, board)
            joined = {square for trail in trails for square in (trail.squares[0], trail.squares[-1])}
            connected = squares_with(state, data, board, Mark.CONNECTED)
            assert {square for _, square in connected} == joined
            boards.append(
                {
                    "stops": {square: seat for seat, square in stops},
                    "tents": {square: seat for seat, square in squares_with(state, data, board, Mark.TENT)},
                    "trails": sorted(
                        (trail.seat, trail.squares[0], trail.squares[-1], sorted(trail.squares[1:-1]))
                        for trail in trails
                    ),
                }
            )
        idle, triggered = int(state["idle"]), bool(state["last_turn"] >= 0)
        return {"turn": int(state["turn"]), "triggered": triggered, "boards": boards, "idle_turns": idle}

    def compare_boards(self) -> None:
        """Assert that everything drawn, every score and the end agree."""
        expected = self.reference.snapshot()
        for board in expected["boards"]:
            board["trails"].sort()
        assert self.snapshot() == expected
        points = self.state["points"].tolist()
        for board in self.seats:
            for seat in self.seats:
                found = dict(zip(KINDS, points[board][seat], strict=True))
                assert found | {"total": sum(found.values())} == self.reference.board_score(board, seat)
        self.game.check_state(self.state)

    def compare_masks(self) -> None:
        """Assert that every seat may do the same on both sides, and that the same seat is asked first."""
        masks = np.zeros((len(self.seats), self.game.num_actions), np.uint8)
        alike = np.repeat(self.states, len(self.seats))
        self.loops.masks_all(alike, self.game.data, np.array(self.seats), masks)
        for seat, mask in zip(self.seats, masks, strict=True):
            assert set(np.flatnonzero(mask).tolist()) == self.legal[seat]
        asked = self.asked()
        assert self.look()[:2] == (asked[0] if asked else -1, self.status())

    def asked(self) -> list[int]:
        """The seats that are still to decide."""
        return [seat for seat in self.seats if self.legal[seat] != {self.reference.wait_action}]

    def status(self) -> int:
        """Whether the reference goes on."""
        if self.reference.over:
            return Status.TERMINATED
        return Status.TRUNCATED if self.reference.truncated else Status.RUNNING

    def look(self) -> tuple[int, int, list[float]]:
        """The engine's next seat, status and returns."""
        numbers, totals = np.zeros((2, 1), np.int64), np.zeros((1, len(self.seats)))
        self.loops.look_all(self.states, self.game.data, int(self.game.reward), numbers[0], numbers[1], totals)
        return int(numbers[0, 0]), int(numbers[1, 0]), totals[0].tolist()

    def compare_end(self) -> None:
        """Assert that the final scores, ranks, winners and rewards agree."""
        summary = self.game.summary(self.state, self.game.data[0])
        scores, table = self.reference.scores(), self.reference.board_scores()
        assert summary["scores"] == [score["total"] for score in scores]
        assert summary["by_kind"] == [{kind: score[kind] for kind in KINDS} for score in scores]
        columns = [[row[seat] for row in table] for seat in self.seats]
        assert summary["by_board"] == columns
        keys = [(sum(column), sorted(column, reverse=True)) for column in columns]
        assert summary["ranks"] == [1 + sum(other > key for other in keys) for key in keys]
        winners = self.reference.ranking() if self.reference.over else []
        assert summary["winners"] == winners
        assert summary["winner"] == (winners[0] if len(winners) == 1 else None)
        losers = len(self.seats) - len(winners)
        expected = [1 / len(winners) if seat in winners else -1 / losers for seat in self.seats] if winners else None
        assert self.look()[2] == pytest.approx(expected if losers and expected else [0.0] * len(self.seats))

    def pick(self, seat: int) -> int:
        """A random action of those that are legal."""
        legal = sorted(self.legal[seat])
        if self.uniform or self.reference.pending(seat) is not None:
            return self.choose.choice(legal)
        kinds: dict[str, list[int]] = {}
        for action in legal:
            word = self.game.action_names[action].split(" ")[0].split("-")[0]
            kinds.setdefault(word, []).append(action)
        kind = self.choose.choices(list(kinds), [LIKING[kind] for kind in kinds])[0]
        return self.choose.choice(kinds[kind])

    def play(self) -> int:
        """Play to the end, the seats deciding in any order; the number of decisions."""
        decisions = 0
        self.compare_boards()
        while True:
            self.compare_masks()
            asked = self.asked()
            if not asked:
                self.compare_end()
                return decisions
            seat = self.choose.choice(asked)
            action, turn, drawn = self.pick(seat), self.reference.turn, self.state["drawn"].tobytes()
            self.reference.step(seat, action)
            self.loops.step_all(self.states, self.game.data, np.array([seat]), np.array([action]))
            decisions += 1
            if self.reference.turn == turn:
                assert int(self.state["turn"]) == turn
                assert self.state["drawn"].tobytes() == drawn
                self.legal[seat] = self.reference.legal(seat)
            else:
                self.compare_boards()
                self.legal = [self.reference.legal(seat) for seat in self.seats]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_engine_agrees_with_the_reference(players: int) -> None:
    """100 games, on shipped, generated and random boards in turn."""
    assert sum(Match(number, players).play() for number in range(100)) > 100 * players * 4


@pytest.mark.long
@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("part", range(4))
def test_engine_agrees_with_the_reference_in_many_games(players: int, part: int) -> None:
    """2,000 games, other ones than above."""
    start = 1_000_000 + 500 * part
    assert sum(Match(number, players).play() for number in range(start, start + 500)) > 500 * players * 4
