"""``python -m training cards``: how often each card of a deck of Death Valley is in the winner's Journey."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from training.command import out, progress_bar, run_command, writable

GAME = "deathvalley"


@dataclass(frozen=True)
class Args:
    """An agent against itself: the share of winning and of losing Journeys that hold each card at the end."""

    deck: str = "highs_and_lows"
    """A shipped deck, or the path of a deck file."""
    agent: str = "greedy"
    """The agent in both seats."""
    setting: Literal["base", "backseat"] = "base"
    """The variant."""
    games: int = 20_000
    """Games."""
    seed: int = 0
    """Seed of the deals and of the agent."""
    json: Path | None = None
    """Write configuration, versions, seed and rows to this file."""
    quiet: bool = False
    """No progress bar."""


def rows_of(names: Sequence[str], abilities: Sequence[str], table: Any) -> list[dict[str, Any]]:
    """A row for each card, from the games that one player won alone."""
    from training.statistics import wilson

    won = table[table["winner"] >= 0]
    rows = []
    for card, (name, known) in enumerate(zip(names, abilities, strict=True)):
        held = (won["journey"] >> card & 1).astype(bool)
        games = range(len(won))
        winners, losers = held[games, won["winner"]], held[games, 1 - won["winner"]]
        share = wilson(int(winners.sum()), len(won))
        rows.append(
            {"card": name, "abilities": known, "games": len(won), "lost": float(losers.mean())} | share.columns("win")
        )
    return rows


def run(args: Args) -> int:
    """Play, print the table and write the file; the exit code."""
    from agents import make_agent
    from deathvalley_env.deck import load_deck
    from training import tables
    from training.games import entry_of
    from training.match import play_games
    from training.report import config_of, save
    from training.seeds import Purpose, deal_seeds

    writable(args.json)
    entry = entry_of(GAME)
    game = entry.make(deck=args.deck, **entry.settings[args.setting])
    agent = make_agent(args.agent)
    with progress_bar(args.games, args.quiet) as work:
        table = play_games(
            game, [agent, agent], deal_seeds(args.seed, args.games, Purpose.EVALUATION), progress=work(args.agent)
        )
    cards = load_deck(args.deck).cards
    rows = rows_of([card.name for card in cards], [card.provenance.abilities for card in cards], table)
    code = save(args, config_of(args, game=GAME, options=dict(game.options)), rows)
    title = f"Cards in Journeys at the end, {args.agent} against itself ({args.setting}, deck {game.options['deck']})"
    out().print(tables.table(title, *tables.card_table(rows), 2, None))
    return code


def main(argv: Sequence[str]) -> int:
    """The command."""
    return run_command("cards", Args, run, argv)
