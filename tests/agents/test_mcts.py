"""Monte Carlo tree search: what it may know, what it finds, how it is told what to do."""

from typing import Any

import numpy as np
import pytest

from agents import make_agent
from agents.exact_deathvalley import ORACLE_CARDS, solve
from agents.mcts import Options, leaf_of, options_of, player_of, search
from agents.search import with_rollouts
from riftvalley_env.game import make_game as rift_valley
from riftvalley_env.vocabulary import Element
from tests.agents.endgames import solo
from tests.agents.exact_golden import FILE, state_of
from tests.agents.tables import deal, decisions_of, game_of, in_mid_play, leaf_says, play, seats_of, win_rate
from valley_core.batch import loops_of, new_chances
from valley_core.decisions import Decisions
from valley_core.errors import OptionError
from valley_core.game import Game, Reward, Status


def searched(game: Game, states: np.ndarray, options: Options, seed: int = 5) -> tuple[np.ndarray, np.ndarray]:
    return search(game, states, seats_of(game, states), new_chances(seed, len(states)), options)[:2]


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
        visits, means, _ = search(game, tried, np.ones(len(tried), np.int64), new_chances(1, len(tried)), Options(30))
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
    visits, _, _ = search(game, states, seats, chances.copy(), Options(50))
    assert (visits == visits[0]).all()
    visits, _, _ = search(game, states, seats, chances.copy(), Options(50, open_cards=True))
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


@pytest.mark.parametrize("share", [0.25, 1.0])
def test_rollouts_join_what_a_leaf_judges(share: float) -> None:
    for game, states in (
        (game_of("solo both"), in_mid_play(game_of("solo both"), 20)),
        (rift_valley(num_players=3), rift_in_mid_play(rift_valley(num_players=3), 10, 4)),
    ):
        decisions = decisions_of(game, states)
        judge = leaf_of(game, "judge")
        judged, said = leaf_says(game, judge, decisions)
        priors, values = leaf_says(game, with_rollouts(game, judge, player_of(game).follow, share), decisions)
        assert (priors == judged).all()
        ends = np.zeros(values.shape)
        greedy = make_agent("greedy")
        for i, one in enumerate(decisions.states):
            state = one.reshape(1).copy()
            greedy.start(game, np.zeros(1, np.uint64))
            while game.kernels.to_act(state[0]) >= 0:
                asked = decisions_of(game, state)
                loops_of(game).step_all(state, game.data, asked.seats, greedy.act(asked))
            game.kernels.returns(state[0], game.data[state[0]["data"]], Reward.WIN, ends[i])
        assert (np.abs(ends) <= 1).all()
        assert (ends == 1).any()
        assert values == pytest.approx(share * ends + (1 - share) * said)


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


def sure_positions() -> list[tuple[Game, np.ndarray, np.ndarray]]:
    """(game, state, exact probability to win after each action) of the golden positions in which nothing is shared.

    Where the player must bust less often than the AI, a game is won or lost; and no turn is the last one.
    """
    found = []
    for text in FILE.read_text(encoding="utf-8").split("\n\n"):
        setting, deck, state = state_of(text)
        if setting in ("must_outbust", "both") and state["max_turns"] - state["turn"] > 100:
            game = solo(setting, deck)
            states = np.array([state], game.template.dtype)
            found.append((game, states, solve(game, states, 50_000).action_values[0]))
    return found


@pytest.mark.parametrize(("leaf", "errors"), [("judge", (0.15, 0.08, 0.04)), ("random", (0.5, 0.25, 0.15))])
def test_converges_to_exact_play(leaf: str, errors: tuple[float, ...]) -> None:
    positions = sure_positions()
    assert len(positions) >= 10
    mean_errors, regrets = [], []
    for simulations in (100, 1000, 10_000):
        off, lost = [], []
        for game, states, exact in positions:
            visits, means = searched(game, states, Options(simulations, leaf=leaf))
            chosen = visits[0].argmax()
            off.append(abs((means[0, chosen] + 1) / 2 - np.nanmax(exact)))
            lost.append(np.nanmax(exact) - exact[chosen])
        mean_errors.append(np.mean(off))
        regrets.append(np.mean(lost))
    assert mean_errors[0] > mean_errors[1] > mean_errors[2]
    assert all(error < bound for error, bound in zip(mean_errors, errors, strict=True))
    assert regrets[2] < 0.04
    assert regrets[2] <= regrets[0]


