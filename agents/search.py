"""Monte Carlo tree search on the kernels of any game, compiled: one search for each of many decisions.

A node is a decision as its player knows it: its key is a hash of the state from which `Kernels.conceal` has taken what
is hidden from the player who is asked. So one tree serves both games:

* Chance (Death Valley): each simulation starts with another order of the unseen cards, and every outcome of a draw
  leads to a node of its own, since the outcome is seen. Outcomes are sampled; none are averaged before a decision that
  may depend on them.
* Moves at once (Rift Valley): who decides later in a turn does not see what others have decided, so that the node is
  the same whatever that was: each player's choices are counted for themselves (decoupled PUCT).

Sources: Kocsis, Szepesvári: Bandit based Monte-Carlo Planning, ECML 2006. Cowling, Powley, Whitehouse: Information Set
Monte Carlo Tree Search, IEEE TCIAIG 4, 2012. Silver et al.: Mastering the game of Go without human knowledge, Nature
550, 2017 (PUCT). Lanctot, Lisý, Winands: Monte Carlo Tree Search in Simultaneous Move Games with Applications to
Goofspiel, 2014 (decoupled).

The plain functions below are templates, as in `valley_core.batch`; `Search` binds them to a game and to a leaf: what
judges a position that is new to the tree.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from valley_core.batch import pick
from valley_core.game import Game, Reward
from valley_core.jit import bind
from valley_core.rng import draw

WIN = Reward.WIN.value
"""What is searched for, in the place of the game's own reward."""

NODE = np.dtype(
    (
        np.record,
        [
            ("key", "u8"),
            ("seat", "i4"),  # who is asked
            ("first", "i4"),  # its edges are edges[first : first + size]
            ("size", "i4"),
            ("visits", "i4"),  # simulations that came here, the one that made it included
            ("total", "f8"),  # sum of their returns, for `seat`
        ],
    )
)
EDGE = np.dtype((np.record, [("action", "i4"), ("visits", "i4"), ("prior", "f8"), ("total", "f8")]))
COUNTS = np.dtype((np.record, [("nodes", "i8"), ("edges", "i8")]))

LONGEST_PATH = 512
"""Decisions that a simulation follows in the tree; deeper positions are judged as they are."""
MOST_EDGES = 1 << 22
"""Edges of a tree; when they are used up, it grows no more, and leaves are judged without being kept."""
EDGES_OF_NODE = 64
"""Edges for which there is room at each node, in the mean over the tree."""

FREE = -1
MULTIPLIER = 0x9E3779B97F4A7C15

# The kernels of a game, and what judges a leaf; bound by `Search`.
step: Any = None
legal: Any = None
to_act: Any = None
returns: Any = None
conceal: Any = None
reveal: Any = None
choose: Any = None
follow: Any = None
judge_leaf: Any = None
hashed: Any = None
find: Any = None
grow: Any = None
add_node: Any = None
best_edge: Any = None
simulate: Any = None


# --- Leaves: how a position that is new to the tree is judged --------------------------------------------------------
# ``(state, data, seat, mask, chance, params, priors, values)``: write how promising each legal action of `seat` is (not
# negative, any scale), and the return expected for each seat. `state`, `mask` may be spoilt.


def roll_out(state: Any, data: Any, seat: int, mask: Any, chance: Any, params: Any, priors: Any, values: Any) -> None:
    """Leaf ``random``: play at random to the end; all actions are equally promising."""
    priors[:] = mask
    mover = to_act(state)
    while mover >= 0:
        legal(state, data, mover, mask)
        step(state, data, mover, choose(mask, chance))
        mover = to_act(state)
    returns(state, data, WIN, values)


def follow_out(state: Any, data: Any, seat: int, mask: Any, chance: Any, params: Any, priors: Any, values: Any) -> None:
    """Leaf ``greedy``: play greedily to the end; all actions are equally promising."""
    priors[:] = mask
    mover = to_act(state)
    while mover >= 0:
        step(state, data, mover, follow(state, data, mover))
        mover = to_act(state)
    returns(state, data, WIN, values)


# --- The tree --------------------------------------------------------------------------------------------------------


