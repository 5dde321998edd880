"""Rows as tables for a terminal (rich) and as Markdown."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from training.statistics import CONFIDENCE, number, percent

Row = Mapping[str, Any]


GAP = 3
"""Cells between two columns."""
MARGIN = 2
"""Cells beside the first and the last column, together."""
LONGEST_CELL = 30
"""Longer cells go on in the next line where a table is too wide; intervals are shorter."""
LEAST_WORDS = 12
"""Columns of words are not made narrower."""
BREAKS = " ,:/=_−"
"""After these a name may go on in the next line."""


def table(
    title: str, headings: Sequence[str], rows: Sequence[Sequence[str]], text: int = 1, rule_at: int | None = 0
) -> "FittedTable":
    """A table whose first `text` columns are words; a line is drawn where the word in column `rule_at` changes."""
    return FittedTable(title, tuple(headings), tuple(tuple(row) for row in rows), text, rule_at)


@dataclass(frozen=True)
class FittedTable:
    """A table that is whole at any width: nothing in it is ever cut.

    Where it is too wide, headings go on in a second line, then the words in the first columns; then the other columns
    are shown in several tables below each other, each with the first columns; and where not even one fits, row by row.

    Attributes:
        title: Above it.
        headings: Of the columns.
        rows: The cells.
        text: So many columns, the first ones, are words and say what a row is about; the others are numbers.
        rule_at: A line is drawn where the word in this column changes; None for no lines.
    """

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    text: int
    rule_at: int | None

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield one table, several, or lines."""
        room = options.max_width
        natural = [max(cell_len(cell) for cell in column) for column in zip(self.headings, *self.rows, strict=True)]
        if sum(natural) + GAP * (len(natural) - 1) + MARGIN <= room:
            yield self._part(range(self.text, len(natural)), natural, natural)
            return
        columns = list(zip(*self.rows, strict=True)) if self.rows else [()] * len(self.headings)
        narrow = [
            max(_longest_word(heading), min(LONGEST_CELL, max(map(cell_len, column), default=0)))
            for heading, column in zip(self.headings, columns, strict=True)
        ]
        words = self._narrowed([max(map(cell_len, column), default=0) for column in columns[: self.text]], room)
        groups = list(self._groups(narrow, words, room))
        if any(self._needed(narrow, words, group) > room for group in groups):
            yield from self._records()
            return
        for k, group in enumerate(groups):
            yield self._part(group, narrow, words, again=k > 0)

    def _narrowed(self, words: Sequence[int], room: int) -> list[int]:
        """Widths of the columns of words, which together take half of the room at most, if they can."""
        widths = [max(width, _longest_word(self.headings[i])) for i, width in enumerate(words)]
        while widths and sum(widths) + GAP * len(widths) > room // 2 and max(widths) > LEAST_WORDS:
            widths[widths.index(max(widths))] -= 1
        return widths

    def _needed(self, narrow: Sequence[int], words: Sequence[int], group: Sequence[int]) -> int:
        """The width of a table with these columns beside those of words."""
        return sum(words) + sum(narrow[i] for i in group) + GAP * (len(words) + len(group) - 1) + MARGIN

    def _groups(self, narrow: Sequence[int], words: Sequence[int], room: int) -> Iterator[list[int]]:
        """The columns of numbers, as many in each table as there is room for."""
        group: list[int] = []
        for i in range(self.text, len(self.headings)):
            if group and self._needed(narrow, words, [*group, i]) > room:
                yield group
                group = []
            group.append(i)
        yield group

    def _part(self, group: Sequence[int], narrow: Sequence[int], words: Sequence[int], again: bool = False) -> Table:
        title = Text("(continued)" if again else self.title)
        made = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", title_style="bold", pad_edge=False)
        widths = {**dict(enumerate(words[: self.text])), **{i: narrow[i] for i in group}}
        for i, width in widths.items():
            justify = "left" if i < self.text else "right"
            made.add_column(Text(wrapped(self.headings[i], width)), justify=justify, no_wrap=True)  # type: ignore[arg-type]
        for k, row in enumerate(self.rows):
            last = self.rule_at is not None and k + 1 < len(self.rows) and self._changes(k, self.rule_at)
            made.add_row(*(Text(wrapped(row[i], width)) for i, width in widths.items()), end_section=last)
        return made

    def _changes(self, k: int, column: int) -> bool:
        return self.rows[k + 1][column] != self.rows[k][column]

    def _records(self) -> Iterator[Text]:
        """Row by row: a line for each number."""
        yield Text(self.title, style="bold", overflow="fold")
        for row in self.rows:
            yield Text(", ".join(row[: self.text]), overflow="fold")
            for heading, cell in list(zip(self.headings, row, strict=True))[self.text :]:
                yield Text(f"  {heading}: {cell}", overflow="fold")


