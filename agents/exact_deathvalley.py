"""Exact play of Death Valley against the rulebook's AI, when little enough can follow.

`solve` gives the greatest probability to win that any way of playing has, and that of each action; `solve_one` is the
same for one state inside a kernel. What is maximised is the probability to win: a shared victory counts as not won, as
in the win rates of `python -m training`. Games that are truncated at the turn limit are not solved.

Positions that can follow are written down as a graph: each decision has actions, each action leads to equally likely
positions, one for each card that the top of the deck can be. Neither the order of the deck nor the random numbers are
looked at. The graph grows turn by turn from the position asked about. Each position has two bounds of its value, found
from those that follow; where nothing is known, 0 and 1. The graph grows no further behind a position whose bounds meet,
nor behind an action that is at most as good as another is at least: so a sure win ends the search at once.

A position is written down once, whatever the turn. The game is scored as it stands after `max_turns` (R11), so that a
bound can hold with many turns left and fail with few. Beside each bound stands the number of turns from which on it
holds: the lower one, since the game is won within them; the upper one, since no game goes on longer, or it was won
before. A position is solved where its bounds meet and the game has that many turns left. Else
`solve_to_the_last_turn` finds the values with 1, 2, 3 … turns left, each from the one before. Positions can recur:
three of a hazard in the Scrapbook make a bust in every turn (R18). Bounds do not meet behind those, but near the last
turn.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from agents.packed_deathvalley import NUM_WORDS, most_ai_busts, pack, starts_turn, unpack
from deathvalley_env.busts import AI
from deathvalley_env.hidden import put_on_top
from deathvalley_env.rules import ai_travel, ai_turn, carry_out, legal, usable_cards
from deathvalley_env.scoring import ending, update_scores, verdict
from deathvalley_env.state import STATE
from deathvalley_env.vocabulary import NO_CARD, NUM_ACTIONS, Action, Decision, Timing
from valley_core.batch import in_threads
from valley_core.bits import bit, lowest
from valley_core.errors import OptionError
from valley_core.game import Game
from valley_core.jit import kernel
from valley_core.rng import draw

NOT_LEGAL = -1.0
"""The value of an action that is not legal."""
NO_NODE = -1

# The graph's nodes: two for all ends of the game, then one for each position.
NOT_WON, WON = 0, 1
NUM_ENDS = 2

# Positions in `counts`.
NODES = 0
EDGES = 1
EXPLORED = 2
"""Nodes in `order`."""
ADDED = 3
"""Positions that the last search added, or had added when it gave up."""
STAMP = 4
"""What `seen` holds for nodes that the last look has come by."""
NUM_COUNTS = 5

# States to work with.
HERE = 0
"""The position that is being explored."""
AFTER = 1
"""After an action."""
OTHER = 2
"""The same with another card drawn, or a step back."""
NUM_SCRATCH = 3

# An edge is twice a shift of the node that it leads to, and two marks.
LAST_OF_ACTION = 1
LAST_OF_NODE = 2
MARK_BITS = 2

EDGES_OF_NODE = 16
"""Room for edges, for each node; positions have fewer on average."""
MOST_POSITIONS = 1 << 28
DEFAULT_BUDGET = 200_000
"""Positions of a graph: a second or two."""

ROUNDING = 1e-12
"""Bounds so close have met: they are sums of the same numbers."""

MOST_LAYERS = 1024
"""How often a graph can grow for one question."""
LAST_TURNS = 16
"""With more turns left, `solve_to_the_last_turn` is not tried: it would find no end."""


class Table(NamedTuple):
    """The graph of positions of one deck, with room for a number of them; it keeps what has been solved.

    A thread needs a table of its own, and a table serves one deck. About 190 bytes a position.
    """

    slots: np.ndarray  # int32: open addressing, a node or NO_NODE
    slot_of: np.ndarray  # int32 (nodes,)
    words: np.ndarray  # int64 (nodes, NUM_WORDS): `packed_deathvalley.pack`
    first: np.ndarray  # int64 (nodes,): its first edge; -1: not explored
    edges: np.ndarray  # int32
    begins: np.ndarray  # uint8 (nodes,): a turn begins here, or the game has ended: a turn has been played
    rests: np.ndarray  # uint8 (nodes,): a Rest is being carried out
    low: np.ndarray  # float64 (nodes,): at least so probably the game is won
    high: np.ndarray  # float64 (nodes,): at most so
    turns: np.ndarray  # int32 (nodes,): with so many turns left, or more, `low` can be had
    turns_high: np.ndarray  # int32 (nodes,): with so many turns left, or more, no more than `high` can be had
    coming: np.ndarray  # float64 (nodes,): scratch, the values with one more turn left
    order: np.ndarray  # int32 (nodes,): explored nodes, each after those that follow in the same turn
    stack: np.ndarray  # int32 (nodes,): scratch
    cursor: np.ndarray  # int64 (nodes,): scratch
    frontier: np.ndarray  # int32 (nodes,): scratch, nodes to explore next
    seen: np.ndarray  # int32 (nodes,): scratch
    layers: np.ndarray  # int64 (MOST_LAYERS + 1,): where in `order` each layer begins
    counts: np.ndarray  # int64 (NUM_COUNTS,)
    scratch: np.ndarray  # STATE (NUM_SCRATCH,)


def new_table(positions: int = DEFAULT_BUDGET) -> Table:
    """An empty table with room for this many positions.

    Raises:
        OptionError: `positions` is out of range.
    """
    if not 1 <= positions <= MOST_POSITIONS:
        raise OptionError(f"positions={positions} must be from 1 to {MOST_POSITIONS:,}")
    nodes = NUM_ENDS + positions + 1  # the last is never used: a position is packed there to look it up
    table = Table(
        slots=np.full(1 << (2 * nodes - 1).bit_length(), NO_NODE, np.int32),
        slot_of=np.zeros(nodes, np.int32),
        words=np.zeros((nodes, NUM_WORDS), np.int64),
        first=np.full(nodes, -1, np.int64),
        edges=np.zeros(EDGES_OF_NODE * nodes, np.int32),
        begins=np.zeros(nodes, np.uint8),
        rests=np.zeros(nodes, np.uint8),
        low=np.zeros(nodes),
        high=np.ones(nodes),
        turns=np.zeros(nodes, np.int32),
        turns_high=np.zeros(nodes, np.int32),
        coming=np.zeros(nodes),
        order=np.zeros(nodes, np.int32),
        stack=np.zeros(nodes, np.int32),
        cursor=np.zeros(nodes, np.int64),
        frontier=np.zeros(nodes, np.int32),
        seen=np.zeros(nodes, np.int32),
        layers=np.zeros(MOST_LAYERS + 1, np.int64),
        counts=np.zeros(NUM_COUNTS, np.int64),
        scratch=np.zeros(NUM_SCRATCH, STATE),
    )
    table.counts[NODES] = NUM_ENDS
    table.low[WON], table.high[NOT_WON] = 1.0, 0.0
    table.begins[:NUM_ENDS] = 1
    return table


# --- Nodes ----------------------------------------------------------------------------------------------------------


@kernel
def slot_for(table: Any, node: int) -> int:
    """The slot that holds the words of `node`, or the empty one where they belong."""
    mask = len(table.slots) - 1
    words = table.words[node]
    bits: Any = np.uint64(0)
    for i in range(NUM_WORDS):
        mixed: Any = np.uint64(bits) ^ np.uint64(words[i])
        _, bits = draw(mixed)
    slot: Any = np.int64(np.uint64(bits) & np.uint64(mask))
    while True:
        found = table.slots[slot]
        if found == NO_NODE:
            return int(slot)
        same = True
        for i in range(NUM_WORDS):
            same &= table.words[found, i] == words[i]
        if same:
            return int(slot)
        slot = (slot + 1) & mask


@kernel
def node_of(table: Any, state: Any, deck: Any) -> int:
    """The node of a state that is not over, a new one if need be; NO_NODE if there is no room."""
    new = int(table.counts[NODES])
    pack(table.words[new], state, deck)
    slot = slot_for(table, new)
    if table.slots[slot] != NO_NODE or new == len(table.words) - 1:
        return int(table.slots[slot])
    table.slots[slot] = new
    table.slot_of[new] = slot
    table.first[new] = -1
    table.begins[new] = starts_turn(state)
    table.rests[new] = state.window == Timing.BEFORE_REST and state.decision <= Decision.REST
    know_nothing(table, new)
    table.counts[NODES] = new + 1
    return new


@kernel
def know_nothing(table: Any, node: int) -> None:
    """Let the bounds of a node be 0 and 1, which hold whatever is left of the game."""
    table.low[node], table.high[node] = 0.0, 1.0
    table.turns[node], table.turns_high[node] = 0, 0


@kernel
def forget(table: Any, nodes: int, edges: int, explored: int) -> None:
    """Go back to so many nodes, edges and explored nodes. Taken out newest first, the slots become what they were."""
    for node in range(table.counts[NODES] - 1, nodes - 1, -1):
        table.slots[table.slot_of[node]] = NO_NODE
    for node in range(NUM_ENDS, nodes):
        if table.first[node] >= edges:
            table.first[node] = -1
            know_nothing(table, node)  # bounds met stand for explored
    table.counts[NODES], table.counts[EDGES], table.counts[EXPLORED] = nodes, edges, explored


@kernel
def forget_all(table: Any) -> None:
    """Empty the table."""
    forget(table, NUM_ENDS, 0, 0)


# --- What follows from a position -----------------------------------------------------------------------------------


@kernel
def end_of(state: Any, deck: Any) -> int:
    """The node of a game that is over, or is lost with `must_outbust` whatever comes; NO_NODE of any other."""
    if state.decision == Decision.OVER:
        update_scores(state, deck)
        winner, _ = ending(state)
        return WON if winner == 0 else NOT_WON
    if state.must_outbust and state.busts[AI] + most_ai_busts(state, deck) <= state.busts[0]:
        return NOT_WON
    return NO_NODE


@kernel
def add_edge(table: Any, state: Any, deck: Any) -> bool:
    """Note that `state` may follow; whether there was room."""
    edge = int(table.counts[EDGES])
    if edge == len(table.edges):
        return False
    node = end_of(state, deck)
    if node == NO_NODE:
        node = node_of(table, state, deck)
        if node == NO_NODE:
            return False
    table.edges[edge] = node << MARK_BITS
    table.counts[EDGES] = edge + 1
    return True


@kernel
def mark_last(table: Any, mark: int) -> None:
    """Mark the newest edge."""
    table.edges[table.counts[EDGES] - 1] |= mark


@kernel
def add_flips(table: Any, deck: Any) -> bool:
    """A card of the deck was flipped in AFTER: each card that was in the deck could have been; whether there was room.

    Whether the game is over does not depend on it.
    """
    after, other = table.scratch[AFTER], table.scratch[OTHER]
    if not add_edge(table, after, deck):
        return False
    for k in range(after.deck_size):
        table.scratch[OTHER] = after
        other.face_up, other.deck[k] = after.deck[k], after.face_up
        if not add_edge(table, other, deck):
            return False
    return True


@kernel
def draws(state: Any, action: int) -> bool:
    """Whether an action takes the top of the deck, once nothing can be done before a Travel (R20)."""
    if state.window == Timing.BEFORE_TRAVEL and state.decision == Decision.ABILITY:
        return action == Action.DONE and state.travel == Action.TRAVEL_TOP
    return action == Action.TRAVEL_TOP


@kernel
def go_on(table: Any, deck: Any, drawn: bool) -> bool:
    """Take decisions with one answer in AFTER, within the turn; whether a card of the deck was flipped at its end.

    It stops before a second draw (`drawn`: there has been one), so that all that follows from an action is equally
    likely; the position before that draw is one of its own.
    """
    after = table.scratch[AFTER]
    while after.decision != Decision.OVER and not starts_turn(after):
        action = Action.DONE.value
        if after.decision != Decision.ABILITY or usable_cards(after, deck, after.window):
            actions = legal(after, deck)
            if actions & (actions - 1):
                return False
            action = lowest(actions)
        if draws(after, action):
            return False
        hidden = after.face_up == NO_CARD
        if hidden and drawn:
            table.scratch[OTHER] = after
        carry_out(after, deck, action)
        if hidden and after.face_up != NO_CARD:
            if drawn:
                table.scratch[AFTER] = table.scratch[OTHER]
            return not drawn
    return False


@kernel
def act(table: Any, deck: Any, action: int) -> bool:
    """Carry out an action of the learner, or the AI's turn, in AFTER; whether a card of the deck was flipped."""
    after = table.scratch[AFTER]
    hidden = after.face_up == NO_CARD
    if after.active == AI and after.decision == Decision.TURN:
        hidden = ai_travel(after, deck) != Action.TRAVEL_TOP
        ai_turn(after, deck)
    else:
        carry_out(after, deck, action)
    return hidden and after.face_up != NO_CARD


