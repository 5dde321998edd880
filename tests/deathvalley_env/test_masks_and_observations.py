"""Masks are exact, observations within bounds and silent on the order of the deck, and derived fields are true."""

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from deathvalley_env import deathvalley_v0
from deathvalley_env.deck import Deck, deck_from_dict, draw_deck, load_deck
from deathvalley_env.game import make_game
from deathvalley_env.rows import journey_cards, scrapbook_cards
from deathvalley_env.rules import legal
from deathvalley_env.scoring import score_of
from deathvalley_env.vocabulary import NUM_ACTIONS, NUM_CARDS, Decision
from tests.reference.deathvalley import random_deck
from tests.valley_core.masks import check_actions
from valley_core.errors import IllegalActionError
from valley_core.game import Game, Reward

SETTINGS: dict[str, dict[str, Any]] = {
    "base": {},
    "backseat": {"variant": "backseat", "ask_forced": True},
    "solo": {"solo": True},
    "solo both": {"solo": True, "discard_points": True, "must_outbust": True},
}


def decks() -> list[Deck]:
    """Both shipped decks, a mixed one, and random ones from the vocabulary."""
    made = [
        load_deck("highs_and_lows"),
        load_deck("death_valley"),
        draw_deck(["highs_and_lows", "death_valley"], seed=5),
    ]
    for number in range(5):
        made.append(deck_from_dict({"name": f"random {number}", "card": random_deck(random.Random(number))}))
    return made


@pytest.fixture(scope="module", params=SETTINGS)
def games(request: pytest.FixtureRequest) -> list[Game]:
    return [make_game(deck=deck, reward="shaped", **SETTINGS[request.param]) for deck in decks()]


def play(game: Game, seeds: range) -> Iterator[Any]:
    """The state before each decision, and at the end, of random games."""
    kernels, mask = game.kernels, np.zeros(game.num_actions, np.uint8)
    states = game.new_states(1)
    state, deck = states[0], game.data[0]
    for seed in seeds:
        choose = random.Random(seed)
        state["rng"] = seed
        kernels.reset(state, deck)
        while True:
            yield state
            seat = kernels.to_act(state)
            if seat < 0:
                break
            kernels.legal(state, deck, seat, mask)
            kernels.step(state, deck, seat, choose.choice(np.flatnonzero(mask).tolist()))


def observe(game: Game, state: Any, seat: int) -> np.ndarray:
    """The observation of a seat, on a buffer full of rubbish but for the constant part."""
    out = np.full(game.layout.size, np.nan, np.float32)
    out[game.fixed_from :] = game.fixed[0]
    game.kernels.observe(state, game.data[0], seat, out)
    return out


def test_derived_fields_are_what_a_recount_gives(games: list[Game]) -> None:
    for game in games:
        deck = game.data[0]
        for state in play(game, range(8)):
            game.check_state(state)  # counts everything anew
            over = state["decision"] == Decision.OVER
            assert state["legal"] == (0 if over else legal(state, deck))
            for player in range(2):
                assert state["scores"][player] == score_of(state, deck, player)
                for name, cards in (("journey", journey_cards), ("scrapbook", scrapbook_cards)):
                    row = state[name][player][: state[f"{name}_size"][player]].tolist()
                    assert cards(state, player) == sum(1 << card for card in row)


def test_observations_lie_within_the_bounds_of_the_layout(games: list[Game]) -> None:
    for game in games:
        low, high = game.layout.bounds()
        for state in play(game, range(8)):
            for seat in range(2):
                seen = observe(game, state, seat)
                assert seen.dtype == np.float32
                assert np.isfinite(seen).all()
                assert ((low <= seen) & (seen <= high)).all()


def test_nothing_observed_depends_on_the_order_of_the_deck(games: list[Game]) -> None:
    shuffle = np.random.default_rng(0)
    for game in games:
        masks = np.zeros((2, game.num_actions), np.uint8)
        for state in play(game, range(8)):
            other = state.copy()
            size = int(state["deck_size"])
            other["deck"][:size] = shuffle.permutation(other["deck"][:size])
            other["rng"] = shuffle.integers(1 << 62)
            for seat in range(2):
                assert observe(game, state, seat).tobytes() == observe(game, other, seat).tobytes()
                for mask, each in zip(masks, (state, other), strict=True):
                    game.kernels.legal(each, game.data[0], seat, mask)
                assert (masks[0] == masks[1]).all()


def test_a_seat_that_is_not_asked_can_only_wait(games: list[Game]) -> None:
    mask = np.zeros(games[0].num_actions, np.uint8)
    for game in games:
        for state in play(game, range(5)):
            for seat in range(2):
                game.kernels.legal(state, game.data[0], seat, mask)
                assert mask.any()
                assert mask[game.wait] == (not game.kernels.asked(state, seat))
                assert mask[game.wait] == (mask.sum() == 1 and mask[game.wait])


