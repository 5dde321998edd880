"""What other libraries pass in and look for: actions of many kinds, unknown keywords, seeds, the autoreset mode."""

import pickle
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import deathvalley_env
import riftvalley_env
from valley_core.aec import AECAdapter
from valley_core.errors import IllegalActionError, OptionError, StateError, UnknownOptionError
from valley_core.game import Game
from valley_core.gym_env import GymAdapter
from valley_core.parallel import ParallelAdapter
from valley_core.public import wrapped
from valley_core.records import KnownStates
from valley_core.vector import VectorAdapter

pytestmark = pytest.mark.filterwarnings("error")

Made = tuple[Callable[..., Game], dict[str, Any]]


class Tensor:
    """As much of a tensor of another library as can be asked for without importing it; it lies on another device."""

    def __init__(self, value: Any, here: bool = False) -> None:
        self.value = np.asarray(value)
        self.shape, self.dtype = self.value.shape, self.value.dtype
        self.here = here

    def item(self) -> Any:
        """The only number."""
        return self.value.item()

    def cpu(self) -> "Tensor":
        """The same where it can be read."""
        return Tensor(self.value, here=True)

    def __array__(self, *args: Any, **kwargs: Any) -> np.ndarray:
        if not self.here:
            raise TypeError("this tensor lies on another device")
        return np.array(self.value, *args, **kwargs)


INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
SINGLE: dict[str, Callable[[int], Any]] = {
    "int": int,
    **{dtype.__name__: dtype for dtype in INTEGERS},
    "shape ()": np.array,
    "shape (1,)": lambda action: np.array([action], np.int32),
    "shape (1, 1)": lambda action: np.array([[action]]),
    "tensor": Tensor,
    "tensor of shape (1,)": lambda action: Tensor([action]),
}
NO_ACTIONS: dict[str, Callable[[int], Any]] = {
    "bool": bool,
    "bool of NumPy": np.bool_,
    "fraction": lambda action: action + 0.5,
    "float": float,
    "float32": np.float32,
    "text": str,
    "bytes": lambda action: str(action).encode(),
    "text of NumPy": lambda action: np.str_(action),
    "None": lambda action: None,
    "list": lambda action: [action],
    "tuple": lambda action: (action,),
    "two": lambda action: np.array([action, action]),
    "none": lambda action: np.array([], int),
    "array of a float": lambda action: np.array([float(action)]),
    "array of a bool": lambda action: np.array([True]),
    "array of an object": lambda action: np.array([None]),
    "tensor of a bool": lambda action: Tensor([True]),
    "tensor of two": lambda action: Tensor([action, action]),
}
Step = Callable[[Any], Any]


def single_steps(made: Made) -> dict[str, tuple[Step, Callable[[], bytes], int]]:
    """For each adapter of one game: how an action is passed, the state, and a legal action."""
    rivals: dict[str, Any] = {"opponents": "random"}
    aec, parallel, gym = AECAdapter(*made), ParallelAdapter(*made), GymAdapter(*made, **rivals)
    pettingzoo = wrapped(lambda **options: AECAdapter(*made, **options), None)
    for env in (aec, parallel, gym, pettingzoo):
        env.reset(seed=1)
    legal = int(gym.action_masks().argmax())
    others = {agent: int(mask.argmax()) for agent, mask in zip(parallel.agents, parallel.action_masks(), strict=True)}
    asked = next(agent for agent, action in others.items() if action != parallel.game.wait)
    return {
        "aec": (aec.step, lambda: aec.state_record().tobytes(), int(aec.action_masks().argmax())),
        "wrapped": (
            pettingzoo.step,
            lambda: pettingzoo.unwrapped.state_record().tobytes(),
            int(aec.action_masks().argmax()),
        ),
        "parallel": (
            lambda action: parallel.step({**others, asked: action}),
            lambda: parallel.state_record().tobytes(),
            others[asked],
        ),
        "gymnasium": (gym.step, lambda: gym.state_record().tobytes(), legal),
    }


@pytest.mark.parametrize("name", ["aec", "wrapped", "parallel", "gymnasium"])
@pytest.mark.parametrize("kind", SINGLE)
def test_actions_of_single_environments(made: Made, name: str, kind: str) -> None:
    step, state, legal = single_steps(made)[name]
    twin_step, twin_state, _ = single_steps(made)[name]
    step(SINGLE[kind](legal))
    twin_step(legal)
    assert state() == twin_state()


@pytest.mark.parametrize("name", ["aec", "parallel", "gymnasium"])
@pytest.mark.parametrize("kind", NO_ACTIONS)
def test_what_is_no_action_of_single_environments(made: Made, name: str, kind: str) -> None:
    step, state, legal = single_steps(made)[name]
    before = state()
    with pytest.raises(IllegalActionError):
        step(NO_ACTIONS[kind](legal))
    assert state() == before


