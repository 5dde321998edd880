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
from typing import Any, NamedTuple

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

UNIT = 2.0**-53
"""Makes a number from 0 to 1 of 53 random bits."""

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
ask: Any = None
STATE: Any = None
hashed: Any = None
find: Any = None
grow: Any = None
add_node: Any = None
best_edge: Any = None
single: Any = None
begin: Any = None
judge: Any = None
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


def judge_and_follow(
    state: Any, data: Any, seat: int, mask: Any, chance: Any, params: Any, priors: Any, values: Any
) -> None:
    """Another leaf, and with a weight of `share` how the game ends if it is played greedily from here.

    Source: Silver et al.: Mastering the game of Go with deep neural networks and tree search, Nature 529, 2016 (the
    mixing parameter).
    """
    share, own_params = params
    played = np.empty(1, STATE)
    played[0] = state
    ask(state, data, seat, mask, chance, own_params, priors, values)
    judged = values.copy()
    mover = to_act(played[0])
    while mover >= 0:
        step(played[0], data, mover, follow(played[0], data, mover))
        mover = to_act(played[0])
    returns(played[0], data, WIN, values)
    for other in range(len(values)):
        values[other] = share * values[other] + (1 - share) * judged[other]


# --- The tree --------------------------------------------------------------------------------------------------------


class Tree(NamedTuple):
    """A tree, and the scratch of the thread that grows it; `new_tree` makes one.

    Attributes:
        nodes, edges: `NODE`, `EDGE`; ``counts[0]`` says how many are in use.
        slots: Hash table of the nodes: an index, or FREE.
        path: Node and edge of each decision of the simulation in hand.
        walk: The game of the simulation in hand, one record.
        known: What a seat knows of it, one record; `words` are the same bytes, to be hashed.
        mask, priors, values: Of the leaf in hand.
    """

    nodes: Any
    edges: Any
    counts: Any
    slots: Any
    path: Any
    walk: Any
    known: Any
    words: Any
    mask: Any
    priors: Any
    values: Any


