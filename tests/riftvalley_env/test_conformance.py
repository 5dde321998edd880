"""The conformance tests of PettingZoo, Gymnasium and Stable-Baselines3, with warnings as errors."""

from collections.abc import Callable
from typing import Any

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test

import riftvalley_env
from riftvalley_env import riftvalley_v0
from tests.valley_core.conformance import (
    WARNINGS,
    check_gymnasiums_own_vectors,
    check_illegal_action_in_wrappers,
    check_own_policy_in_wrappers,
    no_warning_in_the_log,  # noqa: F401  (a fixture)
)

pytestmark = WARNINGS

TABLES: list[dict[str, Any]] = [
    {"num_players": 2},
    {"num_players": 3, "boards": "identical", "actions": "flat"},
    {"num_players": 4, "reward": "shaped", "deal": "fixed"},
    {"num_players": 5, "reward": "margin", "max_turns": 12},
]


@pytest.mark.parametrize("options", TABLES, ids=str)
@pytest.mark.parametrize("make", [riftvalley_v0.env, riftvalley_v0.raw_env])
def test_pettingzoo_aec(make: Callable[..., Any], options: dict[str, Any]) -> None:
    api_test(make(**options), num_cycles=300)


@pytest.mark.parametrize("options", TABLES, ids=str)
def test_pettingzoo_parallel(options: dict[str, Any]) -> None:
    parallel_api_test(riftvalley_v0.parallel_env(**options), num_cycles=150)


@pytest.mark.parametrize("options", TABLES, ids=str)
@pytest.mark.parametrize("make", [riftvalley_v0.env, riftvalley_v0.raw_env])
def test_pettingzoo_seeds(make: Callable[..., Any], options: dict[str, Any]) -> None:
    seed_test(lambda: make(**options), num_cycles=100)


@pytest.mark.parametrize("options", TABLES, ids=str)
def test_pettingzoo_parallel_seeds(options: dict[str, Any]) -> None:
    # It plays random actions without a mask.
    parallel_seed_test(lambda: riftvalley_v0.parallel_env(illegal_action="ignore", **options), num_cycles=100)


@pytest.mark.parametrize("make", [riftvalley_v0.env, riftvalley_v0.raw_env])
def test_pettingzoo_rendering(make: Callable[..., Any]) -> None:
    render_test(make)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_an_illegal_action_in_pettingzoos_wrappers_ends_the_game(players: int) -> None:
    game = riftvalley_v0.env(num_players=players)
    wait = game.unwrapped.game.wait
    check_illegal_action_in_wrappers(game, wait)
    for policy in ("lose", "ignore"):
        ours = riftvalley_v0.env(num_players=players, illegal_action=policy)
        check_own_policy_in_wrappers(ours, wait, policy == "lose")


@pytest.mark.parametrize("policy", ["ignore", "lose"])
@pytest.mark.parametrize("options", TABLES, ids=str)
def test_gymnasium(options: dict[str, Any], policy: str) -> None:
    # It plays random actions without a mask.
    env = gymnasium.make("RiftValleySolo-v0", illegal_action=policy, seat="random", **options)
    check_env(env.unwrapped)


def test_gymnasium_make() -> None:
    env = gymnasium.make("RiftValleySolo-v0", num_players=3, opponents=["random"] * 2, render_mode="ansi")
    _, info = env.reset(seed=1)
    over = False
    while not over:
        _, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
        over = terminated or truncated
    assert isinstance(env.render(), str)
    assert env.unwrapped.game.options["num_players"] == 3
    assert env.get_wrapper_attr("action_masks")().any()


def test_gymnasium_make_vec() -> None:
    env = gymnasium.make_vec("RiftValleySolo-v0", num_envs=5, boards="identical", autoreset_mode="SameStep")
    assert isinstance(env.unwrapped, riftvalley_v0.VectorAdapter)
    observation, _ = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    assert env.action_space.shape == (5,)


@pytest.mark.parametrize(("context", "players"), [("fork", 3), ("spawn", 2)])
def test_gymnasiums_own_vector_environments_play_the_same_games(context: str, players: int) -> None:
    native = riftvalley_env.make_vec(2, num_players=players)
    check_gymnasiums_own_vectors(native, "riftvalley_env:RiftValleySolo-v0", context, 60, num_players=players)


def test_pettingzoos_registry() -> None:
    registry = pytest.importorskip("pettingzoo.env_registry", reason="this release of PettingZoo has no registry")
    assert str(registry.registration.make("aec", "riftvalley_v0")) == "riftvalley_v0"
    parallel = registry.registration.make("parallel", "riftvalley_v0", num_players=4)
    assert len(parallel.possible_agents) == 4


@pytest.mark.parametrize("options", TABLES, ids=str)
def test_stable_baselines3(options: dict[str, Any]) -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(riftvalley_env.solo_env(illegal_action="ignore", **options))


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_stable_baselines3_in_batches(players: int) -> None:
    pytest.importorskip("stable_baselines3")
    envs = riftvalley_env.make_sb3_env(4, num_players=players, boards="identical", seat="random")
    observation = envs.reset()
    ended = 0
    for _ in range(80):
        assert envs.observation_space.contains(observation[0])
        observation, _, dones, infos = envs.step(envs.action_masks().argmax(1))
        ended += dones.sum()
        assert all(("terminal_observation" in info) == done for info, done in zip(infos, dones, strict=True))
    assert ended > 0
