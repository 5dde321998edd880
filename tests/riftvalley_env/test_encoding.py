"""Actions, masks and observations over random games, each compared with something worked out another way."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from riftvalley_env.board import load_board
from riftvalley_env.encoding import action_names, name_of, num_actions, path_number, path_start
from riftvalley_env.game import summary
from riftvalley_env.trails import mark_at, trails_on
from riftvalley_env.vocabulary import NUM_KINDS, Element, Mark, Points, Square
from tests.riftvalley_env.games import CONFIGURATIONS, game_of, legal, random_game
from tests.riftvalley_env.games import views as observe
from valley_core.game import Game, Reward


@pytest.fixture(params=CONFIGURATIONS)
def game(request: pytest.FixtureRequest) -> Game:
    return game_of(request.param)


# --- Trails by a search over squares ----------------------------------------------------------------------------------


def paths_by_search(state: Any, data: Any, seat: int) -> set[tuple[int, ...]]:
    """Every legal Trail of a seat as its squares, lower end first, found by walking square by square."""
    board = (seat - int(state["turn"])) % int(state["num_players"])
    height, width = int(data["height"]), int(data["width"])
    printed = data["board"][state["start"][board]]["square"]

    def own_stop(square: int) -> bool:
        drawn = mark_at(state, board, square)
        return drawn is not None and drawn[0] == seat and drawn[1] in (Mark.STOP, Mark.CONNECTED)

    def rift(row: int, column: int) -> bool:
        inside = 0 <= row < height and 0 <= column < width
        return inside and printed[row * width + column] == Square.RIFT

    def may_cover(square: int, dr: int, dc: int, from_corner: bool) -> str:
        """empty: also for a corner; bridge: only straight on; or nothing."""
        row, column = divmod(square, width)
        if mark_at(state, board, square):
            return ""
        if printed[square] == Square.EMPTY:
            return "empty"
        along = rift(row + dr, column + dc) or rift(row - dr, column - dc)
        return "bridge" if rift(row, column) and board == seat and not along else ""

    found = set()

    def walk(path: list[int], dr: int, dc: int, corners: int) -> None:
        row, column = divmod(path[-1], width)
        row, column = row + dr, column + dc
        if not (0 <= row < height and 0 <= column < width):
            return
        square = row * width + column
        if own_stop(square):
            if path[0] < square:
                found.add((*path, square))
            return
        kind = may_cover(square, dr, dc, corners > 0)
        if not kind:
            return
        walk([*path, square], dr, dc, corners)
        if kind == "empty" and corners == 0:
            for turn in ((dc, dr), (-dc, -dr)):
                walk([*path, square], *turn, 1)

    if state["turn"] > 0:
        for start in filter(own_stop, range(height * width)):
            for step in ((0, 1), (0, -1), (1, 0), (-1, 0)):
                walk([start], *step, 0)
    return found


def geometry(path: tuple[int, ...], width: int) -> tuple[int, int, int]:
    """Start, end, and 1 if the path leaves its start along the column and then turns."""
    row, column = divmod(path[0], width)
    end_row, end_column = divmod(path[-1], width)
    bent = row != end_row and column != end_column
    return path[0], path[-1], int(bent and path[1] != path[0] + 1 and path[1] != path[0] - 1)


def trails_in_mask(game: Game, state: Any, seat: int, mask: np.ndarray) -> set[tuple[int, int, int]]:
    """The Trails that the actions offer; two-step ones by beginning each."""
    squares = int(game.data[0]["squares"])
    found = set()
    if state["one_step"]:
        for number in np.flatnonzero(mask[2 * squares : -2]):
            found.add(decoded(game, int(number)))
        return found
    for start in np.flatnonzero(mask[2 * squares : 3 * squares]):
        begun = state.copy().reshape(1)[0]
        game.kernels.step(begun, game.data[0], seat, 2 * squares + int(start))
        ends = legal(game, begun, seat)
        assert not ends[: 3 * squares].any()
        assert not ends[-2:].any()
        assert ends.any()
        found |= {(int(start), int(end), 0) for end in np.flatnonzero(ends[3 * squares : 4 * squares])}
        found |= {(int(start), int(end), 1) for end in np.flatnonzero(ends[4 * squares : 5 * squares])}
    return found


@cache
def path_table(height: int, width: int) -> list[tuple[int, int, int]]:
    """Start, end and way of every path, in the order of the specification."""
    table = []
    for a in range(height * width):
        for b in range(a + 1, height * width):
            table.append((a, b, 0))
            if a // width != b // width and a % width != b % width:
                table.append((a, b, 1))
    return table


def decoded(game: Game, number: int) -> tuple[int, int, int]:
    return path_table(int(game.data[0]["height"]), int(game.data[0]["width"]))[number]


def test_masks_agree_with_a_search_over_squares(game: Game) -> None:
    data = game.data[0]
    width = int(data["width"])
    compared = 0
    for seed in range(12):
        for state, seat, _ in random_game(game, seed):
            if seat < 0 or state["square"][seat] >= 0:
                continue
            mask = legal(game, state, seat)
            wanted = {geometry(path, width) for path in paths_by_search(state, data, seat)}
            assert trails_in_mask(game, state, seat, mask) == wanted
            compared += len(wanted)
    assert compared > 100


def squares_by_rulebook(game: Game, state: Any, seat: int) -> tuple[set[int], set[int]]:
    """Where a Stop and where a Tent may be drawn, square by square."""
    data = game.data[0]
    board = (seat - int(state["turn"])) % game.seats
    height, width = int(data["height"]), int(data["width"])
    printed = data["board"][state["start"][board]]["square"].tolist()
    marks = {s: mark_at(state, board, s) for s in range(height * width)}
    stops, tents = set(), set()
    for s in range(height * width):
        if printed[s] != Square.EMPTY or marks[s]:
            continue
        around = [
            (r, c) for r in range(height) for c in range(width) if 0 < max(abs(r - s // width), abs(c - s % width)) < 2
        ]
        beside = [r * width + c for r, c in around if r == s // width or c == s % width]
        animal = any(Square.KOB <= printed[r * width + c] <= Square.LION for r, c in around)
        stop_beside = any(mark[1] in (Mark.STOP, Mark.CONNECTED) for n in beside if (mark := marks[n]))
        if not stop_beside and not (state["turn"] == 0 and animal):
            stops.add(s)
        if state["turn"] > 0 and sum(mark is not None and mark[1] == Mark.TENT for mark in marks.values()) < 5:
            tents.add(s)
    return stops, tents


def test_masks_of_stops_tents_and_passes(game: Game) -> None:
    squares = int(game.data[0]["squares"])
    for seed in range(3):
        for state, seat, _ in random_game(game, seed):
            for other in range(game.seats):
                mask = legal(game, state, other)
                assert set(np.unique(mask)) <= {0, 1}
                if state["over"] or state["element"][other] != Element.UNDECIDED:
                    assert np.flatnonzero(mask).tolist() == [game.wait]
            if seat < 0 or state["square"][seat] >= 0:
                continue
            mask = legal(game, state, seat)
            stops, tents = squares_by_rulebook(game, state, seat)
            assert set(np.flatnonzero(mask[:squares])) == stops
            assert set(np.flatnonzero(mask[squares : 2 * squares])) == tents
            assert mask[-2] == (state["last_turn"] >= 0 or not mask[:-2].any())
            assert mask[-1] == 0


def test_every_legal_action_can_be_carried_out(game: Game) -> None:
    """Thousands of states: each action leads to a state that passes the check, or to the next decision."""
    tried = 0
    rng = np.random.default_rng(0)
    for seed in range(4):
        for state, seat, _ in random_game(game, seed):
            if seat < 0:
                continue
            actions = np.flatnonzero(legal(game, state, seat))
            for action in rng.choice(actions, min(len(actions), 4), replace=False):
                after = state.copy().reshape(1)[0]
                game.kernels.step(after, game.data[0], seat, int(action))
                assert after != state
                game.check_state(after)
                tried += 1
    assert tried > 300


# --- Actions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("height", "width"), [(5, 5), (9, 9), (3, 7), (12, 12), (7, 4), (1, 6)])
def test_paths_are_numbered_in_order(height: int, width: int) -> None:
    from riftvalley_env.board_data import BOARDS, first_paths, num_paths

    data: Any = np.zeros(1, BOARDS)[0]
    data.height, data.width, data.squares = height, width, height * width
    data.first_path[: height * width] = first_paths(height, width)
    table = path_table(height, width)
    assert num_paths(height, width) == len(table)
    for number, (start, end, way) in enumerate(table):
        assert path_number(data, start, end, way) == number
        assert path_start(data, number) == start


def test_flat_actions_are_decoded_to_their_elements() -> None:
    """For every path of the grid: the seat's decision holds its start, end and way."""
    game = game_of("two flat")
    squares = int(game.data[0]["squares"])
    state: Any = game.new_states(1)[0]
    game.kernels.reset(state, game.data[0])
    for number, path in enumerate(path_table(9, 9)):
        state.element[0] = Element.UNDECIDED
        game.kernels.step(state, game.data[0], 0, 2 * squares + number)
        assert (int(state.square[0]), int(state.target[0]), int(state.way[0])) == path
        assert state.element[0] == Element.TRAIL
    state.element[0] = Element.UNDECIDED
    game.kernels.step(state, game.data[0], 0, game.num_actions - 2)
    assert state.element[0] == Element.PASS