@kernel
def waits_to_travel(table: Any, deck: Any, action: int) -> bool:
    """Whether abilities can be used between this Travel of the learner in HERE and the card's being taken (R20)."""
    here, after = table.scratch[HERE], table.scratch[AFTER]
    if here.active == AI or here.window == Timing.BEFORE_TRAVEL:
        return False
    table.scratch[AFTER] = here
    carry_out(after, deck, action)
    return usable_cards(after, deck, Timing.BEFORE_TRAVEL.value) != 0


@kernel
def add_action(table: Any, deck: Any, action: int) -> bool:
    """Add all that may follow from an action in HERE; whether there was room."""
    here, after = table.scratch[HERE], table.scratch[AFTER]
    if draws(here, action) and not waits_to_travel(table, deck, action):
        for k in range(here.deck_size):
            table.scratch[AFTER] = here
            put_on_top(after, k)
            act(table, deck, action)
            if after.decision == Decision.ABILITY and after.window == Timing.BEFORE_TRAVEL:
                carry_out(after, deck, Action.DONE.value)
            go_on(table, deck, True)
            if not add_edge(table, after, deck):
                return False
    else:
        table.scratch[AFTER] = here
        if act(table, deck, action) or go_on(table, deck, False):
            if not add_flips(table, deck):
                return False
        elif not add_edge(table, after, deck):
            return False
    mark_last(table, LAST_OF_ACTION)
    return True


