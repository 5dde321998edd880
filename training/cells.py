"""A cell of a comparison: an agent against an opponent in one setting, on given deals; and the row that reports it.

Where no agent is random, deals on which all games ended alike count once (`match.different_deals`): all numbers of a
row are those of the deals that are left. If these are all that there are (`match.is_complete`), its intervals are
points.
"""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from time import perf_counter
from typing import Any

import numpy as np

from agents.base import Agent, make_agent
from training.command import progress_bar
from training.games import Entry
from training.match import BATCH, bytes_of_game, different_deals, is_complete, play_games, unfinished
from training.statistics import (
    Interval,
    bounded_mean,
    exact,
    mean_interval,
    paired_difference,
    paired_shares,
    share_interval,
)
from valley_core.game import Game
from valley_core.options import fits_memory

SEED_BYTES = 8
"""Of the seed of a deal."""


@dataclass(frozen=True)
class Plan:
    """What is to be played in a cell.

    Attributes:
        entry: Of the game.
        game: With the options of the setting.
        setting: Its name.
        agent: Name of the agent that is measured.
        opponent: Name of the agent in all other seats; None where the game plays them itself. With an
            opponent each deal is played once with the agent in each seat.
    """

    entry: Entry
    game: Game
    setting: str
    agent: str
    opponent: str | None

    @property
    def seats(self) -> Sequence[int]:
        """The seats that the agent takes, one after another, on the same deals."""
        return (0,) if self.opponent is None else range(self.game.seats)

    def agents_for(self, seat: int) -> list[Agent | None]:
        """The agents of all seats, with the measured one at `seat`."""
        other = None if self.opponent is None else make_agent(self.opponent)
        agents: list[Agent | None] = [other] * self.game.seats
        agents[seat] = make_agent(self.agent)
        return agents


@dataclass(frozen=True)
class Cell:
    """A played plan.

    Attributes:
        plan: What was played.
        played: For each seat of the agent, the results of `play_games`.
        seconds: Time of play.
        kept: Indices of the deals that count.
        complete: Whether these are all deals that there are.
    """

    plan: Plan
    played: Sequence[np.ndarray]
    seconds: float
    kept: np.ndarray
    complete: bool

    @property
    def tables(self) -> list[np.ndarray]:
        """The results of the deals that count, for each seat of the agent."""
        return [table[self.kept] for table in self.played]

    @property
    def games(self) -> int:
        """How many games count."""
        return len(self.kept) * len(self.played)

    @property
    def games_played(self) -> int:
        """How many games were played."""
        return sum(len(table) for table in self.played)

    def on(self, kept: np.ndarray, complete: bool) -> "Cell":
        """The same with other deals that count."""
        return replace(self, kept=kept, complete=complete)

    def results(self) -> np.ndarray:
        """1, 0 or -1 for the agent, int8 of shape (seats, deals)."""
        return np.stack([table["result"][:, seat] for seat, table in zip(self.plan.seats, self.tables, strict=True)])

    def unfinished(self) -> np.ndarray:
        """Whether a game ended without a result (`match.unfinished`), bool of shape (seats, deals)."""
        return np.stack([unfinished(table) for table in self.tables])

    def has(self, column: str) -> bool:
        """Whether the game reports this column."""
        return column in (self.played[0].dtype.names or ())

    def own(self, column: str) -> np.ndarray:
        """A column of the agent's seat, of shape (seats, deals, …)."""
        return np.stack([table[column][:, seat] for seat, table in zip(self.plan.seats, self.tables, strict=True)])

    def others(self, column: str) -> np.ndarray:
        """The mean of a column over the other seats, of shape (seats, deals, …)."""
        pairs = zip(self.plan.seats, self.tables, strict=True)
        return np.stack([np.delete(table[column], seat, axis=1).mean(1) for seat, table in pairs])

    def all(self, column: str) -> np.ndarray:
        """A column that has one number a game, of shape (seats, deals)."""
        return np.stack([table[column] for table in self.tables])


def check_memory(option: str, count: int, games: Sequence[Game]) -> None:
    """Refuse more deals than the memory holds results of, before anything is made.

    Args:
        option: That names the number of deals, as in ``--games``.
        count: Of the deals.
        games: One entry for each game in which a deal is played.

    Raises:
        OptionError: Says how many fit.
    """
    sizes = {id(game): bytes_of_game(game) for game in games}
    fits_memory(option, count, SEED_BYTES + sum(sizes[id(game)] for game in games))


def games_of(plans: Iterable[Plan]) -> list[Game]:
    """The game of each plan, once for each seat of its agent."""
    return [plan.game for plan in plans for _ in plan.seats]


