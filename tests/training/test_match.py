"""`training.match`: the same games whatever the batch and the threads, and the games that the kernels play."""

from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from agents.base import Agent
from agents.greedy import GreedyAgent
from agents.random import RandomAgent
from deathvalley_env.game import make_game as death_valley
from riftvalley_env.game import make_game as rift_valley
from training.games import deals_of, entry_of
from training.match import (
    NO_SEAT,
    agent_seeds,
    deal_seeds,
    different_deals,
    fingerprints,
    is_complete,
    outcome,
    play_games,
    unfinished,
)
from valley_core.batch import num_threads, set_num_threads
from valley_core.decisions import Decisions
from valley_core.errors import OptionError
from valley_core.game import Game, Reward

GAMES = {
    "solo": lambda: death_valley(solo=True, must_outbust=True),
    "two players": lambda: death_valley(variant="backseat"),
    "turn_limit": lambda: death_valley(solo=True, max_turns=9),
    "truncated": lambda: death_valley(solo=True, max_turns=9, turn_limit="truncate"),
    "rift valley": lambda: rift_valley(num_players=3),
}


@pytest.fixture(params=GAMES)
def game(request: pytest.FixtureRequest) -> Game:
    return GAMES[request.param]()


@pytest.fixture(params=["two players", "rift valley"])
def shared_game(request: pytest.FixtureRequest) -> Game:
    """A game in which all seats are played by agents."""
    return GAMES[request.param]()


@pytest.fixture
def threads() -> Iterator[None]:
    before = num_threads()
    yield
    set_num_threads(before)


class Turning(Agent):
    """Takes the legal actions in turn, beginning with one that its stream's seed names."""

    name = "turning"

    def start(self, game: Game, seeds: np.ndarray) -> None:
        self.next = seeds.copy()

    def act(self, decisions: Decisions) -> np.ndarray:
        own = self.next[decisions.streams]
        self.next[decisions.streams] += np.uint64(1)
        return np.array([turn(mask, start) for mask, start in zip(decisions.masks, own, strict=True)], np.int64)


def turn(mask: np.ndarray, start: np.uint64) -> int:
    legal = np.flatnonzero(mask)
    return int(legal[int(start) % len(legal)])


class Faulty(Turning):
    """Chooses an action that does not exist, every third time."""

    name = "faulty"

    def act(self, decisions: Decisions) -> np.ndarray:
        actions = super().act(decisions)
        actions[self.next[decisions.streams] % np.uint64(3) == 0] = decisions.game.num_actions
        return actions


def seated(game: Game, kinds: Sequence[type[Agent]] = (Turning, Turning, RandomAgent)) -> list[Agent | None]:
    """An agent for each seat that the game asks."""
    if game.options.get("solo"):
        return [kinds[0](), None]
    return [kind() for kind in kinds[: game.seats]]


def by_hand(game: Game, seed: np.uint64) -> dict[str, object]:
    """One game of `Turning` in all seats, by the kernels alone."""
    kernels, data = game.kernels, game.data[0]
    states = game.new_states(1)
    state = states[0]
    state["rng"] = seed
    kernels.reset(state, data)
    streams = [agent_seeds(np.array([seed]), seat)[0] for seat in range(game.seats)]
    decisions = np.zeros(game.seats, int)
    mask, totals = np.zeros(game.num_actions, np.uint8), np.zeros(game.seats)
    while (seat := int(kernels.to_act(state))) >= 0:
        kernels.legal(state, data, seat, mask)
        kernels.step(state, data, seat, turn(mask, streams[seat]))
        streams[seat] += np.uint64(1)
        decisions[seat] += 1
    kernels.returns(state, data, Reward.WIN, totals)
    summary = game.summary(state, data)
    return summary | {"decisions": decisions.tolist(), "result": outcome(totals).tolist()}


