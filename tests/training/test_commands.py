"""`python -m training …`, in process and with few games."""

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tyro

from riftvalley_env.board import load_board
from training.__main__ import COMMANDS, main
from training.command import line_of
from training.expert import Args as ExpertArgs

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = ["none", "discard_points", "must_outbust", "both"]
ROW_KEYS = {"agent", "opponent", "setting", "games", "win", "draw", "loss", "win_low", "win_high"}
PNG = b"\x89PNG\r\n"


def run_json(tmp_path: Path, *arguments: str) -> dict[str, Any]:
    """Run a command that must succeed; what it wrote."""
    file = tmp_path / "made" / "run.json"
    assert main([*arguments, "--json", str(file)]) == 0
    found = json.loads(file.read_text(encoding="utf-8"))
    assert set(found) == {"config", "versions", "seed", "rows"}
    assert str(tmp_path) not in file.read_text(encoding="utf-8")
    assert found["versions"]["numpy"]
    return found


def check_row(row: dict[str, Any]) -> None:
    assert row.keys() >= ROW_KEYS
    assert row["win"] + row["draw"] + row["loss"] + row["unfinished"] == pytest.approx(1, abs=1e-5)
    assert 0 <= row["win_low"] <= row["win"] <= row["win_high"] <= 1
    assert row["illegal"] == 0
    assert sum(row["endings"].values()) == pytest.approx(1, abs=1e-5)
    assert sum(row["won_by"].values()) == pytest.approx(row["win"], abs=1e-5)
    assert sum(row["points"].values()) == pytest.approx(row["score"], abs=1e-5)
    assert row["score_low"] <= row["score"] <= row["score_high"]


