"""Every kind of point, tie-break and reward, worked out by hand on boards drawn as text."""

from collections.abc import Sequence

import numpy as np
import pytest

from riftvalley_env.encoding import MARGIN_SCALE
from riftvalley_env.vocabulary import Points
from tests.riftvalley_env.table import Table, board, same_picture
from valley_core.game import Reward

pytestmark = pytest.mark.plain

# Areas of a 7 × 7 board drawn without areas: columns 1-3, 4-5, 6-7 by rows 1-3, 4-5, 6-7:  A B C / D E F / G H I.
PLAIN = board("....... ....... ....... ....rr. ....... ....... .......")


def returns(table: Table, reward: Reward) -> list[float]:
    out = np.zeros(table.game.seats)
    table.game.kernels.returns(table.state, table.data, int(reward), out)
    return [float(value) for value in out]


# --- Areas ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stops", "trail", "points"),
    [
        (("r1c1", "r1c3"), "- r1c1 r1c3", 1),  # A: at least 1
        (("r1c1", "r1c7"), "- r1c1 r1c7", 3),  # A, B, C
        (("r1c3", "r1c5"), "- r1c3 r1c5", 2),  # the end Stops count: B is entered by the Stop's side alone
        (("r1c1", "r7c7"), "- r1c1 r7c7", 5),  # A, B, C, F, I: the most
        (("r1c1", "r7c7"), "| r1c1 r7c7", 5),  # A, D, G, H, I
        (("r3c3", "r4c4"), "- r3c3 r4c4", 3),  # A, B (the corner), E
    ],
)
def test_a_trail_scores_each_area_that_it_enters(stops: Sequence[str], trail: str, points: int) -> None:
    table = Table(PLAIN).draw(1, 0, *(f"o {s}" for s in stops)).draw(1, 0, trail)
    assert table.points(1, 0) == [points, 0, 0, 0]


def test_an_area_entered_twice_counts_once() -> None:
    areas = "AAAAACC AABAACC AABBBCC DDDEEFF DDDEEFF GGGHHII GGGHHII"
    table = Table(board("....... ....... ....... ..t.rr. ....... ....... .......", areas))
    table.draw(1, 0, "o r2c1", "o r2c5", "- r2c1 r2c5")
    assert table.points(1, 0)[Points.AREAS] == 2  # A, B, A


def test_a_bridged_square_counts() -> None:
    """R11: here the Rift square is the only one of its area that the Trail enters."""
    areas = "AAABBCC AAABBCC AAABBCC DDDEEFF DGGHHFF GGGHHII GGGHHII"
    table = Table(board("....... ....... ....... ...rr.. ....... ....... .......", areas))
    table.draw(0, 0, "o r3c5", "o r5c5", "- r3c5 r5c5")
    assert table.points(0, 0)[Points.AREAS] == 3  # B, E, H


def test_each_trail_scores_for_itself() -> None:
    table = Table(PLAIN).draw(1, 0, "o r1c1", "o r1c4", "o r3c1", "- r1c1 r1c4", "- r1c1 r3c1")
    assert table.points(1, 0)[Points.AREAS] == 2 + 1


def test_a_second_trail_between_the_same_stops_scores_as_much() -> None:
    """R5."""
    table = Table(PLAIN).draw(1, 0, "o r1c1", "o r2c4", "- r1c1 r2c4")
    assert table.points(1, 0) == [2, 0, 0, 0]  # A, B
    table.draw(1, 0, "| r1c1 r2c4")
    assert table.points(1, 0) == [4, 0, 0, 0]


def test_a_corner_between_diagonal_neighbours_counts() -> None:
    """R6: the corner is the only square in its area."""
    table = Table(PLAIN).draw(1, 0, "o r3c3", "o r4c4")
    table.draw(1, 0, "| r3c3 r4c4")
    assert table.points(1, 0)[Points.AREAS] == 3  # A, D (the corner), E


