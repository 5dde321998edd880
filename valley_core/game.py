"""What a game is, to everything that is not the game: facts as data, and kernels with fixed signatures.

Adapters, agents and training code know a `Game` and no particular game. A state is one NumPy record; a batch is a
one-dimensional array of records; static data (a deck, boards) is a second record, chosen by ``state.data``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np

from valley_core.layout import Layout


class Reward(IntEnum):
    """What a step's reward is the change of (`Kernels.returns`)."""

    WIN = 0
    """1 for the winner and -1 for the others at the end; 0 if the victory is shared."""
    MARGIN = 1
    """The final margin of the score, scaled to -1 … 1."""
    SHAPED = 2
    """The win reward, and half of the margin so far at every step."""


class Status(IntEnum):
    """Whether a game goes on."""

    RUNNING = 0
    TERMINATED = 1
    TRUNCATED = 2
    TURN_LIMIT = 3
    """It reached `Game.max_turns` and was scored as it stood: terminated."""


TERMINATED = (Status.TERMINATED, Status.TURN_LIMIT)
"""The statuses of a game that is over by its own rules."""


@dataclass(frozen=True)
class Kernels:
    """The compiled functions of a game, on one state each. Seats count from 0; `data` is the state's static record.

    Attributes:
        reset: ``(state, data)``. Deal a new game from ``state.rng``, keeping the options in the state.
        step: ``(state, data, seat, action)``. Carry out an action that is legal for a seat that is asked.
        legal: ``(state, data, seat, out)``. Write the mask, uint8 of shape (num_actions,); never all zero: a seat that
            is asked nothing has the last action, wait, alone.
        observe: ``(state, data, seat, out)``. Write the part of the observation that changes, float32; the rest of
            `out`, from `Game.fixed_from` on, holds facts of `data`, and is left alone.
        to_act: ``(state) -> seat`` that is asked next, -1 at the end.
        asked: ``(state, seat) -> bool``: whether a seat is asked now (several at once in a simultaneous game).
        status: ``(state) -> Status``.
        returns: ``(state, data, reward, out)``. Write each seat's return so far, float64 of shape (seats,).
        inform: ``(state, data, out)``. Write the numbers of `Game.info`, int64 of shape (info.size,).
        conceal: ``(state, seat)``. Take out what the seat does not know (`Game.hidden`), and set ``state.rng`` to 0:
            states that a seat cannot tell apart become equal.
        reveal: ``(state)``. Put something possible in the place of what was concealed, each with its probability, by
            ``state.rng``.
    """

    reset: Any
    step: Any
    legal: Any
    observe: Any
    to_act: Any
    asked: Any
    status: Any
    returns: Any
    inform: Any
    conceal: Any
    reveal: Any

    def as_globals(self) -> dict[str, Any]:
        """The kernels by name, for `valley_core.jit.bind`."""
        return dict(vars(self))


@dataclass(frozen=True)
class Game:
    """Facts of a game with its options chosen, and its kernels.

    Attributes:
        name: The name on the command line, one word.
        package: The package of its kernels, whose sources name their cache.
        seats: How many seats choose actions; agents are ``player_0`` ….
        simultaneous: Whether several seats may be asked at once.
        hidden: What is hidden from a player, in words; empty for perfect information.
        action_names: One for each action; the last is wait, which is legal for a seat that is asked nothing.
        layout: The flat observation.
        info: The numbers in ``infos``, the same after every step: single ones (shape ()) and rows of them.
        fixed_from: Index from which on the observation is constant for one static record.
        data: Static records, one-dimensional; ``state.data`` is an index into it.
        fixed: The constant part of the observation for each static record, float32 of shape (len(data), n).
        template: One state record with the options set, not dealt.
        reward: Which reward the adapters give.
        max_turns: Turns after which a game is ended: scored as it stands, or truncated.
        max_decisions: No game has more decisions.
        least_reward, greatest_reward: Bounds of one seat's return over a game.
        kernels: The compiled functions.
        describe: ``(state, data) -> str``, a drawing of the table as text, with all that is public.
        summary: ``(state, data) -> dict``: how a game stands or ended, in words and lists.
        check_state: ``(state) -> None``; raises `StateError` for a record that is no state of this game.
        options: The options that made it, for reports.
    """

    name: str
    package: str
    seats: int
    simultaneous: bool
    hidden: str
    action_names: Sequence[str]
    layout: Layout
    info: Layout
    fixed_from: int
    data: np.ndarray
    fixed: np.ndarray
    template: np.ndarray
    reward: Reward
    max_turns: int
    max_decisions: int
    least_reward: float
    greatest_reward: float
    kernels: Kernels
    describe: Callable[[Any, Any], str]
    summary: Callable[[Any, Any], dict[str, Any]]
    check_state: Callable[[Any], None]
    options: Mapping[str, Any]

    @property
    def num_actions(self) -> int:
        """Length of the mask."""
        return len(self.action_names)

    @property
    def wait(self) -> int:
        """The action of a seat that is asked nothing."""
        return self.num_actions - 1

    @property
    def agents(self) -> list[str]:
        """Names of the seats, in order."""
        return [f"player_{seat}" for seat in range(self.seats)]

    def new_states(self, count: int) -> np.ndarray:
        """`count` states with the game's options, not dealt."""
        return np.repeat(self.template, count)

    def blank_observations(self, states: np.ndarray) -> np.ndarray:
        """Float32 of shape (len(states), layout.size) with the constant part filled in."""
        out = np.zeros((len(states), self.layout.size), np.float32)
        out[:, self.fixed_from :] = self.fixed[states["data"]]
        return out
