"""Infos under those who stack them: numbers of one shape and kind, under the same names after every step."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv, VectorEnv
from pettingzoo import AECEnv

from valley_core.aec import AECAdapter
from valley_core.game import Game
from valley_core.gym_env import GymAdapter
from valley_core.infos import InfoReader
from valley_core.layout import Field, Layout
from valley_core.parallel import ParallelAdapter
from valley_core.public import wrapped
from valley_core.vector import VectorAdapter

pytestmark = pytest.mark.filterwarnings("error")

Made = tuple[Callable[..., Game], dict[str, Any]]
MODES = [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP]
POLICIES = ["raise", "ignore"]
STEPS = 250


def kinds(infos: Mapping[str, Any]) -> dict[str, Any]:
    """Type, dtype and shape of each entry; fails on what cannot be stacked: None, texts, lists, arrays of objects."""
    found: dict[str, Any] = {}
    for name, value in infos.items():
        if isinstance(value, Mapping):
            found[name] = kinds(value)
        elif isinstance(value, np.ndarray):
            assert value.dtype.kind in "biuf", (name, value.dtype)
            found[name] = (value.dtype, value.shape)
        else:
            assert type(value) in (bool, np.int64), (name, value)  # TorchRL asks for the dtype
            found[name] = type(value)
    return found


def numbers_of(game: Game) -> set[str]:
    """Names of the entries that a game has."""
    return {field.name for field in game.info.fields}


def pick(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random legal action for each game."""
    return (masks * rng.random(masks.shape)).argmax(1)


def check_vector(envs: VectorEnv, mode: AutoresetMode, game: Game) -> None:
    """Play many games to their end; infos are of one kind after every step, also those of the ends."""
    rng = np.random.default_rng(0)
    observation, infos = envs.reset(seed=3)
    expected = kinds(infos)
    assert numbers_of(game) <= set(expected)
    ends, winners = 0, set()
    for _ in range(STEPS):
        observation, _, terminated, truncated, infos = envs.step(pick(observation["action_mask"], rng))
        over = terminated | truncated
        told = infos
        if mode == AutoresetMode.SAME_STEP:
            assert ("final_info" in infos) == over.any()
            infos.pop("final_obs", None)  # observations, not infos
            infos.pop("_final_obs", None)
            told = infos.pop("final_info", {})
            infos.pop("_final_info", None)
            assert not over.any() or kinds(told) == expected
        assert kinds(infos) == expected
        ends += over.sum()
        if over.any():
            winners |= set(told["winner"][over].tolist())
        if mode == AutoresetMode.SAME_STEP:
            over = np.zeros_like(over)  # of the games that were dealt anew
        assert (infos["winner"][~over] == -1).all()
    assert ends > 20
    assert len(winners) > 1
    assert winners <= set(range(-1, game.seats))
    envs.close()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", [SyncVectorEnv, VectorAdapter])
def test_vector_environments(made: Made, kind: Any, mode: AutoresetMode, policy: str) -> None:
    options: dict[str, Any] = {"opponents": "random", "seat": "random", "illegal_action": policy}
    if kind is VectorAdapter:
        envs = VectorAdapter(*made, num_envs=8, autoreset_mode=mode, **options)
    else:
        envs = SyncVectorEnv([lambda: GymAdapter(*made, **options)] * 8, autoreset_mode=mode)
    check_vector(envs, mode, made[0](**made[1]))


@pytest.mark.parametrize("mode", MODES)
def test_a_vector_environment_of_processes(made: Made, mode: AutoresetMode) -> None:
    envs = AsyncVectorEnv([lambda: GymAdapter(*made, opponents="random")] * 4, autoreset_mode=mode)
    check_vector(envs, mode, made[0](**made[1]))


def test_the_native_vector_environment_tells_what_gymnasiums_does(made: Made) -> None:
    for mode in MODES:
        native = VectorAdapter(*made, num_envs=3, opponents="random", autoreset_mode=mode)
        other = SyncVectorEnv([lambda: GymAdapter(*made, opponents="random")] * 3, autoreset_mode=mode)
        (observation, mine), (_, theirs) = native.reset(seed=1), other.reset(seed=1)
        rng = np.random.default_rng(2)
        for _ in range(STEPS):
            check_same(mine, theirs)
            actions = pick(observation["action_mask"], rng)
            observation, *_, mine = native.step(actions)
            *_, theirs = other.step(actions)


