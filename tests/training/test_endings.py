"""How commands end: results are written first, and no console, pipe, disk, key or bot makes a traceback."""

import errno
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
import rich.console

from agents import Agent, register_agent
from agents.base import _Registry
from training import exact, expert, match, ppo, speed, throughput, train
from training.__main__ import COMMANDS, main
from training.match import deal_seeds, play_games
from valley_core.decisions import Decisions
from valley_core.errors import IllegalActionError
from valley_core.game import Game

ROOT = Path(__file__).resolve().parents[2]

FEW = ["--games", "2", "--quiet"]
MEASURING = {
    "evaluate": ["evaluate", "--agents", "random", "greedy", "--settings", "none", *FEW],
    "opponent": ["evaluate", "--variant", "base", "--agents", "random", "--opponent", "greedy", *FEW],
    "field": ["evaluate", "--field", "random", "greedy", *FEW],
    "difficulty": ["difficulty", "--agents", "random", *FEW],
    "bounds": ["bounds", "--agents", "random", "--simulations", "2", "--settings", "none", *FEW],
    "strategies": ["strategies", "--agents", "random", "--boards", "identical", "--players", "2", *FEW],
    "tournament": ["tournament", "--agents", "random", "greedy", "--deals", "2", "--quiet"],
    "exact": ["exact", "--agent", "random", "--decks", "highs_and_lows", "--settings", "none", "--cards", "2",
              "--positions", "1", "--budget", "1000", "--quiet"],
    "speed": ["speed", "--layers", "kernel", "--batches", "1", "--seconds", "0.001", "--runs", "1", "--quiet"],
    "throughput": ["throughput", "--ways", "pettingzoo", "--envs", "2", "--workers", "2", "--decisions", "4",
                   "--seconds", "0.001", "--quiet"],
}  # fmt: skip
"""Commands that write --json, each with little to do."""
PLOTTING = ("evaluate", "opponent", "field", "difficulty", "bounds", "strategies", "tournament")
QUICK = ["--envs", "8", "--rollout", "8", "--minibatch", "64", "--epochs", "1", "--hidden", "8", "--test-games", "2"]
TRAIN = ["train", "--setting", "none", "--steps", "128", "--test-every", "64", "--quiet", *QUICK]
EXPERT = ["expert", "--setting", "none", "--iterations", "2", "--games", "2", "--simulations", "2", "--evaluate", "2",
          "--hidden", "8", "--epochs", "1", "--minibatch", "8", "--quiet"]  # fmt: skip


def lines_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("valley: compiling")]


# --- Results are written before they are shown, and whole -------------------------------------------------------------


def stopped(*_: object, **__: object) -> NoReturn:
    raise AssertionError("nothing was to be played")


