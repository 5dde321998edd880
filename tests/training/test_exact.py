"""`python -m training exact`."""

import json
from pathlib import Path

import pytest

from training.__main__ import main


def test_exact(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "run.json"
    arguments = ["--settings", "none", "both", "--decks", "death_valley", "--cards", "2", "9", "--positions", "6"]
    assert main(["exact", *arguments, "--budget", "2000", "--json", str(file)]) == 0
    run = json.loads(file.read_text(encoding="utf-8"))
    rows = run["rows"]
    assert [(row["setting"], row["cards"]) for row in rows] == [("none", 2), ("none", 9), ("both", 2), ("both", 9)]
    assert all(row["count"] == 6 for row in rows)
    assert all(0 <= row["won"] <= row["solved"] <= 1 for row in rows)
    assert rows[0]["solved"] > 0.5
    assert rows[1]["solved"] == 0
    assert "solved exactly" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--settings", "hard"], "there is no setting 'hard'; choose among none, discard_points"),
        (["--cards", "1"], "--cards 1 is too small"),
        (["--positions", "0"], "--positions 0 is too small"),
        (["--budget", "0"], "positions=0 must be from 1"),
    ],
)
def test_bad_input_is_one_line_and_code_2(arguments: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["exact", *arguments]) == 2
    assert text in capsys.readouterr().err
