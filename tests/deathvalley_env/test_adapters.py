"""The environments of the game, over all its variants and options."""

import copy
import doctest
import itertools
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import deathvalley_env
from deathvalley_env import deathvalley_v0
from deathvalley_env.deck import Deck
from deathvalley_env.vocabulary import Ending
from valley_core.errors import OptionError, StateError

pytestmark = pytest.mark.filterwarnings("error")

DECKS = ("highs_and_lows", "death_valley")
TWO_PLAYERS: list[dict[str, Any]] = [
    {"deck": deck, "variant": variant, "ask_forced": ask, "reward": reward, "card_facts": facts}
    for (deck, variant, ask), (reward, facts) in zip(
        itertools.product(DECKS, ("base", "backseat"), (False, True)),
        itertools.cycle([("win", True), ("margin", False), ("shaped", True)]),
        strict=False,
    )
]
SOLO: list[dict[str, Any]] = [
    {"deck": deck, "discard_points": points, "must_outbust": outbust, "ask_forced": ask, "reward": reward}
    for (deck, points, outbust), (ask, reward) in zip(
        itertools.product(DECKS, (False, True), (False, True)),
        itertools.cycle([(False, "win"), (True, "shaped"), (False, "margin")]),
        strict=False,
    )
]


@pytest.mark.parametrize("options", TWO_PLAYERS, ids=str)
def test_observations_of_random_games_lie_in_their_space(options: dict[str, Any]) -> None:
    env = deathvalley_v0.raw_env(**options)
    rng = np.random.default_rng(0)
    for seed in range(25):
        env.reset(seed=seed)
        while not any(env.terminations.values()):
            for agent in env.agents:
                assert env.observation_space(agent).contains(env.observe(agent))
            env.step(rng.choice(np.flatnonzero(env.action_masks())))
        for agent in env.agents:
            assert env.observation_space(agent).contains(env.observe(agent))


@pytest.mark.parametrize("options", SOLO, ids=str)
def test_observations_of_random_solo_games_lie_in_their_space(options: dict[str, Any]) -> None:
    envs = deathvalley_v0.make_vec(64, **options)
    space, rng = envs.single_observation_space, np.random.default_rng(0)
    low, high = space["observation"].low, space["observation"].high
    observation, _ = envs.reset(seed=0)
    ended = 0
    for _ in range(150):
        assert ((observation["observation"] >= low) & (observation["observation"] <= high)).all()
        assert space.contains({name: array[0] for name, array in observation.items()})
        assert set(np.unique(observation["action_mask"])) <= {0, 1}
        assert observation["action_mask"].any(1).all()
        noise = rng.random(observation["action_mask"].shape)
        observation, rewards, terminated, *_ = envs.step((observation["action_mask"] * noise).argmax(1))
        assert (np.abs(rewards) <= 2 * envs.game.greatest_reward).all()
        ended += terminated.sum()
    assert ended > 64


@pytest.mark.parametrize("options", [{}, {"discard_points": True, "must_outbust": True, "ask_forced": True}], ids=str)
def test_masks_are_what_can_be_done(options: dict[str, Any]) -> None:
    """Every action is tried in every position of some games."""
    env, probe = (deathvalley_v0.solo_env(**options) for _ in range(2))
    rng = np.random.default_rng(0)
    for seed in range(3):
        env.reset(seed=seed)
        probe.reset(seed=seed)
        over = False
        while not over:
            record = env.state_record()
            mask = env.action_masks()
            for action in range(env.game.num_actions):
                probe.set_state_record(record)
                if mask[action]:
                    probe.step(action)
                    assert probe.state_record() != record
                else:
                    with pytest.raises(ValueError, match="not legal now"):
                        probe.step(action)
                    assert probe.state_record().tobytes() == record.tobytes()
            over = env.step(rng.choice(np.flatnonzero(mask)))[2]


def test_what_is_hidden_is_not_observed() -> None:
    env = deathvalley_v0.raw_env()
    env.reset(seed=1)
    for _ in range(6):
        env.step(int(env.action_masks().argmax()))
    seen = {agent: env.observe(agent) for agent in env.agents}
    record = env.state_record()
    size = int(record["deck_size"])
    for turned in range(1, size):
        other = record.copy()
        other["deck"][:size] = np.roll(record["deck"][:size], turned)
        other["rng"] += np.uint64(1)
        env.set_state_record(other)
        for agent, observation in seen.items():
            np.testing.assert_array_equal(env.observe(agent)["observation"], observation["observation"])
            np.testing.assert_array_equal(env.observe(agent)["action_mask"], observation["action_mask"])


