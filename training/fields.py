"""A field: agents in all seats of a game, on the same deals with the seats rotated; and the rows that report it.

Where no agent is random, deals on which all games ended alike count once (`match.different_deals`): all numbers of a
row are those of the deals or games that are left, and the row says how many these are. If they are all that there are,
intervals are points.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from agents.base import Agent, make_agent
from training.games import Entry
from training.match import BATCH, NO_SEAT, different_deals, is_complete, play_games, unfinished
from training.statistics import Interval, bounded_mean, exact, mean_interval, paired_difference, share_interval
from valley_core.game import Game

ALL = "all"
"""Stands for the agents in the row of a seat."""


@dataclass(frozen=True)
class Field:
    """Who plays.

    Attributes:
        entry: Of the game.
        game: With the options of the setting.
        setting: Its name.
        agents: Names, seat by seat in the first game of a deal.
    """

    entry: Entry
    game: Game
    setting: str
    agents: tuple[str, ...]

    @property
    def lineups(self) -> list[tuple[str, ...]]:
        """The agents seat by seat in each game of a deal: rotated, as often as that makes a difference."""
        turns = range(len(self.agents))
        return list(dict.fromkeys(self.agents[-turn:] + self.agents[:-turn] for turn in turns))


@dataclass(frozen=True)
class Played:
    """A field that has played.

    Attributes:
        field: Who played.
        tables: For each lineup the results of `play_games`.
        kept: Indices of the deals that count.
        complete: Whether these are all deals that there are.
        seconds: Time of play.
    """

    field: Field
    tables: Sequence[np.ndarray]
    kept: np.ndarray
    complete: bool
    seconds: float

    def column(self, name: str) -> np.ndarray:
        """A column of the deals that count, of shape (lineups, deals, …)."""
        return np.stack([table[name][self.kept] for table in self.tables])

    def unfinished(self) -> np.ndarray:
        """Whether a game ended without a result (`match.unfinished`), bool of shape (lineups, deals)."""
        return np.stack([unfinished(table[self.kept]) for table in self.tables])

    def chairs(self, agent: str) -> np.ndarray:
        """Where an agent sits, bool of shape (lineups, seats)."""
        return np.array([[name == agent for name in lineup] for lineup in self.field.lineups])

    def chairs_at(self, seat: int) -> np.ndarray:
        """A seat, whoever sits there, bool of shape (lineups, seats)."""
        return np.tile(np.arange(self.field.game.seats) == seat, (len(self.tables), 1))


def play_field(
    field: Field,
    seeds: np.ndarray,
    batch: int = BATCH,
    progress: Callable[[int], None] | None = None,
    make: Callable[[str], Agent] = make_agent,
) -> Played:
    """Play a field on these deals; `make` makes the agent of a name."""
    start = perf_counter()
    players = {name: make(name) for name in dict.fromkeys(field.agents)}
    tables = [
        play_games(field.game, [players[name] for name in lineup], seeds, batch, progress) for lineup in field.lineups
    ]
    kept = different_deals(tables, players.values())
    return Played(field, tables, kept, is_complete(field.game, players.values(), kept), perf_counter() - start)


def warm_up(fields: Sequence[Field], seeds: np.ndarray) -> float:
    """Play two deals of each field, so that kernels are compiled before the clock runs; how many seconds it took."""
    start = perf_counter()
    for field in fields:
        play_field(field, seeds[:2])
    return perf_counter() - start


def rows_of(played: Played) -> list[dict[str, Any]]:
    """A row for each agent of the field (`agent_row`), then one for each seat (`seat_row`)."""
    agents = list(dict.fromkeys(played.field.agents))
    rows = [
        agent_row(played, agent) | {"differences": [_difference(played, agent, other) for other in agents[:i]]}
        for i, agent in enumerate(agents)
    ]
    return rows + [seat_row(played, seat) for seat in range(played.field.game.seats)]


def agent_row(played: Played, agent: str) -> dict[str, Any]:
    """What an agent achieves in all its seats (`_row`); ``win_by_seat``: how often it won alone in each seat."""
    others = dict.fromkeys(name for name in played.field.agents if name != agent)
    chairs, winners = played.chairs(agent), played.column("winner")
    by_seat = [float((winners[chairs[:, seat]] == seat).mean()) for seat in range(played.field.game.seats)]
    return _row(played, chairs, agent, ", ".join(others) or agent) | {"seat": None, "win_by_seat": by_seat}


def seat_row(played: Played, seat: int) -> dict[str, Any]:
    """What a seat is worth (`_row`): all agents of the field have taken it in turn, on the same deals."""
    return _row(played, played.chairs_at(seat), ALL, ALL) | {"seat": seat}


def _row(played: Played, chairs: np.ndarray, agent: str, opponent: str) -> dict[str, Any]:
    """What these chairs achieve, in plain numbers.

    ``win``: one of them won alone (`statistics.share_interval`). ``share``: what one of them has of the victories,
    where a shared victory is divided among its winners; ``fair`` is what it would have if all were equal. Intervals of
    ``share`` (`statistics.bounded_mean`) and ``score`` (Student's) are over deals. ``points`` are the score by kind.
    ``turn_limit`` and ``unfinished`` are as in `cells.row_of`; games without a result have no share.
    """
    field, winners, results = played.field, played.column("winner"), played.column("result")
    won = np.take_along_axis(chairs, np.maximum(winners, 0), 1) & (winners != NO_SEAT)
    without = played.unfinished()
    shared = (winners == NO_SEAT) & ((results == 0) & chairs[:, None]).any(2) & ~without
    own_illegal = [(table["illegal"] * own).sum() for table, own in zip(played.tables, chairs, strict=True)]
    row: dict[str, Any] = {
        "game": field.entry.name,
        "agent": agent,
        "opponent": opponent,
        "setting": field.setting,
        "field": list(field.agents),
        "seats": field.game.seats,
        "deals": len(played.tables[0]),
        "different_deals": len(played.kept),
        "complete": played.complete,
        "games": won.size,
    }
    row |= share_interval(won, played.complete).columns("win")
    row |= {"draw": float(shared.mean()), "loss": float(1 - won.mean() - shared.mean() - without.mean())}
    row |= share_of(_shares(played, chairs), played.complete).columns("share") | {"fair": 1 / field.game.seats}
    scores = _in_chairs(played, "scores", chairs).mean(0)
    row |= mean_interval(scores, complete=played.complete).columns("score")
    points = _in_chairs(played, "by_kind", chairs).mean((0, 1))
    row["points"] = dict(zip(field.entry.columns.KINDS, points.tolist(), strict=True))
    row["decisions"] = float(_in_chairs(played, "decisions", chairs).mean())
    row["turns"] = float(played.column("turns").mean())
    row["turn_limit"], row["unfinished"] = float(played.column("turn_limit").mean()), float(without.mean())
    row["illegal"] = int(np.sum(own_illegal))
    row["games_per_s"] = len(played.tables) * len(played.tables[0]) / played.seconds
    return row


def _shares(played: Played, chairs: np.ndarray) -> np.ndarray:
    """What one of these chairs has of the victories, in the mean over the games of each deal that had a result.

    Returns:
        float64 of shape (deals with such a game,).
    """
    parts = parts_of_victory(played.column("result"))
    own = (parts * chairs[:, None]).sum(2) / chairs[0].sum()
    decided = ~played.unfinished()
    games = decided.sum(0)
    return (own * decided).sum(0)[games > 0] / games[games > 0]


def share_of(values: np.ndarray, complete: bool) -> Interval:
    """The mean of shares of victories, one a deal, with its interval; a point if these are all that there are."""
    return exact(values) if complete and len(values) else bounded_mean(values)


def parts_of_victory(results: np.ndarray) -> np.ndarray:
    """What each seat has of the victory in each game with a result, of shape (…, seats): winners have equal parts."""
    leads = results >= 0
    return leads / leads.sum(-1, keepdims=True)


def _in_chairs(played: Played, name: str, chairs: np.ndarray) -> np.ndarray:
    """The mean of a column over these chairs, of shape (lineups, deals, …)."""
    pairs = zip(played.column(name), chairs, strict=True)
    return np.stack([values[:, own].mean(1) for values, own in pairs])


def _difference(played: Played, agent: str, other: str) -> dict[str, Any]:
    """Paired differences of one seat's share of the victories (``win``) and of its score (``margin``), over deals."""
    first, second = played.chairs(agent), played.chairs(other)
    one, two = (_in_chairs(played, "scores", chairs).mean(0) for chairs in (first, second))
    shares = _shares(played, first) - _shares(played, second)
    found: dict[str, Interval] = {
        "win": exact(shares) if played.complete and len(shares) else bounded_mean(shares, -1.0),
        "margin": paired_difference(one, two, complete=played.complete),
    }
    row: dict[str, Any] = {"to": other, "deals": len(played.kept)}
    for name, interval in found.items():
        row |= interval.columns(name) | {f"{name}_interval": interval.kind}
    return row