def hash_words(state: Any, seat: int, open_cards: bool, known: Any, words: Any) -> Any:
    """The key of a decision: a hash of the state as `seat` knows it, or of all but the luck to come."""
    known[0] = state
    if open_cards:
        known[0].rng = np.uint64(0)
    else:
        conceal(known[0], seat)
    key = np.uint64(seat + 1)
    for i in range(len(words)):
        key = (key ^ words[i]) * np.uint64(MULTIPLIER)
        key ^= key >> np.uint64(29)
    return key


def find_slot(nodes: Any, slots: Any, key: Any) -> int:
    """Where the node with this key is entered in the hash table, or a free place for it."""
    last = np.uint64(len(slots) - 1)
    place = key & last
    while slots[place] != FREE and nodes[slots[place]].key != key:
        place = (place + np.uint64(1)) & last
    return int(place)


def new_node(nodes: Any, edges: Any, counts: Any, key: Any, seat: int, mask: Any, priors: Any, value: float) -> int:
    """Enter a decision with an edge for each legal action; its index, or FREE if there is no room."""
    size = 0
    total = 0.0
    for action in range(len(mask)):
        if mask[action]:
            size += 1
            total += priors[action]
    if counts.nodes == len(nodes) or counts.edges + size > len(edges):
        return FREE
    k = int(counts.nodes)
    node = nodes[k]
    node.key = key
    node.seat = seat
    node.first = counts.edges
    node.size = size
    node.visits = 1
    node.total = value
    at = int(counts.edges)
    for action in range(len(mask)):
        if mask[action]:
            edge = edges[at]
            edge.action = action
            edge.visits = 0
            edge.prior = priors[action] / total if total > 0 else 1.0 / size
            edge.total = 0.0
            at += 1
    counts.nodes += 1
    counts.edges += size
    return k


def select(node: Any, edges: Any, exploration: float) -> int:
    """The edge with the greatest upper bound (PUCT); one that was never tried counts as the node in the mean."""
    mean = node.total / node.visits
    width = exploration * np.sqrt(float(node.visits))
    best, best_bound = -1, -np.inf
    for e in range(node.first, node.first + node.size):
        edge = edges[e]
        value = edge.total / edge.visits if edge.visits else mean
        bound = value + width * edge.prior / (1 + edge.visits)
        if bound > best_bound:
            best, best_bound = e, bound
    return best


def simulate_once(
    state: Any,
    data: Any,
    open_cards: bool,
    exploration: float,
    known: Any,
    words: Any,
    nodes: Any,
    edges: Any,
    slots: Any,
    counts: Any,
    path: Any,
    mask: Any,
    chance: Any,
    params: Any,
    priors: Any,
    values: Any,
) -> None:
    """Follow the tree to a decision that is new or to the end, judge it, and enter the result along the path."""
    length = 0
    while True:
        seat = int(to_act(state))
        if seat < 0:
            returns(state, data, WIN, values)
            break
        key = hashed(state, seat, open_cards, known, words)
        place = find(nodes, slots, key)
        k = int(slots[place])
        if k == FREE or length == len(path):
            legal(state, data, seat, mask)
            only = 0
            for action in range(len(mask)):
                only += mask[action]
            if only == 1:  # nothing to decide
                action = 0
                while not mask[action]:
                    action += 1
                step(state, data, seat, action)
                continue
            known[0] = state
            allowed = mask.copy()
            judge_leaf(known[0], data, seat, mask, chance, params, priors, values)
            if k == FREE:
                slots[place] = add_node(nodes, edges, counts, key, seat, allowed, priors, values[seat])
            break
        e = best_edge(nodes[k], edges, exploration)
        path[length, 0] = k
        path[length, 1] = e
        length += 1
        step(state, data, seat, edges[e].action)
    for i in range(length):
        node, edge = nodes[path[i, 0]], edges[path[i, 1]]
        node.visits += 1
        node.total += values[node.seat]
        edge.visits += 1
        edge.total += values[node.seat]


