"""The game with its options chosen: a `valley_core.game.Game`."""

import os
import warnings
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from riftvalley_env import encoding, hidden, rules
from riftvalley_env.board import Board, BoardWarning, load_board, shipped_boards
from riftvalley_env.board_data import boards_record
from riftvalley_env.render import describe
from riftvalley_env.scoring import board_score, compare, ending, score_of, wins
from riftvalley_env.state import new_states
from riftvalley_env.state_check import check_state
from riftvalley_env.vocabulary import MAX_BOARDS, MAX_PLAYERS, MIN_PLAYERS, Deal, Ending, Points
from valley_core.errors import OptionError
from valley_core.game import Game, Kernels, Reward
from valley_core.options import one_of, whole_number

BoardLike = str | os.PathLike[str] | Board

SETS = ("identical", "asymmetrical")
ACTIONS = ("two_step", "flat")
DEALS = ("shuffled", "fixed")
MOST_TURNS = 1_000_000

KERNELS = Kernels(
    reset=rules.reset,
    step=encoding.step,
    legal=encoding.legal_mask,
    observe=encoding.observe,
    to_act=rules.to_act,
    asked=rules.asked,
    status=encoding.status,
    returns=encoding.returns,
    conceal=hidden.conceal,
    reveal=hidden.reveal,
)


def make_game(
    *,
    num_players: int = 2,
    boards: BoardLike | Sequence[BoardLike] = "asymmetrical",
    actions: str = "two_step",
    deal: str = "shuffled",
    reward: str = "win",
    max_turns: int | None = None,
) -> Game:
    """Rift Valley Reserve with these options.

    Args:
        num_players: 2 to 5.
        boards: ``"asymmetrical"`` (the five shipped ones; each player is dealt another), ``"identical"`` (all players
            have the shipped smaller one); or one board for all players; or a list of boards to deal from, one for each
            player and at most 5. A board is a shipped name, a path to a board file, or a `Board`. All lie on one grid,
            as high and as wide as the greatest of them.
        actions: ``"two_step"`` (a Trail is two decisions: where it begins, where it ends) or ``"flat"`` (one).
        deal: ``"shuffled"``: boards are drawn from the seed, without repetition; ``"fixed"``: seat p starts with the
            p-th of the list.
        reward: ``"win"``, ``"margin"`` or ``"shaped"`` (`riftvalley_env.encoding.returns`).
        max_turns: Turns after which a game is truncated, 1 to 1,000,000; None: never (every game ends).

    Raises:
        OptionError: An option is out of range, or there are too few boards, or too many.
        BoardError: A board has defects.

    Warns:
        BoardWarning: A board is hardly meant so: its Rift can nowhere be bridged, an area is one square, or a
            transcribed board lacks what the published ones hold.
    """
    players = whole_number("num_players", num_players, MIN_PLAYERS, MAX_PLAYERS)
    pool = board_pool(boards, players)
    flat = one_of("actions", actions, ACTIONS) == "flat"
    kind = Reward[one_of("reward", reward, tuple(r.name.lower() for r in Reward)).upper()]
    fixed = one_of("deal", deal, DEALS) == "fixed"
    dealt = Deal.SAME if len(pool) == 1 else Deal.FIXED if fixed else Deal.SHUFFLED
    data = boards_record(pool)
    longest = longest_game(pool, players)
    turns = longest if max_turns is None else whole_number("max_turns", max_turns, 1, MOST_TURNS)
    template = new_states(1, num_players=players, max_turns=turns, deal=dealt, flat=flat)
    height, width = int(data[0]["height"]), int(data[0]["width"])
    layout = encoding.layout_of(players, height, width)
    provenance = tuple((board.name, board.digest) for board in pool)
    names = board_names(provenance)
    for board in dict.fromkeys(pool):
        for found in board.warnings:
            warnings.warn(BoardWarning(f'board "{board.name}": {found.problem}; {found.remedy}'), stacklevel=2)
    greatest = 1.5 if kind == Reward.SHAPED else 1.0
    return Game(
        name="riftvalley",
        package="riftvalley_env",
        seats=players,
        simultaneous=True,
        hidden="what others have decided in the turn that is not over",
        action_names=encoding.action_names(height, width, flat),
        layout=layout,
        fixed_from=layout.size,  # boards go round, so that nothing stays in its place
        data=data,
        fixed=np.zeros((1, 0), np.float32),
        template=template,
        reward=kind,
        max_turns=turns,
        max_decisions=min(turns, longest) * players * (1 if flat else 2),
        least_reward=-greatest,
        greatest_reward=greatest,
        kernels=KERNELS,
        describe=lambda state, datum: describe(state, datum, names),
        summary=lambda state, datum: summary(state, names),
        check_state=lambda state: check_state(state, data, template[0]),
        options={
            "num_players": players,
            "boards": provenance,
            "actions": actions,
            "deal": dealt.name.lower(),
            "reward": reward,
            "max_turns": None if max_turns is None else turns,
        },
    )


