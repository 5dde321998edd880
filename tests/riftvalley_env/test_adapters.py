"""The environments of the game, over all numbers of players and options."""

import copy
import doctest
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import riftvalley_env
from riftvalley_env import riftvalley_v0
from riftvalley_env.board import Board, BoardError
from riftvalley_env.generator import generate_board
from riftvalley_env.vocabulary import Ending
from tests.valley_core.courses import in_bytes, solo_course
from tests.valley_core.opponents import Cheat, Dice, Lowest
from valley_core.errors import IllegalActionError, OptionError, StateError

pytestmark = pytest.mark.filterwarnings("error")

TABLES: list[dict[str, Any]] = [
    {"num_players": players, "boards": boards, "actions": actions, "reward": reward, "deal": deal}
    for players, boards, actions, reward, deal in [
        (2, "asymmetrical", "two_step", "win", "shuffled"),
        (2, "identical", "flat", "margin", "shuffled"),
        (3, "asymmetrical", "flat", "shaped", "fixed"),
        (3, "identical", "two_step", "win", "shuffled"),
        (4, "asymmetrical", "two_step", "margin", "shuffled"),
        (4, "identical", "flat", "win", "shuffled"),
        (5, "asymmetrical", "two_step", "shaped", "fixed"),
        (5, "identical", "two_step", "margin", "shuffled"),
    ]
]


@pytest.mark.parametrize("options", TABLES, ids=str)
def test_observations_of_random_games_lie_in_their_space(options: dict[str, Any]) -> None:
    env = riftvalley_v0.raw_env(**options)
    rng = np.random.default_rng(0)
    for seed in range(3):
        env.reset(seed=seed)
        while not any(env.terminations.values()):
            agent = env.agent_selection
            assert env.observation_space(agent).contains(env.observe(agent))
            env.step(rng.choice(np.flatnonzero(env.action_masks())))
        for agent in env.agents:
            assert env.observation_space(agent).contains(env.observe(agent))


@pytest.mark.parametrize("options", TABLES, ids=str)
def test_batches_of_random_games(options: dict[str, Any]) -> None:
    envs = riftvalley_v0.make_vec(32, seat="random", **options)
    space, rng = envs.single_observation_space, np.random.default_rng(0)
    low, high = space["observation"].low, space["observation"].high
    observation, _ = envs.reset(seed=0)
    ended = 0
    for _ in range(120):
        assert ((observation["observation"] >= low) & (observation["observation"] <= high)).all()
        assert set(np.unique(observation["action_mask"])) <= {0, 1}
        assert observation["action_mask"].any(1).all()
        noise = rng.random(observation["action_mask"].shape)
        observation, rewards, terminated, *_ = envs.step((observation["action_mask"] * noise).argmax(1))
        assert (np.abs(rewards) <= 2 * envs.game.greatest_reward).all()
        ended += terminated.sum()
    assert ended > 32


def test_summaries_of_shared_victories_beside_others() -> None:
    envs = riftvalley_v0.make_vec(64, boards="identical", summaries=True)
    rng = np.random.default_rng(0)
    observation, _ = envs.reset(seed=0)
    winners: list[int | None] = []
    numbers: list[int] = []
    for _ in range(150):
        noise = rng.random(observation["action_mask"].shape)
        observation, _, terminated, _, infos = envs.step((observation["action_mask"] * noise).argmax(1))
        if terminated.any():
            winners += [summary["winner"] for summary in infos["summary"][infos["_summary"]]]
            numbers += infos["winner"][terminated].tolist()
    assert set(winners) == {0, 1, None}
    assert [-1 if winner is None else winner for winner in winners] == numbers