def play(plan: Plan, seeds: np.ndarray, batch: int = BATCH, progress: Callable[[int], None] | None = None) -> Cell:
    """Play a plan on these deals."""
    start = perf_counter()
    tables = [play_games(plan.game, plan.agents_for(seat), seeds, batch, progress) for seat in plan.seats]
    kept = different_deals(tables, plan.agents_for(0))
    return Cell(plan, tables, perf_counter() - start, kept, is_complete(plan.game, plan.agents_for(0), kept))


def pooled(cells: Sequence[Cell]) -> Cell:
    """The games of several decks or boards as one cell, whose plan is that of the first; they have other deals each."""
    if len(cells) == 1:
        return cells[0]
    tables = [np.concatenate(of_seat) for of_seat in zip(*(cell.played for cell in cells), strict=True)]
    starts = np.cumsum([0, *(len(cell.played[0]) for cell in cells)])
    kept = np.concatenate([start + cell.kept for start, cell in zip(starts, cells, strict=False)])
    return Cell(cells[0].plan, tables, sum(cell.seconds for cell in cells), kept, complete=False)


def play_all(
    plans: Sequence[Plan],
    seeds: np.ndarray,
    batch: int = BATCH,
    quiet: bool = True,
    counts: Sequence[int] | None = None,
) -> list[Cell]:
    """Play all plans on these deals, or each on so many of the first of them, with a progress bar unless `quiet`."""
    counts = counts or [len(seeds)] * len(plans)
    total = sum(len(plan.seats) * count for plan, count in zip(plans, counts, strict=True))
    with progress_bar(total, quiet) as work:
        return [
            play(plan, seeds[:count], batch, work(f"{plan.setting}, {plan.agent}"))
            for plan, count in zip(plans, counts, strict=True)
        ]


def warm_up(plans: Iterable[Plan], seeds: np.ndarray) -> float:
    """Play two games of each plan, so that kernels are compiled before the clock runs; how many seconds it took."""
    start = perf_counter()
    for plan in plans:
        play_games(plan.game, plan.agents_for(plan.seats[0]), seeds[:2])
    return perf_counter() - start


def row_of(cell: Cell) -> dict[str, Any]:
    """The row of a cell, in plain numbers.

    All but ``deals`` is of the deals that count, ``different_deals``; ``complete`` says that these are all there are.
    ``win_low``, ``win_high`` are as of `statistics.share_interval`; those of score and margin are Student's over deals.
    ``turn_limit`` is the share of games that ended at the turn limit, ``unfinished`` of those that had no winner then,
    which count as neither won, drawn nor lost.
    """
    plan, results, unfinished, complete = cell.plan, cell.results(), cell.unfinished(), cell.complete
    win = share_interval(results > 0, complete)
    row: dict[str, Any] = {
        "game": plan.entry.name,
        "agent": plan.agent,
        "opponent": plan.opponent or plan.entry.solo_opponent,
        "setting": plan.setting,
        "games": cell.games,
        "deals": len(cell.played[0]),
        "different_deals": len(cell.kept),
        "complete": complete,
        "seats": plan.game.seats,
        "draw": float(((results == 0) & ~unfinished).mean()),
        "loss": float((results < 0).mean()),
        **win.columns("win"),
    }
    if cell.has("scores"):
        score = mean_interval(cell.own("scores").mean(0), complete=complete)
        margin = mean_interval((cell.own("scores") - cell.others("scores")).mean(0), complete=complete)
        row |= score.columns("score") | margin.columns("margin")
    for column, name in plan.entry.columns_of_seats.items():
        row[name] = float(cell.own(column).mean())
        row[f"opponent_{name}"] = float(cell.others(column).mean())
    row["decisions"] = float(cell.own("decisions").mean())
    if cell.has("turns"):
        row["turns"] = float(cell.all("turns").mean())
    row["turn_limit"], row["unfinished"] = float(cell.all("turn_limit").mean()), float(unfinished.mean())
    row["illegal"] = int(sum(table["illegal"].sum() for table in cell.played))
    row |= _shares_of_endings(cell) | _points_by_kind(cell)
    row["win_by_seat"] = [float((of_seat > 0).mean()) for of_seat in results]
    row["games_per_s"] = cell.games_played / cell.seconds
    return row


def _shares_of_endings(cell: Cell) -> dict[str, Any]:
    """By which rule games were decided (``endings``), and those the agent won (``won_by``): shares of all games."""
    if not cell.has("ending"):
        return {}
    names, endings, won = cell.plan.entry.columns.ENDINGS, cell.all("ending"), cell.results() > 0
    seen = [code for code in range(len(names)) if (endings == code).any()]
    return {
        "endings": {names[code]: float((endings == code).mean()) for code in seen},
        "won_by": {names[code]: float(((endings == code) & won).mean()) for code in seen},
    }


