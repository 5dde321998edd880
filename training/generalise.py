"""``python -m training generalise``: how strong a network is on decks or boards that it has not seen in training.

The network has learnt on many drawn decks or generated boards (``training train --drawn N``) and is played on others,
beside agents that know no deck, and beside networks that were trained on one of these decks alone.

All agents play the same deals of a deck. Intervals of means are Student's over decks: they say what to expect of the
next deck, not of the next game.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tyro.conf import Positional

from training.command import at_least, out, run_command, writable

if TYPE_CHECKING:
    from training.cells import Cell, Plan
    from training.games import Entry
    from valley_core.game import Game

GENERAL, ALONE = "general", "alone"
"""What the networks are called in rows."""

Row = dict[str, Any]


@dataclass(frozen=True)
class Args:
    """A network that has learnt on many decks or boards, on others: beside other agents, and beside networks trained on
    one of these alone.
    """

    general: Path
    """The network, as of `training train --drawn 64`."""
    game: Positional[Literal["deathvalley", "riftvalley"]] = "deathvalley"
    """The game."""
    alone: tuple[Path, ...] = ()
    """Networks trained on one of the unseen decks or boards each, as of `training train --drawn 1 --drawn-seed
    2000000`."""
    agents: tuple[str, ...] = ("random", "greedy", "mcts:50")
    """Agents to play beside it, by name."""
    setting: str | None = None
    """Solo game: none (default), discard_points, must_outbust, both; for two players base, backseat."""
    opponent: str | None = None
    """The agent in all other seats, by name; default: greedy in Death Valley for two, noisy in Rift Valley."""
    players: int | None = None
    """Rift Valley: players, 2 to 5 (default 2)."""
    unseen: int = 20
    """Decks or boards that are drawn from seed 2,000,000 on: no training with --drawn learns on these."""
    seen: int = 20
    """Play the network also on so many of those from seed 0 on, on which it has learnt."""
    games: int = 400
    """Deals of each deck or board."""
    seed: int = 0
    """Seed of the deals and of all agents."""
    batch: int = 4096
    """Games that are played side by side; changes no result."""
    json: Path | None = None
    """Write configuration, versions, seed and rows to this file."""
    quiet: bool = False
    """No progress bar."""


@dataclass(frozen=True)
class Place:
    """A drawn deck or a generated board.

    Attributes:
        seed: It was drawn from.
        seen: Whether the network has learnt on it.
        game: On it.
    """

    seed: int
    seen: bool
    game: "Game"


def setting_of(args: Args, entry: "Entry") -> tuple[str, Mapping[str, Any], str | None]:
    """Name and options of the setting, and the opponent.

    Raises:
        OptionError: They do not go together, or name what there is not.
    """
    from agents import make_agent
    from training.course import known_settings
    from valley_core.errors import OptionError

    known = {**entry.solo, **known_settings(entry, solo=False, drawn=True)}
    setting = args.setting or next(iter(known))
    if setting not in known:
        raise OptionError(f"there is no setting {setting!r}; choose one of {', '.join(known)}")
    options = {**known[setting], **entry.chosen(players=args.players)}
    if setting in entry.solo:
        if args.opponent is not None:
            raise OptionError(f"--opponent is for two players: give --setting {' or '.join(entry.settings)}")
        return setting, options, None
    opponent = args.opponent or entry.rivals[-1]
    make_agent(opponent)
    return setting, options, opponent


def places_of(args: Args, entry: "Entry", options: Mapping[str, Any]) -> list[Place]:
    """The decks or boards, the unseen ones first."""
    from training.course import UNSEEN_FROM, drawn_from

    firsts = ((UNSEEN_FROM, args.unseen, False), (0, args.seen, True))
    return [
        Place(first + k, seen, entry.make(**{**options, **one}))
        for first, count, seen in firsts
        for k, one in enumerate(drawn_from(entry, first, count))
    ]


def trained_alone(args: Args, places: Sequence[Place]) -> dict[int, Path]:
    """For each unseen deck or board on which a network was trained alone: seed → its file.

    Raises:
        OptionError: A network that was trained on none of them alone, or on one that another was trained on, too.
        NetworkError: A file cannot be used.
    """
    from agents.network import load_network
    from valley_core.errors import OptionError

    found: dict[int, Path] = {}
    for path in args.alone:
        metadata = load_network(path)[1]
        fits = [p for p in places if not p.seen and metadata.data is not None and metadata.misfit(p.game) is None]
        if not fits:
            raise OptionError(
                f"{path} was trained on none of the {args.unseen} unseen decks or boards alone; "
                "see --drawn 1 --drawn-seed of `training train`"
            )
        if fits[0].seed in found:
            raise OptionError(f"{path} and {found[fits[0].seed]} were trained on the same deck or board; leave one out")
        found[fits[0].seed] = path
    return found


def plans_of(args: Args, entry: "Entry") -> tuple[list[Place], list[list["Plan"]]]:
    """The decks or boards, and who plays on each.

    Raises:
        OptionError: Names or networks that do not fit.
    """
    from agents import make_agent
    from agents.network import check_fit, load_network
    from agents.network_agent import KIND
    from training.cells import Plan
    from valley_core.errors import OptionError

    setting, options, opponent = setting_of(args, entry)
    places = places_of(args, entry, options)
    network, metadata = load_network(args.general)
    check_fit(str(args.general), network, metadata, places[0].game)
    if metadata.data is not None:
        raise OptionError(f"{args.general} was trained on one deck or board; train it with --drawn 2 or more")
    for agent in args.agents:
        make_agent(agent)
    alone = trained_alone(args, places)
    plans = []
    for place in places:
        names = [f"{KIND}:{args.general}"]
        if not place.seen:
            names = [*args.agents, *names]
            names += [f"{KIND}:{alone[place.seed]}"] if place.seed in alone else []
        plans.append([Plan(entry, place.game, setting, name, opponent) for name in names])
    return places, plans


def rows_of(args: Args, place: Place, played: Sequence["Cell"]) -> list[Row]:
    """A row for each agent on a deck or board (`cells.compared`), the networks by what they are."""
    from agents.network import provenance_of
    from agents.network_agent import KIND
    from training.cells import compared

    called = {f"{KIND}:{path}": ALONE for path in args.alone} | {f"{KIND}:{args.general}": GENERAL}
    rows = compared(played)
    for row in rows:
        row |= {"drawn": place.seed, "data": provenance_of(place.game), "seen": place.seen}
        row |= {"agent": called.get(row["agent"], row["agent"])}
        for other in row["differences"]:
            other["to"] = called.get(other["to"], other["to"])
    return rows


def mean_row(rows: Sequence[Row], general: Mapping[int, Row]) -> Row:
    """What an agent achieves in the mean of decks or boards, and how much oftener the network wins on these.

    Where decks do not differ, or there is one, intervals that rest on their differences would be points: then that of
    the wins is Wilson's over games, and that of the difference `statistics.bounded_mean`.

    Args:
        rows: Of the agent, one for each deck or board.
        general: Seed → row of the network.
    """
    import numpy as np

    from training.statistics import bounded_mean, mean_interval, wilson

    wins = np.array([row["win"] for row in rows])
    first, games = rows[0], sum(row["games"] for row in rows)
    mean = mean_interval(wins) if np.ptp(wins) else wilson(round(games * wins[0]), games)
    mean = replace(mean, low=max(0.0, mean.low), high=min(1.0, mean.high))
    made = {name: first[name] for name in ("game", "agent", "opponent", "setting", "seats", "seen")}
    made |= {"drawn": None, "places": len(rows)} | {n: sum(row[n] for row in rows) for n in ("games", "illegal")}
    made |= mean.columns("win") | mean_interval(np.array([row["margin"] for row in rows])).columns("margin")
    made |= {name: float(np.mean([row[name] for row in rows])) for name in ("draw", "loss", "turn_limit", "unfinished")}
    made |= {"least": float(wins.min()), "most": float(wins.max()), "general": None}
    if first["agent"] != GENERAL:
        more = np.array([general[row["drawn"]]["win"] for row in rows]) - wins
        made["general"] = (mean_interval(more) if np.ptp(more) else bounded_mean(more, -1.0)).columns("win")
    return made


def means_of(rows: Sequence[Row]) -> list[Row]:
    """The mean rows: of each agent on what is unseen, then of the network on what it has seen."""
    general = {row["drawn"]: row for row in rows if row["agent"] == GENERAL}
    kinds = dict.fromkeys((row["seen"], row["agent"]) for row in rows)
    return [mean_row([row for row in rows if (row["seen"], row["agent"]) == kind], general) for kind in kinds]


def run(args: Args) -> int:
    """Play, print the tables and write the file; the exit code."""
    from agents.network import load_network
    from training import tables
    from training.cells import SEED_BYTES, check_memory, games_of, play, warm_up
    from training.command import progress_bar
    from training.games import entry_of
    from training.report import config_of, save
    from training.seeds import Purpose, deal_seeds
    from valley_core.options import fits_memory

    at_least("unseen", args.unseen, 2)
    writable(args.json)
    entry = entry_of(args.game)
    places, plans = plans_of(args, entry)
    check_memory("--games", args.games, games_of(plans[0]))
    fits_memory("--games", args.games, SEED_BYTES * len(places))
    seeds = deal_seeds(args.seed, len(places) * args.games, Purpose.GENERALISE).reshape(len(places), args.games)
    setup = warm_up(plans[0], seeds[0])
    rows: list[Row] = []
    seconds = 0.0
    with progress_bar(len(places), args.quiet) as work:
        advance = work(entry.drawn.name)
        for place, own, deals in zip(places, plans, seeds, strict=True):
            played = [play(plan, deals, args.batch) for plan in own]
            seconds += sum(cell.seconds for cell in played)
            rows += rows_of(args, place, played)
            advance(1)
    means = means_of(rows)

    commands = {str(path): load_network(path)[1].command for path in (args.general, *args.alone)}
    code = save(args, config_of(args, commands=list(commands.values())), means + rows)
    console = out()
    title = f"{entry.title}, {means[0]['setting']}: {entry.drawn.name}, {args.games:,} deals each, seed {args.seed}"
    console.print(tables.table(title, *tables.generalise_table(means), 3))
    if args.alone:
        console.print(tables.table("Beside networks trained alone", *tables.alone_table(rows), 2))
    games = sum(row["games"] for row in rows)
    console.print(f"{games:,} games in {seconds:.1f} s, after {setup:.1f} s of compiling and loading")
    return code


def main(argv: Sequence[str]) -> int:
    """The command."""
    return run_command("generalise", Args, run, argv)
