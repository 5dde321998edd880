"""The engine against the independent reference implementation, decision by decision.

`make test` plays 2,000 games of each variant; `make test-long` 20,000.
"""

import random
from typing import Any

import numpy as np
import pytest

from deathvalley_env import scoring
from deathvalley_env.deck import deck_from_dict, draw_deck, load_deck
from deathvalley_env.game import KERNELS
from deathvalley_env.rules import reset, step
from deathvalley_env.state import new_states
from deathvalley_env.vocabulary import NO_CARD, NUM_ACTIONS, Decision, Ending
from tests.reference.deathvalley import Game as Reference
from tests.reference.deathvalley import random_deck

VARIANTS: dict[str, dict[str, bool]] = {
    "base": {},
    "backseat": {"backseat": True},
    "solo": {"solo": True},
    "solo discard_points": {"solo": True, "discard_points": True},
    "solo must_outbust": {"solo": True, "must_outbust": True},
    "solo both": {"solo": True, "discard_points": True, "must_outbust": True},
}
SHIPPED = ("highs_and_lows", "death_valley")


def deck_of_game(number: int) -> Any:
    """A shipped deck, a mixed one, or one made at random from the vocabulary."""
    if number % 4 < 2:
        return load_deck(SHIPPED[number % 4])
    if number % 4 == 2:
        return draw_deck(SHIPPED, seed=number)
    return deck_from_dict({"name": f"random {number}", "card": random_deck(random.Random(number))})


def snapshot(state: Any) -> dict[str, Any]:
    """The engine's state in the terms of the reference."""
    under = {}
    rows: dict[str, list[list[int]]] = {"journey": [], "scrapbook": []}
    for name, found in rows.items():
        for player in range(2):
            cards = state[name][player][: state[name + "_size"][player]].tolist()
            found.append(cards)
            for card in cards:
                hidden, below = [], int(state["under"][card])
                while below != NO_CARD:
                    hidden.append(below)
                    below = int(state["under"][below])
                if hidden:
                    under[card] = hidden
    face_up = int(state["face_up"])
    return rows | {
        "deck": state["deck"][: state["deck_size"]].tolist(),
        "face_up": None if face_up == NO_CARD else face_up,
        "under": under,
        "discard": [[card for card in range(18) if state["discard"][player] >> card & 1] for player in range(2)],
        "busts": state["busts"].tolist(),
        "turn": int(state["turn"]),
        "active": int(state["active"]),
        "player": int(state["player"]),
        "decision": Decision(int(state["decision"])).name,
        "rng": int(state["rng"]),
    }


def compare(state: Any, deck: Any, reference: Reference, mask: np.ndarray) -> None:
    """Assert that state, mask, scores and winner agree."""
    expected = reference.snapshot()
    assert snapshot(state) == {name: expected[name] for name in snapshot(state)}
    legal = {action for action in range(NUM_ACTIONS) if int(state["legal"]) >> action & 1}
    assert legal == reference.legal()
    if legal:
        KERNELS.legal(state, deck, int(state["player"]), mask)
        assert set(np.flatnonzero(mask).tolist()) == legal
    assert state["scores"].tolist() == list(reference.scores())
    if reference.over:
        winner, rule = scoring.ending(state)
        assert (None if winner < 0 else winner) == reference.winner()
        assert Ending(rule).name.lower() == reference.ending()


def play(number: int, options: dict[str, bool]) -> int:
    """Play one random game on both sides; the number of decisions."""
    deck = deck_of_game(number)
    choose = random.Random(number)
    more = {"ask_forced": number % 5 == 0, "max_turns": 8 if number % 7 == 0 else 200}
    first = (None, None, 0, 1)[number // 4 % 4] if not options.get("solo") else None
    reference = Reference(deck.to_dict()["card"], number, **options, **more, first_player=first)
    states = new_states(1, **options, **more, first_player=first)
    states["rng"] = number
    state = states[0]
    reset(state, deck.record)
    mask = np.zeros(NUM_ACTIONS + 1, np.uint8)
    decisions = 0
    while True:
        compare(state, deck.record, reference, mask)
        legal = sorted(reference.legal())
        if not legal:
            return decisions
        action = choose.choice(legal)
        reference.step(action)
        step(state, deck.record, action)
        decisions += 1


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
