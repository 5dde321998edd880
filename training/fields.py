"""A field: agents in all seats of a game, on the same deals with the seats rotated; and the rows that report it.

Where no agent is random, deals on which all games ended alike count once (`match.different_deals`): all numbers of a
row are those of the deals or games that are left, and the row says how many these are.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from agents.base import Agent, make_agent
from training.games import Entry
from training.match import BATCH, NO_SEAT, different_deals, play_games
from training.statistics import Interval, bounded_mean, mean_interval, paired_difference, wilson
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
        seconds: Time of play.
    """

    field: Field
    tables: Sequence[np.ndarray]
    kept: np.ndarray
    seconds: float

    def column(self, name: str) -> np.ndarray:
        """A column of the deals that count, of shape (lineups, deals, …)."""
        return np.stack([table[name][self.kept] for table in self.tables])

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
    return Played(field, tables, different_deals(tables, players.values()), perf_counter() - start)


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

    ``win``: one of them won alone, with Wilson's interval over games. ``share``: what one of them has of the victories,
    where a shared victory is divided among its winners; ``fair`` is what it would have if all were equal. Intervals of
    ``share`` (`statistics.bounded_mean`) and ``score`` (Student's) are over deals. ``points`` are the score by kind.
    """
    field, winners, results = played.field, played.column("winner"), played.column("result")
    won = np.take_along_axis(chairs, np.maximum(winners, 0), 1) & (winners != NO_SEAT)
    shared = (winners == NO_SEAT) & ((results == 0) & chairs[:, None]).any(2)
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
        "games": won.size,
    }
    row |= wilson(int(won.sum()), won.size).columns("win")
    row |= {"draw": float(shared.mean()), "loss": float(1 - won.mean() - shared.mean())}
    row |= bounded_mean(_shares(played, chairs)).columns("share") | {"fair": 1 / field.game.seats}
    row |= mean_interval(_in_chairs(played, "scores", chairs).mean(0)).columns("score")
    points = _in_chairs(played, "by_kind", chairs).mean((0, 1))
    row["points"] = dict(zip(field.entry.columns.KINDS, points.tolist(), strict=True))
    row["decisions"] = float(_in_chairs(played, "decisions", chairs).mean())
    row["turns"] = float(played.column("turns").mean())
    row["truncated"] = float(played.column("truncated").mean())
    row["illegal"] = int(np.sum(own_illegal))
    row["games_per_s"] = len(played.tables) * len(played.tables[0]) / played.seconds
    return row


def _shares(played: Played, chairs: np.ndarray) -> np.ndarray:
    """What one of these chairs has of the victories, in the mean over the games of each deal, of shape (deals,)."""
    parts = parts_of_victory(played.column("result"))
    return (parts * chairs[:, None]).sum(2).mean(0) / chairs[0].sum()


def parts_of_victory(results: np.ndarray) -> np.ndarray:
    """What each seat has of the victory in each game, of shape (…, seats): shared equally among the winners.

    In a truncated game, in which nobody wins or loses, all have the same.
    """
    leads = results >= 0
    return leads / leads.sum(-1, keepdims=True)


def _in_chairs(played: Played, name: str, chairs: np.ndarray) -> np.ndarray:
    """The mean of a column over these chairs, of shape (lineups, deals, …)."""
    pairs = zip(played.column(name), chairs, strict=True)
    return np.stack([values[:, own].mean(1) for values, own in pairs])


def _difference(played: Played, agent: str, other: str) -> dict[str, Any]:
    """Paired differences of one seat's share of the victories (``win``) and of its score (``margin``), over deals."""
    first, second = played.chairs(agent), played.chairs(other)
    scores = [_in_chairs(played, "scores", chairs).mean(0) for chairs in (first, second)]
    found: dict[str, Interval] = {
        "win": bounded_mean(_shares(played, first) - _shares(played, second), -1.0),
        "margin": paired_difference(*scores),
    }
    row: dict[str, Any] = {"to": other, "deals": len(played.kept)}
    for name, interval in found.items():
        row |= interval.columns(name) | {f"{name}_interval": interval.kind}
    return row
