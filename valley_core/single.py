"""One game at a time, as fast as Python allows: what the PettingZoo adapters stand on.

The templates below work on arrays of one state: Numba hands over an array in a fraction of the time of a record. They
are bound to a game's kernels as those of `valley_core.batch` are.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from valley_core.adapter import as_rng, as_seed, entropy, state_option
from valley_core.game import Game, Status
from valley_core.recipe import Recipe, bind_to

NOBODY = -1
"""In place of an action: a seat that does nothing."""

# The kernels of a game, bound by `Single`.
reset: Any = None
step: Any = None
legal: Any = None
observe: Any = None
to_act: Any = None
asked: Any = None
status: Any = None
returns: Any = None
inform: Any = None


def deal_one(states: Any, data: Any) -> None:
    """Deal a new game."""
    reset(states[0], data[states[0]["data"]])


def look_one(states: Any, data: Any, reward: int, masks: Any, looked: Any, totals: Any, numbers: Any) -> None:
    """Write masks and returns of all seats, and the game's numbers; who is asked next and the status into `looked`."""
    state = states[0]
    datum = data[state["data"]]
    for seat in range(len(masks)):
        legal(state, datum, seat, masks[seat])
    looked[0] = to_act(state)
    looked[1] = status(state)
    returns(state, datum, reward, totals)
    inform(state, datum, numbers)


def observe_one(states: Any, data: Any, seat: int, observation: Any, mask: Any) -> None:
    """Write observation and mask of one seat."""
    state = states[0]
    datum = data[state["data"]]
    observe(state, datum, seat, observation)
    legal(state, datum, seat, mask)


def observe_seats(states: Any, data: Any, observations: Any) -> None:
    """Write the observations of all seats."""
    state = states[0]
    datum = data[state["data"]]
    for seat in range(len(observations)):
        observe(state, datum, seat, observations[seat])


def step_one(
    states: Any, data: Any, reward: int, seat: int, action: int, masks: Any, looked: Any, totals: Any, numbers: Any
) -> bool:
    """Carry out an action and look; if it is not legal, change nothing and return False."""
    state = states[0]
    datum = data[state["data"]]
    legal(state, datum, seat, masks[seat])
    if not masks[seat, action]:
        return False
    step(state, datum, seat, action)
    look(states, data, reward, masks, looked, totals, numbers)
    return True


look: Any = None
"""`look_one`, bound."""


def check_seats(states: Any, data: Any, actions: Any, masks: Any, illegal: Any) -> int:
    """Mark the seats whose action is not legal; how many there are."""
    state = states[0]
    datum = data[state["data"]]
    count = 0
    for seat in range(len(actions)):
        legal(state, datum, seat, masks[seat])
        illegal[seat] = not masks[seat, actions[seat]]
        count += illegal[seat]
    return count


def step_seats(states: Any, data: Any, actions: Any) -> None:
    """Carry out the actions of the seats that were asked when this began; a negative action is passed over."""
    state = states[0]
    datum = data[state["data"]]
    for seat in range(len(actions)):
        if not asked(state, seat):
            actions[seat] = -1
    for seat in range(len(actions)):
        if actions[seat] >= 0:
            step(state, datum, seat, actions[seat])


class Single:
    """The templates of this module bound to one game's kernels."""

    def __init__(self, game: Game) -> None:
        names = game.kernels.as_globals()
        self.look_one = names["look"] = bind_to(game, look_one, names)
        self.deal_one = bind_to(game, deal_one, names)
        self.observe_one = bind_to(game, observe_one, names)
        self.observe_seats = bind_to(game, observe_seats, names)
        self.step_one = bind_to(game, step_one, names)
        self.check_seats = bind_to(game, check_seats, names)
        self.step_seats = bind_to(game, step_seats, names)


_bound: dict[str, Single] = {}


def single_of(game: Game) -> Single:
    """The bound templates of a game: one set for each package of kernels."""
    if game.package not in _bound:
        _bound[game.package] = Single(game)
    return _bound[game.package]