def _longest_word(text: str) -> int:
    """The width of the longest part that is not broken without need."""
    return max(map(cell_len, re.split(f"(?<=[{BREAKS}])", text) or [""]))


def wrapped(text: str, width: int) -> str:
    """A text in lines of at most `width` cells, broken after one of `BREAKS` where there is one, else anywhere."""
    lines: list[str] = []
    while cell_len(text) > width:
        fitting = next(n for n in range(len(text), 0, -1) if cell_len(text[:n]) <= width)
        if text[fitting] == " ":
            cut = fitting
        else:
            cut = max((text.rfind(sign, 0, fitting) + 1 for sign in BREAKS), default=0) or fitting
        lines.append(text[:cut].rstrip())
        text = text[cut:].lstrip(" ")
    return "\n".join([*lines, text])


def markdown(headings: Sequence[str], rows: Sequence[Sequence[str]], text: int = 1) -> str:
    """The same as Markdown."""
    rule = ["---"] * text + ["--:"] * (len(headings) - text)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (headings, rule, *rows))


def interval(row: Row, name: str, signed: bool = False, shares: bool = True) -> str:
    """A number of a row with its interval, as in ``31.2 % [30.1, 32.3]``.

    ``[–]`` where its ends are not known, ``[exact]`` where it is a point: all games that there are were played.
    """
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    if low is not None and isfinite(low) and low == high:
        return f"{percent(row[name], signed) if shares else number(row[name], signed)} [exact]"
    if low is None or not isfinite(low):  # None: as JSON has it
        return f"{percent(row[name], signed) if shares else number(row[name], signed)} [–]"
    if shares:
        ends = f"{100 * low:{'+' if signed else ''}.1f}, {100 * high:{'+' if signed else ''}.1f}"
        return f"{percent(row[name], signed)} [{ends}]".replace("-", "−")
    return f"{number(row[name], signed)} [{number(low, signed)}, {number(high, signed)}]"


