"""What the conformance tests of both games share."""

from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger

from valley_core.vector import VectorAdapter

WARNINGS = [
    pytest.mark.filterwarnings("error"),
    # What PettingZoo's test says of every environment with a mask in a Dict that is not on a list of its own by name.
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning"),
    # It resets with options={"options": 1}, to see that the argument is accepted; we warn of what we do not know.
    pytest.mark.filterwarnings("ignore:.*knows no option 'options':UserWarning"),
]


@pytest.fixture(autouse=True)
def no_warning_in_the_log() -> Iterator[None]:
    """PettingZoo's wrappers warn through a log of their own."""
    EnvLogger.flush()
    yield
    assert EnvLogger.mqueue == []


def check_illegal_action_in_wrappers(env: AECEnv, illegal: int) -> None:
    """Assert that an action that is illegal in the first position ends the game."""
    env.reset(seed=1)
    culprit = env.agent_selection
    env.step(illegal)
    assert all(env.terminations.values())
    assert env.rewards == {agent: -1 if agent == culprit else 0 for agent in env.possible_agents}
    for _ in env.possible_agents:
        env.step(None)
    assert env.agents == []
    assert any("Illegal move" in str(message) for message in EnvLogger.mqueue)
    EnvLogger.flush()


def check_own_policy_in_wrappers(env: AECEnv, illegal: int, ends: bool) -> None:
    """Assert that our own way with an illegal action ends the game, or does not."""
    env.reset(seed=1)
    env.step(illegal)
    assert all(env.terminations.values()) == ends


def check_gymnasiums_own_vectors(native: VectorAdapter, name: str, context: str, steps: int, **options: Any) -> None:
    """Assert that Gymnasium's vector environments, made from a name in its registry, play the games of ours."""
    makers = [lambda: gymnasium.make(name, **options)] * native.num_envs
    others = [SyncVectorEnv(makers), AsyncVectorEnv(makers, context=context)]
    observations = [env.reset(seed=4)[0] for env in (native, *others)]
    for _ in range(steps):
        for observation in observations[1:]:
            for part in observation:
                np.testing.assert_array_equal(observation[part], observations[0][part])
        actions = observations[0]["action_mask"].argmax(1)
        results = [env.step(actions) for env in (native, *others)]
        for result in results[1:]:
            for mine, theirs in zip(results[0][1:4], result[1:4], strict=True):
                np.testing.assert_array_equal(mine, theirs)
        observations = [result[0] for result in results]
    for env in others:
        env.close()
