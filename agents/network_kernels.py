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
from valley_core.jit import bind, kernel

ROWS = 4

# The kernel of a game, bound by `agents.search.Search`, and what `judge_by_both` asks.
observe: Any = None
ask_network: Any = None
ask_rules: Any = None


@kernel
def dense(x: Any, numbers: Any, at: int, out: Any) -> int:
    """Write ``x · weights + bias`` of the layer that begins at `at`; where the next one begins.

    Four rows of weights at a time: one by one takes twice as long, for `out` is read and written each time.
    """
    width = len(out)
    end = at + len(x) * width
    out[:] = numbers[end : end + width]
    rows, factors = np.empty(len(x) + ROWS, np.int64), np.empty(len(x) + ROWS, np.float32)
    count = 0
    for i in range(len(x)):  # no branch: a processor would guess it wrongly
        rows[count] = at + i * width
        factors[count] = x[i]
        count += x[i] != 0
    rows[count : count + ROWS] = at
    factors[count : count + ROWS] = 0
    for k in range(0, count, ROWS):
        a, b, c, d = factors[k], factors[k + 1], factors[k + 2], factors[k + 3]
        # Slices, so that the compiler knows that no index is negative: only then does it add many numbers at once.
        row_a = numbers[rows[k] : rows[k] + width]
        row_b = numbers[rows[k + 1] : rows[k + 1] + width]
        row_c = numbers[rows[k + 2] : rows[k + 2] + width]
        row_d = numbers[rows[k + 3] : rows[k + 3] + width]
        for j in range(width):
            out[j] += (a * row_a[j] + b * row_b[j]) + (c * row_c[j] + d * row_d[j])
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
def think(observation: Any, shape: Any, numbers: Any, heads: Any) -> None:
    """Write the logits of all actions, and behind them the value; `shape` and `numbers` are `Network.flat`."""
    at = 0
    x = observation[: shape[1]]
    for k in range(2, len(shape) - 1):
        out = np.empty(shape[k], np.float32)
        at = dense(x, numbers, at, out)
        activate(out, shape[0] != 0)
        x = out
    dense(x, numbers, at, heads)
    heads[-1] = np.tanh(heads[-1])


@kernel
def think_all(observations: Any, shape: Any, numbers: Any, heads: Any) -> None:
    """Logits and value for each observation, float32 of shape (n, actions + 1)."""
    for i in range(len(observations)):
        think(observations[i], shape, numbers, heads[i])


# --- For search -------------------------------------------------------------------------------------------------------


def judge_by_network(
    state: Any, data: Any, seat: int, mask: Any, chance: Any, params: Any, priors: Any, values: Any
) -> None:
    """Leaf of a network: the softmax of the logits of legal actions, and the value for `seat`.

    What one seat gains the others lose, in equal parts: for two seats v and -v, for n seats v and -v / (n - 1) each.
    """
    shape, numbers, fixed = params
    observation, heads = np.empty(shape[1], np.float32), np.empty(len(mask) + 1, np.float32)
    observe(state, data, seat, observation)
    constant = fixed.shape[1]
    if constant:
        observation[len(observation) - constant :] = fixed[state["data"]]
    think(observation, shape, numbers, heads)
    greatest = -np.inf
    for action in range(len(mask)):
        if mask[action]:
            greatest = max(greatest, heads[action])
    for action in range(len(mask)):
        priors[action] = np.exp(heads[action] - greatest) if mask[action] else 0.0
    values[:] = -heads[-1] / (len(values) - 1)
    values[seat] = heads[-1]


def judge_by_both(
    state: Any, data: Any, seat: int, mask: Any, chance: Any, params: Any, priors: Any, values: Any
) -> None:
    """Leaf of a network and of rules of thumb: the mean of what both say, the rules with a weight of `share`.

    Where search leads to positions that no training has seen, the network may be wrong by any amount, unlike the rules.
    """
    share, network_params, rules_params = params
    ask_network(state, data, seat, mask, chance, network_params, priors, values)
    network_priors, network_values = priors / priors.sum(), values.copy()
    allowed = mask.copy()
    ask_rules(state, data, seat, mask, chance, rules_params, priors, values)
    total = 0.0
    for action in range(len(allowed)):
        priors[action] = priors[action] if allowed[action] else 0.0
        total += priors[action]
    for action in range(len(allowed)):
        own = priors[action] / total if total > 0 else network_priors[action]
        priors[action] = share * own + (1 - share) * network_priors[action]
    for other in range(len(values)):
        values[other] = share * values[other] + (1 - share) * network_values[other]


def network_leaf(game: Game, network: Network, rules: Leaf | None = None, share: float = 0.0) -> Leaf:
    """The leaf that asks a network which fits this game (`agents.network.check_fit`).

    Args:
        game: The game.
        network: The network.
        rules: A leaf that is asked, too.
        share: The weight of what `rules` say: 0 to 1.
    """
    shape, numbers = network.flat
    fixed = np.ascontiguousarray(game.fixed[:, : network.inputs - game.fixed_from])
    leaf = Leaf("network", judge_by_network, {"think": think}, (shape, numbers, fixed))
    if rules is None or not share:
        return leaf
    names = {**game.kernels.as_globals(), **leaf.names}
    template: Any = judge_by_network
    ask = bind(template, names, package="agents", name=f"{game.package}_asked")
    both = {"ask_network": ask, "ask_rules": rules.judge}
    return Leaf(f"network_and_{rules.name}", judge_by_both, both, (share, leaf.params, rules.params))


def leaf_of_file(game: Game, path: str | Path, rules: Leaf | None = None, share: float = 0.0) -> Leaf:
    """The leaf of the network in a file, and of `rules` (`network_leaf`).

    Raises:
        NetworkError: The file cannot be used.
        OptionError: The network does not fit the game.
    """
    network, metadata = load_network(path)
    check_fit(str(path), network, metadata, game)
    return network_leaf(game, network.on(game), rules, share)
