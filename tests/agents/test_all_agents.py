"""What holds for every hand-written agent: legal, blind to what is hidden, the same in any batch."""

from collections.abc import Iterator

import numpy as np
import pytest

from agents import agent_names, make_agent
from riftvalley_env.game import make_game as rift_valley
from tests.agents.tables import DECKS, VARIANTS, act_all, decisions_of, game_of, in_mid_play, play, with_other_luck
from valley_core.batch import num_threads, set_num_threads
from valley_core.decisions import Decisions
from valley_core.errors import OptionError

PLAIN = ("random", "rulebook", "staller", "greedy")
AGENTS = (*PLAIN, "noisy:0.3", "mcts:20", "mcts:10,leaf=random", "mcts:2,leaf=greedy")


@pytest.fixture
def threads() -> Iterator[None]:
    before = num_threads()
    yield
    set_num_threads(before)


@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("deck", DECKS)
def test_legal_and_blind_to_what_is_hidden(name: str, variant: str, deck: str) -> None:
    game = game_of(variant, deck)
    states = in_mid_play(game, 300)
    assert len(states) > 100
    chosen = []
    for seen in (states, with_other_luck(states)):
        agent = make_agent(name)
        agent.start(game, np.arange(len(seen), dtype=np.uint64))
        chosen.append(act_all(agent, decisions_of(game, seen)))
    assert (chosen[0] == chosen[1]).all()


@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.parametrize("variant", ["base", "backseat", "solo both"])
def test_same_games_in_any_batch_and_number_of_threads(name: str, variant: str, threads: None) -> None:
    game = game_of(variant)
    games = 30 if name.startswith("mcts") else 300  # a search has threads for one decision each, others for many
    seeds = np.arange(games, dtype=np.uint64) + np.uint64(7)
    ended = []
    for batch, count in ((games, 1), (games, 2), (games, 3), (games // 4 + 2, 2), (1, 1)):
        set_num_threads(count)
        some = seeds if batch > 1 else seeds[:10]
        ended.append(play(game, (make_agent(name), make_agent(name)), some, batch))
    for other in ended[1:]:
        assert other.tobytes() == ended[0][: len(other)].tobytes()


@pytest.mark.parametrize("name", AGENTS)
def test_order_of_decisions_does_not_matter(name: str) -> None:
    game = game_of("backseat")
    states = in_mid_play(game, 200)
    order = np.random.default_rng(3).permutation(len(states))
    chosen = []
    for taken in (np.arange(len(states)), order):
        agent = make_agent(name)
        agent.start(game, np.arange(len(states), dtype=np.uint64))
        chosen.append(agent.act(decisions_of(game, states[taken], taken)))
    assert (chosen[0][order] == chosen[1]).all()


@pytest.mark.parametrize("name", AGENTS)
def test_no_decisions(name: str) -> None:
    game = game_of("base")
    agent = make_agent(name)
    agent.start(game, np.zeros(0, np.uint64))
    nobody = np.zeros(0, np.int64)
    assert agent.act(Decisions(game, game.new_states(0), nobody, nobody)).shape == (0,)


def test_names_and_errors() -> None:
    assert {*PLAIN, "noisy"} <= set(agent_names())
    for name in PLAIN:
        assert make_agent(name).name == name
        with pytest.raises(OptionError, match="takes no argument"):
            make_agent(f"{name}:5")
    with pytest.raises(OptionError, match=r"known kinds: .*greedy"):
        make_agent("clever")


@pytest.mark.parametrize("name", ["rulebook", "staller"])
def test_some_agents_play_death_valley_alone(name: str) -> None:
    with pytest.raises(OptionError, match="cannot play 'riftvalley'"):
        make_agent(name).start(rift_valley(), np.zeros(1, np.uint64))
