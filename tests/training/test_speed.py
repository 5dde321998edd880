"""`training speed` measures every layer, and puts the peers beside them."""

import json
import sys
from pathlib import Path

import pytest

from training.__main__ import main
from training.speed_layers import LAYERS, Skip, measure
from training.speed_peers import ratio_rows, read_rows
from valley_core.errors import OptionError

QUICK = ["--seconds", "0.001", "--runs", "1", "--batches", "8"]


def test_all_layers_of_death_valley(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("stable_baselines3")
    file = tmp_path / "speed.json"
    assert main(["speed", *QUICK, "--profile", "--json", str(file)]) == 0
    rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
    rates = {row["layer"]: row for row in rows if row["layer"] in LAYERS}
    assert list(rates) == ["kernel", "batch", "aec_raw", "aec", "parallel", "solo", "vector", "sb3", "maskable", "mcts"]
    for layer, row in rates.items():
        assert row["game"] == "deathvalley"
        assert row["batch"] == (8 if LAYERS[layer].batched else 1)
        assert row["steps_per_s"] > 0
    parts = {row["part"]: row for row in rows if row["layer"] == "profile"}
    assert list(parts) == ["rules", "observation", "mask", "choice", "all"]
    assert "Where the time" in capsys.readouterr().out


def test_rift_valley_in_kernels() -> None:
    assert main(["speed", "riftvalley", *QUICK, "--layers", "kernel", "batch"]) == 0


def test_a_layer_that_cannot_be_measured_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("training.speed_layers.find_spec", lambda name: None)
    with pytest.raises(Skip):
        LAYERS["sb3"].make("deathvalley", 8, 0)
    assert main(["speed", *QUICK, "--layers", "kernel", "sb3"]) == 0
    assert "not measured: sb3: stable-baselines3 is not installed" in capsys.readouterr().out


def test_measure_counts_steps_by_the_clock() -> None:
    assert measure(iter([10] * 1000), 0.0) > 0


PEERS = [
    {"peer": "pgx", "game": "connect_four", "batch": 256, "steps_per_s": 100},
    {"peer": "pgx", "game": "connect_four", "batch": 4096, "steps_per_s": 200},
    {"peer": "pgx", "game": "hex", "batch": 4096, "steps_per_s": 900},
    {"peer": "pettingzoo", "game": "connect_four_v3.raw_env", "batch": 1, "steps_per_s": 50},
    {"peer": "openspiel", "error": "No module named 'pyspiel'"},
]


def test_ratios_are_to_the_peers_best_batch() -> None:
    ours = [
        {"game": "deathvalley", "layer": "batch", "batch": 64, "steps_per_s": 300},
        {"game": "deathvalley", "layer": "batch", "batch": 1024, "steps_per_s": 400},
        {"game": "deathvalley", "layer": "aec_raw", "batch": 1, "steps_per_s": 100},
    ]
    ratios = {(row["layer"], row["peer"]): row["ratio"] for row in ratio_rows(ours, PEERS)}
    assert ratios == {
        ("batch", "pgx connect_four × 4096"): 2,
        ("batch", "pgx hex × 4096"): pytest.approx(400 / 900),
        ("aec_raw", "pettingzoo connect_four_v3.raw_env × 1"): 2,
    }


def test_a_step_of_a_search_is_a_simulation() -> None:
    (row,) = read_rows('{"peer": "openspiel_mcts", "game": "hearts", "batch": 1, "simulations_per_s": 7}')
    assert row["steps_per_s"] == 7


def test_peers_run_in_their_own_interpreter(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "peers.py"
    script.write_text(f"for row in {PEERS!r}:\n    print(__import__('json').dumps(row))\n", encoding="utf-8")
    peers = ["--peers", sys.executable, "--peers-script", str(script)]
    assert main(["speed", *QUICK, "--layers", "batch", *peers]) == 0
    out = capsys.readouterr().out
    assert "pgx connect_four × 4096" in out
    assert "No module named 'pyspiel'" in out


@pytest.mark.parametrize(
    ("python", "text", "message"),
    [
        (sys.executable, "raise SystemExit(3)", "failed with exit code 3"),
        (sys.executable, "print('hello')", "printed 'hello', which is no row"),
        ("no-such-python", "", "cannot run the peers' interpreter no-such-python"),
    ],
)
def test_broken_peers_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], python: str, text: str, message: str
) -> None:
    script = tmp_path / "peers.py"
    script.write_text(text, encoding="utf-8")
    assert main(["speed", *QUICK, "--layers", "kernel", "--peers", python, "--peers-script", str(script)]) == 2
    assert message in capsys.readouterr().err


def test_rows_must_have_a_peer() -> None:
    with pytest.raises(OptionError, match="no row with a peer"):
        read_rows("[1]")
