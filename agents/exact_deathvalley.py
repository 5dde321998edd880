"""Exact play of Death Valley against the rulebook's AI, when few enough cards are left.

`solve` gives the greatest probability to win that any way of playing has, and that of each action; `solve_one` is the
same for one state inside a kernel. What is maximised is the probability to win: a shared victory and a truncated game
count as not won, as in the win rates of `python -m training`.

How it works. All positions that can follow are written down as a graph (`explore`): each decision has actions, each
action leads to equally likely positions, one for each card that the top of the deck can be. Neither the order of the
deck nor the random numbers are looked at. Then the values are found backwards (`find_values`).

Positions can recur: a Rest puts cards back into the deck, some cards come back from the Scrapbook, and three of a
hazard in the Scrapbook make a bust in every turn. So a position has no single depth, and what matters is how many turns
are left before the game is truncated (R11). A position is written down once, whatever the turn, and the values are
those with 1, 2, 3 … turns left, each from the last: a position at the start of a turn is worth nothing with no turn
left. This ends with the turns that are left in truth; or sooner, when one more turn changes no value by a single bit,
and so no number of turns does. The value is that of the game with its `max_turns`, not of an endless one.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from agents.packed_deathvalley import NUM_WORDS, most_ai_busts, pack, starts_turn, unpack
from deathvalley_env.busts import AI
from deathvalley_env.rules import ai_travel, ai_turn, carry_out, legal, usable_cards
from deathvalley_env.scoring import ending, update_scores
from deathvalley_env.state import STATE
from deathvalley_env.vocabulary import NO_CARD, NUM_ACTIONS, Action, Decision
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
FINISHED = 2
"""Nodes in `order`."""
HORIZON = 3
"""With as many turns left, or more, the values are what they are: one more changes none."""
ADDED = 4
"""Positions that the last search added, or had added when it gave up."""
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

FINAL = 1
"""No number of turns left changes the value: all that follow are final."""
FINAL_NEXT = 2
"""Final as soon as this sweep is over."""


class Table(NamedTuple):
    """The graph of positions of one deck, with room for a number of them; it keeps what has been solved.

    A thread needs a table of its own, and a table serves one deck. About 160 bytes a position.
    """

    slots: np.ndarray  # int32: open addressing, a node or NO_NODE
    slot_of: np.ndarray  # int32 (nodes,)
    words: np.ndarray  # int64 (nodes, NUM_WORDS): `packed_deathvalley.pack`
    first: np.ndarray  # int64 (nodes,): its first edge; -1: not explored
    edges: np.ndarray  # int32
    begins: np.ndarray  # uint8 (nodes,): a turn begins here
    value: np.ndarray  # float64 (nodes,): the greatest probability to win
    coming: np.ndarray  # float64 (nodes,): the same with one more turn left, where a turn begins
    final: np.ndarray  # uint8 (nodes,)
    order: np.ndarray  # int32 (nodes,): each node after those that follow in the same turn
    pending: np.ndarray  # int32 (nodes,): scratch
    cursor: np.ndarray  # int64 (nodes,): scratch
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
        value=np.zeros(nodes),
        coming=np.zeros(nodes),
        final=np.zeros(nodes, np.uint8),
        order=np.zeros(nodes, np.int32),
        pending=np.zeros(nodes, np.int32),
        cursor=np.zeros(nodes, np.int64),
        counts=np.zeros(NUM_COUNTS, np.int64),
        scratch=np.zeros(NUM_SCRATCH, STATE),
    )
    table.counts[NODES] = NUM_ENDS
    table.value[WON] = 1.0
    table.final[:NUM_ENDS] = FINAL
    return table


# --- Nodes ----------------------------------------------------------------------------------------------------------


@kernel
def slot_for(table: Any, node: int) -> int:
    """The slot that holds the words of `node`, or the empty one where they belong."""
    mask = len(table.slots) - 1
    words = table.words[node]
    bits = np.uint64(0)
    for i in range(NUM_WORDS):
        _, bits = draw(np.uint64(bits) ^ np.uint64(words[i]))
    slot = np.int64(np.uint64(bits) & np.uint64(mask))
    while True:
        found = table.slots[slot]
        if found == NO_NODE:
            return slot
        same = True
        for i in range(NUM_WORDS):
            same &= table.words[found, i] == words[i]
        if same:
            return slot
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
    table.value[new] = 0.0
    table.final[new] = 0
    table.counts[NODES] = new + 1
    return new


@kernel
def forget(table: Any, nodes: int, edges: int) -> None:
    """Take out the newest nodes and edges until so many are left: in that order the slots become what they were."""
    for node in range(table.counts[NODES] - 1, nodes - 1, -1):
        table.slots[table.slot_of[node]] = NO_NODE
    table.counts[NODES] = nodes
    table.counts[EDGES] = edges


@kernel
def forget_all(table: Any) -> None:
    """Empty the table."""
    forget(table, NUM_ENDS, 0)
    table.counts[HORIZON] = 0


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
def put_on_top(state: Any, k: int) -> None:
    """Exchange the card at place `k` of the deck with the top card."""
    top = int(state.deck_size) - 1
    state.deck[k], state.deck[top] = state.deck[top], state.deck[k]


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
        if action == Action.TRAVEL_TOP:
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
def add_action(table: Any, deck: Any, action: int) -> bool:
    """Add all that may follow from an action in HERE; whether there was room."""
    here, after = table.scratch[HERE], table.scratch[AFTER]
    if action == Action.TRAVEL_TOP:
        for k in range(here.deck_size):
            table.scratch[AFTER] = here
            put_on_top(after, k)
            act(table, deck, action)
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
    """Add all that may follow from a node; whether there was room. The AI has one action, the learner the legal ones."""
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
def explore(table: Any, deck: Any, root: int, most: int) -> bool:
    """Add all that may follow from `root`, depth first; whether the graph has at most `most` nodes and found room.

    `order` becomes the new nodes, each after those that follow: but for the start of a turn, which may come later.
    """
    stack, cursor = table.pending, table.cursor
    table.counts[FINISHED] = 0
    if not add_actions(table, deck, root):
        return False
    depth = 0
    stack[0], cursor[0] = root, table.first[root]
    while depth >= 0:
        if cursor[depth] < 0:
            table.order[table.counts[FINISHED]] = stack[depth]
            table.counts[FINISHED] += 1
            depth -= 1
            continue
        edge = table.edges[cursor[depth]]
        cursor[depth] = -1 if edge & LAST_OF_NODE else cursor[depth] + 1
        node = edge >> MARK_BITS
        if node >= NUM_ENDS and table.first[node] < 0:
            if not add_actions(table, deck, node) or table.counts[NODES] > most:
                return False
            depth += 1
            stack[depth], cursor[depth] = node, table.first[node]
    return True


# --- Values ---------------------------------------------------------------------------------------------------------


@kernel
def value_now(table: Any, node: int) -> Any:
    """(value of a node from those that follow, whether all of them are final)."""
    best, total, count, final = 0.0, 0.0, 0, True
    i = table.first[node]
    while True:
        edge = table.edges[i]
        following = edge >> MARK_BITS
        total += table.value[following]
        count += 1
        final &= table.final[following] == FINAL
        if edge & LAST_OF_ACTION:
            best = max(best, total / count)
            total, count = 0.0, 0
        if edge & LAST_OF_NODE:
            return best, final
        i += 1


@kernel
def sweep(table: Any) -> int:
    """Find the values with one more turn left; at how many nodes a turn begins. Final nodes leave `order`.

    Where a turn begins, the value waits in `coming` until `one_more_turn`: others still ask for the one before.
    """
    waiting, left = 0, 0
    for i in range(table.counts[FINISHED]):
        node = table.order[i]
        value, final = value_now(table, node)
        if table.begins[node]:
            table.coming[node] = value
            table.final[node] = FINAL_NEXT if final else 0
            table.pending[waiting] = node
            waiting += 1
        else:
            table.value[node] = value
            table.final[node] = FINAL if final else 0
        if not final:
            table.order[left] = node
            left += 1
    table.counts[FINISHED] = left
    return waiting


@kernel
def one_more_turn(table: Any, waiting: int) -> bool:
    """Let the values where turns begin be those of `sweep`; whether any changed."""
    changed = False
    for i in range(waiting):
        node = table.pending[i]
        changed |= table.value[node] != table.coming[node]
        table.value[node] = table.coming[node]
        if table.final[node] == FINAL_NEXT:
            table.final[node] = FINAL
    return changed


@kernel
def find_values(table: Any, turns: int) -> int:
    """Find the values of the new nodes with at most `turns` turns left.

    Returns:
        With how many turns left they became what they stay; or -1 if they have not: the values are those with `turns`
        left, and where a turn begins, with one less, as it is when that turn begins.
    """
    for turn in range(1, turns + 1):
        waiting = sweep(table)
        if turn == turns and table.counts[FINISHED]:
            return -1
        if not one_more_turn(table, waiting) or table.counts[FINISHED] == 0:
            return turn
    return -1


@kernel
def write_actions(table: Any, deck: Any, root: int, actions: int, values: Any) -> None:
    """Write the value of each action of `root`."""
    total, count = 0.0, 0
    i = table.first[root]
    while actions:
        edge = table.edges[i]
        total += table.value[edge >> MARK_BITS]
        count += 1
        i += 1
        if edge & LAST_OF_ACTION:
            values[lowest(actions)] = total / count
            total, count = 0.0, 0
            actions &= actions - 1


@kernel
def try_solve(table: Any, state: Any, deck: Any, budget: int, turns: int, values: Any) -> Any:
    """(whether it is solved, whether an empty table could do more). Unsolved, the table is as before."""
    nodes, edges = int(table.counts[NODES]), int(table.counts[EDGES])
    root = node_of(table, state, deck)
    horizon = int(table.counts[HORIZON])
    lasting = True
    table.counts[ADDED] = 0
    if root == NO_NODE:
        return False, True
    if root >= nodes:
        explored = explore(table, deck, root, nodes + budget)
        table.counts[ADDED] = table.counts[NODES] - nodes
        if not explored:
            within = table.counts[ADDED] <= budget
            forget(table, nodes, edges)
            return False, within and nodes > NUM_ENDS
        sweeps = find_values(table, turns - horizon)
        lasting = sweeps >= 0
        if not lasting and nodes > NUM_ENDS:
            forget(table, nodes, edges)
            return False, True
        table.counts[HORIZON] = horizon + sweeps
    unpack(table.words[root], table.scratch[HERE])
    write_actions(table, deck, root, legal(table.scratch[HERE], deck), values)
    if not lasting:
        forget_all(table)
    return True, False


@kernel
def solve_one(state: Any, deck: Any, table: Any, budget: int, values: Any) -> bool:
    """Write the greatest probability to win after each action of the learner, if at most `budget` new positions follow.

    Args:
        state: One record of a solo game; nothing is written to it. The learner is asked, or the game is over.
        deck: The deck of the game: that of all states the table was used for.
        table: Of `new_table`. Positions that were solved in it before cost nothing.
        budget: How many positions may be added to the table.
        values: Out, float64 of shape (41,): NOT_LEGAL for actions that are not legal; the value of the state is the
            greatest. What is written is only good if it is solved.

    Returns:
        Whether it is solved.
    """
    values[:] = NOT_LEGAL
    if state.decision == Decision.OVER:
        return True
    turns = int(state.max_turns) - int(state.turn)
    if turns <= table.counts[HORIZON]:
        forget_all(table)
    solved, again = try_solve(table, state, deck, budget, turns, values)
    if again:
        forget_all(table)
        solved, _ = try_solve(table, state, deck, budget, turns, values)
    return solved


# --- From Python ----------------------------------------------------------------------------------------------------


@kernel
def solve_all(states: Any, deck: Any, table: Any, budget: int, values: Any, solved: Any, positions: Any) -> None:
    """`solve_one` for each state, each from an empty table: so that one state does not decide what another costs."""
    for i in range(len(states)):
        forget_all(table)
        solved[i] = solve_one(states[i], deck, table, budget, values[i])
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


def solve(game: Game, states: np.ndarray, budget: int = DEFAULT_BUDGET, table: Table | None = None) -> Solution:
    """Exact play from each state of a solo game in which the learner is asked.

    Args:
        game: Solo Death Valley, with any options.
        states: Its states, of shape (n,); nothing is written to them.
        budget: How many positions may be written down for each; see `python -m training exact` for what that solves.
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
    solve_all(states, game.data[0], table, budget, action_values, solved, positions)
    action_values[~solved] = NOT_LEGAL
    values = np.where(solved, action_values.max(1), np.nan)
    return Solution(values, np.where(action_values == NOT_LEGAL, np.nan, action_values), solved, positions)
