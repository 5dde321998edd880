"""Tables are whole at any width: every table of every command, with long names of agents."""

import importlib
import inspect
import io
import os
import re
import struct
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from training import curves, exact, speed, tables, throughput
from training.command import progress_columns

ROOT = Path(__file__).resolve().parents[2]
LONG = "mcts:1000,leaf=trained,rollouts=0.5"
OTHER = "network:runs/deathvalley_discard_points_0/best.npz"
SETTING = "discard_points"
WIDTHS = (40, 60, 80, 200)

INTERVAL = {"games": 10_000, "deals": 10_000, "different_deals": 10_000}


def with_ends(name: str, value: float = -1.0) -> dict[str, float]:
    return {name: value, f"{name}_low": -1.0, f"{name}_high": 1.0}


def row(agent: str) -> dict[str, Any]:
    """All that any table looks at, as long as it can be."""
    seats = [{"seat": seat, "score": -12.5} | with_ends("share", 0.25) for seat in range(5)]
    boards = [{"board": f"Elephant Ford {k}"} | with_ends("share", 0.25) for k in range(5)]
    kinds = dict.fromkeys(("stars", "skulls", "abilities", "discards"), -12.34)
    difference = {"to": OTHER} | with_ends("win") | with_ends("margin", -12.34)
    endings = {"score": 0.9, "fewer_busts": 0.05, "must_outbust": 0.03, "shared": 0.01, "turn_limit": 0.01}
    found: dict[str, Any] = {
        "game": "deathvalley",
        "setting": SETTING,
        "agent": agent,
        "opponent": OTHER,
        "draw": 0.1,
        "loss": 0.1,
        "score": -12.34,
        "opponent_score": -12.34,
        "busts": 2.5,
        "opponent_busts": 2.5,
        "decisions": 123.4,
        "turns": 123.4,
        "truncated": 0.0,
        "turn_limit": 0.0,
        "illegal": 0,
        "games_per_s": 123_456.0,
        "differences": [difference],
        "endings": endings,
        "won_by": endings,
        "points": kinds,
        "opponent_points": kinds,
        "effect": difference,
        "win_by_seat": [0.2] * 5,
        "rating": -1234.0,
        "rating_low": -1300.0,
        "rating_high": -1200.0,
        "kind": "profile likelihood",
        "card": "a card with a name of some length",
        "abilities": "reconstructed",
        "lost": 0.1,
        "trapped": 12,
        "ever_trapped": 123,
        "longest": 200,
        "against": {name: {"ahead": 10, "drawn": 1, "behind": 5} for name in (LONG, OTHER) if name != agent},
        "field": [LONG, OTHER, "random"],
        "seats": 5,
        "fair": 0.2,
        "seat": 4,
        "unfair_p": 0.001,
        "of_seats": seats,
        "of_boards": boards,
        "spread": 12.34,
        "choices": 2.5,
        "places": 20,
        "seen": False,
        "least": 0.1,
        "most": 0.9,
        "general": with_ends("win"),
        "drawn": 2_000_000,
        "steps": 100_000_000,
        "seconds": 12_345.6,
        "wins": [0.1, 0.9],
        "layer": "aec_raw",
        "batch": 4096,
        "steps_per_s": 123_456_789,
        "slowest": 123_456_789,
        "fastest": 123_456_789,
        "peer": "openspiel_mcts",
        "ratio": 123.45,
        "error": "no module named pgx, which is needed to measure it; install it into the peers' environment",
        "part": "observation",
        "nanoseconds": 123_456.0,
        "share_in_games": 0.3,
        "share_in_choice": 0.3,
        "share_in_learning": 0.4,
        "way": "pettingzoo",
        "decisions_per_s": 1_234_567,
        "played_per_s": 1_234_567,
        "deck": "a deck of some length",
        "cards": 18,
        "count": 1_000_000,
        "solved": 0.5,
        "won": 0.5,
        "seconds_median": 123.4567,
        "seconds_most": 123.4567,
        "graph_median": 123_456_789,
    }
    for name in ("win", "low", "best", "few_win", "high_win", "share", "score", "margin"):
        found |= with_ends(name, found.get(name, -1.0))
    return found | INTERVAL


ROWS = [row(LONG), row(OTHER)]
GENERALISED = [
    {**row(name), "differences": [one | {"to": "general"} for one in row(name)["differences"]]}
    for name in (LONG, "general", "alone")
]

CELLS = [
    function
    for name, function in inspect.getmembers(tables, inspect.isfunction)
    if name.endswith("_table") and function.__module__ == tables.__name__
]
"""Functions from rows to headings and cells."""
WHOLE = [
    function
    for module in (curves, exact, speed, throughput)
    for name, function in inspect.getmembers(module, inspect.isfunction)
    if name.endswith("_table") and function.__module__ == module.__name__
]
"""Functions from rows to a table."""


def shown(made: object, width: int) -> str:
    console = Console(width=width, file=io.StringIO(), highlight=False)
    console.print(made)
    return console.file.getvalue()  # type: ignore[attr-defined]


def squeezed(text: str) -> str:
    return "".join(text.split())


