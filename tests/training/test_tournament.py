"""`python -m training tournament`: its results, and that killing it changes none."""

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.base import Agent, _Registry
from agents.greedy import GreedyAgent
from deathvalley_env.game import make_game
from training.__main__ import main
from training.cells import Plan, play, row_of
from training.games import GAMES, entry_of
from training.seeds import Purpose, deal_seeds
from training.tournament_store import FILE
from valley_core.decisions import Decisions
from valley_core.game import Game

ROOT = Path(__file__).resolve().parents[2]
PNG = b"\x89PNG\r\n"
SMALL = ("--quiet",)
KEYS = {"agent", "rating", "rating_low", "rating_high", "games", "turn_limit", "differences"}


class First(Agent):
    """Greedy in its first decision of a game, then the least legal action: another agent without chance."""

    name = "first"
    deterministic = True

    def start(self, game: Game, seeds: np.ndarray) -> None:
        self._greedy = GreedyAgent()
        self._greedy.start(game, seeds)

    def act(self, decisions: Decisions) -> np.ndarray:
        opening = decisions.states["turn"] == 0
        return np.where(opening, self._greedy.act(decisions), decisions.masks.argmax(1))


def run_json(tmp_path: Path, *arguments: str) -> dict[str, Any]:
    """Run a tournament that must succeed; what it wrote."""
    file = tmp_path / "run.json"
    assert main(["tournament", *arguments, *SMALL, "--json", str(file)]) == 0
    return json.loads(file.read_text(encoding="utf-8"))


