"""Every rule and ruling, played by hand on boards drawn as text (squares as in board files; marks as in `render`)."""

import numpy as np
import pytest

from riftvalley_env import rules
from riftvalley_env.game import make_game
from riftvalley_env.rules import reset
from riftvalley_env.state_check import check_state
from tests.riftvalley_env.table import Table, all_squares, board, same_picture
from valley_core.rng import draw_plain

pytestmark = pytest.mark.plain

OPEN = board(
    """
    .......
    .......
    ..rrr..
    .......
    .......
    .......
    .......
    """
)
UPRIGHT = board(
    """
    ......
    ..r...
    ..r...
    ..r...
    ......
    ......
    """
)


def names(text: str) -> set[str]:
    return set(text.split())


# --- Turns ----------------------------------------------------------------------------------------------------------


def test_boards_pass_to_the_left() -> None:
    table = Table(OPEN, num_players=3)
    table.turn("stop r1c1", "stop r1c3", "stop r1c5")
    assert table.picture(0)[0].startswith("o0")  # each drew on the board it started with
    assert table.picture(1)[0].startswith(".  .  o1")
    table.turn("tent r7c1", "tent r7c2", "tent r7c3")
    assert [int(rules.held_board(table.state, seat)) for seat in range(3)] == [1, 2, 0]
    # In turn 1 seat 0 held the board of seat 2, seat 1 that of seat 0, seat 2 that of seat 1.
    assert table.picture(2)[6].startswith("^0")
    assert table.picture(0)[6].startswith(".  ^1")
    assert table.picture(1)[6].startswith(".  .  ^2")


def test_elements_are_drawn_when_all_have_decided() -> None:
    table = Table(OPEN)
    table.act(1, "stop r1c1")  # any order
    assert table.legal(1) == {"wait"}
    assert rules.to_act(table.state) == 0
    assert table.picture(1)[0] == ".  .  .  .  .  .  ."
    table.act(0, "stop r7c7")
    assert table.picture(1)[0] == "o1 .  .  .  .  .  ."
    assert rules.to_act(table.state) == 0
    assert table.state.turn == 1


def test_first_turn_is_a_stop_away_from_animals() -> None:
    table = Table(board("k...... ....... ..rrr.. ....... ...e... ....... ......l"))
    near = names("r1c2 r2c1 r2c2 r4c3 r4c4 r4c5 r5c3 r5c5 r6c3 r6c4 r6c5 r6c6 r6c7 r7c6")
    full = names("r1c1 r3c3 r3c4 r3c5 r5c4 r7c7")
    for seat in range(2):
        assert table.legal(seat) == {f"stop {s}" for s in all_squares(table) - near - full}


# --- Stops ----------------------------------------------------------------------------------------------------------


def test_stops_keep_apart_orthogonally_whatever_their_colour() -> None:
    """R2; diagonal neighbours are allowed, and squares beside animals after the first turn."""
    table = Table(board("....... .k..... ..rrr.. ....... ....... ....... ......."), turn=1)
    table.draw(1, 0, "o r5c2").draw(1, 1, "o r6c7")
    barred = names("r4c2 r6c2 r5c1 r5c3 r5c7 r7c7 r6c6")
    full = names("r5c2 r6c7 r2c2 r3c3 r3c4 r3c5")
    assert table.places(0, "stop") == all_squares(table) - barred - full  # seat 0 holds board 1 in turn 1


def test_nothing_but_a_bridge_goes_on_the_rift() -> None:
    """R1: it covers squares; the owner draws no Stop and no Tent on it either."""
    table = Table(OPEN, turn=2)  # each has the board in front that it started with
    rift = names("r3c3 r3c4 r3c5")
    for seat in range(2):
        assert table.places(seat, "stop") == table.places(seat, "tent") == all_squares(table) - rift


# --- Trails ---------------------------------------------------------------------------------------------------------


