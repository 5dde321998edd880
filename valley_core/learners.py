"""Games seen from one seat each: a learner acts there, and the other seats are played within its steps.

The Gymnasium environment holds one such game, the vector environment a batch of them; both run the same kernels, so
that a game's course does not depend on which of them it is in.
"""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from valley_core.adapter import as_rng, as_seed, legal_names
from valley_core.batch import in_threads, pick
from valley_core.decisions import Decisions
from valley_core.errors import IllegalActionError, OptionError, StateError
from valley_core.game import Game
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

STRANDED = -1
"""In place of a `Status`: a seat is asked that nobody plays."""

# The kernels of a game, bound by `LearnerKernels`.
reset: Any = None
step: Any = None
legal: Any = None
observe: Any = None
to_act: Any = None
asked: Any = None
status: Any = None
returns: Any = None


def play_others(state: Any, datum: Any, learner: Any, mask: Any) -> None:
    """Let random opponents play until the learner is asked, or the game is over."""
    seat = to_act(state)
    while seat >= 0 and seat != learner.seat:
        legal(state, datum, seat, mask)
        step(state, datum, seat, choose(mask, learner))
        seat = to_act(state)


choose: Any = None
"""`valley_core.batch.pick`, bound."""


def deal_learners(
    states: Any, data: Any, reward: int, learners: Any, chosen: Any, seat: int, randomly: bool, masks: Any, totals: Any
) -> int:
    """Deal a new game to each chosen learner, at `seat` or a random one; how many are never asked."""
    failed = 0
    for i in range(len(states)):
        if chosen[i]:
            state = states[i]
            datum = data[state["data"]]
            for _ in range(MOST_DEALS):
                reset(state, datum)
                if seat == RANDOM_SEAT:
                    learners[i].seat = below(learners[i], totals.shape[1])
                else:
                    learners[i].seat = seat
                returns(state, datum, reward, totals[i])
                learners[i].total = totals[i, learners[i].seat]
                if randomly:
                    others(state, datum, learners[i], masks[i])
                if to_act(state) >= 0:
                    break
            failed += to_act(state) < 0
    return failed


others: Any = None
"""`play_others`, bound."""


def check_learners(states: Any, data: Any, learners: Any, actions: Any, masks: Any, allowed: Any) -> bool:
    """Write whether each action, which is in the action space, is legal; whether all are."""
    fine = True
    for i in range(len(states)):
        legal(states[i], data[states[i]["data"]], learners[i].seat, masks[i])
        allowed[i] = masks[i, actions[i]] != 0
        fine = fine and allowed[i]
    return fine


def step_learners(states: Any, data: Any, learners: Any, actions: Any, chosen: Any, randomly: bool, masks: Any) -> None:
    """Carry out the actions of the learners that are chosen (negative: none), and then those of random opponents."""
    for i in range(len(states)):
        if chosen[i]:
            state = states[i]
            datum = data[state["data"]]
            if actions[i] >= 0:
                step(state, datum, learners[i].seat, actions[i])
            if randomly:
                others(state, datum, learners[i], masks[i])


def see_learners(
    states: Any,
    data: Any,
    reward: int,
    learners: Any,
    chosen: Any,
    paid: Any,
    observations: Any,
    masks: Any,
    rewards: Any,
    statuses: Any,
    totals: Any,
) -> None:
    """Write observation, mask and status of each learner that is chosen, and its reward if it is paid, else 0."""
    for i in range(len(states)):
        if chosen[i]:
            state = states[i]
            datum = data[state["data"]]
            seat = learners[i].seat
            observe(state, datum, seat, observations[i])
            legal(state, datum, seat, masks[i])
            rewards[i] = 0.0
            if paid[i]:
                returns(state, datum, reward, totals[i])
                rewards[i] = totals[i, seat] - learners[i].total
                learners[i].total = totals[i, seat]
            statuses[i] = status(state)
            turn = to_act(state)
            if turn >= 0 and turn != seat:
                statuses[i] = STRANDED


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


