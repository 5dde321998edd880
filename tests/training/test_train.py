"""`training train`: runs go on exactly where they were, and what they write can be used."""

import dataclasses
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from agents import make_agent
from agents.network import load_network
from deathvalley_env import make_sb3_env
from tests.agents.networks import write_network
from training import train
from training.__main__ import main
from training.checkpoints import (
    KEPT,
    CheckpointError,
    checkpoints_of,
    damage,
    load_checkpoint,
    save_checkpoint,
    write_whole,
)
from training.course import course_of
from training.curves import Args as CurvesArgs
from training.curves import runs_of
from training.match import play_games
from training.opponents import MOST_PAST, SELF, League
from training.ppo import HIDDEN, Training, hidden_for, network_of
from training.seeds import Purpose, deal_seeds
from training.side_by_side import SideBySide
from training.train import BEST, LATEST, RUN, Args, learn
from valley_core.decisions import Decisions
from valley_core.errors import OptionError

pytestmark = [
    pytest.mark.filterwarnings("error"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:torch.*"),  # PyTorch's own, on import of some of its parts
]

ROOT = Path(__file__).resolve().parents[2]
PNG = b"\x89PNG\r\n"
TURN = 512
SMALL: dict[str, Any] = {
    "envs": 32, "rollout": 16, "minibatch": 128, "hidden": (16,), "test_every": 2 * TURN, "test_games": 20,
    "quiet": True,
}  # fmt: skip
OPTIONS = [
    "--envs", "32", "--rollout", "16", "--minibatch", "128", "--hidden", "16", "--test-every", "1024",
    "--test-games", "20", "--quiet",
]  # fmt: skip
TIMES = ("seconds", "seconds_in_games", "games_per_s")

LEARNT = {
    "solo": Args("deathvalley", setting="all", **SMALL),
    "two players": Args("deathvalley", variant="backseat", opponents=("self", "greedy", "noisy", "mcts:4"), **SMALL),
    "rift valley": Args("riftvalley", players=3, opponents=("self", "random"), **SMALL),
}
DRAWN = {
    "drawn decks": Args("deathvalley", drawn=4, variant="base", opponents=("self", "greedy"), **SMALL),
    "generated boards": Args("riftvalley", drawn=4, opponents=("self", "random"), **SMALL),
}


def timeless(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name not in TIMES} for row in rows]


def same_networks(first: Path, second: Path) -> bool:
    one, two = (load_network(path)[0].layers() for path in (first, second))
    return all((a == b).all() for name in one for a, b in zip(one[name], two[name], strict=True))


