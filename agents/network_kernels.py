"""A network on one observation, compiled: for the agents, and as what judges a leaf of the search (`agents.search`).

A residual network corrects rules of thumb: its logits are added to the logarithms of their priors, and its values to
theirs, both as they are before tanh. So it begins with what they know, and has only to learn what they do not.

The same numbers in the same order for each observation, whatever else is in a batch: BLAS promises no such thing.
Inputs that are zero are skipped; most of an observation is.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from agents.network import Network
from agents.search import Leaf, bound_leaf
from valley_core.batch import CHANCE
from valley_core.game import Game
from valley_core.jit import bind, kernel

ROWS = 4

# The kernel of a game, bound by `agents.search.Search`, and what `judge_by_both` asks.
observe: Any = None
ask_network: Any = None
ask_rules: Any = None
complete: Any = None

LEAST_PRIOR = 1e-4
"""Rules of thumb call no legal action less promising, as a part of the best one: a network can bring each back."""
MOST_VALUE = 0.999
"""They are no surer of a victory."""


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
    """Write the outputs of both heads (`Network.outputs`); `shape` and `numbers` are `Network.flat`."""
    at = 0
    x = observation[: shape[1]]
    for k in range(2, len(shape) - 1):
        out = np.empty(shape[k], np.float32)
        at = dense(x, numbers, at, out)
        activate(out, shape[0] != 0)
        x = out
    dense(x, numbers, at, heads)


@kernel
def think_all(observations: Any, shape: Any, numbers: Any, heads: Any) -> None:
    """The outputs for each observation, float32 of shape (n, actions + values)."""
    for i in range(len(observations)):
        think(observations[i], shape, numbers, heads[i])


# --- Residual networks ------------------------------------------------------------------------------------------------


@kernel
def add_nothing(state: Any, data: Any, seat: int, mask: Any, chance: Any, params: Any, values: Any, heads: Any) -> None:
    """The outputs of a network that is not residual are complete."""


def add_rules(state: Any, data: Any, seat: int, mask: Any, chance: Any, params: Any, values: Any, heads: Any) -> None:
    """Add what the rules of thumb say to the outputs of a residual network; `state`, `values` may be spoilt."""
    actions, seats = len(mask), len(values)
    priors, spoilt = np.zeros(actions), mask.copy()
    ask_rules(state, data, seat, spoilt, chance, params, priors, values)
    greatest = 0.0
    for action in range(actions):
        if mask[action]:
            greatest = max(greatest, priors[action])
    for action in range(actions):
        if mask[action] and greatest > 0:
            heads[action] += np.log(max(priors[action] / greatest, LEAST_PRIOR))
    for k in range(len(heads) - actions):
        value = values[(seat + k) % seats]
        heads[actions + k] += np.arctanh(min(max(value, -MOST_VALUE), MOST_VALUE))


def add_rules_all(
    states: Any, data: Any, seats: Any, masks: Any, chance: Any, params: Any, values: Any, heads: Any
) -> None:
    """`add_rules` for each decision; `states` are left as they are."""
    one = states[:1].copy()
    for i in range(len(states)):
        one[0] = states[i]
        complete(one[0], data[states[i]["data"]], seats[i], masks[i], chance, params, values, heads[i])


# --- For search -------------------------------------------------------------------------------------------------------


def judge_by_network(
    state: Any, data: Any, seat: int, mask: Any, chance: Any, params: Any, priors: Any, values: Any
) -> None:
    """Leaf of a network: the softmax of the logits of legal actions, and the values.

    If it has but one value, v, of the seat that is asked, the others lose what that one gains, in equal parts: of two
    seats the other one has -v, of n seats each other one -v / (n - 1).
    """
    (shape, numbers, fixed), rules_params = params
    observation, heads = np.empty(shape[1], np.float32), np.empty(shape[len(shape) - 1], np.float32)
    observe(state, data, seat, observation)
    constant = fixed.shape[1]
    if constant:
        observation[len(observation) - constant :] = fixed[state["data"]]
    think(observation, shape, numbers, heads)
    complete(state, data, seat, mask, chance, rules_params, values, heads)
    actions, seats = len(mask), len(values)
    greatest = -np.inf
    for action in range(actions):
        if mask[action]:
            greatest = max(greatest, heads[action])
    for action in range(actions):
        priors[action] = np.exp(heads[action] - greatest) if mask[action] else 0.0
    values[seat] = np.tanh(heads[actions])
    for k in range(1, seats):
        one = len(heads) == actions + 1
        values[(seat + k) % seats] = -values[seat] / (seats - 1) if one else np.tanh(heads[actions + k])


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


def _bound_rules(game: Game, rules: Leaf) -> Any:
    template: Any = add_rules
    return bind(template, {"ask_rules": rules.judge}, package="agents", name=game.package)


RulesAdder = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], None]
"""What `rules_adder` returns."""


def rules_adder(game: Game, rules: Leaf) -> RulesAdder:
    """What adds the rules of thumb of a game to outputs of residual networks.

    Args:
        game: The game.
        rules: The leaf that knows them.

    Returns:
        ``add(states, seats, masks, heads)``: decisions, records of shape (n,); who is asked, int64 (n,); legal actions,
        uint8 (n, num_actions); the outputs, float32 (n, num_actions + 1 or seats), changed in place.
    """
    template: Any = add_rules_all
    add_all = bind(template, {"complete": _bound_rules(game, rules)}, package="agents", name=game.package)

    def add(states: np.ndarray, seats: np.ndarray, masks: np.ndarray, heads: np.ndarray) -> None:
        add_all(states, game.data, seats, masks, np.zeros(1, CHANCE)[0], rules.params, np.empty(game.seats), heads)

    return add


def network_leaf(game: Game, network: Network, rules: Leaf | None = None, share: float = 0.0) -> Leaf:
    """The leaf that asks a network which fits this game (`agents.network.check_fit`).

    Args:
        game: The game.
        network: The network.
        rules: The leaf of the game's rules of thumb; needed if the network is residual, or with `share`.
        share: The weight of what `rules` say by themselves: 0 to 1.
    """
    shape, numbers = network.flat
    fixed = np.ascontiguousarray(game.fixed[:, : network.inputs - game.fixed_from])
    name, complete, rules_params = "network", add_nothing, np.zeros(0)
    if network.residual:
        assert rules is not None
        name, complete, rules_params = "residual", _bound_rules(game, rules), rules.params
    kernels = {"think": think, "complete": complete}
    leaf = Leaf(name, judge_by_network, kernels, ((shape, numbers, fixed), rules_params))
    if not share:
        return leaf
    assert rules is not None
    both = {"ask_network": bound_leaf(game, leaf), "ask_rules": rules.judge}
    return Leaf(f"{name}_and_{rules.name}", judge_by_both, both, (share, leaf.params, rules.params))