def grow_tree(
    root: Any,
    data: Any,
    seat: int,
    open_cards: bool,
    simulations: int,
    exploration: float,
    walk: Any,
    known: Any,
    words: Any,
    nodes: Any,
    edges: Any,
    slots: Any,
    counts: Any,
    path: Any,
    mask: Any,
    chance: Any,
    params: Any,
    priors: Any,
    values: Any,
) -> int:
    """Add simulations from the decision of `seat` in `root`; the index of its node."""
    walk[0] = root
    state = walk[0]
    if not open_cards:
        conceal(state, seat)
    key = hashed(state, seat, open_cards, known, words)
    place = find(nodes, slots, key)
    if slots[place] == FREE:
        legal(state, data, seat, mask)
        allowed = mask.copy()
        chance.rng, state.rng = draw(chance.rng)
        if not open_cards:
            reveal(state)
        judge_leaf(state, data, seat, mask, chance, params, priors, values)
        slots[place] = add_node(nodes, edges, counts, key, seat, allowed, priors, values[seat])
    for _ in range(simulations):
        walk[0] = root
        if not open_cards:
            conceal(walk[0], seat)
        chance.rng, state.rng = draw(chance.rng)
        if not open_cards:
            reveal(state)
        simulate(
            state, data, open_cards, exploration, known, words, nodes, edges, slots, counts, path, mask, chance,
            params, priors, values,
        )  # fmt: skip
    return int(slots[place])


def search_all(
    states: Any,
    data: Any,
    seats: Any,
    open_cards: bool,
    simulations: int,
    exploration: float,
    walk: Any,
    known: Any,
    words: Any,
    nodes: Any,
    edges: Any,
    slots: Any,
    counts: Any,
    path: Any,
    mask: Any,
    chances: Any,
    params: Any,
    priors: Any,
    values: Any,
    keep: bool,
    visits: Any,
    means: Any,
) -> None:
    """Search each decision, with a new tree unless `keep`; write visits and mean returns of its actions."""
    for i in range(len(states)):
        if not keep:
            slots[:] = FREE
            counts[0].nodes = 0
            counts[0].edges = 0
        k = grow(
            states[i], data[states[i]["data"]], seats[i], open_cards, simulations, exploration, walk, known, words,
            nodes, edges, slots, counts[0], path, mask, chances[i], params, priors, values,
        )  # fmt: skip
        node = nodes[k]
        visits[i] = 0
        means[i] = node.total / node.visits
        for e in range(node.first, node.first + node.size):
            edge = edges[e]
            visits[i, edge.action] = edge.visits
            if edge.visits:
                means[i, edge.action] = edge.total / edge.visits


# --- Searches ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Leaf:
    """What judges a position that is new to the tree.

    Attributes:
        name: Tells leaves with other code apart, as ``judge``.
        judge: A kernel or a template with the signature of `roll_out`.
        names: Kernels that a template needs besides the game's.
        params: Handed to `judge`: an array, or a tuple of arrays.
    """

    name: str
    judge: Any
    names: dict[str, Any]
    params: Any


class Search:
    """The templates bound to one game's kernels and one leaf."""

    def __init__(self, game: Game, leaf: Leaf) -> None:
        self._names = {**game.kernels.as_globals(), **leaf.names}
        self._suffix = f"{game.package}_{leaf.name}"
        self._bind("choose", pick)
        self._bind("hashed", hash_words)
        self._bind("find", find_slot)
        self._bind("add_node", new_node)
        self._bind("best_edge", select)
        if hasattr(leaf.judge, "py_func"):  # a kernel already
            self._names["judge_leaf"] = leaf.judge
        else:
            self._bind("judge_leaf", leaf.judge)
        self._bind("simulate", simulate_once)
        self._bind("grow", grow_tree)
        self.search_all = self._bind("search_all", search_all)

    def _bind(self, name: str, template: Any) -> Any:
        self._names[name] = bind(template, self._names, package="agents", name=self._suffix)
        return self._names[name]


class Tree:
    """Room for one tree and the scratch of one thread.

    Args:
        game: Whose states are searched.
        simulations: As many nodes fit, and those without a choice.
    """

    def __init__(self, game: Game, simulations: int) -> None:
        size = game.template.dtype.itemsize
        self.words = np.zeros(-(-size // 8), np.uint64)
        self.known = self.words.view(np.uint8)[:size].view(game.template.dtype)
        self.walk = game.new_states(1)
        self.nodes = np.zeros(simulations + 1, NODE)
        self.edges = np.zeros(min(MOST_EDGES, (simulations + 1) * min(game.num_actions, EDGES_OF_NODE)), EDGE)
        self.slots = np.full(1 << (2 * len(self.nodes)).bit_length(), FREE, np.int32)
        self.counts = np.zeros(1, COUNTS)
        self.path = np.zeros((LONGEST_PATH, 2), np.int64)
        self.mask = np.zeros(game.num_actions, np.uint8)
        self.priors = np.zeros(game.num_actions)
        self.values = np.zeros(game.seats)
