"""Within seconds a policy learns far more than chance; and it does not if rewards, masks or seats are wrong.

What one seed learns hangs on the last bit of every sum, and so on the processor: one bound for one seed would be fitted
to one machine. So several seeds are learnt with and their games counted together. The bound of that share lies many
standard errors from what is expected of it, and as many from what the mutations below reach.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from training.course import course_of
from training.ppo import Training
from training.side_by_side import SideBySide
from training.train import Args, learn
from valley_core.decisions import Decisions
from valley_core.learners import Learners, Seen

pytestmark = [
    pytest.mark.filterwarnings("error"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:torch.*"),  # PyTorch's own, on import of some of its parts
]

FAR = 5
"""Standard errors that lie between the bound and what is expected, and between the bound and every mutation."""


@dataclass(frozen=True)
class Case:
    """What is learnt, and the share of the games against an opponent that must be won after it.

    Attributes:
        args: Without the seed.
        opponent: Whose games count.
        seeds: How many are learnt with: 1, 2, ...
        expected: Mean share of victories after learning, measured with 12 seeds.
        deviation: Standard deviation of that share from seed to seed.
        bound: Share that the seeds of a test together must exceed.
    """

    args: Args
    opponent: str
    seeds: int
    expected: float
    deviation: float
    bound: float

    @property
    def error(self) -> float:
        """Standard error of the share of all seeds together."""
        return float(self.deviation / self.seeds**0.5)


SMALL_NETWORK: dict[str, Any] = {"hidden": (64,), "minibatch": 256, "decay_steps": 10_000_000, "test_every": 1_000_000}
CASES = {
    "solo": Case(
        Args("deathvalley", steps=40_000, envs=128, rollout=8, epochs=6, learning_rate=3e-3, test_games=400,
             **SMALL_NETWORK),
        "solo AI", seeds=4, expected=0.57, deviation=0.08, bound=0.35,
    ),
    "rift valley": Case(
        Args("riftvalley", opponents=("random",), steps=3072, envs=64, rollout=16, learning_rate=2e-3, test_games=300,
             **SMALL_NETWORK),
        "random", seeds=5, expected=0.886, deviation=0.03, bound=0.8,
    ),
}  # fmt: skip
"""Of a policy that has learnt nothing, 14 % of the games against the solo AI are won, and 50 % against random."""


def won(case: Case, folder: Path) -> list[float]:
    """Train with each seed, and fail at an illegal action; the shares of games that are won."""
    shares = []
    for seed in range(1, case.seeds + 1):
        args = replace(case.args, seed=seed, run=folder / str(seed), quiet=True)
        last = [row for row in learn(args) if row["opponent"] == case.opponent][-1]
        assert last["steps"] >= args.goal
        assert last["illegal"] == last["illegal_in_training"] == 0, f"{last['illegal_in_training']:,} illegal actions"
        shares.append(last["win"])
    return shares


@pytest.mark.parametrize("name", CASES)
def test_a_policy_learns(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    shares = won(case, tmp_path)
    above = (np.mean(shares) - case.bound) / case.error
    print(f"{name}: won {np.round(shares, 3)}, {above:.1f} errors above the bound")
    assert np.mean(shares) > case.bound


@pytest.mark.parametrize("name", CASES)
def test_the_bound_is_fitted_to_no_machine(name: str) -> None:
    case = CASES[name]
    assert case.expected - FAR * case.error > case.bound


# --- Mutations: the test above must see them ----------------------------------------------------------------------


def flip_reward(monkeypatch: pytest.MonkeyPatch) -> None:
    """Victories are paid as defeats."""
    original = SideBySide.step_wait

    def step_wait(self: SideBySide) -> Any:
        observations, rewards, ended, infos = original(self)
        return observations, -rewards, ended, infos

    monkeypatch.setattr(SideBySide, "step_wait", step_wait)


def drop_masks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The policy is told that all actions are legal."""
    monkeypatch.setattr(
        SideBySide, "env_method", lambda self, name, **_: list(np.ones((self.num_envs, self.action_space.n), bool))
    )


