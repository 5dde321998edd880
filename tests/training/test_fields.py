"""Fields: rotated seats, and rows computed by hand."""

import numpy as np
import pytest

from agents.base import Agent, make_agent
from agents.greedy import GreedyAgent
from riftvalley_env.game import make_game as rift_valley
from training.fields import Field, Played, agent_row, parts_of_victory, play_field, rows_of, seat_row
from training.games import entry_of
from training.match import deal_seeds
from valley_core.decisions import Decisions


def field_of(*agents: str, boards: str = "identical") -> Field:
    game = rift_valley(num_players=len(agents), boards=boards)
    return Field(entry_of("riftvalley"), game, boards, agents)


@pytest.mark.parametrize(
    ("agents", "lineups"),
    [
        ("a", ["a"]),
        ("aaa", ["aaa"]),
        ("ab", ["ab", "ba"]),
        ("abb", ["abb", "bab", "bba"]),
        ("abc", ["abc", "cab", "bca"]),
        ("abab", ["abab", "baba"]),
    ],
)
def test_seats_rotate_as_often_as_that_makes_a_difference(agents: str, lineups: list[str]) -> None:
    field = Field(entry_of("riftvalley"), rift_valley(), "identical", tuple(agents))
    assert ["".join(lineup) for lineup in field.lineups] == lineups


def played_by_hand() -> Played:
    """The field x, y, y on two deals, in three rotations: yyx is the second, since x moves to the right."""
    field = field_of("x", "y", "y")
    # For each lineup and deal the result of each seat, and its score.
    results = [
        [(1, -1, -1), (0, 0, -1)],  # x y y: x wins; x and a y share
        [(-1, 1, -1), (-1, -1, 1)],  # y x y: x wins; a y wins
        [(-1, 0, 0), (0, 0, 0)],  # y y x: a y and x share; no result at the turn limit
    ]
    scores = [
        [(9, 3, 0), (5, 5, 2)],
        [(0, 6, 3), (1, 2, 6)],
        [(1, 4, 4), (0, 0, 3)],
    ]
    columns = [("result", "i1", 3), ("winner", "i1"), ("scores", "i4", 3), ("by_kind", "i4", (3, 4))]
    columns += [("decisions", "i4", 3), ("illegal", "i4", 3), ("turns", "i4"), ("turn_limit", "?"), ("truncated", "?")]
    tables = []
    for result, score in zip(results, scores, strict=True):
        table = np.zeros(2, columns)
        table["result"], table["scores"] = result, score
        table["winner"] = [seats.index(1) if 1 in seats else -1 for seats in result]
        table["by_kind"][:, :, 1] = score
        table["decisions"], table["turns"], table["illegal"] = (10, 20, 30), 7, (1, 0, 0)
        tables.append(table)
    tables[2]["turn_limit"][1] = tables[2]["truncated"][1] = True
    return Played(field, tables, np.arange(2), False, 1.0)


def test_the_row_of_an_agent_by_hand() -> None:
    played = played_by_hand()
    x, y = (agent_row(played, name) for name in "xy")
    assert (x["games"], x["deals"], x["seats"], x["opponent"]) == (6, 2, 3, "y")
    assert (x["win"], x["draw"], x["loss"]) == pytest.approx((2 / 6, 2 / 6, 1 / 6))
    assert (y["win"], y["draw"], y["loss"]) == pytest.approx((1 / 6, 2 / 6, 2 / 6))
    assert x["unfinished"] == y["unfinished"] == pytest.approx(1 / 6)  # neither won, drawn nor lost
    # Shares of x: 1, 1, 1/2 on the first deal, 1/2, 0 on the second; those of the two y are the rest.
    assert x["share"] == pytest.approx((2.5 / 3 + 0.5 / 2) / 2)
    assert y["share"] == pytest.approx((1 - x["share"]) / 2)
    assert x["fair"] == y["fair"] == pytest.approx(1 / 3)
    assert x["score"] == pytest.approx((9 + 5 + 6 + 2 + 4 + 3) / 6)
    assert y["score"] == pytest.approx((3 + 0 + 5 + 2 + 0 + 3 + 1 + 6 + 1 + 4 + 0 + 0) / 12)
    assert x["points"] == {"areas": 0, "animals": pytest.approx(x["score"]), "stops": 0, "tents": 0}
    assert x["win_by_seat"] == [0.5, 0.5, 0]
    assert y["win_by_seat"] == [0, 0, 0.25]
    assert (x["decisions"], x["turns"], x["turn_limit"]) == (20, 7, pytest.approx(1 / 6))
    assert (x["illegal"], y["illegal"]) == (2, 4)


