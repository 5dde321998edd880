"""What goes on after a break is the run that was begun: nothing that has changed since goes unsaid."""

import importlib
import shlex
from pathlib import Path

import pytest

from tests.training.test_endings import EXPERT, QUICK, TRAIN
from training import curves, train
from training.__main__ import main
from training.checkpoints import HEAD, OLDER, CheckpointError, load_checkpoint, save_checkpoint
from training.command import parsed
from training.course import course_of
from training.files import digests_of_files

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ROOT / "deathvalley_env" / "decks" / "highs_and_lows.toml"


@pytest.fixture(autouse=True)
def somewhere_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write_deck(stars: int = 0) -> Path:
    """A deck file; with `stars`, its first card has another number of stars."""
    text = SHIPPED.read_text(encoding="utf-8")
    if stars:
        before, number, after = text.partition("stars = ")
        text = f"{before}{number}{stars}{after[1:]}"
    path = Path("mine.toml")
    path.write_text(text, encoding="utf-8")
    return path


RUNS = {
    "train": ([*TRAIN, "--steps", "64", "--run", "run"], ["train", "--resume", "run", "--quiet", "--minutes", "1"]),
    "expert": ([*EXPERT, "--iterations", "1", "--folder", "run"], [*EXPERT, "--folder", "run"]),
    "curves": (
        ["curves", "--steps", "64", "--seeds", "2", "--quiet", "--run", "run", *QUICK],
        ["curves", "--steps", "64", "--seeds", "2", "--quiet", "--run", "run", *QUICK],
    ),
    "tournament": (
        [
            "tournament",
            "--agents",
            "random",
            "rulebook",
            "--deals",
            "2",
            "--store",
            "run",
            "--quiet",
        ],
    )
    * 2,
}
"""For each command that goes on: how it begins, and how it goes on."""


@pytest.mark.parametrize("name", RUNS)
def test_a_deck_that_was_edited_is_refused(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    first, again = RUNS[name]
    deck = ["--deck", str(write_deck())]
    assert main([*first, *deck]) == 0
    again = again if "--resume" in again else [*again, *deck]
    capsys.readouterr()
    write_deck(stars=5)
    before = {path: path.read_bytes() for path in Path("run").rglob("*") if path.is_file()}
    assert main(again) == 2
    error = capsys.readouterr().err
    assert "digest" in error
    assert "bring" in error
    assert {path: path.read_bytes() for path in Path("run").rglob("*") if path.is_file()} == before
    write_deck()
    assert main(again) == 0


def test_an_opponent_whose_file_changed_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    other = Path("other.npz")
    weights = [ROOT / "agents" / "weights" / f"deathvalley_{name}.npz" for name in ("base", "backseat")]
    other.write_bytes(weights[0].read_bytes())
    command = ["train", "--variant", "base", "--opponents", str(other), "--steps", "64", "--quiet", *QUICK]
    assert main([*command, "--run", "run"]) == 0
    other.write_bytes(weights[1].read_bytes())
    assert main(["train", "--resume", "run", "--quiet"]) == 2
    assert "opponent other.npz: digest " in capsys.readouterr().err


def test_a_start_whose_file_changed_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*EXPERT, "--iterations", "2", "--folder", "first"]) == 0
    start = Path("start.npz")
    start.write_bytes(Path("first/network-0.npz").read_bytes())
    command = [*EXPERT, "--folder", "second", "--start", str(start)]
    assert main([*command, "--iterations", "1"]) == 0
    start.write_bytes(Path("first/network-1.npz").read_bytes())
    assert main(command) == 2
    assert "start_digest" in capsys.readouterr().err


def test_files_in_the_names_of_agents_are_found() -> None:
    file = Path("net.npz")
    file.write_bytes(b"weights")
    names = ["net.npz", "network:net.npz", "mcts:200,leaf=net.npz,rollouts=0.5", "random", "mcts:200"]
    found = digests_of_files(names)
    assert list(found) == names[:3]
    assert len(set(found.values())) == 1


def test_options_that_are_given_are_applied_or_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """Also those that are given as by default: only what is not given is that of the run."""
    assert main([*TRAIN, "--steps", "64", "--run", "run"]) == 0
    resume = ["train", "--resume", "run", "--quiet"]
    for option, default, there in (("--envs", "256", "8"), ("--test-every", "200000", "64"), ("--epochs", "3", "1")):
        assert main([*resume, option, default]) == 2
        assert f"{option} is {default} here and {there} in the run; leave it out" in capsys.readouterr().err
    assert main([*resume, "--hidden", "9"]) == 2
    assert main([*resume, "--run", "run"]) == 2
    assert "leave --run out" in capsys.readouterr().err
    assert main([*resume, "--envs", "8", "--seed", "0"]) == 0  # as in the run
    assert main(["train", "riftvalley", "--resume", "run", "--quiet"]) == 2
    assert "--game is riftvalley here and deathvalley in the run" in capsys.readouterr().err
    assert main([*resume, "--steps", "128", "--decay-steps", "128"]) == 0
    assert "128 decisions" in capsys.readouterr().out


