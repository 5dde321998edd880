"""Gymnasium's interface: one learner at one seat, the others play within its steps."""

from collections.abc import Callable, Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import logger
from gymnasium.error import ResetNeeded

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
from valley_core.errors import GameOverError, IllegalActionError
from valley_core.game import Game
from valley_core.infos import InfoReader
from valley_core.learners import Learners, Opponents, Seen
from valley_core.options import one_of
from valley_core.recipe import Recipe
from valley_core.rendering import Drawings, drawing_of, render_modes


class GymAdapter(gymnasium.Env):
    """A game as a Gymnasium `Env` for one learner.

    **Observation**: new arrays ``{"observation": float32 (layout.size,), "action_mask": int8 (num_actions,)}`` from the
    learner's seat, when it is asked or the game is over. The learner always has at least one legal action; after the
    end it has wait, the last, alone.

    **Info**: ``"action_mask"``, the mask again, and the numbers of `Game.info`, int64 of shape () or
    (length,). Names, shapes and dtypes are the same after every step, so that infos can be stacked. `summary` has more.

    **Action**: an integer from 0 to ``num_actions - 1`` (`Game.action_names`), of Python or NumPy, also as the only one
    of an array or tensor. Anything else, booleans included, raises `IllegalActionError`, and so does an action that
    is not legal now, before anything changes; but see `illegal_action`. After the end, `step` raises `GameOverError`.

    **Reward**: the change of the return of the learner's seat, over its own action and all that the others do until it
    is asked again. Over a game, rewards add up to a number from `Game.least_reward` to `Game.greatest_reward`.

    **End**: `terminated` when the game is over, `truncated` when it was broken off at `Game.max_turns`.

    **Seeds**: ``reset(seed=…)`` fixes everything that happens but the learner's actions; the action space has a seed
    of its own. ``reset()`` after that goes on with the same streams of random numbers.

    Args:
        make_game: An importable function that makes the `Game`.
        options: Its keyword arguments.
        seat: The learner's seat, or ``"random"``: drawn for each game.
        opponents: None if the game needs none; ``"random"``; an object with ``start(game, seeds)`` and
            ``act(decisions)``, as all agents of this project; or a list with one for each other seat, beginning with
            the one after the learner's.
        illegal_action: What happens on an action that is not legal now. ``"raise"``: `IllegalActionError`. ``"lose"``:
            the game is over, with reward -1. ``"ignore"``: nothing changes, and the learner is asked again;
            ``info["illegal_actions"]`` counts.
        render_mode: None, ``"ansi"``, ``"human"`` (text on standard output), ``"rgb_array"``, or one in `drawings`.
        drawings: See `valley_core.rendering`.
    """

    def __init__(
        self,
        make_game: Callable[..., Game],
        options: Mapping[str, Any] | None = None,
        *,
        seat: int | str = 0,
        opponents: Opponents = None,
        illegal_action: str = "raise",
        render_mode: str | None = None,
        drawings: Drawings | None = None,
    ) -> None:
        self._illegal_action = one_of("illegal_action", illegal_action, ILLEGAL_ACTION)
        self._drawing = drawing_of(render_mode, drawings)
        self.render_mode = render_mode
        self.metadata = {"render_modes": render_modes(drawings), "render_fps": 2}
        self._learners = Learners(Recipe(make_game, options), 1, seat, opponents)
        self.observation_space = observation_space(self.game)
        self.action_space = action_space(self.game)
        self._num_actions = self.game.num_actions
        self._over: bool | None = None  # None before the first reset
        self._illegal_count = 0
        self._reader = InfoReader(self.game.info)
        self._has_facts = self.game.fixed_from < self.game.layout.size
        self._action = np.zeros(1, np.int64)
        self._paid = np.ones(1, bool)

    @property
    def game(self) -> Game:
        """The facts of the game."""
        return self._learners.recipe.game

    @property
    def seat(self) -> int:
        """The learner's seat in the present game."""
        return int(self._learners.learners["seat"][0])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Deal a new game, and play until the learner is asked.

        Args:
            seed: A whole number of at least 0, of which the last 64 bits count.
            options: ``{"state": record}`` starts from a position, a record that `state_record` gave: with the record's
                own stream of random numbers, or the seed's if there is one. Other options warn.

        Raises:
            StateError: The record is no state of this game, or one in which it is over.
            OptionError: The seed is no whole number of at least 0.
        """
        record = state_option(options)
        seed = None if seed is None else as_seed(seed)
        if seed is not None or not self._learners.seeded[0]:
            super().reset(seed=seed)  # `np_random` is Gymnasium's; the game has a stream of its own
            self._learners.seed([self.np_random_seed])
        if record is not None:
            self._learners.place([record], None if seed is None else [seed])
        return self._begin(dealt=record is None)

    def _begin(self, dealt: bool) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Deal, or look at what was placed."""
        seen = self._new_seen()
        # What the others did before the first step is paid with that step.
        if dealt:
            self._learners.deal(seen)
        else:
            self._learners.look(seen)
        self._illegal_count = 0
        self._over = bool(seen.terminated[0] or seen.truncated[0])
        result = self._given(seen)
        if self.render_mode == "human":
            self.render()
        return result

    def _new_seen(self) -> Seen:
        size = self.game.layout.size
        observations = self._learners.new_observations() if self._has_facts else np.empty((1, size), np.float32)
        return Seen(self.game, observations)

    def _given(self, seen: Seen) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Observation and info."""
        mask = seen.masks[0].view(np.int8)
        info = {"action_mask": mask.copy(), **self._reader.of_game(seen.numbers[0])}
        if self._illegal_action != "raise":
            info["illegal_actions"] = np.int64(self._illegal_count)
        return {"observation": seen.observations[0], "action_mask": mask}, info

    def step(self, action: Any) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        """Carry out an action, and play until the learner is asked again.

        Raises:
            IllegalActionError: It is no action, or not legal now; nothing has changed.
            GameOverError: The game is over.
        """
        if self._over is not False:
            if self._over is None:
                raise ResetNeeded("call reset() before step()")
            raise GameOverError("the game is over; call reset()")
        number = as_number(action)
        if number is None or not 0 <= number < self._num_actions:
            raise out_of_space(self.game, self.game.agents[self.seat], action, self.action_masks())
        if not self._learners.allowed[0, number]:
            return self._illegal(action)
        self._action[0] = number
        seen = self._new_seen()
        self._over = self._learners.act(self._action, self._paid, seen) > 0
        observation, info = self._given(seen)
        if self.render_mode == "human":
            self.render()
        return observation, seen.rewards.item(), seen.terminated.item(), seen.truncated.item(), info

    def _illegal(self, action: object) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        if self._illegal_action == "raise":
            raise IllegalActionError(action, self.game.agents[self.seat], legal_names(self.game, self.action_masks()))
        self._illegal_count += 1
        lost = self._illegal_action == "lose"
        self._over = lost
        seen = self._new_seen()
        self._learners.look(seen)
        if lost:
            for mask in (seen.masks[0], self._learners.allowed[0]):
                mask[:] = 0
                mask[self.game.wait] = 1
        observation, info = self._given(seen)
        return observation, LOSS if lost else 0.0, lost, False, info

    def action_masks(self) -> np.ndarray:
        """Legal actions, bool of shape (num_actions,), as sb3-contrib asks for them."""
        if self._over is None:
            raise ResetNeeded("call reset() before action_masks()")
        return self._learners.allowed[0].astype(bool)

    def state_record(self) -> np.ndarray:
        """A copy of the whole state, hidden parts included: a record, with its own stream of random numbers."""
        if self._over is None:
            raise ResetNeeded("call reset() before state_record()")
        return self._learners.records()[0]

    def set_state_record(self, record: Any) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Go on from a record that `state_record` gave; observation and info as of `reset`.

        Raises:
            StateError: The record is no state of this game, or one in which it is over.
        """
        if not self._learners.seeded[0]:
            self._learners.seed([self.np_random_seed])
        self._learners.place([record])
        return self._begin(dealt=False)

    def summary(self) -> dict[str, Any]:
        """How the game stands or ended, in words and lists (`Game.summary`): scores by kind, the rule that decided."""
        if self._over is None:
            raise ResetNeeded("call reset() before summary()")
        return self._learners.summary(0)

    def render(self) -> Any:
        """A picture of the table in the chosen render mode; None for ``"human"``."""
        if self._drawing is None:
            logger.warn("render() draws nothing without a render_mode; choose one when making the environment")
            return None
        if self._over is None:
            raise ResetNeeded("call reset() before render()")
        state = self._learners.states[0]
        return self._drawing(self.game, state, self.game.data[state["data"]])
