"""``python -m training tournament``: a round robin of agents, with ratings.

All agents meet on the same deals, each sits equally often in every seat and meets every other equally often
(`training.tournament_lineups` says how). Agents are rated by a fit of greatest likelihood, with intervals over deals,
and by openskill (`training.tournament_ratings`). With ``--settle`` it ends when the order is settled
(`training.tournament_settle`), and with ``--store`` it can be killed and goes on (`training.tournament_store`): the
same command, to the same result.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tyro.conf import Positional

from training.command import Advance, kept, out, progress_bar, run_command, writable

if TYPE_CHECKING:
    import numpy as np

    from agents.base import Agent
    from training.tournament_lineups import Finished, Schedule, Tally
    from training.tournament_store import Store
    from valley_core.game import Game


@dataclass(frozen=True)
class Args:
    """A round robin of agents with balanced seats and deals: ratings, and who beats whom."""

    game: Positional[Literal["deathvalley", "riftvalley"]] = "deathvalley"
    """The game; Death Valley for two players."""
    agents: tuple[str, ...] = ("random", "greedy")
    """Agents, by name; two or more."""
    setting: str | None = None
    """Death Valley: base (default), backseat. Rift Valley: identical (default), asymmetrical."""
    deck: str | None = None
    """Death Valley: a shipped deck (default highs_and_lows), or the path of a deck file."""
    players: int | None = None
    """Rift Valley: players, 2 to 5 (default 2)."""
    max_turns: int | None = None
    """Turns after which a game is truncated, as a draw; the default is the game's."""
    deals: int = 1000
    """Deals, each played by every lineup in all rotations of its seats."""
    round: int = 100
    """Deals of a round: after each, results are kept (--store) and the order is looked at (--settle)."""
    settle: bool = False
    """Stop after the round in which the order of all agents is settled; it is wrong with a chance of 5 % at most."""
    seed: int = 0
    """Seed of the deals, of all agents and of the intervals."""
    resamples: int = 1000
    """Weightings of the deals from which intervals are made."""
    store: Path | None = None
    """Keep finished games in this folder, and go on from what is there."""
    batch: int = 4096
    """Games that are played side by side; changes no result."""
    json: Path | None = None
    """Write configuration, versions, seed and rows to this file."""
    plot: Path | None = None
    """Write the ratings and the matrix to this PNG file."""
    quiet: bool = False
    """No progress bar."""


def game_of(args: Args) -> tuple[str, "Game"]:
    """The setting's name, and the game.

    Raises:
        OptionError: A wrong option, or one of the other game.
    """
    from training.games import entry_of
    from valley_core.errors import OptionError

    entry = entry_of(args.game)
    options = entry.chosen(deck=args.deck, players=args.players, max_turns=args.max_turns)
    setting = args.setting or next(iter(entry.settings))
    if setting not in entry.settings:
        raise OptionError(f"there is no setting {setting!r}; choose among {', '.join(entry.settings)}")
    return setting, entry.make(**entry.settings[setting], **options)


def agents_of(args: Args) -> dict[str, "Agent"]:
    """The agents by name.

    Raises:
        OptionError: An unknown agent, or fewer than two.
    """
    from agents import make_agent
    from valley_core.errors import OptionError

    agents = {name: make_agent(name) for name in args.agents}
    if len(agents) < 2:
        raise OptionError(f"a tournament needs two different agents, but --agents names {len(agents)}")
    return agents


@dataclass(frozen=True)
class Outcome:
    """A played tournament.

    Attributes:
        games: All games in the order of deals within each lineup, round by round.
        tally: Their counts.
        illegal: Illegal actions of each agent.
        truncated: Games that were cut off.
        open_pairs: Neighbours in the order that are not separated.
    """

    games: "list[Finished]"
    tally: "Tally"
    illegal: "np.ndarray"
    truncated: int
    open_pairs: list[tuple[int, int]]

    @property
    def deals(self) -> int:
        """How many deals were played."""
        return len(self.tally.ahead)


def play(
    game: "Game",
    agents: Sequence["Agent"],
    schedule: "Schedule",
    store: "Store",
    settle: bool,
    batch: int,
    progress: Advance,
) -> Outcome:
    """Play all blocks that are not in the store, until the end or until the order is settled."""
    import numpy as np

    from training.tournament_lineups import finished, joined, play_block, tally
    from training.tournament_settle import unsettled

    seatings = [schedule.seatings(lineup) for lineup in schedule.lineups]
    games, tallies, blocks = [], [], []
    for number, deals in enumerate(schedule.rounds):
        of_round: list[Finished] = []
        for k, lineup in enumerate(schedule.lineups):
            key, chosen = (number, k), seatings[k][deals]
            if key not in store.blocks:
                store.put(key, play_block(game, agents, lineup, chosen, schedule.seeds[deals], batch))
            blocks.append(store.blocks[key])
            found = list(finished(chosen, store.blocks[key]))
            of_round += found
            progress(len(found))
        tallies.append(tally(of_round, len(schedule.seeds[deals]), schedule.agents))
        games += of_round
        open_pairs = unsettled(joined(tallies).scores)
        if settle and not open_pairs:
            break
    illegal = np.sum([block.illegal for block in blocks], 0)
    return Outcome(games, joined(tallies), illegal, sum(block.truncated for block in blocks), open_pairs)