def test_a_board_scores_for_every_player_apart() -> None:
    """All kinds of points of both players on one board."""
    table = Table(board("rr..... .k..... ....... ....... .....l. ....... ......."))
    table.draw(0, 0, "o r3c1", "o r3c4", "- r3c1 r3c4", "^ r2c5", "o r7c1")
    table.draw(0, 1, "o r4c6", "o r6c4", "o r7c7", "- r4c6 r6c4", "^ r3c5", "^ r7c3")
    same_picture(
        table,
        0,
        """
        r  r  .  .  .  .  .
        .  k  .  .  ^0 .  .
        @0 ─0 ─0 @0 ^1 .  .
        .  .  .  ┌1 ─1 @1 .
        .  .  .  │1 .  l  .
        .  .  .  @1 .  .  .
        o0 .  ^1 .  .  .  o1
        """,
    )
    assert table.points(0, 0) == [2, 1, -2, 2]  # A and B; the kob; r7c1; the Tent beside r3c4
    assert table.points(0, 1) == [3, 3, -2, 4]  # F, E, H; the lion; r7c7; Tents beside r4c6 and beside r6c4


# --- Animals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("animal", "points"), [("k", 1), ("e", 2), ("l", 3)])
def test_animals_beside_a_trail(animal: str, points: int) -> None:
    table = Table(board(f"....... ....... ...{animal}... ....... ..rr... ....... ......."))
    table.draw(1, 0, "o r1c1", "o r1c7", "- r1c1 r1c7")
    assert table.points(1, 0)[Points.ANIMALS] == 0  # two squares away
    table.draw(1, 0, "o r4c1", "o r4c3", "- r4c1 r4c3")
    assert table.points(1, 0)[Points.ANIMALS] == points  # a Stop, diagonally
    table.draw(1, 0, "o r2c3", "o r2c5", "- r2c3 r2c5")
    assert table.points(1, 0)[Points.ANIMALS] == points  # once for a player
    table.draw(1, 1, "o r4c4", "o r4c6", "- r4c4 r4c6")
    assert table.points(1, 1)[Points.ANIMALS] == points  # each player for its own


@pytest.mark.parametrize("ends", ["r2c1 r2c7", "r1c3 r7c3", "r4c1 r4c7", "r1c5 r7c5"])
def test_animals_in_all_directions(ends: str) -> None:
    table = Table(board("rr..... ....... ...k... ....... ....... ....... ......."))
    start, end = ends.split()
    table.draw(1, 0, f"o {start}", f"o {end}", f"- {start} {end}")
    assert table.points(1, 0)[Points.ANIMALS] == 1


def test_animals_do_not_score_for_stops_without_a_trail_nor_for_tents() -> None:
    table = Table(board("rr..... ....... ...l... ....... ....... ....... ......."))
    table.draw(1, 0, "o r2c3", "^ r4c4")
    assert table.points(1, 0) == [0, 0, -2, 0]


def test_a_stop_that_already_has_a_trail_scores_its_animals_once() -> None:
    table = Table(board("rr..... ...k... ....... ....... ....... ....... e......"))
    table.draw(1, 0, "o r3c3", "o r3c7", "o r6c3", "- r3c3 r3c7", "- r3c3 r6c3")
    assert table.points(1, 0)[Points.ANIMALS] == 1


# --- Stops and Tents ------------------------------------------------------------------------------------------------


def test_stops_without_a_trail_cost_two() -> None:
    table = Table(PLAIN).draw(1, 0, "o r1c1", "o r1c4", "o r7c7").draw(1, 1, "o r7c1")
    assert table.points(1, 0) == [0, 0, -6, 0]
    assert table.points(1, 1) == [0, 0, -2, 0]
    table.draw(1, 0, "- r1c1 r1c4")
    assert table.points(1, 0) == [2, 0, -2, 0]


def test_tents_score_two_for_each_connected_stop_around() -> None:
    table = Table(PLAIN)
    table.draw(1, 0, "o r1c1", "o r3c1", "o r1c3", "^ r2c2").draw(1, 1, "o r3c3", "o r3c5", "- r3c3 r3c5")
    assert table.points(1, 0)[Points.TENTS] == 0  # not connected; the connected one is another's
    table.draw(1, 0, "- r1c1 r3c1")
    assert table.points(1, 0)[Points.TENTS] == 4
    table.draw(1, 0, "- r1c1 r1c3")
    assert table.points(1, 0)[Points.TENTS] == 6
    table.draw(1, 0, "^ r4c1")  # a Tent drawn later, orthogonally beside a connected Stop
    assert table.points(1, 0)[Points.TENTS] == 8
    table.draw(1, 1, "^ r4c2")  # beside a Stop of its own and one of another player
    assert table.points(1, 1)[Points.TENTS] == 2


