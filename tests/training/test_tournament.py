"""`python -m training tournament`: its results, and that killing it changes none."""

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from training.__main__ import main
from training.tournament_store import FILE

ROOT = Path(__file__).resolve().parents[2]
PNG = b"\x89PNG\r\n"
SMALL = ("--resamples", "50", "--quiet")
KEYS = {"agent", "rating", "rating_low", "rating_high", "games"}


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
    assert run["versions"]["openskill"]
    assert run["config"]["deals_played"] == 60
    assert run["config"]["games_played"] == 60 * 3 * 2
    assert plot.read_bytes().startswith(PNG)
    rows = run["rows"]
    assert [row["agent"] for row in rows] == ["greedy", "rulebook", "random"]
    assert sum(row["rating"] for row in rows) == pytest.approx(0, abs=1e-4)
    for row in rows:
        assert row.keys() >= KEYS
        assert row["rating_low"] < row["rating"] < row["rating_high"]
        assert row["games"] == 60 * 2 * 2
        assert row["illegal"] == 0
        for name, counts in row["against"].items():
            assert sum(counts.values()) == 60 * 2
            (other,) = (other for other in rows if other["agent"] == name)
            back = other["against"][row["agent"]]
            assert (counts["ahead"], counts["drawn"]) == (back["behind"], back["drawn"])
        points = sum(counts["ahead"] + counts["drawn"] / 2 for counts in row["against"].values())
        assert row["score"] == pytest.approx(points / 240, abs=1e-5)
    assert rows[0]["openskill"] > rows[1]["openskill"] > rows[2]["openskill"]
    assert "Ahead of, and drawn with" in capsys.readouterr().out


def test_the_counts_are_those_of_evaluate(tmp_path: Path) -> None:
    (row, _) = run_json(tmp_path, "--agents", "random", "rulebook", "--deals", "80", "--setting", "backseat")["rows"]
    file = tmp_path / "evaluate.json"
    arguments = ["--variant", "backseat", "--agents", row["agent"], "--opponent", *row["against"], "--games", "80"]
    assert main(["evaluate", *arguments, "--json", str(file)]) == 0
    (other,) = json.loads(file.read_text(encoding="utf-8"))["rows"]
    counts = next(iter(row["against"].values()))
    assert other["games"] == row["games"] == 160
    assert other["win"] == pytest.approx(counts["ahead"] / 160, abs=1e-5)
    assert other["draw"] == pytest.approx(counts["drawn"] / 160, abs=1e-5)


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
        before = lines_of(folder / FILE)
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
        while lines_of(folder / FILE) <= before + 1 and process.poll() is None:
            time.sleep(0.002)
        time.sleep(chance.uniform(0, 0.1))
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
    "resamples": (["--resamples", "0"], "--resamples 0 is too small"),
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
