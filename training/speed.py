"""``python -m training speed``: steps a second of every layer, side by side in one run.

A step is one decision of one player, chosen among the legal ones. ``kernel`` and ``batch`` play inside compiled code;
``aec_raw`` and ``aec`` are driven with ``last()`` and NumPy's ``choice``, as the peers' script drives PettingZoo's own
environments, and all others by a cheap scripted choice, so that the environment is measured and not the policy. Each
rate is the median of several short runs, layer after layer in turns, so that a slow moment of the machine does not fall
on one layer alone.
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tyro.conf import Positional

from training.command import at_least, out, progress_bar, run_command, writable

if TYPE_CHECKING:
    from training.tables import FittedTable

Row = dict[str, Any]


@dataclass(frozen=True)
class Args:
    """Steps a second of every layer of a game, and if wanted of public peers, on this machine."""

    game: Positional[Literal["deathvalley", "riftvalley"]] = "deathvalley"
    """The game."""
    batches: tuple[int, ...] = (64, 1024, 4096)
    """Games side by side, for the layers that play batches."""
    seconds: float = 0.5
    """Length of one run."""
    runs: int = 5
    """Runs of each layer; the median counts."""
    layers: tuple[str, ...] = ()
    """Layers to be measured (default all): kernel, batch, aec_raw, aec, parallel, solo, vector, sb3, maskable (sb3
    with the masks stacked as sb3-contrib does it), mcts (its steps are simulations of a search from the first decision,
    with random play to the end, on one core)."""
    profile: bool = False
    """Also say where the time of batched play goes."""
    peers: str | None = None
    """Python interpreter of an environment with the peers installed."""
    peers_script: Path | None = None
    """Script that prints the peers' rates, one JSON object a line; both or none of the two are given."""
    peers_only: str = "pgx,pettingzoo,openspiel_mcts"
    """Peers to be measured."""
    threads: int = 0
    """Threads for batches; 0 for as many as there are processors."""
    seed: int = 0
    """Seed of the deals and choices."""
    json: Path | None = None
    """Write configuration, versions, seed and rows to this file."""
    quiet: bool = False
    """No progress bar."""


def measured(args: Args) -> tuple[list[dict[str, Any]], list[str]]:
    """A row for each layer and batch size, and a note for each layer that cannot be measured."""
    from training.speed_layers import LAYERS, Skip, Steps, measure

    chosen = args.layers or tuple(LAYERS)
    runners: list[tuple[str, int, Steps]] = []
    notes = []
    for layer in chosen:
        kind = LAYERS[layer]
        for batch in args.batches if kind.batched else (1,):
            try:
                runners.append((layer, batch, kind.make(args.game, batch, args.seed)))
            except Skip as skip:
                notes.append(f"{layer}: {skip}")
                break
    rates: list[list[float]] = [[] for _ in runners]
    with progress_bar(args.runs * len(runners), args.quiet) as work:
        for _, _, steps in runners:
            measure(steps, 0.0)  # compiles
        for _ in range(args.runs):
            for (layer, batch, steps), own in zip(runners, rates, strict=True):
                advance = work(f"{layer} × {batch}")
                own.append(measure(steps, args.seconds))
                advance(1)
    rows = [
        {
            "game": args.game,
            "layer": layer,
            "batch": batch,
            "steps_per_s": round(statistics.median(own)),
            "slowest": round(min(own)),
            "fastest": round(max(own)),
            "runs": len(own),
        }
        for (layer, batch, _), own in zip(runners, rates, strict=True)
    ]
    return rows, notes


