"""The facts of the game, its options, and that its bounds hold in many random games."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deathvalley_env.deck import DeckError, deck_from_dict, load_deck
from deathvalley_env.game import DECISIONS_OF_A_TURN, make_game
from deathvalley_env.vocabulary import NUM_CARDS
from tests.reference.deathvalley import random_deck
from valley_core.errors import OptionError
from valley_core.game import Game, Reward, Status

VARIANTS: dict[str, dict[str, Any]] = {
    "base": {},
    "backseat": {"variant": "backseat"},
    "base at the turn limit": {"max_turns": 7},
    "base truncated": {"max_turns": 7, "turn_limit": "truncate"},
    "asking forced decisions": {"ask_forced": True, "variant": "backseat"},
    "solo": {"solo": True},
    "solo both": {"solo": True, "discard_points": True, "must_outbust": True},
}


def play(game: Game, seed: int) -> list[bytes]:
    """A random game: its states as bytes; the bounds that the game states are checked on the way."""
    state, data, kernels = game.new_states(1)[0], game.data[0], game.kernels
    mask, totals = np.zeros(game.num_actions, np.uint8), np.zeros(2)
    choose = random.Random(seed)
    state["rng"] = seed
    kernels.reset(state, data)
    course, turn, of_turn = [state.tobytes()], 0, 0
    while kernels.status(state) == Status.RUNNING:
        seat = kernels.to_act(state)
        assert kernels.asked(state, seat)
        assert not kernels.asked(state, 1 - seat)
        kernels.legal(state, data, seat, mask)
        kernels.step(state, data, seat, int(choose.choice(np.flatnonzero(mask))))
        course.append(state.tobytes())
        if int(state["turn"]) != turn:
            turn, of_turn = int(state["turn"]), 0
        of_turn += 1
        assert of_turn <= DECISIONS_OF_A_TURN
        kernels.returns(state, data, int(game.reward), totals)
        assert totals.sum() == 0
        assert game.least_reward <= totals.min() <= totals.max() <= game.greatest_reward
    assert kernels.to_act(state) == -1
    assert not kernels.asked(state, 0)
    assert not kernels.asked(state, 1)
    assert len(course) - 1 <= game.max_decisions
    assert turn <= game.max_turns
    status, ended = Status(kernels.status(state)), game.summary(state, data)["ending"]
    assert (status == Status.TRUNCATED) == (ended == "truncated")
    assert (status == Status.TURN_LIMIT) == (ended == "turn_limit")
    return course


def test_facts() -> None:
    game = make_game()
    assert (game.name, game.package, game.seats, game.simultaneous) == ("deathvalley", "deathvalley_env", 2, False)
    assert game.agents == ["player_0", "player_1"]
    assert game.hidden == "the order of the deck"
    assert game.reward == Reward.WIN
    assert (game.max_turns, game.max_decisions) == (200, 200 * DECISIONS_OF_A_TURN)
    assert (game.least_reward, game.greatest_reward) == (-1, 1)
    shaped = make_game(reward="shaped")
    assert (shaped.least_reward, shaped.greatest_reward) == (-1.5, 1.5)
    assert game.data.shape == (1,)
    assert game.fixed.dtype == np.float32
    assert game.new_states(3).shape == (3,)


@pytest.mark.parametrize("deck", ["highs_and_lows", "death_valley"])
def test_action_names(deck: str) -> None:
    game = make_game(deck=deck)
    cards = [card.name for card in load_deck(deck).cards]
    assert list(game.action_names[:4]) == [
        "travel face-up",
        "travel top",
        "travel face-up to the other Journey",
        "rest",
    ]
    assert list(game.action_names[4:22]) == [f"ability of {name}" for name in cards]
    assert list(game.action_names[22:40]) == [f"card {name}" for name in cards]
    assert list(game.action_names[40:]) == ["done", "wait"]
    assert len(set(game.action_names)) == game.num_actions == 6 + 2 * NUM_CARDS


@pytest.mark.parametrize("reward", ["win", "margin", "shaped"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_bounds_hold_in_random_games(variant: str, reward: str) -> None:
    ended = 0
    for number in range(8):
        deck = deck_from_dict({"name": "random", "card": random_deck(random.Random(number))})
        for cards in ("highs_and_lows", "death_valley", deck):
            ended += len(play(make_game(deck=cards, reward=reward, **VARIANTS[variant]), number)) > 2
    assert ended == 24


def test_a_seed_fixes_the_game() -> None:
    for options in VARIANTS.values():
        assert play(make_game(**options), 5) == play(make_game(**options), 5)
        assert play(make_game(**options), 5) != play(make_game(**options), 6)


def test_a_new_game_forgets_the_last_one() -> None:
    """`reset` writes every field that a game begins with, whatever was played in the record."""
    for options in VARIANTS.values():
        game = make_game(**options)
        used, fresh = game.new_states(2)
        for seed in range(5):
            course = play(game, seed)
            used = np.frombuffer(course[-1], game.template.dtype)[0].copy()
            fresh["rng"] = used["rng"] = seed + 100
            for state in (used, fresh):
                game.kernels.reset(state, game.data[0])
            shown = [game.describe(state, game.data[0]) for state in (used, fresh)]
            assert shown[0] == shown[1]
            assert used.tobytes() == fresh.tobytes()


def test_options_are_reported() -> None:
    game = make_game(
        deck="death_valley", solo=True, must_outbust=True, reward="margin", max_turns=np.int64(50), card_facts=True
    )
    assert dict(game.options) == {
        "deck": "Death Valley",
        "deck_digest": load_deck("death_valley").digest,
        "variant": "backseat",
        "solo": True,
        "discard_points": False,
        "must_outbust": True,
        "ask_forced": False,
        "card_facts": True,
        "first_player": None,
        "reward": "margin",
        "max_turns": 50,
        "turn_limit": "terminate",
    }
    assert make_game(solo=True, variant="backseat").options["variant"] == "backseat"
    assert make_game(solo=True, first_player=0).options["first_player"] == 0
    assert make_game(ask_forced=np.True_).options["ask_forced"] is True


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"variant": "front"}, r"variant='front' is not possible; choose one of 'base', 'backseat'"),
        ({"variant": None}, r"variant=None .* choose one of 'base', 'backseat'"),
        ({"solo": 1}, r"solo=1 must be True or False"),
        ({"solo": "yes"}, r"solo='yes' must be True or False"),
        ({"ask_forced": None}, r"ask_forced=None must be True or False"),
        ({"card_facts": 0}, r"card_facts=0 must be True or False"),
        ({"solo": True, "discard_points": 1}, r"discard_points=1 must be True or False"),
        ({"solo": True, "must_outbust": "no"}, r"must_outbust='no' must be True or False"),
        ({"discard_points": True}, r"discard_points=True .* solo AI .* solo=True"),
        ({"must_outbust": True, "variant": "backseat"}, r"must_outbust=True .* solo AI .* solo=True"),
        ({"first_player": 2}, r"first_player=2 is not possible; choose one of None, 0, 1"),
        ({"first_player": True}, r"first_player=True is not possible; choose one of None, 0, 1"),
        ({"first_player": 1, "solo": True}, r"first_player=1 is not possible in solo play: you play first"),
        ({"reward": "WIN"}, r"reward='WIN' .* choose one of 'win', 'margin', 'shaped'"),
        ({"reward": 0}, r"reward=0 .* choose one of 'win', 'margin', 'shaped'"),
        ({"max_turns": 0}, r"max_turns=0 must be a whole number from 1 to 1,000,000"),
        ({"max_turns": 1_000_001}, r"max_turns=1000001 must be a whole number from 1 to 1,000,000"),
        ({"max_turns": 10.0}, r"max_turns=10.0 must be a whole number"),
        ({"max_turns": True}, r"max_turns=True must be a whole number"),
        ({"max_turns": None}, r"max_turns=None must be a whole number"),
        ({"max_turns": float("nan")}, r"max_turns=nan must be a whole number"),
    ],
    ids=str,
)
def test_wrong_options(options: dict[str, Any], match: str) -> None:
    with pytest.raises(OptionError, match=match):
        make_game(**options)


def test_wrong_decks() -> None:
    for deck in ("no_such_deck", "no_such_file.toml", str(Path(__file__).parent)):
        with pytest.raises(DeckError):
            make_game(deck=deck)
    for thing in (7, None):
        with pytest.raises(TypeError, match="a deck is a shipped name, a path or a Deck"):
            make_game(deck=thing)  # type: ignore[arg-type]
    with pytest.raises(DeckError, match="highs_and_lows"):
        make_game(deck="highs_and_low")


def test_shipped_decks_are_hardly_ever_truncated_r11() -> None:
    endings = []
    for deck in ("highs_and_lows", "death_valley"):
        for variant in ("base", "backseat"):
            game = make_game(deck=deck, variant=variant)
            for seed in range(25):
                state = np.frombuffer(play(game, seed)[-1], game.template.dtype)[0]
                endings.append(game.summary(state, game.data[0])["ending"])
    assert endings.count("truncated") <= 1