@kernel
def add_actions(table: Any, deck: Any, node: int) -> bool:
    """Add all that may follow from a node; whether there was room. The AI has one action, the learner those legal."""
    here = table.scratch[HERE]
    unpack(table.words[node], here)
    table.first[node] = table.counts[EDGES]
    if here.active == AI and here.decision == Decision.TURN:
        actions = bit(ai_travel(here, deck))
    else:
        actions = legal(here, deck)
    while actions:
        if not add_action(table, deck, lowest(actions)):
            return False
        actions &= actions - 1
    mark_last(table, LAST_OF_NODE)
    return True


@kernel
def explore_turn(table: Any, deck: Any, start: int, most: int, whole: bool) -> bool:
    """Add all that may follow from a node until a turn begins or the game ends, depth first.

    If not the `whole` turn is asked for, it also stops at a Rest, which can go on in many ways.

    Returns:
        Whether there was room, for at most `most` nodes.
    """
    if not add_actions(table, deck, start):
        return False
    stack, cursor = table.stack, table.cursor
    stack[0], cursor[0] = start, table.first[start]
    depth = 0
    while depth >= 0:
        if cursor[depth] < 0:
            table.order[table.counts[EXPLORED]] = stack[depth]
            table.counts[EXPLORED] += 1
            depth -= 1
            continue
        edge = table.edges[cursor[depth]]
        cursor[depth] = -1 if edge & LAST_OF_NODE else cursor[depth] + 1
        node = edge >> MARK_BITS
        stop = table.begins[node] or (table.rests[node] and not whole)
        if node >= NUM_ENDS and table.first[node] < 0 and not stop:
            if not add_actions(table, deck, node) or table.counts[NODES] > most:
                return False
            depth += 1
            stack[depth], cursor[depth] = node, table.first[node]
    return True


