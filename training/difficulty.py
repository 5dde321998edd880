"""``python -m training difficulty``: how hard the solo AI of Death Valley is under each difficulty modifier.

Every agent plays the same deals under each of the four combinations of the modifiers, so that the effect of a modifier
is a difference on the same deals.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from training.command import out, run_command, writable

if TYPE_CHECKING:
    from valley_core.game import Game

GAME = "deathvalley"
BASELINE = "none"
DEFAULT_AGENTS = ("random", "greedy", "mcts:50")
CHEAP = ("random", "greedy", "noisy", "rulebook", "trained", "network")
"""Kinds of agents that play thousands of games a second."""
GAMES, GAMES_OF_CHEAP = 1000, 20_000
"""Deals by default."""


@dataclass(frozen=True)
class Args:
    """Agents against Death Valley's solo AI, with and without its difficulty modifiers, on the same deals."""

    agents: tuple[str, ...] = ()
    """Agents, by name. Default: random, greedy, mcts:50, and trained if a network is shipped for the deck."""
    games: int | None = None
    """Games of each agent with each combination of modifiers. Default: 20,000 of agents that cost little (random,
    greedy, trained …), 1,000 of others; the first deals are the same for all."""
    seed: int = 0
    """Seed of the deals and of all agents."""
    deck: str = "highs_and_lows"
    """A shipped deck, or the path of a deck file."""
    max_turns: int = 200
    """Turns after which a game ends."""
    batch: int = 4096
    """Games that are played side by side; changes no result."""
    json: Path | None = None
    """Write configuration, versions, seed and rows to this file."""
    plot: Path | None = None
    """Write the win rates and the effects of the modifiers to this PNG file."""
    quiet: bool = False
    """No progress bar."""


def default_agents(game: "Game") -> tuple[str, ...]:
    """Random, greedy, search, and the shipped network if one fits this deck."""
    from agents.trained import TRAINED

    return (*DEFAULT_AGENTS, TRAINED) if has_network(game) else DEFAULT_AGENTS


def has_network(game: "Game") -> bool:
    """Whether a network is shipped for this game."""
    from agents.trained import trained_file
    from valley_core.errors import OptionError

    try:
        trained_file(game)
    except OptionError:
        return False
    return True


def games_of(agent: str) -> int:
    """How many deals an agent plays by default."""
    return GAMES_OF_CHEAP if agent.partition(":")[0] in CHEAP else GAMES


def deals_in_words(counts: Mapping[str, int]) -> str:
    """How many deals each agent played, as in ``20,000 deals, 1,000 of mcts:50``."""
    most = max(counts.values())
    fewer = (f"{count:,} of {agent}" for agent, count in counts.items() if count < most)
    return ", ".join((f"{most:,} deals", *fewer))


def run(args: Args) -> int:
    """Play, print the tables and write the files; the exit code."""
    from training import cells, tables
    from training.games import entry_of
    from training.report import config_of, save
    from training.seeds import Purpose, deal_seeds
    from training.statistics import verdict

    writable(args.json, args.plot)
    entry = entry_of(GAME)
    games = {
        setting: entry.make(deck=args.deck, max_turns=args.max_turns, **options)
        for setting, options in entry.solo.items()
    }
    agents = tuple(dict.fromkeys(args.agents or default_agents(games[BASELINE])))
    plans = [cells.Plan(entry, game, setting, agent, None) for agent in agents for setting, game in games.items()]
    counts = {agent: args.games or games_of(agent) for agent in agents}
    cells.check_memory("--games", max(counts.values()), cells.games_of(plans))
    seeds = deal_seeds(args.seed, max(counts.values()), Purpose.EVALUATION)
    setup = cells.warm_up(plans, seeds)
    played = cells.play_all(plans, seeds, args.batch, args.quiet, [counts[plan.agent] for plan in plans])
    rows = cells.effects(played, BASELINE)

    deck = games[BASELINE].options["deck"]
    title = f"{entry.title}: wins against the solo AI (deck {deck}, {deals_in_words(counts)}, seed {args.seed})"
    config = config_of(args, game=GAME, options=dict(games[BASELINE].options))
    code = save(args, config, rows, lambda plots, file: plots.plot_difficulty(rows, title, file, BASELINE))
    console = out()
    headings, lines = tables.outcome_table(rows)
    lines = [[line[1], line[0], *line[2:]] for line in lines]
    console.print(tables.table(title, ["agent", "setting", *headings[2:]], lines, 2))
    console.print(tables.table("Paired effect of the modifiers, same deals", *tables.effect_table(rows), 2))
    console.print(tables.table("Decided by: share of all games (won by the agent)", *tables.ending_table(rows), 2))
    console.print(tables.table("Points by kind: agent / solo AI", *tables.points_table(rows), 2))
    for row in rows:
        if row["setting"] != BASELINE:
            effect = cells.interval_of(row["effect"])
            console.print(verdict(f"{row['agent']}, wins", row["setting"], BASELINE, effect), soft_wrap=True)
    seconds = sum(cell.seconds for cell in played)
    console.print(
        f"{sum(row['games'] for row in rows):,} games in {seconds:.1f} s, after {setup:.1f} s of compiling and loading"
    )
    return code


def main(argv: Sequence[str]) -> int:
    """The command."""
    return run_command("difficulty", Args, run, argv)
