"""PettingZoo's AEC interface: agents act in turn."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from pettingzoo import AECEnv

from valley_core.adapter import LOSS, legal_names
from valley_core.errors import GameOverError, IllegalActionError
from valley_core.game import TERMINATED, Game, Status
from valley_core.rendering import Drawings
from valley_core.zoo import ZooAdapter


class AECAdapter(ZooAdapter, AECEnv):
    """A game as a PettingZoo `AECEnv`, the `raw_env` of each game package.

    **Agents**: ``player_0`` … in the order of the seats. `agent_selection` is the seat that the state asks next, so
    that an agent with several decisions in a row stays selected. Where several seats are asked at once, they are
    selected one after the other, and none sees what the others chose.

    **Observation**, for every agent at any time, also while another acts and after the end: new arrays
    ``{"observation": float32 (layout.size,), "action_mask": int8 (num_actions,)}``; `Game.layout` names the parts of
    the first and bounds them. An agent that is asked has at least one legal action; one that is not asked has the last
    action, wait, alone.

    **Infos**, of every agent: ``"action_mask"``, the mask again, and the numbers of `Game.info`, int64 of shape () or
    (length,). Names, shapes and dtypes are the same after every step. `summary` has more.

    **Action**: an integer from 0 to ``num_actions - 1`` (`Game.action_names`), of Python or NumPy, also as the only one
    of an array or tensor. Anything else, booleans included, raises `IllegalActionError`, and so does an action that
    is not legal now, before anything changes; but see `illegal_action`. An agent that is terminated or truncated
    takes None, as in all of PettingZoo; an action in its place raises `GameOverError`.

    **Reward**: the change of `Game`'s returns, a float for each agent. Over a game, they add up to a number from
    `Game.least_reward` to `Game.greatest_reward`.

    **End**: all agents end together, in `terminations` when the game is over, in `truncations` when it was broken off
    at `Game.max_turns`.

    **Seeds**: ``reset(seed=…)`` fixes everything that happens but the actions; action spaces have seeds of their own.
    ``reset()`` after that goes on with the same stream of random numbers.

    Args:
        make_game: An importable function that makes the `Game`.
        options: Its keyword arguments.
        name: The name in `metadata`, as ``game_v0``.
        illegal_action: What happens on an action that is not legal now. ``"raise"``: `IllegalActionError`. ``"lose"``:
            the game ends, with reward -1 for the culprit, and its opposite shared by the others. ``"ignore"``: nothing
            changes, and the agent is asked again; ``infos[agent]["illegal_actions"]`` counts.
        render_mode: None, ``"ansi"``, ``"human"`` (text on standard output), ``"rgb_array"``, or one in `drawings`.
        drawings: See `valley_core.rendering`.
    """

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
        ZooAdapter.__init__(
            self,
            make_game,
            options,
            name=name,
            illegal_action=illegal_action,
            render_mode=render_mode,
            drawings=drawings,
        )
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.rewards: dict[str, float] = {}
        self._cumulative_rewards: dict[str, float] = {}
        self.terminations: dict[str, bool] = {}
        self.truncations: dict[str, bool] = {}
        self.infos: dict[str, dict[str, Any]] = {}

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Deal a new game.

        Args:
            seed: A whole number of at least 0, of which the last 64 bits count.
            options: ``{"state": record}`` starts from a position, a record that `state_record` gave; others warn.

        Raises:
            StateError: The record is no state of this game.
            OptionError: The seed is no whole number of at least 0.
        """
        self._table.deal(seed, options)
        self._begin()

    def _begin(self) -> None:
        table = self._table
        self.agents = self.possible_agents[:]
        self._skip_agent_selection = None
        self._illegal_count = dict.fromkeys(self.agents, 0)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, table.status in TERMINATED)
        self.truncations = dict.fromkeys(self.agents, table.status == Status.TRUNCATED)
        self.agent_selection = self.agents[max(table.asked, 0)]
        self._inform()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What an agent sees now, in new arrays."""
        self._need_reset("observe")
        return self._table.observe(self._seats[agent])

    def action_masks(self) -> np.ndarray:
        """Legal actions of the selected agent, bool of shape (num_actions,), as sb3-contrib asks for them."""
        self._need_reset("action_masks")
        return self._table.mask(self._seats[self.agent_selection]).astype(bool)

    def step(self, action: Any) -> None:
        """Carry out an action of the selected agent.

        Raises:
            IllegalActionError: It is no action, or not legal now; nothing has changed.
            GameOverError: The agent's game is over, and the action is not None.
        """
        table = self._table
        if not self.agents:
            self._need_reset("step")
            raise GameOverError("the game is over; call reset()")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            if action is not None:
                raise GameOverError(f"the game of {agent} is over: step(None), or reset()")
            self._was_dead_step(None)
            return
        seat = self._seats[agent]
        number = self._number(seat, action)
        before = table.returns
        if not table.step(seat, number):
            self._illegal(agent, seat, action)
            return
        self._reward(agent, [new - old for new, old in zip(table.returns, before, strict=True)])
        if table.status:
            self._end(table.status in TERMINATED)
        else:
            self.agent_selection = self.possible_agents[table.asked]
        self._inform()
        if self.render_mode == "human":
            self.render()

    def _reward(self, agent: str, rewards: list[float]) -> None:
        cumulative = self._cumulative_rewards
        cumulative[agent] = 0.0
        self.rewards = {}
        for name, reward in zip(self.possible_agents, rewards, strict=True):
            self.rewards[name] = reward
            cumulative[name] += reward

    def _end(self, terminated: bool) -> None:
        self.terminations = dict.fromkeys(self.agents, terminated)
        self.truncations = dict.fromkeys(self.agents, not terminated)
        self.agent_selection = self.agents[0]

    def _inform(self) -> None:
        masks, numbers = self._table.masks, self._told()
        self.infos = {agent: {"action_mask": masks[seat], **numbers} for agent, seat in self._seats.items()}
        if self._illegal_action != "raise":
            for agent, info in self.infos.items():
                info["illegal_actions"] = np.int64(self._illegal_count[agent])

    def _illegal(self, agent: str, seat: int, action: object) -> None:
        table = self._table
        if self._illegal_action == "raise":
            raise IllegalActionError(action, agent, legal_names(self.game, table.mask(seat)))
        self._illegal_count[agent] += 1
        if self._illegal_action == "lose":
            rewards = [-LOSS / (len(self.possible_agents) - 1)] * len(self.possible_agents)
            rewards[seat] = LOSS
            table.close()
            self._reward(agent, rewards)
            self._end(terminated=True)
        else:
            self._reward(agent, [0.0] * len(self.possible_agents))
        self._inform()

    def set_state_record(self, record: Any) -> None:
        """Go on from a record that `state_record` gave, with rewards and counts as after `reset`.

        Raises:
            StateError: The record is no state of this game; nothing has changed.
        """
        self._table.set_record(record)
        self._begin()
