"""The engine against the independent reference implementation, decision by decision.

`make test` plays 2,000 games of each variant; `make test-long` 20,000.
"""

import random
import struct
from functools import cache
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import pytest

from deathvalley_env import rules, scoring
from deathvalley_env.card_data import DECK
from deathvalley_env.deck import Deck, deck_from_dict, draw_deck, load_deck
from deathvalley_env.game import make_game
from deathvalley_env.state import STATE, new_states
from deathvalley_env.vocabulary import NO_CARD, NUM_ACTIONS, Decision, Ending
from tests.reference.deathvalley import Game as Reference
from tests.reference.deathvalley import random_deck
from tests.reference.deathvalley_cases import CASES, action_of, deck_of, expected_of, found_in, position_of
from valley_core.batch import loops_of
from valley_core.game import Game

# --- Positions played by hand ---------------------------------------------------------------------------------------


def laid_out(case: dict[str, Any], game: Game) -> Any:
    """The state in which a case begins."""
    position, state = position_of(case), game.new_states(1)[0]
    game.kernels.reset(state, game.data[0])
    state["rng"] = 0
    for name in ("face_up", "busts", "turn", "active"):
        state[name] = position[name]
    state["deck"][: len(position["deck"])] = position["deck"]
    state["deck_size"] = len(position["deck"])
    state["under"] = NO_CARD
    for top, hidden in position["under"].items():
        for above, below in pairwise([top, *hidden]):
            state["under"][above] = below
    for player in range(2):
        for name in ("journey", "scrapbook"):
            row = position[name][player]
            state[name][player][: len(row)] = row
            state[f"{name}_size"][player] = len(row)
            state[f"{name}_set"][player] = sum(1 << card for card in row)
    state["touched"] = 3
    rules.begin_turn(state)
    rules.settle(state, game.data[0])
    return state


def game_of_case(case: dict[str, Any]) -> Game:
    """The game with the deck and the options of a case."""
    options = dict(case.get("options", {}))
    variant = "backseat" if options.pop("backseat", False) else "base"
    deck = deck_from_dict({"name": "by hand", "card": deck_of(case)})
    return make_game(deck=deck, variant=variant, **options)


@pytest.mark.plain
@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_engine_plays_as_by_hand(case: dict[str, Any]) -> None:
    """The positions of ``tests/reference/deathvalley_cases.py``, whose reference plays them, too."""
    game = game_of_case(case)
    state, deck = laid_out(case, game), game.data[0]
    for player, decision, legal, answer in case.get("steps", []):
        game.check_state(state)
        assert (int(state["player"]), DECISIONS[state["decision"]]) == (player, decision)
        assert set(members(int(state["legal"]))) == {action_of(word) for word in legal.split()}
        if answer is not None:
            game.kernels.step(state, deck, player, action_of(answer))
    game.check_state(state)
    expected = expected_of(case.get("after", {}))
    fields = Fields(np.array([state], STATE))
    winner, rule = scoring.ending(state)
    over = state["decision"] == Decision.OVER
    found = found_in(
        expected,
        snapshot(fields),
        over=over,
        scores=fields["scores"],
        winner=None if winner == scoring.NO_WINNER else winner,
        ending=Ending(rule).name.lower() if over else None,
    )
    assert found == expected


# --- Games played by both -------------------------------------------------------------------------------------------

VARIANTS: dict[str, dict[str, bool]] = {
    "base": {},
    "backseat": {"backseat": True},
    "solo": {"solo": True},
    "solo discard_points": {"solo": True, "discard_points": True},
    "solo must_outbust": {"solo": True, "must_outbust": True},
    "solo both": {"solo": True, "discard_points": True, "must_outbust": True},
}
SHIPPED = ("highs_and_lows", "death_valley")


LOOPS = loops_of(make_game())
DECISIONS = [decision.name for decision in Decision]


@cache
def shipped(name: str) -> Any:
    return load_deck(name)


def deck_of_game(number: int) -> Any:
    """A shipped deck, a mixed one, or one made at random from the vocabulary."""
    if number % 4 < 2:
        return shipped(SHIPPED[number % 4])
    if number % 4 == 2:
        return draw_deck(SHIPPED, seed=number)
    return deck_from_dict({"name": f"random {number}", "card": random_deck(random.Random(number))})


LETTERS = {"u8": "Q", "i8": "q", "i4": "i", "i2": "h", "i1": "b"}
"""The letters of `struct` for the types of the fields."""