def turn_learner(
    states: Any,
    data: Any,
    reward: int,
    learners: Any,
    actions: Any,
    chosen: Any,
    randomly: bool,
    observations: Any,
    masks: Any,
    rewards: Any,
    statuses: Any,
    totals: Any,
) -> bool:
    """Check, step and see in one call; if an action is not legal, change nothing and return False."""
    if not check(states, data, learners, actions, masks, chosen):
        return False
    act(states, data, learners, actions, chosen, randomly, masks)
    see(states, data, reward, learners, chosen, chosen, observations, masks, rewards, statuses, totals)
    return True


check: Any = None
act: Any = None
see: Any = None
"""`check_learners`, `step_learners`, `see_learners`, bound."""


class LearnerKernels:
    """The templates of this module bound to one game's kernels."""

    def __init__(self, game: Game) -> None:
        names = game.kernels.as_globals()
        names["choose"] = bind_to(game, pick, names)
        names["others"] = bind_to(game, play_others, names)
        self.deal = bind_to(game, deal_learners, names)
        self.check = names["check"] = bind_to(game, check_learners, names)
        self.act = names["act"] = bind_to(game, step_learners, names)
        self.see = names["see"] = bind_to(game, see_learners, names)
        self.look_for_others = bind_to(game, look_for_others, names)
        self.turn = bind_to(game, turn_learner, names)


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


