"""``python -m training evaluate``: agents on the same deals, against a game's own AI, an opponent, or each other.

Death Valley without ``--opponent``, ``--variant`` and ``--field`` is solo play. With an opponent each deal is played
once with the agent in each seat, and the opponent in all others. A field names the agent of every seat; each deal is
played in every rotation of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tyro.conf import Positional

from training.command import out, progress_bar, run_command, writable

if TYPE_CHECKING:
    from rich.console import Console

    from training.cells import Plan
    from training.fields import Field
    from training.games import Entry, Options
    from valley_core.game import Game

OWN_BOARDS = "own boards"
"""Name of the setting that --boards make."""
DEFAULT_AGENTS = ("random", "greedy")
DEFAULT_VARIANT = "base"

Row = dict[str, Any]


@dataclass(frozen=True)
class Args:
    """Many agents on the same deals: wins, scores and differences, with intervals.

    Three ways: agents against Death Valley's solo AI; agents one after another against an opponent in all other seats
    (`--opponent`); agents against each other, with what each seat is worth (`--field greedy random random`).
    """

    game: Positional[Literal["deathvalley", "riftvalley"]] = "deathvalley"
    """The game."""
    agents: tuple[str, ...] = ()
    """Agents to be measured, by name; default: random greedy."""
    opponent: str | None = None
    """The agent in all other seats, by name; Death Valley's default is its solo AI, Rift Valley's `random`."""
    field: tuple[str, ...] = ()
    """In place of agents, opponent and players: the agent of each seat, by name; each deal in all rotations."""
    settings: tuple[str, ...] = ()
    """Solo game: none, discard_points, must_outbust, both. Rift Valley: identical, asymmetrical. Default: all."""
    variant: Literal["base", "backseat"] | None = None
    """Death Valley for two players: the variant (default base)."""
    deck: str | None = None
    """Death Valley: a shipped deck (default highs_and_lows), or the path of a deck file."""
    players: int | None = None
    """Rift Valley: players, 2 to 5 (default 2; a field has as many as it names)."""
    boards: tuple[str, ...] = ()
    """Rift Valley: boards to deal from in the place of --settings, shipped ones or files: one for all players, or one
    for each and at most 5."""
    max_turns: int | None = None
    """Turns after which a game ends; the default is the game's."""
    games: int = 10_000
    """Deals of each agent in each setting."""
    seed: int = 0
    """Seed of the deals and of all agents."""
    margin: float | None = None
    """Percentage points: say of each agent, too, whether it is shown to win less than this much seldomer than those
    before it (non-inferiority)."""
    batch: int = 4096
    """Games that are played side by side; changes no result."""
    json: Path | None = None
    """Write configuration, versions, seed and rows to this file."""
    plot: Path | None = None
    """Write the win rates to this PNG file."""
    quiet: bool = False
    """No progress bar."""


def options_of(args: Args, entry: "Entry") -> dict[str, Any]:
    """The options of the game that arguments set.

    Raises:
        OptionError: An option that the game does not have.
    """
    from valley_core.errors import OptionError

    chosen = entry.chosen(deck=args.deck, players=args.players, max_turns=args.max_turns)
    if args.boards:
        if "boards" not in entry.options:
            raise OptionError(f"--boards is no option of {entry.title}")
        if args.settings:
            raise OptionError("--boards are dealt in the place of those of --settings: give one of them")
    if args.variant is not None:
        if args.variant not in entry.settings:
            raise OptionError(f"--variant is no option of {entry.title}")
        if args.settings:
            raise OptionError("--settings are the solo game's, --variant is that of two players: give one of them")
    return chosen


def settings_of(args: Args, entry: "Entry", solo: bool) -> Mapping[str, "Options"]:
    """The chosen settings, by name, with the options of each.

    Raises:
        OptionError: A setting that there is not.
    """
    from valley_core.errors import OptionError

    if entry.solo and not solo:  # of the two-player game the variant is the setting
        if args.settings:
            raise OptionError(
                "--settings are the solo game's: leave --opponent and --field out, or name a --variant in their place"
            )
        return {name: entry.settings[name] for name in (args.variant or DEFAULT_VARIANT,)}
    if args.boards:
        return {OWN_BOARDS: {"boards": list(args.boards)}}
    known = entry.solo if solo else entry.settings
    for setting in args.settings:
        if setting not in known:
            raise OptionError(f"there is no setting {setting!r}; choose among {', '.join(known)}")
    return {setting: known[setting] for setting in args.settings or known}