class Table:
    """One game being played, and what can be seen of it from each seat.

    Attributes:
        states: The state, in an array of shape (1,).
        asked: The seat that is asked next, -1 at the end.
        status: `valley_core.game.Status`.
        returns: Each seat's return so far.
        numbers: Those of `Game.info`, int64 of shape (info.size,); a new array after each change.
        seed: What the game's stream of random numbers was started from last; None if nothing but a record has set it.
        masks: Legal actions of all seats, int8 of shape (seats, num_actions); a new array after each change, which
            may be handed out, since nothing is decided by it.
        ready: Whether a game was dealt.
        closed: Whether the game was ended by an illegal action: every seat has wait alone.
    """

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        game = recipe.game
        self.states = game.new_states(1)
        self.asked = NOBODY
        self.status = int(Status.RUNNING)
        self.returns = [0.0] * game.seats
        self.numbers = np.zeros(game.info.size, np.int64)
        self.seed: int | None = None
        self.masks = np.zeros((game.seats, game.num_actions), np.int8)
        self.ready = False
        self.closed = False
        self._seeded = False
        self._looked = np.zeros(2, np.int64)
        self._totals = np.zeros(game.seats)
        self._illegal = np.zeros(game.seats, np.uint8)
        self._blank = game.blank_observations(self.states)[0]
        self._bind()

    def _bind(self) -> None:
        game = self.recipe.game
        self._data, self._reward, self._kernels = game.data, int(game.reward), single_of(game)
        self._step_one, self._observe_one = self._kernels.step_one, self._kernels.observe_one

    def __getstate__(self) -> dict[str, Any]:
        bound = ("_data", "_reward", "_kernels", "_step_one", "_observe_one")
        return {name: value for name, value in self.__dict__.items() if name not in bound}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Arrays may come back read-only from a pickle that shares memory.
        self.__dict__.update({k: v.copy() if isinstance(v, np.ndarray) else v for k, v in state.items()})
        self._bind()

    def deal(self, seed: int | None, options: Mapping[str, Any] | None) -> None:
        """Deal a new game, or start from ``options["state"]``.

        A seed starts the game's stream of random numbers anew; without one it goes on, or starts from entropy if it
        never was seeded. A record brings its own stream along, which a seed replaces.
        """
        record = state_option(options, stacklevel=4)
        number = None if seed is None else as_seed(seed)
        if record is not None:
            self.recipe.known.check(record)
            self._replace(record)
        if number is None and record is None and not self._seeded:
            number = entropy()
        if number is not None:
            self.seed = number
            self.states["rng"] = as_rng(number)
        self._seeded = True
        if record is None:
            self._kernels.deal_one(self.states, self._data)
        self._begin()

    def record(self) -> np.ndarray:
        """A copy of the state: a record, of shape ()."""
        record = self.states[0].copy()
        self.recipe.known.note(record)
        return record

    def set_record(self, record: Any) -> None:
        """Go on from a record; `StateError` if it is none of this game."""
        self.recipe.known.check(record)
        self._replace(record)
        self._seeded = True
        self._begin()

    def _replace(self, record: Any) -> None:
        moved = record["data"] != self.states[0]["data"]
        self.states[0] = record
        if moved:  # else what is constant in observations stays so
            self._blank = self.recipe.game.blank_observations(self.states)[0]

    def _begin(self) -> None:
        self.ready = True
        self.closed = False
        self._look()

    def _look(self) -> None:
        masks, numbers = np.empty(self.masks.shape, np.uint8), np.empty(self.numbers.shape, np.int64)
        self._kernels.look_one(self.states, self._data, self._reward, masks, self._looked, self._totals, numbers)
        self._seen(masks, numbers)

    def _seen(self, masks: np.ndarray, numbers: np.ndarray) -> None:
        self.masks = masks.view(np.int8)
        self.numbers = numbers
        self.asked, self.status = self._looked.tolist()
        self.returns = self._totals.tolist()

    def observe(self, seat: int) -> dict[str, np.ndarray]:
        """New arrays with what a seat sees."""
        observation = self._blank.copy()
        mask = np.empty(self.masks.shape[1], np.uint8)
        self._observe_one(self.states, self._data, seat, observation, mask)
        if self.closed:
            mask[:] = 0
            mask[self.recipe.game.wait] = 1
        return {"observation": observation, "action_mask": mask.view(np.int8)}

    def mask(self, seat: int) -> np.ndarray:
        """A new array with the legal actions of a seat, int8 of shape (num_actions,)."""
        return self.observe(seat)["action_mask"]

    def observe_all(self) -> np.ndarray:
        """What all seats see, a new array, float32 of shape (seats, layout.size)."""
        observations = np.repeat(self._blank[None], len(self.masks), axis=0)
        self._kernels.observe_seats(self.states, self._data, observations)
        return observations

    def step(self, seat: int, action: int) -> bool:
        """Carry out an action that is in the action space; if it is not legal now, change nothing and return False."""
        masks, numbers = np.empty(self.masks.shape, np.uint8), np.empty(self.numbers.shape, np.int64)
        looked, totals = self._looked, self._totals
        if not self._step_one(self.states, self._data, self._reward, seat, action, masks, looked, totals, numbers):
            return False
        self._seen(masks, numbers)
        return True

    def illegal_seats(self, actions: np.ndarray) -> list[int]:
        """The seats whose actions, int64 of shape (seats,) and in the action space, are not legal now."""
        masks = np.empty(self.masks.shape, np.uint8)
        if self._kernels.check_seats(self.states, self._data, actions, masks, self._illegal):
            return [int(seat) for seat in np.flatnonzero(self._illegal)]
        return []

    def step_all(self, actions: np.ndarray) -> None:
        """Carry out legal actions, int64 of shape (seats,); a negative one is passed over."""
        self._kernels.step_seats(self.states, self._data, actions.copy())
        self._look()

    def close(self) -> None:
        """End the game by an illegal action: leave every seat the action wait alone."""
        self.closed = True
        self.masks = np.zeros(self.masks.shape, np.int8)
        self.masks[:, self.recipe.game.wait] = 1

    def summary(self) -> dict[str, Any]:
        """`Game.summary` of the state."""
        state = self.states[0]
        return self.recipe.game.summary(state, self._data[state["data"]])
