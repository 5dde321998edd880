"""Monte Carlo tree search: what it may know, what it finds, how it is told what to do."""

from time import perf_counter

import numpy as np
import pytest

from agents import make_agent
from agents.mcts import Options, options_of, search
from riftvalley_env.game import make_game as rift_valley
from riftvalley_env.vocabulary import Element
from tests.agents.tables import deal, decisions_of, game_of, in_mid_play, play, seats_of, win_rate
from valley_core.batch import loops_of, new_chances
from valley_core.decisions import Decisions
from valley_core.errors import OptionError
from valley_core.game import Game, Status


def searched(game: Game, states: np.ndarray, options: Options, seed: int = 5) -> tuple[np.ndarray, np.ndarray]:
    return search(game, states, seats_of(game, states), new_chances(seed, len(states)), options)


def rift_in_mid_play(game: Game, count: int, turns: int) -> np.ndarray:
    """Games after some turns of greedy play, a part of it random."""
    states, agent = deal(game, np.arange(count, dtype=np.uint64)), make_agent("noisy:0.5")
    agent.start(game, np.arange(count, dtype=np.uint64))
    while states["turn"].max() < turns:
        decisions = decisions_of(game, states)
        loops_of(game).step_all(states, game.data, decisions.seats, agent.act(decisions))
    return states


# --- What it may know -----------------------------------------------------------------------------------------------


def test_who_decides_later_in_a_turn_does_not_see_what_others_have_decided() -> None:
    game = rift_valley(num_players=3)
    states = rift_in_mid_play(game, 4, 3)
    masks = decisions_of(game, states).masks
    chosen = []
    for way in range(3):
        tried = states.copy()
        first = np.array([np.flatnonzero(mask)[way] for mask in masks])
        loops_of(game).step_all(tried, game.data, np.zeros(4, np.int64), first)
        again = tried["element"][:, 0] == Element.UNDECIDED  # began a Trail: another Stop is decided in its place
        assert not again.all()
        tried = tried[~again]
        assert (seats_of(game, tried) == 1).all()
        visits, means = search(game, tried, np.ones(len(tried), np.int64), new_chances(1, len(tried)), Options(30))
        chosen.append((visits.tobytes(), means.tobytes()))
    assert chosen[0] == chosen[1] == chosen[2]


def test_the_deck_is_seen_only_if_told_so() -> None:
    game = game_of("solo")
    states = deal(game, np.zeros(40, np.uint64))
    shuffles = np.random.default_rng(1)
    for state in states:  # the same game, but for the order of the deck
        state["deck"][: state["deck_size"]] = shuffles.permutation(state["deck"][: state["deck_size"]])
    chances = new_chances(3, 1).repeat(40)
    seats = seats_of(game, states)
    visits, _ = search(game, states, seats, chances.copy(), Options(50))
    assert (visits == visits[0]).all()
    visits, _ = search(game, states, seats, chances.copy(), Options(50, open_cards=True))
    assert not (visits == visits[0]).all()


# --- What it finds --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("leaf", ["judge", "random", "greedy"])
def test_every_simulation_is_counted_once_and_nothing_illegal_is_tried(leaf: str) -> None:
    for game, states in (
        (game_of("backseat"), in_mid_play(game_of("backseat"), 30)),
        (rift_valley(num_players=2), rift_in_mid_play(rift_valley(num_players=2), 3, 4)),
    ):
        count = 5 if leaf == "greedy" else 40
        visits, means = searched(game, states, Options(count, leaf=leaf))
        masks = decisions_of(game, states).masks
        assert (visits[masks == 0] == 0).all()
        assert (np.abs(means) <= 1 + 1e-9).all()
        choices = masks.sum(1) > 1
        assert (visits.sum(1)[choices] == count).all()