def rows_of(names: Sequence[str], setting: str, outcome: Outcome, seed: int, resamples: int) -> list[dict[str, Any]]:
    """A row of plain numbers for each agent, the best first."""
    import numpy as np

    from training.tournament_ratings import rate, skills

    tally = outcome.tally
    ratings = rate(tally, seed, resamples)
    skill = skills(((seating, places) for _, seating, places in outcome.games), len(names))
    ahead, drawn = tally.ahead.sum(0), tally.drawn.sum(0)
    rows = []
    for i in np.argsort(-ratings.value, kind="stable").tolist():
        against = {
            name: {"ahead": int(ahead[i, j]), "drawn": int(drawn[i, j]), "behind": int(ahead[j, i])}
            for j, name in enumerate(names)
            if j != i
        }
        row = {
            "agent": names[i],
            "setting": setting,
            "rating": float(ratings.value[i]),
            "rating_low": float(ratings.low[i]),
            "rating_high": float(ratings.high[i]),
            "openskill": skill[i].mu,
            "openskill_sigma": skill[i].sigma,
            "games": int(tally.games[i]),
            "score": float(tally.scores[:, i].mean()),
            "win": float(tally.wins[i] / tally.seats[i]),
            "against": against,
            "illegal": int(outcome.illegal[i]),
        }
        rows.append(row)
    return rows


def order_sentence(names: Sequence[str], outcome: Outcome) -> str:
    """What the sequential test says."""
    from training.tournament_settle import ERROR

    if outcome.open_pairs:
        pairs = "; ".join(f"{names[a]} and {names[b]}" for a, b in outcome.open_pairs)
        return f"the order is not settled after {outcome.deals:,} deals: no difference shown between {pairs}"
    return f"the order is settled after {outcome.deals:,} deals (wrong anywhere with a chance of {ERROR:.0%} at most)"


def kept_of(args: Args, store: "Store") -> str:
    """What is kept of a tournament that is broken off, and how it goes on."""
    if args.store is None:
        return "no games are kept: --store FOLDER would keep them"
    return f"{len(store.blocks):,} finished blocks are kept in {args.store}: the same command goes on from there"


def run(args: Args) -> int:
    """Play, print the tables and write the files; the exit code."""
    from training import cells, tables
    from training.games import entry_of
    from training.match import deal_seeds, play_games
    from training.report import config_of, save
    from training.tournament_lineups import Schedule
    from training.tournament_store import FILE, Store, identity

    writable(args.json, args.plot, args.store / FILE if args.store else None)
    setting, game = game_of(args)
    agents = agents_of(args)
    cells.check_memory("--deals", args.deals, [game] * len(agents))
    seeds = deal_seeds(args.seed, args.deals)
    names = list(agents)
    schedule = Schedule(len(names), game.seats, seeds, args.round)
    store = Store(args.store, identity(game, names, deals=args.deals, round=args.round, seed=args.seed))
    for agent in agents.values():  # kernels are compiled, and who cannot play this game says so
        play_games(game, [agent] * game.seats, seeds[:2])
    with progress_bar(schedule.games, args.quiet) as work, kept(lambda: kept_of(args, store)):
        outcome = play(game, list(agents.values()), schedule, store, args.settle, args.batch, work("games"))
    rows = rows_of(names, setting, outcome, args.seed, args.resamples)

    size = f"{outcome.deals:,} deals, {len(outcome.games):,} games, seed {args.seed}"
    title = f"{entry_of(args.game).title}, {setting}: {size}"
    more = {
        "setting": setting,
        "options": dict(game.options),
        "deals_played": outcome.deals,
        "games_played": len(outcome.games),
        "truncated": outcome.truncated,
        "settled": not outcome.open_pairs,
    }
    code = save(args, config_of(args, **more), rows, lambda plots, file: plots.plot_ratings(rows, title, file))
    console = out()
    console.print(tables.table(title, *tables.rating_table(rows)))
    console.print(tables.table("Ahead of, and drawn with", *tables.against_table(rows)))
    console.print(order_sentence(names, outcome), soft_wrap=True)
    return code


def main(argv: Sequence[str]) -> int:
    """The command."""
    return run_command("tournament", Args, run, argv)
