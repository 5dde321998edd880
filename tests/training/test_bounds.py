"""`python -m training bounds`: the bracket of the best possible win rate."""

import json
from pathlib import Path

import pytest

from deathvalley_env.game import make_game
from training.__main__ import main
from training.bounds import DEFAULT_AGENTS, NETWORK_AGENTS, bracket, clairvoyants, default_agents
from training.statistics import wilson

SEERS = clairvoyants(100)


def row(agent: str, setting: str, won: int, games: int = 100) -> dict[str, object]:
    return {"agent": agent, "setting": setting, "games": games, **wilson(won, games).columns("win")}


def test_by_default_the_shipped_network_plays_if_there_is_one() -> None:
    assert default_agents(make_game(solo=True)) == (*DEFAULT_AGENTS, *NETWORK_AGENTS)
    assert default_agents(make_game(solo=True, deck="death_valley")) == DEFAULT_AGENTS


def test_a_clairvoyant_search_below_the_best_is_no_bound_and_no_candidate() -> None:
    rows = [row("greedy", "both", 97), row(SEERS[0], "both", 99), row(SEERS[1], "both", 92)]
    found = bracket(rows, "both", SEERS)
    assert (found["agent"], found["best"], found["high_win"], found["of"]) == ("greedy", 0.97, 0.92, 1)


def test_the_best_agent_is_named_with_an_interval_for_the_choice() -> None:
    rows = [row("greedy", "both", 54), row("mcts:200", "both", 82), row("mcts:200", "none", 99)]
    rows += [row(SEERS[0], "both", 95), row(SEERS[1], "both", 98)]
    found = bracket(rows, "both", SEERS)
    assert found["agent"] == "mcts:200"
    assert (found["best"], found["of"]) == (0.82, 2)
    one = wilson(82, 100, 0.975)  # the best of two: each at half of 5 %
    assert (found["best_low"], found["best_high"]) == (one.low, one.high)
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
    assert found["best"] < found["high_win"]
    assert plot.stat().st_size > 10_000
    assert "The best measured; clairvoyant search is no bound" in capsys.readouterr().out


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
