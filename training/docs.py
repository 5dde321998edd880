"""``python -m training docs``: writes the generated tables of the documentation, or checks that they are current.

A table stands between ``<!-- name -->`` and ``<!-- /name -->`` in ``README.md`` or a page of ``docs/``. Tables of
results come from ``docs/results/NAME.json``, as written by a command with ``--json``; where that file is missing, the
page's table is left alone.
"""

import inspect
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from training.command import run_command
from training.report import ROOT
from valley_core.files import write_text_whole

SECTION = re.compile(r"<!-- ([a-z][a-z-]*) -->\n(.*?)<!-- /\1 -->", re.DOTALL)
LEAST_RUN = 6
"""Actions in a row whose names begin with one word are shown in one line, from this number on."""

Table = Callable[[], str | None]
"""Makes the text of a section; None leaves it as it is."""


@dataclass(frozen=True)
class Args:
    """Write the generated tables of README.md and docs/."""

    check: bool = False
    """Write nothing; fail if a table is not current."""
    folder: Path = ROOT
    """The checkout whose pages are meant."""


def options_table(game: str) -> str:
    """The options of a game, from the signature and the docstring of its `make_game`."""
    from training.games import entry_of

    make_game = entry_of(game).make_game
    meanings = dict(described_arguments(inspect.getdoc(make_game) or ""))
    lines = [
        [f"`{name}`", f"`{parameter.default!r}`".replace("'", '"'), meanings.get(name, "")]
        for name, parameter in inspect.signature(make_game).parameters.items()
    ]
    return _markdown(["option", "default", "meaning"], lines)


def described_arguments(docstring: str) -> Iterator[tuple[str, str]]:
    """Name and meaning of each entry under ``Args:`` of a docstring."""
    section = re.search(r"^Args:\n(.*?)(?=^\S|\Z)", docstring, re.DOTALL | re.MULTILINE)
    entries = re.split(r"^ {4}(?=\w)", section[1], flags=re.MULTILINE) if section else []
    for entry in entries:
        names, _, meaning = entry.partition(":")
        for name in names.split(","):
            if name.strip():
                yield name.strip(), " ".join(meaning.split()).replace("``", "`")


def actions_table(game: str) -> str:
    """The actions of a game by number; many of one kind in one line."""
    from training.games import entry_of

    entry = entry_of(game)
    names = list(enumerate(entry.make(**next(iter(entry.settings.values()))).action_names))
    lines: list[list[str]] = []
    for _, group in groupby(names, key=lambda item: item[1].split()[0]):
        run = list(group)
        if len(run) < LEAST_RUN:
            lines += [[f"{number}", name] for number, name in run]
        else:
            lines.append([f"{run[0][0]} … {run[-1][0]}", f"{run[0][1]} … {run[-1][1]}"])
    return _markdown(["number", "action"], lines)


def observation_table(game: str) -> str:
    """The flat observation of a game (`valley_core.layout.Layout.table`)."""
    from training.games import entry_of

    entry = entry_of(game)
    return entry.make(**next(iter(entry.settings.values()))).layout.table()


def deck_report() -> str:
    """The provenance of the fields of the shipped decks."""
    from deathvalley_env.deck import deck_report_table

    return deck_report_table()


def difficulty_table(folder: Path) -> str | None:
    """Win rates against the solo AI, and the paired effect of each modifier."""
    from training.statistics import number, percent
    from training.tables import interval

    rows = _results(folder, "difficulty")
    if rows is None:
        return None
    lines = []
    for row in rows:
        effect = interval(row["effect"], "win", True) if row["effect"] else "–"
        scores = f"{number(row['score'])} : {number(row['opponent_score'])}"
        busts = f"{number(row['busts'])} : {number(row['opponent_busts'])}"
        lines.append(
            [
                row["agent"],
                f"`{row['setting']}`",
                f"{row['games']:,}",
                interval(row, "win"),
                percent(row["draw"]),
                percent(row["turn_limit"]),
                effect,
                scores,
                busts,
            ]
        )
    headings = ["agent", "modifiers", "games", "won [95 %]", "draw", "turn limit", "effect [95 %]", "score : AI"]
    return _markdown([*headings, "busts : AI"], lines, 2)


