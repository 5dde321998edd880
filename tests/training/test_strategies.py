"""`python -m training strategies`, with few games."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import make_agent
from riftvalley_env.board import load_board
from riftvalley_env.game import make_game
from training.__main__ import main
from training.choices import Counting
from training.fields import Field
from training.games import entry_of
from training.match import deal_seeds, play_games
from training.strategies import Args, board_rows, fields_of
from training.tables import fairness, fairness_sentence, interval, starting_table


def run_json(folder: Path, *arguments: str) -> list[dict[str, Any]]:
    file = folder / "run.json"
    assert main(["strategies", *arguments, "--json", str(file)]) == 0
    rows: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))["rows"]
    return rows


def test_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plot = tmp_path / "run.png"
    arguments = ["--boards", "heron_marsh", "asymmetrical", "--players", "2", "4", "--plot", str(plot)]
    rows = run_json(tmp_path, "--agents", "random", "greedy", *arguments, "--games", "60")
    assert [(row["setting"], row["seats"], row["agent"]) for row in rows] == [
        (boards, players, agent)
        for boards, players in (("heron_marsh", 2), ("asymmetrical", 2), ("asymmetrical", 4))
        for agent in ("random", "greedy")
    ]
    for row in rows:
        assert row["deals"] == 60
        assert len(row["of_seats"]) == row["seats"]
        assert sum(seat["share"] for seat in row["of_seats"]) == pytest.approx(1, abs=1e-5)
        assert np.mean([seat["score"] for seat in row["of_seats"]]) == pytest.approx(row["score"], abs=1e-5)
        assert sum(row["points"].values()) == pytest.approx(row["score"], abs=1e-5)
        assert row["choices"] > 1
        assert row["illegal"] == 0
    random, greedy = rows[:2]
    assert (random["games"], greedy["games"]) == (60, 1)
    assert random["spread"] > 1 > greedy["spread"] == 0
    assert greedy["score"] > random["score"]
    assert 0 <= random["unfair_p"] <= 1
    assert greedy["unfair_p"] is None
    assert [len(row["of_boards"]) for row in rows] == [0, 0, 5, 5, 5, 5]
    assert plot.read_bytes().startswith(b"\x89PNG\r\n")
    printed = capsys.readouterr().out
    assert "Share of the victories of who starts with a board" in printed
    assert "tests of equal seats" in printed


def test_by_default_every_shipped_board_and_the_sets() -> None:
    fields = fields_of(Args(agents=("random",)))
    alone = ["elephant_ford", "fig_grove", "heron_marsh", "lion_rocks", "long_rift"]
    sets = [(name, players) for name in ("identical", "asymmetrical") for players in (2, 3, 4, 5)]
    assert [(field.setting, field.game.seats) for field in fields] == [*((name, 2) for name in alone), *sets]


def test_a_board_file_and_another_agent(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text(load_board("fig_grove").to_text(), encoding="utf-8")
    mine = run_json(tmp_path, "--boards", str(file), "--agents", "noisy:0.5", "--players", "3", "--games", "10")
    shipped = run_json(tmp_path, "--boards", "fig_grove", "--agents", "noisy:0.5", "--players", "3", "--games", "10")
    for row in (*mine, *shipped):
        del row["games_per_s"]
        assert row.pop("setting") in ("mine", "fig_grove")
        for seat in row["of_seats"]:
            del seat["games_per_s"], seat["setting"]
    assert mine == shipped
    assert mine[0]["seats"] == 3


@pytest.mark.parametrize("players", [2, 3])
def test_choices_of_the_first_turn(players: int) -> None:
    game = make_game(boards="identical", num_players=players, max_turns=1)
    agent = Counting(make_agent("random"))
    play_games(game, [agent] * players, deal_seeds(0, 4))
    # In the first turn a Stop can be drawn on each empty square that no animal is next to.
    state = game.new_states(1)
    game.kernels.reset(state[0], game.data[0])
    mask = np.zeros(game.num_actions, np.uint8)
    game.kernels.legal(state[0], game.data[0], 0, mask)
    assert (agent.turns == 1).all()
    assert (agent.choices == mask.sum()).all()
    assert agent.mean(np.array([0, 2]), players) == mask.sum()


def test_second_decisions_of_a_turn_are_no_choices_of_their_own() -> None:
    game = make_game(boards="identical")
    agent = Counting(make_agent("greedy"))
    results = play_games(game, [agent, agent], deal_seeds(0, 1))
    turns = int(results["turns"][0])
    assert agent.turns.tolist() == [turns, turns]
    assert (results["decisions"] > turns).all()


def test_boards_by_hand() -> None:
    game = make_game(boards=["fig_grove", "long_rift", "lion_rocks"])
    field = Field(entry_of("riftvalley"), game, "three", ("x", "x"))
    table = np.zeros(2, [("result", "i1", 2), ("truncated", "?"), ("boards", "i4", 2), ("on_boards", "i4", (2, 2, 4))])
    table["boards"] = [(0, 1), (1, 0)]
    table["result"] = [(1, -1), (0, 0)]
    table["on_boards"][0] = [[(1, 2, 0, 0), (3, 0, -2, 0)], [(5, 0, 0, 0), (7, 0, 0, 0)]]
    table["on_boards"][1] = [[(0, 0, 0, 0), (0, 0, 0, 0)], [(2, 0, 0, 2), (6, 0, 0, 4)]]
    first, second, third = board_rows(field, table)
    assert (first["board"], first["games"], first["share"], first["fair"]) == ("Fig Grove", 2, 0.75, 0.5)
    assert (second["board"], second["share"]) == ("Long Rift", 0.25)
    assert first["points"] == {"areas": 3, "animals": 0.5, "stops": -0.5, "tents": 1.5}  # of four: 1, 3, 2, 6 areas
    assert first["score"] == 4.5
    assert first["own_score"] == (3 + 10) / 2
    assert (third["games"], third["share_low"], third["share_high"]) == (0, 0, 1)
    assert "score" not in third
    assert board_rows(Field(field.entry, make_game(boards="fig_grove"), "one", ("x", "x")), table) == []


def test_files_and_boards_of_one_name_stay_apart(tmp_path: Path) -> None:
    boards = [load_board("heron_marsh"), replace(load_board("fig_grove"), name="Heron Marsh")]
    paths = []
    for number, board in enumerate(boards):
        path = tmp_path / str(number) / "mine.txt"
        path.parent.mkdir()
        path.write_text(board.to_text(), encoding="utf-8")
        paths.append(str(path))
    fields = fields_of(Args(agents=("random",), boards=(*paths, "identical"), players=(2,)))
    assert [field.setting for field in fields] == [*(f"mine ({board.digest})" for board in boards), "identical"]
    pool = Field(entry_of("riftvalley"), make_game(boards=paths), "both", ("x", "x"))
    table = np.zeros(1, [("result", "i1", 2), ("truncated", "?"), ("boards", "i4", 2), ("on_boards", "i4", (2, 2, 4))])
    table["boards"] = [(0, 1)]
    assert [row["board"] for row in board_rows(pool, table)] == [f"Heron Marsh ({board.digest})" for board in boards]


def test_every_victory_is_of_a_board() -> None:
    game = make_game(boards="asymmetrical", num_players=3)
    results = play_games(game, [make_agent("random")] * 3, deal_seeds(0, 50))
    rows = board_rows(Field(entry_of("riftvalley"), game, "asymmetrical", ("random",) * 3), results)
    assert sum(row["games"] for row in rows) == 150
    assert sum(row["games"] * row["share"] for row in rows) == pytest.approx(50)


def test_findings() -> None:
    row = {"share": 0.4, "share_low": 0.35, "share_high": 0.45}
    assert fairness(row | {"fair": 0.34}) == "more"
    assert fairness(row | {"fair": 0.36}) == "–"
    assert fairness(row | {"fair": 0.46}) == "less"
    rows = [{"unfair_p": p} for p in (0.01, 0.06, None, 0.9, 0.5)]
    assert fairness_sentence(rows) == (
        "1 of 4 tests of equal seats have p below 0.05; of equal seats 0.2 would be expected to."
    )


def test_unknown_ends_are_a_dash() -> None:
    for low in (None, float("-inf")):
        assert interval({"x": 31, "x_low": low, "x_high": low}, "x", shares=False) == "31.00 [–]"
    assert interval({"x": 0.5, "x_low": 0.25, "x_high": 0.75}, "x") == "50.0 % [25.0, 75.0]"
    assert interval({"x": 0.5, "x_low": 0.5, "x_high": 0.5}, "x") == "50.0 % [exact]"


def test_sets_without_a_board_leave_its_column_empty() -> None:
    def row(*names: str) -> dict[str, Any]:
        boards = [{"board": name, "share": 0.5, "share_low": 0.0, "share_high": 1.0} for name in names]
        return {"setting": "s", "agent": "a", "seats": 2, "fair": 0.5, "of_boards": boards}

    headings, cells = starting_table([row("A", "B"), row(), row("B", "C")])
    assert headings[4:] == ["A", "B", "C"]
    shown = "50.0 % [0.0, 100.0]"
    assert [line[4:] for line in cells] == [[shown, shown, ""], ["", shown, shown]]
