"""What all adapters share: spaces, and checks of everything that a caller passes."""

import math
import operator
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding

from valley_core.errors import IllegalActionError, OptionError
from valley_core.game import Game

ILLEGAL_ACTION = ("raise", "lose", "ignore")
"""What happens on an action that is in the action space and not legal now."""

LOSS = -1.0
"""Reward of a player who loses by an illegal action; the others share what that player loses."""

SEED_BITS = 64


def action_space(game: Game) -> spaces.Discrete:
    """``Discrete(num_actions)``: sample with the mask."""
    return spaces.Discrete(game.num_actions)


def flat_space(game: Game) -> spaces.Box:
    """Float32 of shape (layout.size,), with the bounds of the layout."""
    low, high = game.layout.bounds()
    return spaces.Box(low, high, dtype=np.float32)


def observation_space(game: Game) -> spaces.Dict:
    """``{"observation": float32 (layout.size,), "action_mask": int8 (num_actions,)}``, as in PettingZoo."""
    mask = spaces.Box(0, 1, (game.num_actions,), np.int8)
    return spaces.Dict({"observation": flat_space(game), "action_mask": mask})


def legal_names(game: Game, mask: np.ndarray) -> dict[int, str]:
    """Number and name of each legal action."""
    return {action: game.action_names[action] for action in np.flatnonzero(mask).tolist()}


def as_number(action: object) -> int | None:
    """An integer of Python or NumPy, also as the only one of an array or tensor, as ``int``; None for all else.

    Booleans and floats are no integers here, whatever their value.
    """
    if type(action) is int:
        return action
    if type(action) is np.int64:
        return int(action)
    if hasattr(action, "shape") and hasattr(action, "item"):
        if math.prod(action.shape) != 1:
            return None
        action = action.item()
    if isinstance(action, int | np.integer) and not isinstance(action, bool):
        return int(action)
    return None


def as_array(actions: Any) -> np.ndarray:
    """Anything as an array; a tensor of another device is copied from there. No library of tensors is imported."""
    if not isinstance(actions, np.ndarray) and hasattr(actions, "cpu"):
        actions = actions.cpu()
    return np.asarray(actions)


def out_of_space(game: Game, agent: str, action: object, mask: np.ndarray) -> IllegalActionError:
    """The error for something that is no action at all; it is raised whatever `illegal_action` says."""
    number = as_number(action)
    if number is None:
        why = f"is no integer, but {type(action).__name__}"
        if hasattr(action, "shape") and hasattr(action, "dtype"):
            why += f" of shape {action.shape} and dtype {action.dtype}"
    else:
        why = f"is not within 0 … {game.num_actions - 1}"
    return IllegalActionError(action, agent, legal_names(game, mask), why)


def as_seed(seed: object) -> int:
    """A seed as a whole number of at least 0, else `OptionError`."""
    try:
        number = operator.index(seed)  # type: ignore[arg-type]
    except TypeError:
        raise OptionError(f"seed={seed!r} must be a whole number, not {type(seed).__name__}") from None
    if number < 0:
        raise OptionError(f"seed={seed!r} must be 0 or more")
    return number


def as_rng(seed: int) -> np.uint64:
    """The random-number state of a game that starts from this seed: its last 64 bits."""
    return np.uint64(seed % (1 << SEED_BITS))


def entropy() -> int:
    """A seed that nobody chose."""
    return int(seeding.np_random(None)[1])


def state_option(options: Mapping[str, Any] | None, stacklevel: int = 3) -> Any:
    """``options["state"]``, or None; warns of options that `reset` does not know."""
    if options is None:
        return None
    if not isinstance(options, Mapping):
        raise OptionError(f"options={options!r} of reset() must be a dict or None")
    for name in options:
        if name != "state":
            warnings.warn(
                f"reset() knows no option {name!r} and ignores it; it knows 'state', a record to start from",
                UserWarning,
                stacklevel=stacklevel,
            )
    return options.get("state")
