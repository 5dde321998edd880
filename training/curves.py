"""``python -m training curves``: the same training with several seeds; mean win rates with intervals over seeds."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from training import train
from training.command import at_least, given, kept, out, run_command, writable

if TYPE_CHECKING:
    from training.tables import FittedTable

Row = dict[str, Any]

NOT_OF_A_RUN = frozenset({"seed", "seeds", "run", "json", "plot"})
"""Options that are those of the command; all others must be those of each run that goes on."""


@dataclass(frozen=True)
class Args(train.Args):
    """Learning curves over several seeds: each run as of `training train`, in a folder of its own below RUN.

    Runs that were broken off go on where they were; so RUN may hold some of the seeds already.
    """

    seeds: int = 5
    """Runs, with the seeds SEED, SEED + 1, …"""
    json: Path | None = None
    """Write configuration, versions, seed and rows to this file."""
    plot: Path | None = None
    """Write the curves to this PNG file."""


def runs_of(args: Args) -> list[train.Args]:
    """The arguments of each run.

    Raises:
        OptionError: A resumed run has no place here, nor one that is ended by the clock.
    """
    from training.checkpoints import checkpoints_of
    from training.seeds import check_seed
    from valley_core.errors import OptionError

    at_least("seeds", args.seeds, 2)
    check_seed(args.seed + args.seeds - 1)
    if args.resume is not None:
        raise OptionError("--resume is not needed: name the folder with --run, and what is there goes on")
    if args.minutes is not None:
        raise OptionError("--minutes would end each seed after another number of decisions; give --steps")
    folder = args.run or Path("runs") / f"curves_{args.game}"
    plain = {field.name: getattr(args, field.name) for field in dataclasses.fields(train.Args)}
    made = []
    for seed in range(args.seed, args.seed + args.seeds):
        own = folder / f"seed_{seed}"
        going = own if checkpoints_of(own) else None
        made.append(train.Args(**plain | {"seed": seed, "run": None if going else own, "resume": going}))
    return made


def curves(runs: Sequence[Sequence[Row]]) -> list[Row]:
    """One row for each test, setting and opponent: means over the runs, with Student's interval within 0 to 1.

    Args:
        runs: The rows of each run (`training.train.learn`), with tests after the same numbers of decisions.
    """
    from training.statistics import mean_interval

    rows = []
    for same in zip(*runs, strict=True):
        first = same[0]
        wins = [row["win"] for row in same]
        mean = mean_interval(np.array(wins))
        common = {name: first[name] for name in ("game", "agent", "setting", "opponent", "steps")}
        row = common | {"win": mean.value, "win_low": max(0.0, mean.low), "win_high": min(1.0, mean.high), "wins": wins}
        row |= {name: sum(row[name] for row in same) / len(same) for name in ("seconds", "seconds_in_games")}
        row |= {name: sum(row[name] for row in same) for name in ("games", "illegal", "illegal_in_training")}
        rows.append(row)
    return rows


def run(args: Args, words: frozenset[str]) -> int:
    """Train with each seed, print the curve and write the files; the exit code. `words`: options that were given."""
    from training.cells import fault
    from training.report import config_of, save
    from valley_core.errors import OptionError

    writable(args.json, args.plot)
    with kept(lambda: "the checkpoints of all seeds are kept: the same command goes on from there"):
        runs = [train.learn(one, None, words - NOT_OF_A_RUN) for one in runs_of(args)]
    if len({len(rows) for rows in runs}) > 1:
        raise OptionError("the runs were tested after different numbers of decisions; give the --steps of the longest")
    rows = curves(runs)
    title = f"{args.game}: learning curves, mean of {args.seeds} seeds"
    code = save(args, config_of(args), rows, lambda plots, file: plots.plot_curves(rows, title, file))
    out().print(curves_table(title, rows))
    return code or fault(rows)


def curves_table(title: str, rows: Sequence[Row]) -> "FittedTable":
    """The curves as numbers."""
    from training.tables import interval, table

    headings = ["setting", "opponent", "decisions", "seconds", "win [95 %]", "least", "most"]
    lines = [
        [
            row["setting"],
            row["opponent"],
            f"{row['steps']:,}",
            f"{row['seconds']:.0f}",
            interval(row, "win"),
            *(f"{100 * end:.1f} %" for end in (min(row["wins"]), max(row["wins"]))),
        ]
        for row in rows
    ]
    return table(title, headings, lines, 2, None)


def main(argv: Sequence[str]) -> int:
    """The command."""
    return run_command("curves", Args, lambda args: run(args, given("curves", Args, argv)), argv)
