"""Many games at once between agents seat by seat, on given deals.

Game i is dealt from ``seeds[i]``, and each seat's agent has a stream of random numbers that depends on
``seeds[i]`` and the seat alone. So all agents meet the same deals and the same luck, and no result depends on the batch
size, the number of threads or the other games in the batch.
"""

from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from typing import Literal

import numpy as np

from agents.base import Agent
from training.games import columns_of, deals_of
from training.seeds import deal_seeds as deal_seeds
from valley_core.adapter import legal_names
from valley_core.batch import in_threads, loops_of
from valley_core.decisions import Decisions
from valley_core.errors import IllegalActionError, OptionError
from valley_core.game import Game, Reward, Status
from valley_core.rng import GAMMA, MASK, mix

BATCH = 4096
"""Games that are played side by side."""

NO_SEAT = -1
"""Value of ``winner`` for a shared victory and for a game without a result."""

AT_LIMIT = [int(Status.TRUNCATED), int(Status.TURN_LIMIT)]
"""How games end at their turn limit: broken off, or, where the rules say so, scored."""

AGENT_SALT = np.uint64(0xD1B54A32D192ED03)
"""Sets the streams of agents apart from the deals."""


def agent_seeds(seeds: np.ndarray, seat: int) -> np.ndarray:
    """Seeds of the streams of the agent at `seat`, uint64 of shape (games,), mixed from the deals' as by splitmix64."""
    return mix((seeds ^ AGENT_SALT) + np.uint64((seat + 1) * GAMMA & MASK))


def fingerprints(states: np.ndarray) -> np.ndarray:
    """A number for each state, uint64 of shape (n,), equal where states are equal but for their random numbers."""
    plain = states.copy()
    plain["rng"] = 0
    digests = b"".join(blake2b(state.tobytes(), digest_size=8).digest() for state in plain)
    return np.frombuffer(digests, np.uint64)


def unfinished(table: np.ndarray) -> np.ndarray:
    """Which games of `play_games` ended at the turn limit without a winner: bool of shape (games,).

    They are no draws: nobody has won half of them.
    """
    unfinished: np.ndarray = table["truncated"]
    return unfinished


def bytes_of_game(game: Game) -> int:
    """Memory that the results of a game take while all are joined, at least, in bytes."""
    own = columns_of(game)
    size = results_dtype(game).itemsize + (own(game, game.new_states(0)).dtype.itemsize if own else 0)
    return 2 * int(size)


def different_deals(tables: Sequence[np.ndarray], agents: Iterable[Agent | None]) -> np.ndarray:
    """Which deals count, of several games on each: indices, int64 of shape (counting deals,).

    Where nothing is random but the deal, the same games come again and again; a hundred of them say no more than one.
    So if all agents are deterministic, the first of those deals counts on which all games ended alike; else all count.
    Every command that measures keeps this rule.

    Args:
        tables: Results of `play_games` on the same deals.
        agents: Who played; None for the game itself.
    """
    if not all(agent is None or agent.deterministic for agent in agents):
        return np.arange(len(tables[0]))
    _, first = np.unique(np.stack([table["end"] for table in tables], 1), axis=0, return_index=True)
    return np.sort(first)


def is_complete(game: Game, agents: Iterable[Agent | None], kept: np.ndarray) -> bool:
    """Whether the deals that count are all that there are, so that nothing is sampled.

    Args:
        game: That was played.
        agents: Who played.
        kept: What `different_deals` gave.
    """
    return len(kept) == deals_of(game) and all(agent is None or agent.deterministic for agent in agents)


def results_dtype(game: Game) -> np.dtype:
    """Columns that all games have; `play_games` adds the game's own."""
    return np.dtype(
        [
            ("seed", "u8"),
            ("result", "i1", (game.seats,)),  # 1 won alone, 0 shared or without a result, -1 lost
            ("winner", "i1"),
            ("turn_limit", "?"),  # ended at the turn limit, with a result or without one (`unfinished`)
            ("truncated", "?"),  # ended there without one
            ("decisions", "i4", (game.seats,)),
            ("illegal", "i4", (game.seats,)),  # illegal actions that were counted (`play_games`)
            ("end", "u8"),  # equal where games ended in equal states (`fingerprints`)
        ]
    )


def outcome(returns: np.ndarray) -> np.ndarray:
    """1, 0 or -1 from each return with `Reward.WIN`, which is 1 for who wins alone and negative for who loses."""
    return np.where(returns >= 1, 1, np.where(returns < 0, -1, 0)).astype(np.int8)