def test_straight_trails_along_rows_and_columns() -> None:
    table = Table(OPEN, turn=1).draw(1, 0, "o r4c1", "o r4c4", "o r7c1")
    table.turn("trail-from r4c1 + row-first r4c4", "tent r7c7")
    same_picture(
        table,
        1,
        """
        .  .  .  .  .  .  .
        .  .  .  .  .  .  .
        .  .  r  r  r  .  .
        @0 ─0 ─0 @0 .  .  .
        .  .  .  .  .  .  .
        .  .  .  .  .  .  .
        o0 .  .  .  .  .  .
        """,
    )
    table.draw(1, 0, "- r4c1 r7c1")  # a Stop may carry any number of Trails
    assert table.picture(1)[5] == "│0 .  .  .  .  .  ."


def test_diagonals_are_no_lines() -> None:
    """R13: between Stops on a diagonal there are the two paths with a corner, and no third one."""
    for start, end, corners in (("r4c1", "r7c4", ("r4c4", "r7c1")), ("r4c7", "r6c5", ("r4c5", "r6c7"))):
        for blocked in ((), corners[:1], corners[1:], corners):
            table = Table(OPEN, turn=1, actions="flat").draw(1, 0, f"o {start}", f"o {end}")
            table.draw(1, 1, *[f"^ {corner}" for corner in blocked])
            trails = {f"{start} {end}, corner {corner}" for corner in corners if corner not in blocked}
            assert table.places(0, "trail") == trails


@pytest.mark.parametrize(
    ("end", "way", "rows"),
    [
        ("r7c5", "row-first", ["@0 ─0 ┐0", ".  .  │0", ".  .  │0", ".  .  @0"]),
        ("r7c5", "column-first", ["@0 .  .", "│0 .  .", "│0 .  .", "└0 ─0 @0"]),
        ("r7c1", "row-first", ["┌0 ─0 @0", "│0 .  .", "│0 .  .", "@0 .  ."]),
        ("r7c1", "column-first", [".  .  @0", ".  .  │0", ".  .  │0", "@0 ─0 ┘0"]),
    ],
)
def test_trails_with_one_corner(end: str, way: str, rows: list[str]) -> None:
    table = Table(OPEN, turn=1).draw(1, 0, "o r4c3", f"o {end}")
    table.turn(f"trail-from r4c3 + {way} {end}", "tent r7c7")
    left = 2 if end == "r7c5" else 0
    assert [line[3 * left : 3 * left + 8].rstrip() for line in table.picture(1)[3:]] == rows


def test_trails_lead_to_stops_with_a_higher_index() -> None:
    """Each Trail has one pair of actions: it begins at the end that comes first."""
    table = Table(OPEN, turn=1).draw(1, 0, "o r4c1", "o r5c2", "o r7c4")
    assert table.places(0, "trail-from") == names("r4c1 r5c2")
    table.act(0, "trail-from r5c2")
    assert table.legal(0) == {"row-first r7c4", "column-first r7c4"}


@pytest.mark.parametrize("obstacle", ["k", "e", "l", "t", "w"])
def test_trails_cross_nothing_printed(obstacle: str) -> None:
    table = Table(board(f"rr..... ....... ....... ...{obstacle}... ....... ....... ......."))
    table.draw(1, 0, "o r4c1", "o r4c7", "o r2c2", "o r7c4")
    assert not table.is_open(1, 0, "r4c1", "r4c7")  # between the ends
    assert not table.is_open(1, 0, "r2c2", "r7c4")  # beyond the corner
    assert table.is_open(1, 0, "r2c2", "r7c4", 1)
    assert not table.is_open(1, 0, "r4c1", "r7c4")  # on the corner
    assert table.is_open(1, 0, "r4c1", "r7c4", 1)