def test_wins_at_once_if_it_can() -> None:
    """Positions in which one action ends the game as a victory whatever is drawn, and another does not."""
    game = game_of("backseat")
    states = in_mid_play(game, 3000, seed=4)
    seats, masks = seats_of(game, states), decisions_of(game, states).masks
    won = np.zeros(masks.shape)
    for action in range(masks.shape[1]):
        legal = masks[:, action] == 1
        for seed in range(6):
            tried = states[legal].copy()
            tried["rng"] = seed
            for state in tried:
                state["deck"][: state["deck_size"]] = np.roll(state["deck"][: state["deck_size"]], seed)
            status, totals = np.zeros(len(tried), np.int64), np.zeros((len(tried), 2))
            loops_of(game).step_all(tried, game.data, seats[legal], np.full(len(tried), action))
            loops_of(game).look_all(tried, game.data, 0, np.zeros(len(tried), np.int64), status, totals)
            own = totals[np.arange(len(tried)), seats[legal]]
            won[legal, action] += (status == Status.TERMINATED) & (own == 1)
    surely = won == 6
    clear = surely.any(1) & ((masks == 1) & (won == 0)).any(1)
    assert clear.sum() >= 5
    visits, means = searched(game, states[clear], Options(400, leaf="random"))
    assert means[np.arange(clear.sum()), visits.argmax(1)].min() > 0.8


def test_more_simulations_play_better() -> None:
    game = game_of("solo")
    seeds = np.arange(300, dtype=np.uint64)
    rates = [
        win_rate(game, play(game, (make_agent(name), make_agent("random")), seeds))
        for name in ("random", "mcts:5,leaf=random", "mcts:100,leaf=random")
    ]
    assert rates[0] + 0.1 < rates[1]
    assert rates[1] + 0.1 < rates[2]


# --- Repeatable, and in time ------------------------------------------------------------------------------------------


def test_a_seed_repeats_a_search_and_another_does_not() -> None:
    game = game_of("solo both")
    states = in_mid_play(game, 40)
    runs = [searched(game, states, Options(60, leaf="random"), seed)[1] for seed in (1, 1, 2)]
    assert runs[0].tobytes() == runs[1].tobytes()
    assert runs[0].tobytes() != runs[2].tobytes()


def test_the_clock_ends_a_search() -> None:
    game = game_of("solo")
    states = deal(game, np.arange(4, dtype=np.uint64))
    searched(game, states, Options(1))
    start = perf_counter()
    visits, _ = searched(game, states, Options(1_000_000, seconds=0.05))
    assert perf_counter() - start < 20
    assert (visits.sum(1) > 0).all()
    assert (visits.sum(1) < 1_000_000).all()


def test_a_tree_grows_no_further_than_its_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.search.MOST_EDGES", 300)
    game = rift_valley(num_players=2)
    states = deal(game, np.arange(2, dtype=np.uint64))
    visits, _ = searched(game, states, Options(50))
    assert (visits.sum(1) == 50).all()


# --- Names ------------------------------------------------------------------------------------------------------------


def test_options_in_the_name() -> None:
    assert options_of("") == Options()
    assert options_of("50") == Options(50)
    assert options_of("9,leaf=random,exploration=2.5,seconds=0.5,open_cards=1") == Options(9, 0.5, "random", 2.5, True)
    assert make_agent("mcts:7").name == "mcts:7"


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("many", "is written mcts:SIMULATIONS"),
        ("5,depth=3", "is written mcts:SIMULATIONS"),
        ("5,open_cards=yes", "is written mcts:SIMULATIONS"),
        ("0", "1 to 1,000,000 simulations"),
        ("5,leaf=clever", "knows the leaves judge, random, greedy"),
        ("5,exploration=-1", "0 or more"),
        ("5,seconds=nan", "0 or more"),
    ],
)
def test_wrong_options(argument: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        make_agent(f"mcts:{argument}")


def test_no_decisions() -> None:
    game = game_of("base")
    agent = make_agent("mcts:5")
    agent.start(game, np.zeros(0, np.uint64))
    nobody = np.zeros(0, np.int64)
    assert agent.act(Decisions(game, game.new_states(0), nobody, nobody)).shape == (0,)
