"""No number that is typed costs hours or memory: each option of each command has a range, and says so at once."""

import dataclasses
import importlib
from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

import pytest

from training import __main__ as commands
from training.__main__ import main
from training.command import given
from training.ranges import MANY, OF_THE_GAME, RANGES, check_number
from valley_core import options
from valley_core.errors import OptionError
from valley_core.options import fits_memory, memory_of_machine

HUGE = 10**30


def kinds_of(hint: Any) -> set[type]:
    """int and float, where a type takes them."""
    inner = {kind for part in get_args(hint) for kind in kinds_of(part)}
    return inner | ({hint} if hint in (int, float) else set())


def numeric() -> Iterator[tuple[str, str, type]]:
    """Each option of each command that takes numbers."""
    for command in commands.COMMANDS:
        arguments = importlib.import_module(f"training.{command}").Args
        hints = get_type_hints(arguments)
        for field in dataclasses.fields(arguments):
            for kind in kinds_of(hints[field.name]):
                yield command, field.name, kind


NUMERIC = list(numeric())
CHECKED = [one for one in NUMERIC if one[1] not in OF_THE_GAME]
NEEDED = {"strength": ["none.npz"], "generalise": ["--general", "none.npz"]}
"""What must be given to a command beside."""


def test_every_number_has_a_range() -> None:
    assert len(NUMERIC) > 90
    assert {name for _, name, _ in NUMERIC} <= RANGES.keys()
    assert RANGES.keys() <= {name for _, name, _ in NUMERIC}


def refused(command: str, name: str, value: object, capsys: pytest.CaptureFixture[str]) -> str:
    option = f"--{name.replace('_', '-')}"
    assert main([command, *NEEDED.get(command, []), option, str(value)]) == 2
    error = capsys.readouterr().err
    lines = [line for line in error.splitlines() if not line.startswith("valley: compiling")]
    assert len(lines) == 1, error
    assert lines[0].startswith("error: ")
    assert option in error or f"{name}={value}" in error
    return error


@pytest.mark.parametrize(("command", "name", "kind"), CHECKED)
def test_numbers_out_of_range_are_refused(
    command: str, name: str, kind: type, capsys: pytest.CaptureFixture[str]
) -> None:
    for value in (-1, HUGE) if kind is int else (-1.0, 1e30, "nan", "inf", "-inf"):
        refused(command, name, value, capsys)


@pytest.mark.parametrize("value", [-1, 0, 10**11, HUGE])
@pytest.mark.parametrize(
    ("command", "name"), [("evaluate", "max_turns"), ("difficulty", "max_turns"), ("tournament", "max_turns")]
)
def test_numbers_of_the_game_are_refused(
    command: str, name: str, value: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "must be a whole number from 1" in refused(command, name, value, capsys)


@pytest.mark.parametrize("value", [-1, 0, 10**11, HUGE])
@pytest.mark.parametrize("command", ["evaluate", "tournament", "strategies", "train", "expert"])
def test_players_are_refused(command: str, value: int, capsys: pytest.CaptureFixture[str]) -> None:
    game = [] if command == "strategies" else ["riftvalley"]
    more = ["--setting", "identical"] if command == "expert" else []
    assert main([command, *game, *more, "--players", str(value)]) == 2
    assert f"num_players={value}" in capsys.readouterr().err


SIZES = {
    ("evaluate", "--games"): "--games",
    ("evaluate", "riftvalley", "--field", "random", "random", "--games"): "--games",
    ("difficulty", "--games"): "--games",
    ("bounds", "--games"): "--games",
    ("strategies", "--games"): "--games",
    ("tournament", "--deals"): "--deals",
    ("exact", "--positions"): "--positions",
    ("exact", "--positions", "1", "--budget"): "--budget",
    ("speed", "--batches"): "--batches",
    ("throughput", "--decisions"): "--decisions",
    ("train", "--minibatch", "2", "--envs"): "--envs",
    ("train", "--minibatch", "2", "--rollout"): "--envs",  # which counts with all its decisions
    ("train", "--envs", "2", "--rollout", "2", "--minibatch", "2", "--test-games"): "--test-games",
    ("expert", "--games"): "--games",
    ("expert", "--games", "9", "--evaluate"): "--evaluate",
}


@pytest.mark.parametrize("arguments", SIZES, ids=" ".join)
def test_what_does_not_fit_the_memory_is_refused(
    arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(options, "memory_of_machine", lambda: 2_000_000)
    assert main([*arguments, "20480000"]) == 2
    error = capsys.readouterr().err
    assert f"error: {SIZES[arguments]} " in error
    assert "of memory, and this machine has 0 GB; give " in error
    assert not list(tmp_path.iterdir())


def test_memory() -> None:
    assert 1 << 26 < memory_of_machine() < 1 << 60
    fits_memory("num_envs", 10, 1000)
    with pytest.raises(OptionError, match=r"num_envs 1,000,000,000,000 would need about 1,000,000 GB of memory"):
        fits_memory("num_envs", 10**12, 1000)


def test_memory_of_a_system_that_does_not_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("os.sysconf", raising=False)
    assert memory_of_machine() == options.ASSUMED_MEMORY


@pytest.mark.parametrize("hidden", [["100000000"], ["5000", "5000"]])
@pytest.mark.parametrize("command", ["train", "expert"])
def test_layers_that_no_file_holds_are_refused(
    command: str, hidden: list[str], tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([command, "--hidden", *hidden]) == 2
    assert "--hidden" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (0, "--test-games 0 is too small; give 1 or more"),
        (MANY + 1, "--test-games 1,000,000,001 is too large; give 1,000,000,000 or fewer"),
    ],
)
def test_messages(value: int, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        check_number("test_games", value, *RANGES["test_games"])


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], set()),
        (["deathvalley"], {"game"}),
        (["riftvalley", "--players", "2"], {"game", "players"}),
        (["--envs", "256", "--learning-rate=1e-3"], {"envs", "learning_rate"}),  # both as by default
        (["--quiet", "--steps", "5", "--seed", "0", "--drawn_seed", "0"], {"quiet", "steps", "seed", "drawn_seed"}),
        (["--hidden", "128", "--opponents", "self"], {"hidden", "opponents"}),
    ],
)
def test_what_is_given_is_known_even_if_it_is_the_default(words: list[str], expected: set[str]) -> None:
    from training.train import Args

    assert given("train", Args, words) == expected