def test_trails_cross_no_rift_of_another() -> None:
    table = Table(UPRIGHT).draw(1, 0, "o r3c1", "o r3c6", "o r1c3", "o r5c3").draw(1, 1, "o r2c1", "o r2c6")
    assert not table.is_open(1, 0, "r3c1", "r3c6")
    assert not table.is_open(1, 0, "r1c3", "r5c3")
    assert table.is_open(1, 1, "r2c1", "r2c6")  # the owner


@pytest.mark.parametrize("element", ["o r4c4", "^ r4c4"])
@pytest.mark.parametrize("seat", [0, 1])
def test_trails_cross_no_stop_and_no_tent(element: str, seat: int) -> None:
    table = Table(OPEN).draw(1, 0, "o r4c1", "o r4c7", "o r6c4")
    assert table.is_open(1, 0, "r4c1", "r4c7")
    assert table.is_open(1, 0, "r4c1", "r6c4")
    table.draw(1, seat, element)
    assert not table.is_open(1, 0, "r4c1", "r4c7")  # between the ends
    assert not table.is_open(1, 0, "r4c1", "r6c4")  # on the corner
    assert table.is_open(1, 0, "r4c1", "r6c4", 1)


@pytest.mark.parametrize("seat", [0, 1])
def test_trails_cross_no_trail(seat: int) -> None:
    table = Table(OPEN).draw(1, 0, "o r5c1", "o r5c7").draw(1, seat, "o r4c4", "o r6c4", "- r4c4 r6c4")
    assert not table.is_open(1, 0, "r5c1", "r5c7")


def test_own_rift_is_bridged_the_short_way() -> None:
    """R3: straight across; neither along the strip, nor with a corner on it."""
    table = Table(OPEN)
    table.draw(0, 0, "o r2c4", "o r4c4", "o r3c1", "o r3c7", "o r6c4", "o r7c2")
    assert table.is_open(0, 0, "r2c4", "r4c4")
    assert not table.is_open(0, 0, "r3c1", "r3c7")  # along the strip
    assert not table.is_open(0, 0, "r3c1", "r4c4")  # corner on the Rift
    assert not table.is_open(0, 0, "r3c1", "r6c4")  # the same, and the Rift is not bridged from within
    table.draw(0, 0, "- r2c4 r4c4")
    same_picture(
        table,
        0,
        """
        .  .  .  .  .  .  .
        .  .  .  @0 .  .  .
        o0 .  r  │0 r  .  o0
        .  .  .  @0 .  .  .
        .  .  .  .  .  .  .
        .  .  .  o0 .  .  .
        .  o0 .  .  .  .  .
        """,
    )


def test_own_rift_is_bridged_on_the_way_round_a_corner() -> None:
    table = Table(UPRIGHT).draw(0, 0, "o r3c1", "o r6c5", "o r1c3", "o r5c3", "o r2c6")
    assert not table.is_open(0, 0, "r1c3", "r5c3")  # along the strip
    table.draw(0, 0, "- r3c1 r6c5")
    same_picture(
        table,
        0,
        """
        .  .  o0 .  .  .
        .  .  r  .  .  o0
        @0 ─0 ─0 ─0 ┐0 .
        .  .  r  .  │0 .
        .  .  o0 .  │0 .
        .  .  .  .  @0 .
        """,
    )


def test_own_rift_is_bridged_beyond_the_corner() -> None:
    """R3: on the second leg too, and another player's Trail ends there."""
    table = Table(UPRIGHT).draw(0, 0, "o r1c1", "o r4c6").draw(1, 0, "o r1c1", "o r4c6")
    assert not table.is_open(1, 0, "r1c1", "r4c6", 1)
    table.draw(0, 0, "| r1c1 r4c6")
    same_picture(
        table,
        0,
        """
        @0 .  .  .  .  .
        │0 .  r  .  .  .
        │0 .  r  .  .  .
        └0 ─0 ─0 ─0 ─0 @0
        .  .  .  .  .  .
        .  .  .  .  .  .
        """,
    )
    # Now a bridge is a Trail like any other: nothing crosses it.
    table.draw(0, 0, "o r3c4", "o r6c4")
    assert not table.is_open(0, 0, "r3c4", "r6c4")


