"""Who meets whom in which seat: the balanced lineups of a tournament, and what came of their games.

**Lineups.** A lineup names an agent for each seat, each agent as often as any other, give or take one: with as many
agents as seats or more, every choice of different agents; with fewer, every way to hand out the seats that are left
after each agent has the same number. The set of all lineups does not change when agents are exchanged, so every pair
meets equally often.

**Seats.** A deal is played by each lineup in every rotation round the table, so that on each deal every agent of the
lineup sits equally often in every seat. The order round the table, in which boards are handed on, is drawn from the
seed of the deal among all orders of the lineup: deals are alike in distribution, and each neighbour is as likely as any
other. A rotation that brings back the same seating is played once.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations, permutations
from typing import NamedTuple

import numpy as np

from agents.base import Agent
from training.games import deals_of
from training.match import play_games, unfinished
from valley_core.game import Game

Seating = tuple[int, ...]
"""The number of the agent in each seat."""

NOWHERE = "-"
"""In place of the place of a seat, in a game without a result."""


def lineups(agents: int, seats: int) -> list[Seating]:
    """All lineups of this many agents, each in ascending order."""
    each, left = divmod(seats, agents)
    return [tuple(sorted([*range(agents)] * each + [*more])) for more in combinations(range(agents), left)]


def tables(lineup: Seating) -> list[list[Seating]]:
    """The orders of a lineup round the table, each as the list of its different rotations."""
    found: dict[Seating, list[Seating]] = {}
    for seating in sorted(set(permutations(lineup))):
        rotations = sorted({seating[k:] + seating[:k] for k in range(len(seating))})
        found[rotations[0]] = rotations
    return list(found.values())


@dataclass(frozen=True)
class Schedule:
    """The games of a tournament, in blocks: one lineup on the deals of one round, in all seats.

    Attributes:
        agents: How many.
        seats: Of the game.
        seeds: Of the deals, uint64.
        round: Deals of a round; the last may be shorter.
    """

    agents: int
    seats: int
    seeds: np.ndarray
    round: int

    @property
    def rounds(self) -> list[slice]:
        """The deals of each round."""
        return [slice(first, first + self.round) for first in range(0, len(self.seeds), self.round)]

    @property
    def lineups(self) -> list[Seating]:
        """All lineups."""
        return lineups(self.agents, self.seats)

    def seatings(self, lineup: Seating) -> list[list[Seating]]:
        """For each deal, the seatings in which the lineup plays it."""
        orders = tables(lineup)
        return [orders[seed] for seed in (self.seeds % np.uint64(len(orders))).tolist()]

    @property
    def games(self) -> int:
        """How many games there are in all."""
        return sum(len(seatings) for lineup in self.lineups for seatings in self.seatings(lineup))


@dataclass(frozen=True)
class Block:
    """The results of one lineup on the deals of a round.

    Attributes:
        places: For each deal the places of all seats, seating by seating, a digit each; 0 is the first place. `NOWHERE`
            in games without a result.
        limits: For each deal ``1`` for each seating whose game ended at the turn limit, else ``0``.
        ends: For each deal a name, equal where all its games were the same in seats and ended alike.
        illegal: Illegal actions of each agent of the tournament.
    """

    places: list[str]
    limits: list[str]
    ends: list[str]
    illegal: list[int]


def places_of(table: np.ndarray) -> np.ndarray:
    """Places of the seats in games of `play_games`: how many seats are ahead of each, int64 of shape (games, seats).

    Who has won is ahead of who has not; losers go by their scores. Seats that share the victory, or have lost with one
    score, share a place. In games without a result (`match.unfinished`) places mean nothing.
    """
    result = table["result"].astype(np.int64)
    scores = table["scores"] if "scores" in (table.dtype.names or ()) else np.zeros_like(result)
    worth = np.where(result < 0, scores, 0)  # the winner may have no more points than others: a tie-break decides
    ahead = (result[:, :, None] > result[:, None]) | (
        (result[:, :, None] == result[:, None]) & (worth[:, :, None] > worth[:, None])
    )
    return ahead.sum(1)


def play_block(
    game: Game,
    agents: Sequence[Agent],
    lineup: Seating,
    seatings: Sequence[list[Seating]],
    seeds: np.ndarray,
    batch: int,
) -> Block:
    """Play a lineup on these deals, each in its seatings."""
    places, limits, ends = ([""] * len(seeds) for _ in range(3))
    illegal = [0] * len(agents)
    for order in tables(lineup):
        deals = [deal for deal, chosen in enumerate(seatings) if chosen == order]
        for seating in order if deals else ():
            table = play_games(game, [agents[agent] for agent in seating], seeds[deals], batch)
            without, rows = unfinished(table).tolist(), places_of(table).tolist()
            for k, deal in enumerate(deals):
                places[deal] += NOWHERE * game.seats if without[k] else "".join(map(str, rows[k]))
                limits[deal] += str(int(table["turn_limit"][k]))
                ends[deal] += f"{seating}{table['end'][k]}"
            for agent, count in zip(seating, table["illegal"].sum(0).tolist(), strict=True):
                illegal[agent] += count
    return Block(places, limits, [blake2b(end.encode(), digest_size=8).hexdigest() for end in ends], illegal)


class Finished(NamedTuple):
    """A finished game.

    Attributes:
        deal: Its deal.
        seating: Who sat in each seat.
        places: The place of each seat; empty if it has no result.
        turn_limit: Whether it ended at the turn limit.
    """

    deal: int
    seating: Seating
    places: tuple[int, ...]
    turn_limit: bool = False


def finished(seatings: Sequence[list[Seating]], block: Block) -> Iterator[Finished]:
    """The games of a block, deal by deal; deals are counted from the first of the round."""
    for deal, (chosen, digits, limits) in enumerate(zip(seatings, block.places, block.limits, strict=True)):
        for k, seating in enumerate(chosen):
            own = digits[k * len(seating) : (k + 1) * len(seating)]
            places = () if NOWHERE in own else tuple(map(int, own))
            yield Finished(deal, seating, places, limits[k] == "1")


class NewDeals:
    """Which deals of a lineup count (`match.different_deals`), round by round.

    Args:
        game: That is played.
        agents: All agents of the tournament.
        lineup: The lineup.
    """

    def __init__(self, game: Game, agents: Sequence[Agent], lineup: Seating) -> None:
        self._fixed = all(agents[agent].deterministic for agent in lineup)
        self._seen: set[str] = set()
        deals = deals_of(game)
        self._all = None if deals is None or not self._fixed else deals * len(tables(lineup))

    @property
    def complete(self) -> bool:
        """Whether all games that there are have been played."""
        return len(self._seen) == self._all

    def counting(self, block: Block) -> np.ndarray:
        """Which deals of its next block count, bool of shape (deals,)."""
        if not self._fixed:
            return np.ones(len(block.ends), bool)
        new = np.zeros(len(block.ends), bool)
        for deal, end in enumerate(block.ends):
            new[deal] = end not in self._seen
            self._seen.add(end)
        return new


@dataclass(frozen=True)
class Tally:
    """What agents have done, deal by deal. Agents are compared seat by seat with the *other* agents at their table.

    Games without a result are no comparisons.

    Attributes:
        ahead: How often agent i came in ahead of agent j, int64 of shape (deals, agents, agents).
        drawn: How often they shared a place; the same shape.
        games: Games that each agent sat in, int64 of shape (agents,).
        limited: How many of them ended at the turn limit.
        seats: Seats that it took in games with a result.
        wins: Seats that came first alone.
    """

    ahead: np.ndarray
    drawn: np.ndarray
    games: np.ndarray
    limited: np.ndarray
    seats: np.ndarray
    wins: np.ndarray

    @property
    def points(self) -> np.ndarray:
        """What each agent has of its comparisons on a deal, a draw being half: float64 of shape (deals, agents)."""
        points: np.ndarray = self.ahead.sum(2) + self.drawn.sum(2) / 2
        return points

    @property
    def compared(self) -> np.ndarray:
        """How many comparisons each agent has on a deal, int64 of shape (deals, agents)."""
        compared: np.ndarray = (self.ahead + self.ahead.swapaxes(1, 2) + self.drawn).sum(2)
        return compared

    @property
    def scores(self) -> np.ndarray:
        """Each agent's share of its comparisons on a deal, float64 of shape (deals, agents); 1/2 where it has none."""
        compared = self.compared
        return np.where(compared > 0, self.points / np.maximum(compared, 1), 0.5)

    @property
    def score(self) -> np.ndarray:
        """Each agent's share of all its comparisons, float64 of shape (agents,); NaN without one."""
        with np.errstate(invalid="ignore"):
            score: np.ndarray = self.points.sum(0) / self.compared.sum(0)
        return score


def tally(games: Iterable[Finished], deals: int, agents: int) -> Tally:
    """Count finished games."""
    ahead, drawn = np.zeros((2, deals, agents, agents), np.int64)
    played, limited, seats, wins = np.zeros((4, agents), np.int64)
    for deal, seating, places, turn_limit in games:
        played[list(set(seating))] += 1
        limited[list(set(seating))] += turn_limit
        for agent, place in zip(seating, places, strict=bool(places)):
            seats[agent] += 1
            wins[agent] += place == 0 and places.count(0) == 1
            for other, behind in zip(seating, places, strict=True):
                if other != agent:
                    ahead[deal, agent, other] += place < behind
                    drawn[deal, agent, other] += place == behind
    return Tally(ahead, drawn, played, limited, seats, wins)


def joined(parts: Sequence[Tally]) -> Tally:
    """The tally of several rounds."""
    sums = (np.sum([getattr(part, name) for part in parts], 0) for name in ("games", "limited", "seats", "wins"))
    return Tally(*(np.concatenate([getattr(part, name) for part in parts]) for name in ("ahead", "drawn")), *sums)
