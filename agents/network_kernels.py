"""A network on one observation, compiled: for the agents, and as what judges a leaf of the search (`agents.search`).

The same numbers in the same order for each observation, whatever else is in a batch: BLAS promises no such thing.
Inputs that are zero are skipped; most of an observation is.
"""

from pathlib import Path
from typing import Any

import numpy as np

from agents.network import Network, check_fit, load_network
from agents.search import Leaf
from valley_core.game import Game
from valley_core.jit import kernel

# The kernel of a game, bound by `agents.search.Search`.
observe: Any = None


@kernel
def dense(x: Any, numbers: Any, at: int, out: Any) -> int:
    """Write ``x · weights + bias`` of the layer that begins at `at`; where the next one begins."""
    width = len(out)
    end = at + len(x) * width
    out[:] = numbers[end : end + width]
    for i in range(len(x)):
        factor = x[i]
        if factor != 0:
            row = numbers[at + i * width : at + (i + 1) * width]
            for j in range(width):
                out[j] += factor * row[j]
    return end + width


@kernel
def activate(x: Any, tanh: bool) -> None:
    """The activation of a hidden layer, in place."""
    if tanh:
        for i in range(len(x)):
            x[i] = np.tanh(x[i])
    else:
        for i in range(len(x)):
            x[i] = max(x[i], np.float32(0))


@kernel
def think(observation: Any, shape: Any, numbers: Any, logits: Any) -> Any:
    """Write the logits of all actions, float32; the value, in -1 … 1. `shape` and `numbers` are `Network.flat`."""
    tanh = shape[0] != 0
    at = 0
    x = observation[: shape[1]]
    for k in range(2, len(shape) - 1):
        out = np.empty(shape[k], np.float32)
        at = dense(x, numbers, at, out)
        activate(out, tanh)
        x = out
    at = dense(x, numbers, at, logits)
    value = np.empty(1, np.float32)
    dense(x, numbers, at, value)
    return np.tanh(value[0])


@kernel
def think_all(observations: Any, shape: Any, numbers: Any, logits: Any, values: Any) -> None:
    """Logits and value of each observation."""
    for i in range(len(observations)):
        values[i] = think(observations[i], shape, numbers, logits[i])


# --- For search -------------------------------------------------------------------------------------------------------


def judge_by_network(
    state: Any, data: Any, seat: int, mask: Any, chance: Any, params: Any, priors: Any, values: Any
) -> None:
    """Leaf of a network: the softmax of the logits of legal actions, and the value for `seat`.

    What one seat gains the others lose, in equal parts: for two seats v and -v, for n seats v and -v / (n - 1) each.
    """
    shape, numbers, fixed = params
    observation, logits = np.empty(shape[1], np.float32), np.empty(len(mask), np.float32)
    observe(state, data, seat, observation)
    constant = fixed.shape[1]
    if constant:
        observation[len(observation) - constant :] = fixed[state["data"]]
    value = think(observation, shape, numbers, logits)
    greatest = -np.inf
    for action in range(len(mask)):
        if mask[action]:
            greatest = max(greatest, logits[action])
    for action in range(len(mask)):
        priors[action] = np.exp(logits[action] - greatest) if mask[action] else 0.0
    values[:] = -value / (len(values) - 1)
    values[seat] = value


def network_leaf(game: Game, network: Network) -> Leaf:
    """The leaf that asks a network which fits this game (`agents.network.check_fit`)."""
    shape, numbers = network.flat
    fixed = np.ascontiguousarray(game.fixed[:, : network.inputs - game.fixed_from])
    return Leaf("network", judge_by_network, {"think": think}, (shape, numbers, fixed))


def leaf_of_file(game: Game, path: str | Path) -> Leaf:
    """The leaf of the network in a file.

    Raises:
        NetworkError: The file cannot be used.
        OptionError: The network does not fit the game.
    """
    network, metadata = load_network(path)
    check_fit(str(path), network, metadata, game)
    return network_leaf(game, network)
