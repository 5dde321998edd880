"""Lineups are balanced, and games are counted as they ended."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from agents import make_agent
from deathvalley_env.game import make_game as death_valley
from riftvalley_env.game import make_game
from training.match import deal_seeds
from training.tournament_lineups import (
    Block,
    Finished,
    NewDeals,
    Schedule,
    finished,
    joined,
    lineups,
    places_of,
    play_block,
    tables,
    tally,
)

SHAPES = [(agents, seats) for seats in range(2, 6) for agents in range(2, 8)]


@pytest.mark.parametrize(("agents", "seats"), SHAPES)
def test_every_agent_sits_as_often_in_every_seat_on_every_deal(agents: int, seats: int) -> None:
    schedule = Schedule(agents, seats, deal_seeds(3, 12), 5)
    chosen = [schedule.seatings(lineup) for lineup in schedule.lineups]
    for deal in range(12):
        seated = Counter((agent, seat) for of in chosen for table in of[deal] for seat, agent in enumerate(table))
        assert set(seated) == {(agent, seat) for agent in range(agents) for seat in range(seats)}
        assert len(set(seated.values())) == 1
    assert schedule.games == sum(len(tables) for of in chosen for tables in of)


@pytest.mark.parametrize(("agents", "seats"), SHAPES)
def test_every_pair_meets_as_often_on_every_deal(agents: int, seats: int) -> None:
    schedule = Schedule(agents, seats, deal_seeds(3, 12), 5)
    chosen = [schedule.seatings(lineup) for lineup in schedule.lineups]
    for deal in range(12):
        met = Counter(tuple(sorted(pair)) for of in chosen for table in of[deal] for pair in combinations(table, 2))
        assert len({met[pair] for pair in combinations(range(agents), 2)}) == 1
        assert met[0, 1] > 0


@pytest.mark.parametrize(("agents", "seats"), SHAPES)
def test_lineups_hold_agents_as_evenly_as_possible(agents: int, seats: int) -> None:
    found = lineups(agents, seats)
    assert len(found) == len(set(found))
    for lineup in found:
        counts = [lineup.count(agent) for agent in range(agents)]
        assert sum(counts) == seats
        assert max(counts) - min(counts) <= 1
        arrangements = [seating for table in tables(lineup) for seating in table]
        assert len(arrangements) == len(set(arrangements))  # no game is played twice on a deal


def test_lineups_by_hand() -> None:
    assert lineups(3, 2) == [(0, 1), (0, 2), (1, 2)]
    assert lineups(2, 3) == [(0, 0, 1), (0, 1, 1)]
    assert lineups(2, 4) == [(0, 0, 1, 1)]
    assert tables((0, 1)) == [[(0, 1), (1, 0)]]
    assert tables((0, 0, 1, 1)) == [
        [(0, 0, 1, 1), (0, 1, 1, 0), (1, 0, 0, 1), (1, 1, 0, 0)],
        [(0, 1, 0, 1), (1, 0, 1, 0)],
    ]


def test_each_agent_is_as_likely_to_hand_its_board_to_any_other() -> None:
    schedule = Schedule(4, 4, deal_seeds(0, 6000), 6000)
    (lineup,) = schedule.lineups
    passed = Counter((table[0], table[1]) for deal in schedule.seatings(lineup) for table in deal)
    assert len(passed) == 12
    assert max(abs(count - 2000) for count in passed.values()) < 200


def test_rounds_cover_all_deals_once() -> None:
    schedule = Schedule(2, 2, deal_seeds(0, 23), 10)
    assert np.concatenate([schedule.seeds[deals] for deals in schedule.rounds]).tolist() == schedule.seeds.tolist()
    assert [len(schedule.seeds[deals]) for deals in schedule.rounds] == [10, 10, 3]


def table_of(results: list[list[int]], scores: list[list[int]]) -> np.ndarray:
    table = np.zeros(len(results), [("result", "i1", (3,)), ("scores", "i4", (3,)), ("turn_limit", "?")])
    table["result"], table["scores"] = results, scores
    return table


def test_places() -> None:
    cases = {
        "the winner need not have more points": ([-1, 1, -1], [9, 9, 4], [1, 0, 2]),
        "losers with one score": ([1, -1, -1], [9, 5, 5], [0, 1, 1]),
        "a shared victory": ([0, 0, -1], [7, 7, 3], [0, 0, 2]),
        "shared by all": ([0, 0, 0], [7, 7, 7], [0, 0, 0]),
        "negative scores": ([-1, 1, -1], [-8, -2, -5], [2, 0, 1]),
    }
    results, scores, places = zip(*cases.values(), strict=True)
    assert places_of(table_of(list(results), list(scores))).tolist() == list(places)


def test_tally_by_hand() -> None:
    games = [
        Finished(0, (0, 1, 1), (0, 1, 1)),
        Finished(0, (1, 0, 1), (0, 2, 0), turn_limit=True),
        Finished(1, (0, 1, 2), (2, 0, 1)),
        Finished(1, (0, 1, 2), (), turn_limit=True),
    ]
    found = tally(games, 2, 3)
    assert found.ahead[0].tolist() == [[0, 2, 0], [2, 0, 0], [0, 0, 0]]
    assert found.ahead[1].tolist() == [[0, 0, 0], [1, 0, 1], [1, 0, 0]]
    assert not found.drawn.any()  # seats of one agent are not compared with each other
    assert found.games.tolist() == [4, 4, 2]
    assert found.limited.tolist() == [2, 2, 1]  # with a result or without
    assert found.seats.tolist() == [3, 5, 1]
    assert found.wins.tolist() == [1, 1, 0]
    assert tally([Finished(0, (0, 1), (0, 0))], 1, 2).scores.tolist() == [[0.5, 0.5]]
    assert tally([games[2]._replace(deal=0)], 1, 3).scores.tolist() == [[0, 1, 0.5]]
    assert found.score.tolist() == [2 / 6, 4 / 6, 1 / 2]
    nothing = tally([Finished(0, (0, 1), (), turn_limit=True)], 1, 2)
    assert not nothing.drawn.any()  # no half of a win for anybody
    assert np.isnan(nothing.score).all()


def test_rounds_join_to_the_whole() -> None:
    games = [Finished(0, (0, 1), (0, 1)), Finished(1, (1, 0), (0, 0)), Finished(2, (0, 1), (1, 0))]
    whole = tally(games, 3, 2)
    parts = joined([tally(games[:2], 2, 2), tally([games[2]._replace(deal=0)], 1, 2)])
    for name in ("ahead", "drawn", "games", "limited", "seats", "wins"):
        assert getattr(parts, name).tolist() == getattr(whole, name).tolist()


def test_a_block_holds_every_seating_of_its_deals() -> None:
    game = make_game(num_players=4)
    agents = [make_agent("random"), make_agent("greedy")]
    schedule = Schedule(2, 4, deal_seeds(0, 8), 8)
    (lineup,) = schedule.lineups
    seatings = schedule.seatings(lineup)
    block = play_block(game, agents, lineup, seatings, schedule.seeds, 3)
    games = list(finished(seatings, block))
    assert [(game.deal, game.seating) for game in games] == [
        (deal, seating) for deal, chosen in enumerate(seatings) for seating in chosen
    ]
    assert len(games) == schedule.games
    assert block.illegal == [0, 0]
    assert block == play_block(game, agents, lineup, seatings, schedule.seeds, 4096)
    alone = play_block(game, agents, lineup, seatings[5:6], schedule.seeds[5:6], 4096)
    assert alone.places == block.places[5:6]


def test_games_without_a_result_have_no_places() -> None:
    game = death_valley(max_turns=6, turn_limit="truncate")
    schedule = Schedule(2, 2, deal_seeds(0, 10), 10)
    (lineup,) = schedule.lineups
    agents, seatings = [make_agent("random"), make_agent("greedy")], schedule.seatings(lineup)
    games = list(finished(seatings, play_block(game, agents, lineup, seatings, schedule.seeds, 100)))
    assert len(games) == 20
    assert all(one.places == () and one.turn_limit for one in games)


def test_deals_of_a_lineup_without_chance_count_once() -> None:
    game, plain, other = make_game(num_players=3), make_agent("greedy"), make_agent("random")
    ends = [["a", "b", "a"], ["b", "c"]]
    blocks = [Block(["012"] * len(some), ["0"] * len(some), some, [0, 0]) for some in ends]
    fixed, chance = NewDeals(game, [plain, other], (0, 0, 0)), NewDeals(game, [plain, other], (0, 0, 1))
    assert [fixed.counting(block).tolist() for block in blocks] == [[True, True, False], [False, True]]
    assert [chance.counting(block).tolist() for block in blocks] == [[True] * 3, [True] * 2]
    assert not fixed.complete
    assert not chance.complete
    one = NewDeals(make_game(boards="identical"), [plain], (0, 0))
    assert one.counting(blocks[0]).any()
    assert not one.complete  # two ends are more than the one game that there is: it was another game's block
    one = NewDeals(make_game(boards="identical"), [plain], (0, 0))
    one.counting(Block(["00"], ["0"], ["a"], [0]))
    assert one.complete