def test_action_names(game: Game) -> None:
    names = game.action_names
    height, width = int(game.data[0]["height"]), int(game.data[0]["width"])
    squares = height * width
    flat = bool(game.template[0]["one_step"])
    assert len(names) == num_actions(height, width, flat) == len(set(names))
    assert names[-2:] == ("pass", "wait")
    assert names[0] == "stop r1c1"
    assert names[squares + width] == "tent r2c1"
    if flat:
        for number, (start, end, _) in enumerate(path_table(height, width)):
            assert names[2 * squares + number].startswith(f"trail {name_of(start, width)} {name_of(end, width)}")
    else:
        assert names[2 * squares] == "trail-from r1c1"
        assert names[3 * squares + 1] == "row-first r1c2"
        assert names[4 * squares + 1] == "column-first r1c2"
    assert action_names(height, width, flat) is names


# --- Observations ---------------------------------------------------------------------------------------------------


def observation_by_hand(game: Game, state: Any, seat: int) -> dict[str, Any]:
    """Some views, number by number, from the marks."""
    n, data = game.seats, game.data[0]
    height, width = int(data["height"]), int(data["width"])
    views = {field.name: np.zeros(field.shape, np.float32) for field in game.layout.fields}
    for i in range(n):
        board = (seat - i - int(state["turn"])) % n
        printed = data["board"][state["start"][board]]
        for s in range(height * width):
            place = divmod(s, width)
            square = Square(int(printed["square"][s]))
            if printed["area"][s] >= 0:
                views["areas"][i, printed["area"][s], *place] = 1
            if Square.KOB <= square <= Square.LION:
                views["animals"][i, square - 1, *place] = 1
            views["trees"][i, *place] = square == Square.TREE
            views["water"][i, *place] = square == Square.WATER
            views["rift"][i, (board - seat) % n, *place] = square == Square.RIFT
            if drawn := mark_at(state, board, s):
                colour = (drawn[0] - seat) % n
                name = {Mark.STOP: "stops", Mark.CONNECTED: "stops", Mark.TENT: "tents"}.get(drawn[1], "trails")
                views[name][i, colour, *place] = 1
                views["connected"][i, colour, *place] = drawn[1] == Mark.CONNECTED
        views["tents_left"][i] = 1 - views["tents"][i].sum() / 5
    views["boards_full"][0] = (views["tents_left"] == 0).mean()
    begun = int(state["square"][seat])
    if state["element"][seat] == Element.UNDECIDED and begun >= 0:
        views["trail_from"].reshape(-1)[begun] = 1
    last, turn = int(state["last_turn"]), int(state["turn"])
    views["triggered"][0] = last >= 0
    views["turns_left"][0] = (last + 1 - turn) / n if last >= 0 else 0
    scores = summary(state, ["?"] * 5)["scores"]
    views["scores"][:] = np.clip([scores[(seat + i) % n] / 100 for i in range(n)], -1, 1)
    views["turn"][0] = min(turn / 100, 1)
    return views