TOURNAMENTS = {
    "Death Valley, base": "tournament_base",
    "Death Valley, backseat": "tournament_backseat",
    "Rift Valley, 2 players": "tournament_riftvalley_2",
    "Rift Valley, 4 players": "tournament_riftvalley_4",
}


def tournaments_table(folder: Path) -> str | None:
    """The ratings of all tournaments."""
    from training.tables import rating_table

    lines = []
    for title, name in TOURNAMENTS.items():
        if rows := _results(folder, name):
            headings, cells = rating_table(rows)
            lines += [[title, *line] for line in cells]
    return _markdown(["game", *headings], lines, 2) if lines else None


def speed_table(folder: Path) -> str | None:
    """Steps a second of every layer of both games at its best batch size."""
    from training.games import GAMES

    rows = _results(folder, *(f"speed_{game}" for game in GAMES))
    if rows is None:
        return None
    best: dict[tuple[str, str], Mapping[str, Any]] = {}
    for row in rows:
        if "slowest" in row:
            key = (row["game"], row["layer"])
            best[key] = max(best.get(key, row), row, key=lambda one: one["steps_per_s"])
    lines = [
        [game, f"`{layer}`", f"{row['batch']:,}", f"{row['steps_per_s']:,}"] for (game, layer), row in best.items()
    ]
    return _markdown(["game", "layer", "batch", "steps/s"], lines, 2)


def bounds_table(folder: Path) -> str | None:
    """The best of all agents that were measured against the solo AI, whichever command did it."""
    from training.bounds import bracket
    from training.tables import bracket_table

    rows = _results(folder, "bounds")
    if rows is None:
        return None
    rows, brackets = [row for row in rows if not row.get("layer")], [row for row in rows if row.get("layer")]
    seers = [agent for agent in dict.fromkeys(row["agent"] for row in rows) if "open_cards" in agent]
    most: dict[tuple[str, str], dict[str, Any]] = {}
    for row in (*rows, *(_results(folder, *SOLO) or [])):  # of an agent measured twice, with more games
        key = (row["agent"], row["setting"])
        most[key] = max(most.get(key, row), row, key=lambda one: int(one["games"]))
    return _markdown(*bracket_table([bracket(list(most.values()), own["setting"], seers) for own in brackets]), 2)


SOLO = ("solo_agents",)
"""Of `training evaluate`."""
GOAL = ("trained", "mcts:5000")
"""Who is to reach whom."""
MARGIN = 0.05
"""Of non-inferiority, in this table."""


def goal_table(folder: Path) -> str | None:
    """Whether the network alone is shown to reach the search, setting by setting: no worse by a margin."""
    from training.cells import interval_of
    from training.statistics import separate_shares
    from training.tables import interval

    rows = {(row["agent"], row["setting"]): row for row in _results(folder, *SOLO) or []}
    settings = [setting for agent, setting in rows if agent == GOAL[0] and (GOAL[1], setting) in rows]
    lines = []
    for setting in settings:
        first, second = (rows[agent, setting] for agent in GOAL)
        paired = [other for other in first["differences"] if other["to"] == GOAL[1]]
        difference = interval_of(paired[0]) if paired else separate_shares(_share(first), _share(second))
        shown = "shown" if difference.is_above(MARGIN) else "not shown"
        cells = [interval(row, "win") for row in (first, second)]
        lines.append([f"`{setting}`", *cells, interval(difference.columns("win"), "win", True), shown])
    names = [f"`{agent}` [95 %]" for agent in GOAL]
    headings = ["modifiers", *names, "difference [95 %]", f"less than {100 * MARGIN:g} points worse"]
    return _markdown(headings, lines, 1) if lines else None