def test_the_row_of_a_seat_by_hand() -> None:
    rows = [seat_row(played_by_hand(), seat) for seat in range(3)]
    assert [row["win"] for row in rows] == pytest.approx([1 / 6] * 3)
    assert [row["draw"] for row in rows] == pytest.approx([1 / 6, 2 / 6, 1 / 6])
    assert [row["share"] for row in rows] == pytest.approx(
        [(1 / 3 + 1 / 4) / 2, (1 / 2 + 1 / 4) / 2, (1 / 6 + 1 / 2) / 2]
    )
    assert [row["score"] for row in rows] == pytest.approx([16 / 6, 20 / 6, 18 / 6])
    assert [row["seat"] for row in rows] == [0, 1, 2]


def test_differences_are_of_one_seat_each() -> None:
    x, y, *seats = rows_of(played_by_hand())
    assert len(seats) == 3
    assert x["differences"] == []
    (difference,) = y["differences"]
    assert (difference["to"], difference["deals"]) == ("x", 2)
    assert difference["win"] == pytest.approx(y["share"] - x["share"])
    assert difference["margin"] == pytest.approx(y["score"] - x["score"])


def test_deals_that_do_not_count_leave_no_trace_but_illegal_actions() -> None:
    all_deals = played_by_hand()
    played = Played(all_deals.field, all_deals.tables, np.array([0]), False, 1.0)
    row = agent_row(played, "x")
    assert (row["deals"], row["different_deals"], row["games"]) == (2, 1, 3)
    assert (row["win"], row["draw"], row["loss"]) == pytest.approx((2 / 3, 1 / 3, 0))
    assert row["score"] == pytest.approx((9 + 6 + 4) / 3)
    assert row["illegal"] == 2


def test_parts_of_a_victory() -> None:
    results = np.array([[1, -1, -1], [0, -1, 0], [0, 0, 0]])
    assert parts_of_victory(results) == pytest.approx(np.array([[1, 0, 0], [0.5, 0, 0.5], [1 / 3, 1 / 3, 1 / 3]]))


def test_all_lineups_play_the_same_deals() -> None:
    field, seeds = field_of("greedy", "random", boards="asymmetrical"), deal_seeds(0, 20)
    played = play_field(field, seeds)
    first, second = played.tables
    assert first["seed"].tolist() == second["seed"].tolist() == seeds.tolist()
    assert (first["boards"] == second["boards"]).all()
    assert len(played.kept) == 20
    greedy, random, *_ = rows_of(played)
    assert greedy["win"] > 0.9
    assert random["win"] < 0.1


def test_deterministic_agents_play_each_deal_once() -> None:
    played = play_field(field_of("greedy", "greedy"), deal_seeds(0, 20))
    rows = rows_of(played)
    assert [(row["games"], row["draw"], row["share"]) for row in rows] == [(1, 1, 0.5)] * 3
    for row in rows:  # the only game there is: nothing is sampled
        assert row["complete"]
        for name in ("win", "share", "score"):
            assert row[f"{name}_low"] == row[name] == row[f"{name}_high"]
    assert len(play_field(field_of("noisy", "noisy"), deal_seeds(0, 20)).kept) == 20


def test_another_agent_can_be_put_in_the_place_of_one() -> None:
    asked: list[int] = []

    class Watched(GreedyAgent):
        def act(self, decisions: Decisions) -> np.ndarray:
            asked.append(len(decisions))
            return super().act(decisions)

    def make(name: str) -> Agent:
        return Watched() if name == "greedy" else make_agent(name)

    field, seeds = field_of("greedy", "random"), deal_seeds(0, 5)
    played = play_field(field, seeds, make=make)
    chairs = played.chairs("greedy")
    decisions = sum(table["decisions"][:, own].sum() for table, own in zip(played.tables, chairs, strict=True))
    assert sum(asked) == decisions