# --- Going on -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LEARNT | DRAWN)
def test_a_resumed_run_is_the_unbroken_one(name: str, tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    args = (LEARNT | DRAWN)[name]
    rows = learn(dataclasses.replace(args, steps=6 * TURN, run=whole))
    learn(
        dataclasses.replace(args, steps=3 * TURN, decay_steps=6 * TURN, run=broken)
    )  # a test at its end, between two others
    again = learn(Args(args.game, resume=broken, steps=6 * TURN, quiet=True))
    assert timeless([row for row in again if row["steps"] != 3 * TURN]) == timeless(rows)
    assert [row["steps"] for row in rows][:: len(rows) // 4] == [0, 2 * TURN, 4 * TURN, 6 * TURN]
    assert same_networks(whole / LATEST, broken / LATEST)
    states = [load_checkpoint(folder)["environment"].parts[0].vector.state_records() for folder in (whole, broken)]
    np.testing.assert_array_equal(*states)


def test_a_run_begins_with_a_network(tmp_path: Path) -> None:
    first, second, third = tmp_path / "first", tmp_path / "second", tmp_path / "third"
    learn(dataclasses.replace(LEARNT["solo"], steps=TURN, run=first))
    start = dataclasses.replace(LEARNT["two players"], start=first / LATEST, hidden=(), opponents=("self", "greedy"))
    rows = learn(dataclasses.replace(start, steps=1, learning_rate=1e-9, run=second))
    assert rows[0]["steps"] == 0
    one, two = (load_network(folder / LATEST)[0] for folder in (first, second))
    assert two.widths == (16,)
    np.testing.assert_allclose(one.flat[1], two.flat[1], atol=1e-3)
    (first / LATEST).unlink()  # a run that goes on does not need it any more
    learn(Args(resume=second, steps=2 * TURN, decay_steps=2 * TURN, quiet=True))
    with pytest.raises(OptionError, match="has hidden layers of"):
        learn(dataclasses.replace(start, start=second / LATEST, hidden=(5,), run=third))
    with pytest.raises(OptionError, match="was trained for 'deathvalley'"):
        learn(dataclasses.replace(LEARNT["rift valley"], start=second / LATEST, hidden=(), run=third))
    game = course_of(start).game
    for k, odd in enumerate(({"values": 2}, {"residual": True})):
        path = Path(write_network(tmp_path / f"odd-{k}.npz", game, game.fixed_from, **odd))
        with pytest.raises(OptionError, match="has a value for each seat, or corrects rules of thumb"):
            learn(dataclasses.replace(start, start=path, hidden=(), run=third))


def test_a_game_broken_off_is_lost() -> None:
    games = SideBySide([make_sb3_env(8, solo=True, max_turns=2, turn_limit="truncate")])
    games.seed(1)
    games.reset()
    ends = 0
    while ends < 8:
        _, rewards, ended, infos = games.step(games.action_masks().argmax(1))
        for i in np.flatnonzero(ended):
            assert (rewards[i], infos[i]["TimeLimit.truncated"]) == (-1.0, False)
            assert "terminal_observation" in infos[i]
            ends += 1
        assert (rewards[~ended] == 0).all()


def test_learning_rate_and_entropy_fall_to_nothing(tmp_path: Path) -> None:
    args = dataclasses.replace(LEARNT["solo"], steps=4 * TURN, decay_steps=4 * TURN, learning_rate=0.01, run=tmp_path)
    training = Training(args, course_of(args))
    rates = []
    for _ in range(4):
        training.turn()
        rates.append((training.model.policy.optimizer.param_groups[0]["lr"], training.model.ent_coef))
    np.testing.assert_allclose(rates, [(0.01 * k / 4, args.entropy * k / 4) for k in (3, 2, 1, 0)], atol=1e-12)
    with pytest.raises(OptionError, match="give --decay-steps 8192 too"):
        learn(dataclasses.replace(args, steps=8192))


def test_another_seed_is_another_run(tmp_path: Path) -> None:
    for seed in (1, 2):
        learn(dataclasses.replace(LEARNT["solo"], steps=TURN, seed=seed, run=tmp_path / str(seed)))
    assert not same_networks(tmp_path / "1" / LATEST, tmp_path / "2" / LATEST)


@pytest.mark.long
def test_a_killed_run_goes_on(tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    command = [sys.executable, "-m", "training", "train", "deathvalley", *OPTIONS]
    process = subprocess.Popen(
        [*command, "--steps", "1000000", "--run", str(killed)], cwd=ROOT, stdout=subprocess.DEVNULL
    )
    while len(checkpoints_of(killed)) < 3:
        assert process.poll() is None
        time.sleep(0.1)
    process.kill()
    process.wait()
    steps = str(load_checkpoint(killed)["steps"] + 4 * TURN)
    for more in (["--run", str(whole)], ["--resume", str(killed)]):
        options = [*OPTIONS, "--decay-steps", "1000000"] if more[0] == "--run" else []
        subprocess.run([*command[:5], *options, "--steps", steps, *more], cwd=ROOT, check=True)
    runs = [json.loads((folder / RUN).read_text(encoding="utf-8"))["rows"] for folder in (whole, killed)]
    assert timeless(runs[0]) == timeless(runs[1])
    assert same_networks(whole / LATEST, killed / LATEST)


def test_a_damaged_checkpoint_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "run"
    learn(dataclasses.replace(LEARNT["solo"], steps=4 * TURN, run=run))
    *_, good, bad = checkpoints_of(run)
    content = bytearray(bad.read_bytes())
    content[len(content) // 2] ^= 1
    bad.write_bytes(content)
    assert main(["train", "--resume", str(run), "--steps", "4096"]) == 2
    error = capsys.readouterr().err
    assert str(bad) in error
    assert "checksum" in error
    assert f"--resume {good}" in error
    assert main(["train", "--resume", str(good), "--steps", str(4 * TURN)]) == 0
    assert damage(bad) is None  # it was written again


def test_checkpoints_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="no checkpoint in"):
        load_checkpoint(tmp_path)
    (tmp_path / "checkpoint_1.pt").write_bytes(b"something else")
    with pytest.raises(CheckpointError, match=r"does not begin as a checkpoint does.*no good one beside it"):
        load_checkpoint(tmp_path)
    with pytest.raises(CheckpointError, match="No such file"):
        load_checkpoint(tmp_path / "missing.pt")


def test_a_checkpoint_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for steps in range(KEPT + 2):
        save_checkpoint(tmp_path, steps, {"steps": steps})
    kept = checkpoints_of(tmp_path)
    assert [load_checkpoint(path)["steps"] for path in kept] == [2, 3, 4]
    file = tmp_path / "file"
    write_whole(file, b"old")
    monkeypatch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError("the disk is full")))
    with pytest.raises(OSError, match="full"):
        write_whole(file, b"new")
    assert file.read_bytes() == b"old"
    assert checkpoints_of(tmp_path) == kept


# --- What a run writes --------------------------------------------------------------------------------------------


def test_what_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "run"
    command = ["train", "deathvalley", "--setting", "both", "--steps", "2048", *OPTIONS, "--run", str(run)]
    assert main(command) == 0
    out = capsys.readouterr().out
    assert "illegal actions: 0 in training, 0 in tests" in out
    found = json.loads((run / RUN).read_text(encoding="utf-8"))
    assert set(found) == {"config", "versions", "seed", "rows"}
    assert [row["steps"] for row in found["rows"]] == [0, 1024, 2048]
    assert {row["setting"] for row in found["rows"]} == {"both"}
    assert str(tmp_path) not in (run / RUN).read_text(encoding="utf-8")
    assert found["config"]["command"].startswith("python -m training train deathvalley --setting both --steps 2048")
    logged = EventAccumulator(str(run)).Reload()
    assert [event.step for event in logged.Scalars("test/both_against_solo AI")] == [0, 1024, 2048]
    assert [event.step for event in logged.Scalars("games/win")] == [512, 1024, 1536, 2048]
    best = max(found["rows"], key=lambda row: row["win"])
    network, metadata = load_network(run / BEST)
    assert metadata.command == found["config"]["command"]
    (stated,) = metadata.strength
    assert (stated.stream, stated.seed, stated.games) == ("training_result", 0, 20)
    course = course_of(Args("deathvalley", setting="both"))
    (again,) = course.test(f"network:{run / BEST}", 20, 0, Purpose.TRAINING_RESULT)
    assert stated.win == pytest.approx(again["win"], abs=1e-6)  # on deals that it was not chosen by
    assert f"the best network, on new deals: won both against solo AI {100 * stated.win:.1f} %" in out
    (chosen,) = course.test(f"network:{run / BEST}", 20, 0)
    assert chosen["win"] == pytest.approx(best["win"], abs=1e-6)
    assert metadata.settings["discard_points"]
    assert network.inputs == 387
    game = course_of(Args(setting="both")).game
    table = play_games(game, [make_agent(f"network:{run / LATEST}"), None], deal_seeds(1, 50, Purpose.EVALUATION))
    assert not table["illegal"].any()
    assert main(command) == 2
    assert "there is a run in" in capsys.readouterr().err
    assert main(["train", "deathvalley", "--resume", str(run), "--setting", "none"]) == 2
    assert "--setting is none here and both in the run" in capsys.readouterr().err
    assert main(["train", "riftvalley", "--resume", str(run)]) == 2
    assert "--game is riftvalley here" in capsys.readouterr().err


@pytest.mark.parametrize("name", LEARNT)
def test_the_exported_network_is_the_policy(name: str) -> None:
    args = LEARNT[name]
    training = Training(args, course_of(args))
    training.turn()
    seen: Any = training.model._last_obs
    policy = training.model.policy
    with torch.no_grad():
        features = policy.extract_features(torch.as_tensor(seen))
        logits, values = policy.action_net(features).numpy(), policy.predict_values(torch.as_tensor(seen)).numpy()
    ours, own_values = network_of(policy).outputs(seen)
    np.testing.assert_allclose(ours, logits, atol=1e-4)
    np.testing.assert_allclose(np.tanh(own_values), values, atol=1e-4)


def test_the_first_layer_fits_the_file() -> None:
    small = course_of(Args("deathvalley")).environment(4, League(0))
    large = course_of(Args("riftvalley", players=5, setting="asymmetrical", opponents=("random",))).environment(
        4, League(0)
    )
    assert hidden_for(small) == (HIDDEN, HIDDEN)
    first, second = hidden_for(large)
    assert 16 <= first < HIDDEN == second


# --- Settings and opponents ----------------------------------------------------------------------------------------


def test_one_policy_for_all_settings() -> None:
    course = course_of(Args("deathvalley", setting="all"))
    environment = course.environment(8, League(0))
    environment.seed(3)
    environment.reset()
    modifiers = [
        [(int(state["discard_points"]), int(state["must_outbust"])) for state in part.vector.state_records()]
        for part in environment.parts
    ]
    assert modifiers == [[(0, 0)] * 2, [(1, 0)] * 2, [(0, 1)] * 2, [(1, 1)] * 2]
    assert [part.setting for part in course.parts] == ["none", "discard_points", "must_outbust", "both"]


def test_side_by_side_is_each_alone() -> None:
    course = course_of(Args("deathvalley", setting="all"))
    together, apart = course.environment(8, League(0)), course.environment(8, League(0)).parts
    together.seed(5)
    seen = [together.reset()]
    alone = []
    seeds = deal_seeds(5, 8, Purpose.TRAINING).tolist()
    for k, part in enumerate(apart):
        part.seed(seeds[2 * k : 2 * k + 2])
        alone.append(part.reset())
    for _ in range(60):
        np.testing.assert_array_equal(seen[-1], np.concatenate(alone))
        actions = together.action_masks().argmax(1)
        observations, rewards, ended, infos = together.step(actions)
        results = [part.step(actions[2 * k : 2 * k + 2]) for k, part in enumerate(apart)]
        np.testing.assert_array_equal(rewards, np.concatenate([result[1] for result in results]))
        np.testing.assert_array_equal(ended, np.concatenate([result[2] for result in results]))
        assert len(infos) == 8
        seen.append(observations)
        alone = [result[0] for result in results]
    assert (together.decisions, together.illegal) == (480, 0)
    assert len(together.recent) > 0
    together.step(together.action_masks().argmin(1))
    assert together.illegal == 8
    assert together.get_attr("num_envs") == [2] * 8
    with pytest.raises(OptionError, match="same observations"):
        type(together)([apart[0], course_of(Args("riftvalley")).environment(8, League(0)).parts[0]])


def test_past_selves() -> None:
    args = LEARNT["two players"]
    training = Training(args, course_of(args))
    league = training.league
    assert len(league.seats) == 1
    first = league.past[0]
    for _ in range(2 * MOST_PAST):
        league.remember(network_of(training.model.policy))
    assert len(league.past) == MOST_PAST
    played = set()
    for _ in range(100):
        league.draw()
        played.add(id(league.seats[0]._past))
    assert played == {id(network) for network in league.past}
    assert league.opponent("greedy").name == "greedy"
    assert league.opponent(SELF).name == SELF
    assert first.inputs == league.past[-1].inputs


def test_a_past_self_plays_as_it_did_in_training() -> None:
    """It draws from the softmax over legal actions."""
    args = LEARNT["two players"]
    training = Training(args, course_of(args))
    training.turn()
    seat, part = training.league.seats[0], training.environment.parts[0]
    state = part.vector.state_records()[:1]
    count = 4000
    states, seats = np.repeat(state, count), np.repeat(part.vector.seats[:1], count)
    seat.start(part.vector.game, np.arange(count, dtype=np.uint64))
    decisions = Decisions(part.vector.game, states, seats, np.arange(count))
    logits = seat.logits(decisions)[0].astype(np.float64)
    shares = np.bincount(seat.act(decisions), minlength=len(logits)) / count
    expected = np.exp(logits) / np.exp(logits).sum()
    assert np.abs(shares - expected).max() < 0.05
    assert not shares[expected == 0].any()


# --- Wrong arguments -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["deathvalley", "--setting", "hard"], "there is no setting 'hard'"),
        (["deathvalley", "--setting", "none", "--variant", "base"], "give one of them"),
        (["deathvalley", "--players", "3"], "--players is no option of Death Valley"),
        (["riftvalley", "--deck", "death_valley"], "--deck is no option of Rift Valley"),
        (["riftvalley", "--variant", "base"], "there is no setting 'base'"),
        (["riftvalley", "--setting", "all"], "there is no setting 'all'"),
        (["deathvalley", "--opponents", "greedy"], "give --variant"),
        (["deathvalley", "--variant", "base", "--opponents", "nobody"], "there is no agent 'nobody'"),
        (
            ["deathvalley", "--setting", "all", "--envs", "6", "--rollout", "4", "--minibatch", "8"],
            "shared out among 4",
        ),
        (["deathvalley", "--minibatch", "1000"], "does not divide"),
        (["deathvalley", "--steps", "0"], "--steps 0 is too small"),
        (["deathvalley", "--minutes", "0"], "--minutes 0 must be more than 0"),
        (["deathvalley", "--learning-rate", "0"], "--learning-rate must be more than 0"),
        (["deathvalley", "--hidden", "0"], "--hidden 0 is too small"),
        (["deathvalley", "--test-every", "0"], "--test-every 0 is too small"),
        (["deathvalley", "--resume", "nowhere"], "nowhere cannot be used"),
        (["deathvalley", "--drawn", "0"], "--drawn 0 is too small"),
        (["deathvalley", "--drawn", "2", "--drawn-seed", "-1"], "--drawn-seed -1 is too small"),
        (["deathvalley", "--drawn", "2", "--drawn-seed", "999999"], "from seed 1,000,000 on are kept for tests"),
        (["deathvalley", "--drawn", "2", "--deck", "death_valley"], "give one of them"),
        (["riftvalley", "--drawn", "2", "--setting", "identical"], "choose one of generated boards"),
    ],
)
def test_wrong_arguments(
    arguments: list[str], complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = [] if "--resume" in arguments else ["--run", str(tmp_path / "run")]
    assert main(["train", *arguments, *where]) == 2
    assert complaint in capsys.readouterr().err
    assert not (tmp_path / "run" / RUN).exists()


def test_the_end_by_the_clock(tmp_path: Path) -> None:
    rows = learn(dataclasses.replace(LEARNT["solo"], steps=10_000_000, minutes=0.001, run=tmp_path / "run"))
    assert TURN <= rows[-1]["steps"] < 10_000_000


def test_an_illegal_action_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = train.learn

    def faulty(*arguments: Any) -> Any:
        rows = original(*arguments)
        rows[-1]["illegal_in_training"] = 1
        return rows

    monkeypatch.setattr(train, "learn", faulty)
    assert main(["train", "deathvalley", "--steps", "512", *OPTIONS, "--run", str(tmp_path / "run")]) == 1


# --- The other commands -------------------------------------------------------------------------------------------


def test_curves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, plot, run = tmp_path / "curves.json", tmp_path / "curves.png", tmp_path / "runs"
    where = ["--run", str(run), "--json", str(file), "--plot", str(plot)]
    command = ["curves", "deathvalley", "--seeds", "2", "--steps", "1024", *OPTIONS, *where]
    assert main(command) == 0
    first = json.loads(file.read_text(encoding="utf-8"))
    assert [row["steps"] for row in first["rows"]] == [0, 1024]
    for row in first["rows"]:
        assert len(row["wins"]) == 2
        assert row["win"] == pytest.approx(sum(row["wins"]) / 2, abs=1e-5)
        assert 0 <= row["win_low"] <= row["win"] <= row["win_high"] <= 1
        assert row["illegal"] == row["illegal_in_training"] == 0
        assert row["games"] == 40
    assert first["rows"][1]["seconds"] > 0
    assert plot.read_bytes().startswith(PNG)
    assert "mean of 2 seeds" in capsys.readouterr().out
    changed = [path.stat().st_mtime_ns for path in sorted(run.rglob("checkpoint_*"))]
    assert main(command) == 0  # all is there already
    assert json.loads(file.read_text(encoding="utf-8"))["rows"] == first["rows"]
    assert [path.stat().st_mtime_ns for path in sorted(run.rglob("checkpoint_*"))] == changed


def test_curves_need_runs_that_can_be_compared() -> None:
    with pytest.raises(OptionError, match="--seeds 1 is too small"):
        runs_of(CurvesArgs(seeds=1))
    with pytest.raises(OptionError, match="give --steps"):
        runs_of(CurvesArgs(minutes=1.0))
    with pytest.raises(OptionError, match="name the folder with --run"):
        runs_of(CurvesArgs(resume=Path("somewhere")))


def test_throughput(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "throughput.json"
    small = ["--seconds", "0.01", "--envs", "64", "--workers", "2", "--decisions", "128", "--quiet"]
    assert main(["throughput", *small, "--json", str(file)]) == 0
    rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
    assert [(row["way"], row["games"]) for row in rows] == [("native", 64), ("pettingzoo", 2), ("subprocess", 2)]
    for row in rows:
        shares = [row[f"share_in_{part}"] for part in ("games", "choice", "learning")]
        assert sum(shares) == pytest.approx(1, abs=1e-5)
        assert min(shares) > 0
        assert row["decisions"] % 128 == 0
        assert row["played_per_s"] > row["decisions_per_s"] > 0
    assert "the same training on different environments" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--ways", "magic"], "there is no way 'magic'"),
        (["--decisions", "100"], "--decisions 100 must be a multiple"),
        (["--workers", "0"], "--workers 0 is too small"),
    ],
)
def test_wrong_arguments_of_throughput(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["throughput", *arguments]) == 2
    assert complaint in capsys.readouterr().err
