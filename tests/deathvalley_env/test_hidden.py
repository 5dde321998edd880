"""What a player does not know: the order of the deck, and the random numbers."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from deathvalley_env.deck import deck_from_dict, load_deck
from deathvalley_env.game import make_game
from deathvalley_env.vocabulary import NUM_CARDS
from tests.deathvalley_env.table import Table
from tests.reference.deathvalley import random_deck
from valley_core.game import Game

pytestmark = pytest.mark.plain

VARIANTS: dict[str, dict[str, Any]] = {
    "base": {},
    "backseat": {"variant": "backseat", "ask_forced": True},
    "solo": {"solo": True},
}
LEAST_P = 1e-3
"""Of a chi-square test; the seeds are fixed, so that it passes always or never."""


@pytest.fixture(params=VARIANTS)
def games(request: pytest.FixtureRequest) -> list[Game]:
    drawn = [deck_from_dict({"name": "random", "card": random_deck(random.Random(number))}) for number in range(4)]
    decks = [load_deck("highs_and_lows"), load_deck("death_valley"), *drawn]
    return [make_game(deck=deck, **VARIANTS[request.param]) for deck in decks]


def states_of(game: Game, seeds: range) -> Iterator[Any]:
    """The states of random games."""
    mask = np.zeros(game.num_actions, np.uint8)
    for seed in seeds:
        choose = random.Random(seed)
        state = game.new_states(1)[0]
        state["rng"] = seed
        game.kernels.reset(state, game.data[0])
        while (seat := game.kernels.to_act(state)) >= 0:
            yield state
            game.kernels.legal(state, game.data[0], seat, mask)
            game.kernels.step(state, game.data[0], seat, int(choose.choice(np.flatnonzero(mask))))
        yield state


def concealed(game: Game, state: Any, seat: int) -> Any:
    """A copy of a state, without what the seat does not know."""
    known = state.copy()
    game.kernels.conceal(known, seat)
    return known


def rows_of(state: Any) -> list[tuple[np.ndarray, int]]:
    """The deck and the rows of both players, each with the number of its cards."""
    rows = [(state["deck"], int(state["deck_size"]))]
    for name in ("journey", "scrapbook"):
        rows += [(state[name][player], int(state[f"{name}_size"][player])) for player in range(2)]
    return rows


def public_part(state: Any) -> bytes:
    """All that both players know."""
    rest = state.copy()
    rest["rng"] = 0
    for row, used in rows_of(rest):
        row[used:] = 0
    deck, used = rows_of(rest)[0]
    deck[:used].sort()
    return rest.tobytes()


def shuffled(state: Any, rng: np.random.Generator) -> Any:
    """A copy of a state with another order of the deck, other random numbers, and rubbish beyond the ends of rows."""
    other = state.copy()
    size = int(state["deck_size"])
    other["deck"][:size] = rng.permutation(other["deck"][:size])
    for row, used in rows_of(other):
        row[used:] = rng.integers(0, NUM_CARDS, NUM_CARDS - used)
    other["rng"] = rng.integers(1 << 62)
    return other


def what_a_seat_sees(game: Game, state: Any, seat: int) -> bytes:
    """Observation, mask, and whether it is asked."""
    seen, mask = game.blank_observations(state.reshape(1))[0], np.zeros(game.num_actions, np.uint8)
    game.kernels.observe(state, game.data[0], seat, seen)
    game.kernels.legal(state, game.data[0], seat, mask)
    return seen.tobytes() + mask.tobytes() + bytes([bool(game.kernels.asked(state, seat))])


def test_a_seat_sees_the_same_after_concealing(games: list[Game]) -> None:
    for game in games:
        for state in states_of(game, range(4)):
            for seat in range(2):
                known = concealed(game, state, seat)
                assert what_a_seat_sees(game, known, seat) == what_a_seat_sees(game, state, seat)
                assert known["rng"] == 0
                assert public_part(known) == public_part(state)
                assert concealed(game, known, seat).tobytes() == known.tobytes()


def test_states_that_differ_in_hidden_parts_alone_become_equal(games: list[Game]) -> None:
    """Byte for byte, whatever the order of the deck."""
    rng = np.random.default_rng(0)
    for game in games:
        for state in states_of(game, range(4)):
            for seat in range(2):
                other = shuffled(state, rng)
                assert concealed(game, other, seat).tobytes() == concealed(game, state, seat).tobytes()


def test_states_that_differ_in_public_stay_different(games: list[Game]) -> None:
    """All that is known to both is kept: one state after concealing for each, and no more."""
    for game in games:
        public: dict[bytes, bytes] = {}
        for state in states_of(game, range(4)):
            known = concealed(game, state, 0).tobytes()
            assert public.setdefault(known, public_part(state)) == public_part(state)
        assert len(public) == len({*public.values()}) > 40


def test_revealing_gives_a_state_that_can_be_played_on(games: list[Game]) -> None:
    """It has the cards that the deck had, passes the check, and looks the same to the seat."""
    for number, game in enumerate(games):
        for state in states_of(game, range(2)):
            for seat in range(2):
                guess = concealed(game, state, seat)
                guess["rng"] = number
                game.kernels.reveal(guess)
                game.check_state(guess)
                assert what_a_seat_sees(game, guess, seat) == what_a_seat_sees(game, state, seat)
                assert concealed(game, guess, seat).tobytes() == concealed(game, state, seat).tobytes()


def revealed(table: Table, count: int) -> list[tuple[int, ...]]:
    """Orders of the deck, revealed again and again from one stream of random numbers."""
    known = concealed(table.game, table.state, 0)
    known["rng"] = 1
    size, orders = int(known["deck_size"]), []
    for _ in range(count):
        guess = known.copy()
        table.game.kernels.reveal(guess)
        known["rng"] = guess["rng"]
        orders.append(tuple(guess["deck"][:size].tolist()))
    return orders


def test_every_order_of_the_deck_is_equally_likely() -> None:
    table = Table("desert: Snakes + Coyotes, Scorpions, Super Bloom, Badwater Basin\n0 discard: ...", "death_valley")
    deck = table.state["deck"][: table.state["deck_size"]].tolist()
    assert len(deck) == 4
    found = Counter(revealed(table, 4_800))
    assert set(found) == set(permutations(deck))
    assert chisquare(list(found.values())).pvalue > LEAST_P


def test_every_card_is_equally_likely_at_each_place_of_a_whole_deck() -> None:
    table = Table("desert: Snakes + ...", "death_valley")
    size = NUM_CARDS - 1
    assert table.state["deck_size"] == size
    orders = np.array(revealed(table, 3_400))
    for place in range(size):
        counts = np.bincount(orders[:, place], minlength=NUM_CARDS)
        assert counts[table.state["face_up"]] == 0
        assert chisquare(np.delete(counts, table.state["face_up"])).pvalue > LEAST_P


def test_the_order_revealed_has_nothing_to_do_with_the_true_one() -> None:
    """Two states with the same cards in their decks are revealed to the same order by the same random numbers."""
    first, second = (
        Table(f"desert: Snakes + {deck}\n0 discard: ...", "death_valley")
        for deck in ("Coyotes, Scorpions, Super Bloom", "Super Bloom, Scorpions, Coyotes")
    )
    assert revealed(first, 50) == revealed(second, 50)
