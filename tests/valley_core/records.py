"""What the state checks of all games have in common, for the tests of each game."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from valley_core.errors import StateError
from valley_core.game import Game


def check_other_things_are_refused(game: Game, title: str) -> None:
    """Assert that what is no single record of a game is no state of it."""
    dtype = game.template.dtype
    things: list[Any] = [None, 3, b"", {"turn": 1}, np.zeros((), np.int64), np.zeros(1, dtype), np.zeros((2, 2), dtype)]
    for thing in (*things, np.zeros((), np.dtype([("rng", "u8")]))):
        with pytest.raises(StateError, match=rf"not one state of {title}: .*`state_record\(\)`"):
            game.check_state(thing)


def check_a_saved_record_is_loaded(raw_env: Callable[[], Any], folder: Path) -> None:
    """Assert that a record that went through a file is the state it was, as `np.load` gives it."""
    env = raw_env()
    env.reset(seed=3)
    env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    np.save(folder / "record.npy", env.state_record())
    loaded = np.load(folder / "record.npy")
    other = raw_env()
    other.reset(options={"state": loaded})
    assert other.state_record().tobytes() == env.state_record().tobytes()
    other.set_state_record(loaded)
    assert other.agent_selection == env.agent_selection