def _points_by_kind(cell: Cell) -> dict[str, Any]:
    """``points`` and ``opponent_points``: mean points of each kind."""
    if not cell.has("by_kind"):
        return {}
    kinds = cell.plan.entry.columns.KINDS
    own, others = cell.own("by_kind").mean((0, 1)), cell.others("by_kind").mean((0, 1))
    return {
        "points": dict(zip(kinds, own.tolist(), strict=True)),
        "opponent_points": dict(zip(kinds, others.tolist(), strict=True)),
    }


def paired(first: Cell, second: Cell) -> tuple[Cell, Cell]:
    """Two cells on the deals that both have played, with those that count for the pair: a game of either is another."""
    count = min(len(first.played[0]), len(second.played[0]))
    first, second = (replace(cell, played=[table[:count] for table in cell.played]) for cell in (first, second))
    if not np.array_equal(first.played[0]["seed"], second.played[0]["seed"]):
        raise ValueError("cells are compared on the same deals")
    agents = [*first.plan.agents_for(0), *second.plan.agents_for(0)]
    kept = different_deals([*first.played, *second.played], agents)
    complete = is_complete(first.plan.game, agents, kept)
    return first.on(kept, complete), second.on(kept, complete)


def win_difference(first: Cell, second: Cell) -> Interval:
    """How much oftener `first` wins than `second` on the same deals; over several seats the deal is the unit."""
    first, second = paired(first, second)
    one, two = first.results() > 0, second.results() > 0
    if first.complete:
        return exact(one.mean(0) - two.mean(0))
    if len(one) == 1 and len(two) == 1:
        return paired_shares(one[0], two[0])
    return bounded_mean(one.mean(0) - two.mean(0), -1.0)


def margin_difference(first: Cell, second: Cell) -> Interval:
    """How much larger the margin of the score is, own less the others' mean, on the same deals."""
    first, second = paired(first, second)
    one = first.own("scores") - first.others("scores")
    two = second.own("scores") - second.others("scores")
    return paired_difference(one.mean(0), two.mean(0), complete=first.complete)


def compared(cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """The rows of cells that were played on the same deals, each with its differences to the agents before it.

    ``differences`` lists the paired differences to each earlier agent of the same setting and opponent.
    """
    rows = [row_of(cell) | {"differences": []} for cell in cells]
    for (_, first), (j, second) in combinations(enumerate(cells), 2):
        one, two = first.plan, second.plan
        if (one.setting, one.opponent, one.game.seats) == (two.setting, two.opponent, two.game.seats):
            rows[j]["differences"].append({"to": one.agent} | _differences(second, first))
    return rows


def effects(cells: Sequence[Cell], baseline: str = "none") -> list[dict[str, Any]]:
    """The rows of cells, each with ``effect``: paired differences to the agent's own cell in the setting `baseline`.

    In the baseline itself ``effect`` is None.
    """
    bases = {cell.plan.agent: cell for cell in cells if cell.plan.setting == baseline}
    rows = compared(cells)
    for row, cell in zip(rows, cells, strict=True):
        base = bases[cell.plan.agent]
        row["effect"] = None if cell is base else {"to": baseline} | _differences(cell, base)
    return rows


def _differences(first: Cell, second: Cell) -> dict[str, Any]:
    """Paired differences of wins and, if the game has scores, of margins, in plain numbers with their intervals."""
    found = {"win": win_difference(first, second)}
    if first.has("scores"):
        found["margin"] = margin_difference(first, second)
    row: dict[str, Any] = {"deals": found["win"].size}
    for name, interval in found.items():
        row |= interval.columns(name) | {f"{name}_interval": interval.kind}
    return row


def interval_of(row: Mapping[str, Any], name: str = "win") -> Interval:
    """The interval of a difference in a row, as a statement."""
    return Interval(row[name], row[f"{name}_low"], row[f"{name}_high"], row[f"{name}_interval"], row["deals"])


def fault(rows: Sequence[Mapping[str, Any]]) -> int:
    """The exit code of a run: 1, with a line on stderr, if an agent chose an illegal action; else 0."""
    faulty = [row for row in rows if row["illegal"]]
    for row in faulty:
        where = f"{row['agent']} against {row['opponent']}, {row['setting']}"
        print(f"error: {row['illegal']} illegal actions ({where}); these results count for nothing", file=sys.stderr)
    return 1 if faulty else 0
