"""Games seen from one seat each: a learner acts there, and the other seats are played within its steps.

The Gymnasium environment holds one such game, the vector environment a batch of them; both run the same kernels, so
that a game's course does not depend on which of them it is in.
"""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from valley_core.adapter import as_rng, as_seed, legal_names
from valley_core.batch import LEAST_SHARE, in_threads, pick
from valley_core.decisions import Decisions
from valley_core.errors import IllegalActionError, OptionError, StateError
from valley_core.game import Game, Status
from valley_core.jit import kernel
from valley_core.recipe import Recipe, bind_to
from valley_core.rng import GAMMA, MASK, MIX_1, MIX_2, below

LEARNER = np.dtype(
    (
        np.record,
        [
            ("rng", "u8"),  # random numbers outside the game: which seat, and what random opponents play
            ("seat", "i8"),
            ("total", "f8"),  # the part of the seat's return that was given as reward
        ],
    )
)

RANDOM_SEAT = -1
RANDOM_OPPONENT = "random"
MOST_DEALS = 100
"""A game that ends before the learner is asked anything is dealt again, so many times."""

NOTHING = -1
"""In place of an action."""

LOOK = -2
"""In place of an action: only what is seen is written."""

DEAL = -3
"""In place of an action: a new game is dealt."""

# The kernels of a game, bound by `LearnerKernels`.
reset: Any = None
step: Any = None
legal: Any = None
observe: Any = None
to_act: Any = None
asked: Any = None
status: Any = None
returns: Any = None
inform: Any = None


def play_others(state: Any, datum: Any, learner: Any, mask: Any) -> None:
    """Let random opponents play until the learner is asked, or the game is over."""
    seat = to_act(state)
    while seat >= 0 and seat != learner.seat:
        legal(state, datum, seat, mask)
        step(state, datum, seat, choose(mask, learner))
        seat = to_act(state)


choose: Any = None
"""`valley_core.batch.pick`, bound."""


def deal_learner(
    state: Any, datum: Any, reward: int, learner: Any, seat: int, randomly: bool, mask: Any, totals: Any
) -> bool:
    """Deal a new game to a learner at `seat`, or a random one; whether it is asked anything."""
    for _ in range(MOST_DEALS):
        reset(state, datum)
        if seat == RANDOM_SEAT:
            learner.seat = below(learner, len(totals))
        else:
            learner.seat = seat
        returns(state, datum, reward, totals)
        learner.total = totals[learner.seat]
        if randomly:
            others(state, datum, learner, mask)
        if to_act(state) >= 0:
            return True
    return False


others: Any = None
"""`play_others`, bound."""


def serve_learners(
    states: Any,
    data: Any,
    reward: int,
    learners: Any,
    which: Any,
    actions: Any,
    paid: Any,
    seat: int,
    randomly: bool,
    observations: Any,
    allowed: Any,
    rewards: Any,
    terminated: Any,
    truncated: Any,
    totals: Any,
    numbers: Any,
) -> Any:
    """For each of the games `which`: carry out an action that is legal, let random opponents play, and look.

    `NOTHING`, `LOOK` and `DEAL` stand in the place of actions. Rewards are what the learners earned since they were
    last `paid`, 0 for those who are not.

    Returns:
        How many games are over; in how many of those dealt the learner is never asked anything; and in how many a seat
        is asked that nobody plays.
    """
    over, failed, stranded = 0, 0, 0
    for k in range(len(which)):
        i = which[k]
        state = states[i]
        datum = data[state["data"]]
        learner = learners[i]
        mask = allowed[i]
        if actions[i] == DEAL:
            failed += not deal(state, datum, reward, learner, seat, randomly, mask, totals[i])
        elif actions[i] != LOOK:
            if actions[i] >= 0:
                step(state, datum, learner.seat, actions[i])
            if randomly:
                others(state, datum, learner, mask)
        own = learner.seat
        observe(state, datum, own, observations[i])
        legal(state, datum, own, mask)
        rewards[i] = 0.0
        if paid[i]:
            returns(state, datum, reward, totals[i])
            rewards[i] = totals[i, own] - learner.total
            learner.total = totals[i, own]
        inform(state, datum, numbers[i])
        found = status(state)
        truncated[i] = found == Status.TRUNCATED
        terminated[i] = found != Status.RUNNING and found != Status.TRUNCATED
        over += found != Status.RUNNING
        turn = to_act(state)
        stranded += turn >= 0 and turn != own
    return over, failed, stranded


