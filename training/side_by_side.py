"""Several vector environments of one shape as a single one: other settings or other opponents in each.

Each may be on a deck of its own. Then the part of an observation that is constant for a deck is not repeated in every
observation: the number of the environment is in its place.

A game that is broken off (`max_turns`) is paid as lost and ends like any other: it is no victory, and a policy that is
told the worth of the position instead learns to play on for ever where it stands well.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from time import perf_counter
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv

from training.seeds import Purpose, deal_seeds
from valley_core.errors import OptionError
from valley_core.game import Game

Indices = None | int | Iterable[int]

LOST = -1.0
"""The reward of a defeat (`valley_core.game.Reward.WIN`)."""
RECENT = 2000
"""Games of which the share that was won is kept."""


class SideBySide(VecEnv):
    """Vector environments as one, the games of the first before those of the second and so on.

    It counts what a training has to report, and is pickled with all its games.

    Attributes:
        parts: The environments; their games end in rewards by `valley_core.game.Reward.WIN`.
        numbered: The game of each, if a part of the observations is constant: the last entry of an observation, the
            index in this list, is in its place. Empty where all changes.
        seconds: Time spent in steps and masks so far.
        decisions: Actions taken so far.
        illegal: How many of them were illegal.
        recent: Whether each of the last games was won alone.
    """

    def __init__(self, parts: Sequence[Any]) -> None:
        first = parts[0]
        for part in parts:
            if (part.observation_space, part.action_space) != (first.observation_space, first.action_space):
                raise OptionError("environments side by side need the same observations and actions")
        self.parts = list(parts)
        game = first.vector.game
        self._changing = game.fixed_from
        self._is_numbered = self._changing < game.layout.size
        self.seconds = 0.0
        self.decisions = 0
        self.illegal = 0
        self.recent: deque[bool] = deque(maxlen=RECENT)
        ends = np.cumsum([part.num_envs for part in parts])
        self._slices = [slice(int(end) - part.num_envs, int(end)) for part, end in zip(parts, ends, strict=True)]
        self._actions = np.zeros(int(ends[-1]), np.int64)
        super().__init__(int(ends[-1]), self._space(first.observation_space), first.action_space)

    @property
    def numbered(self) -> list[Game]:
        """See the class."""
        return [part.vector.game for part in self.parts] if self._is_numbered else []

    def _space(self, whole: spaces.Box) -> spaces.Box:
        """The space of the observations."""
        if not self._is_numbered:
            return whole
        low, high = (np.append(bound[: self._changing], end) for bound, end in ((whole.low, 0), (whole.high, np.inf)))
        return spaces.Box(low.astype(np.float32), high.astype(np.float32))

    def _seen(self, observations: Sequence[np.ndarray]) -> np.ndarray:
        """The observations of all parts, with the number of the part in place of what is constant in it."""
        if not self._is_numbered:
            return np.concatenate(observations)
        seen = np.empty((self.num_envs, self._changing + 1), np.float32)
        for k, (where, some) in enumerate(zip(self._slices, observations, strict=True)):
            seen[where, :-1] = some[:, : self._changing]
            seen[where, -1] = k
        return seen

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Give each game a seed of its own at the next reset: the first deals of a training with this seed.

        Seeds in a row would give trainings with seeds 0 and 1 the same games but one.
        """
        if seed is None:
            return [one for part in self.parts for one in part.seed(None)]
        numbers = deal_seeds(seed, self.num_envs, Purpose.TRAINING).tolist()
        return [one for part, where in zip(self.parts, self._slices, strict=True) for one in part.seed(numbers[where])]

    def reset(self) -> np.ndarray:
        """Deal new games everywhere."""
        observations = self._seen([part.reset() for part in self.parts])
        self._masks = self._look()
        return observations

    def step_async(self, actions: np.ndarray) -> None:
        """Note the actions, integers of shape (num_envs,)."""
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Carry them out: observations, rewards (float32), whether games ended, infos."""
        start = perf_counter()
        self.decisions += self.num_envs
        self.illegal += self.num_envs - int(self._masks[np.arange(self.num_envs), self._actions].sum())
        results = [part.step(self._actions[where]) for part, where in zip(self.parts, self._slices, strict=True)]
        observations = self._seen([result[0] for result in results])
        rewards, ended = (np.concatenate([result[k] for result in results]) for k in (1, 2))
        infos = [self._told(k, info) for k, result in enumerate(results) for info in result[3]]
        for i in np.flatnonzero(ended):
            if infos[i]["TimeLimit.truncated"]:
                infos[i]["TimeLimit.truncated"] = False
                rewards[i] = LOST
        self.recent.extend((rewards[ended] >= 1).tolist())
        self._masks = self._look()
        self.seconds += perf_counter() - start
        return observations, rewards, ended, infos

    def _told(self, k: int, info: dict[str, Any]) -> dict[str, Any]:
        """The info of a game of part k, with the last observation as this environment gives it."""
        if self._is_numbered and "terminal_observation" in info:
            info["terminal_observation"] = np.append(info["terminal_observation"][: self._changing], np.float32(k))
        return info

    def _look(self) -> np.ndarray:
        return np.concatenate([part.action_masks() for part in self.parts])

    def action_masks(self) -> np.ndarray:
        """Legal actions, bool of shape (num_envs, num_actions)."""
        return self._masks

    def env_method(self, method_name: str, *args: Any, indices: Indices = None, **kwargs: Any) -> list[Any]:
        """Call a method of single games, as of `valley_core.sb3.SB3Adapter`."""
        if method_name == "action_masks":
            return [self._masks[i] for i in self._get_indices(indices)]
        found = [one for part in self.parts for one in part.env_method(method_name, *args, **kwargs)]
        return [found[i] for i in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """An attribute of each game's environment."""
        found = [one for part in self.parts for one in part.get_attr(attr_name)]
        return [found[i] for i in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Set an attribute of all environments."""
        if set(self._get_indices(indices)) != set(range(self.num_envs)):
            raise OptionError("the games of a batch share their attributes; set them for all games at once")
        for part in self.parts:
            part.set_attr(attr_name, value)

    def env_is_wrapped(self, wrapper_class: type, indices: Indices = None) -> list[bool]:
        """No game is wrapped."""
        return [False for _ in self._get_indices(indices)]

    def close(self) -> None:
        """Close all environments."""
        for part in self.parts:
            part.close()
