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
from valley_core.jit import kernel
from valley_core.layout import Field, Layout
from valley_core.options import one_of, whole_number

BoardLike = str | os.PathLike[str] | Board

SETS = ("identical", "asymmetrical")
ACTIONS = ("two_step", "flat")
DEALS = ("shuffled", "fixed")
MOST_TURNS = 1_000_000


@kernel
def inform(state: Any, boards: Any, out: Any) -> None:
    """Write the numbers of `info_of`, int64."""
    players = int(state.num_players)
    rule = ending(state)
    decided = rule != Ending.NONE and rule != Ending.TRUNCATED
    winner, winners = -1, 0
    for seat in range(players):
        out[seat] = score_of(state, seat)
        rank = 0
        if state.over:
            rank = 1
            for other in range(players):
                rank += compare(state, other, seat) > 0
        out[players + seat] = rank
        wins_here = decided and rank == 1
        out[2 * players + seat] = wins_here
        if wins_here:
            winner, winners = seat, winners + 1
    out[3 * players] = state.turn
    out[3 * players + 1] = winner if winners == 1 else -1
    out[3 * players + 2] = rule


RULES = ", ".join(f"{rule.value} {rule.name}" for rule in Ending)


def info_of(players: int) -> Layout:
    """The numbers of a game, as adapters give them after every step."""
    points = 2**31 - 1
    return Layout(
        (
            Field("scores", (players,), -points, points, "the points of each seat so far"),
            Field("ranks", (players,), 0, players, "1 is best, equal if even by every tie-break; 0: the game goes on"),
            Field("winners", (players,), 0, 1, "1 for the seats that won, alone or together"),
            Field("turns", (), 0, points, "finished turns"),
            Field("winner", (), -1, players - 1, "the seat that won alone; -1: none, or the game goes on"),
            Field("ending", (), 0, len(Ending) - 1, "by which rule: " + RULES),
        )
    )


KERNELS = Kernels(
    reset=rules.reset,
    step=encoding.step,
    legal=encoding.legal_mask,
    observe=encoding.observe,
    to_act=rules.to_act,
    asked=rules.asked,
    status=encoding.status,
    returns=encoding.returns,
    inform=inform,
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
        info=info_of(players),
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