class Fields:
    """The fields of a record as plain numbers and lists, read from its bytes: many times as fast as by NumPy."""

    FORMATS: ClassVar = {
        name: (struct.Struct(f"<{max(1, int(np.prod(kind.shape)))}{LETTERS[kind.base.str[1:]]}"), offset, kind.shape)
        for name, (kind, offset) in ((name, STATE.fields[name][:2]) for name in STATE.names or ())
    }

    def __init__(self, states: np.ndarray) -> None:
        self.raw = states.tobytes()

    def __getitem__(self, name: str) -> Any:
        form, offset, shape = self.FORMATS[name]
        values = list(form.unpack_from(self.raw, offset))
        if not shape:
            return values[0]
        width = shape[-1]
        return values if len(shape) == 1 else [values[i : i + width] for i in range(0, len(values), width)]


def snapshot(fields: Fields) -> dict[str, Any]:
    """The engine's state in the terms of the reference."""
    under, links = {}, fields["under"]
    rows: dict[str, list[list[int]]] = {"journey": [], "scrapbook": []}
    for name, found in rows.items():
        for row, size in zip(fields[name], fields[f"{name}_size"], strict=True):
            found.append(row[:size])
            for card in row[:size]:
                hidden, below = [], links[card]
                while below != NO_CARD:
                    hidden.append(below)
                    below = links[below]
                if hidden:
                    under[card] = hidden
    face_up = fields["face_up"]
    return rows | {
        "deck": fields["deck"][: fields["deck_size"]],
        "face_up": None if face_up == NO_CARD else face_up,
        "under": under,
        "discard": [members(cards) for cards in fields["discard"]],
        "busts": fields["busts"],
        "turn": fields["turn"],
        "active": fields["active"],
        "player": fields["player"],
        "decision": DECISIONS[fields["decision"]],
        "rng": fields["rng"],
    }


def members(bits: int) -> list[int]:
    """The members of a set, in order."""
    return [member for member in range(bits.bit_length()) if bits >> member & 1]


def compare(states: np.ndarray, reference: Reference) -> list[int]:
    """Assert that state, legal actions, scores and winner agree; the legal actions."""
    fields = Fields(states)
    found, expected = snapshot(fields), reference.snapshot()
    assert found == {name: expected[name] for name in found}
    legal = members(fields["legal"])
    assert set(legal) == reference.legal()
    assert fields["scores"] == list(reference.scores())
    if reference.over:
        winner, rule = scoring.ending(states[0])
        assert (None if winner < 0 else winner) == reference.winner()
        assert Ending(rule).name.lower() == reference.ending()
    return legal


def play(number: int, options: dict[str, bool]) -> int:
    """Play one random game on both sides; the number of decisions."""
    more = {"ask_forced": number % 5 == 0, "max_turns": 8 if number % 7 == 0 else 200}
    truncates = number % 11 == 0
    first = (None, None, 0, 1)[number // 4 % 4] if not options.get("solo") else None
    return play_deck(deck_of_game(number), number, **options, **more, first_player=first, truncates=truncates)


def play_deck(deck: Deck, seed: int, *, truncates: bool = False, **options: Any) -> int:
    """Play one random game on a deck on both sides; the number of decisions."""
    choose = random.Random(seed)
    turn_limit = "truncate" if truncates else "terminate"
    reference = Reference(deck.to_dict()["card"], seed, **options, turn_limit=turn_limit)
    states = new_states(1, **options, truncates=truncates)
    states["rng"] = seed
    data = np.zeros(1, DECK)
    data[0] = deck.record
    LOOPS.reset_some(states, data, np.ones(1, np.bool_))
    seats, actions, masks = np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros((1, NUM_ACTIONS + 1), np.uint8)
    decisions = 0
    while legal := compare(states, reference):
        seats[0] = reference.player
        LOOPS.masks_all(states, data, seats, masks)
        assert masks[0].nonzero()[0].tolist() == legal
        actions[0] = choose.choice(legal)
        reference.step(int(actions[0]))
        LOOPS.step_all(states, data, seats, actions)
        decisions += 1
    return decisions


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("part", range(4))
def test_engine_agrees_with_the_reference(variant: str, part: int) -> None:
    """500 games in each part, on shipped, mixed and random decks in turn."""
    decisions = sum(play(number, VARIANTS[variant]) for number in range(part * 500, (part + 1) * 500))
    assert decisions > 500 * 10


@pytest.mark.long
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("part", range(10))
def test_engine_agrees_with_the_reference_in_many_games(variant: str, part: int) -> None:
    """20,000 games of each variant, other ones than above."""
    start = 1_000_000 + 2_000 * part
    assert sum(play(number, VARIANTS[variant]) for number in range(start, start + 2_000)) > 2_000 * 10