# --- Bounds ---------------------------------------------------------------------------------------------------------


@kernel
def find_bounds(table: Any, node: int) -> bool:
    """Find the bounds of an explored node from those of the nodes that follow; whether one of them moved."""
    best, turns, most = table.low[node], table.turns[node], 0.0
    low, high, needed, count, longest = 0.0, 0.0, 0, 0, 0
    i = table.first[node]
    while True:
        edge = table.edges[i]
        following = edge >> MARK_BITS
        low += table.low[following]
        high += table.high[following]
        needed = max(needed, table.turns[following] + table.begins[following])
        longest = max(longest, table.turns_high[following] + table.begins[following])
        count += 1
        if edge & LAST_OF_ACTION:
            most = max(most, high / count)
            if low / count > best:
                best, turns = low / count, needed
            low, high, needed, count = 0.0, 0.0, 0, 0
        if edge & LAST_OF_NODE:
            break
        i += 1
    moved = best > table.low[node] or most < table.high[node]
    table.low[node], table.turns[node] = best, turns
    if most < table.high[node]:
        table.high[node], table.turns_high[node] = most, longest
    return moved


@kernel
def find_all_bounds(table: Any, layers: int, seen_only: bool) -> bool:
    """Find the bounds of explored nodes (those that the last look has come by), last layer first; whether one moved."""
    moved = False
    for layer in range(layers - 1, -1, -1):
        for i in range(table.layers[layer], table.layers[layer + 1]):
            node = table.order[i]
            if table.low[node] < table.high[node] and (not seen_only or table.seen[node] == table.counts[STAMP]):
                moved |= find_bounds(table, node)
    return moved


