"""Networks that describe cards: the same play however cards are ordered, and on any deck."""

import dataclasses
import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import make_agent
from agents.item_network import ItemNetwork, Items, facts_of_items, items_of
from agents.mcts import Options, search
from agents.network import Network, NetworkError, check_fit, load_network, metadata_of
from deathvalley_env.deck import draw_deck, load_deck
from deathvalley_env.game import make_game
from riftvalley_env.game import make_game as rift_valley
from tests.agents.networks import random_item_network, write_item_network
from tests.agents.tables import deal, in_mid_play, seats_of
from training.match import deal_seeds, play_games
from valley_core.batch import new_chances
from valley_core.decisions import Decisions
from valley_core.errors import OptionError
from valley_core.game import Game

death_valley = functools.partial(make_game, card_facts=True)

pytestmark = pytest.mark.filterwarnings("error")

GAME = death_valley(variant="backseat")
DRAWN = death_valley(deck=draw_deck(["highs_and_lows", "death_valley"], seed=5), variant="backseat")


def seen(game: Game, count: int = 30) -> np.ndarray:
    """Observations of some decisions."""
    states = in_mid_play(game, count)
    return Decisions(game, states, seats_of(game, states), np.arange(count)).observations


def by_hand(network: ItemNetwork, observation: np.ndarray) -> tuple[list[float], float]:
    """Logits and value of a whole observation, item by item as the docstrings have it."""
    items, end = network.items, GAME.fixed_from
    printed = observation[end : end + 18 * 6].reshape(18, 6)
    abilities = observation[end + 18 * 6 :].reshape(18, 282)
    described = [
        np.maximum(np.append(printed[i], abilities[i]) @ network.describe[0] + network.describe[1], 0)
        for i in range(items.count)
    ]
    read: list[float] = []
    for plane in range(items.planes):
        where = observation[plane * items.count : (plane + 1) * items.count]
        read += list(sum(share * own for share, own in zip(where, described, strict=True)))
    read += list(observation[items.planes * items.count : end])
    read += list(np.mean(described, 0))
    last = np.array(read)
    for weights, bias in network.hidden:
        last = np.maximum(last @ weights + bias, 0)
    plain = last @ network.policy[0] + network.policy[1]
    wanted = np.split(last @ network.choice[0] + network.choice[1], len(items.choices))
    of_items = [[float(own @ group) for own in described] for group in wanted]
    value = float(np.tanh(last @ network.value[0] + network.value[1])[0])
    return [*plain[:4], *of_items[0], *of_items[1], *plain[4:]], value


def test_the_items_of_a_game() -> None:
    assert items_of(GAME) == Items(count=18, planes=19, facts=288, choices=(4, 22))
    assert items_of(GAME).plain_actions(42) == [0, 1, 2, 3, 40, 41]  # type: ignore[union-attr]
    assert items_of(death_valley(card_facts=False)) is None
    assert items_of(rift_valley()) is None
    assert facts_of_items(GAME).shape == (18, 288)


@pytest.mark.parametrize("game", [GAME, DRAWN], ids=lambda game: game.options["deck"])
def test_on_a_deck_it_is_a_plain_network(game: Game) -> None:
    network = random_item_network(game)
    plain = network.on(game)
    assert isinstance(plain, Network)
    assert (plain.inputs, plain.actions) == (game.fixed_from, game.num_actions)
    assert (network.inputs, network.actions) == (game.layout.size, game.num_actions)
    observations = seen(game)
    logits, values = plain.outputs(observations)
    for observation, own, value in zip(observations, logits, values, strict=True):
        wanted, worth = by_hand(network, observation)
        np.testing.assert_allclose(own, wanted, rtol=1e-3, atol=1e-3)
        assert np.tanh(value[0]) == pytest.approx(worth, abs=1e-4)
    assert plain.on(game) is plain


def test_it_plays_alike_however_cards_are_ordered() -> None:
    deck = load_deck("highs_and_lows")
    order = np.random.default_rng(2).permutation(18)
    other = death_valley(deck=dataclasses.replace(deck, cards=tuple(deck.cards[i] for i in order)), variant="backseat")
    network = random_item_network(GAME)
    observations = seen(GAME)
    turned = observations.copy()
    for plane in range(19):
        turned[:, plane * 18 : (plane + 1) * 18] = observations[:, plane * 18 + order]
    one, _ = network.on(GAME).outputs(observations)
    two, _ = network.on(other).outputs(turned)
    names = [*range(4), *(4 + order), *(22 + order), 40, 41]
    np.testing.assert_allclose(two, one[:, names], rtol=1e-3, atol=1e-3)


def test_a_file_gives_it_back_and_it_plays_any_deck(tmp_path: Path) -> None:
    path = write_item_network(tmp_path / "a.npz", GAME)
    loaded, metadata = load_network(path)
    assert isinstance(loaded, ItemNetwork)
    assert metadata.data is None
    for name, layer in random_item_network(GAME).layers().items():
        for written, read in zip(layer, loaded.layers()[name], strict=True):
            assert (read == written.astype(np.float16)).all()
    for game in (GAME, DRAWN):
        results = play_games(game, [make_agent(path), make_agent("random")], deal_seeds(1, 50))
        assert not results["illegal"].any()
    states = deal(DRAWN, np.arange(4, dtype=np.uint64))
    visits = search(DRAWN, states, seats_of(DRAWN, states), new_chances(1, 4), Options(20, leaf=path))[0]
    assert (visits.sum(1) > 0).all()
    with pytest.raises(OptionError, match="card_facts=True"):
        check_fit("N", loaded, metadata, death_valley(card_facts=False))


@pytest.mark.parametrize(
    "change",
    [
        {"items": Items(18, 21, 288, (4, 22))},
        {"items": Items(18, 19, 287, (4, 22))},
        {"items": Items(18, 19, 288, (4,))},
        {"hidden": ()},
        {"value": (np.zeros((3, 1), np.float32), np.zeros(1, np.float32))},
    ],
)
def test_layers_that_do_not_fit_together(change: dict[str, Any]) -> None:
    with pytest.raises(NetworkError, match=r"do not fit its items|cannot follow|value head"):
        dataclasses.replace(random_item_network(GAME, width=40), **change)


def test_what_it_is_trained_on_may_be_one_deck(tmp_path: Path) -> None:
    network = random_item_network(GAME)
    about = metadata_of(GAME, inputs=network.inputs, command="", seed=0, versions={})
    with pytest.raises(OptionError, match="was trained on 'Highs & Lows'"):
        check_fit("N", network, about, DRAWN)
