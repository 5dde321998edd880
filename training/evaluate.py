"""``python -m training evaluate``: agents on the same deals, against a game's own AI or against an opponent.

Death Valley without ``--opponent`` and ``--variant`` is solo play. With an opponent each deal is played
once with the agent in each seat, and the opponent in all others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tyro.conf import Positional

from training.command import at_least, out, progress_bar, run_command, writable

if TYPE_CHECKING:
    from training.cells import Plan


@dataclass(frozen=True)
class Args:
    """Many agents on the same deals: wins, scores and differences, with intervals."""

    game: Positional[Literal["deathvalley", "riftvalley"]] = "deathvalley"
    """The game."""
    agents: tuple[str, ...] = ("random", "greedy")
    """Agents to be measured, by name."""
    opponent: str | None = None
    """The agent in all other seats, by name; Death Valley's default is its solo AI, Rift Valley's `random`."""
    settings: tuple[str, ...] = ()
    """Solo game: none, discard_points, must_outbust, both. Rift Valley: identical, asymmetrical. Default: all."""
    variant: Literal["base", "backseat"] | None = None
    """Death Valley for two players: the variant (default base)."""
    deck: str | None = None
    """Death Valley: a shipped deck (default highs_and_lows), or the path of a deck file."""
    players: int | None = None
    """Rift Valley: players, 2 to 5 (default 2)."""
    max_turns: int | None = None
    """Turns after which a game is truncated, without a winner; the default is the game's."""
    games: int = 10_000
    """Deals of each agent in each setting."""
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


def plans_of(args: Args) -> list["Plan"]:
    """What is to be played, setting by setting.

    Raises:
        OptionError: Options that do not go together, or a name that is not known.
    """
    from agents import make_agent
    from training.cells import Plan
    from training.games import entry_of
    from valley_core.errors import OptionError

    entry = entry_of(args.game)
    options = {}
    for name in ("deck", "players", "max_turns"):
        if (value := getattr(args, name)) is not None:
            if name not in entry.options:
                raise OptionError(f"--{name.replace('_', '-')} is no option of {entry.title}")
            options[entry.options[name]] = value
    opponent, settings = args.opponent, args.settings
    if args.variant is not None:
        if args.variant not in entry.settings:
            raise OptionError(f"--variant is no option of {entry.title}")
        if settings:
            raise OptionError("--settings are the solo game's, --variant is that of two players: give one of them")
        if opponent is None:
            raise OptionError(f"--variant {args.variant} is for two players: name the other with --opponent")
        settings = (args.variant,)
    solo = bool(entry.solo) and opponent is None
    if not entry.solo and opponent is None:
        opponent = "random"
    if entry.solo and not solo and args.variant is None:
        if settings:
            raise OptionError(
                "--settings are the solo game's: leave --opponent out, or name a --variant in their place"
            )
        settings = ("base",)
    known = entry.solo if solo else entry.settings
    for setting in settings:
        if setting not in known:
            raise OptionError(f"there is no setting {setting!r}; choose among {', '.join(known)}")
    for agent in (*args.agents, *([opponent] if opponent else [])):
        make_agent(agent)
    chosen = dict.fromkeys(settings or known)
    games = {setting: entry.make(**known[setting], **options) for setting in chosen}
    agents = dict.fromkeys(args.agents)
    return [Plan(entry, game, setting, agent, opponent) for setting, game in games.items() for agent in agents]


def run(args: Args) -> int:
    """Play, print the tables and write the files; the exit code."""
    from training import cells, tables
    from training.match import deal_seeds
    from training.report import config_of, write_json
    from training.statistics import verdict

    at_least("games", args.games, 1)
    at_least("batch", args.batch, 1)
    at_least("seed", args.seed, 0)
    writable(args.json, args.plot)
    at_least("agents", len(args.agents), 1)
    plans = plans_of(args)
    seeds = deal_seeds(args.seed, args.games)
    setup = cells.warm_up(plans, seeds)
    played = []
    with progress_bar(sum(len(plan.seats) for plan in plans) * args.games, args.quiet) as work:
        for plan in plans:
            played.append(cells.play(plan, seeds, args.batch, work(f"{plan.setting}, {plan.agent}")))
    rows = cells.compared(played)

    console = out()
    first = plans[0]
    title = f"{first.entry.title}: wins against {rows[0]['opponent']} ({args.games:,} deals, seed {args.seed})"
    console.print(tables.table(title, *tables.outcome_table(rows), 3))
    if any(row["differences"] for row in rows):
        console.print(tables.table("Differences on the same deals", *tables.difference_table(rows), 2))
    if "endings" in rows[0]:
        console.print(tables.table("Decided by: share of all games (won by the agent)", *tables.ending_table(rows), 2))
    if "points" in rows[0]:
        console.print(tables.table("Points by kind: agent / others", *tables.points_table(rows), 2))
    if len(first.seats) > 1:
        console.print(tables.table("Wins by seat", *tables.seat_table(rows), 2))
    for row in rows:
        for other in row["differences"]:
            sentence = verdict(f"{row['setting']}, wins", row["agent"], other["to"], cells.interval_of(other))
            console.print(sentence, soft_wrap=True)
    seconds = sum(cell.seconds for cell in played)
    games = sum(row["games"] for row in rows)
    console.print(f"{games:,} games in {seconds:.1f} s, after {setup:.1f} s of compiling and loading")
    if args.json:
        write_json(args.json, config_of(args, options=dict(first.game.options)), args.seed, rows)
    if args.plot:
        from training.plots import plot_wins

        plot_wins(rows, title, args.plot)
    return cells.fault(rows)


def main(argv: Sequence[str]) -> int:
    """The command."""
    return run_command("evaluate", Args, run, argv)