@kernel
def look_at(table: Any, node: int, depth: int, unknown: int) -> Any:
    """Note a node that has not been looked at: on the stack, or in `frontier` if it is unexplored; both sizes."""
    if table.seen[node] != table.counts[STAMP] and table.low[node] < table.high[node]:
        table.seen[node] = table.counts[STAMP]
        if table.first[node] < 0:
            table.frontier[unknown] = node
            return depth, unknown + 1
        table.stack[depth] = node
        return depth + 1, unknown
    return depth, unknown


@kernel
def find_frontier(table: Any, root: int, every: bool) -> int:
    """Write into `frontier` the unexplored nodes that the value of `root` may depend on; how many.

    Nothing depends on what follows from an action that is at most as good as its alternatives are at least; `every`:
    but at `root` the value of each action is asked for.
    """
    table.counts[STAMP] += 1
    depth, unknown = look_at(table, root, 0, 0)
    if every and depth == 0 and table.first[root] >= 0:
        table.stack[0], depth = root, 1
    while depth:
        depth -= 1
        node = table.stack[depth]
        begin = i = table.first[node]
        high = 0.0
        while True:
            edge = table.edges[i]
            high += table.high[edge >> MARK_BITS]
            if edge & LAST_OF_ACTION:
                if (every and node == root) or high / (i + 1 - begin) > table.low[node]:
                    for k in range(begin, i + 1):
                        depth, unknown = look_at(table, table.edges[k] >> MARK_BITS, depth, unknown)
                begin, high = i + 1, 0.0
            if edge & LAST_OF_NODE:
                break
            i += 1
    return unknown


