"""Stable-Baselines3's interface: a `VecEnv` over the native vector environment, with masks for sb3-contrib."""

from collections.abc import Iterable, Sequence
from copy import deepcopy
from functools import partial
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from valley_core.adapter import entropy, flat_space
from valley_core.errors import OptionError
from valley_core.vector import Ended, VectorAdapter

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise ImportError("this needs Stable-Baselines3: pip install 'valley-envs[train]'") from error

Indices = None | int | Iterable[int]

SEEDS = 1 << 32


class SB3Adapter(VecEnv):
    """A batch of games as a `VecEnv`, without subprocesses.

    **Observation**: float32 of shape (num_envs, layout.size). The masks are apart: ``action_masks()``, or
    ``env_method("action_masks")`` as sb3-contrib's `MaskablePPO` asks for them.

    **End**: games are dealt anew in the same step; ``infos[i]`` then holds ``terminal_observation``,
    ``TimeLimit.truncated`` and the numbers of `Game.info`, and with `summaries` also `Game.summary` as ``summary``.
    Wrap it in SB3's `VecMonitor` for the lengths and returns of episodes in the log, with
    ``info_keywords=("winner",)`` for who won.

    Args:
        vector: A vector environment with `AutoresetMode.SAME_STEP` that gives new arrays.
    """

    def __init__(self, vector: VectorAdapter) -> None:
        if vector.metadata["autoreset_mode"] != AutoresetMode.SAME_STEP or not vector.copy:
            raise OptionError(
                "Stable-Baselines3 needs a vector environment with autoreset_mode='SameStep' and copy=True"
            )
        self.vector = vector
        self._actions = np.zeros(vector.num_envs, np.int64)
        super().__init__(vector.num_envs, flat_space(vector.game), deepcopy(vector.single_action_space))

    def reset(self) -> np.ndarray:
        """Deal new games, with the seeds and options that `seed` and `set_options` left."""
        seeds: Any = None if all(seed is None for seed in self._seeds) else self._seeds
        records = [options["state"] for options in self._options if options and "state" in options]
        options: dict[str, Any] = {name: None for one in self._options for name in one if name != "state"}
        if records:
            if len(records) != self.num_envs:
                raise OptionError(
                    f"set_options() gave 'state' to {len(records)} of {self.num_envs} games; give all one"
                )
            options["state"] = np.array(records, records[0].dtype)
        observation, _ = self.vector.reset(seed=seeds, options=options or None)
        self._reset_seeds()
        self._reset_options()
        self.reset_infos = [{} for _ in range(self.num_envs)]
        return observation["observation"]

    def step_async(self, actions: np.ndarray) -> None:
        """Note the actions, integers of shape (num_envs,)."""
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Carry them out: observations, rewards (float32), whether games ended, infos."""
        turn = self.vector.advance(self._actions)
        # One for each game, since wrappers write into them.
        infos: list[dict[str, Any]] = [{"TimeLimit.truncated": False} for _ in range(self.num_envs)]
        if turn.ended is not None:
            self._tell_ends(infos, turn.ended, turn.truncated)
        return turn.seen.observations, turn.rewards.astype(np.float32), turn.terminated | turn.truncated, infos

    def _tell_ends(self, infos: list[dict[str, Any]], ended: Ended, truncated: np.ndarray) -> None:
        """What SB3 wants to know of the games that ended, and the numbers of `Game.info`."""
        for k, i in enumerate(ended.which.tolist()):
            infos[i] = info = self.vector.reader.of_game(ended.numbers[k])
            info["TimeLimit.truncated"] = bool(truncated[i])
            info["terminal_observation"] = ended.observations[k]
            if self.vector.counts_illegal_actions:
                info["illegal_actions"] = ended.illegal[k]
            if i in self.vector.ended_summaries:
                info["summary"] = self.vector.ended_summaries[i]

    def action_masks(self) -> np.ndarray:
        """Legal actions, bool of shape (num_envs, num_actions)."""
        return self.vector.action_masks()

    def _action_masks_of(self, index: int) -> np.ndarray:
        return self.vector.action_masks()[index]

    def env_method(self, method_name: str, *args: Any, indices: Indices = None, **kwargs: Any) -> list[Any]:
        """Call ``action_masks``, ``render`` or ``state_record`` of single games, any other method of the batch once."""
        if method_name == "action_masks":
            masks = self.vector.action_masks()
            return list(masks) if indices is None else [masks[i] for i in self._get_indices(indices)]
        which = list(self._get_indices(indices))
        if method_name == "state_record":
            records = self.vector.state_records()
            return [records[i].copy() for i in which]
        if method_name == "render":
            pictures = self.vector.render()
            return [None if pictures is None else pictures[i] for i in which]
        result = getattr(self.vector, method_name)(*args, **kwargs)
        return [result] * len(which)

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """An attribute of the batch, once for each game."""
        which = list(self._get_indices(indices))
        if attr_name == "action_masks":
            return [partial(self._action_masks_of, i) for i in which]
        return [getattr(self.vector, attr_name)] * len(which)

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Set an attribute of the batch, which is one for all games: `indices` must leave none out."""
        if set(self._get_indices(indices)) != set(range(self.num_envs)):
            raise OptionError("the games of a batch share their attributes; set them for all games at once")
        setattr(self.vector, attr_name, value)

    def env_is_wrapped(self, wrapper_class: type, indices: Indices = None) -> list[bool]:
        """No game is wrapped."""
        return [False for _ in self._get_indices(indices)]

    def seed(self, seed: int | Sequence[int] | None = None) -> Sequence[int | None]:
        """Give game i the seed ``seed + i`` at the next reset, or the i-th of as many seeds as there are games.

        None draws one, not from NumPy's global stream.
        """
        if isinstance(seed, Sequence):
            if len(seed) != self.num_envs:
                raise OptionError(f"{len(seed)} seeds for {self.num_envs} games; give one for each, or a single number")
            self._seeds = list(seed)
            return self._seeds
        return super().seed(entropy() % SEEDS if seed is None else int(seed))

    def get_images(self) -> Sequence[np.ndarray | None]:
        """The pictures of ``render_mode="rgb_array"``."""
        return list(self.vector.render() or [None] * self.num_envs)

    def close(self) -> None:
        """Close the vector environment."""
        self.vector.close()
