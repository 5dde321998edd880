"""``python -m training endings``: games of Death Valley at the turn limit (R11, R18), by pair of agents."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from pathlib import Path
from typing import TYPE_CHECKING, Any

from training.command import out, progress_bar, run_command, writable

if TYPE_CHECKING:
    from valley_core.game import Game

GAME = "deathvalley"


@dataclass(frozen=True)
class Args:
    """Count games at the turn limit: every pair of agents in both variants, every agent against the solo AI."""

    agents: tuple[str, ...] = ("random", "noisy", "greedy", "rulebook", "staller")
    """Agents, by name. `staller` wants nothing but a long game."""
    games: int = 10_000
    """Games of each pair in each setting."""
    seed: int = 0
    """Seed of the deals and of all agents."""
    deck: str = "highs_and_lows"
    """A shipped deck, or the path of a deck file."""
    max_turns: int = 200
    """Turns after which a game ends."""
    json: Path | None = None
    """Write configuration, versions, seed and rows to this file."""
    quiet: bool = False
    """No progress bar."""


def pairings(args: Args) -> Iterator[tuple[str, "Game", str, str | None]]:
    """Setting, game, agent and opponent (None: the solo AI) of each cell."""
    from training.games import entry_of

    entry = entry_of(GAME)
    for setting, options in {**entry.solo, **entry.settings}.items():
        game = entry.make(deck=args.deck, max_turns=args.max_turns, **options)
        if setting in entry.solo:
            yield from ((setting, game, agent, None) for agent in args.agents if agent != "rulebook")
        else:
            yield from ((setting, game, *pair) for pair in combinations_with_replacement(args.agents, 2))


def row_of(setting: str, table: Any, agent: str, opponent: str | None) -> dict[str, Any]:
    """What the finished games of a pair say."""
    at_limit = table["turn_limit"]
    return {
        "setting": setting,
        "agent": agent,
        "opponent": opponent or "solo AI",
        "games": len(table),
        "turn_limit": int(at_limit.sum()),
        "trapped": int((at_limit & table["trapped"].any(1)).sum()),
        "ever_trapped": int(table["trapped"].any(1).sum()),
        "longest": int(table["turns"].max()),
        "illegal": int(table["illegal"].sum()),
    }


def run(args: Args) -> int:
    """Play, print the table and write the file; the exit code."""
    from agents import make_agent
    from training import tables
    from training.cells import fault
    from training.match import play_games
    from training.report import config_of, save
    from training.seeds import Purpose, deal_seeds

    writable(args.json)
    seeds = deal_seeds(args.seed, args.games, Purpose.EVALUATION)
    cells = list(pairings(args))
    rows = []
    with progress_bar(len(cells) * args.games, args.quiet) as work:
        for setting, game, agent, opponent in cells:
            players = [make_agent(agent), make_agent(opponent) if opponent else None]
            told = work(f"{setting}, {agent} against {opponent or 'solo AI'}")
            rows.append(row_of(setting, play_games(game, players, seeds, progress=told), agent, opponent))
    code = save(args, config_of(args, game=GAME), rows)
    out().print(tables.table("Games that reached the turn limit", *tables.limit_table(rows), 3))
    return code or fault(rows)


def main(argv: Sequence[str]) -> int:
    """The command."""
    return run_command("endings", Args, run, argv)