@kernel
def grow(table: Any, deck: Any, root: int, most: int, every: bool) -> int:
    """Let the graph grow from `root` until its value depends on nothing that is unexplored; in how many layers.

    There is one layer for what was explored before, and one each time the graph grew: by all that may matter, and then
    it is seen what still does. -1: no room, or too many layers.
    """
    table.layers[0], table.layers[1] = 0, table.counts[EXPLORED]
    for layer in range(1, MOST_LAYERS):
        unknown = find_frontier(table, root, every)
        if unknown == 0:
            return layer
        for k in range(unknown):
            if not explore_turn(table, deck, table.frontier[k], most, False):
                return -1
        table.layers[layer + 1] = table.counts[EXPLORED]
        find_all_bounds(table, layer + 1, False)
    return -1


@kernel
def settle_bounds(table: Any, layers: int, root: int, turns: int) -> bool:
    """Let the lower bounds rise and the upper ones fall until they meet; whether they did in so many turns.

    It concerns the nodes that `find_frontier` has just come by: no other is needed.
    """
    for _ in range(turns):
        if not find_all_bounds(table, layers, True):
            break
    for i in range(table.counts[EXPLORED]):
        node = table.order[i]
        if table.seen[node] == table.counts[STAMP] and table.low[node] < table.high[node]:
            if table.high[node] - table.low[node] > ROUNDING:
                return False
            table.high[node] = table.low[node]
    return True


# --- The last turns -------------------------------------------------------------------------------------------------


@kernel
def value_now(table: Any, node: int) -> float:
    """The value of a node from those that follow."""
    best, total, count = 0.0, 0.0, 0
    i = table.first[node]
    while True:
        edge = table.edges[i]
        total += table.low[edge >> MARK_BITS]
        count += 1
        if edge & LAST_OF_ACTION:
            best = max(best, total / count)
            total, count = 0.0, 0
        if edge & LAST_OF_NODE:
            return best
        i += 1


@kernel
def solve_to_the_last_turn(table: Any, deck: Any, root: int, turns: int, most: int) -> bool:
    """Find the value of `root` with so many turns left, in an empty table; whether there was room.

    Here `low` is the value itself: of a node where a turn begins with 0, 1, 2 … turns left, of others with 1, 2, 3 …
    What no turn is left to reach stays unexplored, and is worth what the game would be if it were scored as it stands.
    """
    table.frontier[0], unknown = root, 1
    for _ in range(turns):
        before = table.counts[EXPLORED]
        for k in range(unknown):
            if not explore_turn(table, deck, table.frontier[k], most, True):
                return False
        unknown = 0
        table.counts[STAMP] += 1
        for k in range(before, table.counts[EXPLORED]):
            i = table.first[table.order[k]]
            while True:
                edge = table.edges[i]
                node = edge >> MARK_BITS
                if table.first[node] < 0 and node >= NUM_ENDS and table.seen[node] != table.counts[STAMP]:
                    table.seen[node] = table.counts[STAMP]
                    table.frontier[unknown] = node
                    unknown += 1
                if edge & LAST_OF_NODE:
                    break
                i += 1
        if unknown == 0:
            break
    for node in range(NUM_ENDS, table.counts[NODES]):
        if table.begins[node]:
            table.low[node] = won_as_it_stands(table, deck, node)
    for turn in range(1, turns + 1):
        for i in range(table.counts[EXPLORED]):
            node = table.order[i]
            if table.begins[node]:
                table.coming[node] = value_now(table, node)
            else:
                table.low[node] = value_now(table, node)
        if turn < turns and not one_more_turn(table):
            break
    return True


@kernel
def won_as_it_stands(table: Any, deck: Any, node: int) -> float:
    """1 if the game is won where the turn limit ends it at this node (R11), else 0."""
    here = table.scratch[HERE]
    unpack(table.words[node], here)
    update_scores(here, deck)
    winner, _ = verdict(here)
    return 1.0 if winner == 0 else 0.0


@kernel
def one_more_turn(table: Any) -> bool:
    """Let the values where turns begin be those with one more turn left; whether any changed."""
    changed = False
    for i in range(table.counts[EXPLORED]):
        node = table.order[i]
        if table.begins[node]:
            changed |= table.low[node] != table.coming[node]
            table.low[node] = table.coming[node]
    return changed