deal: Any = None
"""`deal_learner`, bound."""


def look_for_others(states: Any, learners: Any, chosen: Any, seats: Any) -> int:
    """Write which other seat is asked in each game that is chosen, -1 for none; how many there are."""
    count = 0
    for i in range(len(states)):
        seats[i] = -1
        if chosen[i]:
            seat = to_act(states[i])
            if seat != learners[i].seat:
                seats[i] = seat
                count += seat >= 0
    return count


@kernel
def check_actions(actions: Any, allowed: Any, over: Any, tasks: Any, paid: Any) -> int:
    """Write what is to be done for each action: itself if it is legal, `LOOK` if not, `DEAL` where a game is over.

    Args:
        actions: Int64 of shape (n,).
        allowed: What is legal, uint8 of shape (n, num_actions).
        over: Games whose actions are passed over, bool of shape (n,).
        tasks, paid: What `Learners.act` takes, int64 and bool of shape (n,).

    Returns:
        How many are illegal; or -1 - i, if that of game i is not in the action space.
    """
    illegal = 0
    for i in range(len(actions)):
        action = actions[i]
        if action < 0 or action >= allowed.shape[1]:
            return -1 - i
        fine = allowed[i, action] != 0
        paid[i] = fine and not over[i]
        tasks[i] = DEAL if over[i] else (action if fine else LOOK)
        illegal += not (fine or over[i])
    return illegal


class LearnerKernels:
    """The templates of this module bound to one game's kernels."""

    def __init__(self, game: Game) -> None:
        names = game.kernels.as_globals()
        names["choose"] = bind_to(game, pick, names)
        names["others"] = bind_to(game, play_others, names)
        names["deal"] = bind_to(game, deal_learner, names)
        self.serve = bind_to(game, serve_learners, names)
        self.look_for_others = bind_to(game, look_for_others, names)


_bound: dict[str, LearnerKernels] = {}


def learner_kernels_of(game: Game) -> LearnerKernels:
    """The bound templates of a game: one set for each package of kernels."""
    if game.package not in _bound:
        _bound[game.package] = LearnerKernels(game)
    return _bound[game.package]


def derived_seeds(seeds: np.ndarray, purpose: int) -> np.ndarray:
    """Seeds for another purpose than the game itself, uint64 like `seeds`: one output of splitmix64 for each."""
    z = np.atleast_1d(seeds).astype(np.uint64) + np.uint64(((purpose + 1) << 32) * GAMMA & MASK)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(MIX_1)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(MIX_2)
    return z ^ (z >> np.uint64(31))


@runtime_checkable
class Opponent(Protocol):
    """What plays the other seats: any of the project's agents."""

    def start(self, game: Game, seeds: np.ndarray) -> None:
        """Prepare for games with these seeds, uint64 of shape (games,)."""

    def act(self, decisions: Decisions) -> np.ndarray:
        """An action for each decision, int64 of shape (n,)."""


Opponents = str | Opponent | Sequence[str | Opponent] | None


def as_opponents(game: Game, opponents: Opponents) -> list[str | Opponent]:
    """One opponent for each other seat, beginning with the seat after the learner's; empty if the game needs none."""
    if opponents is None:
        return []
    many = isinstance(opponents, Sequence) and not isinstance(opponents, str)
    listed = list(opponents) if many else [opponents] * (game.seats - 1)  # type: ignore[arg-type]
    if len(listed) != game.seats - 1:
        raise OptionError(
            f"opponents: {len(listed)} given; this game needs one, or one for each of {game.seats - 1} seats"
        )
    for opponent in listed:
        if opponent != RANDOM_OPPONENT and (isinstance(opponent, str | type) or not isinstance(opponent, Opponent)):
            raise OptionError(
                f"opponents: {opponent!r} is no opponent; give 'random', or an object with start(game, seeds) and "
                "act(decisions), as agents.make_agent('…') makes it"
            )
    return listed  # type: ignore[return-value]


