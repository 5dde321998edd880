"""Positions as whole numbers: nothing that matters is lost, and no field runs into another."""

from enum import IntEnum
from typing import Any

import numpy as np
import pytest

from agents.packed_deathvalley import (
    CARD_BITS,
    CARDS_OF_WORD,
    EVEN,
    NUM_WORDS,
    PLACE_BITS,
    TRAVEL_BITS,
    Place,
    pack,
    unpack,
)
from deathvalley_env import rules
from deathvalley_env.game import make_game
from deathvalley_env.state import STATE
from deathvalley_env.vocabulary import NUM_CARDS, Action, Decision, Timing
from tests.agents.endgames import decisions_from_play
from tests.agents.tables import game_of
from tests.deathvalley_env.vocabulary_decks import deck_with, title
from valley_core.game import Game

SEEDS = np.arange(12, dtype=np.uint64)
WINDOWS = [timing for timing in Timing if timing < Timing.BUST_CHECK]
TABLE = ("face_up", "deck_size", "journey_size", "scrapbook_size", "journey_set", "scrapbook_set", "under", "discard")
TURN = ("active", "player", "decision", "window", "travel", "returned", "discard_points", "must_outbust")


def words_of(state: Any, deck: Any) -> tuple[int, ...]:
    words = np.zeros(NUM_WORDS, np.int64)
    pack(words, state, deck)
    return tuple(words.tolist())


def back(words: tuple[int, ...]) -> Any:
    """The state that words stand for, in a record full of something else."""
    state: Any = np.frombuffer(b"\x01" * STATE.itemsize, STATE).copy()[0]
    unpack(np.array(words), state)
    return state


def check(game: Game, states: np.ndarray) -> set[int]:
    """All states come back, as far as they matter; the windows seen."""
    deck, asked = game.data[0], {}
    for state in states:
        words = words_of(state, deck)
        again = back(words)
        assert words_of(again, deck) == words
        assert int(rules.legal(again, deck)) == int(state["legal"])
        for name in (*TABLE, *TURN):
            assert np.array_equal(again[name], state[name]), name
        assert again["scrapbook"][0][: again["scrapbook_size"][0]].tolist() == (
            state["scrapbook"][0][: state["scrapbook_size"][0]].tolist()
        )
        assert asked.setdefault(words, int(state["legal"])) == int(state["legal"])
    return set(states["window"].tolist())


@pytest.mark.parametrize("deck", ["highs_and_lows", "death_valley", "random 1", "random 2", "random 3"])
def test_positions_of_games_come_back(deck: str) -> None:
    game = game_of("solo both", deck)
    check(game, decisions_from_play(game, "random", SEEDS))


@pytest.mark.parametrize("timing", WINDOWS, ids=title)
def test_positions_in_each_window_come_back(timing: Timing) -> None:
    game = make_game(deck=deck_with(timing), solo=True, ask_forced=True, max_turns=60)
    assert int(timing) in check(game, decisions_from_play(game, "random", SEEDS))


@pytest.mark.parametrize(("own", "other"), [(0, 0), (0, 10), (0, 40_000), (0, 2**30), (3, 1), (40_000, 0), (2**30, 0)])
def test_busts_run_into_nothing(own: int, other: int) -> None:
    """However far apart they are: what the AI cannot make up for is all the same, and so is what is beyond the word."""
    game = game_of("solo", "highs_and_lows")
    state = decisions_from_play(game, "random", SEEDS[:1])[0]
    state["busts"] = own, other
    words = words_of(state, game.data[0])
    assert min(words) >= 0
    again = back(words)
    assert words_of(again, game.data[0]) == words
    found = int(again["busts"][0]) - int(again["busts"][1])
    assert found == own - other or found == -EVEN or (found > 0 and own - other >= found)


def test_each_member_has_room() -> None:
    """The widest number of each field that the words hold."""
    widths: list[tuple[type[IntEnum] | list[Timing], int]] = [(Place, PLACE_BITS - CARD_BITS), (WINDOWS, 4)]
    for members, bits in widths:
        assert max(members) < 1 << bits
    assert max(Action.TRAVEL_FACE_UP, Action.TRAVEL_TOP, Action.TRAVEL_OTHER) + 1 < 1 << TRAVEL_BITS
    assert NUM_CARDS < 1 << CARD_BITS  # and one number more, for no card
    assert len(Decision) <= 1 << 4
    assert CARDS_OF_WORD * 3 == NUM_CARDS