def test_observations_number_by_number(game: Game) -> None:
    low, high = game.layout.bounds()
    for state, _, _ in random_game(game, 5):
        for seat in range(game.seats):
            views = observe(game, state, seat)
            wanted = observation_by_hand(game, state, seat)
            for name, values in views.items():
                np.testing.assert_allclose(values, wanted[name], atol=1e-6, err_msg=name)
            flat = np.concatenate([values.reshape(-1) for values in views.values()])
            assert (flat >= low).all()
            assert (flat <= high).all()


def test_nothing_is_learnt_of_a_decision_before_the_turn_is_over(game: Game) -> None:
    for seed in range(3):
        for state, seat, action in random_game(game, seed):
            if seat < 0:
                continue
            after = state.copy().reshape(1)[0]
            game.kernels.step(after, game.data[0], seat, action)
            if after["turn"] != state["turn"]:
                continue
            for other in range(game.seats):
                if other != seat:
                    np.testing.assert_array_equal(legal(game, after, other), legal(game, state, other))
                    before, now = observe(game, state, other), observe(game, after, other)
                    for name, values in now.items():
                        np.testing.assert_array_equal(values, before[name])
            for reward in Reward:
                returns = np.zeros((2, game.seats))
                for each, out in zip((state, after), returns, strict=True):
                    game.kernels.returns(each, game.data[0], reward, out)
                np.testing.assert_array_equal(*returns)


