"""The facts of the game, its options, and that its bounds hold in many random games."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from riftvalley_env.board import BoardError, load_board, shipped_boards
from riftvalley_env.game import MOST_TURNS, board_pool, longest_game, make_game
from riftvalley_env.generator import generate_board
from riftvalley_env.vocabulary import MAX_PLAYERS, MIN_PLAYERS, NUM_AREAS
from tests.riftvalley_env.games import random_game
from tests.riftvalley_env.table import board
from valley_core.errors import OptionError
from valley_core.game import Game, Reward, Status

PLAYERS = range(MIN_PLAYERS, MAX_PLAYERS + 1)
SETS = {"identical": 7, "asymmetrical": 9}
"""The shipped sets of boards, with the side of their grid."""
TABLES: dict[str, dict[str, Any]] = {
    f"{players} {boards} {actions}": {"num_players": players, "boards": boards, "actions": actions}
    for players in PLAYERS
    for boards in SETS
    for actions in ("two_step", "flat")
}
STUCK = board("rrk ... k..")
"""A board so small that players pass before the end (R8), and games without Tents end by R9."""


@pytest.mark.parametrize("players", PLAYERS)
def test_facts(players: int) -> None:
    game = make_game(num_players=players)
    assert (game.name, game.package, game.simultaneous) == ("riftvalley", "riftvalley_env", True)
    assert (game.seats, game.agents) == (players, [f"player_{seat}" for seat in range(players)])
    assert game.hidden == "what others have decided in the turn that is not over"
    assert game.reward == Reward.WIN
    assert (game.least_reward, game.greatest_reward) == (-1, 1)
    assert make_game(num_players=players, reward="margin").greatest_reward == 1
    shaped = make_game(num_players=players, reward="shaped")
    assert (shaped.least_reward, shaped.greatest_reward) == (-1.5, 1.5)
    assert game.data.shape == (1,)
    assert game.fixed.dtype == np.float32
    assert game.fixed.shape == (1, 0)
    assert game.fixed_from == game.layout.size  # boards go round
    assert game.new_states(3).shape == (3,)
    assert (game.new_states(3)["num_players"] == players).all()


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("boards", SETS)
def test_the_observation_has_planes_for_boards_and_colours(boards: str, players: int) -> None:
    side = SETS[boards]
    n, grid = players, (side, side)
    layout = make_game(num_players=players, boards=boards).layout
    assert {field.name: field.shape for field in layout.fields} == {
        "areas": (n, NUM_AREAS, *grid),
        "animals": (n, 3, *grid),
        "trees": (n, *grid),
        "water": (n, *grid),
        "rift": (n, n, *grid),
        "stops": (n, n, *grid),
        "connected": (n, n, *grid),
        "trails": (n, n, *grid),
        "tents": (n, n, *grid),
        "trail_from": grid,
        "tents_left": (n,),
        "boards_full": (1,),
        "triggered": (1,),
        "turns_left": (1,),
        "scores": (n,),
        "turn": (1,),
    }
    squares = side * side
    assert layout.size == (n * (NUM_AREAS + 5) + 5 * n * n + 1) * squares + 2 * n + 4
    assert make_game(num_players=players, boards=boards, actions="flat").layout == layout


@pytest.mark.parametrize("boards", SETS)
def test_action_names(boards: str) -> None:
    side = SETS[boards]
    squares = [f"r{r}c{c}" for r in range(1, side + 1) for c in range(1, side + 1)]
    two_step = make_game(boards=boards)
    ranges = ("stop", "tent", "trail-from", "row-first", "column-first")
    assert list(two_step.action_names) == [f"{kind} {s}" for kind in ranges for s in squares] + ["pass", "wait"]
    assert two_step.num_actions == 5 * side**2 + 2 == two_step.wait + 1
    flat = make_game(boards=boards, actions="flat")
    # Each pair of squares is joined by one straight path or by two with a corner.
    pairs, straight = len(squares) * (len(squares) - 1) // 2, 2 * side * side * (side - 1) // 2
    assert flat.num_actions == 2 * side**2 + straight + 2 * (pairs - straight) + 2
    assert "trail r1c1 r2c2, corner r1c2" in flat.action_names  # along the row first
    assert "trail r1c1 r2c2, corner r2c1" in flat.action_names
    assert "trail r1c3 r3c1, corner r1c1" in flat.action_names
    assert "trail r1c3 r3c1, corner r3c3" in flat.action_names
    assert "trail r1c1 r1c3" in flat.action_names
    assert flat.action_names[: 2 * side**2] == two_step.action_names[: 2 * side**2]
    assert flat.action_names[-2:] == ("pass", "wait")
    assert len(set(flat.action_names)) == flat.num_actions == flat.wait + 1


# --- Bounds ---------------------------------------------------------------------------------------------------------


def check_bounds(game: Game, seed: int, tent_share: float = 0.3) -> Any:
    """Play a random game; check on the way all that the game states, and give back its last state."""
    kernels, data = game.kernels, game.data[0]
    totals = {reward: np.zeros(game.seats) for reward in Reward}
    decisions, turn, of_turn = -1, 0, np.zeros(game.seats, int)
    state: Any = None
    for state, seat, _ in random_game(game, seed, tent_share):
        decisions += 1
        asked = [other for other in range(game.seats) if kernels.asked(state, other)]
        assert kernels.to_act(state) == (asked[0] if asked else -1)
        if state["turn"] != turn:
            turn, of_turn[:] = int(state["turn"]), 0
        if seat >= 0:
            of_turn[seat] += 1
            assert of_turn.max() <= (1 if state["one_step"] else 2)
        running = kernels.status(state) == Status.RUNNING
        assert running == bool(asked)
        for reward, bound in ((Reward.WIN, 1.0), (Reward.MARGIN, 1.0), (Reward.SHAPED, 1.5)):
            kernels.returns(state, data, int(reward), totals[reward])
            assert np.abs(totals[reward]).max() <= bound
            assert (totals[reward] == 0).all() or reward == Reward.SHAPED or not running
        assert totals[Reward.WIN].sum() == pytest.approx(0)
        assert totals[game.reward].min() >= game.least_reward
        assert totals[game.reward].max() <= game.greatest_reward
        if game.seats == 2:
            assert totals[Reward.MARGIN].sum() == totals[Reward.SHAPED].sum() == 0
    assert decisions <= game.max_decisions
    assert state["turn"] <= game.max_turns
    truncated = kernels.status(state) == Status.TRUNCATED
    assert truncated == (game.summary(state, data)["ending"] == "truncated")
    assert truncated == (state["turn"] == game.max_turns and not 0 <= state["last_turn"] < state["turn"])
    return state


@pytest.mark.parametrize("reward", ["win", "margin", "shaped"])
@pytest.mark.parametrize("table", TABLES)
def test_bounds_hold_in_random_games(table: str, reward: str) -> None:
    game = make_game(reward=reward, **TABLES[table])
    for seed in range(4):
        state = check_bounds(game, seed)
        assert game.kernels.status(state) == Status.TERMINATED  # every game ends


@pytest.mark.parametrize("players", PLAYERS)
def test_bounds_hold_on_the_smallest_boards(players: int) -> None:
    """Games without Tents last the longest; the bound is for boards on which each square takes turns of its own."""
    for actions in ("two_step", "flat"):
        game = make_game(num_players=players, boards=STUCK, actions=actions)
        room = 9 - 2  # empty squares, and those of the Rift
        assert longest_game(board_pool(STUCK, players), players) == players * (players * room + 2) == game.max_turns
        assert game.max_decisions == game.max_turns * players * (1 if actions == "flat" else 2)
        for seed in range(20):
            state = check_bounds(game, seed, 0.001)
            assert game.kernels.status(state) == Status.TERMINATED


@pytest.mark.parametrize("players", PLAYERS)
def test_bounds_hold_in_truncated_games(players: int) -> None:
    for limit in (1, 2, 7):
        game = make_game(num_players=players, max_turns=limit, reward="shaped")
        assert (game.max_turns, game.max_decisions) == (limit, limit * players * 2)
        for seed in range(5):
            assert check_bounds(game, seed)["turn"] <= limit


def course(game: Game, seed: int) -> list[bytes]:
    """The states of a random game."""
    return [state.tobytes() for state, _, _ in random_game(game, seed)]


@pytest.mark.parametrize("table", TABLES)
def test_a_seed_fixes_the_game(table: str) -> None:
    games = [make_game(**TABLES[table]) for _ in range(2)]
    assert course(games[0], 5) == course(games[1], 5)
    assert course(games[0], 5) != course(games[1], 6)


@pytest.mark.parametrize("table", TABLES)
def test_a_new_game_forgets_the_last_one(table: str) -> None:
    """`reset` writes every field that a game begins with, whatever was played in the record."""
    game = make_game(**TABLES[table])
    for seed in range(3):
        states = list(course(game, seed))
        for last in (states[-1], states[len(states) // 2]):
            used = np.frombuffer(last, game.template.dtype)[0].copy()
            fresh = game.new_states(1)[0]
            fresh["rng"] = used["rng"] = seed + 100
            for state in (used, fresh):
                game.kernels.reset(state, game.data[0])
            assert used.tobytes() == fresh.tobytes()


# --- Options --------------------------------------------------------------------------------------------------------


def test_options_are_reported() -> None:
    shipped = [load_board(name) for name in shipped_boards("asymmetrical")]
    assert dict(make_game().options) == {
        "num_players": 2,
        "boards": tuple((board.name, board.digest) for board in shipped),
        "actions": "two_step",
        "deal": "shuffled",
        "reward": "win",
        "max_turns": None,
    }
    game = make_game(
        num_players=np.int64(3), boards=STUCK, actions="flat", deal="fixed", reward="shaped", max_turns=np.int8(50)
    )
    assert dict(game.options) == {
        "num_players": 3,
        "boards": ((STUCK.name, STUCK.digest),),
        "actions": "flat",
        "deal": "same",  # of one board for all
        "reward": "shaped",
        "max_turns": 50,
    }
    assert make_game(deal="fixed").options["deal"] == "fixed"
    assert make_game(max_turns=MOST_TURNS).max_turns == MOST_TURNS


def test_provenance_is_an_ordered_list_of_names_and_digests() -> None:
    """Boards of one name do not hide each other, and where seats have boards of their own, their order counts."""
    first, second = (board(f"....... ....... ..rrr.. {row} ....... ....... .......") for row in (".......", "...k..."))
    assert first.name == second.name
    games = [make_game(boards=pool, deal="fixed") for pool in ([first, second], [second, first], [first, first])]
    found = [game.options["boards"] for game in games]
    assert found[0] == ((first.name, first.digest), (second.name, second.digest)) == found[1][::-1]
    assert len({repr(json.loads(json.dumps(dict(game.options)))) for game in games}) == 3
    state = games[0].new_states(1)[0]
    games[0].kernels.reset(state, games[0].data[0])
    called = [f"{one.name} ({one.digest})" for one in (first, second)]  # told apart wherever they are named
    assert games[0].summary(state, games[0].data[0])["boards"] == called
    assert all(f": {name}, Rift of" in games[0].describe(state, games[0].data[0]) for name in called)
    assert games[2].summary(state, games[2].data[0])["boards"] == [first.name] * 2
    sizes = {generate_board(0, side, side).name for side in range(5, 13)}
    assert len(sizes) == 8


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"num_players": 1}, r"num_players=1 must be a whole number from 2 to 5"),
        ({"num_players": 6}, r"num_players=6 must be a whole number from 2 to 5"),
        ({"num_players": 2.0}, r"num_players=2.0 must be a whole number from 2 to 5"),
        ({"num_players": True}, r"num_players=True must be a whole number from 2 to 5"),
        ({"num_players": None}, r"num_players=None must be a whole number from 2 to 5"),
        ({"num_players": "3"}, r"num_players='3' must be a whole number from 2 to 5"),
        ({"boards": None}, r"boards is 'identical' or 'asymmetrical', a board, or a list of boards, not NoneType"),
        ({"boards": 3}, r"boards is .* not int"),
        ({"boards": {"identical"}}, r"boards is .* not set"),
        ({"boards": []}, r"boards has 0 boards; give 1 for all players, or 2 to 5 to deal from"),
        ({"boards": ["identical"] * 6}, r"boards has 6 boards; give 1 for all players, or 2 to 5"),
        ({"boards": ["identical"] * 3, "num_players": 4}, r"boards has 3 boards; give 1 for all players, or 4 to 5"),
        ({"actions": "one_step"}, r"actions='one_step' .* choose one of 'two_step', 'flat'"),
        ({"actions": None}, r"actions=None .* choose one of 'two_step', 'flat'"),
        ({"actions": True}, r"actions=True .* choose one of 'two_step', 'flat'"),
        ({"deal": "same"}, r"deal='same' .* choose one of 'shuffled', 'fixed'"),
        ({"deal": 0}, r"deal=0 .* choose one of 'shuffled', 'fixed'"),
        ({"reward": "WIN"}, r"reward='WIN' .* choose one of 'win', 'margin', 'shaped'"),
        ({"reward": 0}, r"reward=0 .* choose one of 'win', 'margin', 'shaped'"),
        ({"max_turns": 0}, r"max_turns=0 must be a whole number from 1 to 1,000,000"),
        ({"max_turns": 1_000_001}, r"max_turns=1000001 must be a whole number from 1 to 1,000,000"),
        ({"max_turns": 10.0}, r"max_turns=10.0 must be a whole number"),
        ({"max_turns": True}, r"max_turns=True must be a whole number"),
        ({"max_turns": "10"}, r"max_turns='10' must be a whole number"),
        ({"max_turns": float("nan")}, r"max_turns=nan must be a whole number"),
    ],
    ids=str,
)
def test_wrong_options(options: dict[str, Any], match: str) -> None:
    with pytest.raises(OptionError, match=match):
        make_game(**options)


def test_wrong_boards() -> None:
    for wrong in ("no_such_board", "no_such_file.txt", "", str(Path(__file__).parent)):
        for boards in (wrong, [wrong], ["identical", wrong]):
            with pytest.raises(BoardError):
                make_game(boards=boards)
    with pytest.raises(BoardError, match="lion_rocks"):
        make_game(boards="lion_rock")
    for thing in (7, None, ["identical"]):
        with pytest.raises(TypeError, match="a board is a shipped name, a path or a Board"):
            make_game(boards=["identical", thing])  # type: ignore[list-item]
