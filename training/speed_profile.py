"""Where the time of batched play goes: the same games in loops with parts left out, on one thread.

``observation`` is what the loop with observations takes longer than the one without; ``mask`` and ``choice`` are timed
as loops of their own over games in mid-play; ``rules`` is the rest.
"""

import statistics
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from training.speed_layers import Batch, base_game

DEEP = 64
"""Steps into the games, at which mask and choice are timed."""


def shares(name: str, size: int, seed: int, seconds: float, runs: int) -> list[dict[str, Any]]:
    """For each part: ``part``, ``nanoseconds`` a step, and ``share`` of the whole."""
    made = Batch(base_game(name), size, seed)
    whole = slice(0, size)
    made.steps = DEEP
    made.play_random(whole)
    seats, statuses = np.zeros(size, np.int64), np.zeros(size, np.int64)
    made.loops.look_all(made.states, made.game.data, 0, seats, statuses, np.zeros((size, made.game.seats)))
    masks, actions, chances = made.masks.copy(), np.zeros(size, np.int64), made.chances.copy()
    states = made.states.copy()  # stay where they are while the others play on
    made.steps = 1
    loops: dict[str, Callable[[], Any]] = {
        "all": lambda: made.play_random(whole),
        "without observation": lambda: made.play_kernel(whole),
        "mask": lambda: made.loops.masks_all(states, made.game.data, seats, masks),
        "choice": lambda: made.loops.pick_all(masks, chances, actions),
    }
    loops["mask"]()  # fills in what the choice chooses from
    times: dict[str, list[float]] = {part: [] for part in loops}
    for _ in range(runs):
        for part, loop in loops.items():
            times[part].append(_nanoseconds(loop, seconds) / size)
    cost = {part: statistics.median(own) for part, own in times.items()}
    parts = {
        "rules": cost["without observation"] - cost["mask"] - cost["choice"],
        "observation": cost["all"] - cost["without observation"],
        "mask": cost["mask"],
        "choice": cost["choice"],
    }
    return [
        {"part": part, "nanoseconds": max(0.0, time), "share": max(0.0, time) / cost["all"]}
        for part, time in (*parts.items(), ("all", cost["all"]))
    ]


def _nanoseconds(loop: Callable[[], Any], seconds: float) -> float:
    """Time of one call, over about `seconds`."""
    loop()
    calls, start = 0, perf_counter()
    while (passed := perf_counter() - start) < seconds:
        loop()
        calls += 1
    return 1e9 * passed / max(1, calls)
