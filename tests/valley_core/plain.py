"""The kernels of a game as plain Python, in a process of their own: they play what the compiled ones play."""

import hashlib
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np

from valley_core.game import Game, Reward

ROOT = Path(__file__).parents[2]


def plain_output(module: str) -> str:
    """What a module prints with ``NUMBA_DISABLE_JIT=1``. Warnings are errors: no number wraps around or is cut off."""
    plain = subprocess.run(
        [sys.executable, "-W", "error", "-m", module],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert plain.returncode == 0, plain.stderr
    return plain.stdout


def digest_of_game(game: Game, title: str, number: int, longest: int) -> str:
    """A digest of all states, observations, masks and returns of a random game of at most `longest` decisions."""
    choose, digest = random.Random(number), hashlib.sha256()
    states = game.new_states(1)
    state, data, kernels = states[0], game.data[0], game.kernels
    seen, mask = game.blank_observations(states)[0], np.zeros(game.num_actions, np.uint8)
    returns = np.zeros(game.seats)
    state["rng"] = 2**64 - 1 - number  # such that the stream wraps around
    kernels.reset(state, data)
    decisions = 0
    while True:
        digest.update(state.tobytes())
        for seat in range(game.seats):
            kernels.observe(state, data, seat, seen)
            kernels.legal(state, data, seat, mask)
            digest.update(seen.tobytes() + mask.tobytes())
        for reward in Reward:
            kernels.returns(state, data, int(reward), returns)
            digest.update(returns.tobytes())
        game.check_state(state)
        asked = [seat for seat in range(game.seats) if kernels.asked(state, seat)]
        if not asked or decisions == longest:
            digest.update(repr(game.summary(state, data)).encode())
            return f"{title} {number}: {decisions} decisions, {digest.hexdigest()}"
        seat = choose.choice(asked)
        kernels.legal(state, data, seat, mask)
        kernels.step(state, data, seat, int(choose.choice(np.flatnonzero(mask))))
        decisions += 1
