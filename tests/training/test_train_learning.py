"""Within seconds a policy learns far more than chance; and it does not if rewards, masks or seats are wrong.

The bounds are stated beside what the agent random wins: 8 % against the solo AI, 50 % against itself.
"""

from collections.abc import Callable
from dataclasses import replace
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

Row = dict[str, Any]

SOLO = Args("deathvalley", steps=120_000, test_every=1_000_000, test_games=500, seed=1)
SOLO_BOUND = 0.25
"""Three times what random wins."""
RIFT = Args(
    "riftvalley", opponents=("random",), envs=64, rollout=16, minibatch=256, hidden=(64,), steps=10_000,
    test_every=1_000_000, test_games=300, seed=1,
)  # fmt: skip
RIFT_BOUND = 0.8
"""30 percentage points more than random wins."""

CASES = pytest.mark.parametrize(
    ("args", "opponent", "bound"), [(SOLO, "solo AI", SOLO_BOUND), (RIFT, "random", RIFT_BOUND)]
)


def check_learnt(args: Args, folder: Path, opponent: str, bound: float) -> None:
    """Train, and fail unless more was won than the bound, without an illegal action."""
    rows = [row for row in learn(replace(args, run=folder, quiet=True)) if row["opponent"] == opponent]
    last = rows[-1]
    assert last["steps"] >= args.steps  # type: ignore[operator]
    assert last["illegal"] == last["illegal_in_training"] == 0
    assert last["win"] > bound, f"won {last['win']:.3f} of the games after {last['steps']} decisions"


@CASES
def test_a_policy_learns(args: Args, opponent: str, bound: float, tmp_path: Path) -> None:
    check_learnt(args, tmp_path / "run", opponent, bound)


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


@pytest.mark.long
@pytest.mark.parametrize(
    ("mutate", "args", "opponent", "bound"),
    [
        (flip_reward, SOLO, "solo AI", SOLO_BOUND),
        (drop_masks, SOLO, "solo AI", SOLO_BOUND),
        (flip_reward, RIFT, "random", RIFT_BOUND),
        (drop_masks, RIFT, "random", RIFT_BOUND),
        (pay_next_seat, RIFT, "random", RIFT_BOUND),
    ],
)
def test_wrong_rewards_masks_and_seats_are_seen(
    mutate: Callable[[pytest.MonkeyPatch], None],
    args: Args,
    opponent: str,
    bound: float,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    mutate(monkeypatch)
    with pytest.raises(AssertionError) as failure:
        check_learnt(args, tmp_path / "run", opponent, bound)
    print(mutate.__name__, failure.value)


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
