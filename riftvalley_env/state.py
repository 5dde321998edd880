"""The state of a game: one NumPy record, with the stream of random numbers in it.

Boards are named by the seat that started with them, whose colour their Rift has: board 0 is the one that seat 0 started
with, wherever it lies now. At turn t seat p holds board (p - t) mod num_players.

    squares of a 9 x 9 grid        drawn[board, square]
     0  1  2 ...  8                 0 blank, else 1 + seat * NUM_MARKS + vocabulary.Mark
     9 10 11 ... 17                 a Trail is the line from Stop to Stop that its marks show,
    ...                             since no two Trails share a square

Everything below `drawn` that is marked "follows" can be computed from it; it is kept because it is asked so often.
"""

import numpy as np

from riftvalley_env.vocabulary import MAX_BOARDS, MAX_PLAYERS, MAX_SIDE, MAX_SQUARES, NOWHERE, NUM_KINDS, Deal

STATE = np.dtype(
    (
        np.record,
        [
            ("rng", "u8"),
            # What was chosen when the game was made; `reset` leaves these alone.
            ("data", "i4"),  # which pool of boards of the batch
            ("max_turns", "i4"),
            ("num_players", "i1"),
            ("deal", "i1"),  # vocabulary.Deal
            ("one_step", "i1"),  # 1: a turn is one decision (actions="flat")
            # The boards.
            ("start", "i1", (MAX_BOARDS,)),  # which board of the pool each seat started with
            ("drawn", "i1", (MAX_BOARDS, MAX_SQUARES)),
            ("tents", "i1", (MAX_BOARDS,)),  # follows: Tents of all colours
            ("row_walls", "i2", (MAX_BOARDS, 2, MAX_SIDE)),  # follows: as in board_data.BOARD, with all that is drawn
            ("column_walls", "i2", (MAX_BOARDS, 2, MAX_SIDE)),  # follows
            ("beside_stops", "i2", (MAX_BOARDS, MAX_SIDE)),  # follows: squares orthogonally adjacent to a Stop, by row
            ("stops", "i2", (MAX_BOARDS, MAX_PLAYERS, MAX_SIDE)),  # follows: Stops of each seat, by row
            ("points", "i2", (MAX_BOARDS, MAX_PLAYERS, NUM_KINDS)),  # follows: vocabulary.Points
            # The turn: what each seat has decided, seen by nobody before all have.
            ("turn", "i4"),  # finished turns
            ("element", "i1", (MAX_PLAYERS,)),  # vocabulary.Element
            ("square", "i2", (MAX_PLAYERS,)),  # of the Stop or Tent, or the start of the Trail; NOWHERE
            ("target", "i2", (MAX_PLAYERS,)),  # end of the Trail; NOWHERE
            ("way", "i1", (MAX_PLAYERS,)),  # vocabulary.Way
            # The end.
            ("idle", "i2"),  # turns in a row in which nobody drew (R9)
            ("last_turn", "i4"),  # the turn with which the game ends, -1 before the end is triggered
            ("over", "i1"),
            ("truncated", "i1"),
        ],
    )
)


def new_states(
    count: int,
    *,
    num_players: int,
    max_turns: int,
    deal: Deal = Deal.SHUFFLED,
    flat: bool = False,
    data: int = 0,
) -> np.ndarray:
    """`count` records with these options, not yet dealt: `reset` them next."""
    states = np.zeros(count, STATE)
    states["data"] = data
    states["max_turns"] = max_turns
    states["num_players"] = num_players
    states["deal"] = deal
    states["one_step"] = flat
    states["square"] = NOWHERE
    states["target"] = NOWHERE
    states["last_turn"] = -1
    return states
