"""`python -m training bounds`: the bracket of the best possible win rate."""

import json
from pathlib import Path

import pytest

from training.__main__ import main
from training.bounds import bracket, clairvoyants
from training.statistics import wilson

SEERS = clairvoyants(100)


def row(agent: str, setting: str, won: int, games: int = 100) -> dict[str, object]:
    return {"agent": agent, "setting": setting, "games": games, **wilson(won, games).columns("win")}


def test_the_best_agent_is_below_and_the_clairvoyant_above() -> None:
    rows = [row("greedy", "both", 54), row("mcts:200", "both", 82), row("mcts:200", "none", 99)]
    rows += [row(SEERS[0], "both", 95), row(SEERS[1], "both", 98)]
    found = bracket(rows, "both", SEERS)
    assert found["agent"] == "mcts:200"
    assert found["low"] == 0.82
    one = wilson(82, 100, 0.975)  # the best of two: each at half of 5 %
    assert (found["low_low"], found["low_high"]) == (one.low, one.high)
    assert (found["few_win"], found["high_win"]) == (0.95, 0.98)


def test_a_tenth_of_the_search_is_at_least_one_simulation() -> None:
    assert clairvoyants(5) == ("mcts:1,open_cards=1", "mcts:5,open_cards=1")


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, plot = tmp_path / "bounds.json", tmp_path / "bounds.png"
    arguments = ["bounds", "--agents", "random", "greedy", "--simulations", "20", "--games", "40", "--settings", "both"]
    assert main([*arguments, "--json", str(file), "--plot", str(plot), "--quiet"]) == 0
    rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
    (found,) = [one for one in rows if one.get("layer") == "bracket"]
    assert found["agent"] == "greedy"
    assert found["low"] < found["high_win"]
    assert plot.stat().st_size > 10_000
    assert "Bracket of the best possible win rate" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--settings", "easy"], "there is no setting 'easy'"),
        (["--simulations", "0"], "--simulations 0 is too small"),
        (["--agents", "clever"], "there is no agent 'clever'"),
    ],
)
def test_wrong_arguments(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bounds", "--games", "1", *arguments]) == 2
    assert message in capsys.readouterr().err
