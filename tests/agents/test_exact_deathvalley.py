"""Exact play of solo Death Valley: against trying everything, against played games, and what it must not see."""

from typing import Any

import numpy as np
import pytest

from agents.exact_deathvalley import NOT_LEGAL, new_table, solve, solve_one
from deathvalley_env.deck import load_deck
from deathvalley_env.game import make_game
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
from tests.reference.exact_deathvalley import Search, TooLargeError
from valley_core.batch import loops_of
from valley_core.errors import OptionError
from valley_core.game import Game

SEEDS = np.arange(40, dtype=np.uint64)
EXACTLY = 1e-12
PLAYTHROUGHS = 4_000
"""Turns that brute force plays through for one position, before it is left out."""
COMPARED = 30
"""Positions of each deck and setting; 240 in all."""


def by_brute_force(game: Game, state: Any, cards: list[dict[str, Any]]) -> dict[int, float] | None:
    """Action -> the probability to win; None if there is too much to try."""
    search = Search({name: game.options[name] for name in ("discard_points", "must_outbust")}, PLAYTHROUGHS)
    try:
        return search.action_values(reference_table(game, state, cards), int(state["max_turns"] - state["turn"]))
    except TooLargeError:
        return None


def late_positions(game: Game) -> np.ndarray:
    """Turns of random and greedy games, some with few turns left; and positions of which little can follow."""
    played = [turns_from_play(game, name, SEEDS) for name in ("random", "greedy")]
    found = []
    for states in played:
        late = states[desert(states) <= 4][:20]
        late["max_turns"] = late["turn"] + 1 + np.arange(len(late)) % 5
        found.append(late)
    laid = scattered(game, 200, 7)
    laid[:120]["max_turns"] = 1 + np.arange(120) % 4
    return np.concatenate([*found, laid])


