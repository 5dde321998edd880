"""The greedy player of Rift Valley: how well it plays, and what it must see."""

from typing import Any

import numpy as np
import pytest

from agents import make_agent
from riftvalley_env.board import Board
from riftvalley_env.game import make_game
from riftvalley_env.vocabulary import Element
from tests.agents.tables import act_all, decisions_of, in_mid_play, play
from tests.riftvalley_env.table import Table, board
from valley_core.batch import num_threads, set_num_threads
from valley_core.decisions import Decisions
from valley_core.game import Game

SEEDS = np.arange(300, dtype=np.uint64)

AT_LEAST = {2: 0.98, 3: 0.97, 4: 0.94, 5: 0.84}
"""Share of 300 games that it must win against random players, from any seat; an even share is 1 / players."""


def game_of(players: int, **options: Any) -> Game:
    """A game for so many players."""
    return make_game(num_players=players, **options)


def wins(game: Game, states: np.ndarray) -> np.ndarray:
    """The share of games that each seat won, shared victories split."""
    won = np.zeros(game.seats)
    for state in states:
        winners = game.summary(state, game.data[0])["winners"]
        won[winners] += 1 / len(winners)
    return won / len(states)


@pytest.mark.parametrize("players", AT_LEAST)
@pytest.mark.parametrize("boards", ["identical", "asymmetrical"])
@pytest.mark.parametrize("actions", ["two_step", "flat"])
def test_beats_random_players(players: int, boards: str, actions: str) -> None:
    game = game_of(players, boards=boards, actions=actions)
    for seat in {0, players - 1}:
        table = [make_agent("greedy" if other == seat else "random") for other in range(players)]
        states = play(game, tuple(table), SEEDS)
        assert wins(game, states)[seat] >= AT_LEAST[players]
        points = states["points"][:, :players, :players].astype(int).sum((1, 3)).mean(0)
        assert points[seat] > 10 > 0 > np.delete(points, seat).max()


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("actions", ["two_step", "flat"])
def test_legal_and_blind_to_what_others_have_decided(players: int, actions: str) -> None:
    game = game_of(players, actions=actions)
    states = in_mid_play(game, 300)
    assert len(states) > 50
    last = states.copy()  # all seats but the last have decided, and nobody has begun a Trail
    last["square"][:, :players] = -1
    last["element"][:, : players - 1] = Element.PASS
    others = last.copy()
    others["element"][:, : players - 1] = Element.TENT
    others["square"][:, : players - 1] = np.random.default_rng(0).integers(0, 49, (len(last), players - 1))
    chosen = []
    for seen in (last, others):
        agent = make_agent("greedy")
        agent.start(game, np.zeros(len(seen), np.uint64))
        chosen.append(act_all(agent, decisions_of(game, seen)))
    assert (chosen[0] == chosen[1]).all()
    agent = make_agent("greedy")
    agent.start(game, np.zeros(len(states), np.uint64))
    act_all(agent, decisions_of(game, states))  # in the middle of a Trail, too


@pytest.mark.parametrize("players", [2, 4])
def test_same_games_in_any_batch_and_number_of_threads(players: int) -> None:
    game = game_of(players)
    before, ended = num_threads(), []
    try:
        for batch, count in ((200, 1), (200, 2), (33, 2), (1, 1)):
            set_num_threads(count)
            some = SEEDS[:200] if batch > 1 else SEEDS[:10]
            ended.append(play(game, (make_agent("greedy"), *[make_agent("random")] * (players - 1)), some, batch))
    finally:
        set_num_threads(before)
    for other in ended[1:3]:
        assert (other["points"] == ended[0]["points"]).all()
        assert other.tobytes() == ended[0].tobytes()


def test_both_encodings_choose_the_same_element() -> None:
    games = [game_of(2, actions=actions) for actions in ("two_step", "flat")]
    ended = [play(game, (make_agent("greedy"), make_agent("greedy")), SEEDS[:100]) for game in games]
    assert (ended[0]["drawn"] == ended[1]["drawn"]).all()


def choice(table: Table, seat: int) -> str:
    """What it does at a table."""
    agent = make_agent("greedy")
    agent.start(table.game, np.zeros(1, np.uint64))
    return table.game.action_names[
        act_all(agent, Decisions(table.game, table.states, np.array([seat]), np.zeros(1, int)))[0]
    ]


def empty() -> Board:
    """A board of three by three areas, with a Rift in a corner and nothing else."""
    return board("rr..... ....... ....... ....... ....... ....... .......")


@pytest.mark.plain
def test_draws_the_trail_through_more_areas() -> None:
    table = Table(empty(), empty(), turn=2)
    table.draw(0, 0, "o r3c4", "o r3c6", "o r6c4")  # along: two areas; down: three; the L: four
    assert choice(table, 0) == "trail-from r3c6"
    table.act(0, "trail-from r3c6")
    assert choice(table, 0) == "column-first r6c4"


@pytest.mark.plain
def test_draws_the_tent_that_scores_most_when_nothing_comes_after() -> None:
    table = Table(empty(), empty(), turn=4)
    table.draw(0, 0, "o r3c3", "o r3c5", "- r3c3 r3c5", "o r5c3", "o r5c5", "- r5c3 r5c5")
    table.draw(0, 1, "^ r2c2", "^ r6c6")
    table.state.last_turn = 4
    assert choice(table, 0) == "tent r4c4"


@pytest.mark.plain
def test_passes_rather_than_lose_points_at_the_end() -> None:
    table = Table(empty(), empty(), turn=4)
    table.state.last_turn = 4
    for tent in ("^ r1c3", "^ r1c5", "^ r1c7", "^ r7c1", "^ r7c7"):
        table.draw(0, 1, tent)
    assert choice(table, 0) == "pass"