def pay_next_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    """The learner gets what the seat after it has earned."""
    original = Learners.act

    def act(self: Learners, actions: Any, paid: Any, seen: Seen, which: Any = None) -> int:
        over = original(self, actions, paid, seen, which)
        seats, totals = self._look(self.states)
        other = (self.learners["seat"] + 1) % self.recipe.game.seats
        seen.rewards[:] = np.where(paid & (seats < 0), totals[np.arange(len(self)), other], 0.0)
        return over

    monkeypatch.setattr(Learners, "act", act)


def learn_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The policy is not improved on what was played."""
    monkeypatch.setattr("training.ppo.MaskablePPO.train", lambda self: None)


@pytest.mark.long
@pytest.mark.parametrize(
    ("mutate", "name"),
    [
        (flip_reward, "solo"),
        (learn_nothing, "solo"),
        (flip_reward, "rift valley"),
        (pay_next_seat, "rift valley"),
    ],
)
def test_wrong_rewards_and_seats_are_seen(
    mutate: Callable[[pytest.MonkeyPatch], None], name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    case = CASES[name]
    mutate(monkeypatch)
    shares = won(case, tmp_path)
    error = max(case.error, float(np.std(shares, ddof=1)) / case.seeds**0.5)
    below = (case.bound - np.mean(shares)) / error
    print(f"{mutate.__name__}, {name}: won {np.round(shares, 3)}, {below:.1f} errors below the bound")
    assert below > FAR


@pytest.mark.long
@pytest.mark.parametrize("name", CASES)
def test_wrong_masks_are_seen(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """By illegal actions, of which a right mask allows none."""
    drop_masks(monkeypatch)
    with pytest.raises(AssertionError, match="illegal actions"):
        won(CASES[name], tmp_path)


# --- What is seen: so little play needs no eyes, so it is compared number by number -----------------------------


def check_views(args: Args) -> None:
    """Learn for a turn, and fail unless the policy was given the view and the mask of the seat that is asked."""
    training = Training(args, course_of(args))
    training.turn()
    first = 0
    for part in training.environment.parts:
        states, seats = part.vector.state_records(), part.vector.seats
        decisions = Decisions(part.vector.game, states, seats, np.arange(len(states)))
        own = slice(first, first + len(states))
        assert len(set(seats.tolist())) == (part.vector.game.seats if len(args.opponents) else 1)
        np.testing.assert_array_equal(training.model._last_obs[own], decisions.observations)
        np.testing.assert_array_equal(training.environment.action_masks()[own], decisions.masks != 0)
        first += len(states)
    assert first == args.envs


SMALL = {"envs": 64, "rollout": 16, "minibatch": 256, "hidden": (16,)}
VIEWS = [
    Args("deathvalley", setting="all", **SMALL),  # type: ignore[arg-type]
    Args("deathvalley", variant="base", opponents=("self", "rulebook"), **SMALL),  # type: ignore[arg-type]
    Args("riftvalley", players=3, opponents=("self", "noisy"), **SMALL),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("args", VIEWS)
def test_the_policy_sees_with_its_own_eyes(args: Args) -> None:
    check_views(args)


def show_next_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    """The learner sees the table from the seat after it."""
    original = Learners.act

    def act(self: Learners, actions: Any, paid: Any, seen: Seen, which: Any = None) -> int:
        over = original(self, actions, paid, seen, which)
        other = (self.learners["seat"] + 1) % self.recipe.game.seats
        scratch = np.zeros(seen.masks.shape, np.uint8)
        self.recipe.loops.observe_all(self.states, self.recipe.game.data, other, seen.observations, scratch)
        return over

    monkeypatch.setattr(Learners, "act", act)


@pytest.mark.parametrize("args", VIEWS[1:])
def test_the_view_of_another_seat_is_seen(args: Args, monkeypatch: pytest.MonkeyPatch) -> None:
    show_next_seat(monkeypatch)
    with pytest.raises(AssertionError):
        check_views(args)