def test_the_solo_winner_and_reward_agree() -> None:
    env = deathvalley_v0.solo_env()
    rng = np.random.default_rng(0)
    outcomes = set()
    for seed in range(60):
        env.reset(seed=seed)
        over = False
        while not over:
            _, reward, over, _, info = env.step(rng.choice(np.flatnonzero(env.action_masks())))
            assert over or reward == 0
        assert reward == {0: 1.0, 1: -1.0, -1: 0.0}[info["winner"]]
        summary = env.summary()
        assert {"by_kind", "by_card"} <= set(summary)
        assert info["scores"].tolist() == summary["scores"]
        assert info["busts"].tolist() == summary["busts"]
        assert info["turns"] == summary["turns"]
        assert Ending(info["ending"]).name.lower() == summary["ending"]
        assert summary["winner"] == (None if info["winner"] < 0 else info["winner"])
        outcomes.add(info["winner"])
    assert outcomes >= {0, 1}


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: deathvalley_v0.raw_env(variant="front"), "variant='front'"),
        (lambda: deathvalley_v0.raw_env(colour=1), "unexpected keyword argument 'colour'"),
        (lambda: deathvalley_v0.raw_env(solo=True), "solo_env"),
        (lambda: deathvalley_v0.parallel_env(solo=True), "solo_env"),
        (lambda: deathvalley_v0.raw_env(discard_points=True), "solo"),
        (lambda: deathvalley_v0.solo_env(solo=False), "opponents"),
        (lambda: deathvalley_v0.solo_env(solo=True, opponents="random"), "opponents"),
        (lambda: deathvalley_v0.solo_env(variant="base"), "Backseat variant"),
        (lambda: deathvalley_v0.make_vec(2, variant="base"), "Backseat variant"),
        (lambda: deathvalley_v0.make_vec(10**11), "num_envs 100,000,000,000 would need about"),
        (lambda: deathvalley_v0.solo_env(seat=1), "seat=1"),
        (lambda: deathvalley_v0.solo_env(seat="random"), "seat='random'"),
        (lambda: deathvalley_v0.solo_env(opponents="random", must_outbust=True), "solo"),
        (lambda: deathvalley_v0.solo_env(opponents="greedy"), "make_agent"),
        (lambda: deathvalley_v0.solo_env(first_player=1), "first_player"),
        (lambda: deathvalley_v0.make_vec(0), "num_envs"),
        (lambda: deathvalley_v0.make_vec(2, seat=1), "seat=1"),
        (lambda: deathvalley_v0.raw_env(max_turns=0), "max_turns"),
    ],
)
def test_wrong_options(call: Any, match: str) -> None:
    with pytest.raises(OptionError, match=match):
        call()


def test_a_deck_file_that_goes_away_does_not_matter(tmp_path: Path) -> None:
    shipped = Path(deathvalley_env.__file__).parent / "decks" / "death_valley.toml"
    path = tmp_path / "mine.toml"
    path.write_text(shipped.read_text(encoding="utf-8"), encoding="utf-8")
    env = deathvalley_v0.raw_env(deck=str(path))
    env.reset(seed=1)
    pickled = pickle.dumps(env)
    path.unlink()
    for twin in (pickle.loads(pickled), copy.deepcopy(env)):
        assert twin.state_record() == env.state_record()
        assert twin.game.action_names == env.game.action_names
        twin.step(int(twin.action_masks().argmax()))


def test_a_drawn_deck() -> None:
    deck = deathvalley_env.draw_deck(DECKS, seed=3)
    assert isinstance(deck, Deck)
    env = deathvalley_v0.solo_env(deck=deck)
    env.reset(seed=0)
    assert env.step(int(env.action_masks().argmax()))[0]["observation"].any()


def test_wrapped_environments_are_copied_in_the_middle_of_a_game() -> None:
    env = deathvalley_v0.env()
    env.reset(seed=1)
    for _ in range(7):
        env.step(int(env.last()[0]["action_mask"].argmax()))
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        mine = copy.deepcopy(env)
        while mine.agents:
            observation, reward, over, _, _ = mine.last()
            theirs = twin.last()
            assert twin.agent_selection == mine.agent_selection
            assert (theirs[1], theirs[2]) == (reward, over)
            np.testing.assert_array_equal(theirs[0]["observation"], observation["observation"])
            action = None if over else int(observation["action_mask"].argmax())
            mine.step(action)
            twin.step(action)


def test_records_of_another_game_are_refused() -> None:
    env = deathvalley_v0.raw_env()
    env.reset(seed=0)
    solo = deathvalley_v0.solo_env()
    for wrong in (np.zeros((), np.int64), {"deck": 1}, None):
        if wrong is not None:
            with pytest.raises(StateError):
                solo.reset(options={"state": wrong})
    with pytest.raises(StateError):
        env.set_state_record(None)


def test_examples_in_the_documentation() -> None:
    failed, tried = doctest.testmod(deathvalley_v0)
    assert failed == 0
    assert tried > 20