def _share(row: Mapping[str, Any]) -> Any:
    from training.statistics import Interval

    return Interval(row["win"], row["win_low"], row["win_high"], "Wilson", row["games"])


def solo_agents_table(folder: Path) -> str | None:
    """Win rates against the solo AI: a line for each agent, a column for each combination of modifiers."""
    from training.tables import interval

    rows = _results(folder, *SOLO)
    if rows is None:
        return None
    rows += [row for row in _results(folder, "bounds") or [] if "open_cards" in str(row.get("agent"))]
    settings = list(dict.fromkeys(row["setting"] for row in rows))
    won = {(row["agent"], row["setting"]): interval(row, "win") for row in rows}
    lines = [
        [f"`{agent}`", *(won.get((agent, setting), "–") for setting in settings)]
        for agent in dict.fromkeys(row["agent"] for row in rows)
    ]
    return _markdown(["agent", *settings], lines, 1)


def shipped_table(folder: Path) -> str:
    """What each shipped network wins alone, as its file says."""
    from agents.network import load_network
    from training.tables import interval

    lines = []
    for path in sorted((folder / "agents" / "weights").glob("*.npz")):
        network, metadata = load_network(path)
        layers = " × ".join(str(size) for size in (network.inputs, *network.widths, network.actions))
        file = [f"`{path.stem}`", layers, f"{path.stat().st_size / 1e6:.2f} MB"]
        lines += [
            [*file, one.setting, one.opponent, f"{one.games:,}", interval(vars(one), "win")]
            for one in metadata.strength
        ]
    return _markdown(["file", "layers", "size", "setting", "against", "games", "won [95 %]"], lines, 1)


def search_table(folder: Path) -> str | None:
    """Win rates of searches against the solo AI."""
    from training.statistics import number
    from training.tables import interval

    rows = _results(folder, "search")
    if rows is None:
        return None
    lines = [
        [row["agent"], row["setting"], f"{row['games']:,}", interval(row, "win"), number(row["score"])] for row in rows
    ]
    return _markdown(["agent", "modifiers", "games", "won [95 %]", "score"], lines, 2)


def search_riftvalley_table(folder: Path) -> str | None:
    """Shares of victories of searches against other agents of Rift Valley."""
    from training.tables import interval

    rows = _results(folder, "search_riftvalley", "search_riftvalley_mcts")
    if rows is None:
        return None
    lines = [
        [row["agent"], row["opponent"], f"{row['games']:,}", interval(row, "win"), interval(row, "margin", True, False)]
        for row in rows
    ]
    return _markdown(["agent", "opponent", "games", "won alone [95 %]", "margin [95 %]"], lines, 2)


def generalise_table(folder: Path) -> str | None:
    """Mean win rates on decks and boards that a network has not seen in training."""
    from training.tables import generalise_table

    rows = _generalise(folder)
    return None if rows is None else _markdown(*generalise_table([row for row in rows if row["drawn"] is None]), 4)


def alone_table(folder: Path) -> str | None:
    """The network beside those that were trained on one deck or board alone."""
    from training.tables import alone_table

    rows = _generalise(folder)
    return None if rows is None else _markdown(*alone_table(rows), 2)


def _generalise(folder: Path) -> list[dict[str, Any]] | None:
    from training.games import GAMES

    return _results(folder, *(f"generalise_{game}" for game in GAMES))


STRATEGIES = ("strategies", "strategies_search")
"""Of `training strategies`; searches were played apart, since they take longer."""


def strategies_table(folder: Path) -> str | None:
    """How Rift Valley plays on each board."""
    from training.tables import strategy_table

    rows = _results(folder, *STRATEGIES)
    return None if rows is None else _markdown(*strategy_table(rows), 3)


def seats_table(folder: Path) -> str | None:
    """What each seat of Rift Valley has of the victories, and what to think of it."""
    from training.tables import fairness_sentence, fairness_table

    rows = _results(folder, *STRATEGIES)
    if rows is None:
        return None
    return f"{_markdown(*fairness_table(rows), 3)}\n\n{fairness_sentence(rows)}"