def check(made: tables.FittedTable, width: int) -> None:
    text = shown(made, width)
    assert "…" not in text
    assert max(cell_len(line) for line in text.splitlines()) <= width
    for cell in {cell for line in made.rows for cell in line[made.text :]}:
        # Numbers stand in one line, or are longer than any line of a table may be.
        by_row = "─" not in text and squeezed(cell) in squeezed(text)
        assert cell in text or by_row or cell_len(cell) > tables.LONGEST_CELL, cell
    for heading in made.headings[made.text :]:
        assert all(word in text for word in re.split(f"(?<=[{tables.BREAKS}])", heading) if cell_len(word) < width)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("function", CELLS, ids=lambda function: function.__name__)
@pytest.mark.parametrize("words", [1, 2])
def test_every_table_is_whole(function: Callable[..., Any], width: int, words: int) -> None:
    headings, cells = function(GENERALISED if function is tables.alone_table else ROWS)
    assert cells
    check(
        tables.table("Death Valley: a title that is long enough to need a second line", headings, cells, words), width
    )


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("function", WHOLE, ids=lambda function: function.__name__)
def test_every_table_of_a_command_is_whole(function: Callable[..., Any], width: int) -> None:
    found = function(ROWS) if len(inspect.signature(function).parameters) == 1 else function("A title", ROWS)
    check(found, width)


def test_all_tables_are_looked_at() -> None:
    """A table that is made in another way would escape the tests above."""
    assert len(CELLS) >= 15
    assert len(WHOLE) >= 6
    for path in sorted((ROOT / "training").glob("*.py")):
        source = path.read_text(encoding="utf-8")
        assert "rich.table import Table" not in source or path.name == "tables.py", path.name
        calls = source.count("tables.table(") + source.count("return table(")
        assert source.count("print(table(") == 0, path.name
        assert calls == 0 or path.name == "tables.py" or "_table" in source, path.name


@pytest.mark.parametrize("width", [12, 20, 30])
def test_names_are_whole_even_where_no_table_fits(width: int) -> None:
    text = shown(tables.table("Title", ["agent", "won"], [[LONG, "100.0 % [−100.0, +100.0]"]]), width)
    assert squeezed(LONG) in squeezed(text)
    assert squeezed("100.0 % [−100.0, +100.0]") in squeezed(text)
    assert "…" not in text


def test_a_wide_terminal_has_one_table() -> None:
    headings, cells = tables.effect_table(ROWS)
    assert "(continued)" not in shown(tables.table("Title", headings, cells, 2), 200)
    assert shown(tables.table("Title", headings, cells, 2), 60).count("agent") > 1


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("short", 10, ["short"]),
        ("mcts:1000,leaf=trained", 12, ["mcts:1000,", "leaf=trained"]),
        ("opponent's score", 10, ["opponent's", "score"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("a b", 1, ["a", "b"]),
        ("", 5, [""]),
    ],
)
def test_wrapped(text: str, width: int, lines: Sequence[str]) -> None:
    assert tables.wrapped(text, width).split("\n") == lines


@pytest.mark.parametrize("width", WIDTHS)
def test_the_progress_of_long_work_is_whole(width: int) -> None:
    """As of `train`: its description is longer than a line of 80 columns beside the bar."""
    from rich.progress import Progress

    console = Console(width=width, file=io.StringIO(), force_terminal=True)
    progress = Progress(*progress_columns(width), console=console)
    description = f"won of the last 2,000 games: 31.2 % [30.1, 32.3], 12,345 decisions/s, {LONG}"
    progress.add_task(description, total=2_000_000, completed=1_000_000)
    text = shown(progress.get_renderable(), width)
    assert "…" not in text
    assert width < 60 or "1000000/2000000" in squeezed(text)
    found = iter(squeezed(text))
    assert all(sign in found for sign in squeezed(description))


@pytest.mark.parametrize("columns", ["60", "80", "200"])
def test_a_command_in_a_terminal(columns: str) -> None:
    """In a pseudo-terminal where there are such; else with the width said by $COLUMNS, as a console has it."""
    command = [sys.executable, "-m", "training", "tournament", "--agents", "random", "noisy:0.123456789", "rulebook"]
    command += ["--deals", "2", "--quiet"]
    environment = os.environ | {"TERM": "xterm", "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
    environment.pop("COLUMNS", None)
    try:
        pty, fcntl, termios = (importlib.import_module(name) for name in ("pty", "fcntl", "termios"))
    except ImportError:
        environment["COLUMNS"] = columns
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, encoding="utf-8", check=True)
        text = done.stdout
    else:
        ours, theirs = pty.openpty()
        fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 50, int(columns), 0, 0))
        with subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL
        ) as process:
            os.close(theirs)
            parts = []
            while part := read(ours):
                parts.append(part)
            assert process.wait() == 0
        os.close(ours)
        text = b"".join(parts).decode("utf-8")
    lines = re.sub(r"\x1b\[[0-9;]*m|\r", "", text).splitlines()
    table = [line for line in lines if not line.startswith("the order")]
    assert max(cell_len(line) for line in table) <= int(columns)
    assert "…" not in text
    assert "noisy:0.123456789" in squeezed("".join(lines))


def read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # the other end is closed
        return b""
