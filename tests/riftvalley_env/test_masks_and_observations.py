"""Masks are exact, every action tried; observations lie in their space, and tell the whole table."""

from typing import Any

import numpy as np
import pytest

from riftvalley_env import riftvalley_v0
from riftvalley_env.board import Board
from riftvalley_env.game import board_pool
from riftvalley_env.trails import mark_at
from riftvalley_env.vocabulary import AREA_LETTERS, MAX_PLAYERS, MIN_PLAYERS, SQUARE_LETTERS, Mark, Square
from tests.riftvalley_env.games import CONFIGURATIONS, game_of, legal, observe, random_game
from tests.valley_core.masks import check_actions
from valley_core.adapter import observation_space
from valley_core.errors import IllegalActionError
from valley_core.game import Game

MOST_TRIED = 60
"""Actions tried in a position, of those that are forbidden: all, but in the flat encoding with its thousands."""
MOST_WAITING = 6
"""Seats that have to wait whose actions are tried in positions that are chosen for them."""


@pytest.fixture(params=CONFIGURATIONS)
def game(request: pytest.FixtureRequest) -> Game:
    return game_of(request.param)


# --- Masks ----------------------------------------------------------------------------------------------------------


TABLES: dict[str, dict[str, Any]] = {
    f"{players} {actions}": {"num_players": players, "boards": "identical", "actions": actions}
    for players in range(MIN_PLAYERS, MAX_PLAYERS + 1)
    for actions in ("two_step", "flat")
}


def pick(game: Game, mask: np.ndarray, rng: np.random.Generator) -> int:
    """A legal action; Trails are rather often begun, which are rare otherwise."""
    actions = np.flatnonzero(mask)
    beyond_tents = actions[(actions >= 2 * int(game.data[0]["squares"])) & (actions < game.wait - 1)]
    return int(rng.choice(beyond_tents if len(beyond_tents) and rng.random() < 0.5 else actions))


def to_try(mask: np.ndarray, rng: np.random.Generator) -> list[int]:
    """All legal actions and those that are not, or many of them; and, last, a number beyond all."""
    forbidden = np.flatnonzero(~mask)
    if len(forbidden) > 3 * MOST_TRIED:
        always = forbidden[forbidden >= len(mask) - 2]  # pass and wait
        forbidden = np.union1d(rng.choice(forbidden, MOST_TRIED, replace=False), always)
    return [*np.flatnonzero(mask).tolist(), *forbidden.tolist(), len(mask)]


@pytest.mark.parametrize("options", TABLES.values(), ids=TABLES)
def test_the_mask_is_exact(options: dict[str, Any]) -> None:
    """Each action that the mask admits succeeds, each other one raises and leaves the state byte for byte."""
    env = riftvalley_v0.raw_env(**options)
    rng = np.random.default_rng(0)
    tried = 0
    for seed in range(2):
        env.reset(seed=seed)
        while not any(env.terminations.values()):
            mask = env.action_masks()
            assert not mask[env.game.wait]  # the selected agent is asked
            if int(env.state_record()["turn"]) % 4 == seed:
                tried += check_actions(env, to_try(mask, rng))
            env.step(pick(env.game, mask, rng))
    assert tried > 500


@pytest.mark.parametrize("options", TABLES.values(), ids=TABLES)
def test_the_masks_of_all_agents_at_once_are_exact(options: dict[str, Any]) -> None:
    """Of each agent every action is tried, wait included, while the others do what they may."""
    env = riftvalley_v0.parallel_env(**options)
    rng = np.random.default_rng(1)
    waiting = tried = 0
    for seed in range(2):
        env.reset(seed=seed)
        while env.agents:
            masks = env.action_masks()
            actions = [pick(env.game, mask, rng) for mask in masks]
            has_to_wait = [bool(mask[env.game.wait]) for mask in masks]
            assert not all(has_to_wait)
            if int(env.state_record()["turn"]) % 6 == seed or (any(has_to_wait) and waiting < MOST_WAITING):
                before = env.state_record()
                for seat, mask in enumerate(masks):
                    for action in to_try(mask, rng):
                        others = dict(zip(env.possible_agents, actions, strict=True))
                        others[env.possible_agents[seat]] = action
                        if action < len(mask) and mask[action]:
                            env.step(others)
                            assert env.state_record().tobytes() != before.tobytes()
                            env.set_state_record(before)
                        else:
                            with pytest.raises(IllegalActionError, match="legal:"):
                                env.step(others)
                            assert env.state_record().tobytes() == before.tobytes()
                        tried += 1
                waiting += sum(has_to_wait)
            env.step(dict(zip(env.possible_agents, actions, strict=True)))
    assert tried > 500
    assert (waiting > 0) == (options["actions"] == "two_step")  # in the flat encoding nobody has to wait