def starting_boards_table(folder: Path) -> str | None:
    """What those who start with each board of a set have of the victories."""
    from training.tables import starting_table

    rows = _results(folder, *STRATEGIES)
    return None if rows is None else _markdown(*starting_table(rows), 3)


def endings_table(folder: Path) -> str | None:
    """Games at the turn limit, by pair of agents."""
    from training.tables import limit_table

    rows = _results(folder, "endings", "endings_trained")
    return None if rows is None else _markdown(*limit_table(rows), 3)


def _results(folder: Path, *names: str) -> list[dict[str, Any]] | None:
    """The rows of the files with these names, as far as they are there; None if none is."""
    files = [folder / "docs" / "results" / f"{name}.json" for name in names]
    rows = [json.loads(file.read_text(encoding="utf-8"))["rows"] for file in files if file.is_file()]
    return [row for some in rows for row in some] if rows else None


def _markdown(headings: Sequence[str], lines: Sequence[Sequence[str]], text: int | None = None) -> str:
    from training.tables import markdown

    return markdown(headings, lines, len(headings) if text is None else text)


def sections_of(page: str, folder: Path) -> dict[str, Table]:
    """The sections that a page may have, by name; those of a game's page are its own."""
    tables: dict[str, Table] = {
        "deck-report": deck_report,
        "difficulty": partial(difficulty_table, folder),
        "speed": partial(speed_table, folder),
        "tournaments": partial(tournaments_table, folder),
        "bounds": partial(bounds_table, folder),
        "search": partial(search_table, folder),
        "solo-agents": partial(solo_agents_table, folder),
        "goal": partial(goal_table, folder),
        "endings": partial(endings_table, folder),
        "shipped": partial(shipped_table, folder),
        "search-riftvalley": partial(search_riftvalley_table, folder),
        "generalise": partial(generalise_table, folder),
        "generalise-alone": partial(alone_table, folder),
        "strategies": partial(strategies_table, folder),
        "seats": partial(seats_table, folder),
        "starting-boards": partial(starting_boards_table, folder),
    }
    from training.games import GAMES

    if page in GAMES:
        tables["options"] = partial(options_table, page)
        tables["actions"] = partial(actions_table, page)
        tables["observation"] = partial(observation_table, page)
    return tables


def renewed(text: str, page: str, folder: Path) -> str:
    """The text of a page with its generated sections renewed.

    Raises:
        OptionError: A section that nothing generates.
    """
    from valley_core.errors import OptionError

    tables = sections_of(page, folder)

    def fill(found: re.Match[str]) -> str:
        name = found[1]
        if name not in tables:
            raise OptionError(f"nothing generates the section {name!r} of {page}; known: {', '.join(tables)}")
        made = tables[name]()
        return found[0] if made is None else f"<!-- {name} -->\n{made}\n<!-- /{name} -->"

    return SECTION.sub(fill, text)


def pages(folder: Path) -> list[Path]:
    """README.md and the pages of docs/."""
    return [path for path in (folder / "README.md", *sorted((folder / "docs").glob("*.md"))) if path.is_file()]


def run(args: Args) -> int:
    """Write or check; the exit code, 1 if a checked table is not current."""
    stale = []
    for path in pages(args.folder):
        text = path.read_text(encoding="utf-8")
        new = renewed(text, path.stem, args.folder)
        if new != text:
            stale.append(path)
            if not args.check:
                write_text_whole(path, new)
    for path in stale:
        name = path.relative_to(args.folder)
        if args.check:
            print(f"{name} is not current; run `make docs`", file=sys.stderr)
        else:
            print(f"{name} renewed")
    return 1 if args.check and stale else 0


def main(argv: Sequence[str]) -> int:
    """The command."""
    return run_command("docs", Args, run, argv)
