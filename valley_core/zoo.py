"""What both PettingZoo adapters have."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from gymnasium import logger, spaces
from gymnasium.error import ResetNeeded

from valley_core.adapter import ILLEGAL_ACTION, action_space, as_number, observation_space, out_of_space
from valley_core.game import Game
from valley_core.infos import InfoReader
from valley_core.options import one_of
from valley_core.recipe import Recipe
from valley_core.rendering import Drawings, drawing_of, render_modes
from valley_core.single import Table


class ZooAdapter:
    """Agents, spaces, records and pictures of a game at one table."""

    metadata: dict[str, Any]
    possible_agents: list[str]

    def __init__(
        self,
        make_game: Callable[..., Game],
        options: Mapping[str, Any] | None = None,
        *,
        name: str = "",
        illegal_action: str = "raise",
        render_mode: str | None = None,
        drawings: Drawings | None = None,
    ) -> None:
        self._illegal_action = one_of("illegal_action", illegal_action, ILLEGAL_ACTION)
        self._drawing = drawing_of(render_mode, drawings)
        self.render_mode = render_mode
        self._table = Table(Recipe(make_game, options))
        self._num_actions = self.game.num_actions
        self._reader = InfoReader(self.game.info)
        self.metadata = {
            "name": name or self.game.name,
            "render_modes": render_modes(drawings),
            "render_fps": 2,
            "is_parallelizable": False,  # not by PettingZoo's conversion: there is a Parallel environment of its own
        }
        self.possible_agents = self.game.agents
        self.observation_spaces = {agent: observation_space(self.game) for agent in self.possible_agents}
        self.action_spaces = {agent: action_space(self.game) for agent in self.possible_agents}
        self.agents: list[str] = []

    @property
    def game(self) -> Game:
        """The facts of the game."""
        return self._table.recipe.game

    @property
    def np_random_seed(self) -> int | None:
        """The seed of the last ``reset(seed=…)``, or what was drawn in its place; None before, and of a record."""
        return self._table.seed

    def observation_space(self, agent: str) -> spaces.Dict:
        """The space of this agent's observations, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The space of this agent's actions, always the same object: sample from it with the mask."""
        return self.action_spaces[agent]

    def _need_reset(self, method: str) -> None:
        if not self._table.ready:
            raise ResetNeeded(f"call reset() before {method}()")

    def _told(self) -> dict[str, Any]:
        """The numbers of the game, for the infos of one agent or of all."""
        return self._reader.of_game(self._table.numbers)

    def _number(self, seat: int, action: object) -> int:
        """An action as a number in the action space, or `IllegalActionError`."""
        number = as_number(action)
        if number is None or not 0 <= number < self._num_actions:
            raise out_of_space(self.game, self.possible_agents[seat], action, self._table.mask(seat))
        return number

    def state_record(self) -> np.ndarray:
        """A copy of the whole state, hidden parts included: a record, with its own stream of random numbers."""
        self._need_reset("state_record")
        return self._table.record()

    def summary(self) -> dict[str, Any]:
        """How the game stands or ended, in words and lists (`Game.summary`): scores by kind, the rule that decided."""
        self._need_reset("summary")
        return self._table.summary()

    def render(self) -> Any:
        """A picture of the table in the chosen render mode; None for ``"human"``."""
        if self._drawing is None:
            logger.warn("render() draws nothing without a render_mode; choose one when making the environment")
            return None
        self._need_reset("render")
        state = self._table.states[0]
        return self._drawing(self.game, state, self.game.data[state["data"]])

    def close(self) -> None:
        """Nothing is held open."""
