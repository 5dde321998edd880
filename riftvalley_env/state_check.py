"""Whether a record is a state of this game: nothing that a caller passes reaches a kernel unchecked."""

from typing import Any

import numpy as np

from riftvalley_env import rules
from riftvalley_env.encoding import begins_trail
from riftvalley_env.state import STATE
from riftvalley_env.state_counts import can_draw_on, check_counts
from riftvalley_env.trails import STOPS, squares_with, trails_on
from riftvalley_env.vocabulary import (
    FULL_BOARDS_AT_END,
    NOWHERE,
    NUM_MARKS,
    Deal,
    Element,
    Mark,
    Way,
)
from valley_core.errors import StateError
from valley_core.records import REMEDY, in_range, one_record

OPTIONS = ("num_players", "deal", "one_step")
"""Options that a state shares with the game that it is a state of."""

FOLLOWING = ("drawn", "tents", "row_walls", "column_walls", "beside_stops", "stops", "points")
"""Fields that the elements on the boards settle."""


def check_state(state: Any, data: np.ndarray, template: np.ndarray) -> None:
    """Raise `StateError`, naming the field, unless `state` is a position that the rules can go on from."""
    state = one_record(state, template, "Rift Valley", OPTIONS)
    players = int(state["num_players"])
    in_range("data", state["data"], 0, len(data) - 1)
    datum = data[state["data"]]
    squares = int(datum["squares"])
    in_range("max_turns", state["max_turns"], 1, 2**31 - 1)
    in_range("start", state["start"], 0, int(datum["count"]) - 1)
    in_range("drawn", state["drawn"], 0, players * NUM_MARKS)
    in_range("element", state["element"], Element.UNDECIDED, Element.PASS)
    in_range("square", state["square"], NOWHERE, squares - 1)
    in_range("target", state["target"], NOWHERE, squares - 1)
    in_range("way", state["way"], Way.ROW_FIRST, Way.COLUMN_FIRST)
    in_range("turn", state["turn"], 0, 2**31 - 1)
    in_range("over", state["over"], 0, 1)
    in_range("truncated", state["truncated"], 0, int(state["over"]))
    _check_start(state, players)
    _check_drawn(state, datum, players)
    _check_end(state, players)
    check_counts(state, datum, players)
    _check_turn(state, datum, players)


def _check_start(state: Any, players: int) -> None:
    start = state["start"].tolist()
    different = 1 if state["deal"] == Deal.SAME else players
    if len(set(start[:players])) != different or any(start[players:]):
        raise StateError(f"field start is {start}, which deals no {different} boards to {players} players{REMEDY}")
    if state["deal"] == Deal.FIXED and start[:players] != list(range(players)):
        raise StateError(f"field start is {start}; boards are dealt in their order{REMEDY}")


def _check_drawn(state: Any, datum: Any, players: int) -> None:
    """Draw everything anew by the rules, Stops first, and compare."""
    anew = np.zeros(1, STATE)[0]
    anew["num_players"], anew["start"], anew["turn"] = players, state["start"], 1
    for board in range(players):
        rules.print_walls(anew, datum, board)
        _draw_anew(anew, state, datum, board)
    for name in FOLLOWING:
        if not np.array_equal(anew[name], state[name]):
            raise StateError(f"field {name} does not agree with the elements on the boards{REMEDY}")


def _draw_anew(anew: Any, state: Any, datum: Any, board: int) -> None:
    width = int(datum["width"])
    for seat, square in squares_with(state, datum, board, *STOPS):
        row, column = divmod(square, width)
        if not rules.stop_columns(anew, datum, board, row) >> column & 1:
            raise StateError(f"field drawn has a Stop of board {board} where none is possible, square {square}{REMEDY}")
        rules.draw_stop(anew, datum, board, seat, square)
    for trail in trails_on(state, datum, board):
        start, end = trail.squares[0], trail.squares[-1]
        ends = (*divmod(start, width), *divmod(end, width))
        if not rules.is_open(anew, board, trail.seat, *ends, int(trail.way)):
            raise StateError(f"field drawn has no legal Trail on board {board}, square {start} to {end}{REMEDY}")
        rules.draw_trail(anew, datum, board, trail.seat, start, end, int(trail.way))
    for seat, square in squares_with(state, datum, board, Mark.TENT):
        row, column = divmod(square, width)
        empty = rules.empty_columns(anew, datum, board, row) >> column & 1
        if not empty or not rules.tents_allowed(anew, board):
            raise StateError(f"field drawn has a Tent of board {board} that is not possible, square {square}{REMEDY}")
        rules.draw_tent(anew, datum, board, seat, square)