@pytest.mark.parametrize("name", MEASURING)
def test_results_are_written_before_they_are_shown(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As in ``… --json t.json | true``, whose reader is gone before anything is printed."""

    def gone(self: Any, *_: object, **__: object) -> NoReturn:
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    files = ["--json", str(tmp_path / "t.json")]
    files += ["--plot", str(tmp_path / "t.png")] if name in PLOTTING else []
    monkeypatch.setattr(rich.console.Console, "print", gone)
    assert main([*MEASURING[name], *files]) == 141
    assert json.loads((tmp_path / "t.json").read_text(encoding="utf-8"))["rows"]
    assert lines_of(capsys.readouterr().err) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.json", "t.png"][: len(files) // 2]


@pytest.mark.parametrize("name", PLOTTING)
def test_a_full_disk_keeps_the_old_files_and_still_shows_the_results(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(_: int) -> NoReturn:
        raise OSError(errno.ENOSPC, "No space left on device")

    file, plot = tmp_path / "t.json", tmp_path / "t.png"
    file.write_bytes(b"good")
    plot.write_bytes(b"good")
    monkeypatch.setattr(os, "fsync", full)
    assert main([*MEASURING[name], "--json", str(file), "--plot", str(plot)]) == 2
    shown = capsys.readouterr()
    errors = lines_of(shown.err)
    assert len(errors) == 2
    assert all(error.startswith("error: ") and "the old file is kept" in error for error in errors)
    assert "random" in shown.out
    assert file.read_bytes() == plot.read_bytes() == b"good"
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("name", [*MEASURING, "curves"])
def test_what_cannot_be_written_is_refused_before_anything_is_played(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module, attribute in ((match, "_play_chunk"), (exact, "positions_of"), (speed, "measured")):
        monkeypatch.setattr(module, attribute, stopped)
    monkeypatch.setattr(throughput, "measure", stopped)
    monkeypatch.setattr(train, "learn", stopped)
    command = MEASURING.get(name, ["curves"])
    (tmp_path / "file").write_bytes(b"in the way")
    where = tmp_path / "file" / "x"
    for option in ["--json", "--plot"] if name in (*PLOTTING, "curves") else ["--json"]:
        assert main([*command, option, str(where)]) == 2
        (error,) = lines_of(capsys.readouterr().err)
        assert error.startswith("error: ")
        assert "file" in error
    if name in (*PLOTTING, "curves"):
        same = str(tmp_path / "same")
        assert main([*command, "--json", same, "--plot", same]) == 2
        assert "is named twice" in capsys.readouterr().err


# --- Consoles ---------------------------------------------------------------------------------------------------------

SCRIPT = """
import sys
from training.__main__ import main
from deathvalley_env.__main__ import main as decks
from riftvalley_env.__main__ import main as boards

print(sys.stdout.encoding, file=sys.stderr)
for arguments in {arguments!r}:
    assert main(arguments) == 0, arguments
for command in {helped!r}:
    assert main([command, "--help"]) == 0, command
for deck in ("highs_and_lows", "death_valley"):
    assert decks(["deck", "show", deck]) == 0
for words in (["template"], ["report"], ["check", "death_valley"]):
    assert decks(["deck", *words]) == 0
for words in (["show", "fig_grove"], ["template"], ["generate", "--seed", "1"], ["check", "fig_grove"]):
    assert boards(["board", *words]) == 0
assert decks(["deck", "check", "★−.toml"]) == 1
assert boards(["board", "check", "★−.txt"]) == 1
assert main(["evaluate", "--agents", "★−"]) == 2
"""


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1"])
def test_every_command_prints_in_any_encoding(encoding: str, tmp_path: Path) -> None:
    arguments, helped = [MEASURING["evaluate"]], ["evaluate"]
    if encoding == "ascii":  # the least of all: whatever it prints, the others print
        arguments, helped = list(MEASURING.values()), list(COMMANDS)
        arguments += [[*TRAIN, "--run", str(tmp_path / "run")], [*EXPERT, "--folder", str(tmp_path / "expert")]]
    environment = os.environ | {"PYTHONIOENCODING": encoding, "PYTHONPATH": str(ROOT)}
    script = SCRIPT.format(arguments=arguments, helped=helped)
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=environment, capture_output=True, check=False
    )
    errors = done.stderr.decode(encoding)
    assert done.returncode == 0, errors
    assert "Traceback" not in errors
    text = done.stdout.decode(encoding)
    assert "no difference shown" in text or "more with" in text
    assert "[95 %]" in text


# --- Ctrl-C -----------------------------------------------------------------------------------------------------------


def interrupt(*_: object, **__: object) -> NoReturn:
    raise KeyboardInterrupt


@pytest.mark.parametrize("name", MEASURING)
def test_ctrl_c_is_one_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module, attribute in ((match, "_play_chunk"), (exact, "row_of"), (speed, "measured")):
        monkeypatch.setattr(module, attribute, interrupt)
    monkeypatch.setattr(throughput, "measure", interrupt)
    assert main([*MEASURING[name], "--json", str(tmp_path / "t.json")]) == 130
    (line,) = lines_of(capsys.readouterr().err)
    assert line.startswith("interrupted")
    assert not list(tmp_path.iterdir())


def test_ctrl_c_says_what_a_training_keeps_and_how_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    turn = ppo.Training.turn

    def turns(self: ppo.Training) -> None:
        if self.steps >= 64:
            interrupt()
        turn(self)

    with monkeypatch.context() as patch:
        patch.setattr(ppo.Training, "turn", turns)
        assert main(TRAIN) == 130
    (line,) = lines_of(capsys.readouterr().err)
    said = "interrupted; 64 of 64 decisions are kept; go on with: python -m training train --resume "
    assert line == f"{said}runs/deathvalley_none_0"
    assert main([*line.partition("training ")[2].split(), "--quiet"]) == 0
    assert "128 decisions" in capsys.readouterr().out


def test_ctrl_c_says_what_expert_iteration_keeps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [*EXPERT, "--folder", str(tmp_path)]
    with monkeypatch.context() as patch:
        patch.setattr(expert, "fit", interrupt)
        assert main(command) == 130
    (line,) = lines_of(capsys.readouterr().err)
    assert line == f"interrupted; 0 of 2 iterations are kept in {tmp_path}: the same command goes on from there"
    assert main(command) == 0


def test_ctrl_c_says_what_a_tournament_keeps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from training import tournament_lineups

    played = iter(range(100))
    block = tournament_lineups.play_block

    def blocks(*arguments: Any) -> Any:
        if next(played) == 2:
            interrupt()
        return block(*arguments)

    monkeypatch.setattr(tournament_lineups, "play_block", blocks)
    command = [*MEASURING["tournament"], "--deals", "4", "--round", "1"]
    assert main([*command, "--store", str(tmp_path)]) == 130
    (line,) = lines_of(capsys.readouterr().err)
    assert line == f"interrupted; 2 finished blocks are kept in {tmp_path}: the same command goes on from there"
    assert main([*command, "--store", str(tmp_path)]) == 0
    played = iter((0, 1, 2))
    assert main(command) == 130
    assert "no games are kept: --store FOLDER would keep them" in capsys.readouterr().err


COMPILING = """
import _thread, sys
from numba.core import event
from valley_core.console import leave
from training.__main__ import _run

class CtrlC(event.Listener):
    def on_start(self, event):
        _thread.interrupt_main()
    def on_end(self, event):
        pass

import valley_core.jit
event.register("numba:compile", CtrlC())
sys.argv[1:] = ["evaluate", "--agents", "random", "--games", "10"]
leave(_run)
"""
IN_THREADS = """
import _thread, sys, threading
from valley_core.console import leave
from valley_core import batch
from training import match
from training.__main__ import _run

def in_threads(size, work, *more):
    def working(part):
        if threading.current_thread() is not threading.main_thread():
            _thread.interrupt_main()
        return work(part)
    return batch.in_threads(size, working, 1)

batch.set_num_threads(2)
match.in_threads = in_threads
sys.argv[1:] = ["evaluate", "--agents", "random", "--settings", "none", "--games", "1000"]
leave(_run)
"""


@pytest.mark.parametrize("script", [COMPILING, IN_THREADS], ids=["while kernels compile", "in threads"])
def test_ctrl_c_in_a_process(script: str, tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
    if script is COMPILING:
        environment["VALLEY_CACHE_DIR"] = str(tmp_path)  # so that there is something to compile
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    assert lines_of(done.stderr) == ["interrupted"]
    assert done.returncode == 130


# --- A bot that plays illegally ---------------------------------------------------------------------------------------


class Cheat(Agent):
    """Chooses what there is not, or what is not legal now."""

    name = "cheat"

    def __init__(self, action: int = 999) -> None:
        self._action = action

    def start(self, game: Game, seeds: np.ndarray) -> None:
        """Prepare nothing."""

    def act(self, decisions: Decisions) -> np.ndarray:
        """The lowest legal action, but in the last of the games."""
        actions = decisions.masks.argmax(1)
        actions[-1] = self._action if self._action >= 0 else int(decisions.masks[-1].argmin())
        return actions


@pytest.fixture
def cheat() -> Iterator[None]:
    register_agent("cheat", lambda argument: Cheat(int(argument or 999)))
    yield
    del _Registry.factories["cheat"]


CHEATING = {
    "evaluate": ["evaluate", "--agents", "random", "cheat", "--settings", "none", *FEW],
    "opponent": ["evaluate", "--variant", "base", "--agents", "random", "--opponent", "cheat", *FEW],
    "field": ["evaluate", "--field", "random", "cheat", *FEW],
    "rift valley": ["evaluate", "riftvalley", "--agents", "cheat:-1", *FEW],
    "difficulty": ["difficulty", "--agents", "cheat:-1", *FEW],
    "bounds": ["bounds", "--agents", "cheat", "--simulations", "2", "--settings", "none", *FEW],
    "strategies": ["strategies", "--agents", "cheat", "--boards", "identical", "--players", "2", *FEW],
    "tournament": ["tournament", "--agents", "random", "cheat", "--deals", "2", "--quiet"],
    "exact": ["exact", "--agent", "cheat", "--quiet"],
    "train": ["train", "--variant", "base", "--opponents", "cheat", "--steps", "64", "--quiet", *QUICK],
}


@pytest.mark.parametrize("name", CHEATING)
def test_a_bot_that_plays_illegally_is_named_first(
    name: str, cheat: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(CHEATING[name]) == 1
    shown = capsys.readouterr()
    error, *more = lines_of(shown.err)
    assert error.startswith("error: action ")
    assert "legal: " in error
    assert not more
    assert "games in" not in shown.out
    if name != "train":
        assert "of agent 'cheat'" in error


def test_play_games_says_where_an_action_was_illegal() -> None:
    from deathvalley_env import make_game

    game = make_game(solo=True)
    with pytest.raises(IllegalActionError) as caught:
        play_games(game, [Cheat(), None], deal_seeds(0, 3))
    said = f"action 999 of agent 'cheat' in deathvalley, the game of deal seed {deal_seeds(0, 3)[2]}, decision "
    assert str(caught.value).startswith(said)
    assert "of seat 0, is not legal; legal: " in str(caught.value)
    counted = play_games(game, [Cheat(), None], deal_seeds(0, 3), illegal_action="count")
    assert counted["illegal"][:, 0].sum() > 0


OWN_BOT = """
import sys

import numpy as np

from agents import Agent, register_agent
from training.__main__ import main


class Mine(Agent):
    name = "mine"

    def start(self, game, seeds):
        pass

    def act(self, decisions):
        return np.full(len(decisions), 41)


register_agent("mine", lambda argument: Mine())
sys.exit(main(["evaluate", "--agents", "mine", "--settings", "none", "--games", "2"]))
"""


def test_a_script_with_an_illegal_bot_fails(tmp_path: Path) -> None:
    """In the way that docs/agents.md says."""
    assert "sys.exit(main([" in (ROOT / "docs" / "agents.md").read_text(encoding="utf-8")
    script = tmp_path / "mine.py"
    script.write_text(OWN_BOT, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 1
    assert done.stdout == ""
    (error,) = lines_of(done.stderr)
    assert error.startswith("error: action 41 of agent 'mine' in deathvalley, the game of deal seed ")