def new_tree(game: Game, simulations: int) -> Tree:
    """Room for a tree of `simulations`: as many nodes fit, and the root."""
    size = game.template.dtype.itemsize
    words = np.zeros(-(-size // 8), np.uint64)
    return Tree(
        nodes=np.zeros(simulations + 1, NODE),
        edges=np.zeros(min(MOST_EDGES, (simulations + 1) * min(game.num_actions, EDGES_OF_NODE)), EDGE),
        counts=np.zeros(1, COUNTS),
        slots=np.full(1 << (2 * (simulations + 1)).bit_length(), FREE, np.int32),
        path=np.zeros((LONGEST_PATH, 2), np.int64),
        walk=game.new_states(1),
        known=words.view(np.uint8)[:size].view(game.template.dtype),
        words=words,
        mask=np.zeros(game.num_actions, np.uint8),
        priors=np.zeros(game.num_actions),
        values=np.zeros(game.seats),
    )


def hash_words(tree: Any, state: Any, seat: int, open_cards: bool) -> Any:
    """The key of a decision: a hash of the state as `seat` knows it, or of all but the luck to come."""
    tree.known[0] = state
    if open_cards:
        tree.known[0].rng = np.uint64(0)
    else:
        conceal(tree.known[0], seat)
    key = np.uint64(seat + 1)
    for i in range(len(tree.words)):
        key = (key ^ tree.words[i]) * np.uint64(MULTIPLIER)
        key ^= key >> np.uint64(29)
    return key


def find_slot(tree: Any, key: Any) -> int:
    """Where the node with this key is entered in the hash table, or a free place for it."""
    last = np.uint64(len(tree.slots) - 1)
    place = key & last
    while tree.slots[place] != FREE and tree.nodes[tree.slots[place]].key != key:
        place = (place + np.uint64(1)) & last
    return int(place)


def new_node(tree: Any, key: Any, seat: int, allowed: Any) -> int:
    """Enter the decision that has just been judged, with an edge for each allowed action; FREE if there is no room."""
    size = 0
    total = 0.0
    for action in range(len(allowed)):
        if allowed[action]:
            size += 1
            total += tree.priors[action]
    counts = tree.counts[0]
    k, at = int(counts.nodes), int(counts.edges)
    if k == len(tree.nodes) or at + size > len(tree.edges):
        return FREE
    node = tree.nodes[k]
    node.key = key
    node.seat = seat
    node.first = at
    node.size = size
    node.visits = 1
    node.total = tree.values[seat]
    for action in range(len(allowed)):
        if allowed[action]:
            edge = tree.edges[at]
            edge.action = action
            edge.visits = 0
            edge.prior = tree.priors[action] / total if total > 0 else 1.0 / size
            edge.total = 0.0
            at += 1
    counts.nodes = k + 1
    counts.edges = at
    return k


def judge_new(tree: Any, state: Any, data: Any, key: Any, seat: int, noise: float, chance: Any, params: Any) -> int:
    """Judge a decision that is new, whose mask is in `tree.mask`, and enter it; `state` may be spoilt.

    Each prior grows by up to `noise` of itself, so that of equals another one is tried first with each seed.
    """
    allowed = tree.mask.copy()
    judge_leaf(state, data, seat, tree.mask, chance, params, tree.priors, tree.values)
    if noise > 0:
        for action in range(len(allowed)):
            if allowed[action]:
                chance.rng, bits = draw(chance.rng)
                tree.priors[action] *= 1 + noise * (float(bits >> np.uint64(11)) * UNIT)
    return add_node(tree, key, seat, allowed)


def select(tree: Any, k: int, exploration: float) -> int:
    """The edge of a node with the greatest upper bound (PUCT); one never tried counts as the node in the mean."""
    node = tree.nodes[k]
    mean = node.total / node.visits
    width = exploration * np.sqrt(float(node.visits))
    best, best_bound = -1, -np.inf
    for e in range(node.first, node.first + node.size):
        edge = tree.edges[e]
        value = edge.total / edge.visits if edge.visits else mean
        bound = value + width * edge.prior / (1 + edge.visits)
        if bound > best_bound:
            best, best_bound = e, bound
    return best


def only_action(mask: Any) -> int:
    """The legal action if there is no other, else -1."""
    found = -1
    for action in range(len(mask)):
        if mask[action]:
            if found >= 0:
                return -1
            found = action
    return found


def simulate_once(
    tree: Any, data: Any, open_cards: bool, exploration: float, noise: float, chance: Any, params: Any
) -> None:
    """Follow the tree to a decision that is new or to the end, judge it, and enter the result along the path."""
    state = tree.walk[0]
    length = 0
    while True:
        seat = int(to_act(state))
        if seat < 0:
            returns(state, data, WIN, tree.values)
            break
        key = hashed(tree, state, seat, open_cards)
        place = find(tree, key)
        k = int(tree.slots[place])
        if k == FREE or length == len(tree.path):
            legal(state, data, seat, tree.mask)
            only = single(tree.mask)
            if only >= 0:  # nothing to decide
                step(state, data, seat, only)
                continue
            if k == FREE:
                tree.slots[place] = judge(tree, state, data, key, seat, noise, chance, params)
            else:
                judge_leaf(state, data, seat, tree.mask, chance, params, tree.priors, tree.values)
            break
        e = best_edge(tree, k, exploration)
        tree.path[length, 0] = k
        tree.path[length, 1] = e
        length += 1
        step(state, data, seat, tree.edges[e].action)
    for i in range(length):
        node, edge = tree.nodes[tree.path[i, 0]], tree.edges[tree.path[i, 1]]
        node.visits += 1
        node.total += tree.values[node.seat]
        edge.visits += 1
        edge.total += tree.values[node.seat]


def begin_walk(tree: Any, root: Any, seat: int, open_cards: bool, chance: Any) -> None:
    """Put a game into `tree.walk` that is possible as far as `seat` knows, with luck of its own."""
    tree.walk[0] = root
    state = tree.walk[0]
    if not open_cards:
        conceal(state, seat)
    chance.rng, state.rng = draw(chance.rng)
    if not open_cards:
        reveal(state)


def grow_tree(
    tree: Any,
    root: Any,
    data: Any,
    seat: int,
    open_cards: bool,
    simulations: int,
    exploration: float,
    noise: float,
    spread: float,
    chance: Any,
    params: Any,
) -> int:
    """Add simulations from the decision of `seat` in `root`; the index of its node.

    All actions share `spread` of its priors equally.
    """
    key = hashed(tree, root, seat, open_cards)
    place = find(tree, key)
    if tree.slots[place] == FREE:
        begin(tree, root, seat, open_cards, chance)
        legal(root, data, seat, tree.mask)
        k = judge(tree, tree.walk[0], data, key, seat, noise, chance, params)
        tree.slots[place] = k
        node = tree.nodes[k]
        for e in range(node.first, node.first + node.size):
            tree.edges[e].prior = (1 - spread) * tree.edges[e].prior + spread / node.size
    for _ in range(simulations):
        begin(tree, root, seat, open_cards, chance)
        simulate(tree, data, open_cards, exploration, noise, chance, params)
    return int(tree.slots[place])


def search_all(
    tree: Any,
    states: Any,
    data: Any,
    seats: Any,
    open_cards: bool,
    simulations: int,
    exploration: float,
    noise: float,
    spread: float,
    chances: Any,
    params: Any,
    keep: bool,
    visits: Any,
    means: Any,
    priors: Any,
) -> None:
    """Search each decision, with a new tree unless `keep`; write visits, mean returns and priors of its actions."""
    for i in range(len(states)):
        if not keep:
            tree.slots[:] = FREE
            tree.counts[0].nodes = 0
            tree.counts[0].edges = 0
        state = states[i]
        k = grow(
            tree,
            state,
            data[state["data"]],
            seats[i],
            open_cards,
            simulations,
            exploration,
            noise,
            spread,
            chances[i],
            params,
        )
        node = tree.nodes[k]
        visits[i] = 0
        priors[i] = 0.0
        means[i] = node.total / node.visits
        for e in range(node.first, node.first + node.size):
            edge = tree.edges[e]
            visits[i, edge.action] = edge.visits
            priors[i, edge.action] = edge.prior
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


def bound_leaf(game: Game, leaf: Leaf) -> Any:
    """The kernel of a leaf on a game."""
    if hasattr(leaf.judge, "py_func"):  # a kernel already
        return leaf.judge
    name = f"{game.package}_{leaf.name}"
    template: Any = pick
    names = {**game.kernels.as_globals(), "choose": bind(template, {}, package="agents", name=name), **leaf.names}
    return bind(leaf.judge, names, package="agents", name=name)


def with_rollouts(game: Game, leaf: Leaf, follow: Any, share: float) -> Leaf:
    """A leaf whose values are mixed with greedy play to the end (`judge_and_follow`).

    Args:
        game: The game.
        leaf: The leaf.
        follow: The kernel of the game's greedy player: ``(state, data, seat) -> action``.
        share: The weight of how the game ends: 0 to 1.
    """
    names = {"ask": bound_leaf(game, leaf), "follow": follow, "STATE": game.template.dtype}
    return Leaf(f"{leaf.name}_followed", judge_and_follow, names, (share, leaf.params))


class Search:
    """The templates bound to one game's kernels and one leaf."""

    def __init__(self, game: Game, leaf: Leaf) -> None:
        self._names = {**game.kernels.as_globals(), **leaf.names}
        self._suffix = f"{game.package}_{leaf.name}"
        self._bind("hashed", hash_words)
        self._bind("find", find_slot)
        self._bind("add_node", new_node)
        self._bind("best_edge", select)
        self._bind("single", only_action)
        self._bind("begin", begin_walk)
        self._names["judge_leaf"] = bound_leaf(game, leaf)
        self._bind("judge", judge_new)
        self._bind("simulate", simulate_once)
        self._bind("grow", grow_tree)
        self.search_all = self._bind("search_all", search_all)

    def _bind(self, name: str, template: Any) -> Any:
        self._names[name] = bind(template, self._names, package="agents", name=self._suffix)
        return self._names[name]
