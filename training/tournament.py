"""``python -m training tournament``: a round robin of agents, with ratings.

All agents meet on the same deals, each sits equally often in every seat and meets every other equally often
(`training.tournament_lineups` says how). Agents are rated by a fit of greatest likelihood, with intervals over deals
of their differences to an anchor (`training.tournament_ratings`). With ``--settle`` it ends when the order is settled
(`training.tournament_settle`), and with ``--store`` it can be killed and goes on (`training.tournament_store`): the
same command, to the same result.

Where no agent of a lineup is random, deals on which all its games ended alike count once (`match.different_deals`). The
order is looked at on deals alone that count for all lineups. Games without a result, at the turn limit, are no
comparisons.
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


DEFAULT_ANCHOR = "greedy"
"""Has the rating 0 where it plays."""


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
    """Turns after which a game ends; the default is the game's."""
    deals: int = 1000
    """Deals, each played by every lineup in all rotations of its seats."""
    round: int = 100
    """Deals of a round: after each, results are kept (--store) and the order is looked at (--settle)."""
    settle: bool = False
    """Stop after the round in which the order of all agents is settled; it is wrong with a chance of 5 % at most."""
    seed: int = 0
    """Seed of the deals and of all agents."""
    anchor: str | None = None
    """The agent that has the rating 0, by name (default greedy, or the first agent where greedy does not play)."""
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
        tally: Counts of the games that count.
        games: How many these are.
        unfinished: How many of them have no result.
        games_played: How many were played.
        illegal: Illegal actions of each agent.
        open_pairs: Neighbours in the order that are not separated.
        complete: Whether all games that there are were played.
    """

    tally: "Tally"
    games: int
    unfinished: int
    games_played: int
    illegal: "np.ndarray"
    open_pairs: list[tuple[int, int]]
    complete: bool

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

    from training.tournament_lineups import NewDeals, finished, joined, play_block, tally
    from training.tournament_settle import level, unsettled

    seatings = [schedule.seatings(lineup) for lineup in schedule.lineups]
    new = [NewDeals(game, agents, lineup) for lineup in schedule.lineups]
    tallies, blocks, for_all = [], [], []
    games = without = played = 0
    for number, deals in enumerate(schedule.rounds):
        of_round: list[Finished] = []
        counting = np.ones(len(schedule.seeds[deals]), bool)
        for k, lineup in enumerate(schedule.lineups):
            key, chosen = (number, k), seatings[k][deals]
            if key not in store.blocks:
                store.put(key, play_block(game, agents, lineup, chosen, schedule.seeds[deals], batch))
            blocks.append(store.blocks[key])
            found = list(finished(chosen, store.blocks[key]))
            own = new[k].counting(store.blocks[key])
            of_round += [one for one in found if own[one.deal]]
            counting &= own
            played += len(found)
            progress(len(found))
        tallies.append(tally(of_round, len(counting), schedule.agents))
        for_all.append(counting)
        games, without = games + len(of_round), without + sum(not one.places for one in of_round)
        so_far, complete = joined(tallies), all(lineup.complete for lineup in new)
        open_pairs = level(so_far.score) if complete else unsettled(so_far.scores[np.concatenate(for_all)])
        if settle and (complete or not open_pairs):
            break
    illegal = np.sum([block.illegal for block in blocks], 0)
    return Outcome(so_far, games, without, played, illegal, open_pairs, complete)


def anchor_of(args: Args, names: Sequence[str]) -> int:
    """The number of the agent that has the rating 0.

    Raises:
        OptionError: It does not play.
    """
    from valley_core.errors import OptionError

    name = args.anchor or (DEFAULT_ANCHOR if DEFAULT_ANCHOR in names else names[0])
    if name not in names:
        raise OptionError(f"--anchor {name} does not play; choose among {', '.join(names)}")
    return list(names).index(name)


def rows_of(names: Sequence[str], setting: str, outcome: Outcome, anchor: int) -> list[dict[str, Any]]:
    """A row of plain numbers for each agent, the best first.

    ``rating`` is the difference to the anchor, ``differences`` are those to all others. An end of an interval is
    infinite where the games give a bound on one side alone; then ``rating`` rests on the prior.
    """
    import numpy as np

    from training.tournament_ratings import rate

    tally = outcome.tally
    ratings = rate(tally, anchor, complete=outcome.complete)
    ahead, drawn = tally.ahead.sum(0), tally.drawn.sum(0)
    rows = []
    for i in np.argsort(-ratings.value, kind="stable").tolist():
        against = {
            name: {"ahead": int(ahead[i, j]), "drawn": int(drawn[i, j]), "behind": int(ahead[j, i])}
            for j, name in enumerate(names)
            if j != i
        }
        differences = [
            {"to": name} | ratings.differences[i, j].columns("rating") for j, name in enumerate(names) if j != i
        ]
        rating = ratings.of(i)
        row = {
            "agent": names[i],
            "setting": setting,
            **rating.columns("rating"),
            "kind": rating.kind,
            "differences": differences,
            "games": int(tally.games[i]),
            "score": float(tally.score[i]),
            "win": float(tally.wins[i] / max(tally.seats[i], 1)),
            "turn_limit": float(tally.limited[i] / tally.games[i]),
            "against": against,
            "illegal": int(outcome.illegal[i]),
        }
        rows.append(row)
    return rows


def order_sentence(names: Sequence[str], outcome: Outcome) -> str:
    """What the sequential test says."""
    from training.tournament_settle import ERROR

    if outcome.complete:
        pairs = "; ".join(f"{names[a]} and {names[b]}" for a, b in outcome.open_pairs)
        alike = f"; alike are {pairs}" if pairs else ""
        return f"these are all {outcome.games:,} games that there are, so the order is that of all games{alike}"
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
    from training.match import play_games
    from training.report import config_of, save
    from training.seeds import Purpose, deal_seeds
    from training.tournament_lineups import Schedule
    from training.tournament_store import FILE, Store, identity

    writable(args.json, args.plot, args.store / FILE if args.store else None)
    setting, game = game_of(args)
    agents = agents_of(args)
    cells.check_memory("--deals", args.deals, [game] * len(agents))
    seeds = deal_seeds(args.seed, args.deals, Purpose.TOURNAMENT)
    names = list(agents)
    anchor = anchor_of(args, names)
    schedule = Schedule(len(names), game.seats, seeds, args.round)
    store = Store(args.store, identity(game, names, deals=args.deals, round=args.round, seed=args.seed))
    for agent in agents.values():  # kernels are compiled, and who cannot play this game says so
        play_games(game, [agent] * game.seats, seeds[:2])
    with progress_bar(schedule.games, args.quiet) as work, kept(lambda: kept_of(args, store)):
        outcome = play(game, list(agents.values()), schedule, store, args.settle, args.batch, work("games"))
    rows = rows_of(names, setting, outcome, anchor)

    size = f"{outcome.deals:,} deals, {outcome.games:,} games, seed {args.seed}"
    title = f"{entry_of(args.game).title}, {setting}: {size}"
    more = {
        "setting": setting,
        "options": dict(game.options),
        "deals_played": outcome.deals,
        "games_played": outcome.games_played,
        "games_counted": outcome.games,
        "unfinished": outcome.unfinished,
        "complete": outcome.complete,
        "anchor": names[anchor],
        "settled": not outcome.open_pairs,
    }
    code = save(args, config_of(args, **more), rows, lambda plots, file: plots.plot_ratings(rows, title, file))
    console = out()
    console.print(tables.table(title, *tables.rating_table(rows)))
    console.print(tables.table("Ahead of, and drawn with", *tables.against_table(rows)))
    console.print(order_sentence(names, outcome), soft_wrap=True)
    if outcome.games < outcome.games_played:
        repeats = outcome.games_played - outcome.games
        console.print(f"{repeats:,} more games between agents without chance repeated others: each counts once")
    if outcome.unfinished:
        console.print(f"{outcome.unfinished:,} games ended at the turn limit without a winner: they are not rated")
    return code


def main(argv: Sequence[str]) -> int:
    """The command."""
    return run_command("tournament", Args, run, argv)