def test_a_run_of_the_other_game_goes_on_without_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--steps", "64", "--opponents", "random", "--quiet", *QUICK]
    assert main(["train", "riftvalley", *options, "--run", "run"]) == 0
    capsys.readouterr()
    assert main(["train", "--resume", "run", "--quiet"]) == 0
    assert "measure it:   python -m training evaluate riftvalley --agents run/best.npz" in capsys.readouterr().out


def test_curves_with_other_options_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    first = RUNS["curves"][0]
    assert main(first) == 0
    assert main([*first, "--epochs", "3"]) == 2
    assert "--epochs is 3 here and 1 in the run" in capsys.readouterr().err
    assert main([*first, "--entropy", "0.01"]) == 0
    assert vars(curves.Args()).keys() >= curves.NOT_OF_A_RUN


def test_a_checkpoint_of_another_version_says_so(tmp_path: Path) -> None:
    path = save_checkpoint(tmp_path, 1, {"steps": 1})
    path.write_bytes(path.read_bytes().replace(HEAD, OLDER))
    with pytest.raises(CheckpointError, match="written by an older version"):
        load_checkpoint(path)


# --- What comes next --------------------------------------------------------------------------------------------------


def commands_in(text: str) -> list[list[str]]:
    return [
        shlex.split(line[line.index("python -m training") :])[3:]
        for line in text.splitlines()
        if "python -m training" in line
    ]


def test_the_end_of_a_training_says_what_comes_next(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*TRAIN, "--run", "a run"]) == 0
    measure, more = commands_in(capsys.readouterr().out)
    assert measure == ["evaluate", "deathvalley", "--agents", "a run/best.npz", "--settings", "none"]
    assert main([*measure, "--games", "4", "--quiet"]) == 0
    assert more[:2] == ["train", "deathvalley"]
    short = QUICK[:8] + QUICK[10:]  # its hidden layers are those of the network
    assert main([*more, "--steps", "64", "--quiet", *short]) == 0


def test_a_run_that_its_minutes_ended_says_how_it_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*TRAIN, "--steps", "100000", "--test-every", "100000", "--minutes", "0.0001", "--run", "run"]) == 0
    measure, resume = commands_in(capsys.readouterr().out)
    assert resume[:4] == ["train", "--resume", "run", "--minutes"]
    checkpoints = sorted(path.name for path in Path("run").glob("checkpoint*"))
    assert main([*resume, "--steps", "128", "--quiet"]) == 0
    assert sorted(path.name for path in Path("run").glob("checkpoint*")) != checkpoints
    assert measure[0] == "evaluate"


def test_the_end_of_expert_iteration_says_what_comes_next(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*EXPERT, "--iterations", "1", "--folder", "run"]) == 0
    shown = capsys.readouterr().out
    (measure,) = commands_in(shown)
    assert measure == ["evaluate", "deathvalley", "--agents", "run/network-0.npz", "--settings", "none"]
    assert main([*measure, "--games", "4", "--quiet"]) == 0
    assert "the same command with --iterations 2 or more" in shown


@pytest.mark.parametrize(
    "words",
    [
        ["deathvalley", "--setting", "all"],
        ["deathvalley", "--variant", "backseat"],
        ["deathvalley", "--deck", "death_valley", "--setting", "both"],
        ["riftvalley", "--players", "3", "--setting", "asymmetrical"],
        ["deathvalley", "--drawn", "2", "--setting", "both"],
        ["deathvalley", "--drawn", "2", "--variant", "base"],
        ["riftvalley", "--drawn", "2"],
        ["riftvalley", "--drawn", "1"],
    ],
    ids=" ".join,
)
def test_the_next_command_fits_what_was_learnt(words: list[str]) -> None:
    args = parsed("train", train.Args, words)
    line = train.measure_line(args, course_of(args), Path("runs") / "x" / "best.npz")
    if args.drawn == 1:
        assert line is None  # no command draws this deck alone
        return
    assert line is not None
    _, _, _, command, *more = shlex.split(line)
    read = parsed(command, importlib.import_module(f"training.{command}").Args, more)
    assert read.game == args.game
    assert read.players == args.players
    assert "runs/x/best.npz" in line
    if command == "evaluate":
        assert read.deck == args.deck
        assert read.variant == args.variant
    else:
        assert read.setting == (args.variant or args.setting)
