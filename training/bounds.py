"""``python -m training bounds``: the best that agents reach against Death Valley's solo AI.

**The best measured** of the agents that see what a player sees. The best possible play wins at least as often, so the
lower end of its interval is a bound from below. The interval is widened for the choice of the best of k agents
(Bonferroni: each at 1 − 0.05 / k).

**Clairvoyant search** also sees the order of the deck, but not how it will be shuffled later (``mcts:N,open_cards=1``).
It is played with a tenth of the simulations and with all of them. Its optimum would be a bound from above for all who
see less. But a search need not find that optimum, and agents that see less may win oftener than it: its win rate is
*no bound*. It shows what the order of the deck is worth to this search.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from training.command import at_least, out, run_command, writable

if TYPE_CHECKING:
    from valley_core.game import Game

GAME = "deathvalley"
DEFAULT_AGENTS = ("greedy", "mcts:200", "mcts:1000")
NETWORK_AGENTS = ("trained", "mcts:1000,leaf=trained")
FRACTION = 10
"""The clairvoyant is also played with this part of its simulations."""


@dataclass(frozen=True)
class Args:
    """The best that agents reach against Death Valley's solo AI, for each combination of modifiers, and searches that
    see the deck."""

    agents: tuple[str, ...] = ()
    """Agents that see what a player sees, by name. Default: greedy, mcts:200, mcts:1000, and, if a network is shipped
    for the deck, trained and mcts:1000,leaf=trained."""
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


def default_agents(game: "Game") -> tuple[str, ...]:
    """Heuristic and search; and with the shipped network, if one fits this deck."""
    from training.difficulty import has_network

    return (*DEFAULT_AGENTS, *(NETWORK_AGENTS if has_network(game) else ()))


def clairvoyants(simulations: int) -> tuple[str, str]:
    """The searches that see the deck, the weaker one first."""
    few = max(1, simulations // FRACTION)
    return f"mcts:{few},open_cards=1", f"mcts:{simulations},open_cards=1"


def bracket(rows: Sequence[Mapping[str, Any]], setting: str, seers: Sequence[str]) -> dict[str, Any]:
    """What is known of a setting: the best agent with its interval, and the clairvoyants with theirs.

    Args:
        rows: As of `cells.row_of`. Those of agents that see the deck count as clairvoyants alone.
        setting: Name of the setting.
        seers: The clairvoyants, the weaker one first.
    """
    from training.statistics import CONFIDENCE, wilson

    own = [row for row in rows if row["setting"] == setting]
    blind = [row for row in own if "open_cards" not in row["agent"]]
    best = max(blind, key=lambda row: float(row["win"]))
    won = wilson(round(best["win"] * best["games"]), best["games"], 1 - (1 - CONFIDENCE) / len(blind))
    weak, strong = (next(row for row in own if row["agent"] == seer) for seer in seers)
    return {
        "game": GAME,
        "layer": "bracket",
        "setting": setting,
        "agent": best["agent"],
        "games": best["games"],
        "of": len(blind),
        **won.columns("best"),
        **{f"few_{end}": weak[end] for end in ("win", "win_low", "win_high")},
        **{f"high_{end}": strong[end] for end in ("win", "win_low", "win_high")},
    }


def run(args: Args) -> int:
    """Play, print the tables and write the files; the exit code."""
    from training import cells, tables
    from training.games import entry_of
    from training.report import config_of, save
    from training.seeds import Purpose, deal_seeds
    from valley_core.errors import OptionError

    at_least("settings", len(args.settings), 1)
    writable(args.json, args.plot)
    entry = entry_of(GAME)
    for setting in args.settings:
        if setting not in entry.solo:
            raise OptionError(f"there is no setting {setting!r}; choose among {', '.join(entry.solo)}")
    seers = clairvoyants(args.simulations)
    games = {name: entry.make(deck=args.deck, **entry.solo[name]) for name in dict.fromkeys(args.settings)}
    agents = tuple(dict.fromkeys((*(args.agents or default_agents(next(iter(games.values())))), *seers)))
    plans = [cells.Plan(entry, game, setting, agent, None) for setting, game in games.items() for agent in agents]
    cells.check_memory("--games", args.games, cells.games_of(plans))
    seeds = deal_seeds(args.seed, args.games, Purpose.EVALUATION)
    setup = cells.warm_up(plans, seeds)
    played = cells.play_all(plans, seeds, args.batch, args.quiet)
    rows = cells.compared(played)
    brackets = [bracket(rows, setting, seers) for setting in dict.fromkeys(args.settings)]

    title = f"{entry.title}: wins against the solo AI ({args.games:,} deals, seed {args.seed})"
    config = config_of(args, options=dict(plans[0].game.options))
    code = save(args, config, rows + brackets, lambda plots, file: plots.plot_wins(rows, title, file))
    console = out()
    console.print(tables.table(title, *tables.outcome_table(rows), 2))
    console.print(
        tables.table("The best measured; clairvoyant search is no bound", *tables.bracket_table(brackets), 2, None)
    )
    seconds = sum(cell.seconds for cell in played)
    console.print(f"{len(rows) * args.games:,} games in {seconds:.1f} s, after {setup:.1f} s of compiling and loading")
    return code


def main(argv: Sequence[str]) -> int:
    """The command."""
    return run_command("bounds", Args, run, argv)
