"""`training train --drawn`: one policy for many decks or boards, side by side."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

import torch

from agents import make_agent
from agents.item_network import ItemNetwork
from agents.network import load_network
from deathvalley_env.deck import load_deck, shipped_decks
from training.course import TESTED, TESTED_FROM, UNSEEN_FROM, Course, course_of, drawn_from
from training.games import GAMES, drawn_deck
from training.match import deal_seeds, play_games
from training.opponents import League
from training.ppo import Training
from training.train import BEST, LATEST, Args, learn
from valley_core.decisions import Decisions
from valley_core.errors import OptionError

pytestmark = [
    pytest.mark.filterwarnings("error"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:torch.*"),  # PyTorch's own, on import of some of its parts
]

SMALL: dict[str, Any] = {"envs": 32, "rollout": 16, "minibatch": 128, "hidden": (16, 12), "test_games": 32}
DECKS = Args("deathvalley", drawn=4, **SMALL)
ALONE = Args("deathvalley", drawn=1, drawn_seed=UNSEEN_FROM, **SMALL)
BOARDS = Args("riftvalley", drawn=4, opponents=("self", "random"), **SMALL)


def digests(course: Course) -> list[str]:
    return [course.entry.make(**part.options).options["deck_digest"] for part in course.parts]


def test_a_drawn_deck_is_that_of_its_seed() -> None:
    first = load_deck(shipped_decks()[0])
    order = list(dict.fromkeys(card.hazard for card in first.cards))
    names = {card.name for name in shipped_decks() for card in load_deck(name).cards}
    for seed in range(5):
        deck = drawn_deck(seed)
        assert deck == drawn_deck(seed)
        assert deck.digest != drawn_deck(seed + 1).digest
        assert {card.name for card in deck.cards} < names
        assert list(dict.fromkeys(card.hazard for card in deck.cards)) == order
        assert deck.name == f"drawn {seed}"


def test_decks_are_learnt_on_tested_on_and_kept_apart() -> None:
    course = course_of(DECKS)
    assert course.any_data
    entry = course.entry
    learnt, tested, unseen = (
        [entry.make(**entry.solo["none"], **one).options["deck_digest"] for one in drawn_from(entry, seed, 8)]
        for seed in (0, TESTED_FROM, UNSEEN_FROM)
    )
    assert digests(course) == learnt[:4]
    assert [entry.make(**one).options["deck_digest"] for one in course.tests["none"]] == tested
    assert len({*learnt, *tested, *unseen}) == 3 * TESTED


def test_each_deck_is_in_one_kind_of_game_in_turn() -> None:
    many = course_of(Args("deathvalley", setting="all", drawn=6))
    assert [part.setting for part in many.parts] == [*GAMES["deathvalley"].solo, "none", "discard_points"]
    assert len(set(digests(many))) == 6
    one = course_of(Args("deathvalley", setting="all", drawn=1, drawn_seed=3))
    assert [part.setting for part in one.parts] == list(GAMES["deathvalley"].solo)
    assert set(digests(one)) == {drawn_deck(3).digest}
    assert not one.any_data
    league = course_of(Args("deathvalley", variant="base", drawn=5, opponents=("self", "greedy")))
    assert [part.opponent for part in league.parts] == ["self", "greedy", "self", "greedy", "self"]


def test_boards_are_generated() -> None:
    course = course_of(BOARDS)
    games = [course.entry.make(**part.options) for part in course.parts]
    names = [[name for name, _ in game.options["boards"]] for game in games]
    assert names == [[f"Generated 9 x 9, seed {k}"] for k in range(4)]
    assert list(course.tests) == ["generated boards"]
    assert len({game.layout.size for game in games}) == 1


@pytest.mark.parametrize("args", [DECKS, ALONE, BOARDS], ids=["decks", "alone", "boards"])
def test_what_is_seen_and_what_is_exported(args: Args) -> None:
    """Each game's observation, with the number of its deck for what is constant; the network is the policy on it."""
    training = Training(args, course_of(args))
    training.turn()
    environment, policy = training.environment, training.model.policy
    seen: Any = training.model._last_obs
    network, first = training.network, 0
    assert isinstance(network, ItemNetwork) == (args is DECKS)
    with torch.no_grad():
        logits = policy.action_net(policy.extract_features(torch.as_tensor(seen))).numpy()
        values = policy.predict_values(torch.as_tensor(seen)).numpy()[:, 0]
    for k, part in enumerate(environment.parts):
        states, game = part.vector.state_records(), part.vector.game
        own = slice(first, first + len(states))
        first = own.stop
        whole = Decisions(game, states, part.vector.seats, np.arange(len(states))).observations
        np.testing.assert_array_equal(seen[own, : game.fixed_from], whole[:, : game.fixed_from])
        if args is DECKS:
            assert seen.shape[1] == game.fixed_from + 1
            assert (seen[own, -1] == k).all()
        ours, worth = network.on(game).outputs(whole)
        np.testing.assert_allclose(ours, logits[own], atol=1e-4)
        np.testing.assert_allclose(np.tanh(worth[:, 0]), values[own], atol=1e-4)
    assert environment.observation_space.contains(seen[0])
    assert first == args.envs