# --- Answers --------------------------------------------------------------------------------------------------------


@kernel
def write_actions(table: Any, deck: Any, root: int, values: Any, every: bool) -> int:
    """Write the lower bound of each action of `root`; with how many turns left it is its value.

    `every`: the value of every action, else of the best alone.
    """
    here = table.scratch[HERE]
    unpack(table.words[root], here)
    actions = legal(here, deck)
    total, count, needed, most = 0.0, 0, 0, 0
    i = table.first[root]
    while actions:
        edge = table.edges[i]
        following = edge >> MARK_BITS
        total += table.low[following]
        needed = max(needed, table.turns[following] + table.begins[following])
        needed = max(needed, table.turns_high[following] + table.begins[following])
        count += 1
        i += 1
        if edge & LAST_OF_ACTION:
            values[lowest(actions)] = total / count
            most = max(most, needed)
            total, count, needed = 0.0, 0, 0
            actions &= actions - 1
    return most if every else int(max(table.turns[root], table.turns_high[root]))


@kernel
def drop_known(table: Any) -> None:
    """Take out of `order` the nodes whose value is known."""
    left = 0
    for i in range(table.counts[EXPLORED]):
        node = table.order[i]
        if table.low[node] < table.high[node]:
            table.order[left] = node
            left += 1
    table.counts[EXPLORED] = left


@kernel
def try_solve(table: Any, state: Any, deck: Any, budget: int, every: bool, values: Any) -> bool:
    """Solve a state as `solve_one` does, by bounds, in what room the table has left; whether it is solved.

    If not, the table is as before.
    """
    drop_known(table)
    nodes, edges, explored = int(table.counts[NODES]), int(table.counts[EDGES]), int(table.counts[EXPLORED])
    turns = int(state.max_turns) - int(state.turn)
    table.counts[ADDED] = 0
    root = node_of(table, state, deck)
    if root == NO_NODE:
        return False
    layers = grow(table, deck, root, nodes + budget, every)
    table.counts[ADDED] = table.counts[NODES] - nodes
    if layers > 0 and settle_bounds(table, layers, root, turns):
        return write_actions(table, deck, root, values, every) <= turns
    forget(table, nodes, edges, explored)
    return False


@kernel
def try_last_turns(table: Any, state: Any, deck: Any, budget: int, values: Any) -> bool:
    """Solve a state near the last turn, in an empty table, which it leaves empty; whether it is solved."""
    forget_all(table)
    root = node_of(table, state, deck)
    turns = int(state.max_turns) - int(state.turn)
    solved = solve_to_the_last_turn(table, deck, root, turns, NUM_ENDS + budget)
    table.counts[ADDED] = table.counts[NODES] - NUM_ENDS
    if solved:
        write_actions(table, deck, root, values, True)
    forget_all(table)
    return solved


@kernel
def solve_one(state: Any, deck: Any, table: Any, budget: int, every: bool, values: Any) -> bool:
    """Write the greatest probability to win after each action of the learner, if at most `budget` new positions do.

    Args:
        state: One record of a solo game; nothing is written to it. The learner is asked, or the game is over.
        deck: The deck of the game: that of all states the table was used for.
        table: Of `new_table`. Positions that were solved in it before cost nothing.
        budget: How many positions may be added to the table.
        every: Whether the value of each action is asked for, not only the best one.
        values: Out, float64 of shape (41,): NOT_LEGAL for actions that are not legal. The value of the state is the
            greatest; without `every` the others are lower bounds. What is written is only good if it is solved.

    Returns:
        Whether it is solved.
    """
    values[:] = NOT_LEGAL
    if state.decision == Decision.OVER:
        return True
    if state.truncates:
        return False
    if try_solve(table, state, deck, budget, every, values):
        return True
    if table.counts[ADDED] <= budget and table.counts[NODES] > NUM_ENDS:  # an emptier table could do
        forget_all(table)
        if try_solve(table, state, deck, budget, every, values):
            return True
    values[:] = NOT_LEGAL
    if state.max_turns - state.turn <= LAST_TURNS:
        return try_last_turns(table, state, deck, budget, values)
    return False


