"""Greedy with a share of random decisions."""

import numpy as np
import pytest

from agents import Decisions, make_agent
from riftvalley_env.game import make_game as rift_valley
from tests.agents.tables import act_all, deal, decisions_of, game_of
from valley_core.errors import OptionError


def first_actions(name: str, count: int) -> np.ndarray:
    """What an agent does first in `count` games of Rift Valley, all dealt alike."""
    states = deal(rift_valley(boards="identical"), np.zeros(count, np.uint64))
    agent = make_agent(name)
    agent.start(rift_valley(boards="identical"), np.arange(count, dtype=np.uint64))
    seats = np.zeros(count, np.int64)
    return act_all(agent, Decisions(rift_valley(boards="identical"), states, seats, np.arange(count)))


def test_the_ends_are_greedy_and_random() -> None:
    assert (first_actions("noisy:0", 300) == first_actions("greedy", 300)).all()
    assert (first_actions("noisy:1", 300) == first_actions("random", 300)).all()


@pytest.mark.parametrize(("name", "share"), [("noisy", 0.1), ("noisy:0.4", 0.4)])
def test_the_share_of_random_decisions(name: str, share: float) -> None:
    count = 4000
    greedy, random = first_actions("greedy", count), first_actions("random", count)
    actions = first_actions(name, count)
    assert ((actions == greedy) | (actions == random)).all()
    expected = share * (random != greedy).mean()
    # Four standard deviations of a share: once in ten thousand times.
    assert abs((actions != greedy).mean() - expected) < 4 * np.sqrt(expected / count)


def test_coins_move_on() -> None:
    game = game_of("base")
    states = deal(game, np.zeros(500, np.uint64))
    agent = make_agent("noisy:0.5")
    agent.start(game, np.arange(500, dtype=np.uint64))
    first, second = (agent.act(decisions_of(game, states)) for _ in range(2))
    assert (first != second).any()


def test_seats_have_coins_of_their_own() -> None:
    game, streams = rift_valley(), np.arange(500)
    states = deal(game, np.zeros(500, np.uint64))
    strays = []
    for seat in range(game.seats):
        chosen = []
        for name in ("greedy", "noisy:0.5"):
            agent = make_agent(name)
            agent.start(game, streams.astype(np.uint64))
            chosen.append(agent.act(Decisions(game, states, np.full(500, seat), streams)))
        strays.append(chosen[0] != chosen[1])
    assert 0.3 < (strays[0] != strays[1]).mean() < 0.7


def test_names_and_errors() -> None:
    assert make_agent("noisy").name == "noisy:0.1"
    assert make_agent("noisy:0.25").name == "noisy:0.25"
    for wrong in ("2", "-0.1", "much", "nan"):
        with pytest.raises(OptionError, match=f"a share of random decisions from 0 to 1, not '{wrong}'"):
            make_agent(f"noisy:{wrong}")