def test_a_seat_that_is_not_asked_can_only_wait(game: Game) -> None:
    for seed in range(3):
        for state, _, _ in random_game(game, seed):
            for seat in range(game.seats):
                mask = legal(game, state, seat)
                assert mask.any()
                assert mask[game.wait] == (not game.kernels.asked(state, seat))
                assert not mask[game.wait] or mask.sum() == 1


# --- Observations ---------------------------------------------------------------------------------------------------


def test_observations_lie_in_their_space(game: Game) -> None:
    """Of every seat, in more than a thousand positions of each configuration; masks too."""
    space = observation_space(game)
    positions = 0
    for seed in range(12):
        for state, _, _ in random_game(game, seed):
            for seat in range(game.seats):
                seen = {
                    "observation": observe(game, state, seat),
                    "action_mask": legal(game, state, seat).view(np.int8),
                }
                assert space.contains(seen)
                positions += 1
    assert positions > 1_000


PRINTED = {square: letter for letter, square in SQUARE_LETTERS.items()}
PLANES = {"trees": Square.TREE, "water": Square.WATER}


def decoded(game: Game, seen: np.ndarray) -> list[dict[str, Any]]:
    """The boards as the observer's numbers tell them, in passing order, from the documentation of the layout."""
    views = game.layout.views(seen)
    n, (height, width) = game.seats, views["trail_from"].shape
    boards = []
    for i in range(n):
        areas, squares = np.full((height, width), " "), np.full((height, width), " ")
        for letter, plane in zip(AREA_LETTERS, views["areas"][i], strict=True):
            areas[plane > 0] = letter
            squares[plane > 0] = PRINTED[Square.EMPTY]
        for animal, plane in zip((Square.KOB, Square.ELEPHANT, Square.LION), views["animals"][i], strict=True):
            squares[plane > 0] = PRINTED[animal]
        for name, square in PLANES.items():
            squares[views[name][i] > 0] = PRINTED[square]
        squares[views["rift"][i].any(0)] = PRINTED[Square.RIFT]
        owner = np.flatnonzero(views["rift"][i].any((1, 2)))
        drawn = {}
        for colour in range(n):
            for name in ("stops", "connected", "trails", "tents"):
                for row, column in np.argwhere(views[name][i, colour]):
                    drawn[int(row), int(column)] = (colour, name)  # `connected` comes after `stops`
        boards.append(
            {
                "areas": tuple("".join(row).rstrip() for row in areas if "".join(row).strip()),
                "squares": tuple("".join(row).rstrip() for row in squares if "".join(row).strip()),
                "owner": owner.tolist(),
                "drawn": drawn,
                "tents": 5 - round(5 * float(views["tents_left"][i])),
            }
        )
    return boards


def test_decoding_an_observation_gives_the_table(game: Game) -> None:
    n, width = game.seats, int(game.data[0]["width"])
    pool: list[Board] = board_pool(CONFIGURATIONS[name_of(game)].get("boards", "asymmetrical"), n)
    kinds = {Mark.STOP: "stops", Mark.CONNECTED: "connected", Mark.TENT: "tents"}
    for seed in range(2):
        for state, seat, _ in random_game(game, seed):
            if seat >= 0:
                boards = decoded(game, observe(game, state, seat))
                for i, found in enumerate(boards):
                    board = (seat - i - int(state["turn"])) % n
                    printed = pool[int(state["start"][board])]
                    assert (found["areas"], found["squares"]) == (printed.areas, printed.squares)
                    assert found["owner"] == [(board - seat) % n]
                    marks = {divmod(s, width): mark_at(state, board, s) for s in range(int(game.data[0]["squares"]))}
                    assert found["drawn"] == {
                        place: ((drawn[0] - seat) % n, kinds.get(drawn[1], "trails"))
                        for place, drawn in marks.items()
                        if drawn is not None
                    }
                    assert found["tents"] == state["tents"][board]


def name_of(game: Game) -> str:
    """The name of a configuration."""
    return next(name for name in CONFIGURATIONS if game_of(name) is game)


def test_positions_that_differ_look_different(game: Game) -> None:
    """No two turns of a game look the same to a seat: every element that is drawn shows."""
    for seed in range(3):
        looks: dict[int, bytes] = {}
        boards: dict[int, bytes] = {}
        for state, _, _ in random_game(game, seed):
            turn = int(state["turn"])
            if turn not in looks:
                views = game.layout.views(observe(game, state, 0))
                looks[turn] = b"".join(values.tobytes() for name, values in views.items() if name != "turn")
                held = [(0 - i - turn) % game.seats for i in range(game.seats)]
                last = int(state["last_turn"])
                until = last - turn if last >= 0 else -1
                boards[turn] = state["drawn"][held].tobytes() + state["start"][held].tobytes() + bytes([until + 1])
        assert len(set(looks.values())) == len(set(boards.values()))