def test_death_valley(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plot = tmp_path / "made" / "run.png"
    agents = ("--agents", "random", "rulebook", "greedy", "--deals", "60", "--round", "25")
    run = run_json(tmp_path, *agents, "--plot", str(plot))
    assert set(run) == {"config", "versions", "seed", "rows"}
    assert run["config"]["anchor"] == "greedy"
    assert (run["config"]["unfinished"], run["config"]["complete"]) == (0, False)
    assert run["config"]["deals_played"] == 60
    assert run["config"]["games_played"] == run["config"]["games_counted"] == 60 * 3 * 2
    assert plot.read_bytes().startswith(PNG)
    rows = run["rows"]
    assert [row["agent"] for row in rows] == ["greedy", "rulebook", "random"]
    assert rows[0]["rating"] == rows[0]["rating_low"] == rows[0]["rating_high"] == 0
    assert [row["kind"] for row in rows] == ["anchor", "profile", "profile"]
    for row in rows:
        assert row.keys() >= KEYS
        assert row is rows[0] or row["rating_low"] < row["rating"] < row["rating_high"] < 0
        assert row["turn_limit"] == 0
        for other in row["differences"]:
            (there,) = (one for one in rows if one["agent"] == other["to"])
            assert other["rating"] == pytest.approx(row["rating"] - there["rating"], abs=1e-4)
            assert other["rating_low"] < other["rating"] < other["rating_high"]
        assert row["games"] == 60 * 2 * 2
        assert row["illegal"] == 0
        for name, counts in row["against"].items():
            assert sum(counts.values()) == 60 * 2
            (other,) = (other for other in rows if other["agent"] == name)
            back = other["against"][row["agent"]]
            assert (counts["ahead"], counts["drawn"]) == (back["behind"], back["drawn"])
        points = sum(counts["ahead"] + counts["drawn"] / 2 for counts in row["against"].values())
        assert row["score"] == pytest.approx(points / 240, abs=1e-5)
    assert "Ahead of, and drawn with" in capsys.readouterr().out


def test_the_counts_are_those_of_a_comparison_on_the_same_deals(tmp_path: Path) -> None:
    (row, _) = run_json(tmp_path, "--agents", "random", "rulebook", "--deals", "80", "--setting", "backseat")["rows"]
    game = make_game(variant="backseat")
    plan = Plan(entry_of("deathvalley"), game, "backseat", row["agent"], next(iter(row["against"])))
    other = row_of(play(plan, deal_seeds(0, 80, Purpose.TOURNAMENT)))
    counts = next(iter(row["against"].values()))
    assert other["games"] == row["games"] == 160
    assert other["win"] == pytest.approx(counts["ahead"] / 160, abs=1e-5)
    assert other["draw"] == pytest.approx(counts["drawn"] / 160, abs=1e-5)


@pytest.fixture
def truncated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Games of Death Valley that reach the turn limit have no winner."""
    monkeypatch.setitem(GAMES["deathvalley"].settings, "base", {"variant": "base", "turn_limit": "truncate"})


def test_a_tournament_without_any_result_says_nothing(tmp_path: Path, truncated: None) -> None:
    arguments = ("--agents", "random", "rulebook", "--deals", "5", "--max-turns", "2")
    for row in run_json(tmp_path, *arguments, "--plot", str(tmp_path / "a.png"))["rows"]:
        assert (row["score"], row["turn_limit"], row["games"]) == (None, 1, 10)
        assert row["kind"] == "anchor" or (row["rating_low"], row["rating_high"]) == (None, None)


@pytest.mark.parametrize(("players", "setting"), [(2, "identical"), (3, "asymmetrical"), (5, "identical")])
def test_rift_valley(tmp_path: Path, players: int, setting: str) -> None:
    arguments = ("riftvalley", "--players", str(players), "--setting", setting, "--deals", "6")
    run = run_json(tmp_path, *arguments, "--agents", "random", "greedy")
    assert [row["agent"] for row in run["rows"]] == ["greedy", "random"]
    assert run["config"]["options"]["num_players"] == players
    first, second = (
        sum(row["against"][name].values()) for row, name in zip(run["rows"], ("random", "greedy"), strict=True)
    )
    assert first == second > 0
    assert {row["games"] for row in run["rows"]} == {run["config"]["games_played"]}


def test_another_anchor_moves_all_ratings_alike(tmp_path: Path) -> None:
    arguments = ("--agents", "random", "rulebook", "--deals", "40")
    first = {row["agent"]: row for row in run_json(tmp_path, *arguments)["rows"]}
    second = {row["agent"]: row for row in run_json(tmp_path, *arguments, "--anchor", "rulebook")["rows"]}
    assert first["random"]["rating"] == second["rulebook"]["rating"] == 0  # without greedy, the first one
    assert second["random"]["rating"] == pytest.approx(-first["rulebook"]["rating"])
    assert second["random"]["rating_low"] == pytest.approx(-first["rulebook"]["rating_high"])


def test_games_that_repeat_themselves_count_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two agents without chance have as many games as there are deals: 20 ways to deal two of five boards."""
    setting = ("riftvalley", "--setting", "asymmetrical", "--agents", "greedy", "first")
    monkeypatch.setitem(_Registry.factories, "first", lambda _: First())
    run = run_json(tmp_path, *setting, "--deals", "200", "--round", "50")
    config = run["config"]
    assert (config["games_played"], config["games_counted"], config["complete"]) == (400, 40, True)
    for row in run["rows"]:
        assert row["rating_low"] == row["rating"] == row["rating_high"]
        assert (row["games"], sum(next(iter(row["against"].values())).values())) == (40, 40)
    out = capsys.readouterr().out
    assert "these are all 40 games that there are" in out
    assert "repeated others: each counts once" in out
    short = run_json(tmp_path, *setting, "--deals", "5000", "--round", "50", "--settle")["config"]
    assert short["games_counted"] <= 40  # no more is known after 5,000 deals
    assert short["deals_played"] < 5000
    mixed = run_json(tmp_path, *setting, "random", "--deals", "60")
    assert not mixed["config"]["complete"]
    counts = {row["agent"]: row["against"] for row in mixed["rows"]}
    assert sum(counts["greedy"]["first"].values()) <= 40
    assert sum(counts["greedy"]["random"].values()) == 120


def test_games_without_a_result_are_not_rated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], truncated: None
) -> None:
    arguments = ("--agents", "random", "rulebook", "--deals", "40", "--max-turns", "24")
    run = run_json(tmp_path, *arguments)
    config, rows = run["config"], run["rows"]
    compared = [sum(next(iter(row["against"].values())).values()) for row in rows]
    assert 0 < config["unfinished"] < 80
    assert compared == [80 - config["unfinished"]] * 2
    assert [row["games"] for row in rows] == [80, 80]
    assert [row["turn_limit"] for row in rows] == pytest.approx([config["unfinished"] / 80] * 2, abs=1e-5)
    assert f"{config['unfinished']} games ended at the turn limit without a winner" in capsys.readouterr().out


def test_batch_size_and_rounds_change_no_result(tmp_path: Path) -> None:
    agents = ("--agents", "random", "rulebook", "--deals", "30")
    rows = run_json(tmp_path, *agents)["rows"]
    assert run_json(tmp_path, *agents, "--batch", "7")["rows"] == rows
    for row, other in zip(run_json(tmp_path, *agents, "--round", "7")["rows"], rows, strict=True):
        assert row == other


