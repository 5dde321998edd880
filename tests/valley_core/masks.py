"""Whether a mask says what `step` does, for the tests of each game."""

from collections.abc import Iterable
from typing import Any

import pytest

from valley_core.errors import IllegalActionError


def check_actions(env: Any, actions: Iterable[int]) -> int:
    """Try actions of the selected agent of a raw environment, each from where it stands; how many.

    Each that the mask admits succeeds; each other one raises and leaves the state byte for byte.
    """
    before, mask = env.state_record(), env.action_masks()
    tried = 0
    for action in actions:
        if action < len(mask) and mask[action]:
            env.step(action)
            assert env.state_record().tobytes() != before.tobytes()
            env.set_state_record(before)
        else:
            with pytest.raises(IllegalActionError, match="legal:"):
                env.step(action)
            assert env.state_record().tobytes() == before.tobytes()
        tried += 1
    return tried