def batch(made: Made, count: int = 3) -> tuple[VectorAdapter, np.ndarray]:
    """A vector environment, and a legal action for each of its games."""
    env = VectorAdapter(*made, num_envs=count, opponents="random", autoreset_mode="SameStep")
    observation, _ = env.reset(seed=1)
    return env, observation["action_mask"].argmax(1)


BATCHES: dict[str, Callable[[np.ndarray], Any]] = {
    **{dtype.__name__: lambda actions, dtype=dtype: actions.astype(dtype) for dtype in INTEGERS},  # type: ignore[misc]
    "big-endian": lambda actions: actions.astype(">i4"),
    "strided": lambda actions: np.repeat(actions, 2)[::2],
    "read-only": lambda actions: np.frombuffer(actions.tobytes(), actions.dtype),
    "list": lambda actions: actions.tolist(),
    "tuple": lambda actions: tuple(actions),
    "list of shape ()": lambda actions: [np.array(action) for action in actions],
    "list of shape (1,)": lambda actions: [np.array([action]) for action in actions],
    "list of tensors": lambda actions: [Tensor(action) for action in actions],
    "tensor": Tensor,
}


@pytest.mark.parametrize("kind", BATCHES)
def test_actions_of_a_batch(made: Made, kind: str) -> None:
    (env, actions), (twin, _) = batch(made), batch(made)
    given = BATCHES[kind](actions)
    env.step(given)
    twin.step(actions)
    assert env.state_records().tobytes() == twin.state_records().tobytes()
    np.testing.assert_array_equal(np.asarray(given.value if isinstance(given, Tensor) else actions), actions)


@pytest.mark.parametrize("kind", ["int", "shape ()", "shape (1,)", "shape (1, 1)", "tensor"])
def test_a_batch_of_one_game_takes_its_only_action(made: Made, kind: str) -> None:
    (env, actions), (twin, _) = batch(made, 1), batch(made, 1)
    env.step(SINGLE[kind](int(actions[0])))
    twin.step(actions)
    assert env.state_records().tobytes() == twin.state_records().tobytes()


NO_BATCHES: dict[str, Callable[[np.ndarray], Any]] = {
    **{
        f"list with {kind}": lambda actions, make=make: [int(actions[0]), make(int(actions[1])), int(actions[2])]  # type: ignore[misc]
        for kind, make in NO_ACTIONS.items()
    },
    "number": lambda actions: int(actions[0]),
    "None": lambda actions: None,
    "text": lambda actions: "012",
    "floats": lambda actions: actions.astype(float),
    "bools": lambda actions: actions.astype(bool),
    "texts": lambda actions: actions.astype(str),
    "objects": lambda actions: actions.astype(object),
    "too few": lambda actions: actions[:2],
    "too long a list": lambda actions: [*actions, 0],
    "empty list": lambda actions: [],
    "column": lambda actions: actions[:, None],
    "tensor of floats": lambda actions: Tensor(actions.astype(float)),
    "beyond all": lambda actions: np.array([*actions[:2], 2**63], np.uint64),
    "far below": lambda actions: [*actions[:2], -(2**70)],
}


@pytest.mark.parametrize("kind", NO_BATCHES)
def test_what_is_no_action_of_a_batch(made: Made, kind: str) -> None:
    env, actions = batch(made)
    before = env.state_records().tobytes()
    with pytest.raises(IllegalActionError):
        env.step(NO_BATCHES[kind](actions))
    assert env.state_records().tobytes() == before


def test_actions_of_stable_baselines3(made: Made) -> None:
    sb3 = pytest.importorskip("valley_core.sb3")
    for kind, make in BATCHES.items():
        (vector, actions), (twin, _) = batch(made), batch(made)
        sb3.SB3Adapter(vector).step(make(actions))
        twin.step(actions)
        assert vector.state_records().tobytes() == twin.state_records().tobytes(), kind
    for make in NO_BATCHES.values():
        vector, actions = batch(made)
        env = sb3.SB3Adapter(vector)
        with pytest.raises(IllegalActionError):
            env.step(make(actions))


def test_actions_of_pytorch(made: Made) -> None:
    torch = pytest.importorskip("torch")
    for name, (step, _, legal) in single_steps(made).items():
        step(torch.tensor([legal], dtype=torch.int32) if name == "aec" else torch.tensor(legal))
    for wrong in (torch.tensor(True), torch.tensor(0.5), torch.tensor([0, 1])):
        with pytest.raises(IllegalActionError):
            single_steps(made)["gymnasium"][0](wrong)
    env, actions = batch(made)
    env.step(torch.from_numpy(actions))
    env.step([torch.tensor(action) for action in env.action_masks().argmax(1)])