def test_a_batch_plays_the_games_that_the_kernels_play(game: Game) -> None:
    seeds = deal_seeds(3, 20)
    results = play_games(game, seated(game, (Turning, Turning, Turning)), seeds)
    columns = entry_of(game.name).columns
    for row, seed in zip(results, seeds, strict=True):
        expected = by_hand(game, seed)
        assert row["seed"] == seed
        assert row["decisions"].tolist() == expected["decisions"]
        assert row["scores"].tolist() == expected["scores"]
        assert row["result"].tolist() == expected["result"]
        assert row["turns"] == expected["turns"]
        assert columns.ENDINGS[row["ending"]] == expected["ending"]
        assert row["turn_limit"] == (expected["ending"] in ("truncated", "turn_limit"))
        assert row["truncated"] == (expected["ending"] == "truncated")
        assert (None if row["winner"] == NO_SEAT else row["winner"]) == expected["winner"]
        assert [dict(zip(columns.KINDS, kinds, strict=True)) for kinds in row["by_kind"].tolist()] == expected[
            "by_kind"
        ]
        if "by_board" in expected:
            assert row["on_boards"].sum(2).T.tolist() == expected["by_board"]
            names = [name for name, _ in game.options["boards"]]
            assert [names[board] for board in row["boards"]] == expected["boards"]
        if "busts" in expected:
            assert row["busts"].tolist() == expected["busts"]


def test_batch_size_and_threads_change_nothing(game: Game, threads: None) -> None:
    seeds = deal_seeds(0, 300)
    expected = play_games(game, seated(game), seeds)
    assert not expected["illegal"].any()
    for count in (1, 2):
        set_num_threads(count)
        for batch in (7, 128, 1024):
            assert play_games(game, seated(game), seeds, batch=batch).tobytes() == expected.tobytes()


def test_a_game_does_not_depend_on_the_others(game: Game) -> None:
    seeds = deal_seeds(0, 40)
    together = play_games(game, seated(game), seeds)
    assert play_games(game, seated(game), seeds[30:31])[0].tobytes() == together[30].tobytes()
    assert play_games(game, seated(game), seeds[::-1])[::-1].tobytes() == together.tobytes()


def test_streams_of_agents_differ_by_game_and_seat() -> None:
    seeds = deal_seeds(0, 1000)
    streams = np.concatenate([seeds, *(agent_seeds(seeds, seat) for seat in range(5))])
    assert len(np.unique(streams)) == len(streams)


def test_one_agent_in_several_seats_plays_as_several(shared_game: Game) -> None:
    game, seeds = shared_game, deal_seeds(1, 50)
    once = play_games(game, [RandomAgent()] * game.seats, seeds)
    assert once["decisions"].all(0).all()
    single = Turning()
    apart = play_games(game, [Turning() for _ in range(game.seats)], seeds)
    assert play_games(game, [single] * game.seats, seeds).tobytes() == apart.tobytes()


def test_all_agents_meet_the_same_deals() -> None:
    game = death_valley(solo=True)
    first: dict[str, list[bytes]] = {}

    class Watching(Turning):
        def act(self, decisions: Decisions) -> np.ndarray:
            first.setdefault(self.name, [state.tobytes() for state in decisions.states])
            return super().act(decisions) if self.name == "turning" else np.argmax(decisions.masks, 1)

    for name in ("turning", "lowest"):
        agent = Watching()
        agent.name = name
        play_games(game, [agent, None], deal_seeds(0, 30))
    assert first["turning"] == first["lowest"]


def test_illegal_actions_are_counted_and_replaced(threads: None) -> None:
    game = death_valley(solo=True)
    seeds = deal_seeds(0, 200)
    set_num_threads(2)
    results = play_games(game, [Faulty(), None], seeds, illegal_action="count")
    assert 0.2 < results["illegal"][:, 0].sum() / results["decisions"][:, 0].sum() < 0.5
    set_num_threads(1)
    again = play_games(game, [Faulty(), None], seeds, batch=9, illegal_action="count")
    assert again.tobytes() == results.tobytes()


