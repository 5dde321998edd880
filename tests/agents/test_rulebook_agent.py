"""The rulebook's AI as a player: the engine's own choice, seat by seat."""

import numpy as np

from agents import make_agent
from deathvalley_env.rules import ai_travel
from deathvalley_env.vocabulary import Action, Decision
from tests.agents.tables import act_all, decisions_of, game_of, in_mid_play, play, win_rate

OF_PLAYERS = (
    "journey",
    "scrapbook",
    "journey_size",
    "scrapbook_size",
    "journey_set",
    "scrapbook_set",
    "discard",
    "busts",
)


def mirrored(states: np.ndarray) -> np.ndarray:
    """The same tables with the seats exchanged where the first one is asked: the AI's seat is the second."""
    found = states.copy()
    swap = states["player"] == 0
    for name in OF_PLAYERS:
        found[name][swap] = states[name][swap][:, ::-1]
    for name in ("active", "player"):
        found[name] = 1
    return found


def test_travels_as_the_solo_ai() -> None:
    seen = set()
    for deck in ("highs_and_lows", "death_valley"):
        game = game_of("backseat", deck)
        states = in_mid_play(game, 2000)
        travels = states["legal"] & (1 << Action.TRAVEL_TOP)
        states = states[(states["decision"] == Decision.TURN) & (travels != 0)]
        agent = make_agent("rulebook")
        agent.start(game, np.zeros(len(states), np.uint64))
        actions = act_all(agent, decisions_of(game, states))
        expected = [ai_travel(state, game.data[0]) for state in mirrored(states)]
        assert actions.tolist() == expected
        seen |= set(expected)
    assert seen == {Action.TRAVEL_FACE_UP, Action.TRAVEL_TOP, Action.TRAVEL_OTHER}


def test_base_game_takes_the_top_instead_of_a_bust() -> None:
    game = game_of("base")
    states = in_mid_play(game, 2000)
    states = states[(states["decision"] == Decision.TURN) & (states["deck_size"] > 0)]
    backseat = states.copy()
    backseat["backseat"] = 1
    expected = np.array([ai_travel(state, game.data[0]) for state in mirrored(backseat)])
    expected[expected == Action.TRAVEL_OTHER] = Action.TRAVEL_TOP
    agent = make_agent("rulebook")
    agent.start(game, np.zeros(len(states), np.uint64))
    ordinary = (states["legal"] & (1 << Action.TRAVEL_TOP)) != 0
    assert (act_all(agent, decisions_of(game, states))[ordinary] == expected[ordinary]).all()


def test_never_rests_and_declines() -> None:
    for variant in ("base", "backseat", "solo"):
        game = game_of(variant)
        states = in_mid_play(game, 2000)
        agent = make_agent("rulebook")
        agent.start(game, np.zeros(len(states), np.uint64))
        decisions = decisions_of(game, states)
        actions = act_all(agent, decisions)
        assert not (actions == Action.REST).any()
        can_decline = decisions.masks[:, Action.DONE] == 1
        assert can_decline.any()
        assert (actions[can_decline] == Action.DONE).all()


def test_beats_random() -> None:
    for variant in ("base", "backseat"):
        game = game_of(variant)
        ended = play(game, (make_agent("rulebook"), make_agent("random")), np.arange(1000, dtype=np.uint64))
        assert win_rate(game, ended) > 0.7
