"""The layers of a game as loops to be timed: generators of steps done, so that all are timed by the same code."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from time import perf_counter
from typing import Any

import numpy as np

from agents.mcts import Options, search
from training.games import entry_of
from valley_core.batch import in_threads, loops_of, new_chances
from valley_core.game import Game

Steps = Iterator[int]
"""Plays on for ever; each item is the number of decisions since the last."""

STEPS_A_CALL = 100
"""Decisions of each game in one call of a compiled loop; `peers.py` lets Pgx play as many."""

LEAST_SHARE = 32
"""Games that are worth a thread of their own for so many decisions."""


class Skip(Exception):  # noqa: N818 - no error: it says why a layer is left out
    """Why a layer cannot be measured."""


@dataclass(frozen=True)
class Layer:
    """A layer.

    Attributes:
        make: ``(game, batch, seed) -> Steps``.
        batched: Whether the batch size means anything to it.
    """

    make: Callable[[str, int, int], Steps]
    batched: bool


def measure(steps: Steps, seconds: float) -> float:
    """Steps a second over about `seconds`."""
    done = next(steps)  # not on the clock: caches warm up
    done, start = 0, perf_counter()
    while True:
        done += next(steps)
        passed = perf_counter() - start
        if passed >= seconds:
            return done / passed


def base_game(name: str) -> Game:
    """The game in its first setting between players, observed as the environments do by default."""
    entry = entry_of(name)
    return entry.make(**{**next(iter(entry.settings.values())), **entry.learning})


def _public(game: str, name: str) -> Any:
    """A public function of a game's package."""
    package = import_module(f"{game}_env")
    if not hasattr(package, name):
        raise Skip(f"{game}_env has no {name}")
    return getattr(package, name)


class Batch:
    """A batch of dealt games with all that the loops of `valley_core.batch` need."""

    def __init__(self, game: Game, size: int, seed: int) -> None:
        self.game, self.loops = game, loops_of(game)
        self.states = game.new_states(size)
        self.states["rng"] = new_chances(seed, size)["rng"]
        self.chances = new_chances(seed + 1, size)
        self.observations = game.blank_observations(self.states)
        self.masks = np.zeros((size, game.num_actions), np.uint8)
        self.loops.reset_some(self.states, game.data, np.ones(size, np.bool_))
        self.steps = STEPS_A_CALL

    def play_random(self, part: slice) -> None:
        """Rules, observation, mask and choice."""
        arrays = (self.states[part], self.game.data, self.chances[part], self.observations[part], self.masks[part])
        self.loops.play_random(*arrays, self.steps)

    def play_kernel(self, part: slice) -> None:
        """Rules, mask and choice."""
        arrays = (self.states[part], self.game.data, self.chances[part], self.masks[part])
        self.loops.play_kernel(*arrays, self.steps)


def _in_kernel(name: str, batch: int, seed: int, loop: Callable[[Batch, slice], None]) -> Steps:
    made = Batch(base_game(name), batch, seed)
    while True:
        in_threads(batch, lambda part: loop(made, part), LEAST_SHARE)
        yield batch * made.steps


def kernel(name: str, batch: int, seed: int) -> Steps:
    """The rules alone (`valley_core.batch.play_kernel`)."""
    return _in_kernel(name, batch, seed, Batch.play_kernel)


def batch(name: str, batch: int, seed: int) -> Steps:
    """With observation and mask before each step (`valley_core.batch.play_random`)."""
    return _in_kernel(name, batch, seed, Batch.play_random)


def _aec(name: str, factory: str, seed: int) -> Steps:
    env = _public(name, factory)()
    return _aec_steps(env, np.random.default_rng(seed))


def _aec_steps(env: Any, rng: np.random.Generator) -> Steps:
    while True:
        env.reset(seed=int(rng.integers(1 << 30)))
        steps = 0
        while env.agents:
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            env.step(int(rng.choice(np.flatnonzero(observation["action_mask"]))))
            steps += 1
        yield steps


def aec_raw(name: str, batch: int, seed: int) -> Steps:
    """PettingZoo's AEC, ``raw_env``."""
    return _aec(name, "raw_env", seed)


def aec(name: str, batch: int, seed: int) -> Steps:
    """PettingZoo's AEC with its wrappers, ``env``."""
    return _aec(name, "env", seed)


def _scripted(mask: np.ndarray, choice: random.Random) -> int:
    """A cheap choice among the legal actions."""
    legal = mask.nonzero()[0]
    return int(legal[int(choice.random() * len(legal))])


def parallel(name: str, batch: int, seed: int) -> Steps:
    """PettingZoo's Parallel API; those who are asked are counted."""
    return _parallel_steps(_public(name, "parallel_env")(), random.Random(seed))