def test_returns_are_zero_sum_and_within_bounds(games: list[Game]) -> None:
    out = np.zeros(2)
    for game in games:
        for state in play(game, range(8)):
            for kind, bound in ((Reward.WIN, 1.0), (Reward.MARGIN, 1.0), (Reward.SHAPED, 1.5)):
                game.kernels.returns(state, game.data[0], int(kind), out)
                assert out.sum() == 0
                assert np.abs(out).max() <= bound


@pytest.mark.parametrize("variant", ["base", "backseat"])
def test_the_mask_is_exact(variant: str) -> None:
    """Each action that the mask admits succeeds, each other one raises and leaves the state byte for byte."""
    tried = 0
    for number, deck in enumerate(decks()):
        env = deathvalley_v0.raw_env(deck=deck, variant=variant)
        for seed in range(2):
            choose = random.Random(seed)
            env.reset(seed=100 * number + seed)
            while not (env.terminations[env.agent_selection] or env.truncations[env.agent_selection]):
                mask = env.action_masks()
                tried += check_actions(env, range(NUM_ACTIONS + 1))
                env.step(choose.choice(np.flatnonzero(mask).tolist()))
    assert tried > 20_000


def test_the_solo_mask_is_exact() -> None:
    tried = 0
    for number, deck in enumerate(decks()):
        env = deathvalley_v0.solo_env(deck=deck)
        for seed in range(2):
            choose = random.Random(seed)
            _, info = env.reset(seed=100 * number + seed)
            over = False
            while not over:
                before = env.state_record()
                mask = info["action_mask"].astype(bool)
                for action in range(NUM_ACTIONS + 1):
                    if mask[action]:
                        env.step(action)
                        env.set_state_record(before)
                    else:
                        with pytest.raises(IllegalActionError, match="legal:"):
                            env.step(action)
                        assert env.state_record().tobytes() == before.tobytes()
                    tried += 1
                _, _, terminated, truncated, info = env.step(choose.choice(np.flatnonzero(mask).tolist()))
                over = terminated or truncated
    assert tried > 5_000


def decoded(game: Game, seen: np.ndarray) -> dict[str, Any]:
    """The table as the observer's numbers tell it, written from the documentation of the layout."""
    views = game.layout.views(seen)
    place = views["place"].argmax(0)
    assert (views["place"].sum(0) == 1).all()
    column = np.rint(views["column"] * 17).astype(int)
    depth = np.rint(views["depth"] * 17).astype(int)
    table: dict[str, Any] = {"deck": set(np.flatnonzero(place == 0)), "face_up": set(np.flatnonzero(place == 1))}
    for own, first in (("own", 2), ("other", 7)):
        for row, at in (("journey", first), ("scrapbook", first + 1)):
            visible = sorted(np.flatnonzero(place == at), key=lambda card: column[card])
            assert [column[card] for card in visible] == list(range(len(visible)))
            hidden = np.flatnonzero(place == at + 2)
            table[own, row] = [
                [card, *sorted((h for h in hidden if column[h] == k), key=lambda h: depth[h])]
                for k, card in enumerate(visible)
            ]
        table[own, "discard"] = set(np.flatnonzero(place == first + 4))
    return table


def test_decoding_an_observation_gives_the_table(games: list[Game]) -> None:
    for game in games:
        for state in play(game, range(5)):
            for seat in range(2):
                table = decoded(game, observe(game, state, seat))
                assert table["deck"] == set(state["deck"][: state["deck_size"]].tolist())
                assert table["face_up"] == ({int(state["face_up"])} - {-1})
                for own, player in (("own", seat), ("other", 1 - seat)):
                    for row in ("journey", "scrapbook"):
                        piles = []
                        for card in state[row][player][: state[f"{row}_size"][player]].tolist():
                            pile = [card]
                            while state["under"][pile[-1]] >= 0:
                                pile.append(int(state["under"][pile[-1]]))
                            piles.append(pile)
                        assert table[own, row] == piles
                    discards = {card for card in range(NUM_CARDS) if state["discard"][player] >> card & 1}
                    assert table[own, "discard"] == discards
                views = game.layout.views(observe(game, state, seat))
                assert views["decision"].argmax() == state["decision"]
                assert views["window"].argmax() == state["window"]
                assert views["deck_size"] == pytest.approx(state["deck_size"] / 18)
                assert views["busts"] * 20 == pytest.approx(np.minimum(state["busts"][[seat, 1 - seat]], 20))
                assert views["scores"] * 40 == pytest.approx(np.clip(state["scores"][[seat, 1 - seat]], -40, 40))
                options = [state[name] for name in ("solo", "backseat", "discard_points", "must_outbust")]
                assert views["options"].tolist() == options
                for name in ("asking", "chosen", "traveled"):
                    assert np.flatnonzero(views[name]).tolist() == ([int(state[name])] if state[name] >= 0 else [])