def test_a_bridged_square_is_not_bridged_again() -> None:
    """R4; the other squares of the Rift can still be."""
    table = Table(OPEN).draw(0, 0, "o r2c4", "o r4c4", "o r1c3", "o r5c3", "o r1c5", "o r5c5", "- r2c4 r4c4")
    assert not table.is_open(0, 0, "r2c4", "r4c4")
    assert table.is_open(0, 0, "r1c3", "r5c3")
    assert table.is_open(0, 0, "r1c5", "r5c5")


def test_covered_squares_are_no_longer_empty() -> None:
    """R4."""
    table = Table(OPEN, turn=1).draw(1, 0, "o r5c1", "o r5c5", "- r5c1 r5c5")
    covered = names("r5c2 r5c3 r5c4")
    assert not covered & table.places(0, "stop")
    assert not covered & table.places(0, "tent")
    assert names("r6c2 r6c3 r6c4") <= table.places(0, "stop")  # beside a Trail


def test_covered_squares_are_empty_for_nobody() -> None:
    """R4: whose Trail it is does not matter, nor whose board."""
    table = Table(OPEN, turn=2).draw(1, 0, "o r5c1", "o r5c5", "- r5c1 r5c5")
    covered = names("r5c2 r5c3 r5c4")
    assert not covered & (table.places(1, "stop") | table.places(1, "tent"))  # seat 1 holds board 1 again
    assert covered <= table.places(0, "stop") & table.places(0, "tent")  # on the other board


def test_trails_side_by_side_and_twice_between_the_same_stops() -> None:
    """R5."""
    table = Table(OPEN, turn=1).draw(1, 0, "o r4c1", "o r6c3", "o r7c1", "o r7c5")
    table.draw(1, 0, "- r4c1 r6c3", "| r4c1 r6c3", "- r7c1 r7c5")
    same_picture(
        table,
        1,
        """
        .  .  .  .  .  .  .
        .  .  .  .  .  .  .
        .  .  r  r  r  .  .
        @0 ─0 ┐0 .  .  .  .
        │0 .  │0 .  .  .  .
        └0 ─0 @0 .  .  .  .
        @0 ─0 ─0 ─0 @0 .  .
        """,
    )
    assert not table.is_open(1, 0, "r4c1", "r6c3")


def test_trail_between_diagonal_neighbours_covers_the_corner() -> None:
    """R6."""
    table = Table(OPEN, turn=1).draw(1, 0, "o r5c1", "o r6c2")
    table.turn("trail-from r5c1 + column-first r6c2", "tent r1c1")
    assert table.picture(1)[4:6] == ["@0 .  .  .  .  .  .", "└0 @0 .  .  .  .  ."]
    assert table.is_open(1, 0, "r5c1", "r6c2", 0)


def test_trails_join_stops_of_one_player() -> None:
    table = Table(OPEN, turn=1).draw(1, 0, "o r5c1").draw(1, 1, "o r5c5")
    assert not table.places(0, "trail-from")


# --- Tents ----------------------------------------------------------------------------------------------------------


def test_tents_go_on_any_empty_square() -> None:
    """R7: beside animals, Stops and Tents too."""
    table = Table(board("....... .k..... ..rrr.. ....... ....... ....... ......."), turn=1)
    table.draw(1, 0, "o r5c2", "^ r7c7").draw(1, 1, "o r6c7")
    full = names("r2c2 r3c3 r3c4 r3c5 r5c2 r6c7 r7c7")
    assert table.places(0, "tent") == all_squares(table) - full


