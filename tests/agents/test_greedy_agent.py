"""The greedy agent: how well it plays, and what it must see."""

import dataclasses
from enum import IntEnum

import numpy as np
import pytest

from agents import make_agent
from deathvalley_env.game import make_game
from deathvalley_env.vocabulary import Action, Decision
from tests.agents.tables import act_all, decisions_of, game_of, in_mid_play, play, seats_of, win_rate
from tests.deathvalley_env.table import Table, ability, make_deck
from tests.deathvalley_env.vocabulary_decks import WORDS, deck_with, title
from valley_core.batch import loops_of
from valley_core.errors import OptionError
from valley_core.game import Game

SEEDS = np.arange(1000, dtype=np.uint64)

AT_LEAST = {
    ("solo", "highs_and_lows"): 0.89,
    ("solo discard_points", "highs_and_lows"): 0.62,
    ("solo must_outbust", "highs_and_lows"): 0.82,
    ("solo both", "highs_and_lows"): 0.48,
    ("solo", "death_valley"): 0.89,
    ("solo", "mixed"): 0.85,
}
"""Win rates against the solo AI that 1,000 games with these seeds must reach, with some room."""


@pytest.mark.parametrize(("variant", "deck"), AT_LEAST)
def test_against_the_solo_ai(variant: str, deck: str) -> None:
    game = game_of(variant, deck)
    rates = {}
    for name in ("greedy", "random"):
        agent = make_agent(name)
        rates[name] = win_rate(game, play(game, (agent, agent), SEEDS))
    assert rates["greedy"] >= AT_LEAST[variant, deck]
    assert rates["greedy"] > rates["random"] + 0.2


@pytest.mark.parametrize("other", ["random", "rulebook"])
@pytest.mark.parametrize("variant", ["base", "backseat"])
@pytest.mark.parametrize("deck", ["highs_and_lows", "death_valley", "random 1"])
def test_beats_weaker_players_from_either_seat(variant: str, other: str, deck: str) -> None:
    game = game_of(variant, deck)
    first = win_rate(game, play(game, (make_agent("greedy"), make_agent(other)), SEEDS), 0)
    second = win_rate(game, play(game, (make_agent(other), make_agent("greedy")), SEEDS), 1)
    assert min(first, second) > (0.9 if other == "random" else 0.8)


@pytest.mark.parametrize("variant", ["base", "backseat", "solo"])
def test_takes_a_sure_win(variant: str) -> None:
    """Where a Travel of the face-up card ends the game with a win, what it does wins."""
    game = game_of(variant)
    states = in_mid_play(game, 20_000)
    states = states[(states["decision"] == Decision.TURN) & (states["deck_size"] == 1)]
    seats = seats_of(game, states)
    won = after(game, states, np.full(len(states), int(Action.TRAVEL_FACE_UP)), seats)
    states, seats = states[won], seats[won]
    assert len(states) > 5
    agent = make_agent("greedy")
    agent.start(game, np.zeros(len(states), np.uint64))
    assert after(game, states, act_all(agent, decisions_of(game, states)), seats).all()


def after(game: Game, states: np.ndarray, actions: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Whether each game, after an action, is over and won by the seat that acted."""
    later = states.copy()
    loops_of(game).step_all(later, game.data, seats, actions)
    totals = np.zeros((len(later), game.seats))
    next_seats, statuses = np.zeros(len(later), np.int64), np.zeros(len(later), np.int64)
    loops_of(game).look_all(later, game.data, 0, next_seats, statuses, totals)
    return (next_seats < 0) & (totals[np.arange(len(later)), seats] == 1)


@pytest.mark.plain
def test_weighs_the_unseen_cards_not_the_next_one() -> None:
    """With any card on top of the deck the choice is the same, though some of them bust and others do not."""
    game = game_of("backseat")
    states = in_mid_play(game, 40)
    for state in states[:4]:
        alike = np.repeat(state, int(state["deck_size"]))
        for k in range(len(alike)):
            alike["deck"][k][: len(alike)] = np.roll(state["deck"][: len(alike)], k)
        agent = make_agent("greedy")
        agent.start(game, np.zeros(len(alike), np.uint64))
        assert len(set(act_all(agent, decisions_of(game, alike)).tolist())) == 1


@pytest.mark.parametrize("member", WORDS, ids=title)
def test_plays_decks_full_of_each_word(member: IntEnum) -> None:
    """Each word of the vocabulary in the looks ahead of a game; the choices must be legal."""
    for variant in ({"variant": "backseat"}, {"solo": True}):
        game = make_game(deck=deck_with(member), max_turns=60, **variant)
        agent = make_agent("greedy")
        assert (play(game, (agent, agent), SEEDS[:2])["decision"] == Decision.OVER).all()


@pytest.mark.parametrize("timing", ["instead_of_travel", "instead_of_rest"])
def test_uses_an_ability_in_the_place_of_an_action(timing: str) -> None:
    """Any Travel busts and a Rest shuffles stars in; the ability saves a card that is worth nothing."""
    deck = make_deck(
        {"s1": 9, "s2": 9},
        p1=ability(timing, "to_scrapbook", optional=True, select={"position": "this"}),
        m1=ability("before_rest", "shuffle", select={"row": "journey", "having": "stars"}),
    )
    table = Table("desert: s3 + s4, s5, s6\n0 journey: p1, s1, s2\n0 scrapbook: m1\n1 discard: ...", deck)
    assert table.legal() == {"travel face-up", "travel top", "rest", "use p1"}
    agent = make_agent("greedy")
    agent.start(table.game, np.zeros(1, np.uint64))
    (chosen,) = act_all(agent, decisions_of(table.game, table.states))
    assert table.game.action_names[int(chosen)] == "ability of p1"


def test_a_game_that_it_does_not_know() -> None:
    with pytest.raises(OptionError, match="cannot play 'chess'"):
        make_agent("greedy").start(dataclasses.replace(game_of("base"), name="chess"), SEEDS)
