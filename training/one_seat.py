"""PettingZoo's environments as Stable-Baselines3 is usually given them, to be measured beside the native one."""

from importlib import import_module
from time import perf_counter
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper

from training.games import entry_of


class OneSeat(gymnasium.Env):
    """One learner in a PettingZoo AEC environment; the others play random legal actions within its steps.

    Observations, masks and rewards are those of the AEC environment. The learner's seat is drawn for each game.
    """

    def __init__(self, aec: Any, seed: int) -> None:
        self.aec = aec
        self._rng = np.random.default_rng(seed)
        first = aec.possible_agents[0]
        space: Any = aec.observation_space(first)["observation"]
        self.observation_space: Any = spaces.Box(space.low, space.high, dtype=np.float32)
        self.action_space: Any = aec.action_space(first)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Deal a new game, and play until the learner is asked."""
        self.aec.reset(seed=seed)
        self._seat = str(self._rng.choice(self.aec.possible_agents))
        return self._go_on()[0], {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Carry out the learner's action, and play until the learner is asked again or the game is over."""
        self.aec.step(int(action))
        observation, reward, terminated, truncated = self._go_on()
        return observation, reward, terminated, truncated, {}

    def _go_on(self) -> tuple[Any, float, bool, bool]:
        while True:
            observation, reward, terminated, truncated, _ = self.aec.last()
            if terminated or truncated:
                if self.aec.agent_selection == self._seat:
                    return observation["observation"], float(reward), terminated, truncated
                self.aec.step(None)
            elif self.aec.agent_selection == self._seat:
                self._mask = observation["action_mask"].astype(bool)
                return observation["observation"], float(reward), False, False
            else:
                self.aec.step(int(self._rng.choice(np.flatnonzero(observation["action_mask"]))))

    def action_masks(self) -> np.ndarray:
        """Legal actions of the learner, bool of shape (num_actions,)."""
        return self._mask


def one_seat(game: str, seed: int) -> OneSeat:
    """The game between players in its first setting."""
    entry = entry_of(game)
    options: dict[str, Any] = {**next(iter(entry.settings.values())), **entry.learning}
    return OneSeat(import_module(f"{game}_env").env(**options), seed)


class Timed(VecEnvWrapper):
    """Notes the time in steps and masks.

    Attributes:
        seconds: So far.
    """

    def __init__(self, environment: VecEnv) -> None:
        super().__init__(environment)
        self.seconds = 0.0
        self._start = 0.0

    def reset(self) -> Any:
        """Deal new games."""
        return self.venv.reset()

    def step_async(self, actions: np.ndarray) -> None:
        """Begin a step."""
        self._start = perf_counter()
        self.venv.step_async(actions)

    def step_wait(self) -> Any:
        """End it."""
        result = self.venv.step_wait()
        self.seconds += perf_counter() - self._start
        return result

    def env_method(self, *args: Any, **kwargs: Any) -> list[Any]:
        """Masks are asked for so."""
        start = perf_counter()
        found: list[Any] = self.venv.env_method(*args, **kwargs)
        self.seconds += perf_counter() - start
        return found
