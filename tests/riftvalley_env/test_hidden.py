"""What a seat does not know: what the others have decided in the turn that is not over, and the random numbers."""

from typing import Any

import numpy as np
import pytest

from riftvalley_env.vocabulary import Element
from tests.riftvalley_env.games import CONFIGURATIONS, game_of, legal, observe, random_game
from tests.riftvalley_env.table import Table, board
from valley_core.game import Game

pytestmark = pytest.mark.plain

BOARD = board("....... ....... ..rrr.. ....... ....... ....... .......")
DECISION = ("element", "square", "target", "way")


@pytest.fixture(params=CONFIGURATIONS)
def game(request: pytest.FixtureRequest) -> Game:
    return game_of(request.param)


def concealed(game: Game, state: Any, seat: int) -> Any:
    """A copy of a state, without what the seat does not know."""
    known = state.copy().reshape(1)[0]
    game.kernels.conceal(known, seat)
    return known


def what_a_seat_sees(game: Game, state: Any, seat: int) -> bytes:
    """Observation, mask, and whether it is asked."""
    asked = bool(game.kernels.asked(state, seat))
    return observe(game, state, seat).tobytes() + legal(game, state, seat).tobytes() + bytes([asked])


def test_a_seat_sees_the_same_after_concealing(game: Game) -> None:
    decided = 0
    for seed in range(2):
        for state, _, _ in random_game(game, seed):
            for seat in range(game.seats):
                known = concealed(game, state, seat)
                decided += known["element"].tolist() != state["element"].tolist()
                assert what_a_seat_sees(game, known, seat) == what_a_seat_sees(game, state, seat)
                assert known["rng"] == 0
                assert concealed(game, known, seat).tobytes() == known.tobytes()
                for name in known.dtype.names:
                    if name not in (*DECISION, "rng"):
                        assert known[name].tobytes() == state[name].tobytes(), name
                for name in DECISION:
                    assert known[name][seat] == state[name][seat], name
    assert decided > 20


def test_decisions_of_others_do_not_show(game: Game) -> None:
    """Whatever stands in the fields of the others, legal or not, a seat sees the same, and concealing takes it out."""
    rubbish = np.random.default_rng(0)
    for seed in range(1):
        for state, _, _ in random_game(game, seed):
            if state["over"]:
                continue
            for seat in range(game.seats):
                other = state.copy().reshape(1)[0]
                other["rng"] = rubbish.integers(1 << 62)
                for rival in {*range(game.seats)} - {seat}:
                    for name in DECISION:
                        other[name][rival] = rubbish.integers(0, 2 if name == "way" else 5)
                assert what_a_seat_sees(game, other, seat) == what_a_seat_sees(game, state, seat)
                assert concealed(game, other, seat).tobytes() == concealed(game, state, seat).tobytes()


def test_states_of_one_turn_are_equal_to_a_seat_until_it_decides(game: Game) -> None:
    """Byte for byte; what the seat itself has decided, or begun, makes a difference."""
    for state, seat, action in random_game(game, 4):
        if seat < 0:
            continue
        after = state.copy().reshape(1)[0]
        game.kernels.step(after, game.data[0], seat, action)
        same_turn = after["turn"] == state["turn"]
        for other in range(game.seats):
            equal = concealed(game, after, other).tobytes() == concealed(game, state, other).tobytes()
            assert equal == (same_turn and other != seat)


def test_states_that_differ_in_public_stay_different(game: Game) -> None:
    """No two turns of a game are the same, nor those of two games: all that is known is kept."""
    starts: set[bytes] = set()
    known: set[bytes] = set()
    for seed in (1, 2):
        turn = -1
        for state, _, _ in random_game(game, seed):
            if state["turn"] != turn:
                turn = int(state["turn"])
                public = state.copy()
                public["rng"] = 0
                starts.add(public.tobytes())
                known.add(concealed(game, state, 0).tobytes())
    assert len(known) == len(starts) > 20


def test_revealing_leaves_a_state_to_go_on_from(game: Game) -> None:
    """The others are asked again; the game can be played on, and a record of it passes the check."""
    rng = np.random.default_rng(0)
    for state, decides, _ in random_game(game, 6):
        for seat in {max(decides, 0), game.seats - 1}:
            guess = concealed(game, state, seat)
            guess["rng"] = rng.integers(1 << 62)
            before = guess.copy()
            game.kernels.reveal(guess)
            assert guess.tobytes() == before.tobytes()
            game.check_state(guess)
            others = [other for other in range(game.seats) if other != seat and not state["over"]]
            assert all(game.kernels.asked(guess, other) for other in others)
            assert game.kernels.asked(guess, seat) == game.kernels.asked(state, seat)
            for other in [other for other in range(game.seats) if game.kernels.asked(guess, other)]:
                while game.kernels.asked(guess, other) and guess["turn"] == state["turn"]:
                    action = int(rng.choice(np.flatnonzero(legal(game, guess, other))))
                    game.kernels.step(guess, game.data[0], other, action)
            game.check_state(guess)
            assert guess["turn"] == state["turn"] + (not state["over"])


def test_a_turn_by_hand() -> None:
    """Seat 1 has begun a Trail, seat 2 has drawn a Tent: each knows its own, seat 0 neither."""
    table = Table(BOARD, num_players=3, turn=4).draw(0, 1, "o r1c1", "o r1c5")  # seat 1 holds board 0
    table.act(1, "trail-from r1c1")
    table.act(2, "tent r7c4")
    begun, tent = table.square("r1c1"), table.square("r7c4")
    known = [concealed(table.game, table.state, seat) for seat in range(3)]
    assert [state["element"].tolist()[:3] for state in known] == [[0, 0, 0], [0, 0, 0], [0, 0, Element.TENT]]
    assert [state["square"].tolist()[:3] for state in known] == [[-1, -1, -1], [-1, begun, -1], [-1, -1, tent]]
