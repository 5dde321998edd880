"""Compiled and plain kernels play the same games, on decks out of the whole vocabulary.

The golden playthroughs (``test_golden.py``) compare them on the shipped decks.
"""

import hashlib
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from deathvalley_env.deck import deck_from_dict
from deathvalley_env.game import make_game
from tests.reference.deathvalley import random_deck

ROOT = Path(__file__).parents[2]
VARIANTS: dict[str, dict[str, Any]] = {
    "base": {},
    "backseat": {"variant": "backseat", "ask_forced": True},
    "solo": {"solo": True},
    "solo both": {"solo": True, "discard_points": True, "must_outbust": True},
}
GAMES = 6
LONGEST = 150
"""Decisions of a game that are played."""


def course(variant: str, number: int) -> str:
    """A digest of all states, observations, masks and returns of a random game on a random deck."""
    deck = deck_from_dict({"name": "random", "card": random_deck(random.Random(number))})
    game = make_game(deck=deck, **VARIANTS[variant])
    choose, digest = random.Random(number), hashlib.sha256()
    states = game.new_states(1)
    state, data, kernels = states[0], game.data[0], game.kernels
    seen, mask, returns = game.blank_observations(states)[0], np.zeros(game.num_actions, np.uint8), np.zeros(2)
    state["rng"] = 2**64 - 1 - number  # such that the stream wraps around
    kernels.reset(state, data)
    decisions = 0
    while True:
        digest.update(state.tobytes())
        for seat in range(2):
            kernels.observe(state, data, seat, seen)
            kernels.legal(state, data, seat, mask)
            digest.update(seen.tobytes() + mask.tobytes())
        for reward in range(3):
            kernels.returns(state, data, reward, returns)
            digest.update(returns.tobytes())
        game.check_state(state)
        seat = kernels.to_act(state)
        if seat < 0 or decisions == LONGEST:
            digest.update(repr(game.summary(state, data)).encode())
            return f"{variant} {number}: {decisions} decisions, {digest.hexdigest()}"
        kernels.legal(state, data, seat, mask)
        kernels.step(state, data, seat, int(choose.choice(np.flatnonzero(mask))))
        decisions += 1


def courses() -> list[str]:
    """A few games of each variant."""
    return [course(variant, number) for variant in VARIANTS for number in range(GAMES)]


def test_plain_python_plays_the_same_games_on_random_decks() -> None:
    """Warnings are errors: no number wraps around, none is cut off."""
    plain = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.deathvalley_env.test_plain"],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert plain.returncode == 0, plain.stderr
    assert plain.stdout.splitlines() == courses()


if __name__ == "__main__":
    print("\n".join(courses()))
