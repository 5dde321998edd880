"""``python -m training bounds``: between which win rates the best play against Death Valley's solo AI lies.

Below: the best of the agents that see what a player sees. Its interval is Wilson's, widened for the choice of the best
of k agents (Bonferroni: each at 1 − 0.05 / k).

Above: a player who also sees the order of the deck, but not how it will be shuffled later, can do at least as well as
any who does not. Its optimum is *estimated*, not certified: by a search that looks at the deck
(``mcts:N,open_cards=1``), whose win rate is a lower estimate of it. It is played with a tenth of the simulations and
with all of them: where the two agree, more search would change little.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from training.command import at_least, out, run_command, writable

GAME = "deathvalley"
FRACTION = 10
"""The clairvoyant is also played with this part of its simulations."""


@dataclass(frozen=True)
class Args:
    """Brackets of the best possible win rate against Death Valley's solo AI, for each combination of modifiers."""

    agents: tuple[str, ...] = ("greedy", "mcts:200", "mcts:1000")
    """Agents that see what a player sees, by name."""
    simulations: int = 1000
    """Of the search that sees the deck, for each decision."""
    games: int = 300
    """Deals of each agent in each setting."""
    settings: tuple[str, ...] = ("none", "discard_points", "must_outbust", "both")
    """Combinations of modifiers."""
    deck: str = "highs_and_lows"
    """A shipped deck, or the path of a deck file."""
    seed: int = 0
    """Seed of the deals and of all agents."""
    batch: int = 4096
    """Games that are played side by side; changes no result."""
    json: Path | None = None
    """Write configuration, versions, seed and rows to this file."""
    plot: Path | None = None
    """Write the win rates to this PNG file."""
    quiet: bool = False
    """No progress bar."""


def clairvoyants(simulations: int) -> tuple[str, str]:
    """The searches that see the deck, the weaker one first."""
    few = max(1, simulations // FRACTION)
    return f"mcts:{few},open_cards=1", f"mcts:{simulations},open_cards=1"


def bracket(rows: Sequence[Mapping[str, Any]], setting: str, seers: Sequence[str]) -> dict[str, Any]:
    """The bracket of a setting: the best agent with its interval, and the clairvoyants with theirs."""
    from training.statistics import CONFIDENCE, wilson

    own = [row for row in rows if row["setting"] == setting]
    blind = [row for row in own if row["agent"] not in seers]
    best = max(blind, key=lambda row: float(row["win"]))
    low = wilson(round(best["win"] * best["games"]), best["games"], 1 - (1 - CONFIDENCE) / len(blind))
    weak, strong = (next(row for row in own if row["agent"] == seer) for seer in seers)
    return {
        "game": GAME,
        "layer": "bracket",
        "setting": setting,
        "agent": best["agent"],
        "games": best["games"],
        **low.columns("low"),
        **{f"few_{end}": weak[end] for end in ("win", "win_low", "win_high")},
        **{f"high_{end}": strong[end] for end in ("win", "win_low", "win_high")},
    }


def run(args: Args) -> int:
    """Play, print the brackets and write the files; the exit code."""
    from training import cells, tables
    from training.games import entry_of
    from training.match import deal_seeds
    from training.report import config_of, save
    from valley_core.errors import OptionError

    at_least("agents", len(args.agents), 1)
    writable(args.json, args.plot)
    entry = entry_of(GAME)
    for setting in args.settings:
        if setting not in entry.solo:
            raise OptionError(f"there is no setting {setting!r}; choose among {', '.join(entry.solo)}")
    seers = clairvoyants(args.simulations)
    agents = tuple(dict.fromkeys((*args.agents, *seers)))
    plans = [
        cells.Plan(entry, entry.make(deck=args.deck, **entry.solo[setting]), setting, agent, None)
        for setting in dict.fromkeys(args.settings)
        for agent in agents
    ]
    cells.check_memory("--games", args.games, cells.games_of(plans))
    seeds = deal_seeds(args.seed, args.games)
    setup = cells.warm_up(plans, seeds)
    played = cells.play_all(plans, seeds, args.batch, args.quiet)
    rows = cells.compared(played)
    brackets = [bracket(rows, setting, seers) for setting in dict.fromkeys(args.settings)]

    title = f"{entry.title}: wins against the solo AI ({args.games:,} deals, seed {args.seed})"
    config = config_of(args, options=dict(plans[0].game.options))
    code = save(args, config, rows + brackets, lambda plots, file: plots.plot_wins(rows, title, file))
    console = out()
    console.print(tables.table(title, *tables.outcome_table(rows), 2))
    console.print(tables.table("Bracket of the best possible win rate", *tables.bracket_table(brackets), 2, None))
    seconds = sum(cell.seconds for cell in played)
    console.print(f"{len(rows) * args.games:,} games in {seconds:.1f} s, after {setup:.1f} s of compiling and loading")
    return code


def main(argv: Sequence[str]) -> int:
    """The command."""
    return run_command("bounds", Args, run, argv)