def plans_of(args: Args) -> list["Plan"]:
    """What is to be played by agents one after another, setting by setting.

    Raises:
        OptionError: Options that do not go together, or a name that is not known.
    """
    from agents import make_agent
    from training.cells import Plan
    from training.games import entry_of
    from valley_core.errors import OptionError

    entry = entry_of(args.game)
    options, opponent = options_of(args, entry), args.opponent
    if opponent is None and args.variant is not None:
        raise OptionError(f"--variant {args.variant} is for two players: name the other with --opponent")
    if opponent is None and not entry.solo:
        opponent = "random"
    chosen = settings_of(args, entry, solo=opponent is None)
    agents = dict.fromkeys(args.agents or DEFAULT_AGENTS)
    for agent in (*agents, *([opponent] if opponent else [])):
        make_agent(agent)
    games = {setting: entry.make(**one, **options) for setting, one in chosen.items()}
    return [Plan(entry, game, setting, agent, opponent) for setting, game in games.items() for agent in agents]


def fields_of(args: Args) -> list["Field"]:
    """The field in each setting.

    Raises:
        OptionError: Options that do not go together, too few or too many agents, or a name that is not known.
    """
    from agents import make_agent
    from training.fields import Field
    from training.games import entry_of
    from valley_core.errors import OptionError

    for name, given in (("agents", args.agents), ("opponent", args.opponent), ("players", args.players)):
        if given not in (None, ()):
            raise OptionError(f"--field names the agents of all seats: leave --{name} out")
    entry = entry_of(args.game)
    options = options_of(args, entry)
    if "players" in entry.options:
        options[entry.options["players"]] = len(args.field)
    for agent in args.field:
        make_agent(agent)
    chosen = settings_of(args, entry, solo=False)
    games = {setting: entry.make(**one, **options) for setting, one in chosen.items()}
    for game in games.values():
        if len(args.field) != game.seats:
            raise OptionError(f"--field names {len(args.field)} agents, but {entry.title} has {game.seats} seats")
    return [Field(entry, game, setting, args.field) for setting, game in games.items()]


def run(args: Args) -> int:
    """Play, print the tables and write the files; the exit code."""
    from valley_core.errors import OptionError

    if args.margin is not None and not args.margin > 0:
        raise OptionError(f"--margin {args.margin:g} must be more than 0")
    writable(args.json, args.plot)
    return run_field(args) if args.field else run_agents(args)


def run_agents(args: Args) -> int:
    """Measure agents one after another."""
    from training import cells, tables
    from training.seeds import Purpose, deal_seeds

    plans = plans_of(args)
    cells.check_memory("--games", args.games, cells.games_of(plans))
    seeds = deal_seeds(args.seed, args.games, Purpose.EVALUATION)
    setup = cells.warm_up(plans, seeds)
    played = cells.play_all(plans, seeds, args.batch, args.quiet)
    rows = cells.compared(played)

    console = out()
    first = plans[0]
    title = f"{first.entry.title}: wins against {rows[0]['opponent']} ({args.games:,} deals, seed {args.seed})"
    # Before the tables: a closed pipe must not cost the results.
    games = {plan.setting: plan.game for plan in plans}
    code = write(args, games, tuple(dict.fromkeys(plan.agent for plan in plans)), rows, rows, title)
    console.print(tables.table(title, *tables.outcome_table(rows), 2))
    if any(row["differences"] for row in rows):
        console.print(tables.table("Differences on the same deals", *tables.difference_table(rows), 2))
    if "endings" in rows[0]:
        console.print(tables.table("Decided by: share of all games (won by the agent)", *tables.ending_table(rows), 2))
    if "points" in rows[0]:
        console.print(tables.table("Points by kind: agent / others", *tables.points_table(rows), 2))
    if len(first.seats) > 1:
        console.print(tables.table("Wins by seat", *tables.seat_table(rows), 2))
    print_verdicts(console, rows, "wins", args.margin)
    for row in rows:
        if sentence := tables.repeats_sentence(row, f"{row['setting']}, {row['agent']}"):
            console.print(sentence, soft_wrap=True)
    print_times(console, sum(cell.games_played for cell in played), sum(cell.seconds for cell in played), setup)
    return code