def as_seat(game: Game, seat: int | str) -> int:
    """The learner's seat, `RANDOM_SEAT` for ``"random"``."""
    if seat == "random":
        return RANDOM_SEAT
    if isinstance(seat, bool) or not isinstance(seat, int | np.integer) or not 0 <= seat < game.seats:
        raise OptionError(f"seat={seat!r} is not possible; choose 'random' or a number from 0 to {game.seats - 1}")
    return int(seat)


Counts = tuple[int, int, int]
"""What `serve_learners` returns."""


class Seen:
    """What learners see, a row for each game.

    Attributes:
        observations: Float32 of shape (n, layout.size).
        masks: Legal actions, uint8 of shape (n, num_actions).
        rewards: Float64 of shape (n,).
        terminated, truncated: Whether the games are over, by their own rules or broken off, bool of shape (n,).
        numbers: Those of `Game.info`, int64 of shape (n, info.size).
    """

    __slots__ = ("masks", "numbers", "observations", "rewards", "terminated", "truncated")

    def __init__(self, game: Game, observations: np.ndarray) -> None:
        count = len(observations)
        self.observations = observations
        self.masks = np.empty((count, game.num_actions), np.uint8)
        self.numbers = np.empty((count, game.info.size), np.int64)
        self.new_results()

    def new_results(self) -> None:
        """New arrays for rewards and ends."""
        count = len(self.observations)
        self.rewards = np.empty(count)
        self.terminated, self.truncated = np.empty(count, bool), np.empty(count, bool)