def test_a_board_holds_five_tents_of_all_colours() -> None:
    table = Table(OPEN, turn=1).draw(1, 0, "^ r1c1", "^ r1c2").draw(1, 1, "^ r1c3", "^ r1c4")
    assert table.places(0, "tent")
    table.draw(1, 1, "^ r1c5")
    assert not table.places(0, "tent")
    assert table.places(1, "tent")  # on the other board


# --- Passing --------------------------------------------------------------------------------------------------------

ALONE = board("trr ttt tt.", name="Alone")
"""One square, for the first Stop: every board has it."""
TWO = board("trr ttt .t.", name="Two")
BRIDGE = board("t.t rrt t.t", name="Bridge")


def test_passing_only_with_nothing_to_draw() -> None:
    """R8."""
    table = Table(TWO)
    assert table.legal(0) == {"stop r3c1", "stop r3c3"}
    table.turn("stop r3c1", "stop r3c1")
    assert table.legal(0) == {"stop r3c3", "tent r3c3"}
    table.turn("tent r3c3", "stop r3c3")
    assert table.legal(0) == {"pass"}
    assert table.legal(1) == {"pass"}


def test_a_trail_that_can_be_drawn_is_to_be_drawn() -> None:
    """R8: the squares that are left admit no Stop, the board has all its Tents, but a Trail is legal."""
    table = Table(board("..... ..... kkkkk rr... .....", name="Crowded"), turn=1)
    table.draw(1, 0, "o r1c1", "o r2c2").draw(1, 1, "o r1c4", "o r4c4", "o r5c2")
    table.draw(1, 1, "^ r1c3", "^ r1c5", "^ r2c5", "^ r4c3", "^ r5c5")
    same_picture(
        table,
        1,
        """
        o0 .  ^1 o1 ^1
        .  o0 .  .  ^1
        k  k  k  k  k
        r  r  ^1 o1 .
        .  o1 .  .  ^1
        """,
    )
    assert table.legal(0) == {"trail-from r1c1"}
    table.act(0, "trail-from r1c1")
    assert table.legal(0) == {"row-first r2c2", "column-first r2c2"}
    table.act(0, "row-first r2c2")
    table.act(1, "stop r5c5")
    assert table.picture(1)[0] == "@0 ┐0 ^1 o1 ^1"
    assert table.legal(1) == {"trail-from r4c4"}  # in the next turn, on the same board
    table.act(1, "trail-from r4c4")
    assert table.legal(1) == {"column-first r5c2"}


def test_end_is_triggered_when_nobody_draws_for_as_many_turns_as_players() -> None:
    """R9."""
    for players in (2, 3, 5):
        table = Table(ALONE, num_players=players).turn(*["stop r3c3"] * players)
        for turn in range(players):
            assert table.state.last_turn == -1, turn
            table.turn(*["pass"] * players)
        assert table.state.last_turn == 2 * players
        for _ in range(players):  # the last is the one on the own board that began after the trigger
            assert not table.state.over
            table.turn(*["pass"] * players)
        assert table.state.over
        assert table.state.turn == 2 * players + 1
        assert table.summary()["ending"] == "shared"


def test_drawing_begins_the_count_anew() -> None:
    """R9: N turns in a row."""
    stops = ("o r1c2", "o r3c2")
    table = Table(BRIDGE, turn=1).draw(0, 0, *stops).draw(1, 1, *stops)
    table.turn("pass", "pass")
    assert (int(table.state.idle), int(table.state.last_turn)) == (1, -1)
    table.turn(*["trail-from r1c2 + row-first r3c2"] * 2)  # each on the own board
    table.turn("pass", "pass")
    assert (int(table.state.idle), int(table.state.last_turn)) == (1, -1)
    table.turn("pass", "pass")
    assert table.state.last_turn == 6


