"""Loops over many games, written once for all games and bound to each game's kernels.

The templates below are plain functions; their names ``reset``, ``step``, ``legal`` … are the kernels of a game. `Loops`
binds them and runs them on slices of a batch in several threads. A game depends on its own record alone, so that
results do not depend on the number of threads.

Threads are Python's: kernels release the GIL. No OpenMP is involved, so that forked and threaded callers are safe.
"""

import os
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

import numpy as np

from valley_core.game import Game
from valley_core.jit import bind
from valley_core.rng import below
from valley_core.settings import processors, whole_number

LEAST_SHARE = 256
"""Games that are worth a thread of their own for one step each: handing over takes longer than stepping fewer."""

SHORT_MASK = 64
BLOCK = 16
"""Masks up to `SHORT_MASK` actions are searched as a whole, longer ones in blocks."""

# The kernels of a game, bound by `Loops`.
reset: Any = None
step: Any = None
legal: Any = None
observe: Any = None
to_act: Any = None
asked: Any = None
status: Any = None
returns: Any = None


def reset_some(states: Any, data: Any, chosen: Any) -> None:
    """Deal a new game in each state that is chosen."""
    for i in range(len(states)):
        if chosen[i]:
            reset(states[i], data[states[i]["data"]])


def observe_all(states: Any, data: Any, seats: Any, observations: Any, masks: Any) -> None:
    """Write observation and mask of one seat of each game."""
    for i in range(len(states)):
        state = states[i]
        datum = data[state["data"]]
        observe(state, datum, seats[i], observations[i])
        legal(state, datum, seats[i], masks[i])


def masks_all(states: Any, data: Any, seats: Any, masks: Any) -> None:
    """Write the mask of one seat of each game."""
    for i in range(len(states)):
        legal(states[i], data[states[i]["data"]], seats[i], masks[i])


def step_all(states: Any, data: Any, seats: Any, actions: Any) -> None:
    """Carry out one action in each game; a negative seat leaves the game alone."""
    for i in range(len(states)):
        if seats[i] >= 0:
            step(states[i], data[states[i]["data"]], seats[i], actions[i])


def look_all(states: Any, data: Any, reward: int, seats: Any, statuses: Any, totals: Any) -> None:
    """Write who is asked next, the status and the returns of all seats."""
    for i in range(len(states)):
        state = states[i]
        seats[i] = to_act(state)
        statuses[i] = status(state)
        returns(state, data[state["data"]], reward, totals[i])


def find_illegal(states: Any, data: Any, seats: Any, actions: Any, mask: Any) -> int:
    """Index of the first game whose action is not legal, or -1; a negative seat is passed over."""
    for i in range(len(states)):
        if seats[i] >= 0:
            action = actions[i]
            if action < 0 or action >= len(mask):
                return i
            legal(states[i], data[states[i]["data"]], seats[i], mask)
            if not mask[action]:
                return i
    return -1


def pick(mask: Any, chance: Any) -> int:
    """A legal action, each with the same probability; ``chance.rng`` moves on."""
    size = len(mask)
    count = 0
    for action in range(size):
        count += mask[action]
    wanted = below(chance, count) + 1
    seen = 0
    action = 0
    if size <= SHORT_MASK:
        # Its number is that of the places with fewer legal actions up to there: no branch to mispredict.
        for i in range(size):
            seen += mask[i]
            action += seen < wanted
        return action
    while action + BLOCK < size:  # skip whole blocks
        legal_here = 0
        for i in range(BLOCK):
            legal_here += mask[action + i]
        if seen + legal_here >= wanted:
            break
        seen += legal_here
        action += BLOCK
    seen += mask[action]
    while seen < wanted:
        action += 1
        seen += mask[action]
    return action


def pick_all(masks: Any, chances: Any, actions: Any) -> None:
    """A legal action for each game, from its own stream of random numbers."""
    for i in range(len(masks)):
        actions[i] = choose(masks[i], chances[i])


choose: Any = None
"""`pick`, bound."""


def play_random(states: Any, data: Any, chances: Any, observations: Any, masks: Any, steps: int) -> int:
    """Play `steps` random decisions in each game, with observation and mask before each; the number of games ended."""
    ended = 0
    for _ in range(steps):
        for i in range(len(states)):
            state = states[i]
            datum = data[state["data"]]
            seat = to_act(state)
            observe(state, datum, seat, observations[i])
            legal(state, datum, seat, masks[i])
            step(state, datum, seat, choose(masks[i], chances[i]))
            if to_act(state) < 0:
                ended += 1
                reset(state, datum)
    return ended


def play_kernel(states: Any, data: Any, chances: Any, masks: Any, steps: int) -> int:
    """The same without observations: the rules alone."""
    ended = 0
    for _ in range(steps):
        for i in range(len(states)):
            state = states[i]
            datum = data[state["data"]]
            seat = to_act(state)
            legal(state, datum, seat, masks[i])
            step(state, datum, seat, choose(masks[i], chances[i]))
            if to_act(state) < 0:
                ended += 1
                reset(state, datum)
    return ended