def outcome_table(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Headings and cells of the main table; the opponent, who is the same in all rows, is named above it."""
    busts, turns = all("busts" in row for row in rows), all("turns" in row for row in rows)
    headings = ["setting", "agent", "games", "win [95 %]", "draw", "loss", "score", "opponent's score"]
    headings += ["busts", "opponent's busts"] * busts + ["decisions"] + ["turns"] * turns
    headings += ["turn limit", "illegal", "games/s"]
    cells = []
    for row in rows:
        line = [row["setting"], row["agent"], f"{row['games']:,}", interval(row, "win")]
        line += [percent(row["draw"]), percent(row["loss"]), number(row["score"]), number(row["opponent_score"])]
        line += [number(row["busts"]), number(row["opponent_busts"])] if busts else []
        line += [f"{row['decisions']:.1f}"] + ([f"{row['turns']:.1f}"] if turns else [])
        line += [percent(row["turn_limit"]), f"{row['illegal']}", f"{row['games_per_s']:,.0f}"]
        cells.append(line)
    return headings, cells


def difference_table(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Headings and cells of the paired differences between agents."""
    cells = [
        [
            row["setting"],
            f"{row['agent']} − {other['to']}",
            interval(other, "win", True),
            interval(other, "margin", True, False),
        ]
        for row in rows
        for other in row["differences"]
    ]
    return ["setting", "agents", "difference of wins [95 %]", "difference of margins [95 %]"], cells


def ending_table(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Headings and cells of the rules that decided the games: shares of all games, and of those the agent won."""
    names = list(dict.fromkeys(name for row in rows for name in row["endings"]))
    cells = []
    for row in rows:
        shares = [(row["endings"].get(name, 0.0), row["won_by"].get(name, 0.0)) for name in names]
        cells.append([row["agent"], row["setting"], *(f"{percent(share)} ({percent(won)})" for share, won in shares)])
    return ["agent", "setting", *(name.replace("_", " ") for name in names)], cells


def points_table(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Headings and cells of the mean points by kind, own and the opponent's."""
    kinds = list(rows[0]["points"])
    cells = [
        [
            row["agent"],
            row["setting"],
            *(f"{number(row['points'][kind])} / {number(row['opponent_points'][kind])}" for kind in kinds),
        ]
        for row in rows
    ]
    return ["agent", "setting", *kinds], cells


def effect_table(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Headings and cells of the paired effect of each modifier."""
    cells = []
    for row in rows:
        effect = row["effect"]
        shown = [interval(effect, "win", True), interval(effect, "margin", True, False)] if effect else ["–", "–"]
        cells.append([row["agent"], row["setting"], interval(row, "win"), *shown])
    return ["agent", "setting", "win [95 %]", "effect on wins [95 %]", "effect on the margin [95 %]"], cells


def repeats_sentence(row: Row, where: str) -> str | None:
    """That games repeated themselves, and whether all that there are were played; None if no deal was repeated."""
    if row["complete"]:
        return f"{where}: these are all {row['different_deals']:,} deals that there are, so nothing is estimated"
    if row["different_deals"] < row["deals"]:
        return (
            f"{where}: on {row['deals']:,} deals the same games came again and again, "
            f"{row['different_deals']:,} differ; each counts once"
        )
    return None


def bracket_table(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Headings and cells of the best that was measured, and of searches that see the deck."""
    cells = [
        [
            row["setting"],
            row["agent"],
            f"{row['games']:,}",
            interval(row, "best"),
            interval(row, "few_win"),
            interval(row, "high_win"),
        ]
        for row in rows
    ]
    headings = ["setting", "best agent measured", "games", "won [95 %]", "clairvoyant search, a tenth [95 %]"]
    return [*headings, "clairvoyant search [95 %]"], cells


def generalise_table(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Headings and cells of mean win rates over decks or boards."""
    cells = [
        [
            row["game"],
            "seen" if row["seen"] else "unseen",
            row["agent"],
            row["opponent"],
            f"{row['places']:,}",
            f"{row['games']:,}",
            interval(row, "win"),
            percent(row["least"]),
            percent(row["most"]),
            interval(row["general"], "win", True) if row["general"] else "–",
            interval(row, "margin", True, False),
        ]
        for row in rows
    ]
    headings = ["game", "decks, boards", "agent", "opponent", "number", "games", "won, mean [95 %]", "least", "most"]
    return [*headings, "general − agent [95 %]", "margin [95 %]"], cells


def alone_table(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Headings and cells of the decks or boards on which a network was trained alone."""
    cells = []
    for alone in (row for row in rows if row["agent"] == "alone" and row["drawn"] is not None):
        here = [row for row in rows if (row["game"], row["drawn"]) == (alone["game"], alone["drawn"])]
        general = next(row for row in here if row["agent"] == "general")
        others = [f"{row['agent']} {percent(row['win'])}" for row in here if row not in (alone, general)]
        difference = next(other for other in alone["differences"] if other["to"] == "general")
        line = [alone["game"], f"{alone['drawn']}", f"{alone['games']:,}", interval(alone, "win")]
        line += [interval(general, "win"), interval(difference, "win", True)]
        line += [interval(difference, "margin", True, False), ", ".join(others)]
        cells.append(line)
    headings = ["game", "seed", "games", "alone [95 %]", "general [95 %]", "alone − general [95 %]"]
    return [*headings, "difference of margins [95 %]", "others"], cells


def seat_table(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Headings and cells of the share of games won in each seat."""
    seats = len(rows[0]["win_by_seat"])
    cells = [[row["agent"], row["setting"], *(percent(share) for share in row["win_by_seat"])] for row in rows]
    return ["agent", "setting", *(f"seat {seat}" for seat in range(seats))], cells


def rating_table(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Headings and cells of the ratings of a tournament."""
    cells = []
    for row in rows:
        line = [row["agent"], rating(row), f"{row['games']:,}"]
        score = row["score"]
        line += ["–" if score is None or not isfinite(score) else percent(score)]
        line += [percent(row["win"]), percent(row["turn_limit"]), f"{row['illegal']}"]
        cells.append(line)
    return ["agent", "rating [95 %]", "games", "score", "seats won", "turn limit", "illegal"], cells


def rating(row: Row) -> str:
    """A rating with its interval, as in ``+120 [+80, +165]``; ``below −480`` where that is all that is known."""
    low, high = (None if end is None or not isfinite(end) else end for end in (row["rating_low"], row["rating_high"]))
    if row["kind"] == "anchor":
        shown = "0 (anchor)"
    elif low is None and high is None:
        shown = f"{row['rating']:+,.0f} [–]"
    elif low is None:
        shown = f"below {high:+,.0f}"
    elif high is None:
        shown = f"above {low:+,.0f}"
    elif low == high:
        shown = f"{row['rating']:+,.0f} [exact]"
    else:
        shown = f"{row['rating']:+,.0f} [{low:+,.0f}, {high:+,.0f}]"
    return shown.replace("-", "−")


def against_table(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Headings and cells of the matrix: in which share of comparisons an agent was ahead of another, and level."""
    names = [row["agent"] for row in rows]
    cells = []
    for row in rows:
        line = [row["agent"]]
        for name in names:
            counts = row["against"].get(name)
            total = sum(counts.values()) if counts else 0
            shares = f"{percent(counts['ahead'] / total)} ({percent(counts['drawn'] / total)})" if total else "–"
            line.append(shares)
        cells.append(line)
    return ["agent", *names], cells


def field_table(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Headings and cells of the agents of fields."""
    headings = ["setting", "agent", "seats", "deals", "games", "won alone [95 %]", "shared", "lost"]
    headings += ["share of one seat [95 %]", "fair", "score [95 %]", "turns", "turn limit", "illegal", "games/s"]
    cells = [
        [
            row["setting"],
            row["agent"],
            f"{row['field'].count(row['agent'])} of {row['seats']}",
            f"{row['different_deals']:,}",
            f"{row['games']:,}",
            interval(row, "win"),
            percent(row["draw"]),
            percent(row["loss"]),
            interval(row, "share"),
            percent(row["fair"]),
            interval(row, "score", shares=False),
            f"{row['turns']:.1f}",
            percent(row["turn_limit"]),
            f"{row['illegal']}",
            f"{row['games_per_s']:,.0f}",
        ]
        for row in rows
    ]
    return headings, cells


def seat_rating_table(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Headings and cells of what the seats of fields are worth."""
    cells = [
        [
            row["setting"],
            f"{row['seat']}",
            interval(row, "win"),
            percent(row["draw"]),
            interval(row, "share"),
            percent(row["fair"]),
            fairness(row),
            interval(row, "score", shares=False),
        ]
        for row in rows
    ]
    return ["setting", "seat", "won alone [95 %]", "shared", "share [95 %]", "fair", "finding", "score [95 %]"], cells


def fairness(row: Row) -> str:
    """Whether the interval of a share excludes what is fair: ``more``, ``less``, or ``–``."""
    low, high = row["share_low"], row["share_high"]
    if low is None or low <= row["fair"] <= high:
        return "–"
    return "more" if low > row["fair"] else "less"


def kinds_table(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Headings and cells of the mean points by kind of the agents of fields."""
    kinds = list(rows[0]["points"])
    cells = [[row["setting"], row["agent"], *(number(row["points"][kind]) for kind in kinds)] for row in rows]
    return ["setting", "agent", *kinds], cells


def strategy_table(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Headings and cells of how the game plays with the same agent in all seats."""
    kinds = list(rows[0]["points"])
    headings = ["boards", "agent", "players", "games", "score [95 %]", "spread", "by seat", *kinds]
    cells = [
        [
            row["setting"],
            row["agent"],
            f"{row['seats']}",
            f"{row['games']:,}",
            interval(row, "score", shares=False),
            number(row["spread"]),
            " / ".join(f"{seat['score']:.1f}".replace("-", "−") for seat in row["of_seats"]),
            *(number(row["points"][kind]) for kind in kinds),
            f"{row['turns']:.1f}",
            f"{row['choices']:.1f}",
        ]
        for row in rows
    ]
    return [*headings, "turns", "choices a turn"], cells


def fairness_table(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Headings and cells of what each seat has of the victories, with the same agent in all seats."""
    most = max(row["seats"] for row in rows)
    headings = ["boards", "agent", "players", "games", "shared", "fair", *(f"seat {s}" for s in range(most))]
    cells = []
    for row in rows:
        seats = [interval(seat, "share") for seat in row["of_seats"]]
        line = [row["setting"], row["agent"], f"{row['seats']}", f"{row['games']:,}", percent(row["draw"])]
        line += [percent(row["fair"]), *seats, *[""] * (most - len(seats))]
        cells.append([*line, "–" if row["unfair_p"] is None else f"{row['unfair_p']:.3f}"])
    return [*headings, "p"], cells


def fairness_sentence(rows: Sequence[Row]) -> str:
    """How many of the tests of equal seats find a difference, and how many would by chance."""
    tested = [row["unfair_p"] for row in rows if row["unfair_p"] is not None]
    found = sum(p < 1 - CONFIDENCE for p in tested)
    return (
        f"{found} of {len(tested)} tests of equal seats have p below {1 - CONFIDENCE:.2f}; "
        f"of equal seats {(1 - CONFIDENCE) * len(tested):.1f} would be expected to."
    )


def starting_table(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Headings and cells of what those who start with each board of a set have of the victories."""
    sets = [row for row in rows if row["of_boards"]]
    names = list(dict.fromkeys(board["board"] for row in sets for board in row["of_boards"]))
    cells = []
    for row in sets:
        shares = {board["board"]: interval(board, "share") for board in row["of_boards"]}
        line = [row["setting"], row["agent"], f"{row['seats']}", percent(row["fair"])]
        cells.append([*line, *(shares.get(name, "") for name in names)])
    return ["boards", "agent", "players", "fair", *names], cells


def limit_table(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Headings and cells of games at the turn limit.

    *Trapped* is a Scrapbook that busts by itself (R18): at the end of any game, and at the end of one at the limit.
    """
    headings = ["setting", "agent", "opponent", "games", "trapped", "turn limit", "of these trapped", "longest"]
    cells = [
        [row["setting"], row["agent"], row["opponent"]]
        + [f"{row[name]:,}" for name in ("games", "ever_trapped", "turn_limit", "trapped", "longest")]
        for row in rows
    ]
    return headings, cells


def card_table(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Headings and cells of cards in Journeys, the most frequent first."""
    headings = ["card", "ability", "in winning Journeys [95 %]", "in losing ones"]
    ordered = sorted(rows, key=lambda row: -row["win"])
    return headings, [[row["card"], row["abilities"], interval(row, "win"), percent(row["lost"])] for row in ordered]
