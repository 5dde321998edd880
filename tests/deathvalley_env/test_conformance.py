"""The conformance tests of PettingZoo, Gymnasium and Stable-Baselines3, with warnings as errors."""

from collections.abc import Callable
from typing import Any

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test

import deathvalley_env
from deathvalley_env import deathvalley_v0
from tests.valley_core.conformance import (
    WARNINGS,
    check_gymnasiums_own_vectors,
    check_illegal_action_in_wrappers,
    check_own_policy_in_wrappers,
    no_warning_in_the_log,  # noqa: F401  (a fixture)
)

pytestmark = WARNINGS

VARIANTS: list[dict[str, Any]] = [
    {},
    {"variant": "backseat", "deck": "death_valley"},
    {"ask_forced": True, "reward": "shaped", "first_player": 1},
    {"reward": "margin", "card_facts": False, "max_turns": 12},
]


@pytest.mark.parametrize("options", VARIANTS)
@pytest.mark.parametrize("make", [deathvalley_v0.env, deathvalley_v0.raw_env])
def test_pettingzoo_aec(make: Callable[..., Any], options: dict[str, Any]) -> None:
    api_test(make(**options), num_cycles=300)


@pytest.mark.parametrize("options", VARIANTS)
def test_pettingzoo_parallel(options: dict[str, Any]) -> None:
    parallel_api_test(deathvalley_v0.parallel_env(**options), num_cycles=300)


@pytest.mark.parametrize("options", VARIANTS)
@pytest.mark.parametrize("make", [deathvalley_v0.env, deathvalley_v0.raw_env])
def test_pettingzoo_seeds(make: Callable[..., Any], options: dict[str, Any]) -> None:
    seed_test(lambda: make(**options))


@pytest.mark.parametrize("options", VARIANTS)
def test_pettingzoo_parallel_seeds(options: dict[str, Any]) -> None:
    # It plays random actions without a mask.
    parallel_seed_test(lambda: deathvalley_v0.parallel_env(illegal_action="ignore", **options))


@pytest.mark.parametrize("make", [deathvalley_v0.env, deathvalley_v0.raw_env])
def test_pettingzoo_rendering(make: Callable[..., Any]) -> None:
    render_test(make)


def test_an_illegal_action_in_pettingzoos_wrappers_ends_the_game() -> None:
    check_illegal_action_in_wrappers(deathvalley_v0.env(), 41)
    for policy in ("lose", "ignore"):
        check_own_policy_in_wrappers(deathvalley_v0.env(illegal_action=policy), 41, policy == "lose")


@pytest.mark.parametrize("policy", ["ignore", "lose"])
@pytest.mark.parametrize("options", [{}, {"discard_points": True, "must_outbust": True}, {"opponents": "random"}])
def test_gymnasium(options: dict[str, Any], policy: str) -> None:
    # It plays random actions without a mask.
    env = gymnasium.make("DeathValleySolo-v0", illegal_action=policy, **options)
    check_env(env.unwrapped)


def test_gymnasium_make() -> None:
    env = gymnasium.make("DeathValleySolo-v0", discard_points=True, render_mode="ansi")
    _, info = env.reset(seed=1)
    over = False
    while not over:
        _, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
        over = terminated or truncated
    assert isinstance(env.render(), str)
    assert env.unwrapped.game.options["discard_points"] is True
    assert env.get_wrapper_attr("action_masks")().any()


def test_gymnasium_make_vec() -> None:
    env = gymnasium.make_vec("DeathValleySolo-v0", num_envs=5, must_outbust=True, autoreset_mode="SameStep")
    assert isinstance(env.unwrapped, deathvalley_env.deathvalley_v0.VectorAdapter)
    observation, _ = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    assert env.action_space.shape == (5,)


@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_gymnasiums_own_vector_environments_play_the_same_games(context: str) -> None:
    check_gymnasiums_own_vectors(deathvalley_env.make_vec(2), "deathvalley_env:DeathValleySolo-v0", context, 60)


def test_pettingzoos_registry() -> None:
    registry = pytest.importorskip("pettingzoo.env_registry", reason="this release of PettingZoo has no registry")
    assert str(registry.registration.make("aec", "deathvalley_v0")) == "deathvalley_v0"
    parallel = registry.registration.make("parallel", "deathvalley_v0", variant="backseat")
    assert parallel.game.options["variant"] == "backseat"


def test_stable_baselines3() -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(deathvalley_env.solo_env(illegal_action="ignore"))
