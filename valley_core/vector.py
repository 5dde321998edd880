"""Gymnasium's vector interface: a batch of games in one process, stepped by compiled loops in threads."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from valley_core.adapter import (
    ILLEGAL_ACTION,
    LOSS,
    action_space,
    as_number,
    as_seed,
    legal_names,
    observation_space,
    out_of_space,
    state_option,
)
from valley_core.batch import in_threads
from valley_core.errors import IllegalActionError, OptionError
from valley_core.game import Game, Status
from valley_core.learners import Learners, Opponents
from valley_core.options import fits_memory, one_of
from valley_core.recipe import Recipe
from valley_core.rendering import Drawings, drawing_of, render_modes

AUTORESET_MODES = (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP)


def as_autoreset_mode(mode: AutoresetMode | str) -> AutoresetMode:
    """The mode itself, or the one of that name or value (``"NextStep"``, ``"SAME_STEP"`` …)."""
    for known in AUTORESET_MODES:
        if mode in (known, known.name, known.value):
            return known
    names = ", ".join(repr(known.value) for known in AUTORESET_MODES)
    raise OptionError(f"autoreset_mode={mode!r} is not possible; choose one of {names}")


def bytes_of_game(game: Game) -> int:
    """Memory that each game of a batch takes, at least: its record, what is observed, and its masks."""
    return int(game.template.dtype.itemsize) + 4 * game.layout.size + 3 * game.num_actions


class VectorAdapter(VectorEnv):
    """`num_envs` games as a Gymnasium `VectorEnv`, a learner in each.

    Game i of ``reset(seed=s)`` is the game of a single environment after ``reset(seed=s + i)``; the games that follow
    it are those of ``reset()`` there. Neither the number of games nor that of threads changes a game
    (`valley_core.batch.set_num_threads`).

    Attributes:
        ended_summaries: `Game.summary` of each game that ended in the last step, by number, if asked for by
            `summaries`.

    **Observation**: ``{"observation": float32 (num_envs, layout.size), "action_mask": int8 (num_envs,
    num_actions)}``. The masks are also in ``infos["action_mask"]``.

    **Action**: integers of shape (num_envs,), legal each. All are checked before anything changes; what is no action
    at all raises `IllegalActionError`, and see `illegal_action`.

    **Reward, end**: as of `valley_core.gym_env.GymAdapter`, float64 and bool of shape (num_envs,).

    **Autoreset**, as ``metadata["autoreset_mode"]`` says. `AutoresetMode.NEXT_STEP`: the step after a game's end
    ignores its action, deals a new game, and gives its first observation with reward 0. `AutoresetMode.SAME_STEP`:
    the step that ends a game gives the first observation of the next; the last one of the old is in
    ``infos["final_obs"][i]``, where ``infos["_final_obs"][i]`` holds, and its infos are in ``infos["final_info"]``.

    Args:
        make_game: An importable function that makes the `Game`.
        options: Its keyword arguments.
        num_envs: How many games.
        seat, opponents: As of `GymAdapter`. An agent is asked for all games at once.
        autoreset_mode: `AutoresetMode.NEXT_STEP` or `AutoresetMode.SAME_STEP`.
        illegal_action: As of `GymAdapter`; ``infos["illegal_actions"]`` counts, except with ``"raise"``.
        copy: Give new arrays. Without it, observations and masks are buffers that the next step overwrites, and must
            not be written to.
        summaries: Put `Game.summary` of each game that ends into the infos: Python code for each, which takes longer
            than the game.
        render_mode, drawings: As of `GymAdapter`; `render` gives a tuple of pictures.
    """

    def __init__(
        self,
        make_game: Callable[..., Game],
        options: Mapping[str, Any] | None = None,
        *,
        num_envs: int = 1,
        seat: int | str = 0,
        opponents: Opponents = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        illegal_action: str = "raise",
        copy: bool = True,
        summaries: bool = False,
        render_mode: str | None = None,
        drawings: Drawings | None = None,
    ) -> None:
        if as_number(num_envs) is None or num_envs < 1:
            raise OptionError(f"num_envs={num_envs!r} must be a whole number of at least 1")
        self.num_envs = int(num_envs)
        self.copy = copy
        self.summaries = summaries
        self._illegal_action = one_of("illegal_action", illegal_action, ILLEGAL_ACTION)
        self._mode = as_autoreset_mode(autoreset_mode)
        self._drawing = drawing_of(render_mode, drawings)
        self.render_mode = render_mode
        self.metadata = {"render_modes": render_modes(drawings), "render_fps": 2, "autoreset_mode": self._mode}
        recipe = Recipe(make_game, options)
        fits_memory("num_envs", self.num_envs, bytes_of_game(recipe.game))
        self._learners = Learners(recipe, self.num_envs, seat, opponents)
        self.single_observation_space = observation_space(self.game)
        self.single_action_space = action_space(self.game)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.ended_summaries: dict[int, dict[str, Any]] = {}
        self._ready = False
        self._observations = self._learners.blank_observations()
        self._masks = np.zeros((self.num_envs, self.game.num_actions), np.uint8)
        self._over = np.zeros(self.num_envs, bool)
        self._illegal_count = np.zeros(self.num_envs, np.int64)
        self._all = np.ones(self.num_envs, bool)
        self._none = np.zeros(self.num_envs, bool)

    @cached_property
    def observation_space(self) -> spaces.Dict:  # type: ignore[override]
        """`num_envs` times `single_observation_space`; made when first asked for, since it is large."""
        space: Any = batch_space(self.single_observation_space, self.num_envs)
        return space

    @property
    def game(self) -> Game:
        """The facts of the game."""
        return self._learners.recipe.game

    @property
    def seats(self) -> np.ndarray:
        """The learner's seat in each game, int64 of shape (num_envs,)."""
        return self._learners.learners["seat"].copy()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "observation_space"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Arrays may come back read-only from a pickle that shares memory.
        self.__dict__.update({k: v.copy() if isinstance(v, np.ndarray) else v for k, v in state.items()})

    # --- Reset --------------------------------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Deal new games.

        Args:
            seed: A whole number s, for seeds s, s + 1, …; or one seed, or None, for each game. A game without a seed
                goes on with its stream of random numbers, or starts from entropy if it never was seeded.
            options: ``{"state": record}`` starts all games from a position, ``{"state": records}`` each from its own.

        Raises:
            StateError: A record is no state of this game, or one in which it is over.
            OptionError: A seed is no whole number of at least 0, or there are too many or too few.
        """
        record = state_option(options)
        seeds = self._seeds_of(seed)
        self._learners.seed(self._first_seeds(seeds))
        if record is None:
            self._learners.deal(self._all)
        else:
            self._learners.place(self._records_of(record), seeds)
        self._ready = True
        return self._begin()

    def _seeds_of(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        seeds: list[int | None]
        if seed is None:
            seeds = [None] * self.num_envs
        elif isinstance(seed, Sequence | np.ndarray) and not isinstance(seed, str):
            seeds = [None if one is None else as_seed(one) for one in seed]
        else:
            first = as_seed(seed)
            super().reset(seed=first)  # `np_random` is Gymnasium's; the games have streams of their own
            seeds = [first + i for i in range(self.num_envs)]
        if len(seeds) != self.num_envs:
            raise OptionError(f"{len(seeds)} seeds for {self.num_envs} games; give one for each, or a single number")
        return seeds

    def _first_seeds(self, seeds: list[int | None]) -> list[int | None]:
        """The seeds, with entropy for games that never had one."""
        if self._learners.seeded.all():
            return seeds
        fresh: Any = self.np_random_seed
        known = self._learners.seeded.tolist()
        return [fresh + i if one is None and not known[i] else one for i, one in enumerate(seeds)]

    def _records_of(self, record: Any) -> list[Any]:
        if getattr(record, "shape", ()) == ():
            return [record] * self.num_envs
        if len(record) != self.num_envs:
            raise OptionError(f"options['state'] holds {len(record)} records for {self.num_envs} games")
        return list(record)

    def _begin(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        self._observations = self._learners.blank_observations()
        self._illegal_count[:] = 0
        _, statuses = self._see(self._all, self._none)
        self._over = statuses != Status.RUNNING
        return self._observation(), self._infos()

    def _see(self, chosen: np.ndarray, paid: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Look at the games that are chosen; the rewards of the learners that are paid, and the statuses."""
        rewards = np.zeros(self.num_envs)
        statuses = np.zeros(self.num_envs, np.int64)
        self._learners.see(chosen, paid, self._observations, self._masks, rewards, statuses)
        return rewards, statuses

    # --- Step ---------------------------------------------------------------------------------------------------------

    def step(self, actions: Any) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Carry out an action in each game, and play until the learners are asked again.

        Raises:
            IllegalActionError: One is no action, or not legal now; nothing has changed.
        """
        if not self._ready:
            raise ResetNeeded("call reset() before step()")
        numbers = self._numbers(actions)
        ended = self._over
        running = ~ended
        allowed = self._learners.check(numbers) | ended
        if not allowed.all():
            self._count_illegal(numbers, allowed)
        played = running & allowed
        self._learners.act(numbers, played)
        if ended.any():  # only with NEXT_STEP
            self._deal(ended)
        rewards, statuses = self._see(self._all, played)
        if self._illegal_action == "lose" and not allowed.all():
            self._forfeit(~allowed, rewards, statuses)
        terminated, truncated = statuses == Status.TERMINATED, statuses == Status.TRUNCATED
        over = terminated | truncated
        self.ended_summaries = self._summaries(over)
        if self._mode == AutoresetMode.NEXT_STEP:
            self._over = over
            infos = self._infos(self.ended_summaries)
        else:
            final = self._finish(over) if over.any() else {}
            infos = self._infos() | final
        return self._observation(), rewards, terminated, truncated, infos

    def _numbers(self, actions: Any) -> np.ndarray:
        """The actions as int64 of shape (num_envs,), each in the action space."""
        numbers = np.asarray(actions)
        if numbers.shape != (self.num_envs,) or numbers.dtype.kind not in "iu":
            raise IllegalActionError(
                f"of shape {numbers.shape}, dtype {numbers.dtype},",
                "the batch",
                {},
                f"must be integers of shape ({self.num_envs},)",
            )
        wrong = (numbers < 0) | (numbers >= self._masks.shape[1])
        if wrong.any():
            i = int(np.flatnonzero(wrong)[0])
            raise out_of_space(self.game, self._name(i), numbers[i], self._masks[i])
        return numbers.astype(np.int64)

    def _name(self, i: int) -> str:
        return f"{self.game.agents[self._learners.learners['seat'][i]]} in game {i}"

    def _count_illegal(self, numbers: np.ndarray, allowed: np.ndarray) -> None:
        if self._illegal_action == "raise":
            i = int(np.flatnonzero(~allowed)[0])
            raise IllegalActionError(int(numbers[i]), self._name(i), legal_names(self.game, self._masks[i]))
        self._illegal_count[~allowed] += 1

    def _deal(self, chosen: np.ndarray) -> None:
        self._learners.deal(chosen)
        self._illegal_count[chosen] = 0

    def _forfeit(self, culprits: np.ndarray, rewards: np.ndarray, statuses: np.ndarray) -> None:
        rewards[culprits] = LOSS
        statuses[culprits] = Status.TERMINATED
        self._masks[culprits] = 0
        self._masks[culprits, self.game.wait] = 1

    def _finish(self, over: np.ndarray) -> dict[str, Any]:
        """Note how games ended, and deal new ones (SAME_STEP)."""
        which = np.flatnonzero(over)
        observations = self._observations[which]
        masks = self._masks[which].view(np.int8)
        final_obs = np.full(self.num_envs, None, object)
        for k, i in enumerate(which.tolist()):
            final_obs[i] = {"observation": observations[k], "action_mask": masks[k]}
        final_masks = np.zeros(self._masks.shape, np.int8)
        final_masks[which] = masks
        final_info: dict[str, Any] = {"action_mask": final_masks, "_action_mask": over.copy()}
        if self._illegal_action != "raise":
            final_info |= {"illegal_actions": self._illegal_count * over, "_illegal_actions": over.copy()}
        self._add_summaries(final_info, self.ended_summaries)
        self._deal(over)
        self._see(over, self._none)
        return {"final_obs": final_obs, "_final_obs": over.copy(), "final_info": final_info, "_final_info": over.copy()}

    def _summaries(self, over: np.ndarray) -> dict[int, dict[str, Any]]:
        if not self.summaries:
            return {}
        return {int(i): self._learners.summary(int(i)) for i in np.flatnonzero(over)}

    # --- What is handed out -------------------------------------------------------------------------------------------

    def _observation(self) -> dict[str, np.ndarray]:
        observations, masks = self._observations, self._masks
        if self.copy:
            observations = np.empty_like(observations)
            in_threads(self.num_envs, lambda part: np.copyto(observations[part], self._observations[part]))
            masks = masks.copy()
        return {"observation": observations, "action_mask": masks.view(np.int8)}

    def _infos(self, summaries: Mapping[int, dict[str, Any]] | None = None) -> dict[str, Any]:
        masks = self._masks.copy() if self.copy else self._masks
        infos: dict[str, Any] = {"action_mask": masks.view(np.int8), "_action_mask": np.ones(self.num_envs, bool)}
        if self._illegal_action != "raise":
            infos["illegal_actions"] = self._illegal_count.copy()
            infos["_illegal_actions"] = np.ones(self.num_envs, bool)
        self._add_summaries(infos, summaries or {})
        return infos

    def _add_summaries(self, infos: dict[str, Any], summaries: Mapping[int, dict[str, Any]]) -> None:
        """Add the summaries of the games that ended, each entry with its mask.

        They are arrays of objects, whatever the entries: Gymnasium's `_add_info` takes the dtype of the first game's
        entry, which fails where another's is None (a shared victory has no winner).
        """
        for i, summary in summaries.items():
            for name, value in summary.items():
                if name not in infos:
                    infos[name] = np.full(self.num_envs, None, object)
                    infos[f"_{name}"] = np.zeros(self.num_envs, bool)
                infos[name][i] = value
                infos[f"_{name}"][i] = True

    def action_masks(self) -> np.ndarray:
        """Legal actions, bool of shape (num_envs, num_actions), as sb3-contrib asks for them."""
        if not self._ready:
            raise ResetNeeded("call reset() before action_masks()")
        return self._masks.astype(bool)

    def state_records(self) -> np.ndarray:
        """A copy of all states, hidden parts included: records of shape (num_envs,)."""
        if not self._ready:
            raise ResetNeeded("call reset() before state_records()")
        return self._learners.states.copy()

    def set_state_records(self, records: np.ndarray) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Go on from records; observations, infos and errors as of `reset`."""
        self._learners.seed(self._first_seeds([None] * self.num_envs))
        self._learners.place(self._records_of(records))
        self._ready = True
        return self._begin()

    def render(self) -> tuple[Any, ...] | None:
        """A picture of each game in the chosen render mode."""
        if self._drawing is None:
            return None
        if not self._ready:
            raise ResetNeeded("call reset() before render()")
        states, data = self._learners.states, self.game.data
        return tuple(self._drawing(self.game, state, data[state["data"]]) for state in states)