@pytest.mark.parametrize("deck", DECKS)
@pytest.mark.parametrize("setting", SETTINGS)
def test_agrees_with_trying_everything(setting: str, deck: str) -> None:
    game, cards = solo(setting, deck), load_deck(deck).to_dict()["card"]
    states = late_positions(game)
    solution = solve(game, states, 10_000)
    chancy = ((solution.action_values > 0) & (solution.action_values < 1)).any(1)
    between, compared = 0, 0
    for k in np.argsort(~chancy, kind="stable"):
        if compared == COMPARED or (chancy[k] and between == COMPARED // 2):
            continue
        if not solution.solved[k] or (expected := by_brute_force(game, states[k], cards)) is None:
            continue
        found = {a: float(v) for a, v in enumerate(solution.action_values[k]) if not np.isnan(v)}
        assert found == pytest.approx(expected, abs=EXACTLY)
        assert solution.values[k] == pytest.approx(max(expected.values()), abs=EXACTLY)
        between += any(0 < value < 1 for value in expected.values())
        compared += 1
    assert compared == COMPARED
    assert between >= 4


def values_by_turns(game: Game, states: np.ndarray, turns: tuple[int, ...]) -> np.ndarray:
    """The values with so many turns left, of shape (turns, states); NaN where not solved."""
    found = []
    for left in turns:
        states["max_turns"] = states["turn"] + left
        found.append(solve(game, states, 50_000).values)
    return np.array(found)


@pytest.mark.parametrize("setting", ["none", "must_outbust"])
def test_the_last_turns_count_as_they_are(setting: str) -> None:
    """The limit ends and scores a game (R11): one more turn can raise the value, and can lower it.

    With one turn left the value is that of the best position which the learner can leave. With more turns than the game
    can last, each further turn changes nothing: bounds alone say the same for any number of them.
    """
    game = solo(setting)
    states = scattered(game, 60, 1)
    values = values_by_turns(game, states, (1, 2, 3, 4, 60, 200, 1000))
    steps = np.diff(values, axis=0)[:4]
    known = ~np.isnan(steps)
    assert known.sum() > 120
    assert (steps[known] > EXACTLY).any()
    assert (steps[known] < -EXACTLY).any()
    long = ~np.isnan(values[4:]).any(0)
    assert long.sum() > 20
    assert ((values[4, long] > 0) & (values[4, long] < 1)).any()
    assert (np.abs(values[5, long] - values[6, long]) < EXACTLY).all()


def test_with_one_turn_left_the_learner_takes_the_best_table() -> None:
    """By the engine alone: the value is 1 where some way through the turn leaves a table that is won as it stands.

    Cards of the deck that turn up may decide: then the value is an average of such tables.
    """
    game = solo("none")
    states = scattered(game, 80, 9)
    states["max_turns"] = states["turn"] + 1
    solution = solve(game, states, 50_000)
    assert solution.solved.all()
    won = np.array([[won_after(game, state, seed) for seed in range(4)] for state in states])
    assert not won[solution.values == 0].any()
    assert won[solution.values == 1].any()
    assert min((solution.values == 0).sum(), (solution.values == 1).sum()) > 5


def won_after(game: Game, state: Any, seed: int) -> bool:
    """Whether a turn played at random is the last, and wins."""
    choose, here, mask = np.random.default_rng(seed), state.copy(), np.zeros(game.num_actions, np.uint8)
    here["rng"] = seed
    while here["decision"] != Decision.OVER:
        game.kernels.legal(here, game.data[0], 0, mask)
        game.kernels.step(here, game.data[0], 0, int(choose.choice(np.flatnonzero(mask))))
    summary = game.summary(here, game.data[0])
    assert summary["ending"] == "turn_limit" or summary["turns"] == here["max_turns"]
    return bool(summary["winner"] == 0)


def test_games_that_are_truncated_are_not_solved() -> None:
    """Without a winner at the limit (turn_limit="truncate") the question is another one."""
    game = make_game(solo=True, turn_limit="truncate")
    states = scattered(game, 40, 3)
    assert states["truncates"].all()
    solution = solve(game, states, 50_000)
    assert not solution.solved.any()
    assert np.isnan(solution.values).all()
    states["truncates"] = 0
    assert solve(game, states, 50_000).solved.any()


@pytest.mark.parametrize("every", [True, False])
@pytest.mark.parametrize("deck", DECKS)
def test_sees_nothing_hidden(deck: str, every: bool) -> None:
    """Another order of the deck and other random numbers change no value by a single bit."""
    game = solo("both", deck)
    played = decisions_from_play(game, "greedy", SEEDS)
    states = np.concatenate([scattered(game, 40, 2), played[desert(played) <= 3][:100]])
    one, two = (solve(game, of, 20_000, every=every) for of in (states, with_other_luck(states)))
    assert one.solved.mean() > 0.3
    for name in ("values", "action_values", "solved", "positions"):
        assert np.array_equal(getattr(one, name), getattr(two, name), equal_nan=name.endswith("values"))


def test_leaves_the_states_alone() -> None:
    game = solo("none")
    states = scattered(game, 20, 3)
    before = states.tobytes()
    solve(game, states, 1000)
    assert states.tobytes() == before


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_best_action_alone_costs_less_and_is_as_good(setting: str) -> None:
    game = solo(setting)
    states = np.concatenate([scattered(game, 60, 4), turns_from_play(game, "greedy", SEEDS)[-15:]])
    every, best = solve(game, states, 20_000), solve(game, states, 20_000, every=False)
    assert (best.solved >= every.solved).all()
    assert (best.positions <= every.positions).all()
    both = every.solved
    assert best.values[both] == pytest.approx(every.values[both], abs=EXACTLY)
    for k in np.flatnonzero(both):
        assert every.action_values[k, np.nanargmax(best.action_values[k])] == pytest.approx(
            every.values[k], abs=EXACTLY
        )
        known = ~np.isnan(every.action_values[k])
        assert (best.action_values[k, known] <= every.action_values[k, known] + EXACTLY).all()


def test_what_is_too_large_is_not_answered() -> None:
    game = solo("none")
    states = turns_from_play(game, "greedy", SEEDS[:10])
    large = states[desert(states) > 10]
    solution = solve(game, large, 2000)
    assert not solution.solved.any()
    assert np.isnan(solution.values).all()
    assert np.isnan(solution.action_values).all()
    assert (solution.positions >= 2000).all()


@pytest.mark.parametrize("budget", [1, 5, 30, 300, 3000])
def test_a_budget_decides_whether_never_what(budget: int) -> None:
    game = solo("none")
    states = scattered(game, 60, 5)
    full, small = solve(game, states, 100_000), solve(game, states, budget)
    assert (small.solved <= full.solved).all()
    assert np.array_equal(small.action_values[small.solved], full.action_values[small.solved], equal_nan=True)
    assert (small.positions[small.solved] <= budget).all()


def look_up(game: Game, states: np.ndarray, room: int) -> tuple[np.ndarray, np.ndarray]:
    """As a search does: one table for many states; (the values of actions, whether each is solved)."""
    values, table = np.zeros((len(states), NUM_ACTIONS)), new_table(room)
    solved = [solve_one(states[k], game.data[0], table, room, False, values[k]) for k in range(len(states))]
    return values, np.array(solved)


@pytest.mark.parametrize("room", [300, 3000, 30_000])
def test_one_table_for_many_states(room: int) -> None:
    """What a table keeps from other states changes no value; in a small one, old positions make room for new ones."""
    game = solo("must_outbust")
    states = np.concatenate([scattered(game, 150, 6), turns_from_play(game, "greedy", SEEDS)[-15:]])
    states = np.concatenate([states, states[::-1]])
    alone = solve(game, states, room, every=False)
    values, solved = look_up(game, states, room)
    assert (solved >= alone.solved).all()
    assert values[alone.solved].max(1) == pytest.approx(alone.values[alone.solved], abs=EXACTLY)
    assert (values[~solved] == NOT_LEGAL).all()
    assert not solved.all() or room == 30_000


def test_a_game_that_is_over_has_no_actions() -> None:
    game = solo("none")
    state = scattered(game, 1, 1)
    state["decision"] = Decision.OVER
    values, solved = look_up(game, state, 10)
    assert solved.all()
    assert (values == NOT_LEGAL).all()
    with pytest.raises(OptionError, match="a game is over"):
        solve(game, state)


def test_other_games_are_refused() -> None:
    game = game_of("backseat")
    with pytest.raises(OptionError, match="make the game with solo=True"):
        solve(game, game.new_states(1))
    with pytest.raises(OptionError, match="positions=0"):
        new_table(0)


def share_won(game: Game, state: Any, games: int) -> float:
    """The share of games won from a state by the actions of greatest value, with the engine's own shuffles."""
    states = np.repeat(state[None], games)
    states["rng"] = np.random.default_rng(11).integers(0, 2**63, games)
    states = with_other_luck(states, 12)
    table, known, best, won = new_table(300_000), {}, np.zeros(games, np.int64), 0
    while len(states):
        # Of games that no player can tell apart, one is solved.
        shown = states.copy()
        shown["rng"] = 0
        for k in range(len(shown)):
            shown["deck"][k, : shown["deck_size"][k]].sort()
            shown["deck"][k, shown["deck_size"][k] :] = 0
        for k, key in enumerate(map(bytes, shown)):
            if key not in known:
                solution = solve(game, states[k : k + 1], 300_000, every=False, table=table)
                assert solution.solved[0]
                known[key] = int(np.nanargmax(solution.action_values[0]))
            best[k] = known[key]
        loops_of(game).step_all(states, game.data, np.zeros(len(states), np.int64), best[: len(states)])
        over = seats_of(game, states) < 0
        totals, ends = np.zeros((len(states), 2)), np.zeros((2, len(states)), np.int64)
        loops_of(game).look_all(states, game.data, 0, ends[0], ends[1], totals)
        won += int((totals[over, 0] == 1).sum())
        states = states[~over]
    return won / games


def chancy_positions(game: Game, budget: int) -> np.ndarray:
    """Positions whose value is neither 0 nor 1, those that took most to solve first."""
    states = scattered(game, 150, 8)
    solution = solve(game, states, budget, every=False)
    chancy = np.flatnonzero((solution.values > 0.02) & (solution.values < 0.98))
    return states[chancy[np.argsort(-solution.positions[chancy])]]


@pytest.mark.parametrize("setting", SETTINGS)
def test_its_own_play_wins_as_often_as_it_says(setting: str) -> None:
    agree_with_play(solo(setting), 1, 4000)


@pytest.mark.long
@pytest.mark.parametrize("deck", DECKS)
@pytest.mark.parametrize("setting", SETTINGS)
def test_its_own_play_wins_as_often_as_it_says_in_many_games(setting: str, deck: str) -> None:
    agree_with_play(solo(setting, deck), 3, 100_000)


def agree_with_play(game: Game, positions: int, games: int) -> None:
    """Within 4 standard errors of the exact value, for the hardest of the positions that are solved."""
    states = chancy_positions(game, 100_000)[:positions]
    assert len(states) == positions
    for state, value in zip(states, solve(game, states, 100_000, every=False).values, strict=True):
        assert abs(share_won(game, state, games) - value) < 4 * np.sqrt(value * (1 - value) / games)
