"""``python -m training exact``: which late positions of Death Valley's solo game are solved exactly, in what time.

The positions are those in which a turn of the learner begins, in games that an agent plays, sorted by the cards left in
the Desert. One thread solves each from an empty table; the action of greatest value is asked for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from training.command import at_least, out, progress_bar, run_command, writable

if TYPE_CHECKING:
    import numpy as np

    from training.tables import FittedTable
    from valley_core.game import Game

GAME = "deathvalley"
BYTES_OF_POSITION = 175
"""Memory that a position takes which may be written down (`agents.exact_deathvalley`)."""
QUANTILE = 0.9
"""Of the times: what "most positions" means."""


@dataclass(frozen=True)
class Args:
    """Which late positions of Death Valley's solo game are solved exactly, in what time, on one core."""

    agent: str = "greedy"
    """Agent that plays the games, by name."""
    settings: tuple[str, ...] = ("none", "discard_points", "must_outbust", "both")
    """Combinations of the modifiers."""
    decks: tuple[str, ...] = ("highs_and_lows", "death_valley")
    """Shipped decks, or paths of deck files."""
    cards: tuple[int, ...] = (2, 3, 4)
    """Cards left in the Desert."""
    positions: int = 20
    """Positions of each setting, deck and number of cards, each of another game."""
    budget: int = 500_000
    """Positions that may be written down for each; 500,000 are about half a second, and 100 MB of memory."""
    seed: int = 0
    """Seed of the deals."""
    json: Path | None = None
    """Write configuration, versions, seed and rows to this file."""
    quiet: bool = False
    """No progress bar."""


def positions_of(game: "Game", agent_name: str, cards: int, count: int, seed: int) -> "np.ndarray":
    """States, each the first of its game in which a turn of the learner begins with so many cards in the Desert."""
    import numpy as np

    from agents import Decisions, make_agent
    from deathvalley_env.vocabulary import NO_CARD, Decision
    from training.match import legal_actions
    from training.seeds import Purpose, deal_seeds
    from valley_core.batch import loops_of

    seeds = deal_seeds(seed, 4 * count, Purpose.EXACT)
    states, agent, loops = game.new_states(len(seeds)), make_agent(agent_name), loops_of(game)
    states["rng"] = seeds
    loops.reset_some(states, game.data, np.ones(len(seeds), np.bool_))
    agent.start(game, seeds)
    streams = np.arange(len(seeds))
    found: list[Any] = []
    while len(states):
        desert = states["deck_size"] + (states["face_up"] != NO_CARD)
        fits = (desert == cards) & (states["decision"] == Decision.TURN)
        found += list(states[fits])
        going = ~fits & (states["decision"] != Decision.OVER)
        states, streams = states[going], streams[going]
        seats = np.zeros(len(states), np.int64)
        if len(states):
            decisions = Decisions(game, states, seats, streams)
            loops.step_all(states, game.data, seats, legal_actions(agent, decisions))
    return np.array(found[:count], game.template.dtype)


def row_of(game: "Game", states: "np.ndarray", budget: int, table: Any) -> dict[str, Any]:
    """How many of the states are solved, how long each took, and how many positions were written down."""
    import numpy as np

    from agents.exact_deathvalley import solve

    seconds, values, sizes = [], [], []
    for k in range(len(states)):
        start = perf_counter()
        solution = solve(game, states[k : k + 1], budget, every=False, table=table)
        seconds.append(perf_counter() - start)
        values.append(float(solution.values[0]))
        sizes.append(int(solution.positions[0]))
    known = np.array([value for value in values if value == value])
    return {
        "count": len(states),
        "solved": len(known) / max(1, len(states)),
        "won": float((known == 1).sum()) / max(1, len(states)),
        "seconds_median": float(np.median(seconds)) if seconds else 0.0,
        "seconds_most": float(np.quantile(seconds, QUANTILE)) if seconds else 0.0,
        "graph_median": int(np.median(sizes)) if sizes else 0,
    }


def run(args: Args) -> int:
    """Measure, print the table and write the file; the exit code."""
    from agents.exact_deathvalley import new_table, solve
    from training.games import entry_of
    from training.report import config_of, save
    from valley_core.errors import OptionError
    from valley_core.options import fits_memory

    at_least("cards", min(args.cards, default=0), 2)
    writable(args.json)
    entry = entry_of(GAME)
    for setting in args.settings:
        if setting not in entry.solo:
            raise OptionError(f"there is no setting {setting!r}; choose among {', '.join(entry.solo)}")
    games = {
        (deck, setting): entry.make(deck=deck, **entry.solo[setting])
        for deck in dict.fromkeys(args.decks)
        for setting in dict.fromkeys(args.settings)
    }
    if not games:
        raise OptionError("--decks and --settings name at least one each")
    fits_memory("--positions", args.positions, 4 * max(game.template.dtype.itemsize for game in games.values()))
    fits_memory("--budget", args.budget, BYTES_OF_POSITION)
    table = new_table(args.budget)
    rows: list[dict[str, Any]] = []
    cells = [(deck, setting, cards) for deck in args.decks for setting in args.settings for cards in args.cards]
    with progress_bar(len(cells), args.quiet) as work:
        for deck, setting, cards in cells:
            advance = work(f"{deck}, {setting}, {cards} cards")
            game = games[deck, setting]
            states = positions_of(game, args.agent, cards, args.positions, args.seed)
            if not rows and len(states):
                solve(game, states[:1], 1, every=False, table=table)  # compiles before the clock runs
            name = str(game.options["deck"])
            rows.append({"deck": name, "setting": setting, "cards": cards} | row_of(game, states, args.budget, table))
            advance(1)

    code = save(args, config_of(args, game=GAME), rows)
    title = f"{entry.title}: turns of {args.agent} solved exactly within {args.budget:,} positions"
    out().print(exact_table(title, rows))
    return code


def exact_table(title: str, rows: Sequence[dict[str, Any]]) -> "FittedTable":
    """How many positions were solved, and in what time."""
    from training.statistics import percent
    from training.tables import table

    headings = [
        "deck",
        "setting",
        "cards",
        "positions",
        "solved",
        "surely won",
        "s, median",
        "s, 90 %",
        "graph, median",
    ]
    lines = [
        [
            row["deck"],
            row["setting"],
            str(row["cards"]),
            str(row["count"]),
            percent(row["solved"]),
            percent(row["won"]),
            f"{row['seconds_median']:.4f}",
            f"{row['seconds_most']:.4f}",
            f"{row['graph_median']:,}",
        ]
        for row in rows
    ]
    return table(title, headings, lines, 2)


def main(argv: Sequence[str]) -> int:
    """The command."""
    return run_command("exact", Args, run, argv)
