"""``python -m valley_core compile``: compile ahead all kernels that the environments need, and keep them."""

import argparse
import importlib
import importlib.util
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from valley_core.decisions import Decisions
from valley_core.game import Game
from valley_core.jit import JIT_DISABLED, cache_root, progress
from valley_core.public import defaults_of

BESIDE = Path(__file__).parents[1]
GAMES = tuple(sorted(found.parent.name for found in BESIDE.glob("*_env/registration.py")))
"""Packages of games that come with this one."""

DESCRIPTION = """\
Play one step in every interface of a game (raw_env, env, parallel_env, solo_env, make_vec, and make_sb3_env where
Stable-Baselines3 is installed), against every kind of opponent, so that all kernels that they need are compiled and
kept in the cache: in $VALLEY_CACHE_DIR, else in the user's cache folder. Environments of the same sources, in whatever
folder, then start without compiling. What agents and training need beyond that is compiled when they first run.
"""


class First:
    """An opponent that is an agent: it takes the first legal action."""

    def start(self, game: Game, seeds: np.ndarray) -> None:
        """Nothing to prepare."""

    def act(self, decisions: Decisions) -> np.ndarray:
        """The action with the lowest number."""
        return decisions.masks.argmax(1)


def step_aec(env: Any) -> None:
    """One step of an AEC environment, and a game that goes on from a record."""
    env.reset(seed=1)
    env.step(int(env.last()[0]["action_mask"].argmax()))
    env.unwrapped.set_state_record(env.unwrapped.state_record())


def step_parallel(env: Any) -> None:
    """One step of a Parallel environment, and a game that goes on from a record."""
    observations, _ = env.reset(seed=1)
    env.step({agent: int(observations[agent]["action_mask"].argmax()) for agent in env.agents})
    env.set_state_record(env.state_record())


def step_gym(env: Any) -> None:
    """One step of a Gymnasium environment, and a game that goes on from a record."""
    env.reset(seed=1)
    env.step(int(env.action_masks().argmax()))
    env.set_state_record(env.state_record())


def step_vector(envs: Any) -> None:
    """One step of a vector environment, and games that go on from records."""
    envs.reset(seed=1)
    envs.step(envs.action_masks().argmax(1))
    envs.set_state_records(envs.state_records())


def step_sb3(envs: Any) -> None:
    """One step of Stable-Baselines3's interface."""
    envs.reset()
    envs.step(envs.action_masks().argmax(1))


def interfaces(package: ModuleType) -> Iterator[tuple[str, Callable[[], None]]]:
    """The name of each interface of a game, and what compiles it."""
    yield "raw_env", lambda: step_aec(package.raw_env())
    yield "env", lambda: step_aec(package.env())
    yield "parallel_env", lambda: step_parallel(package.parallel_env())
    yield "solo_env", lambda: step_gym(package.solo_env())
    yield "solo_env, random opponents", lambda: step_gym(package.solo_env(opponents="random"))
    yield "solo_env, agents", lambda: step_gym(package.solo_env(opponents=First()))
    yield "make_vec", lambda: step_vector(package.make_vec(2))
    yield "make_vec, random opponents", lambda: step_vector(package.make_vec(2, opponents="random"))
    yield "make_vec, agents", lambda: step_vector(package.make_vec(2, opponents=First()))
    if "num_players" in defaults_of(package.make_game):
        three = {"num_players": 3, "opponents": ["random", First()]}
        yield "make_vec, random opponents and agents", lambda: step_vector(package.make_vec(2, **three))
    if importlib.util.find_spec("stable_baselines3"):
        yield "make_sb3_env", lambda: step_sb3(package.make_sb3_env(2))


def compile_ahead(names: Sequence[str]) -> None:
    """Compile the interfaces of the named packages; a line for each on stdout."""
    steps = [(name, *interface) for name in names for interface in interfaces(importlib.import_module(name))]
    for number, (name, interface, compile_it) in enumerate(steps, start=1):
        before, start = progress.count, time.perf_counter()
        compile_it()
        compiled, seconds = progress.count - before, time.perf_counter() - start
        what = f"{compiled} kernels compiled in {seconds:.1f} s" if compiled else "nothing left to compile"
        print(f"{number:2} of {len(steps)}: {name}, {interface}: {what}", flush=True)


def _package(name: str) -> str:
    if name not in GAMES or not importlib.util.find_spec(name):
        raise argparse.ArgumentTypeError(f"{name!r} is no package of a game here; there are {', '.join(GAMES)}")
    return name


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m valley_core", description="What all games share.")
    commands = parser.add_subparsers(dest="command", required=True)
    compiling = commands.add_parser(
        "compile",
        help="compile ahead all kernels that the environments need",
        description=DESCRIPTION,
    )
    installed = [name for name in GAMES if importlib.util.find_spec(name)]
    compiling.add_argument(
        "packages",
        nargs="*",
        default=installed,
        type=_package,
        metavar="PACKAGE",
        help=f"packages of games (default: {' '.join(installed)})",
    )
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Returns:
        0, or 1 where there is nothing to compile with or nowhere to keep it. Wrong usage exits with 2.
    """
    arguments = _parser().parse_args(argv)
    if JIT_DISABLED:
        print("NUMBA_DISABLE_JIT is set: kernels run as plain Python, and nothing is compiled", file=sys.stderr)
        return 1
    try:
        folder = cache_root()
    except OSError as error:
        print(
            f"nowhere to keep kernels: {error}. Set VALLEY_CACHE_DIR to a folder that can be written", file=sys.stderr
        )
        return 1
    compile_ahead(arguments.packages)
    print(f"kept in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