def run(args: Args) -> int:
    """Measure, print the tables and write the file; the exit code."""
    from training.games import entry_of
    from training.report import config_of, save
    from training.speed_layers import LAYERS, base_game
    from training.speed_peers import peer_rows, ratio_rows
    from training.speed_profile import shares
    from valley_core.batch import num_threads, set_num_threads
    from valley_core.errors import OptionError
    from valley_core.options import fits_memory
    from valley_core.vector import bytes_of_game

    writable(args.json)
    at_least("batches", min(args.batches, default=0), 1)
    if not args.seconds > 0:
        raise OptionError(f"--seconds {args.seconds:g} must be more than 0")
    if unknown := [layer for layer in args.layers if layer not in LAYERS]:
        raise OptionError(f"there is no layer {unknown[0]!r}; choose among {', '.join(LAYERS)}")
    if (args.peers is None) != (args.peers_script is None):
        raise OptionError("--peers and --peers-script go together: the interpreter, and the script that it runs")
    entry_of(args.game)
    fits_memory("--batches", max(args.batches), bytes_of_game(base_game(args.game)))
    set_num_threads(args.threads)

    peers = []
    if args.peers is not None and args.peers_script is not None:
        peers = peer_rows(args.peers, args.peers_script, args.peers_only, max(1.0, args.seconds * args.runs))
    rows, notes = measured(args)
    ratios = ratio_rows(rows, peers)
    parts = shares(args.game, max(args.batches), args.seed, args.seconds, args.runs) if args.profile else []
    profile = [{"game": args.game, "layer": "profile", "batch": max(args.batches)} | part for part in parts]
    config = config_of(args, threads_used=num_threads(), not_measured=notes)
    code = save(args, config, rows + [peer | {"layer": "peer"} for peer in peers] + ratios + profile)

    console = out()
    title = f"{args.game}: steps a second, median of {args.runs} runs of {args.seconds:g} s, {num_threads()} threads"
    console.print(speed_table(title, rows))
    for note in notes:
        console.print(f"not measured: {note}", soft_wrap=True)
    if peers:
        console.print(peers_table(peers))
        console.print(ratios_table(ratios))
    if parts:
        console.print(profile_table(parts))
    return code


def speed_table(title: str, rows: Sequence[Row]) -> "FittedTable":
    """The rates of our layers."""
    from training.tables import table

    best = max((row["steps_per_s"] for row in rows), default=1)
    lines = [
        [
            row["layer"],
            f"{row['batch']:,}",
            f"{row['steps_per_s']:,}",
            f"{row['slowest']:,} – {row['fastest']:,}",
            f"{row['steps_per_s'] / best:.3f}",
        ]
        for row in rows
    ]
    return table(title, ["layer", "batch", "steps/s", "slowest – fastest", "of the fastest"], lines)


def peers_table(peers: Sequence[Row]) -> "FittedTable":
    """The rates of peers."""
    from training.tables import table

    shown = [
        [peer.get("peer", ""), peer.get("game", ""), str(peer.get("batch", "")), peer_text(peer)] for peer in peers
    ]
    return table("Peers, on this machine in this run", ["peer", "game", "batch", "steps/s"], shown, 2)


def ratios_table(ratios: Sequence[Row]) -> "FittedTable":
    """Our layers as multiples of peers."""
    from training.tables import table

    shown = [[row["layer"], row["peer"], f"{row['ratio']:.2f}"] for row in ratios]
    return table("Ratios to peers", ["ours", "peer", "ratio"], shown, 2, None)


def profile_table(parts: Sequence[Row]) -> "FittedTable":
    """Where the time goes."""
    from training.tables import table

    shown = [[part["part"], f"{part['nanoseconds']:.0f}", f"{100 * part['share']:.0f} %"] for part in parts]
    return table("Where the time goes, batched", ["part", "ns a step", "share"], shown, 1, None)


def peer_text(peer: dict[str, Any]) -> str:
    """The rate of a peer, or why there is none."""
    return f"{peer['steps_per_s']:,}" if "steps_per_s" in peer else str(peer.get("error", "not measured"))


def main(argv: Sequence[str]) -> int:
    """The command."""
    return run_command("speed", Args, run, argv)
