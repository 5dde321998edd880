"""Exact play of solo Death Valley: against trying everything, against played games, and what it must not see."""

from typing import Any

import numpy as np
import pytest

from agents.exact_deathvalley import NOT_LEGAL, new_table, solve, solve_one
from deathvalley_env.deck import load_deck
from deathvalley_env.vocabulary import NUM_ACTIONS, Decision
from tests.agents.endgames import (
    DECKS,
    SETTINGS,
    decisions_from_play,
    desert,
    reference_table,
    scattered,
    solo,
    turns_from_play,
)
from tests.agents.tables import game_of, seats_of, with_other_luck
from tests.reference.exact_deathvalley import Search, TooLarge
from valley_core.batch import loops_of
from valley_core.errors import OptionError
from valley_core.game import Game
from valley_core.jit import kernel

SEEDS = np.arange(40, dtype=np.uint64)
EXACTLY = 1e-12
PLAYTHROUGHS = 1500
"""Turns that brute force plays through for one position, before it is left out."""
COMPARED = 30
"""Positions of each deck and setting; 240 in all."""


def by_brute_force(game: Game, state: Any, cards: list[dict[str, Any]]) -> dict[int, float] | None:
    """Action -> the probability to win; None if there is too much to try."""
    search = Search({name: game.options[name] for name in ("discard_points", "must_outbust")}, PLAYTHROUGHS)
    try:
        return search.action_values(reference_table(game, state, cards), int(state["max_turns"] - state["turn"]))
    except TooLarge:
        return None


def late_positions(game: Game) -> np.ndarray:
    """Turns of random and greedy games, some with few turns left; and positions of which little can follow."""
    played = [turns_from_play(game, name, SEEDS) for name in ("random", "greedy")]
    found = []
    for states in played:
        late = states[desert(states) <= 4][:40]
        late["max_turns"] = late["turn"] + 1 + np.arange(len(late)) % 5
        found.append(late)
    return np.concatenate([*found, scattered(game, 60, 7)])


@pytest.mark.parametrize("deck", DECKS)
@pytest.mark.parametrize("setting", SETTINGS)
def test_agrees_with_trying_everything(setting: str, deck: str) -> None:
    game, cards = solo(setting, deck), load_deck(deck).to_dict()["card"]
    states = late_positions(game)
    states = states[np.random.default_rng(3).permutation(len(states))]
    solution = solve(game, states, 50_000)
    between, compared = 0, 0
    for k, state in enumerate(states):
        if compared == COMPARED:
            break
        if not solution.solved[k] or (expected := by_brute_force(game, state, cards)) is None:
            continue
        found = {a: float(v) for a, v in enumerate(solution.action_values[k]) if not np.isnan(v)}
        assert found == pytest.approx(expected, abs=EXACTLY)
        assert solution.values[k] == pytest.approx(max(expected.values()), abs=EXACTLY)
        between += any(0 < value < 1 for value in expected.values())
        compared += 1
    assert compared == COMPARED
    assert between >= 3