CHANCE = np.dtype((np.record, [("rng", "u8"), ("stream", "u8")]))
"""A stream of random numbers outside a game, and its number: for policies, so that they do not disturb the deal.

Numba would take a game's state for a kind of this record, and warn, were `rng` its only field.
"""


def new_chances(seed: int, count: int) -> np.ndarray:
    """`count` independent streams."""
    chances = np.zeros(count, CHANCE)
    chances["stream"] = np.arange(count)
    chances["rng"] = np.random.SeedSequence(seed).generate_state(count, np.uint64)
    return chances


THREADS = "threads that batches use; 0 for one a processor"

_threads = 0


def set_num_threads(count: int) -> None:
    """Use `count` threads for batches from now on (0: as many as there are processors for this process)."""
    global _threads
    if count < 0:
        raise ValueError(f"the number of threads must be 0 or more, not {count}")
    _threads = count


def num_threads() -> int:
    """How many threads batches use: `set_num_threads`, else $VALLEY_NUM_THREADS, else one for each processor.

    Raises:
        OptionError: $VALLEY_NUM_THREADS is no whole number.
    """
    return _threads or whole_number("VALLEY_NUM_THREADS", THREADS) or processors()


Task = tuple[int, Callable[[slice], Any], slice, SimpleQueue[Any]]


class _Workers:
    """Threads that wait for tasks: handing one over takes half as long as with the executor of the standard library,
    and a step of a batch is as short as that.

    Attributes:
        tasks: What is to be done; whoever is free takes the next.
        count: How many threads there are.
    """

    def __init__(self) -> None:
        self.tasks: SimpleQueue[Task] = SimpleQueue()
        self.count = 0
        self._lock = threading.Lock()

    def grow(self, count: int) -> None:
        """Have at least so many threads."""
        with self._lock:
            while self.count < count:
                threading.Thread(target=_work, args=(self.tasks,), name="valley", daemon=True).start()
                self.count += 1


def _work(tasks: "SimpleQueue[Task]") -> None:
    while True:
        number, work, part, done = tasks.get()
        try:
            done.put((number, work(part), None))
        except BaseException as error:  # for the one who waits
            done.put((number, None, error))
        del work, part, done  # with all that they hold on to


_workers = _Workers()


def _renew_workers() -> None:
    """A forked child has none of its parent's threads."""
    global _workers
    _workers = _Workers()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_workers)


def in_threads(size: int, work: Callable[[slice], Any], least_share: int = LEAST_SHARE) -> list[Any]:
    """Call `work` on slices that together cover `size` games, in threads; the results in order.

    A thread gets at least `least_share` games: fewer than the default where `work` is more than one step.
    """
    count = min(num_threads(), max(1, size // least_share))
    if count == 1:
        return [work(slice(0, size))]
    edges = [size * i // count for i in range(count + 1)]
    slices = [slice(edges[i], edges[i + 1]) for i in range(count)]
    if _workers.count < count:
        _workers.grow(count)
    done: SimpleQueue[tuple[int, Any, BaseException | None]] = SimpleQueue()
    for number, part in enumerate(slices[:-1]):
        _workers.tasks.put((number, work, part, done))
    results = [None] * count
    errors = []
    try:
        results[-1] = work(slices[-1])  # the caller's thread takes the last share itself: one hand-over fewer
    finally:  # nobody writes on after this has returned
        for _ in slices[:-1]:
            number, results[number], error = done.get()
            if error is not None:
                errors.append(error)
    if errors:
        raise errors[0]
    return results


class Loops:
    """The templates of this module bound to one game's kernels, on whole batches, in threads."""

    def __init__(self, game: Game) -> None:
        names = {**game.kernels.as_globals()}
        names["choose"] = self._bind(game, pick, names)
        self.reset_some = self._bind(game, reset_some, names)
        self.observe_all = self._bind(game, observe_all, names)
        self.masks_all = self._bind(game, masks_all, names)
        self.step_all = self._bind(game, step_all, names)
        self.look_all = self._bind(game, look_all, names)
        self.find_illegal = self._bind(game, find_illegal, names)
        self.pick_all = self._bind(game, pick_all, names)
        self.play_random = self._bind(game, play_random, names)
        self.play_kernel = self._bind(game, play_kernel, names)

    @staticmethod
    def _bind(game: Game, template: Any, names: dict[str, Any]) -> Any:
        return bind(template, names, package=game.package, name=game.package)


_bound: dict[str, Loops] = {}


def loops_of(game: Game) -> Loops:
    """The bound loops of a game: one set for each package of kernels, however many games have other options."""
    if game.package not in _bound:
        _bound[game.package] = Loops(game)
    return _bound[game.package]
