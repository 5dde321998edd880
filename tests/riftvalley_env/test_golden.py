"""Golden playthroughs: a change of the rules shows as a readable difference; compiled and plain kernels agree."""

import pytest

from tests.riftvalley_env.playthroughs import GAMES, playthrough
from tests.valley_core.plain import plain_output
from tests.valley_core.playthroughs import golden_file


@pytest.mark.plain
@pytest.mark.parametrize("name", GAMES)
def test_the_game_is_the_golden_one(name: str) -> None:
    assert playthrough(name) == golden_file("riftvalley", name).read_text(encoding="utf-8")


def test_plain_python_plays_the_same_games_without_a_warning() -> None:
    """With NUMBA_DISABLE_JIT=1 the same rules run as they stand; every state, observation and mask is the same."""
    plain = plain_output("tests.riftvalley_env.playthroughs")
    assert plain == "".join(playthrough(name) + "\n" for name in GAMES)