def test_plays_exactly_where_that_is_known() -> None:
    """One simulation, but exact play: nothing of the chance to win is lost."""
    for game, states, exact in sure_positions():
        agent = make_agent("mcts:1,exact=50000")
        agent.start(game, np.zeros(1, np.uint64))
        (action,) = agent.act(decisions_of(game, states))
        few = states["deck_size"][0] + (states["face_up"][0] >= 0) <= ORACLE_CARDS
        assert not few or exact[action] == np.nanmax(exact)


def test_exact_play_is_for_games_that_have_it() -> None:
    for game in (rift_valley(num_players=2), game_of("base")):
        agent = make_agent("mcts:5,exact=1000")
        with pytest.raises(OptionError, match="exact"):
            agent.start(game, np.zeros(1, np.uint64))


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


def test_games_without_luck_differ_by_the_seed_all_the_same() -> None:
    game = rift_valley(num_players=2, boards="identical")
    seeds = np.arange(30, dtype=np.uint64)
    for name, different in (("mcts:10", 20), ("mcts:10,noise=0", 1)):
        ended = play(game, (make_agent(name), make_agent(name)), seeds)
        ended["rng"] = 0
        assert len({state.tobytes() for state in ended}) >= different
        assert different > 1 or len({state.tobytes() for state in ended}) == 1


def test_the_clock_ends_a_search() -> None:
    game = game_of("solo")
    states = deal(game, np.arange(4, dtype=np.uint64))
    searched(game, states, Options(1))
    visits, _ = searched(game, states, Options(1_000_000, seconds=0.05))
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
    assert options_of("9,leaf=random,exploration=2.5,seconds=0.5,open_cards=1") == Options(
        9, 0.5, "random", 2.5, open_cards=True
    )
    assert make_agent("mcts:7").name == "mcts:7"


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("many", "is written mcts:SIMULATIONS"),
        ("5,depth=3", "is written mcts:SIMULATIONS"),
        ("5,open_cards=yes", "is written mcts:SIMULATIONS"),
        ("0", "1 to 1,000,000 simulations"),
        ("5,leaf=clever", "knows the leaves judge, random, greedy"),
        ("5,noise=-1", "noise of mcts"),
        ("5,exact=-1", "exact of mcts is 0 to 10,000,000 positions"),
        ("5,exploration=-1", "0 or more"),
        ("5,spread=2", "spread of mcts is from 0 to 1"),
        ("5,rules=-1", "rules of mcts is from 0 to 1"),
        ("5,rules=0.5", "rules of mcts joins the leaf of a network"),
        ("5,rollouts=1.5", "rollouts of mcts is from 0 to 1"),
        ("5,leaf=random,rollouts=1", "rollouts of mcts joins a leaf that judges, and 'random' plays to the end"),
        ("5,seconds=nan", "0 or more"),
    ],
)
def test_wrong_options(argument: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        make_agent(f"mcts:{argument}")


@pytest.mark.parametrize("wrong", [{"simulations": -1}, {"simulations": 0}, {"leaf": "x"}, {"exploration": -1.0}])
def test_wrong_options_from_python(wrong: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        Options(**wrong)


def test_no_decisions() -> None:
    game = game_of("base")
    agent = make_agent("mcts:5")
    agent.start(game, np.zeros(0, np.uint64))
    nobody = np.zeros(0, np.int64)
    assert agent.act(Decisions(game, game.new_states(0), nobody, nobody)).shape == (0,)
