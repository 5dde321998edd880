"""Gymnasium's vector interface: a batch of games in one process, stepped by compiled loops in threads."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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
    as_array,
    as_number,
    as_seed,
    legal_names,
    observation_space,
    out_of_space,
    state_option,
)
from valley_core.errors import IllegalActionError, OptionError
from valley_core.game import Game
from valley_core.infos import InfoReader
from valley_core.learners import LOOK, Learners, Opponents, Seen, check_actions
from valley_core.options import fits_memory, one_of
from valley_core.recipe import Recipe
from valley_core.rendering import Drawings, drawing_of, render_modes

MAX_INT = np.iinfo(np.int64).max
AUTORESET_MODES = (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP)


def as_autoreset_mode(mode: AutoresetMode | str) -> AutoresetMode:
    """The mode itself, or the one of that name or value (``"NextStep"``, ``"SAME_STEP"`` …)."""
    for known in AUTORESET_MODES:
        if mode in (known, known.name, known.value):
            return known
    names = ", ".join(repr(known.value) for known in AUTORESET_MODES)
    raise OptionError(f"autoreset_mode={mode!r} is not possible; choose one of {names}")


@dataclass
class Ended:
    """Games that ended in a step, and were dealt anew.

    Attributes:
        over: Which games, bool of shape (num_envs,).
        which: Their indices; the rows of all that follows.
        observations, masks, numbers: What was seen at the end, as of `valley_core.learners.Seen`; masks are int8.
        illegal: How many illegal actions there were, int64.
    """

    over: np.ndarray
    which: np.ndarray
    observations: np.ndarray
    masks: np.ndarray
    numbers: np.ndarray
    illegal: np.ndarray


@dataclass
class Turn:
    """A step of all games, as plain arrays.

    Attributes:
        seen: What is seen after it; of the new game, where one was dealt anew.
        rewards, terminated, truncated: Of the games that were played.
        ended: The games that ended, if they were dealt anew in this step.
    """

    seen: Seen
    rewards: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray
    ended: Ended | None = None


def bytes_of_game(game: Game) -> int:
    """Memory that each game of a batch takes, at least: its record, what is observed, and its masks."""
    return int(game.template.dtype.itemsize) + 4 * game.layout.size + 3 * game.num_actions


class VectorAdapter(VectorEnv):
    """`num_envs` games as a Gymnasium `VectorEnv`, a learner in each.

    Game i of ``reset(seed=s)`` is the game of a single environment after ``reset(seed=s + i)``; the games that follow
    it are those of ``reset()`` there. Neither the number of games nor that of threads changes a game
    (`valley_core.batch.set_num_threads`).

    Attributes:
        autoreset_mode: The mode, also in `metadata`.
        reader: Of the numbers in infos.
        ended_summaries: `Game.summary` of each game that ended in the last step, by number, if asked for by
            `summaries`.

    **Observation**: ``{"observation": float32 (num_envs, layout.size), "action_mask": int8 (num_envs,
    num_actions)}``.

    **Infos**: ``"action_mask"`` again, and the numbers of `Game.info`, int64 of shape (num_envs,) or (num_envs,
    length); the same names, shapes and dtypes after every step. All games have them, as ``infos["_…"]`` says.

    **Action**: integers of shape (num_envs,), legal each, of any dtype: an array, a tensor, or a list. All are checked
    before anything changes; what is no action at all raises `IllegalActionError`, and see `illegal_action`.

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
        copy: Give new arrays. Without it, observations, masks and infos are buffers that the next step overwrites.
        summaries: Put `Game.summary` of each game that ends into ``infos["summary"]``, an array of dicts (or None):
            Python code for each, which takes longer than the game.
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
        number: object = num_envs
        if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < 1:
            raise OptionError(f"num_envs={num_envs!r} must be a whole number of at least 1")
        self.num_envs = int(num_envs)
        self.copy = copy
        self.summaries = summaries
        self._illegal_action = one_of("illegal_action", illegal_action, ILLEGAL_ACTION)
        self.autoreset_mode = as_autoreset_mode(autoreset_mode)
        self._drawing = drawing_of(render_mode, drawings)
        self.render_mode = render_mode
        self.metadata = {"render_modes": render_modes(drawings), "render_fps": 2, "autoreset_mode": self.autoreset_mode}
        recipe = Recipe(make_game, options)
        fits_memory("num_envs", self.num_envs, bytes_of_game(recipe.game))
        self._learners = Learners(recipe, self.num_envs, seat, opponents)
        self.single_observation_space = observation_space(self.game)
        self.single_action_space = action_space(self.game)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.ended_summaries: dict[int, dict[str, Any]] = {}
        self._ready = False
        self.reader = InfoReader(self.game.info)
        self._over = np.zeros(self.num_envs, bool)
        self._any_over = False
        self._illegal_count = np.zeros(self.num_envs, np.int64)
        self._bind()

    def _bind(self) -> None:
        self._buffers: Seen | None = None
        self._everyone = np.ones(self.num_envs, bool)
        self._everyone.flags.writeable = False

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
    def counts_illegal_actions(self) -> bool:
        """Whether infos say how many there were."""
        return self._illegal_action != "raise"

    @property
    def seats(self) -> np.ndarray:
        """The learner's seat in each game, int64 of shape (num_envs,)."""
        return self._learners.learners["seat"].copy()

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k not in ("observation_space", "_buffers", "_everyone")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Arrays may come back read-only from a pickle that shares memory.
        self.__dict__.update({k: v.copy() if isinstance(v, np.ndarray) else v for k, v in state.items()})
        self._bind()

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
        if record is not None:
            self._learners.place(self._records_of(record), seeds)
        return self._begin(dealt=record is None)

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

    def _begin(self, dealt: bool) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Deal, or look at what was placed."""
        self._illegal_count[:] = 0
        self._buffers = None  # what is constant in observations may be so no more
        seen = self._seen()
        if dealt:
            self._learners.deal(seen)
        else:
            self._learners.look(seen)
        self._ready = True
        self._over, self._any_over = np.zeros(self.num_envs, bool), False
        return {"observation": seen.observations, "action_mask": seen.masks.view(np.int8)}, self._infos(seen)

    def _seen(self) -> Seen:
        """Where the next step is to be seen: new arrays if they are handed out for good."""
        if self.copy or self._buffers is None:
            seen = Seen(self.game, self._learners.new_observations())
            if not self.copy:
                self._buffers = seen
            return seen
        self._buffers.new_results()
        return self._buffers

    # --- Step ---------------------------------------------------------------------------------------------------------

    def step(self, actions: Any) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Carry out an action in each game, and play until the learners are asked again.

        Raises:
            IllegalActionError: One is no action, or not legal now; nothing has changed.
        """
        turn = self.advance(actions)
        infos = self._infos(turn.seen)
        if turn.ended is None:
            self._add_summaries(infos)  # with NEXT_STEP
        else:
            infos |= self._final(turn.ended)
        observation = {"observation": turn.seen.observations, "action_mask": turn.seen.masks.view(np.int8)}
        return observation, turn.rewards, turn.terminated, turn.truncated, infos

    def advance(self, actions: Any) -> Turn:
        """A step as plain arrays, for adapters that hand them out in another form; see `step`."""
        if not self._ready:
            raise ResetNeeded("call reset() before step()")
        numbers = self._numbers(actions)
        tasks, paid = np.empty(self.num_envs, np.int64), np.empty(self.num_envs, bool)
        illegal = check_actions(numbers, self._learners.allowed, self._over, tasks, paid)
        if illegal:
            self._count_illegal(illegal, numbers, tasks)
        if self._any_over:  # only with NEXT_STEP
            self._illegal_count[self._over] = 0
        seen = self._seen()
        any_over = self._learners.act(tasks, paid, seen) > 0
        if illegal and self._illegal_action == "lose":
            self._forfeit(tasks == LOOK, seen)
            any_over = True
        over = seen.terminated | seen.truncated
        self.ended_summaries = self._summaries(over) if any_over else {}
        turn = Turn(seen, seen.rewards, seen.terminated, seen.truncated)
        if self.autoreset_mode == AutoresetMode.NEXT_STEP:
            self._over, self._any_over = over, any_over
        elif any_over:
            turn.ended = self._deal_anew(over, seen)
        return turn

    def _numbers(self, actions: Any) -> np.ndarray:
        """The actions as int64 of shape (num_envs,), each in the action space."""
        if isinstance(actions, list | tuple):
            numbers = self._each_number(actions)
        else:
            numbers = as_array(actions)
            if numbers.size == self.num_envs == 1:
                numbers = numbers.reshape(1)
        if numbers.shape != (self.num_envs,) or numbers.dtype.kind not in "iu":
            raise IllegalActionError(
                f"of shape {numbers.shape}, dtype {numbers.dtype},",
                "the batch",
                {},
                f"must be integers of shape ({self.num_envs},)",
            )
        if numbers.dtype == np.uint64 and numbers.max() > MAX_INT:
            raise self._out_of_space(int(numbers.argmax()), numbers.max())
        return numbers.astype(np.int64)  # a copy: kernels are compiled for arrays of one kind

    def _out_of_space(self, i: int, action: object) -> IllegalActionError:
        return out_of_space(self.game, self._name(i), action, self._learners.allowed[i])

    def _each_number(self, actions: Sequence[Any]) -> np.ndarray:
        """The numbers in a list; an array of none of them if it is too long or too short."""
        numbers = [as_number(action) for action in actions]
        if len(numbers) == self.num_envs and None in numbers:
            i = numbers.index(None)
            raise self._out_of_space(i, actions[i])
        return np.array(numbers)

    def _name(self, i: int) -> str:
        return f"{self.game.agents[self._learners.learners['seat'][i]]} in game {i}"

    def _count_illegal(self, illegal: int, numbers: np.ndarray, tasks: np.ndarray) -> None:
        """Count the illegal actions, or raise the error of the first."""
        if illegal < 0:
            i = -1 - illegal
            raise self._out_of_space(i, int(numbers[i]))
        if self._illegal_action == "raise":
            i = int((tasks == LOOK).argmax())
            raise IllegalActionError(int(numbers[i]), self._name(i), legal_names(self.game, self._learners.allowed[i]))
        self._illegal_count[tasks == LOOK] += 1

    def _forfeit(self, culprits: np.ndarray, seen: Seen) -> None:
        seen.rewards[culprits] = LOSS
        seen.terminated[culprits] = True
        for masks in (seen.masks, self._learners.allowed):
            masks[culprits] = 0
            masks[culprits, self.game.wait] = 1

    def _deal_anew(self, over: np.ndarray, seen: Seen) -> Ended:
        """Note how games ended, and deal new ones in their place (SAME_STEP)."""
        which = np.flatnonzero(over)
        counts = self._illegal_count[which]
        ended = Ended(
            over, which, seen.observations[which], seen.masks[which].view(np.int8), seen.numbers[which], counts
        )
        self._illegal_count[which] = 0
        seen.new_results()  # for the new games
        self._learners.deal(seen, which)
        return ended

    def _final(self, ended: Ended) -> dict[str, Any]:
        """What infos say of the games that ended (SAME_STEP)."""
        over, masks = ended.over, ended.masks
        final_obs = np.full(self.num_envs, None, object)
        for k, i in enumerate(ended.which.tolist()):
            final_obs[i] = {"observation": ended.observations[k], "action_mask": masks[k]}
        final_info: dict[str, Any] = {"action_mask": _in_place(masks, over)}
        final_info |= self.reader.of_games(_in_place(ended.numbers, over))
        if self.counts_illegal_actions:
            final_info["illegal_actions"] = _in_place(ended.illegal, over)
        final_info |= {f"_{name}": over.copy() for name in final_info}
        self._add_summaries(final_info)
        return {"final_obs": final_obs, "_final_obs": over.copy(), "final_info": final_info, "_final_info": over.copy()}

    def _summaries(self, over: np.ndarray) -> dict[int, dict[str, Any]]:
        if not self.summaries:
            return {}
        return {int(i): self._learners.summary(int(i)) for i in np.flatnonzero(over)}

    # --- What is handed out -------------------------------------------------------------------------------------------

    def _infos(self, seen: Seen) -> dict[str, Any]:
        masks = seen.masks.copy() if self.copy else seen.masks
        infos: dict[str, Any] = {"action_mask": masks.view(np.int8), **self.reader.of_games(seen.numbers)}
        if self.counts_illegal_actions:
            infos["illegal_actions"] = self._illegal_count.copy()
        return infos | {f"_{name}": self._everyone for name in infos}

    def _add_summaries(self, infos: dict[str, Any]) -> None:
        """Add the summaries of the games that ended, and which games those are."""
        if self.ended_summaries:
            infos["summary"] = np.full(self.num_envs, None, object)
            infos["_summary"] = np.zeros(self.num_envs, bool)
            for i, summary in self.ended_summaries.items():
                infos["summary"][i] = summary
                infos["_summary"][i] = True

    def action_masks(self) -> np.ndarray:
        """Legal actions, bool of shape (num_envs, num_actions), as sb3-contrib asks for them."""
        if not self._ready:
            raise ResetNeeded("call reset() before action_masks()")
        return self._learners.allowed.astype(bool)

    def state_records(self) -> np.ndarray:
        """A copy of all states, hidden parts included: records of shape (num_envs,)."""
        if not self._ready:
            raise ResetNeeded("call reset() before state_records()")
        return self._learners.records()

    def set_state_records(self, records: np.ndarray) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Go on from records; observations, infos and errors as of `reset`."""
        self._learners.seed(self._first_seeds([None] * self.num_envs))
        self._learners.place(self._records_of(records))
        return self._begin(dealt=False)

    def render(self) -> tuple[Any, ...] | None:
        """A picture of each game in the chosen render mode."""
        if self._drawing is None:
            return None
        if not self._ready:
            raise ResetNeeded("call reset() before render()")
        states, data = self._learners.states, self.game.data
        return tuple(self._drawing(self.game, state, data[state["data"]]) for state in states)


def _in_place(rows: np.ndarray, where: np.ndarray) -> np.ndarray:
    """An array with these rows where `where` holds, and 0 in all others."""
    out = np.zeros((len(where), *rows.shape[1:]), rows.dtype)
    out[where] = rows
    return out