def test_one_who_draws_is_enough_to_go_on() -> None:
    """R9: a turn counts if nobody draws."""
    table = Table(BRIDGE, turn=1).draw(0, 0, "o r1c2", "o r3c2").draw(1, 1, "o r1c2", "^ r3c2").turn("pass", "pass")
    table.turn("trail-from r1c2 + row-first r3c2", "pass")
    assert (int(table.state.idle), int(table.state.last_turn)) == (0, -1)
    table.turn("pass", "pass").turn("pass", "pass")
    assert table.state.last_turn == 6


# --- The end --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "needed"), [(2, 2), (3, 2), (4, 3), (5, 4)])
def test_full_boards_trigger_the_end(players: int, needed: int) -> None:
    table = Table(OPEN, num_players=players, turn=1)
    tents = [f"^ r7c{c}" for c in range(1, 6)]
    for on in range(needed - 1):
        table.draw(on, 0, *tents)
    table.draw(needed - 1, 1, *tents[:4])
    seat = needed % players  # who holds board needed - 1 in turn 1
    table.turn(*["tent r6c1" if p == seat else "stop r1c1" for p in range(players)])
    assert table.state.last_turn == players
    assert "pass" in table.legal(0)


@pytest.mark.parametrize(("triggered_in", "last"), [(1, 3), (2, 3), (3, 6), (4, 6)])
def test_everyone_has_a_last_turn_on_the_own_board(triggered_in: int, last: int) -> None:
    """R10: that turn began after the trigger; a trigger in the turn before it counts, one within it does not."""
    table = Table(OPEN, num_players=3, turn=triggered_in)
    tents = [f"^ r7c{c}" for c in range(1, 6)]
    held = int(rules.held_board(table.state, 0))
    table.draw((held + 1) % 3, 1, *tents).draw(held, 1, *tents[:4])
    assert "pass" not in table.legal(0)
    table.turn("tent r7c5", "stop r1c1", "stop r1c1")
    assert table.state.last_turn == last
    for turn in range(triggered_in + 1, last + 1):
        assert not table.state.over, turn
        table.turn("pass", "pass", "pass")
    assert table.state.over
    assert table.state.turn == last + 1
    assert table.legal(0) == {"wait"}
    assert rules.to_act(table.state) == -1


@pytest.mark.parametrize(("players", "needed"), [(2, 2), (4, 3), (5, 4)])
def test_the_last_turn_is_on_the_own_board_for_every_number_of_players(players: int, needed: int) -> None:
    """R10."""
    for triggered_in in range(1, players + 1):
        table = Table(OPEN, num_players=players, turn=triggered_in)
        tents = [f"^ r7c{c}" for c in range(1, 6)]
        held = int(rules.held_board(table.state, 0))
        table.draw(held, 1, *tents[:4])
        for k in range(1, needed):
            table.draw((held + k) % players, 1, *tents)
        assert "pass" not in table.legal(0)
        table.turn("tent r7c5", *["stop r1c1"] * (players - 1))
        turns = 0
        while not table.state.over:
            held_now = [int(rules.held_board(table.state, seat)) for seat in range(players)]
            table.turn(*["pass"] * players)
            turns += 1
        assert held_now == list(range(players))  # the last turn was played on the own boards
        assert turns == (players - triggered_in if triggered_in < players else players)


def test_elements_can_still_be_drawn_after_the_trigger() -> None:
    table = Table(OPEN, turn=1)
    table.draw(0, 0, *[f"^ r7c{c}" for c in range(1, 6)]).draw(1, 0, *[f"^ r7c{c}" for c in range(1, 5)])
    table.turn("tent r7c5", "stop r1c1")
    assert table.state.last_turn == 2
    table.turn("stop r5c5", "pass")
    assert table.state.over
    assert table.picture(0)[4] == ".  .  .  .  o0 .  ."


def test_truncation_only_by_max_turns() -> None:
    table = Table(OPEN, max_turns=2)
    table.turn("stop r1c1", "stop r1c1").turn("tent r7c1", "tent r7c1")
    assert table.state.over
    assert table.state.truncated
    assert table.summary()["ending"] == "truncated"
    assert table.summary()["winners"] == []