@pytest.mark.parametrize("options", TABLES, ids=str)
def test_nothing_is_learnt_of_anothers_element_in_the_same_turn(options: dict[str, Any]) -> None:
    """What a seat sees and may do depends on its own decisions of the turn and on finished turns alone."""
    env, twin = (riftvalley_v0.raw_env(**options) for _ in range(2))
    rng = np.random.default_rng(1)
    differing = 0
    for seed in range(2):
        env.reset(seed=seed)
        turn, before = -1, {}
        while not any(env.terminations.values()):
            record = env.state_record()
            if int(record["turn"]) != turn:
                turn = int(record["turn"])
                before = {agent: env.observe(agent) for agent in env.agents}
                twin.reset(options={"state": record})
            # The selected agent and all after it see what they saw before anybody decided, unless they have begun.
            for agent in env.agents[env.agents.index(env.agent_selection) + 1 :]:
                same(env.observe(agent), before[agent])
            for agent in env.agents[: env.agents.index(env.agent_selection)]:
                np.testing.assert_array_equal(env.observe(agent)["observation"], before[agent]["observation"])
                assert np.flatnonzero(env.observe(agent)["action_mask"]).tolist() == [env.game.wait]
            # In the twin the seats before it decide otherwise.
            while twin.agent_selection != env.agent_selection:
                twin.step(rng.choice(np.flatnonzero(twin.action_masks())))
            same(env.observe(env.agent_selection), twin.observe(env.agent_selection))
            differing += env.state_record() != twin.state_record()
            action = rng.choice(np.flatnonzero(env.action_masks()))
            agent = env.agent_selection
            env.step(action)
            if env.agent_selection == agent and int(env.state_record()["turn"]) == turn:
                twin.step(action)
    assert differing > 20


def same(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> None:
    """Assert that two observations are equal, masks included."""
    for part in ("observation", "action_mask"):
        np.testing.assert_array_equal(one[part], other[part])


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_rewards_infos_and_winners_agree(players: int) -> None:
    env = riftvalley_v0.parallel_env(num_players=players, boards="identical")
    rng = np.random.default_rng(0)
    for seed in range(10):
        env.reset(seed=seed)
        rewards: dict[str, float] = {}
        while env.agents:
            assert set(rewards.values()) <= {0.0}
            actions = {
                agent: int(rng.choice(np.flatnonzero(mask)))
                for agent, mask in zip(env.agents, env.action_masks(), strict=True)
            }
            _, rewards, _, _, infos = env.step(actions)
        summary = env.summary()
        winners = summary["winners"]
        for seat, agent in enumerate(env.possible_agents):
            info = infos[agent]
            assert {"by_kind", "by_board", "boards"} <= set(summary)
            assert info["scores"].tolist() == summary["scores"]
            assert info["ranks"].tolist() == summary["ranks"]
            assert np.flatnonzero(info["winners"]).tolist() == winners
            assert info["winner"] == (winners[0] if len(winners) == 1 else -1)
            assert info["turns"] == summary["turns"]
            assert Ending(info["ending"]).name.lower() == summary["ending"]
            share = 1 / len(winners) if seat in winners else -1 / (players - len(winners))
            assert rewards[agent] == pytest.approx(share if len(winners) < players else 0)


def test_opponents_of_many_kinds() -> None:
    """One opponent for each other seat, beginning to the learner's left."""
    rivals = [Lowest(), Dice(), Lowest()]
    mixed = riftvalley_v0.solo_env(num_players=4, opponents=rivals, seat=2, boards="identical")
    assert len(solo_course(mixed, 3, 40)) == 40
    assert all(rival.starts for rival in rivals)
    again = riftvalley_v0.solo_env(num_players=4, opponents=[Lowest(), Dice(), Lowest()], seat=2, boards="identical")
    assert in_bytes(solo_course(again, 3, 40)) == in_bytes(solo_course(mixed, 3, 40))
    named = riftvalley_v0.solo_env(num_players=3, opponents=["random", "random"], seat=2)
    assert in_bytes(solo_course(named, 3, 40)) == in_bytes(
        solo_course(riftvalley_v0.solo_env(num_players=3, seat=2), 3, 40)
    )


def test_an_opponent_that_cheats_is_found_out() -> None:
    env = riftvalley_v0.solo_env(opponents=Cheat(), seat=1)
    with pytest.raises(IllegalActionError):
        env.reset(seed=0)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: riftvalley_v0.raw_env(num_players=1), "num_players=1"),
        (lambda: riftvalley_v0.raw_env(num_players=6), "num_players=6"),
        (lambda: riftvalley_v0.raw_env(colour=1), "unexpected keyword argument 'colour'"),
        (lambda: riftvalley_v0.raw_env(actions="one"), "actions='one'"),
        (lambda: riftvalley_v0.raw_env(deal="random"), "deal='random'"),
        (lambda: riftvalley_v0.raw_env(boards=3), "boards is"),
        (lambda: riftvalley_v0.raw_env(boards=["identical", "identical"], num_players=3), "boards has 2"),
        (lambda: riftvalley_v0.raw_env(max_turns=0), "max_turns"),
        (lambda: riftvalley_v0.parallel_env(reward="points"), "reward='points'"),
        (lambda: riftvalley_v0.solo_env(opponents=None), "no solo play"),
        (lambda: riftvalley_v0.solo_env(num_players=3, opponents=["random"]), "1 given"),
        (lambda: riftvalley_v0.solo_env(opponents="greedy"), "make_agent"),
        (lambda: riftvalley_v0.solo_env(seat=2), "seat=2"),
        (lambda: riftvalley_v0.make_vec(0), "num_envs"),
        (lambda: riftvalley_v0.make_vec(2, opponents=None), "no solo play"),
    ],
)
def test_wrong_options(call: Any, match: str) -> None:
    with pytest.raises(OptionError, match=match):
        call()