def test_settle_stops_early(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--deals", "400", "--round", "20", "--settle", "--agents", "random", "rulebook")
    config = run_json(tmp_path, *arguments)["config"]
    assert config["settled"]
    assert 20 <= config["deals_played"] < 400
    assert "the order is settled after" in capsys.readouterr().out
    config = run_json(tmp_path, *arguments, "--deals", "5")["config"]
    assert not config["settled"]
    assert "no difference shown between" in capsys.readouterr().out


def test_a_settled_run_goes_on_without_settle(tmp_path: Path) -> None:
    arguments = ("--deals", "200", "--round", "50", "--agents", "random", "rulebook")
    whole = run_json(tmp_path, *arguments)
    short = run_json(tmp_path, *arguments, "--settle", "--store", str(tmp_path / "run"))
    assert short["config"]["deals_played"] < 200
    assert run_json(tmp_path, *arguments, "--store", str(tmp_path / "run"))["rows"] == whole["rows"]


def test_stored_games_are_not_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from training import tournament_lineups

    arguments = ("--deals", "30", "--round", "10", "--agents", "random", "rulebook", "--store", str(tmp_path / "run"))
    rows = run_json(tmp_path, *arguments)["rows"]
    lines = (tmp_path / "run" / FILE).read_bytes().splitlines(keepends=True)
    (tmp_path / "run" / FILE).write_bytes(b"".join(lines[:2] + lines[3:])[:-4])  # the first block is left
    played = []
    play_block = tournament_lineups.play_block
    monkeypatch.setattr(tournament_lineups, "play_block", lambda *args: played.append(args[4]) or play_block(*args))
    assert run_json(tmp_path, *arguments)["rows"] == rows
    assert [len(seeds) for seeds in played] == [10, 10]


def lines_of(file: Path) -> int:
    return file.read_bytes().count(b"\n") if file.exists() else 0


def test_a_tournament_killed_three_times_ends_as_an_unbroken_one(tmp_path: Path) -> None:
    arguments = ("--agents", "random", "rulebook", "--deals", "600", "--round", "4")
    folder = tmp_path / "run"
    chance = random.Random()
    command = [sys.executable, "-m", "training", "tournament", *arguments, *SMALL, "--store", str(folder)]
    for _ in range(3):
        before, more = lines_of(folder / FILE), chance.randint(1, 20)
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
        while lines_of(folder / FILE) <= before + more and process.poll() is None:
            time.sleep(0.002)
        process.kill()
        assert process.wait() == -signal.SIGKILL
    assert 4 < lines_of(folder / FILE) < 150
    whole = run_json(tmp_path, *arguments)
    resumed = run_json(tmp_path, *arguments, "--store", str(folder))
    assert resumed["rows"] == whole["rows"]
    assert resumed["config"] == whole["config"]
    assert resumed["config"]["games_played"] == 1200


BAD = {
    "agent": (["--agents", "random", "nobody"], "there is no agent 'nobody'"),
    "one agent": (["--agents", "random", "random"], "two different agents, but --agents names 1"),
    "no agent": (["--agents"], "two different agents, but --agents names 0"),
    "deals": (["--deals", "0"], "--deals 0 is too small"),
    "round": (["--round", "0"], "--round 0 is too small"),
    "anchor": (["--anchor", "mcts:5"], "--anchor mcts:5 does not play; choose among random, greedy"),
    "great seed": (["--seed", "99999999"], "--seed 99,999,999 is too large"),
    "batch": (["--batch", "0"], "--batch 0 is too small"),
    "seed": (["--seed", "-1"], "--seed -1 is too small"),
    "setting": (["--setting", "solo"], "there is no setting 'solo'; choose among base, backseat"),
    "players": (["--players", "3"], "--players is no option of Death Valley"),
    "many": (["riftvalley", "--players", "6"], "num_players=6 must be"),
    "deck": (["--deck", "none"], "no such file or shipped deck"),
    "its agent": (["riftvalley", "--agents", "random", "rulebook"], "cannot play 'riftvalley'"),
    "file": (["--json", "."], ". is a folder; name a file in it"),
    "no folder": (["--deals", "2", "--store", "/dev/null/run"], "/dev/null"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_line_and_code_2(case: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, text = BAD[case]
    assert main(["tournament", *arguments]) == 2
    lines = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("valley: compiling")]
    assert len(lines) == 1
    assert lines[0].startswith("error: ")
    assert text in lines[0]


def test_the_folder_of_another_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--agents", "random", "rulebook", "--deals", "10", "--store", str(tmp_path / "run")]
    run_json(tmp_path, *arguments)
    before = (tmp_path / "run" / FILE).read_bytes()
    capsys.readouterr()
    assert main(["tournament", *arguments, "--seed", "3"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "holds another run (seed 0 there, 3 here); name another --store" in error
    assert (tmp_path / "run" / FILE).read_bytes() == before


def test_illegal_actions_make_the_run_fail(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from agents.random import RandomAgent

    act = RandomAgent.act
    monkeypatch.setattr(RandomAgent, "act", lambda self, decisions: act(self, decisions) + 100)
    assert main(["tournament", "--agents", "random", "rulebook", "--deals", "3", *SMALL]) == 1
    assert "of agent 'random' in deathvalley, the game of deal seed " in capsys.readouterr().err
