"""``python -m training strategies``: how Rift Valley plays on each board, and whether its seats are equal.

The same agent sits in all seats. Greedy, in which nothing is random, plays one single game where all players have the
same board, and few where they are dealt from a set; each counts once (`training.match.different_deals`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from training.command import at_least, out, progress_bar, run_command, writable

if TYPE_CHECKING:
    from training.fields import Field

GAME = "riftvalley"


@dataclass(frozen=True)
class Args:
    """Rift Valley with the same agent in all seats: scores, choices and turns on each board; what seats are worth."""

    agents: tuple[str, ...] = ("random", "greedy", "noisy")
    """Agents, by name."""
    boards: tuple[str, ...] = ()
    """Shipped boards or board files, each alone for all players; sets: identical, asymmetrical. Default: all."""
    players: tuple[int, ...] = (2, 3, 4, 5)
    """Numbers of players on sets; a board alone is played by the first of these numbers."""
    games: int = 1000
    """Deals of each agent with each board and number of players."""
    seed: int = 0
    """Seed of the deals and of all agents."""
    batch: int = 4096
    """Games that are played side by side; changes no result."""
    json: Path | None = None
    """Write configuration, versions, seed and rows to this file."""
    plot: Path | None = None
    """Write scores, and the seats' shares of the victories, to this PNG file."""
    quiet: bool = False
    """No progress bar."""


def fields_of(args: Args) -> list["Field"]:
    """What is to be played.

    Raises:
        OptionError: A name, a board or a number of players that there is not.
    """
    from agents import make_agent
    from riftvalley_env.board import shipped_boards
    from riftvalley_env.game import SETS, board_names
    from training.fields import Field
    from training.games import entry_of

    entry = entry_of(GAME)
    shipped = [*shipped_boards("asymmetrical"), *SETS]
    for agent in args.agents:
        make_agent(agent)
    cells = []
    chosen = list(dict.fromkeys(args.boards or shipped))
    made = {boards: entry.make(boards=boards, num_players=args.players[0]) for boards in chosen}
    # Files of one name in two folders are two settings.
    called = board_names([(Path(boards).stem, game.options["boards"][0][1]) for boards, game in made.items()])
    for name, boards in zip(called, chosen, strict=True):
        for players in dict.fromkeys(args.players if boards in SETS else args.players[:1]):
            cells.append((name, entry.make(boards=boards, num_players=players)))
    agents = dict.fromkeys(args.agents)
    return [Field(entry, game, setting, (agent,) * game.seats) for setting, game in cells for agent in agents]


def play(field: "Field", seeds: Any, batch: int, progress: Callable[[int], None] | None = None) -> dict[str, Any]:
    """Play a field of one agent on these deals; its row.

    Returns:
        The row of the agent (`training.fields.agent_row`), and ``spread``, the standard deviation of the score of a
        seat; ``choices``, the mean number of legal actions at a seat's first decision of a turn; ``of_seats``, the rows
        of the seats (`training.fields.seat_row`); ``unfair_p``, the probability of numbers of victories as unequal as
        those of the seats if all are equal (chi-square; None if nobody won alone, and for a deterministic agent, whose
        games are no sample but all that there are); ``of_boards``, the rows of the boards of a set (`board_rows`).
    """
    import numpy as np

    from agents import make_agent
    from training.choices import Counting
    from training.fields import agent_row, play_field, seat_row
    from training.statistics import equal_shares_p

    agent = Counting(make_agent(field.agents[0]))
    played = play_field(field, seeds, batch, progress, make=lambda _: agent)
    winners = played.column("winner")
    row = agent_row(played, field.agents[0])
    row["spread"] = float(played.column("scores").std())
    row["choices"] = agent.mean(played.kept, field.game.seats)
    row["of_seats"] = [seat_row(played, seat) for seat in range(field.game.seats)]
    won = np.bincount(winners[winners >= 0], minlength=field.game.seats)
    row["unfair_p"] = None if agent.deterministic else equal_shares_p(won)
    row["of_boards"] = board_rows(field, played.tables[0][played.kept], played.complete)
    return row


def board_rows(field: "Field", table: Any, complete: bool = False) -> list[dict[str, Any]]:
    """A row for each board of a set; none if all players start with the same.

    Args:
        field: Who played.
        table: Results of `play_games`, with the columns of Rift Valley; games without a result are left out.
        complete: Whether these are all games that there are.

    Returns:
        ``board``; ``games`` in which it was dealt; ``share`` of the victories of who started with it, with its
        interval, and ``fair``; ``score`` and ``points`` by kind of a player on it; ``own_score``, on it, of who started
        with it.
    """
    import numpy as np

    from riftvalley_env.game import board_names
    from training.fields import parts_of_victory, share_of
    from training.match import unfinished

    names = board_names(field.game.options["boards"])
    if len(names) == 1:
        return []
    table = table[~unfinished(table)]
    parts = parts_of_victory(table["result"])
    rows = []
    for number, name in enumerate(names):
        games, starters = np.nonzero(table["boards"] == number)
        on_it = table["on_boards"][games, starters]  # game, seat, kind
        row: dict[str, Any] = {"board": name, "games": len(games)}
        row |= share_of(parts[games, starters], complete).columns("share") | {"fair": 1 / field.game.seats}
        if len(games):
            points = on_it.mean((0, 1))
            row["score"] = float(points.sum())
            row["points"] = dict(zip(field.entry.columns.KINDS, points.tolist(), strict=True))
            row["own_score"] = float(on_it[np.arange(len(games)), starters].sum(1).mean())
        rows.append(row)
    return rows


def run(args: Args) -> int:
    """Play, print the tables and write the files; the exit code."""
    from time import perf_counter

    from agents.network import provenance_of
    from training import tables
    from training.cells import check_memory
    from training.fields import warm_up
    from training.report import config_of, save
    from training.seeds import Purpose, deal_seeds

    at_least("agents", len(args.agents), 1)
    at_least("players", len(args.players), 1)
    writable(args.json, args.plot)
    fields = fields_of(args)
    for field in fields:
        check_memory("--games", args.games, [field.game])
    seeds = deal_seeds(args.seed, args.games, Purpose.STRATEGIES)
    setup = warm_up(fields, seeds)
    start, rows = perf_counter(), []
    with progress_bar(len(fields) * args.games, args.quiet) as work:
        for field in fields:
            description = f"{field.setting}, {field.game.seats} players, {field.agents[0]}"
            rows.append(play(field, seeds, args.batch, work(description)))
    seconds = perf_counter() - start

    title = f"{fields[0].entry.title}: the same agent in all seats ({args.games:,} deals, seed {args.seed})"
    data = {field.setting: provenance_of(field.game) for field in fields}
    config = config_of(args, game=GAME, data=data)
    code = save(args, config, rows, lambda plots, file: plots.plot_strategies(rows, title, file))
    console = out()
    console.print(tables.table(title, *tables.strategy_table(rows), 3))
    console.print(tables.table("Share of the victories of each seat [95 %]", *tables.fairness_table(rows), 3))
    console.print(tables.fairness_sentence(rows), soft_wrap=True)
    if any(row["of_boards"] for row in rows):
        console.print(
            tables.table("Share of the victories of who starts with a board [95 %]", *tables.starting_table(rows), 3)
        )
    console.print(
        f"{len(fields) * args.games:,} games in {seconds:.1f} s, after {setup:.1f} s of compiling and loading"
    )
    return code


def main(argv: Sequence[str]) -> int:
    """The command."""
    return run_command("strategies", Args, run, argv)