def test_an_end_in_the_last_turn_allowed_is_no_truncation() -> None:
    table = Table(ALONE, max_turns=5).turn("stop r3c3", "stop r3c3")
    for _ in range(4):
        table.turn("pass", "pass")
    assert table.state.over
    assert not table.state.truncated


# --- Dealing --------------------------------------------------------------------------------------------------------


def test_asymmetrical_boards_are_drawn_for_each_player_without_repetition() -> None:
    """R14: not one board for all; every seat can get every board, whatever the others have, all equally likely."""
    game = make_game(num_players=2)
    dealt = np.zeros((5, 5), int)
    for seed in range(2000):
        state = game.new_states(1)[0]
        state.rng = seed
        reset(state, game.data[0])
        dealt[state.start[0], state.start[1]] += 1
    assert (dealt.diagonal() == 0).all()
    apart = dealt[~np.eye(5, dtype=bool)]
    assert np.abs(apart - 100).max() < 6 * 100**0.5  # 20 pairs, 100 of each: six standard errors


def test_boards_are_dealt_in_order_or_drawn_without_repetition() -> None:
    seen = set()
    for seed in range(40):
        game = make_game(num_players=3)
        state = game.new_states(1)[0]
        state.rng = seed
        reset(state, game.data[0])
        start = tuple(state.start.tolist())
        assert len(set(start[:3])) == 3
        assert start[3:] == (0, 0)
        seen.add(start)
    assert len(seen) > 20
    assert Table(OPEN, UPRIGHT).state.start.tolist()[:2] == [0, 1]
    assert Table(OPEN, num_players=3).state.start.tolist() == [0] * 5


def test_the_start_follows_from_the_stream_of_random_numbers() -> None:
    """The list 0 … 4 is shuffled as `valley_core.rng.shuffle` does; seat p starts with the p-th."""
    game = make_game(num_players=5)
    state = game.new_states(1)[0]
    state.rng = 7
    reset(state, game.data[0])
    rng, pool = 7, list(range(5))
    for i in range(4, 0, -1):
        rng, bits = draw_plain(rng)
        j = (bits >> 32) * (i + 1) >> 32
        pool[i], pool[j] = pool[j], pool[i]
    assert state.start.tolist() == pool
    assert int(state.rng) == rng


# --- A whole game ---------------------------------------------------------------------------------------------------


def test_a_whole_game() -> None:
    left = board("....k.. ....... ..r.... ..r..l. ....... .e..... .......", name="Left")
    right = board("....... .rrr... ....... ...k... ....... .....e. .......", name="Right")
    table = Table(left, right)
    table.turn("stop r2c2", "stop r1c3")  # seat 0 on the left board, seat 1 on the right one
    table.turn("stop r7c1", "stop r1c1")  # the other way round, and so on in turn
    table.turn("stop r2c6", "stop r5c3")
    table.turn("tent r7c2", "tent r1c7")
    table.turn("trail-from r2c2 + row-first r2c6", "trail-from r1c3 + row-first r5c3")
    table.turn("tent r7c3", "tent r3c7")
    table.turn("tent r1c6", "tent r6c4")
    table.turn("tent r7c4", "tent r7c7")
    table.turn("tent r3c6", "stop r7c6")
    assert table.state.last_turn == -1
    table.turn("tent r3c7", "stop r6c6")  # the fifth Tent on the right board
    assert table.state.last_turn == 10
    table.turn("pass", "pass")
    assert table.state.over
    same_picture(
        table,
        0,
        """
        o1 .  .  .  k  ^0 ^1
        .  @0 ─0 ─0 ─0 @0 .
        .  .  r  .  .  ^0 ^1
        .  .  r  .  .  l  .
        .  .  .  .  .  .  .
        .  e  .  .  .  o1 .
        .  .  .  .  .  .  ^1
        """,
    )
    same_picture(
        table,
        1,
        """
        .  .  @1 .  .  .  .
        .  r  │1 r  .  .  .
        .  .  │1 .  .  .  ^0
        .  .  │1 k  .  .  .
        .  .  @1 .  .  .  .
        .  .  .  ^1 .  e  .
        o0 ^0 ^0 ^0 .  o1 .
        """,
    )
    check_state(table.state, table.game.data, table.game.template[0])
    assert table.points(0, 0) == [3, 1, 0, 4]  # areas A, B, C; the kob; two Tents at r2c6
    assert table.points(0, 1) == [0, 0, -4, 0]
    assert table.points(1, 0) == [0, 0, -2, 0]  # Tents beside a Stop without a Trail
    assert table.points(1, 1) == [2, 1, -2, 2]  # areas A and D
    summary = table.summary()
    assert summary["scores"] == [6, -1]
    assert summary["by_board"] == [[8, -2], [-4, 3]]
    assert summary["by_kind"][0] == {"areas": 3, "animals": 1, "stops": -2, "tents": 4}
    assert (summary["ranks"], summary["winners"], summary["winner"]) == ([1, 2], [0], 0)
    assert (summary["ending"], summary["turns"]) == ("score", 11)