def _parallel_steps(env: Any, choice: random.Random) -> Steps:
    wait = env.game.wait
    while True:
        observations, _ = env.reset(seed=choice.getrandbits(30))
        steps = 0
        while env.agents:
            actions = {agent: _scripted(observations[agent]["action_mask"], choice) for agent in env.agents}
            steps += sum(action != wait for action in actions.values())
            observations, *_ = env.step(actions)
        yield steps


def solo(name: str, batch: int, seed: int) -> Steps:
    """Gymnasium's API, one learner; against random opponents where a game has no AI of its own."""
    return _solo_steps(_public(name, "solo_env")(), random.Random(seed))


def _solo_steps(env: Any, choice: random.Random) -> Steps:
    seed: int | None = choice.getrandbits(30)  # of the first game; the others go on from it, as in a training loop
    while True:
        observation, _ = env.reset(seed=seed)
        seed = None
        steps, over = 0, False
        while not over:
            observation, _, terminated, truncated, _ = env.step(_scripted(observation["action_mask"], choice))
            over = terminated or truncated
            steps += 1
        yield steps


def vector(name: str, batch: int, seed: int) -> Steps:
    """Gymnasium's vector API, on buffers that the next step overwrites, as a loop uses it that stores what it keeps."""
    return _vector_steps(_public(name, "make_vec")(batch, copy=False), base_game(name), batch, seed)


def _vector_steps(envs: Any, game: Game, batch: int, seed: int) -> Steps:
    from gymnasium.vector import AutoresetMode

    pick, chances, actions = loops_of(game).pick_all, new_chances(seed, batch), np.zeros(batch, np.int64)
    next_step = envs.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    observations, _ = envs.reset(seed=seed)
    resetting = np.zeros(batch, np.bool_)
    while True:
        pick(observations["action_mask"].view(np.uint8), chances, actions)
        observations, _, terminated, truncated, _ = envs.step(actions)
        yield batch - int(resetting.sum())  # a step that only resets is no decision
        if next_step:
            resetting = terminated | truncated


def sb3(name: str, batch: int, seed: int) -> Steps:
    """Stable-Baselines3's vector API, with the masks of all games in one array."""
    return _sb3_steps(_sb3_env(name, batch), base_game(name), batch, seed, lambda envs: envs.action_masks())


def maskable(name: str, batch: int, seed: int) -> Steps:
    """The same with the masks as sb3-contrib's `MaskablePPO` asks for them: a list of one for each game, stacked."""
    return _sb3_steps(_sb3_env(name, batch), base_game(name), batch, seed, _masks_as_sb3_contrib)


def _sb3_env(name: str, batch: int) -> Any:
    if find_spec("stable_baselines3") is None:
        raise Skip("stable-baselines3 is not installed (pip install -e '.[train]')")
    return _public(name, "make_sb3_env")(batch)


def _masks_as_sb3_contrib(envs: Any) -> np.ndarray:
    return np.stack(envs.env_method("action_masks"))


def _sb3_steps(envs: Any, game: Game, batch: int, seed: int, masks_of: Callable[[Any], np.ndarray]) -> Steps:
    pick, chances, actions = loops_of(game).pick_all, new_chances(seed, batch), np.zeros(batch, np.int64)
    envs.seed(seed)
    envs.reset()
    while True:
        pick(masks_of(envs).view(np.uint8), chances, actions)
        envs.step(actions)
        yield batch


SIMULATIONS = 300
"""Of a search in the layer `mcts`, as the peers' script has them."""


def mcts(name: str, batch: int, seed: int) -> Steps:
    """Simulations of a search from the first decision of a game, each with random play to the end; in one thread."""
    game = base_game(name)
    return _mcts_steps(game, new_chances(seed, batch), Options(SIMULATIONS, leaf="random", exploration=2.0))


def _mcts_steps(game: Game, chances: np.ndarray, options: Options) -> Steps:
    states = game.new_states(len(chances))
    loops_of(game).reset_some(states, game.data, np.ones(len(states), np.bool_))
    seats = np.array([game.kernels.to_act(state) for state in states])
    while True:
        search(game, states, seats, chances, options)
        yield options.simulations * len(states)


LAYERS = {
    "kernel": Layer(kernel, batched=True),
    "batch": Layer(batch, batched=True),
    "aec_raw": Layer(aec_raw, batched=False),
    "aec": Layer(aec, batched=False),
    "parallel": Layer(parallel, batched=False),
    "solo": Layer(solo, batched=False),
    "vector": Layer(vector, batched=True),
    "sb3": Layer(sb3, batched=True),
    "maskable": Layer(maskable, batched=True),
    "mcts": Layer(mcts, batched=False),
}
"""From the rules outwards."""