def run_field(args: Args) -> int:
    """Measure the agents of a field, and the seats."""
    from training import cells, fields, tables
    from training.seeds import Purpose, deal_seeds

    plans = fields_of(args)
    cells.check_memory("--games", args.games, [field.game for field in plans for _ in field.lineups])
    seeds = deal_seeds(args.seed, args.games, Purpose.EVALUATION)
    setup = fields.warm_up(plans, seeds)
    played = []
    with progress_bar(sum(len(field.lineups) for field in plans) * args.games, args.quiet) as work:
        for field in plans:
            played.append(fields.play_field(field, seeds, args.batch, work(field.setting)))
    rows = [row for one in played for row in fields.rows_of(one)]
    agents = [row for row in rows if row["seat"] is None]

    console = out()
    names = ", ".join(args.field)
    title = f"{plans[0].entry.title}: {names}, seats rotated ({args.games:,} deals, seed {args.seed})"
    # Before the tables: a closed pipe must not cost the results.
    code = write(args, {field.setting: field.game for field in plans}, (), rows, agents, title)
    console.print(tables.table(title, *tables.field_table(agents), 2))
    if any(row["differences"] for row in agents):
        console.print(tables.table("Differences on the same deals, seat by seat", *tables.difference_table(agents), 2))
    console.print(tables.table("Points by kind", *tables.kinds_table(agents), 2))
    console.print(tables.table("Wins by seat", *tables.seat_table(agents), 2))
    seats = [row for row in rows if row["seat"] is not None]
    console.print(tables.table("Seats, whoever sits there", *tables.seat_rating_table(seats), 2))
    print_verdicts(console, agents, "share of the victories of one seat", args.margin)
    for row in {row["setting"]: row for row in agents}.values():
        if sentence := tables.repeats_sentence(row, row["setting"]):
            console.print(sentence, soft_wrap=True)
    games = sum(len(one.tables) for one in played) * args.games
    print_times(console, games, sum(one.seconds for one in played), setup)
    return code


def print_verdicts(console: "Console", rows: Sequence[Row], what: str, margin: float | None = None) -> None:
    """A sentence for each difference between two agents; the margin is in percentage points."""
    from training.cells import interval_of
    from training.statistics import verdict

    for row in rows:
        for other in row["differences"]:
            difference, least = interval_of(other), None if margin is None else margin / 100
            sentence = verdict(f"{row['setting']}, {what}", row["agent"], other["to"], difference, margin=least)
            console.print(sentence, soft_wrap=True)


def print_times(console: "Console", games: int, seconds: float, setup: float) -> None:
    """How long it took."""
    console.print(f"{games:,} games in {seconds:.1f} s, after {setup:.1f} s of compiling and loading")


def write(
    args: Args,
    games: Mapping[str, "Game"],
    agents: Sequence[str],
    rows: Sequence[Row],
    shown: Sequence[Row],
    title: str,
) -> int:
    """Write the files that were asked for, with the `shown` rows in the plot; the exit code.

    `games` are those of each setting: the options of the first are written, and the decks or boards of all.
    """
    from agents.network import provenance_of
    from training.report import config_of, save

    data = {setting: provenance_of(game) for setting, game in games.items()}
    config = config_of(args, agents=agents, options=dict(next(iter(games.values())).options), data=data)
    return save(args, config, rows, lambda plots, file: plots.plot_wins(shown, title, file))


def main(argv: Sequence[str]) -> int:
    """The command."""
    return run_command("evaluate", Args, run, argv)