def test_fingerprints_are_blind_to_random_numbers_alone(game: Game) -> None:
    states = np.repeat(game.new_states(1), 3)
    states["rng"] = (1, 2, 3)
    states["turn"] = (5, 5, 6)
    first, second, third = fingerprints(states)
    assert first == second != third
    assert states["rng"].tolist() == [1, 2, 3]


def test_a_deal_counts_once_if_nobody_is_random() -> None:
    ends = [np.zeros(5, [("end", "u8")]) for _ in range(2)]
    ends[0]["end"] = (7, 7, 8, 7, 8)
    ends[1]["end"] = (1, 1, 1, 2, 1)
    plain = GreedyAgent()
    assert different_deals(ends, [plain, None, plain]).tolist() == [0, 2, 3]
    assert different_deals(ends, [plain, RandomAgent()]).tolist() == [0, 1, 2, 3, 4]


def test_greedy_plays_as_many_games_as_there_are_deals() -> None:
    for boards, deals in (("identical", 1), ("asymmetrical", 20)):  # 5 x 4 ways to deal two of five boards
        results = play_games(rift_valley(boards=boards), [GreedyAgent()] * 2, deal_seeds(0, 300))
        assert len(different_deals([results], [GreedyAgent()])) == deals
        assert len(np.unique(results["boards"], axis=0)) == deals


def test_all_deals_are_known_where_they_are_few() -> None:
    plain, noisy = GreedyAgent(), RandomAgent()
    for options, deals in (
        ({"boards": "identical", "num_players": 4}, 1),
        ({"boards": "asymmetrical"}, 20),
        ({"boards": "asymmetrical", "num_players": 3}, 60),
        ({"boards": "asymmetrical", "num_players": 5}, 120),
        ({"boards": ["fig_grove", "long_rift"], "deal": "fixed"}, 1),
    ):
        game = rift_valley(**options)
        assert deals_of(game) == deals
        assert is_complete(game, [plain], np.arange(deals))
        assert not is_complete(game, [plain], np.arange(deals - 1))
        assert not is_complete(game, [plain, noisy], np.arange(deals))
    assert deals_of(death_valley(solo=True)) is None


def test_a_game_without_a_result_is_no_draw() -> None:
    for turn_limit, without in (("terminate", False), ("truncate", True)):
        game = death_valley(solo=True, max_turns=2, turn_limit=turn_limit)
        results = play_games(game, [RandomAgent(), None], deal_seeds(0, 20))
        assert results["turn_limit"].all()
        assert unfinished(results).tolist() == [without] * 20


def test_no_games_are_no_games() -> None:
    assert len(play_games(death_valley(solo=True), [RandomAgent(), None], deal_seeds(0, 0))) == 0


def test_progress_is_told_every_game() -> None:
    told: list[int] = []
    play_games(death_valley(solo=True), [RandomAgent(), None], deal_seeds(0, 50), batch=20, progress=told.append)
    assert sum(told) == 50


def test_wrong_agents_are_refused() -> None:
    game = death_valley()
    with pytest.raises(OptionError, match="has 2 seats, but 1 agents"):
        play_games(game, [RandomAgent()], deal_seeds(0, 2))
    with pytest.raises(OptionError, match="where no agent sits"):
        play_games(game, [RandomAgent(), None], deal_seeds(0, 2))
    with pytest.raises(OptionError, match="at least 1 game"):
        play_games(game, [RandomAgent(), RandomAgent()], deal_seeds(0, 2), batch=0)

    class Broken(Turning):
        name = "broken"

        def act(self, decisions: Decisions) -> np.ndarray:
            return np.zeros(len(decisions) + 1)

    with pytest.raises(OptionError, match=r"agent broken gave float64 of shape \(3,\) for 2 decisions"):
        play_games(death_valley(solo=True), [Broken(), None], deal_seeds(0, 2))