def _check_end(state: Any, players: int) -> None:
    turn, last, over = int(state["turn"]), int(state["last_turn"]), bool(state["over"])
    in_range("idle", state["idle"], 0, min(turn, 2**15 - 1))
    if last < 0:
        full = int(rules.full_boards(state)) >= FULL_BOARDS_AT_END[players]
        if last != -1 or full or state["idle"] >= players:
            raise StateError(f"field last_turn is {last}, idle {state['idle']}; the end is triggered{REMEDY}")
    elif last % players or not turn - 1 <= last < turn + players:
        raise StateError(f"field last_turn is {last}, which cannot be at turn {turn}{REMEDY}")
    ended, late = 0 <= last < turn, turn >= int(state["max_turns"])
    if over != (ended or late) or bool(state["truncated"]) != (late and not ended):
        raise StateError(f"fields over and truncated do not agree with turn {turn} and last_turn {last}{REMEDY}")


def _check_turn(state: Any, datum: Any, players: int) -> None:
    """What has been decided in this turn is legal, and somebody is still to decide."""
    elements = state["element"]
    if (
        elements[players:].any()
        or (state["over"] and elements.any())
        or (elements[:players] != Element.UNDECIDED).all()
    ):
        raise StateError(f"field element is {elements.tolist()}, which leaves nobody to decide{REMEDY}")
    for seat in range(len(elements)):
        absent = seat >= players or bool(state["over"])
        if not (_is_undecided(state, seat) if absent else _is_legal(state, datum, seat)):
            element = Element(int(elements[seat])).name
            raise StateError(f"fields element, square, target and way hold no legal {element} of seat {seat}{REMEDY}")


def _is_undecided(state: Any, seat: int) -> bool:
    fields = (state["square"][seat], state["target"][seat], state["way"][seat])
    return tuple(int(value) for value in fields) == (NOWHERE, NOWHERE, Way.ROW_FIRST)


def _is_legal(state: Any, datum: Any, seat: int) -> bool:
    element, square, target = (int(state[name][seat]) for name in ("element", "square", "target"))
    way, width, board = int(state["way"][seat]), int(datum["width"]), int(rules.held_board(state, seat))
    row, column = divmod(max(square, 0), width)
    own_stop = square >= 0 and bool(state["stops"][board, seat, row] >> column & 1)
    if element == Element.TRAIL:
        end_row, end_column = divmod(max(target, 0), width)
        ends = own_stop and target > square and bool(state["stops"][board, seat, end_row] >> end_column & 1)
        return (
            ends
            and state["turn"] > 0
            and bool(rules.is_open(state, board, seat, row, column, end_row, end_column, way))
        )
    if target != NOWHERE or way != Way.ROW_FIRST:
        return False
    if element == Element.UNDECIDED:
        begun = own_stop and not state["one_step"] and state["turn"] > 0
        return square == NOWHERE or (begun and bool(begins_trail(state, datum, board, seat, row, column)))
    if element == Element.PASS:
        return square == NOWHERE and (state["last_turn"] >= 0 or not can_draw_on(state, datum, board, seat))
    if square == NOWHERE:
        return False
    if element == Element.STOP:
        return bool(rules.stop_columns(state, datum, board, row) >> column & 1)
    empty = rules.empty_columns(state, datum, board, row) >> column & 1
    return bool(rules.tents_allowed(state, board) and empty)