def test_wrong_boards() -> None:
    with pytest.raises(BoardError, match=r"did you mean .lion_rocks"):
        riftvalley_v0.raw_env(boards="lion_rock")


def test_board_files_that_go_away_do_not_matter(tmp_path: Path) -> None:
    paths = []
    for seed in range(3):
        paths.append(tmp_path / f"{seed}.txt")
        paths[-1].write_text(generate_board(seed, 6, 7 + seed, kobs=3, trees=1, water=1).to_text(), encoding="utf-8")
    for boards in (str(paths[0]), paths, [str(path) for path in paths]):
        env = riftvalley_v0.raw_env(boards=boards, num_players=2)
        env.reset(seed=1)
        pickled = pickle.dumps(env)
        texts = [path.read_text(encoding="utf-8") for path in paths]
        for path in paths:
            path.unlink()
        for twin in (pickle.loads(pickled), copy.deepcopy(env)):
            assert twin.state_record() == env.state_record()
            assert twin.game.action_names == env.game.action_names
            assert (twin.game.data == env.game.data).all()
            twin.step(int(twin.action_masks().argmax()))
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text, encoding="utf-8")


def test_generated_boards() -> None:
    board = riftvalley_env.generate_board(3, 6, 8, kobs=2, elephants=2, lions=1, trees=1, water=1)
    assert isinstance(board, Board)
    env = riftvalley_v0.solo_env(boards=board, num_players=4)
    env.reset(seed=0)
    assert env.step(int(env.action_masks().argmax()))[0]["observation"].any()


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_wrapped_environments_are_copied_in_the_middle_of_a_game(players: int) -> None:
    env = riftvalley_v0.env(num_players=players, boards="identical")
    env.reset(seed=1)
    rng = np.random.default_rng(0)
    for _ in range(5 * players + 1):  # in the middle of a turn
        env.step(int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"]))))
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        mine = copy.deepcopy(env)
        while mine.agents:
            observation, reward, over, _, _ = mine.last()
            theirs = twin.last()
            assert twin.agent_selection == mine.agent_selection
            assert (theirs[1], theirs[2]) == (reward, over)
            same(theirs[0], observation)
            action = None if over else int(rng.choice(np.flatnonzero(observation["action_mask"])))
            mine.step(action)
            twin.step(action)


def test_records_of_another_game_are_refused() -> None:
    env = riftvalley_v0.raw_env(num_players=3)
    env.reset(seed=0)
    record = env.state_record()
    for other in (riftvalley_v0.raw_env(num_players=4), riftvalley_v0.raw_env(num_players=3, actions="flat")):
        with pytest.raises(StateError):
            other.reset(options={"state": record})
    for wrong in (np.zeros((), np.int64), {"turn": 1}):
        with pytest.raises(StateError):
            env.reset(options={"state": wrong})
    with pytest.raises(StateError):
        env.set_state_record(None)
    assert env.state_record() == record


def test_examples_in_the_documentation() -> None:
    failed, tried = doctest.testmod(riftvalley_v0)
    assert failed == 0
    assert tried > 20