class _Seating:
    """Which agent sits where, and which of its streams belongs to which game and seat."""

    def __init__(self, game: Game, agents: Sequence[Agent | None], seeds: np.ndarray) -> None:
        if len(agents) != game.seats:
            raise OptionError(f"{game.name} has {game.seats} seats, but {len(agents)} agents were given")
        self.games = len(seeds)
        self.players: list[Agent] = []
        self.player_of = np.full(game.seats, -1)
        self.place_of = np.zeros(game.seats, np.int64)
        """A seat's place among the seats of its agent: who sits twice has a stream for each seat of a game."""
        for seat, agent in enumerate(agents):
            if agent is not None:
                known = next((k for k, player in enumerate(self.players) if player is agent), len(self.players))
                if known == len(self.players):
                    self.players.append(agent)
                self.place_of[seat] = (self.player_of == known).sum()
                self.player_of[seat] = known
        for k, player in enumerate(self.players):
            seats = np.flatnonzero(self.player_of == k)
            player.start(game, np.concatenate([agent_seeds(seeds, int(seat)) for seat in seats]))

    def choose(self, game: Game, states: np.ndarray, seats: np.ndarray, games: np.ndarray) -> np.ndarray:
        """An action for each state, int64."""
        owners = self.player_of[seats]
        streams = self.place_of[seats] * self.games + games
        actions = np.empty(len(states), np.int64)
        for k, player in enumerate(self.players):
            where = owners == k
            if where.all():
                return _checked(player, player.act(Decisions(game, states, seats, streams)), len(states))
            if where.any():
                chosen = player.act(Decisions(game, states[where], seats[where], streams[where]))
                actions[where] = _checked(player, chosen, int(where.sum()))
        if (owners < 0).any():
            raise OptionError(f"{game.name} asks seat {int(seats[owners < 0][0])}, where no agent sits")
        return actions


def _checked(player: Agent, actions: np.ndarray, count: int) -> np.ndarray:
    actions = np.asarray(actions)
    if actions.shape != (count,) or actions.dtype.kind not in "iu":
        raise OptionError(
            f"agent {player.name} gave {actions.dtype} of shape {actions.shape} for {count} decisions; "
            f"whole numbers of shape ({count},) are needed"
        )
    return actions.astype(np.int64)


def legal_actions(player: Agent, decisions: Decisions) -> np.ndarray:
    """What an agent chooses, int64 of shape (n,), each legal.

    Raises:
        IllegalActionError: An action is not; names the agent, the action and the legal ones.
    """
    actions = _checked(player, player.act(decisions), len(decisions))
    game, masks = decisions.game, decisions.masks
    known = (actions >= 0) & (actions < game.num_actions)
    legal = known & (masks[np.arange(len(actions)), np.where(known, actions, 0)] == 1)
    if not legal.all():
        i = int(np.argmin(legal))
        names = legal_names(game, masks[i])
        raise IllegalActionError(int(actions[i]), f"agent {player.name!r}", names, f"in {game.name} is not legal")
    return actions


class Table:
    """Games being played; those that have ended leave."""

    def __init__(self, game: Game, seeds: np.ndarray) -> None:
        self.game = game
        self.loops = loops_of(game)
        self.states = game.new_states(len(seeds))
        self.states["rng"] = seeds
        self.ids = np.arange(len(seeds))
        chosen = np.ones(len(seeds), np.bool_)
        in_threads(len(seeds), lambda part: self.loops.reset_some(self.states[part], game.data, chosen[part]))
        self.look()

    def look(self) -> None:
        """See who is asked, and which games have ended with which result."""
        count = len(self.states)
        self.seats = np.zeros(count, np.int64)
        self.status = np.zeros(count, np.int64)
        self.totals = np.zeros((count, self.game.seats))
        in_threads(
            count,
            lambda part: self.loops.look_all(
                self.states[part], self.game.data, Reward.WIN, self.seats[part], self.status[part], self.totals[part]
            ),
        )

    def keep(self, going_on: np.ndarray) -> None:
        """Let the other games leave."""
        self.states, self.ids, self.seats = self.states[going_on], self.ids[going_on], self.seats[going_on]

    def replace_illegal(self, actions: np.ndarray) -> np.ndarray:
        """Where an action is not legal, put the least legal one in its place; the indices of those games."""
        found = [i for some in in_threads(len(actions), lambda part: self._illegal(part, actions)) for i in some]
        illegal = np.array(found, np.int64)
        if len(illegal):
            masks = Decisions(self.game, self.states[illegal], self.seats[illegal], illegal).masks
            actions[illegal] = masks.argmax(1)
        return illegal

    def _illegal(self, part: slice, actions: np.ndarray) -> list[int]:
        mask = np.zeros(self.game.num_actions, np.uint8)
        found: list[int] = []
        start = part.start
        while start < part.stop:
            rest = slice(start, part.stop)
            i = self.loops.find_illegal(self.states[rest], self.game.data, self.seats[rest], actions[rest], mask)
            if i < 0:
                break
            found.append(start + int(i))
            start += int(i) + 1
        return found

    def step(self, actions: np.ndarray) -> None:
        """Carry out one action in each game."""
        in_threads(
            len(actions),
            lambda part: self.loops.step_all(self.states[part], self.game.data, self.seats[part], actions[part]),
        )


