"""``python -m training throughput``: decisions a second of one training, fed by different environments.

The game is that of two or more players with random opponents; network, decisions between two improvements, minibatches
and epochs are the same. ``native`` plays all games in one batch of compiled code; ``pettingzoo`` plays PettingZoo's AEC
environment, wrapped as one learner's, game after game in one process; ``subprocess`` plays the same wrapped environment
in one process for each game, as Stable-Baselines3's `SubprocVecEnv` does it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tyro.conf import Positional

from training import train
from training.command import at_least, out, progress_bar, run_command, writable

if TYPE_CHECKING:
    from training.tables import FittedTable

WAYS = ("native", "pettingzoo", "subprocess")


@dataclass(frozen=True)
class Args:
    """Where the time of a training goes, and how fast the same training is on other environments."""

    game: Positional[Literal["deathvalley", "riftvalley"]] = "deathvalley"
    """The game."""
    seconds: float = 10.0
    """Length of each measurement, after a turn that is not measured; at least one turn."""
    ways: tuple[str, ...] = WAYS
    """What is measured: native, pettingzoo, subprocess."""
    envs: int = 256
    """Games side by side of `native`."""
    workers: int = 8
    """Games of `pettingzoo`, and processes of `subprocess`."""
    decisions: int = 4096
    """Decisions between two improvements."""
    threads: int = 1
    """Threads of torch."""
    seed: int = 0
    """Seed of deals and learning."""
    json: Path | None = None
    """Write configuration, versions, seed and rows to this file."""
    quiet: bool = False
    """No progress bar."""


def native(args: Args) -> Any:
    """All games in one batch."""
    from importlib import import_module

    from training.games import entry_of

    entry = entry_of(args.game)
    options: dict[str, Any] = {**next(iter(entry.settings.values())), **entry.learning}
    make_sb3_env = import_module(f"{args.game}_env").make_sb3_env
    return make_sb3_env(args.envs, opponents="random", seat="random", **options)


def pettingzoo(args: Args) -> Any:
    """PettingZoo's environments in this process."""
    from stable_baselines3.common.vec_env import DummyVecEnv

    return DummyVecEnv(makers(args))


def subprocess(args: Args) -> Any:
    """PettingZoo's environments, each in a process."""
    from stable_baselines3.common.vec_env import SubprocVecEnv

    return SubprocVecEnv(makers(args))


def makers(args: Args) -> list[Callable[[], Any]]:
    """A function for each game that makes it, and that can be sent to a process."""
    from functools import partial

    from training.one_seat import one_seat

    return [partial(one_seat, args.game, args.seed + k) for k in range(args.workers)]


def measure(way: str, args: Args) -> dict[str, Any]:
    """The row of one way."""
    from time import perf_counter

    from stable_baselines3.common.logger import Logger

    from training.one_seat import Timed
    from training.ppo import make_model

    environment = Timed({"native": native, "pettingzoo": pettingzoo, "subprocess": subprocess}[way](args))
    rollout = args.decisions // environment.num_envs
    settings = train.Args(rollout=rollout, minibatch=min(train.Args.minibatch, args.decisions))
    model = make_model(settings, environment, args.seed)
    model.set_logger(Logger(None, []))
    _, callback = model._setup_learn(0)
    playing = learning = inside = 0.0
    turns = -1  # the first is not measured: kernels load, processes start
    while turns < 1 or playing + learning < args.seconds:
        before, start = environment.seconds, perf_counter()
        model.collect_rollouts(environment, callback, model.rollout_buffer, rollout)
        middle = perf_counter()
        model.train()
        if turns >= 0:
            playing, learning = playing + middle - start, learning + perf_counter() - middle
            inside += environment.seconds - before
        turns += 1
    environment.close()
    steps = turns * rollout * environment.num_envs
    total = playing + learning
    return {
        "game": args.game,
        "way": way,
        "games": environment.num_envs,
        "decisions": steps,
        "decisions_per_s": round(steps / total),
        "played_per_s": round(steps / playing),
        "share_in_games": inside / total,
        "share_in_choice": (playing - inside) / total,
        "share_in_learning": learning / total,
    }


def run(args: Args) -> int:
    """Measure, print the table and write the file; the exit code."""
    import torch

    from training.report import config_of, save
    from training.speed_layers import base_game
    from valley_core.errors import OptionError
    from valley_core.options import fits_memory

    at_least("threads", args.threads, 1)
    writable(args.json)
    if unknown := [way for way in args.ways if way not in WAYS]:
        raise OptionError(f"there is no way {unknown[0]!r}; choose among {', '.join(WAYS)}")
    if args.decisions < 2 * max(args.envs, args.workers) or args.decisions % args.envs or args.decisions % args.workers:
        raise OptionError(
            f"--decisions {args.decisions} must be a multiple of --envs and --workers, at least twice each"
        )
    fits_memory("--decisions", args.decisions, train.bytes_of_decision(base_game(args.game)))
    torch.set_num_threads(args.threads)
    rows = []
    with progress_bar(len(args.ways), args.quiet) as work:
        for way in args.ways:
            advance = work(way)
            rows.append(measure(way, args))
            advance(1)
    code = save(args, config_of(args), rows)
    title = f"{args.game}: the same training on different environments, {args.threads} torch threads"
    out().print(throughput_table(title, rows))
    return code


def throughput_table(title: str, rows: Sequence[dict[str, Any]]) -> "FittedTable":
    """The rates of all ways, and where the time goes."""
    from training.statistics import percent
    from training.tables import table

    lines = [
        [
            row["way"],
            f"{row['games']:,}",
            f"{row['decisions_per_s']:,}",
            f"{row['played_per_s']:,}",
            *(percent(row[f"share_in_{part}"]) for part in ("games", "choice", "learning")),
        ]
        for row in rows
    ]
    headings = ["environment", "games", "decisions/s", "without learning", "time in games", "in choice", "in learning"]
    return table(title, headings, lines, 1, None)


def main(argv: Sequence[str]) -> int:
    """The command."""
    return run_command("throughput", Args, run, argv)