class Learners:
    """A batch of games, a learner at one seat of each.

    Attributes:
        states: The games, records of shape (n,).
        learners: Seat and random numbers of each learner, records of dtype `LEARNER`, shape (n,).
        allowed: What is legal for each learner since it last looked, uint8 of shape (n, num_actions). It is never
            handed out, since what is carried out is decided by it.
    """

    def __init__(self, recipe: Recipe, count: int, seat: int | str, opponents: Opponents) -> None:
        game = recipe.game
        self.recipe = recipe
        self.seat = as_seat(game, seat)
        self.opponents = as_opponents(game, opponents)
        self.randomly = bool(self.opponents) and all(opponent == RANDOM_OPPONENT for opponent in self.opponents)
        self.states = game.new_states(count)
        self.learners = np.zeros(count, LEARNER)
        self.seeded = np.zeros(count, bool)
        self.allowed = np.zeros((count, game.num_actions), np.uint8)
        self._seeds = np.zeros(count, np.uint64)
        self._seats = np.zeros(count, np.int64)
        self._totals = np.zeros((count, game.seats))
        self._all = np.arange(count)
        self._unpaid = np.zeros(count, bool)
        self._deals = np.full(count, DEAL)
        self._bind()

    def _bind(self) -> None:
        game = self.recipe.game
        self._data, self._reward, self.kernels = game.data, int(game.reward), learner_kernels_of(game)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_data", "_reward", "kernels")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Arrays may come back read-only from a pickle that shares memory.
        self.__dict__.update({k: v.copy() if isinstance(v, np.ndarray) else v for k, v in state.items()})
        self._bind()

    def __len__(self) -> int:
        return len(self.states)

    def seed(self, seeds: Sequence[int | None]) -> None:
        """Start the streams of random numbers of the games that have a seed, and of their learners and opponents."""
        given = np.array([seed is not None for seed in seeds])
        if not given.any():
            return
        numbers = np.array([as_rng(as_seed(seed or 0)) for seed in seeds], np.uint64)
        self._seeds[given] = numbers[given]
        self.states["rng"][given] = numbers[given]
        self.learners["rng"][given] = derived_seeds(numbers, 0)[given]
        self.seeded |= given
        started: list[Any] = []
        for place, opponent in enumerate(self.opponents):
            if not isinstance(opponent, str) and not any(opponent is other for other in started):
                opponent.start(self.recipe.game, derived_seeds(self._seeds, place + 1))
                started.append(opponent)

    def place(self, records: Sequence[Any], seeds: Sequence[int | None] | None = None) -> None:
        """Put the records of games that go on into the batch, one for each; the learners have yet to `look`.

        A learner whose seat is random takes the seat that is asked. Seeds replace the records' own random numbers.

        Raises:
            StateError: A record is none of this game, or its game is over, or asks a seat that nobody plays.
        """
        game = self.recipe.game
        states = game.new_states(len(self))
        for index, record in enumerate(records):
            self.recipe.known.check(record)
            states[index] = record
        asked, totals = self._look(states)
        if (asked < 0).any():
            raise StateError("the game of this record is over; start from one that goes on")
        seats = asked if self.seat == RANDOM_SEAT else np.full(len(self), self.seat)
        if not self.opponents and (asked != seats).any():
            raise StateError(f"seat {asked[asked != seats][0]} is asked in this record, and nobody plays it here")
        self.states = states
        self.learners["seat"] = seats
        self.learners["total"] = totals[self._all, seats]
        if seeds is not None:
            self.seed(seeds)

    def _look(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The seat that is asked in each game, -1 at the end, and the returns so far."""
        seats, statuses = np.empty(len(states), np.int64), np.empty(len(states), np.int64)
        totals = np.empty((len(states), self.recipe.game.seats))
        self.recipe.loops.look_all(states, self._data, self._reward, seats, statuses, totals)
        return seats, totals

    def deal(self, seen: Seen, which: np.ndarray | None = None) -> None:
        """Deal new games, in all or in those of these indices, play until the learners are asked, and look.

        Raises:
            OptionError: Game after game is over before the learner was asked, or asks a seat that nobody plays.
        """
        which = self._all if which is None else which
        self.act(self._deals, self._unpaid, seen, which)

    def look(self, seen: Seen, which: np.ndarray | None = None) -> None:
        """Let the others play until the learners are asked, in all games or in those of these indices, and look."""
        which = self._all if which is None else which
        self.act(np.full(len(self), NOTHING), self._unpaid, seen, which)

    def act(self, actions: np.ndarray, paid: np.ndarray, seen: Seen, which: np.ndarray | None = None) -> int:
        """Carry out actions, play until the learners are asked again, and write what they see.

        Args:
            actions: One for each game, int64 of shape (n,): legal, or `NOTHING`, `LOOK` or `DEAL`.
            paid: Who gets what it has earned since it was last paid as reward, bool of shape (n,).
            seen: Its rows for the games `which` are written.
            which: Indices of games, int64; all by default.

        Returns:
            How many of these games are over.

        Raises:
            OptionError: As of `deal`.
        """
        which = self._all if which is None else which
        if self.by_agents:
            self._play_with_agents(actions, which)
            actions = np.full(len(self), LOOK)
        over, failed, stranded = self.serve(which, actions, paid, seen)
        if failed:
            raise _never_asked()
        if len(which) == len(self):
            np.copyto(seen.masks, self.allowed)  # much faster than in the kernel, action by action
        else:
            seen.masks[which] = self.allowed[which]
        if stranded:
            raise OptionError("another seat than the learner's is asked; this game needs opponents")
        return over

    def serve(self, which: np.ndarray, actions: np.ndarray, paid: np.ndarray, seen: Seen) -> Counts:
        """`serve_learners`, in threads: agents do not play."""
        if len(which) < 2 * LEAST_SHARE:
            return self._serve_part(which, actions, paid, seen)
        parts = in_threads(len(which), lambda part: self._serve_part(which[part], actions, paid, seen))
        over, failed, stranded = (sum(counts) for counts in zip(*parts, strict=True))
        return over, failed, stranded

    def _serve_part(self, which: np.ndarray, actions: np.ndarray, paid: np.ndarray, seen: Seen) -> Counts:
        found: Counts = self.kernels.serve(
            self.states,
            self._data,
            self._reward,
            self.learners,
            which,
            actions,
            paid,
            self.seat,
            self.randomly,
            seen.observations,
            self.allowed,
            seen.rewards,
            seen.terminated,
            seen.truncated,
            self._totals,
            seen.numbers,
        )
        return found

    def _play_with_agents(self, actions: np.ndarray, which: np.ndarray) -> None:
        """Carry out actions and deal new games, and let the agents play until the learners are asked."""
        chosen = np.zeros(len(self), bool)
        chosen[which] = True
        played = chosen & (actions >= 0)
        seats = np.where(played, self.learners["seat"], -1)
        self.recipe.loops.step_all(self.states, self._data, seats, actions)
        self.let_others_play(chosen & (actions >= NOTHING))
        dealt = chosen & (actions == DEAL)
        for _ in range(MOST_DEALS):
            if not dealt.any():
                return
            self._deal_once(np.flatnonzero(dealt))
            self.let_others_play(dealt)
            dealt &= self._look(self.states)[0] < 0
        raise _never_asked()

    def _deal_once(self, which: np.ndarray) -> None:
        game = self.recipe.game
        scratch = Seen(game, np.empty((len(self), game.layout.size), np.float32))
        self.serve(which, self._deals, self._unpaid, scratch)

    @property
    def by_agents(self) -> bool:
        """Whether an opponent is an agent, which chooses outside the kernels."""
        return bool(self.opponents) and not self.randomly

    def let_others_play(self, chosen: np.ndarray) -> None:
        """Let agents play until the learners that are `chosen` are asked, or their games are over."""
        if not self.by_agents:
            return
        count = len(self.opponents) + 1
        while self.kernels.look_for_others(self.states, self.learners, chosen, self._seats):
            places = (self._seats - self.learners["seat"] - 1) % count
            for place, opponent in enumerate(self.opponents):
                which = np.flatnonzero((self._seats >= 0) & (places == place))
                if len(which):
                    self._act_for(opponent, which)

    def _act_for(self, opponent: str | Opponent, which: np.ndarray) -> None:
        """Let one opponent act in the games `which`."""
        game, loops = self.recipe.game, self.recipe.loops
        decisions = Decisions(game, self.states[which], self._seats[which], which)
        if isinstance(opponent, str):
            actions, chances = np.zeros(len(which), np.int64), self.learners[which]
            loops.pick_all(decisions.masks, chances, actions)
            self.learners["rng"][which] = chances["rng"]
        else:
            actions = np.asarray(opponent.act(decisions))
            if actions.shape != (len(which),) or actions.dtype.kind not in "iu":
                raise OptionError(f"opponent {opponent!r} gave actions of shape {actions.shape}, dtype {actions.dtype}")
            actions = actions.astype(np.int64)
        mask = np.zeros(game.num_actions, np.uint8)
        wrong = loops.find_illegal(decisions.states, self._data, decisions.seats, actions, mask)
        if wrong >= 0:
            agent = game.agents[decisions.seats[wrong]]
            raise IllegalActionError(int(actions[wrong]), agent, legal_names(game, decisions.masks[wrong]))
        loops.step_all(decisions.states, self._data, decisions.seats, actions)
        self.states[which] = decisions.states

    def records(self) -> np.ndarray:
        """A copy of all states, records of shape (n,)."""
        records = self.states.copy()
        for record in records:
            self.recipe.known.note(record)
        return records

    def summary(self, index: int) -> dict[str, Any]:
        """`Game.summary` of one game."""
        state = self.states[index]
        return self.recipe.game.summary(state, self._data[state["data"]])

    def new_observations(self) -> np.ndarray:
        """New arrays for observations, float32 of shape (n, layout.size), with the constant part filled in."""
        game = self.recipe.game
        out = np.empty((len(self), game.layout.size), np.float32)
        if game.fixed_from < game.layout.size:
            rows = self.states["data"]
            in_threads(len(self), lambda part: np.copyto(out[part, game.fixed_from :], game.fixed[rows[part]]))
        return out


def _never_asked() -> OptionError:
    return OptionError(f"{MOST_DEALS} games ended before the learner was asked anything; raise max_turns")
