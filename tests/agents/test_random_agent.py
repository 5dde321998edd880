"""The random agent: uniform, with a stream for each game and seat, in any game."""

import numpy as np

from agents import make_agent
from agents.random import streams_of
from riftvalley_env.game import make_game as rift_valley
from tests.agents.tables import act_all, deal, decisions_of, game_of
from valley_core.decisions import Decisions


def test_every_legal_action_is_equally_likely() -> None:
    game = game_of("backseat")
    states = np.repeat(deal(game, np.array([5], np.uint64)), 30_000)
    agent = make_agent("random")
    agent.start(game, np.arange(len(states), dtype=np.uint64))
    decisions = decisions_of(game, states)
    counts = np.bincount(act_all(agent, decisions), minlength=game.num_actions)
    legal = np.flatnonzero(decisions.masks[0])
    assert len(legal) == 3
    expected = len(states) / len(legal)
    assert counts.sum() == counts[legal].sum()
    # Chi-square with two degrees of freedom: above 18.4 once in ten thousand times.
    assert ((counts[legal] - expected) ** 2 / expected).sum() < 18.4


def test_a_stream_moves_on_and_begins_anew_with_its_seed() -> None:
    game = game_of("base")
    states = deal(game, np.zeros(1000, np.uint64))
    agent, again = make_agent("random"), make_agent("random")
    seeds = np.arange(1000, dtype=np.uint64)
    agent.start(game, seeds)
    again.start(game, seeds)
    first, second = (agent.act(decisions_of(game, states)) for _ in range(2))
    assert (first != second).any()
    assert (again.act(decisions_of(game, states)) == first).all()


def test_streams_differ_by_seat_and_from_the_deal() -> None:
    seeds = np.array([0, 1, 2**64 - 1], np.uint64)
    streams = streams_of(seeds, 3)["rng"]
    assert len(set(streams.tolist()) | set(seeds.tolist())) == 12


def test_all_seats_of_a_simultaneous_game() -> None:
    game = rift_valley(num_players=3)
    states = deal(game, np.arange(100, dtype=np.uint64))
    agent = make_agent("random")
    agent.start(game, np.arange(100, dtype=np.uint64))
    games = np.repeat(np.arange(100), game.seats)
    seats = np.tile(np.arange(game.seats), 100)
    act_all(agent, Decisions(game, states[games], seats, games))