@pytest.mark.parametrize(
    ("first", "second", "by_board", "ranks", "ending"),
    [
        # Even totals: the best boards are 4 and 3.
        ("r7c1 + row-first r7c7", "r7c1 + row-first r7c5", [[4, 1], [2, 3]], [1, 2], "best_boards"),
        # Even totals, and the same boards in another order.
        ("r4c1 + column-first r7c7", "r7c1 + row-first r7c3", [[4, 1], [1, 4]], [1, 1], "shared"),
        # The second player is ahead.
        ("r4c1 + column-first r7c7", "r7c1 + row-first r7c5", [[4, 1], [2, 4]], [2, 1], "score"),
    ],
)
def test_a_game_that_ends_in_a_tie(
    first: str, second: str, by_board: list[list[int]], ranks: list[int], ending: str
) -> None:
    """R12, played to the end: seat 0 scores 4 and 1; seat 1 draws its Trails on its own board and on the other."""
    table = Table(OPEN)
    (start, end), (start_2, end_2) = (trail.replace(" + ", " ").split()[::2] for trail in (first, second))
    table.turn("stop r1c1", f"stop {start}").turn("stop r1c1", f"stop {start_2}")
    table.turn("stop r5c7", f"stop {end}").turn("stop r1c3", f"stop {end_2}")
    table.turn("trail-from r1c1 + row-first r5c7", f"trail-from {first}")
    table.turn("trail-from r1c1 + row-first r1c3", f"trail-from {second}")
    for k in range(1, 6):  # five Tents on each board, beside no Stop of their colour
        tents = [f"tent r4c{k}", f"tent r5c{k + 2}"]  # on board 0, on board 1
        table.turn(*(tents if table.state.turn % 2 == 0 else reversed(tents)))
    assert table.state.last_turn == 12
    same_picture(
        table,
        0,
        f"""
        @0 ─0 ─0 ─0 ─0 ─0 ┐0
        .  .  .  .  .  .  │0
        .  .  r  r  r  .  │0
        ^0 ^1 ^0 ^1 ^0 .  │0
        .  .  .  .  .  .  @0
        .  .  .  .  .  .  .
        @1 ─1 {"─1 ─1 @1" if end_2 == "r7c5" else "@1 .  ."} .  .
        """,
    )
    table.turn("pass", "pass").turn("pass", "pass")
    assert table.state.over
    summary = table.summary()
    assert summary["by_board"] == by_board
    assert (summary["ranks"], summary["ending"]) == (ranks, ending)
    assert summary["winners"] == [seat for seat in range(2) if ranks[seat] == 1]