# --- From Python ----------------------------------------------------------------------------------------------------


@kernel
def solve_all(
    states: Any, deck: Any, table: Any, budget: int, every: bool, values: Any, solved: Any, positions: Any
) -> None:
    """`solve_one` for each state, each from an empty table: so that one state does not decide what another costs."""
    for i in range(len(states)):
        forget_all(table)
        solved[i] = solve_one(states[i], deck, table, budget, every, values[i])
        positions[i] = table.counts[ADDED]


@dataclass(frozen=True)
class Solution:
    """Exact values of n states.

    Attributes:
        values: The greatest probability to win, float64 of shape (n,); NaN where it is not solved.
        action_values: The same after each action, float64 of shape (n, 41); NaN where it is not solved or the action is
            not legal.
        solved: Whether the budget sufficed, bool of shape (n,).
        positions: How many positions were written down, int64 of shape (n,).
    """

    values: np.ndarray
    action_values: np.ndarray
    solved: np.ndarray
    positions: np.ndarray


def check_game(game: Game) -> None:
    """Raise `OptionError` for any game but solo Death Valley."""
    if game.name != "deathvalley" or not game.options["solo"]:
        raise OptionError("exact play is for Death Valley against the rulebook's AI: make the game with solo=True")


def solve(
    game: Game,
    states: np.ndarray,
    budget: int = DEFAULT_BUDGET,
    *,
    every: bool = True,
    table: Table | None = None,
) -> Solution:
    """Exact play from each state of a solo game in which the learner is asked.

    Args:
        game: Solo Death Valley, with any options.
        states: Its states, of shape (n,); nothing is written to them.
        budget: How many positions may be written down for each; see `python -m training exact` for what that solves.
        every: Whether the value of each action is asked for. If not, that of the best is exact, and the others are
            lower bounds: the greatest of `action_values` is then the value, at an action that has it.
        table: To work in, with room for `budget` positions; what is in it is lost. None: a new one.

    Raises:
        OptionError: Another game, a game that is over, or a budget that is out of range.
    """
    check_game(game)
    if (states["decision"] == Decision.OVER).any():
        raise OptionError("a game is over: nothing is left to solve; leave out states whose decision is OVER")
    table = new_table(budget) if table is None else table
    count = len(states)
    action_values = np.zeros((count, NUM_ACTIONS))
    solved, positions = np.zeros(count, np.bool_), np.zeros(count, np.int64)
    solve_all(states, game.data[0], table, budget, every, action_values, solved, positions)
    action_values[~solved] = NOT_LEGAL
    values = np.where(solved, action_values.max(1), np.nan)
    return Solution(values, np.where(action_values == NOT_LEGAL, np.nan, action_values), solved, positions)


ORACLE_CARDS = 4
"""Cards in the Desert up to which `exact_choice` tries: with more, nearly nothing is solved."""
LEAST_SHARE = 16
"""Positions that are worth a thread of their own."""


def exact_choice(game: Game, states: np.ndarray, budget: int) -> np.ndarray:
    """The best action of each state if exact play with this budget knows it, else -1; int64 of shape (n,).

    Raises:
        OptionError: Another game.
    """
    check_game(game)
    actions = np.full(len(states), -1)
    desert = states["deck_size"] + (states["face_up"] != NO_CARD)
    few = np.flatnonzero(desert <= ORACLE_CARDS)

    def work(part: slice) -> None:
        found = solve(game, states[few[part]], budget, every=False)
        own = np.flatnonzero(found.solved)
        actions[few[part][own]] = np.nanargmax(found.action_values[own], 1)

    if len(few):
        in_threads(len(few), work, LEAST_SHARE)
    return actions