def test_difficulty(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plot = tmp_path / "made" / "run.png"
    arguments = ("difficulty", "--agents", "random", "rulebook", "--games", "200", "--seed", "7", "--plot", str(plot))
    run = run_json(tmp_path, *arguments)
    assert [(row["agent"], row["setting"]) for row in run["rows"]] == [
        (agent, setting) for agent in ("random", "rulebook") for setting in SETTINGS
    ]
    for row in run["rows"]:
        check_row(row)
        assert row["games"] == 200
        assert row["opponent"] == "solo AI"
        assert (row["effect"] is None) == (row["setting"] == "none")
    first, points, *_ = run["rows"]
    assert points["effect"]["win"] == pytest.approx(points["win"] - first["win"], abs=1e-5)
    assert points["effect"]["win_low"] < points["effect"]["win"] < points["effect"]["win_high"]
    assert points["opponent_score"] > first["opponent_score"]
    assert points["score"] == first["score"]  # the same deals, and random does not look at the modifiers
    assert run["seed"] == run["config"]["seed"] == 7
    assert run["config"]["games"] == 200
    assert plot.read_bytes().startswith(PNG)
    out = capsys.readouterr().out
    assert "Paired effect of the modifiers" in out
    assert "paired Bonett-Price interval" in out


def test_evaluate_on_boards_of_ones_own(tmp_path: Path) -> None:
    files = []
    for name in ("fig_grove", "long_rift"):
        files.append(str(tmp_path / f"{name}.txt"))
        shipped = ROOT / "riftvalley_env" / "boards" / f"{name}.txt"
        (tmp_path / f"{name}.txt").write_text(shipped.read_text(encoding="utf-8"), encoding="utf-8")
    arguments = ["evaluate", "riftvalley", "--agents", "random", "--games", "10", "--boards", *files]
    run = run_json(tmp_path, *arguments)
    assert [row["setting"] for row in run["rows"]] == ["own boards"]
    assert main(["evaluate", "--boards", files[0], "--games", "1"]) == 2
    assert main([*arguments, "--settings", "identical"]) == 2


def test_a_network_is_measured_only_where_it_fits(tmp_path: Path) -> None:
    run = run_json(tmp_path, "difficulty", "--games", "4", "--deck", "death_valley")
    assert list(dict.fromkeys(row["agent"] for row in run["rows"])) == ["random", "greedy", "mcts:50"]


def test_a_run_repeats_itself(tmp_path: Path) -> None:
    arguments = ("evaluate", "--agents", "random", "--games", "100", "--settings", "both")
    one = run_json(tmp_path, *arguments, "--batch", "13")
    two = run_json(tmp_path, *arguments)
    for run in (one, two):
        for row in run["rows"]:
            del row["games_per_s"]
    assert one["rows"] == two["rows"]


def test_evaluate_solo(tmp_path: Path) -> None:
    plot = tmp_path / "run.png"
    arguments = ["evaluate", "--agents", "random", "rulebook", "--settings", "both", "none", "--games", "150"]
    run = run_json(tmp_path, *arguments, "--deck", "death_valley", "--plot", str(plot))
    assert [(row["setting"], row["agent"]) for row in run["rows"]] == [
        (setting, agent) for setting in ("both", "none") for agent in ("random", "rulebook")
    ]
    for row in run["rows"]:
        check_row(row)
    random, rulebook = run["rows"][:2]
    assert random["differences"] == []
    (difference,) = rulebook["differences"]
    assert difference["to"] == "random"
    assert difference["win"] == pytest.approx(rulebook["win"] - random["win"], abs=1e-5)
    assert plot.read_bytes().startswith(PNG)


@pytest.mark.parametrize("variant", ["base", "backseat"])
def test_evaluate_two_players_in_both_seats(tmp_path: Path, variant: str) -> None:
    arguments = ["evaluate", "--variant", variant, "--agents", "random", "--opponent", "random", "--games", "100"]
    (row,) = run_json(tmp_path, *arguments)["rows"]
    check_row(row)
    assert (row["setting"], row["opponent"], row["games"], row["deals"]) == (variant, "random", 200, 100)
    # In both seats on the same deals: all that one wins the other loses.
    assert row["win"] == pytest.approx(row["loss"], abs=0.15)
    assert len(row["win_by_seat"]) == 2


@pytest.mark.parametrize("players", [2, 5])
def test_evaluate_rift_valley(tmp_path: Path, players: int) -> None:
    arguments = ["evaluate", "riftvalley", "--agents", "random", "--players", str(players), "--games", "30"]
    run = run_json(tmp_path, *arguments)
    assert [row["setting"] for row in run["rows"]] == ["identical", "asymmetrical"]
    for row in run["rows"]:
        check_row(row)
        assert (row["seats"], row["games"], row["deals"]) == (players, 30 * players, 30)


def test_evaluate_a_field(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plot = tmp_path / "run.png"
    arguments = [
        "evaluate",
        "riftvalley",
        "--field",
        "greedy",
        "random",
        "random",
        "--games",
        "40",
        "--plot",
        str(plot),
    ]
    run = run_json(tmp_path, *arguments, "--settings", "identical")
    greedy, random, *seats = run["rows"]
    assert [(row["agent"], row["opponent"]) for row in (greedy, random)] == [("greedy", "random"), ("random", "greedy")]
    assert [(row["agent"], row["seat"]) for row in seats] == [("all", 0), ("all", 1), ("all", 2)]
    for row in run["rows"]:
        assert row.keys() >= ROW_KEYS
        assert (row["setting"], row["seats"], row["deals"], row["games"]) == ("identical", 3, 40, 120)
        assert row["win"] + row["draw"] + row["loss"] == pytest.approx(1, abs=1e-5)
        assert row["win_low"] <= row["win"] <= row["win_high"]
        assert row["share_low"] <= row["share"] <= row["share_high"]
        assert sum(row["points"].values()) == pytest.approx(row["score"], abs=1e-5)
        assert row["illegal"] == 0
    assert greedy["win"] > 0.9 > 0.1 > random["win"]
    assert sum(row["share"] for row in seats) == pytest.approx(1, abs=1e-5)
    assert greedy["share"] + 2 * random["share"] == pytest.approx(1, abs=1e-5)
    (difference,) = random["differences"]
    assert difference["to"] == "greedy"
    assert difference["win"] == pytest.approx(random["share"] - greedy["share"], abs=1e-5)
    assert run["config"]["options"]["num_players"] == 3
    board = load_board("identical")
    assert run["config"]["data"] == {"identical": [[board.name, board.digest]]}
    assert plot.read_bytes().startswith(PNG)
    assert "share of the victories of one seat: fewer with random than with greedy" in capsys.readouterr().out


def test_a_field_of_death_valley(tmp_path: Path) -> None:
    arguments = ["evaluate", "--field", "rulebook", "random", "--variant", "backseat", "--games", "50"]
    rows = run_json(tmp_path, *arguments)["rows"]
    assert [(row["agent"], row["setting"], row["games"]) for row in rows[:2]] == [
        ("rulebook", "backseat", 100),
        ("random", "backseat", 100),
    ]
    assert rows[0]["win"] == pytest.approx(rows[1]["loss"], abs=1e-5)


def test_games_that_repeat_themselves_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One rule in every command: the only game that there is counts once, and nothing is estimated."""
    setting = ["--settings", "identical", "--games", "30"]
    field = run_json(tmp_path, "evaluate", "riftvalley", "--field", "greedy", "greedy", *setting)
    assert "these are all 1 deals that there are, so nothing is estimated" in capsys.readouterr().out
    one = run_json(tmp_path, "evaluate", "riftvalley", "--agents", "greedy", "--opponent", "greedy", *setting)
    assert "these are all 1 deals that there are, so nothing is estimated" in capsys.readouterr().out
    for run, games in ((field, 1), (one, 2)):
        row = run["rows"][0]
        assert (row["deals"], row["different_deals"], row["games"], row["complete"]) == (30, 1, games, True)
        for name in ("win", "score"):
            assert row[f"{name}_low"] == row[name] == row[f"{name}_high"]
    some = run_json(
        tmp_path, "evaluate", "riftvalley", "--agents", "greedy", "random", "--opponent", "greedy",
        "--settings", "asymmetrical", "--games", "12",
    )  # fmt: skip
    greedy, random = some["rows"]
    assert greedy["different_deals"] < 12
    assert greedy["games"] == 2 * greedy["different_deals"]
    assert not greedy["complete"]
    assert greedy["win_low"] < greedy["win"] < greedy["win_high"]
    assert (random["games"], random["differences"][0]["deals"]) == (24, 12)
    assert (
        f"on 12 deals the same games came again and again, {greedy['different_deals']} differ"
        in capsys.readouterr().out
    )


def test_cheap_agents_play_more_deals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from training import difficulty

    assert difficulty.games_of("mcts:50,leaf=trained") == 1000
    assert difficulty.games_of("trained") == difficulty.games_of("network:x.npz") == 20_000
    monkeypatch.setattr(difficulty, "GAMES", 20)
    monkeypatch.setattr(difficulty, "GAMES_OF_CHEAP", 60)
    run = run_json(tmp_path, "difficulty", "--agents", "random", "mcts:2")
    assert {(row["agent"], row["games"]) for row in run["rows"]} == {("random", 60), ("mcts:2", 20)}
    first, *_, last = run["rows"]
    assert first["differences"] == []
    assert [(other["to"], other["deals"]) for other in last["differences"]] == [("random", 20)]  # those of both
    assert last["effect"]["deals"] == 20
    assert difficulty.deals_in_words({"random": 60, "mcts:2": 20}) == "60 deals, 20 of mcts:2"


def test_games_at_the_turn_limit_have_a_column_of_their_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = run_json(
        tmp_path, "evaluate", "--agents", "random", "--settings", "none", "--games", "50", "--max-turns", "9"
    )
    (row,) = run["rows"]
    assert row["unfinished"] == 0  # they are scored as they stand (R11)
    assert row["win"] + row["draw"] + row["loss"] + row["unfinished"] == pytest.approx(1, abs=1e-5)
    assert row["turn_limit"] > 0.9
    assert "turn limit" in " ".join(capsys.readouterr().out.split())


def test_a_margin_asks_for_more_than_no_difference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["evaluate", "--agents", "random", "greedy", "--settings", "none", "--games", "60"]
    run_json(tmp_path, *arguments, "--margin", "3")
    assert "; shown to be less than 3 percentage points worse" in capsys.readouterr().out
    assert main([*arguments, "--margin", "0"]) == 2
    assert "--margin 0 must be more than 0" in capsys.readouterr().err


BAD = {
    "no command": (["train_harder"], "there is no command 'train_harder'"),
    "agent": (["difficulty", "--agents", "randm"], "there is no agent 'randm'"),
    "games": (["difficulty", "--games", "0"], "--games 0 is too small"),
    "deck": (["difficulty", "--agents", "random", "--deck", "no_such_deck"], "no such file or shipped deck"),
    "turns": (["difficulty", "--agents", "random", "--max-turns", "0"], "max_turns=0 must be"),
    "setting": (["evaluate", "--settings", "hard"], "there is no setting 'hard'; choose among none, discard_points"),
    "field of nobody": (["evaluate", "--field", "random", "randm"], "there is no agent 'randm'"),
    "field and agents": (
        ["evaluate", "--field", "random", "random", "--agents", "greedy"],
        "--field names the agents of all seats: leave --agents out",
    ),
    "field and players": (
        ["evaluate", "riftvalley", "--field", "random", "random", "--players", "2"],
        "leave --players out",
    ),
    "small field": (["evaluate", "riftvalley", "--field", "random"], "num_players=1 must be"),
    "great field": (
        ["evaluate", "--field", "random", "random", "random"],
        "--field names 3 agents, but Death Valley has 2 seats",
    ),
    "field in solo": (["evaluate", "--field", "random", "random", "--settings", "none"], "--settings are the solo"),
    "board": (["strategies", "--boards", "no_such_board"], "no_such_board"),
    "strategist": (["strategies", "--agents", "nobody"], "there is no agent 'nobody'"),
    "crowd": (["strategies", "--players", "7"], "num_players=7 must be"),
    "nobody": (["strategies", "--players"], "--players 0 is too small"),
    "variant alone": (["evaluate", "--variant", "base"], "name the other with --opponent"),
    "both kinds": (["evaluate", "--opponent", "random", "--settings", "none"], "--settings are the solo game's"),
    "opponent": (["evaluate", "--opponent", "nobody"], "there is no agent 'nobody'"),
    "other game's": (["evaluate", "riftvalley", "--deck", "death_valley"], "--deck is no option of Rift Valley"),
    "variant of it": (["evaluate", "riftvalley", "--variant", "base"], "--variant is no option of Rift Valley"),
    "players": (["evaluate", "--players", "3"], "--players is no option of Death Valley"),
    "many": (["evaluate", "riftvalley", "--agents", "random", "--players", "9"], "num_players=9 must be"),
    "its agent": (["evaluate", "riftvalley", "--agents", "rulebook"], "cannot play 'riftvalley'"),
    "layer": (["speed", "--layers", "warp"], "there is no layer 'warp'"),
    "folder": (["difficulty", "--agents", "random", "--json", "."], ". is a folder; name a file in it"),
    "no folder": (["evaluate", "--plot", "/dev/null/x.png"], "/dev/null"),
    "seconds": (["speed", "--seconds", "0"], "--seconds 0 must be more than 0"),
    "peers": (["speed", "--peers", "python3"], "--peers and --peers-script go together"),
    "script": (["speed", "--peers", "python3", "--peers-script", "none.py"], "there is no script none.py"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_line_and_code_2(case: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, text = BAD[case]
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert text in error
    lines = [line for line in error.splitlines() if not line.startswith("valley: compiling")]
    assert len(lines) == 1
    assert lines[0].startswith("error: ")


def test_words_the_parser_does_not_know_are_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "--gmaes", "3"]) == 2
    assert main(["evaluate", "chess"]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_illegal_actions_make_the_run_fail(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from agents.random import RandomAgent

    act = RandomAgent.act
    monkeypatch.setattr(RandomAgent, "act", lambda self, decisions: act(self, decisions) + 100)
    assert main(["evaluate", "--agents", "random", "--settings", "none", "--games", "3"]) == 1
    shown = capsys.readouterr()
    assert "error: action 10" in shown.err
    assert "of agent 'random' in deathvalley, the game of deal seed " in shown.err
    assert shown.out == ""


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    assert f"python -m training {command}" in capsys.readouterr().out


def test_help_is_fast_because_it_imports_little() -> None:
    code = (
        "import sys; from training.__main__ import main; main(['difficulty', '--help']); "
        "print([name for name in ('numba', 'scipy', 'matplotlib', 'torch') if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_usage_lists_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert main(["--help"]) == 0
    printed = capsys.readouterr().out
    assert all(command in printed for command in COMMANDS)


@pytest.mark.parametrize(
    "args",
    [
        ExpertArgs("riftvalley", setting="asymmetrical", players=4, residual=True, hidden=(80, 128), tilt=0.0),
        ExpertArgs(start=Path("net.npz"), setting="both", deck="death_valley", learning_rate=3e-4, quiet=True),
    ],
)
def test_a_command_that_is_written_down_can_be_typed_again(args: ExpertArgs) -> None:
    line = line_of("expert", args, ())
    assert line.startswith(f"python -m training expert {args.game}")
    again = tyro.cli(ExpertArgs, args=shlex.split(line)[4:], config=(tyro.conf.FlagCreatePairsOff,))
    assert again == args