# --- Winning --------------------------------------------------------------------------------------------------------


def over(scores: Sequence[Sequence[int]]) -> Table:
    """A finished game with these points of each seat on each board."""
    table = Table(PLAIN, num_players=len(scores))
    for seat, by_board in enumerate(scores):
        table.state.points[: len(by_board), seat, Points.TENTS] = by_board
    table.state.over = 1
    return table


@pytest.mark.parametrize(
    ("scores", "ranks", "ending"),
    [
        ([(5, 4), (4, 4)], [1, 2], "score"),
        ([(5, 5), (6, 4)], [2, 1], "best_boards"),  # even totals: the best board
        ([(4, 6), (6, 4)], [1, 1], "shared"),  # the same boards in another order
        ([(7, 3, 2), (7, 4, 1), (0, 0, 0)], [2, 1, 3], "best_boards"),  # the next best board
        ([(5, 5, -1), (5, 2, 2), (9, 0, 0)], [2, 3, 1], "best_boards"),
        ([(5, 5, 0, 0), (5, 5, 1, -1), (0, 0, 0, 0), (5, 5, 0, 0)], [2, 1, 4, 2], "best_boards"),
        ([(5, 5, 0, 0), (0, 5, 0, 5), (1, 1, 1, 1), (4, 5, 1, 0)], [1, 1, 4, 3], "shared"),
        (
            [(5, 4, 3, 2, 1), (0, 3, 3, 4, 5), (1, 2, 3, 4, 5), (9,), (9, 6)],
            [3, 2, 3, 5, 1],
            "best_boards",
        ),
        (
            [(5, 4, 3, 2, 1), (0, 3, 3, 4, 5), (0,), (9,), (1, 1, 1, 1, 1)],
            [2, 1, 5, 3, 4],
            "best_boards",
        ),
        ([(5, 4, 3, 2, 1), (1, 2, 3, 4, 5), (3, 5, 1, 2, 4), (2, 1, 5, 4, 3), (4, 3, 2, 1, 5)], [1] * 5, "shared"),
        ([(0, 0, 0, 0, 0)] * 5, [1] * 5, "shared"),
        ([(-2, -4), (-1, -5)], [2, 1], "best_boards"),
    ],
)
def test_ranks_and_tie_breaks(scores: Sequence[Sequence[int]], ranks: list[int], ending: str) -> None:
    """R12."""
    table = over(scores)
    summary = table.summary()
    assert summary["ranks"] == ranks
    assert summary["ending"] == ending
    assert summary["winners"] == [seat for seat, rank in enumerate(ranks) if rank == 1]
    winners, losers = ranks.count(1), len(ranks) - ranks.count(1)
    wins = [(1 / winners if rank == 1 else -1 / losers) if losers else 0 for rank in ranks]
    assert returns(table, Reward.WIN) == pytest.approx(wins)


# --- Rewards --------------------------------------------------------------------------------------------------------


def test_margin_is_the_lead_over_the_best_other_at_the_end() -> None:
    table = over([(20, 0, 0), (5, 5, 0), (3, 0, 0)])
    assert returns(table, Reward.MARGIN) == pytest.approx([10 / MARGIN_SCALE, -10 / MARGIN_SCALE, -17 / MARGIN_SCALE])
    table.state.over = 0
    assert returns(table, Reward.MARGIN) == [0, 0, 0]
    assert returns(over([(300, 0), (0, 0)]), Reward.MARGIN) == [1, -1]


def test_shaped_is_win_and_half_of_the_margin_so_far() -> None:
    table = over([(20, 0), (5, 5)])
    half = 10 / MARGIN_SCALE / 2
    assert returns(table, Reward.SHAPED) == pytest.approx([1 + half, -1 - half])
    table.state.over = 0
    assert returns(table, Reward.SHAPED) == pytest.approx([half, -half])


def test_a_truncated_game_has_no_winner() -> None:
    table = over([(20, 0), (5, 5)])
    table.state.truncated = 1
    assert returns(table, Reward.WIN) == [0, 0]
    assert returns(table, Reward.SHAPED) == pytest.approx([10 / MARGIN_SCALE / 2, -10 / MARGIN_SCALE / 2])