# --- Points and states ----------------------------------------------------------------------------------------------


def recount(state: Any, data: Any) -> np.ndarray:
    """All points counted anew from the marks, shape (boards, seats, kinds)."""
    n = int(state["num_players"])
    height, width = int(data["height"]), int(data["width"])
    points = np.zeros((n, n, NUM_KINDS), int)

    def near(a: int, b: int) -> bool:
        return max(abs(a // width - b // width), abs(a % width - b % width)) == 1

    for board in range(n):
        printed = data["board"][state["start"][board]]
        marks = {s: mark for s in range(height * width) if (mark := mark_at(state, board, s))}
        trails = trails_on(state, data, board)
        for trail in trails:
            points[board, trail.seat, Points.AREAS] += len({int(printed["area"][s]) for s in trail.squares})
        for seat in range(n):
            line = {s for trail in trails if trail.seat == seat for s in trail.squares}
            stops = {s for s, mark in marks.items() if mark[0] == seat and mark[1] in (Mark.STOP, Mark.CONNECTED)}
            tents = {s for s, mark in marks.items() if mark == (seat, Mark.TENT)}
            for s in range(height * width):
                if Square.KOB <= printed["square"][s] <= Square.LION and any(near(s, other) for other in line):
                    points[board, seat, Points.ANIMALS] += int(printed["square"][s])
            points[board, seat, Points.STOPS] = -2 * len(stops - line)
            points[board, seat, Points.TENTS] = 2 * sum(near(a, b) for a in tents for b in stops & line)
    return points


def test_points_are_those_of_a_recount(game: Game) -> None:
    n = game.seats
    for seed in range(6):
        for state, seat, _ in random_game(game, seed, 0.1):
            if seat < 0:
                np.testing.assert_array_equal(state["points"][:n, :n], recount(state, game.data[0]))


def test_boards_of_different_sizes_lie_on_one_grid() -> None:
    game = game_of("four mixed")
    assert (int(game.data[0]["height"]), int(game.data[0]["width"])) == (12, 12)
    assert load_board("identical").height < 12
