"""Loops over many games: the same games whatever the batch size and the number of threads."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from valley_core.batch import CHANCE, Loops, in_threads, loops_of, new_chances, num_threads, set_num_threads
from valley_core.game import Game

Made = tuple[Callable[..., Game], dict[str, Any]]
ROOT = Path(__file__).resolve().parents[2]
STEPS = 60


@pytest.fixture(autouse=True)
def own_threads() -> Iterator[None]:
    """Leave the number of threads as it was."""
    yield
    set_num_threads(0)


def dealt(game: Game, seeds: range) -> np.ndarray:
    """Games dealt from these seeds."""
    states = game.new_states(len(seeds))
    states["rng"] = seeds
    loops_of(game).reset_some(states, game.data, np.ones(len(seeds), bool))
    return states


def chances_of(seeds: range) -> np.ndarray:
    """A stream for each game that depends on its seed alone."""
    chances = np.zeros(len(seeds), CHANCE)
    chances["rng"] = [1_000_003 * seed + 17 for seed in seeds]
    return chances


def played(game: Game, seeds: range) -> np.ndarray:
    """The states after some random steps, in threads."""
    states, chances = dealt(game, seeds), chances_of(seeds)
    observations = game.blank_observations(states)
    masks = np.zeros((len(seeds), game.num_actions), np.uint8)
    loops: Loops = loops_of(game)
    in_threads(
        len(seeds),
        lambda part: loops.play_random(states[part], game.data, chances[part], observations[part], masks[part], STEPS),
    )
    return states


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("size", [1, 7, 1024])
def test_batch_size_and_threads_do_not_matter(made: Made, size: int, threads: int) -> None:
    game = made[0](**made[1])
    set_num_threads(1)
    expected = played(game, range(1024))[:size]
    set_num_threads(threads)
    assert played(game, range(size)).tobytes() == expected.tobytes()


def test_the_kernel_loop_plays_the_same_games(made: Made) -> None:
    game = made[0](**made[1])
    states, chances = dealt(game, range(64)), chances_of(range(64))
    masks = np.zeros((64, game.num_actions), np.uint8)
    loops_of(game).play_kernel(states, game.data, chances, masks, STEPS)
    assert states.tobytes() == played(game, range(64)).tobytes()


def test_find_illegal_and_negative_seats(turns: Made) -> None:
    game = turns[0](**turns[1])
    loops = loops_of(game)
    states = dealt(game, range(5))
    seats, statuses = np.zeros(5, np.int64), np.zeros(5, np.int64)
    loops.look_all(states, game.data, 0, seats, statuses, np.zeros((5, game.seats)))
    mask = np.zeros(game.num_actions, np.uint8)
    actions = np.zeros(5, np.int64)
    assert loops.find_illegal(states, game.data, seats, actions, mask) == -1
    for wrong in (game.wait, -1, game.num_actions, 2**40):
        actions[3] = wrong
        assert loops.find_illegal(states, game.data, seats, actions, mask) == 3
    seats[3] = -1
    assert loops.find_illegal(states, game.data, seats, actions, mask) == -1
    before = states.copy()
    loops.step_all(states, game.data, seats, actions)
    assert states[3] == before[3]
    assert (states[:3] != before[:3]).all()


def test_random_choices_are_uniform_over_the_legal(turns: Made) -> None:
    game = turns[0](**turns[1])
    count = 6000
    masks = np.zeros((count, game.num_actions), np.uint8)
    masks[:, [1, 5, game.wait]] = 1
    actions = np.zeros(count, np.int64)
    loops_of(game).pick_all(masks, new_chances(1, count), actions)
    counts = np.bincount(actions, minlength=game.num_actions)
    assert counts.sum() == counts[[1, 5, game.wait]].sum()
    assert ((counts[[1, 5, game.wait]] - 2000) ** 2 / 2000).sum() < 13.9  # chi-squared, 2 degrees of freedom, 0.1 %


def test_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    set_num_threads(3)
    assert num_threads() == 3
    set_num_threads(0)
    monkeypatch.setenv("VALLEY_NUM_THREADS", "5")
    assert num_threads() == 5
    monkeypatch.delenv("VALLEY_NUM_THREADS")
    assert num_threads() >= 1
    with pytest.raises(ValueError, match="-1"):
        set_num_threads(-1)


def test_slices_cover_the_batch_in_order_and_errors_come_through() -> None:
    set_num_threads(4)
    slices = in_threads(1000, lambda part: part)
    assert [i for part in slices for i in range(part.start, part.stop)] == list(range(1000))

    def fail(part: slice) -> None:
        raise RuntimeError(f"from {part.start}")

    with pytest.raises(RuntimeError, match="from"):
        in_threads(1000, fail)


FORKS_AND_THREADS = """
import os, sys, threading
import numpy as np
from deathvalley_env import make_vec
from valley_core.batch import set_num_threads
set_num_threads(2)

def play(seed, result):
    envs = make_vec(256)
    observation, _ = envs.reset(seed=seed)
    total = 0.0
    for _ in range(40):
        observation, rewards, *_ = envs.step(observation["action_mask"].argmax(1))
        total += rewards.sum()
    result.append((total, envs.state_records().tobytes()))

expected = []
play(1, expected)  # the pool of threads exists now

children = []
for _ in range(2):
    child = os.fork()
    if child == 0:
        again = []
        play(1, again)
        os._exit(0 if again == expected else 3)
    children.append(child)
for child in children:
    assert os.waitpid(child, 0)[1] == 0

results = [[] for _ in range(4)]
threads = [threading.Thread(target=play, args=(1, result)) for result in results]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert all(result == expected for result in results)
play(1, results[0])
assert results[0][1] == expected[0]
print("fine")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_forks_and_threads_play_the_same_games() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORKS_AND_THREADS],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.stdout == "fine\n", done.stderr
