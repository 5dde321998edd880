"""Golden playthroughs: a change of the rules shows as a readable difference; compiled and plain kernels agree."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.deathvalley_env.playthroughs import FOLDER, GAMES, playthrough

ROOT = Path(__file__).parents[2]


@pytest.mark.plain
@pytest.mark.parametrize("name", GAMES)
def test_the_game_is_the_golden_one(name: str) -> None:
    golden = (FOLDER / f"deathvalley_{name}.txt").read_text(encoding="utf-8")
    assert playthrough(name) == golden


def test_plain_python_plays_the_same_games_without_a_warning() -> None:
    """With NUMBA_DISABLE_JIT=1 the same rules run as they stand; every state, observation and mask is the same."""
    plain = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.deathvalley_env.playthroughs"],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert plain.returncode == 0, plain.stderr
    assert plain.stdout == "".join(playthrough(name) + "\n" for name in GAMES)