def play_games(
    game: Game,
    agents: Sequence[Agent | None],
    seeds: np.ndarray,
    batch: int = BATCH,
    progress: Callable[[int], None] | None = None,
    illegal_action: Literal["raise", "count"] = "raise",
) -> np.ndarray:
    """Play one game for each seed to its end.

    Args:
        game: With its options chosen.
        agents: One for each seat; None where the game plays the seat itself. An agent may sit in several seats.
        seeds: Of the deals, uint64 of shape (games,).
        batch: Games that are played side by side; changes the speed and the memory, never a result.
        progress: Told now and then how many more games have ended.
        illegal_action: ``"raise"`` ends it all at the first action that is not legal. ``"count"`` counts it in the
            column ``illegal``, and plays the legal action of the least number in its place.

    Returns:
        A structured array of shape (games,): columns of `results_dtype`, and those of the game (`training.columns`).

    Raises:
        OptionError: Agents do not fit the seats.
        IllegalActionError: An agent chose an action that is not legal. Names the agent, its seat, the game by the seed
            of its deal, the decision, the action and the legal ones.
    """
    seeds = np.asarray(seeds, np.uint64)
    if batch < 1:
        raise OptionError(f"the batch must hold at least 1 game, not {batch}")
    seating = _Seating(game, agents, seeds)
    base = np.zeros(len(seeds), results_dtype(game))
    base["seed"] = seeds
    own = columns_of(game)
    extra = [own(game, game.new_states(0))] if own else []
    for first in range(0, len(seeds), batch):
        chunk = slice(first, min(first + batch, len(seeds)))
        ended = _play_chunk(game, seating, base[chunk], first, progress, counts=illegal_action == "count")
        if own:
            extra.append(own(game, ended))
    return _joined(base, np.concatenate(extra)) if own else base


def _play_chunk(
    game: Game,
    seating: _Seating,
    results: np.ndarray,
    first: int,
    progress: Callable[[int], None] | None,
    counts: bool,
) -> np.ndarray:
    """Play the games of `results`, filling it in; the states at their ends."""
    table = Table(game, results["seed"])
    ends = table.states.copy()
    while True:
        over = table.status != Status.RUNNING
        if over.any():
            ids = table.ids[over]
            ends[ids] = table.states[over]
            results["result"][ids] = outcome(table.totals[over])
            results["turn_limit"][ids] = np.isin(table.status[over], AT_LIMIT)
            results["truncated"][ids] = table.status[over] == Status.TRUNCATED
            table.keep(~over)
            if progress is not None:
                progress(len(ids))
            if not len(table.ids):
                break
        actions = seating.choose(game, table.states, table.seats, first + table.ids)
        results["decisions"][table.ids, table.seats] += 1
        chosen = actions if counts else actions.copy()
        illegal = table.replace_illegal(actions)
        if len(illegal) and not counts:
            raise _illegal(seating, table, int(illegal[0]), chosen, results)
        results["illegal"][table.ids[illegal], table.seats[illegal]] += 1
        table.step(actions)
        table.look()
    won = results["result"] == 1
    results["winner"] = np.where(won.any(1), won.argmax(1), NO_SEAT)
    results["end"] = fingerprints(ends)
    return ends


def _illegal(seating: _Seating, table: Table, i: int, actions: np.ndarray, results: np.ndarray) -> IllegalActionError:
    """The error of an illegal action in the i-th of the games that are being played."""
    game, seat, row = table.game, int(table.seats[i]), results[table.ids[i]]
    masks = Decisions(game, table.states[i : i + 1], table.seats[i : i + 1], np.zeros(1, np.int64)).masks
    agent = seating.players[seating.player_of[seat]].name
    where = f"in {game.name}, the game of deal seed {row['seed']}, decision {row['decisions'][seat]} of seat {seat},"
    return IllegalActionError(int(actions[i]), f"agent {agent!r}", legal_names(game, masks[0]), f"{where} is not legal")


def _joined(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """One structured array with the columns of both."""
    parts = [(part, name) for part in (first, second) for name in part.dtype.names or ()]
    out = np.zeros(len(first), [(name, part.dtype[name].base, part.dtype[name].shape) for part, name in parts])
    for part, name in parts:
        out[name] = part[name]
    return out