def check_same(mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> None:
    """Assert that infos are equal, entry by entry."""
    assert set(mine) == set(theirs)
    for name, value in mine.items():
        if isinstance(value, Mapping):
            check_same(value, theirs[name])
        elif name != "final_obs":
            np.testing.assert_array_equal(value, theirs[name])
            assert value.dtype == theirs[name].dtype, name


def aec_infos(env: AECEnv, games: int) -> Iterator[dict[str, Any]]:
    """The infos of each agent after each step of random games."""
    rng = np.random.default_rng(1)
    for seed in range(games):
        env.reset(seed=seed)
        yield from env.infos.values()
        while env.agents:
            observation, _, terminated, truncated, info = env.last()
            assert kinds(info) == kinds(env.infos[env.agent_selection])
            dead = terminated or truncated
            env.step(None if dead else int(pick(observation["action_mask"][None], rng)[0]))
            yield from env.infos.values()


@pytest.mark.parametrize("policy", [None, *POLICIES])
def test_agents_in_turn(made: Made, policy: str | None) -> None:
    env = wrapped(lambda **options: AECAdapter(*made, **options), policy)
    found = [kinds(info) for info in aec_infos(env, 12)]
    assert all(one == found[0] for one in found)
    assert numbers_of(made[0](**made[1])) <= set(found[0])


@pytest.mark.parametrize("policy", POLICIES)
def test_agents_at_once(made: Made, policy: str) -> None:
    env = ParallelAdapter(*made, illegal_action=policy)
    rng = np.random.default_rng(1)
    found = []
    for seed in range(12):
        observations, infos = env.reset(seed=seed)
        found += [kinds(info) for info in infos.values()]
        while env.agents:
            actions = {agent: int(pick(observations[agent]["action_mask"][None], rng)[0]) for agent in env.agents}
            observations, _, _, _, infos = env.step(actions)
            found += [kinds(info) for info in infos.values()]
    assert all(one == found[0] for one in found)
    assert numbers_of(env.game) <= set(found[0])


def test_stable_baselines3(made: Made) -> None:
    sb3 = pytest.importorskip("valley_core.sb3")
    env = sb3.SB3Adapter(VectorAdapter(*made, num_envs=8, autoreset_mode="SameStep", opponents="random"))
    rng = np.random.default_rng(0)
    env.seed(0)
    env.reset()
    ends = []
    for _ in range(STEPS):
        _, _, dones, infos = env.step(pick(env.action_masks(), rng))
        assert len({id(info) for info in infos}) == env.num_envs  # wrappers write into them
        for done, info in zip(dones, infos, strict=True):
            (ends if done else []).append(kinds(info))
            assert done or info == {"TimeLimit.truncated": False}
    assert len(ends) > 20
    assert all(end == ends[0] for end in ends)
    assert set(ends[0]) == numbers_of(env.vector.game) | {"TimeLimit.truncated", "terminal_observation"}


def test_words_are_apart(made: Made) -> None:
    """They are asked for by a method, or are one entry of the infos of games that ended."""
    env = GymAdapter(*made, opponents="random")
    envs = VectorAdapter(*made, num_envs=1, opponents="random", summaries=True)
    env.reset(seed=0)
    observation, infos = envs.reset(seed=0)
    over, rng = False, np.random.default_rng(0)
    while not over:
        assert "summary" not in infos
        action = pick(observation["action_mask"], rng)
        env.step(action)
        observation, _, terminated, _, infos = envs.step(action)
        over = bool(terminated[0])
    assert infos["_summary"].tolist() == [True]
    assert infos["summary"][0] == env.summary()
    assert isinstance(env.summary()["ending"], str)


def test_the_reader_of_numbers() -> None:
    info = Layout((Field("row", (2,), 0, 9, ""), Field("one", (), 0, 9, ""), Field("last", (3,), 0, 9, "")))
    reader = InfoReader(info)
    numbers = np.arange(6)
    told = reader.of_game(numbers)
    assert {name: np.asarray(value).tolist() for name, value in told.items()} == {
        "row": [0, 1],
        "one": 2,
        "last": [3, 4, 5],
    }
    assert type(told["one"]) is np.int64
    batched = reader.of_games(np.stack([numbers, numbers + 6]))
    assert {name: value.tolist() for name, value in batched.items()} == {
        "row": [[0, 1], [6, 7]],
        "one": [2, 8],
        "last": [[3, 4, 5], [9, 10, 11]],
    }
