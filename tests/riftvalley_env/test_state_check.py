"""Records that are no states are refused by name of the field; those that pass can be played on from."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from riftvalley_env import raw_env, riftvalley_v0
from riftvalley_env.board import Board
from riftvalley_env.game import make_game
from riftvalley_env.state import STATE
from riftvalley_env.state_counts import elements_drawn
from riftvalley_env.vocabulary import NOWHERE, NUM_MARKS, Element, Mark, Way
from tests.riftvalley_env.games import CONFIGURATIONS, game_of, legal, random_game
from tests.riftvalley_env.table import Table, board
from tests.valley_core.records import check_a_saved_record_is_loaded, check_other_things_are_refused
from valley_core.errors import StateError
from valley_core.game import Game

pytestmark = pytest.mark.plain


@pytest.fixture(params=CONFIGURATIONS)
def game(request: pytest.FixtureRequest) -> Game:
    return game_of(request.param)


def test_every_state_of_random_games_passes(game: Game) -> None:
    seen = set()
    for seed in range(3):
        for state, _, _ in random_game(game, seed):
            game.check_state(state)
            seen |= set(state["element"].tolist())
    assert {Element.UNDECIDED, Element.STOP, Element.TENT, Element.TRAIL} <= seen


def test_other_things_are_no_states() -> None:
    check_other_things_are_refused(game_of("two"), "Rift Valley")


# --- Each field -----------------------------------------------------------------------------------------------------

BOARD = board(
    """
    .....k.
    .......
    ..rrr..
    .......
    ...w...
    .e.....
    .......
    """
)


STOPS_OF_SEATS = ("o r7c5", "o r5c6", "o r4c7", "o r3c6", "o r2c5", "o r1c7", "o r6c4")
"""Seven Stops that are not beside each other."""


def a_table(**options: Any) -> Table:
    """Three players in turn 13; seats 1 and 2 hold boards 0 and 1. Seat 1 has begun a Trail, seat 2 has decided.

    board 0                  board 1                  board 2
    .  .  .  .  .  k  o2     @1 ┐1 .  .  .  k  o2     o2 .  o2 .  .  k  o1
    .  @1 ─1 ─1 @1 .  .      .  │1 o2 .  o2 .  .      .  o2 .  .  o1 .  .
    .  .  r  r  r  o0 .      .  │1 r  r  r  o2 .      .  .  r  r  r  o1 .
    .  o1 .  .  .  .  o0     .  @1 .  .  .  .  o0     o2 .  .  .  .  .  o0
    .  .  .  w  .  o0 .      .  .  .  w  .  o0 .      .  o2 .  w  .  o0 .
    ^2 e  .  o2 .  .  .      .  e  .  .  .  .  .      .  e  .  o1 .  .  .
    ^0 .  .  .  o0 .  o2     ^1 ^1 .  .  o0 .  o0     .  .  .  .  o0 .  o0
    """
    table = Table(BOARD, num_players=3, turn=13, **options)
    table.draw(0, 1, "o r2c2", "o r2c5", "o r4c2", "- r2c2 r2c5").draw(0, 2, "^ r6c1", "o r7c7", "o r6c4", "o r1c7")
    table.draw(0, 0, "^ r7c1", *STOPS_OF_SEATS[:4])
    table.draw(1, 1, "o r1c1", "o r4c2", "- r1c1 r4c2", "^ r7c1", "^ r7c2").draw(1, 0, "o r7c7", *STOPS_OF_SEATS[:3])
    table.draw(1, 2, *STOPS_OF_SEATS[3:6], "o r2c3")
    table.draw(2, 2, "o r1c1", "o r1c3", "o r2c2", "o r4c1", "o r5c2").draw(2, 0, "o r7c7", *STOPS_OF_SEATS[:3])
    table.draw(2, 1, *STOPS_OF_SEATS[3:])
    table.act(1, "trail-from r2c2")
    table.act(2, "tent r7c4")
    table.game.check_state(table.state)
    return table


def set_field(state: Any, name: str, at: tuple[int, ...], value: int) -> None:
    """Write one number of a field."""
    if at:
        state[name][at] = value
    else:
        state[name] = value


WRONG: dict[str, tuple[int, ...]] = {
    "data": (-1, 1, 99),
    "max_turns": (-1, 0),
    "num_players": (-1, 0, 2, 4, 6),
    "deal": (-1, 0, 1, 3),
    "one_step": (-1, 1, 2),
    "start": (-1, 1, 5),
    "drawn": (-1, 1 + 3 * NUM_MARKS, 127),
    "tents": (-1, 1, 3, 5, 6),
    "row_walls": (-1, 1, 7),
    "column_walls": (-1, 1, 7),
    "beside_stops": (-1, 1, 127),
    "stops": (-1, 5, 127),
    "points": (-7, 9),
    "turn": (-1, 0, 1, 4, 10, 12, 14, 16),
    "element": (-1, 5),
    "square": (-2, 49, 143),
    "target": (-2, 0, 49, 143),
    "way": (-1, 1, 2),
    "idle": (-1, 1, 2, 3, 5, 13),
    "last_turn": (-2, 0, 2, 4, 5, 9, 12, 13, 15),
    "over": (-1, 1, 2),
    "truncated": (-1, 1, 2),
}
"""Values that each field cannot have in `a_table`, at whatever place."""


def test_no_field_is_left_out() -> None:
    """But for the stream of random numbers, which can be anywhere."""
    assert {*WRONG, "rng"} == set(STATE.names or ())


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_value_is_refused_by_the_name_of_its_field(name: str) -> None:
    table, tried = a_table(), 0
    for value in WRONG[name]:
        for at in np.ndindex(STATE[name].shape):
            broken = table.state.copy()
            set_field(broken, name, at, value)
            if broken == table.state:
                continue
            tried += 1
            with pytest.raises(StateError, match=rf"\bfields? .*\b{name}\b.*`state_record\(\)`"):
                table.game.check_state(broken)
    assert tried >= len(WRONG[name]) * STATE[name].itemsize // STATE[name].base.itemsize // 2


@pytest.mark.parametrize("make", [riftvalley_v0.raw_env, riftvalley_v0.parallel_env])
def test_nothing_changes_when_a_record_is_refused(make: Callable[..., Any]) -> None:
    table = a_table()
    env = make(num_players=3, boards=BOARD)
    env.reset(seed=3)
    before, masks = env.state_record(), env.action_masks()
    for name, values in WRONG.items():
        broken = table.state.copy()
        set_field(broken, name, tuple(0 for _ in STATE[name].shape), values[0])
        for put in (env.set_state_record, lambda record: env.reset(options={"state": record})):
            with pytest.raises(StateError):
                put(broken)
            assert env.state_record().tobytes() == before.tobytes()
            np.testing.assert_array_equal(env.action_masks(), masks)
    env.set_state_record(table.state)
    assert env.state_record().tobytes() == table.state.tobytes()


def test_records_of_other_options_are_refused() -> None:
    for mine in CONFIGURATIONS:
        for other in CONFIGURATIONS:
            templates = [game_of(name).template[0] for name in (mine, other)]
            differing = [n for n in ("num_players", "deal", "one_step") if templates[0][n] != templates[1][n]]
            *_, (state, _, _) = random_game(game_of(other), 1)
            if mine == other:
                game_of(mine).check_state(state)
            elif differing:
                with pytest.raises(StateError, match=f"field {differing[0]} is .*; this game was made with"):
                    game_of(mine).check_state(state)


def test_a_state_on_other_boards_is_refused() -> None:
    """What is drawn is not possible on them, or does not score as much."""
    elsewhere = Table(board("....... ....... ..rrr.. ....... ....... .k..... ......."), num_players=3)
    with pytest.raises(StateError, match=r"field (row_walls|points) does not agree"):
        elsewhere.game.check_state(a_table().state)


def test_another_limit_of_turns_is_no_other_game() -> None:
    table = a_table(max_turns=14)
    a_table(max_turns=15).game.check_state(table.state)
    table.state["max_turns"] = 13
    with pytest.raises(StateError, match="fields over and truncated"):
        table.game.check_state(table.state)


# --- Fields that do not fit each other ------------------------------------------------------------------------------


def mark(table: Table, on: int, place: str, seat: int, what: Mark) -> None:
    """Write a mark on a square, and nothing else that follows from it."""
    table.state["drawn"][on, table.square(place)] = 1 + seat * NUM_MARKS + what


def erase(table: Table, on: int, place: str) -> None:
    table.state["drawn"][on, table.square(place)] = 0


def decide(table: Table, seat: int, element: Element, square: str = "", target: str = "", way: int = 0) -> None:
    """Write a decision, legal or not."""
    table.state["element"][seat] = element
    table.state["square"][seat] = table.square(square) if square else NOWHERE
    table.state["target"][seat] = table.square(target) if target else NOWHERE
    table.state["way"][seat] = way


@pytest.mark.parametrize(
    ("damage", "match"),
    [
        # On the boards.
        (lambda t: mark(t, 0, "r2c1", 0, Mark.STOP), "drawn has a Stop of board 0 where none is possible"),
        (lambda t: mark(t, 0, "r1c6", 0, Mark.STOP), "drawn has a Stop of board 0"),  # on an animal
        (lambda t: mark(t, 0, "r3c3", 0, Mark.STOP), "drawn has a Stop of board 0"),  # on the Rift
        (lambda t: mark(t, 0, "r5c4", 0, Mark.TENT), "drawn has a Tent of board 0 .* square 31"),  # on water
        (lambda t: mark(t, 2, "r3c4", 2, Mark.TENT), "drawn has a Tent of board 2 .* square 17"),  # on the Rift
        (lambda t: [mark(t, 0, f"r1c{c}", 0, Mark.TENT) for c in range(1, 5)], "drawn has a Tent of board 0"),  # 6
        (lambda t: erase(t, 0, "r2c3"), "field drawn does not agree"),  # a Trail with a gap
        (lambda t: mark(t, 0, "r2c3", 1, Mark.VERTICAL), "field drawn does not agree"),
        (lambda t: mark(t, 0, "r2c3", 0, Mark.HORIZONTAL), "field drawn does not agree"),  # of two colours
        (lambda t: mark(t, 0, "r5c5", 0, Mark.HORIZONTAL), "field drawn does not agree"),  # a piece of a line
        (lambda t: mark(t, 0, "r4c2", 1, Mark.CONNECTED), "field drawn does not agree"),  # without a Trail
        (lambda t: mark(t, 0, "r2c2", 1, Mark.STOP), "field drawn does not agree"),  # with one
        (lambda t: mark(t, 0, "r2c2", 0, Mark.CONNECTED), "field drawn does not agree"),  # of another colour
        (lambda t: mark(t, 0, "r4c4", 1, Mark.TENT), "field tents does not agree"),
        (lambda t: erase(t, 0, "r4c2"), "field row_walls does not agree"),
        # Decisions.
        (lambda t: decide(t, 0, Element.UNDECIDED, "r1c1"), "no legal UNDECIDED of seat 0"),  # no Stop of its own
        (lambda t: decide(t, 1, Element.UNDECIDED, "r4c2"), "no legal UNDECIDED of seat 1"),  # no Trail from there
        (lambda t: decide(t, 1, Element.UNDECIDED, "r2c2", "r4c2"), "no legal UNDECIDED of seat 1"),
        (lambda t: decide(t, 1, Element.STOP), "no legal STOP of seat 1"),
        (lambda t: decide(t, 1, Element.STOP, "r1c2"), "no legal STOP of seat 1"),  # beside one
        (lambda t: decide(t, 1, Element.STOP, "r4c4", "r4c5"), "no legal STOP of seat 1"),
        (lambda t: decide(t, 1, Element.STOP, "r4c4", way=1), "no legal STOP of seat 1"),
        (lambda t: decide(t, 1, Element.TENT, "r3c4"), "no legal TENT of seat 1"),
        (lambda t: decide(t, 1, Element.TENT), "no legal TENT of seat 1"),
        (lambda t: decide(t, 1, Element.TRAIL, "r2c2"), "no legal TRAIL of seat 1"),
        (lambda t: decide(t, 1, Element.TRAIL, "r2c2", "r7c7"), "no legal TRAIL of seat 1"),  # another's Stop
        (lambda t: decide(t, 1, Element.TRAIL, "r4c2", "r2c2"), "no legal TRAIL of seat 1"),  # the other way round
        (lambda t: decide(t, 1, Element.TRAIL, "r2c2", "r2c5"), "no legal TRAIL of seat 1"),  # over itself
        (lambda t: decide(t, 1, Element.TRAIL, "r2c2", "r4c2", Way.COLUMN_FIRST), "no legal TRAIL of seat 1"),
        (lambda t: decide(t, 1, Element.PASS), "no legal PASS of seat 1"),  # R8
        (lambda t: decide(t, 1, Element.PASS, "r4c4"), "no legal PASS of seat 1"),
        (lambda t: [decide(t, s, Element.TENT, "r7c4") for s in range(3)], "element .* leaves nobody to decide"),
        (lambda t: decide(t, 3, Element.TENT, "r4c4"), "field element"),  # no such player
        (lambda t: decide(t, 3, Element.UNDECIDED, "r4c4"), "no legal UNDECIDED of seat 3"),
        # More or fewer elements than turns.
        (lambda t: t.state.__setitem__("turn", 0), "turn and drawn .* in 0 turns seat 0 held board 0 0 times"),
        (lambda t: t.state.__setitem__("turn", 10), "in 10 turns seat 0 held board 0 4 times and has drawn 5 elements"),
        (lambda t: t.state.__setitem__("turn", 16), "field idle is 0; turn 16 follows, and somebody drew in turn 12"),
        (lambda t: t.draw(0, 2, "o r1c1"), "seat 2 held board 0 4 times and has drawn 5 elements on it"),
        (lambda t: t.draw(2, 0, "^ r7c2"), "seat 0 held board 2 4 times and has drawn 5 elements on it"),
        (lambda t: t.draw(0, 1, "- r2c2 r4c2"), "seat 1 held board 0 4 times and has drawn 5 elements on it"),
    ],
)
def test_fields_that_do_not_fit_each_other(damage: Callable[[Table], Any], match: str) -> None:
    table = a_table()
    damage(table)
    with pytest.raises(StateError, match=match):
        table.game.check_state(table.state)


@pytest.mark.parametrize(
    ("seat", "element", "square", "target", "way"),
    [
        (1, Element.UNDECIDED, "", "", 0),
        (1, Element.TRAIL, "r2c2", "r4c2", 0),
        (1, Element.STOP, "r4c4", "", 0),
        (1, Element.TENT, "r7c2", "", 0),
        (0, Element.STOP, "r4c4", "", 0),
    ],
)
def test_other_decisions_that_are_legal_pass(seat: int, element: Element, square: str, target: str, way: int) -> None:
    table = a_table()
    decide(table, seat, element, square, target, way)
    if seat == 0:
        decide(table, 1, Element.UNDECIDED)  # somebody is to decide
    table.game.check_state(table.state)


def test_the_first_turn_is_for_stops_alone() -> None:
    table = Table(BOARD)
    for element, place in ((Element.TENT, "r1c1"), (Element.PASS, ""), (Element.STOP, "r5c1"), (Element.STOP, "r1c7")):
        decide(table, 0, element, place)
        with pytest.raises(StateError, match=f"no legal {element.name} of seat 0"):
            table.game.check_state(table.state)
    decide(table, 0, Element.STOP, "r1c1")
    table.game.check_state(table.state)
    # After it, every board holds one Stop that was possible.
    for stop, first in (("o r1c1", True), ("o r5c1", False), ("^ r1c1", False)):
        after = Table(BOARD, turn=1).draw(0, 0, stop).draw(1, 1, "o r1c1")
        if first:
            after.game.check_state(after.state)
        else:
            with pytest.raises(StateError, match="field drawn has no Stop of seat 0 on board 0 that can be its first"):
                after.game.check_state(after.state)


def test_where_a_turn_is_one_decision_no_trail_is_begun() -> None:
    table = Table(BOARD, turn=5, actions="flat").draw(1, 0, "o r2c2", "o r2c5").draw(1, 1, *STOPS_OF_SEATS[:3])
    table.draw(0, 0, *STOPS_OF_SEATS[:3]).draw(0, 1, *STOPS_OF_SEATS[3:5])
    table.game.check_state(table.state)
    decide(table, 0, Element.UNDECIDED, "r2c2")
    with pytest.raises(StateError, match="no legal UNDECIDED of seat 0"):
        table.game.check_state(table.state)


def nearly_full(second: int) -> Table:
    """Two players after 12 turns: board 0 is full of Tents, board 1 holds so many."""
    tents = [f"^ r7c{c}" for c in range(1, 6)]
    stops = ["o r1c1", "o r1c3", "o r2c4", "o r2c2", "o r4c1", "o r5c2"]
    table = Table(BOARD, turn=12).draw(0, 0, "o r4c4", *tents).draw(0, 1, *stops)
    return table.draw(1, 1, "o r4c4", *tents[:second], *["o r5c6", "o r4c7"][: 5 - second]).draw(1, 0, *stops)


def test_an_end_that_is_triggered_is_written_down() -> None:
    table = nearly_full(4)
    table.game.check_state(table.state)
    for wrong in (11, 12, 13, 14):
        table.state["last_turn"] = wrong
        with pytest.raises(StateError, match=f"field last_turn is {wrong}"):
            table.game.check_state(table.state)
    table = nearly_full(5)
    with pytest.raises(StateError, match="field last_turn is -1, idle 0; the end is triggered"):
        table.game.check_state(table.state)
    table.state["last_turn"] = 12
    table.game.check_state(table.state)
    for wrong in (0, 10, 11, 13, 14):  # over, no turn on the own boards, too late
        table.state["last_turn"] = wrong
        with pytest.raises(StateError, match="field"):
            table.game.check_state(table.state)


SMALL: dict[str, tuple[Board, ...]] = {
    "stuck": (board("rrk ... k.."),),
    "narrow": (board("rr.. .... .kk. ..e."), board("..r. k.r. ....")),
}


@pytest.mark.parametrize("which", SMALL)
@pytest.mark.parametrize("players", [2, 3])
def test_states_of_games_in_which_players_must_pass(which: str, players: int) -> None:
    """R8 and R9: fewer elements than turns, where nothing could be drawn; the count of idle turns follows."""
    boards = SMALL[which]
    pool = [boards[k % len(boards)] for k in range(players)] if len(boards) > 1 else boards[0]
    game = make_game(num_players=players, boards=pool, deal="fixed")
    idle = passes_seen = refused = 0
    for seed in range(2):
        for state, _, _ in random_game(game, seed, 0.01 if seed % 2 else 0.3):
            game.check_state(state)
            idle = max(idle, int(state["idle"]))
            passes_seen += int((state["element"] == Element.PASS).sum())
            for name, by in (("idle", 1), ("idle", -1), ("turn", players), ("turn", -players), ("last_turn", players)):
                broken = state.copy()
                broken[name] += by
                refused += not passes(game, broken)
                assert name == "turn" or not passes(game, broken), (name, by)
    assert idle > 0
    assert passes_seen > 0
    assert refused > 50


def test_another_number_of_turns_is_refused(game: Game) -> None:
    """While all can draw, every turn leaves an element: neither fewer nor more turns fit, nor an end without cause."""
    tried = 0
    for seed in range(2):
        for number, (state, _, _) in enumerate(random_game(game, seed)):
            if state["last_turn"] >= 0:
                break
            if number % 5:
                continue
            for turn in {0, 1, int(state["turn"]) - game.seats, int(state["turn"]) + game.seats}:
                if 0 <= turn != state["turn"]:
                    broken = state.copy()
                    broken["turn"] = turn
                    tried += 1
                    assert not passes(game, broken)
            for last in range(int(state["turn"]) - 1, int(state["turn"]) + game.seats):
                broken = state.copy()
                broken["last_turn"] = last
                assert last == -1 or not passes(game, broken)
    assert tried > 15


def test_elements_are_counted_as_they_are_drawn(game: Game) -> None:
    for state, counted in counted_game(game, 3):
        np.testing.assert_array_equal(elements_drawn(state, game.data[0], game.seats), counted)


def counted_game(game: Game, seed: int) -> Iterator[tuple[Any, np.ndarray]]:
    """Each state of a random game at the beginning of a turn, and the elements counted from the moves."""
    counted, turn = np.zeros((game.seats, game.seats), int), -1
    for state, seat, action in random_game(game, seed):
        if state["turn"] != turn:
            turn = int(state["turn"])
            yield state, counted
        if seat >= 0 and not game.action_names[action].startswith(("pass", "trail-from")):
            counted[(seat - turn) % game.seats, seat] += 1


def test_nobody_has_decided_anything_in_a_game_that_is_over() -> None:
    table = Table(BOARD, max_turns=1).turn("stop r1c1", "stop r1c3")
    table.game.check_state(table.state)
    assert table.state["over"]
    decide(table, 0, Element.STOP, "r7c7")
    with pytest.raises(StateError, match="field element"):
        table.game.check_state(table.state)
    decide(table, 0, Element.UNDECIDED, "r7c7")
    with pytest.raises(StateError, match="of seat 0"):
        table.game.check_state(table.state)


@pytest.mark.parametrize(
    ("options", "start", "match"),
    [
        ({"num_players": 3}, [0, 1, 1, 0, 0], "deals no 3 boards to 3 players"),
        ({"num_players": 3}, [0, 1, 2, 3, 0], "deals no 3 boards to 3 players"),
        ({"num_players": 3, "boards": "identical"}, [0, 1, 0, 0, 0], "field start"),
        ({"num_players": 3, "deal": "fixed"}, [1, 0, 2, 0, 0], "boards are dealt in their order"),
    ],
    ids=str,
)
def test_boards_that_cannot_be_dealt_so(options: dict[str, Any], start: list[int], match: str) -> None:
    env = riftvalley_v0.raw_env(**options)
    env.reset(seed=0)
    record = env.state_record()
    record["start"] = start
    with pytest.raises(StateError, match=match):
        env.set_state_record(record)


# --- Damage at random -----------------------------------------------------------------------------------------------


def damaged(state: Any, choose: random.Random) -> Any:
    """A copy with one to three bits, or numbers of fields, changed at random."""
    broken = state.copy()
    for _ in range(choose.choice((1, 1, 2, 3))):
        if choose.random() < 0.2:
            raw = bytearray(broken.tobytes())
            raw[choose.randrange(len(raw))] ^= 1 << choose.randrange(8)
            broken = np.frombuffer(bytes(raw), STATE).copy()[0]
            continue
        name = choose.choice([field for field in STATE.names or () if field not in ("max_turns", "rng")])
        at = tuple(choose.randrange(size) for size in STATE[name].shape)
        set_field(broken, name, at, choose.choice((-1, 0, 1, 2, 3, choose.randrange(100))))
    return broken


def play_on(game: Game, state: Any, choose: random.Random, decisions: int) -> Iterator[Any]:
    """Random decisions; the state before each."""
    for _ in range(decisions):
        yield state
        seat = game.kernels.to_act(state)
        if seat < 0:
            return
        actions = np.flatnonzero(legal(game, state, seat))
        assert actions[-1] != game.wait
        game.kernels.step(state, game.data[0], seat, int(choose.choice(actions)))


def passes(game: Game, state: Any) -> bool:
    """Whether the check lets a record pass; nothing but `StateError` may come of it."""
    try:
        game.check_state(state)
    except StateError:
        return False
    return True


def test_damaged_records_are_refused_or_can_be_played_on(game: Game) -> None:
    """Whatever passes the check, games go on from it; and every position after it passes."""
    choose = random.Random(1)
    refused = passed = 0
    for seed in range(2):
        for state, _, _ in random_game(game, seed):
            broken = damaged(state, choose)
            if not passes(game, broken):
                refused += 1
                continue
            passed += 1
            for here in play_on(game, broken, choose, 4):
                game.check_state(here)
    assert refused > 30
    assert passed > 5


def test_a_saved_record_is_loaded_as_it_was(tmp_path: Path) -> None:
    check_a_saved_record_is_loaded(raw_env, tmp_path)