class Learners:
    """A batch of games, a learner at one seat of each.

    Attributes:
        states: The games, records of shape (n,).
        learners: Seat and random numbers of each learner, records of dtype `LEARNER`, shape (n,).
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
        self._seeds = np.zeros(count, np.uint64)
        self._seats = np.zeros(count, np.int64)
        self._masks = np.zeros((count, game.num_actions), np.uint8)  # scratch: nothing that was handed out
        self._totals = np.zeros((count, game.seats))
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

    def deal(self, chosen: np.ndarray) -> None:
        """Deal new games where `chosen`, bool of shape (n,), and play until the learners are asked."""
        if not self.by_agents:
            failed = self._deal_once(chosen)
        for _ in range(MOST_DEALS if self.by_agents else 0):
            self._deal_once(chosen)
            self.let_others_play(chosen)
            chosen = chosen & (self._look(self.states)[0] < 0)
            failed = int(chosen.sum())
            if not failed:
                break
        if failed:
            raise OptionError(f"{MOST_DEALS} games ended before the learner was asked anything; raise max_turns")

    def _deal_once(self, chosen: np.ndarray) -> int:
        return sum(in_threads(len(self), lambda part: self._deal_part(part, chosen)))

    def _deal_part(self, part: slice, chosen: np.ndarray) -> int:
        return self.kernels.deal(
            self.states[part],
            self._data,
            self._reward,
            self.learners[part],
            chosen[part],
            self.seat,
            self.randomly,
            self._masks[part],
            self._totals[part],
        )

    def _look(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The seat that is asked in each game, -1 at the end, and the returns so far."""
        seats, statuses = np.empty(len(states), np.int64), np.empty(len(states), np.int64)
        totals = np.empty((len(states), self.recipe.game.seats))
        self.recipe.loops.look_all(states, self._data, self._reward, seats, statuses, totals)
        return seats, totals

    def place(self, records: Sequence[Any], seeds: Sequence[int | None] | None = None) -> None:
        """Put the records of games that go on into the batch, one for each, and play until the learners are asked.

        A learner whose seat is random takes the seat that is asked. Seeds replace the records' own random numbers.

        Raises:
            StateError: A record is none of this game, or its game is over, or asks a seat that nobody plays.
        """
        game = self.recipe.game
        states = game.new_states(len(self))
        for index, record in enumerate(records):
            game.check_state(record)
            states[index] = record
        asked, totals = self._look(states)
        if (asked < 0).any():
            raise StateError("the game of this record is over; start from one that goes on")
        seats = asked if self.seat == RANDOM_SEAT else np.full(len(self), self.seat)
        if not self.opponents and (asked != seats).any():
            raise StateError(f"seat {asked[asked != seats][0]} is asked in this record, and nobody plays it here")
        self.states = states
        self.learners["seat"] = seats
        self.learners["total"] = totals[np.arange(len(self)), seats]
        if seeds is not None:
            self.seed(seeds)
        self.act(np.full(len(self), NOTHING), np.ones(len(self), bool))

    def check(self, actions: np.ndarray) -> np.ndarray:
        """Whether each action, int64 of shape (n,) and in the action space, is legal; bool of shape (n,)."""
        allowed = np.empty(len(self), bool)
        in_threads(
            len(self),
            lambda part: self.kernels.check(
                self.states[part], self._data, self.learners[part], actions[part], self._masks[part], allowed[part]
            ),
        )
        return allowed

    def act(self, actions: np.ndarray, chosen: np.ndarray) -> None:
        """Carry out legal actions where `chosen`, and play until those learners are asked again."""
        in_threads(
            len(self),
            lambda part: self.kernels.act(
                self.states[part],
                self._data,
                self.learners[part],
                actions[part],
                chosen[part],
                self.randomly,
                self._masks[part],
            ),
        )
        self.let_others_play(chosen)

    def see(
        self,
        chosen: np.ndarray,
        paid: np.ndarray,
        observations: np.ndarray,
        masks: np.ndarray,
        rewards: np.ndarray,
        statuses: np.ndarray,
    ) -> None:
        """Write what the learners that are `chosen` see, and their rewards since they were last `paid`.

        Raises:
            OptionError: A seat is asked that nobody plays.
        """
        in_threads(
            len(self),
            lambda part: self.kernels.see(
                self.states[part],
                self._data,
                self._reward,
                self.learners[part],
                chosen[part],
                paid[part],
                observations[part],
                masks[part],
                rewards[part],
                statuses[part],
                self._totals[part],
            ),
        )
        check_not_stranded(statuses)

    def turn(
        self,
        actions: np.ndarray,
        all_chosen: np.ndarray,
        observations: np.ndarray,
        masks: np.ndarray,
        rewards: np.ndarray,
        statuses: np.ndarray,
    ) -> bool:
        """`check`, `act` and `see` in one kernel for one game; False, and nothing changed, if the action is not legal.

        Only where no opponent is an agent; `masks` and `all_chosen` are overwritten in any case.
        """
        legal = self.kernels.turn(
            self.states,
            self._data,
            self._reward,
            self.learners,
            actions,
            all_chosen,
            self.randomly,
            observations,
            masks,
            rewards,
            statuses,
            self._totals,
        )
        if statuses[0] == STRANDED:
            check_not_stranded(statuses)
        return legal

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

    def masks(self) -> np.ndarray:
        """Legal actions of the learners, a new array, bool of shape (n, num_actions)."""
        masks = np.empty(self._masks.shape, np.uint8)
        self.recipe.loops.masks_all(self.states, self._data, self.learners["seat"].copy(), masks)
        return masks.astype(bool)

    def summary(self, index: int) -> dict[str, Any]:
        """`Game.summary` of one game."""
        state = self.states[index]
        return self.recipe.game.summary(state, self._data[state["data"]])

    def blank_observations(self) -> np.ndarray:
        """New arrays for observations, float32 of shape (n, layout.size), with the constant part filled in."""
        return self.recipe.game.blank_observations(self.states)


def check_not_stranded(statuses: np.ndarray) -> None:
    """Raise `OptionError` if a seat is asked that nobody plays."""
    if (statuses == STRANDED).any():
        raise OptionError("another seat than the learner's is asked; this game needs opponents")