def board_pool(boards: BoardLike | Sequence[BoardLike], players: int) -> list[Board]:
    """The boards that a game is dealt from: one for all players, or one for each and at most 5."""
    if isinstance(boards, str) and boards in SETS:
        return [load_board(name) for name in shipped_boards(boards)]
    if isinstance(boards, str | os.PathLike | Board):
        return [load_board(boards)]
    if not isinstance(boards, Sequence):
        kind = type(boards).__name__
        raise OptionError(f"boards is {' or '.join(map(repr, SETS))}, a board, or a list of boards, not {kind}")
    if len(boards) != 1 and not players <= len(boards) <= MAX_BOARDS:
        raise OptionError(
            f"boards has {len(boards)} boards; give 1 for all players, or {players} to {MAX_BOARDS} to deal from"
        )
    return [load_board(board) for board in boards]


def board_names(provenance: Sequence[tuple[str, str]]) -> list[str]:
    """What to call boards of these names and digests: by name; where several boards have one name, with the digest."""
    boards_of = Counter(name for name, _ in set(provenance))
    return [name if boards_of[name] == 1 else f"{name} ({digest})" for name, digest in provenance]


def longest_game(pool: Sequence[Board], players: int) -> int:
    """A number of turns that no game exceeds.

    In any N turns in a row somebody draws, or the end is triggered (R9). Each element takes an empty square or bridges
    a Rift square, and at most N turns follow the trigger.
    """
    room = max(sum(row.count(".") + row.count("r") for row in board.squares) for board in pool)
    return players * (players * room + 2)


def summary(state: Any, names: Sequence[str]) -> dict[str, Any]:
    """How a game stands or ended.

    Returns:
        ``scores`` [N]; ``by_kind`` [N] of areas, animals, stops and tents; ``by_board`` [N][N]: of each seat on the
        board that each seat started with; ``boards`` [N]: their names; ``turns``; ``ranks`` [N], 1 is best, equal if
        even by every tie-break (R12); ``winners``: the seats of rank 1 if the game is over and not truncated;
        ``winner``: the seat that won alone, or None; ``ending``: score, best_boards, shared, truncated or none.
    """
    seats = range(int(state["num_players"]))
    points = state["points"][: len(seats), : len(seats)].astype(int)
    rule = Ending(int(ending(state)))
    decided = rule not in (Ending.NONE, Ending.TRUNCATED)
    winners = [seat for seat in seats if wins(state, seat)] if decided else []
    kinds = [kind.name.lower() for kind in Points]
    return {
        "scores": [int(score_of(state, seat)) for seat in seats],
        "by_kind": [dict(zip(kinds, points[:, seat].sum(0).tolist(), strict=True)) for seat in seats],
        "by_board": [[int(board_score(state, board, seat)) for board in seats] for seat in seats],
        "boards": [names[state["start"][seat]] for seat in seats],
        "turns": int(state["turn"]),
        "ranks": [1 + sum(int(compare(state, other, seat)) > 0 for other in seats) for seat in seats],
        "winners": winners,
        "winner": winners[0] if len(winners) == 1 else None,
        "ending": rule.name.lower(),
    }