def test_the_last_observation_of_a_game_is_like_the_others() -> None:
    environment = course_of(DECKS).environment(8, League(0))
    environment.seed(1)
    environment.reset()
    ended = 0
    while ended < 4:
        _, _, over, infos = environment.step(environment.action_masks().argmax(1))
        for i in np.flatnonzero(over):
            last = infos[i]["terminal_observation"]
            assert environment.observation_space.contains(last)
            assert last[-1] == i // 2
            ended += 1


def test_a_general_network_plays_any_deck_and_one_trained_alone_its_own(tmp_path: Path) -> None:
    unseen = drawn_from(GAMES["deathvalley"], UNSEEN_FROM, 2)
    games = [GAMES["deathvalley"].make(solo=True, **one) for one in unseen]
    for name, args in (("general", DECKS), ("alone", ALONE)):
        folder = tmp_path / name
        rows = learn(Args(**{**vars(args), "steps": 512, "run": folder, "quiet": True}))
        assert [row["games"] for row in rows] == [32, 32]
        assert rows[-1]["illegal"] == rows[-1]["illegal_in_training"] == 0
        about = load_network(folder / BEST)[1]
        assert (about.data is None) == (name == "general")
        assert f"--drawn {args.drawn}" in about.command
    for k, game in enumerate(games):
        for name in ("general", "alone"):
            agent = make_agent(str(tmp_path / name / BEST))
            if (k, name) == (1, "alone"):
                with pytest.raises(OptionError, match=r"was trained on 'drawn 2000000'"):
                    play_games(game, [agent, None], deal_seeds(0, 5))
            else:
                assert not play_games(game, [agent, None], deal_seeds(0, 20))["illegal"].any()


def test_a_policy_begins_with_a_general_network(tmp_path: Path) -> None:
    """One for many decks as it is; one for a deck with the plain network that it is there."""
    short = {"steps": 512, "quiet": True, "test_every": 10_000}
    first, second, third, fourth = (tmp_path / name for name in ("first", "second", "third", "fourth"))
    learn(Args(**{**vars(DECKS), **short, "run": first}))
    on = {"start": first / LATEST, "hidden": (), "learning_rate": 1e-9}
    learn(Args(**{**vars(DECKS), **short, **on, "run": second}))
    learn(Args(**{**vars(ALONE), **short, **on, "run": third}))
    begun, again, alone = (load_network(folder / LATEST)[0] for folder in (first, second, third))
    for one, two in ((begun, again), (begun.on(course_of(ALONE).game), alone)):
        assert one.widths == two.widths == (16, 12)
        for name, layer in one.layers().items():
            for weights, same in zip(layer, two.layers()[name], strict=True):
                np.testing.assert_allclose(weights, same, atol=2e-3)
    learn(Args(**{**vars(ALONE), **short, "drawn_seed": 0, "run": fourth}))
    with pytest.raises(OptionError, match="learns one deck; begin with a network that was trained with --drawn"):
        learn(Args(**{**vars(DECKS), **short, **on, "start": fourth / LATEST, "run": tmp_path / "fifth"}))
