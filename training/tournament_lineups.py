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
from itertools import combinations, permutations

import numpy as np

from agents.base import Agent
from training.match import play_games
from valley_core.game import Game

Seating = tuple[int, ...]
"""The number of the agent in each seat."""


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
        places: For each deal the places of all seats, seating by seating, a digit each; 0 is the first place.
        illegal: Illegal actions of each agent of the tournament.
        truncated: Games that were cut off.
    """

    places: list[str]
    illegal: list[int]
    truncated: int


def places_of(table: np.ndarray) -> np.ndarray:
    """Places of the seats in games of `play_games`: how many seats are ahead of each, int64 of shape (games, seats).

    Who has won is ahead of who has not; losers go by their scores. Seats that share the victory, have lost with one
    score or were cut off share a place.
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
    places = [""] * len(seeds)
    illegal = [0] * len(agents)
    truncated = 0
    for order in tables(lineup):
        deals = [deal for deal, chosen in enumerate(seatings) if chosen == order]
        for seating in order if deals else ():
            table = play_games(game, [agents[agent] for agent in seating], seeds[deals], batch)
            for deal, row in zip(deals, places_of(table).tolist(), strict=True):
                places[deal] += "".join(map(str, row))
            for agent, count in zip(seating, table["illegal"].sum(0).tolist(), strict=True):
                illegal[agent] += count
            truncated += int(table["truncated"].sum())
    return Block(places, illegal, truncated)


Finished = tuple[int, Seating, tuple[int, ...]]
"""A finished game: its deal, who sat in each seat, and the place of each seat."""


def finished(seatings: Sequence[list[Seating]], block: Block) -> Iterator[Finished]:
    """The games of a block, deal by deal; deals are counted from the first of the round."""
    for deal, (chosen, digits) in enumerate(zip(seatings, block.places, strict=True)):
        places = tuple(map(int, digits))
        for k, seating in enumerate(chosen):
            yield deal, seating, places[k * len(seating) : (k + 1) * len(seating)]


@dataclass(frozen=True)
class Tally:
    """What agents have done, deal by deal. Agents are compared seat by seat with the *other* agents at their table.

    Attributes:
        ahead: How often agent i came in ahead of agent j, int64 of shape (deals, agents, agents).
        drawn: How often they shared a place; the same shape.
        games: Games that each agent sat in, int64 of shape (agents,).
        seats: Seats that it took in them.
        wins: Seats that came first alone.
    """

    ahead: np.ndarray
    drawn: np.ndarray
    games: np.ndarray
    seats: np.ndarray
    wins: np.ndarray

    @property
    def scores(self) -> np.ndarray:
        """Each agent's share of its comparisons on a deal, a draw being half: float64 of shape (deals, agents)."""
        points = self.ahead.sum(2) + self.drawn.sum(2) / 2
        return points / (self.ahead + self.ahead.swapaxes(1, 2) + self.drawn).sum(2)


def tally(games: Iterable[Finished], deals: int, agents: int) -> Tally:
    """Count finished games."""
    ahead, drawn = np.zeros((2, deals, agents, agents), np.int64)
    played, seats, wins = np.zeros((3, agents), np.int64)
    for deal, seating, places in games:
        played[list(set(seating))] += 1
        for agent, place in zip(seating, places, strict=True):
            seats[agent] += 1
            wins[agent] += place == 0 and places.count(0) == 1
            for other, behind in zip(seating, places, strict=True):
                if other != agent:
                    ahead[deal, agent, other] += place < behind
                    drawn[deal, agent, other] += place == behind
    return Tally(ahead, drawn, played, seats, wins)


def joined(parts: Sequence[Tally]) -> Tally:
    """The tally of several rounds."""
    sums = (np.sum([getattr(part, name) for part in parts], 0) for name in ("games", "seats", "wins"))
    return Tally(*(np.concatenate([getattr(part, name) for part in parts]) for name in ("ahead", "drawn")), *sums)
