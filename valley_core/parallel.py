"""PettingZoo's Parallel interface: all agents act in each step."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from pettingzoo import ParallelEnv

from valley_core.adapter import LOSS, legal_names
from valley_core.errors import GameOverError, IllegalActionError
from valley_core.game import TERMINATED, Status
from valley_core.single import NOBODY
from valley_core.zoo import ZooAdapter

Observations = dict[str, dict[str, np.ndarray]]
Infos = dict[str, dict[str, Any]]


class ParallelAdapter(ZooAdapter, ParallelEnv):
    """A game as a PettingZoo `ParallelEnv`.

    **Agents**: ``player_0`` …; all stay until the end.

    **Observation**, for each agent: new arrays ``{"observation": float32 (layout.size,), "action_mask": int8
    (num_actions,)}``.

    **Action**: one for each agent, in a dict. The agents that are asked choose; the mask of the others leaves the last
    action, wait, alone. In a game where players take turns, one agent is asked at a time. All actions are checked
    before
    anything changes: `IllegalActionError` for one that is missing, is no action, or is not legal now; but see
    `illegal_action`.

    **Infos, reward, end, seeds**: as of `valley_core.aec.AECAdapter`. After the end `agents` is empty, and `step`
    raises `GameOverError`.

    Args:
        make_game: An importable function that makes the `Game`.
        options: Its keyword arguments.
        name: The name in `metadata`.
        illegal_action: What happens on an action that is not legal now. ``"raise"``: `IllegalActionError`. ``"lose"``:
            the game ends, with reward -1 for each culprit, and its opposite shared by the others. ``"ignore"``: the
            culprit does nothing, and is asked again; ``infos[agent]["illegal_actions"]`` counts. The others act.
        render_mode, drawings: As of `AECAdapter`.
    """

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Observations, Infos]:
        """Deal a new game; arguments and errors as of `AECAdapter.reset`."""
        self._table.deal(seed, options)
        return self._begin()

    def _begin(self) -> tuple[Observations, Infos]:
        self._illegal_count = [0] * self.game.seats
        self.agents = [] if self._table.status else self.possible_agents[:]
        if self.render_mode == "human":
            self.render()
        return self._observe(), self._infos()

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[Observations, dict[str, float], dict[str, bool], dict[str, bool], Infos]:
        """Carry out an action of each agent.

        Raises:
            IllegalActionError: One is missing, is no action, or is not legal now; nothing has changed.
            GameOverError: The game is over.
        """
        table = self._table
        if not self.agents:
            self._need_reset("step")
            raise GameOverError("the game is over; call reset()")
        numbers = self._numbers(actions)
        culprits = table.illegal_seats(numbers)
        if culprits and self._illegal_action == "raise":
            agent = self.possible_agents[culprits[0]]
            raise IllegalActionError(actions[agent], agent, legal_names(self.game, table.mask(culprits[0])))
        for seat in culprits:
            self._illegal_count[seat] += 1
        if culprits and self._illegal_action == "lose":
            rewards = self._forfeit(culprits)
        else:
            numbers[culprits] = NOBODY
            before = table.returns
            table.step_all(numbers)
            rewards = [new - old for new, old in zip(table.returns, before, strict=True)]
        terminated = table.closed or table.status in TERMINATED
        truncated = not table.closed and table.status == Status.TRUNCATED
        if terminated or truncated:
            self.agents = []
        if self.render_mode == "human":
            self.render()
        return (
            self._observe(),
            dict(zip(self.possible_agents, rewards, strict=True)),
            dict.fromkeys(self.possible_agents, terminated),
            dict.fromkeys(self.possible_agents, truncated),
            self._infos(),
        )

    def _numbers(self, actions: Mapping[str, Any]) -> np.ndarray:
        """The actions by seat, each in the action space."""
        for agent in actions:
            if agent not in self.possible_agents:
                raise IllegalActionError(actions[agent], str(agent), {}, "is of no agent of this game")
        numbers = []
        for seat, agent in enumerate(self.possible_agents):
            if agent not in actions:
                raise IllegalActionError(None, agent, legal_names(self.game, self._table.mask(seat)), "is missing")
            numbers.append(self._number(seat, actions[agent]))
        return np.array(numbers, np.int64)

    def _forfeit(self, culprits: list[int]) -> list[float]:
        """End the game by illegal actions: what the culprits lose, the others share."""
        self._table.close()
        others = self.game.seats - len(culprits)
        rewards = [-LOSS * len(culprits) / others if others else 0.0] * self.game.seats
        for seat in culprits:
            rewards[seat] = LOSS
        return rewards

    def _observe(self) -> Observations:
        observations = self._table.observe_all()
        masks = self._table.masks.copy()
        return {
            agent: {"observation": observations[seat], "action_mask": masks[seat]}
            for seat, agent in enumerate(self.possible_agents)
        }

    def _infos(self) -> Infos:
        masks, numbers = self._table.masks, self._told()
        infos: Infos = {
            agent: {"action_mask": masks[seat], **numbers} for seat, agent in enumerate(self.possible_agents)
        }
        if self._illegal_action != "raise":
            for seat, info in enumerate(infos.values()):
                info["illegal_actions"] = np.int64(self._illegal_count[seat])
        return infos

    def action_masks(self) -> np.ndarray:
        """Legal actions of all agents, bool of shape (seats, num_actions)."""
        self._need_reset("action_masks")
        return np.array([self._table.mask(seat) for seat in range(self.game.seats)], bool)

    def set_state_record(self, record: Any) -> tuple[Observations, Infos]:
        """Go on from a record that `state_record` gave; observations and infos as of `reset`.

        Raises:
            StateError: The record is no state of this game; nothing has changed.
        """
        self._table.set_record(record)
        return self._begin()