# --- Keywords that there are not ---------------------------------------------------------------------------------

MAKERS = [
    *(getattr(deathvalley_env, name) for name in ("raw_env", "env", "parallel_env", "solo_env", "make_vec")),
    *(getattr(riftvalley_env, name) for name in ("raw_env", "env", "parallel_env", "solo_env", "make_vec")),
    lambda **options: gymnasium.make("DeathValleySolo-v0", **options),
    lambda **options: gymnasium.make("RiftValleySolo-v0", **options),
    lambda **options: gymnasium.make_vec("DeathValleySolo-v0", num_envs=2, **options),
    lambda **options: gymnasium.make_vec("RiftValleySolo-v0", num_envs=2, **options),
]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("name", ["frameskip", "max_cycles", "env_config"])
def test_an_unknown_keyword_is_a_type_error_with_pythons_phrase(make: Callable[..., Any], name: str) -> None:
    """TorchRL's `GymEnv` passes ``frameskip``, and goes on without it only then."""
    with pytest.raises(TypeError, match=f"got an unexpected keyword argument '{name}'") as caught:
        make(**{name: 4})
    assert isinstance(caught.value, OptionError)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again)) == (UnknownOptionError, str(caught.value))


def test_an_unknown_keyword_of_stable_baselines3() -> None:
    pytest.importorskip("stable_baselines3")
    for package in (deathvalley_env, riftvalley_env):
        with pytest.raises(UnknownOptionError, match="got an unexpected keyword argument 'frameskip'"):
            package.make_sb3_env(2, frameskip=4)


# --- Seeds and modes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [AECAdapter, ParallelAdapter, GymAdapter, VectorAdapter])
def test_the_seed_of_a_reset_is_kept(made: Made, kind: Any) -> None:
    def fresh() -> Any:
        return kind(*made, **({"opponents": "random"} if kind in (GymAdapter, VectorAdapter) else {}))

    def state(env: Any) -> bytes:
        records: np.ndarray = env.state_records() if kind is VectorAdapter else env.state_record()
        return records.tobytes()

    env = fresh()
    env.reset()
    drawn = env.np_random_seed
    assert type(drawn) is int
    twin = fresh()
    twin.reset(seed=drawn)
    assert state(twin) == state(env)
    env.reset(seed=5)
    assert env.np_random_seed == 5
    env.reset()
    assert env.np_random_seed == 5


@pytest.mark.parametrize("mode", ["NextStep", "SAME_STEP", AutoresetMode.SAME_STEP])
def test_the_autoreset_mode_is_an_attribute(turns: Made, mode: Any) -> None:
    env = VectorAdapter(*turns, num_envs=2, opponents="random", autoreset_mode=mode)
    assert env.autoreset_mode is env.metadata["autoreset_mode"]
    assert env.autoreset_mode in (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP)


# --- Records: what a game gave itself is not checked again ----------------------------------------------------------


def test_a_record_is_checked_once(turns: Made) -> None:
    game = turns[0](**turns[1])
    checked: list[Any] = []

    def check(record: Any) -> None:
        checked.append(record)
        game.check_state(record)

    known = KnownStates(check, game.template, most=2)
    env = AECAdapter(*turns)
    records = []
    for seed in range(4):
        env.reset(seed=seed)
        records.append(env.state_record())
    known.note(records[0])
    known.check(records[0])
    assert not checked
    known.check(records[1])
    known.check(records[1])
    assert len(checked) == 1
    known.check(records[2])  # the first is forgotten
    known.check(records[0])
    assert len(checked) == 3
    changed = records[0].copy()
    changed["deck_size"] = 40
    for wrong in (changed, None, 3, records[0].item(), np.array([records[0]]), np.zeros(2)):
        for _ in range(2):
            with pytest.raises(StateError):
                known.check(wrong)


@pytest.mark.parametrize("kind", [AECAdapter, ParallelAdapter, GymAdapter])
def test_a_record_that_the_environment_gave_is_set_without_a_check(
    made: Made, kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check takes longer than all the rest, and a search sets records by the thousand."""
    env = kind(*made, **({"opponents": "random"} if kind is GymAdapter else {}))
    env.reset(seed=1)
    record = env.state_record()
    foreign = record.copy()
    foreign["rng"] += np.uint64(1)

    def refuse(self: KnownStates, record: Any) -> None:
        raise AssertionError("checked")

    known = (env._learners if kind is GymAdapter else env._table).recipe.known
    monkeypatch.setattr(known, "_check", lambda record: refuse(known, record))
    env.set_state_record(record)
    assert env.state_record() == record
    env.reset(options={"state": record})
    with pytest.raises(AssertionError, match="checked"):
        env.set_state_record(foreign)
