"""What a player does not know: what the others draw in the turn that is not over."""

from typing import Any

import numpy as np

from riftvalley_env.vocabulary import NOWHERE, Element, Way
from valley_core.jit import kernel


@kernel
def conceal(state: Any, seat: int) -> None:
    """Take out of a state what `seat` does not know: the others have decided nothing; the random numbers are 0."""
    for other in range(state.num_players):
        if other != seat:
            state.element[other] = Element.UNDECIDED
            state.square[other] = NOWHERE
            state.target[other] = NOWHERE
            state.way[other] = Way.ROW_FIRST
    state.rng = np.uint64(0)


@kernel
def reveal(state: Any) -> None:
    """Nothing to put in its place: the others are asked again."""
