"""The rules: set-up, turns, decisions and their consequences (rulebook, Setup to Solo Play).

A turn is a sequence of decisions. `step` carries out the answer to one, and goes on to the next that has more than one
legal answer. ``R1`` … ``R22`` are the rulings of ``docs/deathvalley.md``.
"""

from typing import Any

import numpy as np

from deathvalley_env.abilities import (
    all_choices,
    alternative,
    choices,
    swap_face_up,
    swap_partners,
    swap_visible,
    swap_with_hidden,
    travels_again,
)
from deathvalley_env.busts import AI, bust_hazards, clear_journey, discard_hazards, has_abilities, would_bust
from deathvalley_env.rows import (
    join_deck,
    join_journey,
    join_scrapbook,
    journey_cards,
    leave_rows,
    put_under,
    rows_of,
    shuffle_returned,
)
from deathvalley_env.scoring import update_scores
from deathvalley_env.state import MAX_BUSTS, RANDOM_FIRST, STATE
from deathvalley_env.vocabulary import NO_CARD, NUM_CARDS, NUM_PLAYERS, Action, Decision, Effect, Timing
from valley_core.bits import bit, lowest, size_of
from valley_core.jit import kernel
from valley_core.rng import below, shuffle

MOST_REST_DECISIONS = 3 * NUM_CARDS + 2
"""Decisions that the `before_rest` abilities of all cards can take: which ability, which card, which second card."""


# --- Set-up ---------------------------------------------------------------------------------------------------------


@kernel
def reset(state: Any, deck: Any) -> None:
    """Deal a new game from ``state.rng`` (rulebook, Setup; R14); the options of the state stay."""
    for card in range(NUM_CARDS):
        state.deck[card] = card
        state.under[card] = NO_CARD
        for player in range(NUM_PLAYERS):
            state.journey[player, card] = 0
            state.scrapbook[player, card] = 0
    for player in range(NUM_PLAYERS):
        state.journey_size[player] = 0
        state.scrapbook_size[player] = 0
        state.journey_set[player] = 0
        state.scrapbook_set[player] = 0
        state.discard[player] = 0
        state.busts[player] = 0
    state.deck_size = NUM_CARDS
    state.turn = 0
    state.at_limit = 0
    state.returned = 0
    state.touched = bit(0) | bit(1)
    shuffle(state, state.deck, NUM_CARDS)
    if state.solo:
        state.active = 0
    elif state.first_player == RANDOM_FIRST:
        state.active = below(state, NUM_PLAYERS)
    else:
        state.active = state.first_player
    state.face_up = take_top(state)
    begin_turn(state)
    settle(state, deck)


@kernel
def take_top(state: Any) -> int:
    """Take the top card of the deck."""
    state.deck_size -= 1
    return int(state.deck[state.deck_size])


@kernel
def begin_turn(state: Any) -> None:
    """Ask the active player for the turn's action."""
    state.player = state.active
    state.decision = Decision.TURN
    state.window = Timing.START_OF_TURN
    state.travel = NO_CARD
    state.traveled = NO_CARD
    state.asking = NO_CARD
    state.chosen = NO_CARD
    state.rested = 0
    state.checked = 0
    state.kept = 0
    state.used[:] = 0


# --- What is legal --------------------------------------------------------------------------------------------------
# A set of actions is a bit mask, as a set of cards is.


@kernel
def as_cards(cards: int) -> int:
    """The actions that name these cards."""
    return int(cards) << Action.CARD.value


@kernel
def usable_cards(state: Any, deck: Any, timing: int) -> int:
    """The cards with an ability of this timing that the asked player can use now (R13)."""
    player = int(state.player)
    rows = rows_of(state, player)
    cards = deck.timed[timing] & ~state.used[timing] & (rows[0] | rows[1])
    if timing == Timing.WHEN_TRAVELED:
        cards &= bit(state.traveled) if state.traveled != NO_CARD else 0
    usable = 0
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        if all_choices(state, deck, rows, player, card, timing) or travels_again(
            state, deck, rows, player, card, timing
        ):
            usable |= bit(card)
    return usable


@kernel
def travel_actions(state: Any) -> int:
    """The Travels that the Desert allows (rulebook, Travel and Backseat Driver Variant)."""
    actions = 0
    if state.face_up != NO_CARD:
        actions |= bit(Action.TRAVEL_FACE_UP.value)
        if state.backseat:
            actions |= bit(Action.TRAVEL_OTHER.value)
    if state.deck_size > 0:
        actions |= bit(Action.TRAVEL_TOP.value)
    return actions


@kernel
def window_actions(state: Any, deck: Any, otherwise: int) -> int:
    """Usable abilities, and `otherwise` unless one of them is mandatory (R7)."""
    usable = usable_cards(state, deck, state.window)
    actions = usable << Action.ABILITY.value
    if not usable & deck.mandatory[state.window]:
        actions |= otherwise
    return actions


@kernel
def turn_actions(state: Any, deck: Any) -> int:
    """Travel and Rest, and the abilities that can be used in the place of one of them, or must be (R21, R22)."""
    travels, rests = travel_actions(state), bit(Action.REST.value)
    if not deck.timed[Timing.INSTEAD_OF_TRAVEL] | deck.timed[Timing.INSTEAD_OF_REST]:  # as in most decks
        return travels | rests
    for_travel = usable_cards(state, deck, Timing.INSTEAD_OF_TRAVEL.value)
    for_rest = usable_cards(state, deck, Timing.INSTEAD_OF_REST.value)
    if for_travel & deck.mandatory[Timing.INSTEAD_OF_TRAVEL]:
        travels = 0
    if for_rest & deck.mandatory[Timing.INSTEAD_OF_REST]:
        rests = 0
    return travels | rests | (for_travel | for_rest) << Action.ABILITY.value


@kernel
def answers(state: Any, deck: Any) -> int:
    """The answers to the pending decision, before it is asked whether a Rest stays possible (R8)."""
    decision = state.decision
    player = int(state.player)
    if decision == Decision.TURN:
        return window_actions(state, deck, turn_actions(state, deck))
    if decision == Decision.ABILITY:
        return window_actions(state, deck, bit(Action.DONE.value))
    if decision == Decision.CARD:
        return as_cards(all_choices(state, deck, rows_of(state, player), player, state.asking, state.window))
    if decision == Decision.TRAVEL:
        return travel_actions(state)
    if decision == Decision.SECOND_CARD:
        return as_cards(second_choices(state, deck))
    if decision == Decision.REST:
        return as_cards(journey_cards(state, player))
    if decision == Decision.HIDE or decision == Decision.RETURN:
        return as_cards(journey_cards(state, player)) | bit(Action.DONE.value)
    if decision == Decision.OVER:
        return 0
    raise NotImplementedError("this decision has no answers")


@kernel
def second_choices(state: Any, deck: Any) -> int:
    """The cards that can change places with the card chosen first."""
    player, card = int(state.player), int(state.asking)
    rows = rows_of(state, player)
    i = alternative(state, deck, rows, player, card, state.window, state.chosen)
    ability = deck.abilities[card, i]
    if ability.effect == Effect.SWAP_HIDDEN:
        return swap_partners(state, rows[0], card, state.chosen)
    return choices(state, rows, player, card, ability) & ~bit(state.chosen)


@kernel
def legal(state: Any, deck: Any) -> int:
    """The set of legal actions: bit a stands for action a."""
    actions = answers(state, deck)
    if state.decision == Decision.TURN:
        if actions & bit(Action.REST.value) and not stays_possible(state, deck, Action.REST.value):
            actions &= ~bit(Action.REST.value)
    elif state.window == Timing.BEFORE_REST and state.decision <= Decision.SECOND_CARD and actions & (actions - 1):
        remaining = actions
        while remaining:
            action = lowest(remaining)
            remaining &= remaining - 1
            if not stays_possible(state, deck, action):
                actions &= ~bit(action)
    return actions


@kernel
def stays_possible(state: Any, deck: Any, action: int) -> bool:
    """Whether, after `action`, the `before_rest` abilities can be resolved and leave a Journey card to move (R8)."""
    player = int(state.player)
    size = int(state.journey_size[player])
    unused = deck.timed[Timing.BEFORE_REST] & ~state.used[Timing.BEFORE_REST]
    if state.decision == Decision.TURN and not unused & (state.journey_set[player] | state.scrapbook_set[player]):
        return size > 0  # nothing to resolve
    # Each ability, the one being resolved included, takes at most one card out of the Journey: mostly a count decides.
    resolving = 1 if state.decision == Decision.CARD or state.decision == Decision.SECOND_CARD else 0
    return size > size_of(unused) + resolving or can_rest(state, deck, action)


@kernel
def can_rest(state: Any, deck: Any, action: int) -> bool:
    """The same by search through all orders and choices, depth first."""
    states = np.empty(MOST_REST_DECISIONS, STATE)
    open_actions = np.empty(MOST_REST_DECISIONS, np.int64)
    states[0] = state
    carry_out(states[0], deck, action)
    open_actions[0] = answers(states[0], deck)
    level = 0
    while level >= 0:
        here = states[level]
        if here.decision == Decision.REST and open_actions[level]:
            return True
        if here.decision == Decision.REST or not open_actions[level]:
            level -= 1
            continue
        tried = lowest(open_actions[level])
        open_actions[level] &= open_actions[level] - 1
        level += 1
        states[level] = here
        carry_out(states[level], deck, tried)
        open_actions[level] = answers(states[level], deck)
    return False


# --- Carrying out a decision ----------------------------------------------------------------------------------------


@kernel
def step(state: Any, deck: Any, action: int) -> None:
    """Carry out a legal action, and all that follows until a player has a choice again."""
    carry_out(state, deck, action)
    settle(state, deck)


@kernel
def settle(state: Any, deck: Any) -> None:
    """Take the decisions with one answer, and the turns of the solo AI; then note what is legal, and the scores."""
    while True:
        if state.decision == Decision.OVER:
            state.legal = 0
            break
        if state.solo and state.active == AI and state.decision == Decision.TURN:
            ai_turn(state, deck)
            continue
        if state.decision == Decision.ABILITY and usable_cards(state, deck, state.window) == 0:
            leave_window(state, deck)  # most windows: nothing can be done
            continue
        actions = legal(state, deck)
        if actions & (actions - 1) or (state.ask_forced and actions != bit(Action.DONE.value)):
            state.legal = actions
            break
        carry_out(state, deck, lowest(actions))
    update_scores(state, deck)


@kernel
def carry_out(state: Any, deck: Any, action: int) -> None:
    """Carry out the answer to the pending decision."""
    decision = state.decision
    if action >= Action.ABILITY and action < Action.CARD:
        use_ability(state, deck, action - Action.ABILITY)
    elif decision == Decision.TURN or decision == Decision.TRAVEL:
        if action == Action.REST:
            state.rested = 1
            open_window(state, Timing.BEFORE_REST)
        else:
            state.travel = action
            open_window(state, Timing.BEFORE_TRAVEL)
    elif decision == Decision.ABILITY:
        leave_window(state, deck)
    elif decision == Decision.CARD:
        choose_card(state, deck, action - Action.CARD)
    elif decision == Decision.SECOND_CARD:
        swap(state, deck, state.chosen, action - Action.CARD)
        ability_resolved(state, deck)
    elif decision == Decision.REST:
        rest(state, action - Action.CARD)
    elif decision == Decision.HIDE:
        hide_or_go_on(state, action)
    elif decision == Decision.RETURN:
        return_or_go_on(state, action)
    else:
        raise NotImplementedError("this decision has no rule")


@kernel
def open_window(state: Any, timing: int) -> None:
    """Ask for the abilities of a timing."""
    state.window = timing
    state.decision = Decision.ABILITY
    state.asking = NO_CARD


@kernel
def leave_window(state: Any, deck: Any) -> None:
    """Go on when no more abilities of the open window are used."""
    window = state.window
    if window == Timing.BEFORE_TRAVEL:
        travel(state, deck, state.travel)
    elif window == Timing.WHEN_TRAVELED:
        open_window(state, Timing.AFTER_TRAVEL)
    elif window == Timing.BEFORE_REST:
        state.decision = Decision.REST
        state.asking = NO_CARD
    elif window == Timing.AFTER_TRAVEL and state.rested:
        open_window(state, Timing.AFTER_REST)  # a Travel that an `after_rest` ability granted
    elif window == Timing.WHEN_BUSTING:
        clear_journey(state, state.player)
        end_turn(state, deck)
    elif window == Timing.AFTER_TRAVEL or window == Timing.AFTER_REST:
        end_turn(state, deck)
    else:
        raise NotImplementedError("this timing has no rule for what follows it")


# Travel


@kernel
def travel(state: Any, deck: Any, action: int) -> None:
    """Take a card of the Desert; then resolve what happens when and after you Travel (R12, R20)."""
    state.travel = NO_CARD
    if action == Action.TRAVEL_TOP:
        card = take_top(state)
    else:
        card = int(state.face_up)
        state.face_up = NO_CARD
    if action == Action.TRAVEL_OTHER:
        join_journey(state, 1 - state.player, card)
        state.traveled = NO_CARD
    else:
        join_journey(state, state.player, card)
        state.traveled = card
    open_window(state, Timing.WHEN_TRAVELED)


# Rest (R8)


@kernel
def rest(state: Any, card: int) -> None:
    """Move a Journey card to the Scrapbook; others may be hidden under it."""
    leave_rows(state, state.player, card)
    join_scrapbook(state, state.player, card)
    state.asking = card
    state.decision = Decision.HIDE


@kernel
def hide_or_go_on(state: Any, action: int) -> None:
    """Hide one more Journey card under the card just moved."""
    if action == Action.DONE:
        state.decision = Decision.RETURN
        state.asking = NO_CARD
    else:
        card = action - Action.CARD
        leave_rows(state, state.player, card)
        put_under(state, card, state.asking)


@kernel
def return_or_go_on(state: Any, action: int) -> None:
    """Put one more Journey card into the deck, which is shuffled once at the end."""
    if action == Action.DONE:
        shuffle_returned(state)
        open_window(state, Timing.AFTER_REST)
    else:
        card = action - Action.CARD
        leave_rows(state, state.player, card)
        join_deck(state, card)


# Abilities


@kernel
def use_ability(state: Any, deck: Any, card: int) -> None:
    """Use the ability of `card` in the open window, or in the place of the turn's action: once a turn (R13)."""
    if state.decision == Decision.TURN:
        state.window = timing_at_turn(deck, card)
    state.used[state.window] |= bit(card)
    if travels_again(state, deck, rows_of(state, state.player), state.player, card, state.window):
        state.decision = Decision.TRAVEL
    else:
        state.asking = card
        state.decision = Decision.CARD


@kernel
def timing_at_turn(deck: Any, card: int) -> int:
    """Which of the timings that are offered beside Travel and Rest `card` has: the deck checker allows one of them."""
    if deck.timed[Timing.INSTEAD_OF_TRAVEL] & bit(card):
        return Timing.INSTEAD_OF_TRAVEL.value
    if deck.timed[Timing.INSTEAD_OF_REST] & bit(card):
        return Timing.INSTEAD_OF_REST.value
    return Timing.START_OF_TURN.value


@kernel
def ability_resolved(state: Any, deck: Any) -> None:
    """Go on in the window that the ability was used in, or end the turn if it replaced the action (R21, R22)."""
    state.asking = NO_CARD
    state.chosen = NO_CARD
    window = state.window
    if window == Timing.INSTEAD_OF_TRAVEL or window == Timing.INSTEAD_OF_REST:
        end_turn(state, deck)
    else:
        state.decision = Decision.TURN if window == Timing.START_OF_TURN else Decision.ABILITY


@kernel
def choose_card(state: Any, deck: Any, card: int) -> None:
    """Resolve the ability being used on `card`, or ask for the second card of a swap."""
    player = int(state.player)
    rows = rows_of(state, player)
    ability = deck.abilities[state.asking, alternative(state, deck, rows, player, state.asking, state.window, card)]
    effect = ability.effect
    if effect == Effect.SWAP_CARDS or effect == Effect.SWAP_HIDDEN:
        state.chosen = card
        state.decision = Decision.SECOND_CARD
        return
    if effect == Effect.SWAP_FACE_UP:
        swap_face_up(state, player, card)
    elif effect == Effect.KEEP:
        state.kept |= bit(card)
    else:
        leave_rows(state, player, card)
        if effect == Effect.SHUFFLE:
            join_deck(state, card)
            shuffle_returned(state)
        elif effect == Effect.HIDE:
            put_under(state, card, state.asking)
        elif effect == Effect.TO_SCRAPBOOK:
            join_scrapbook(state, player, card)
        elif effect == Effect.TO_JOURNEY:
            join_journey(state, player, card)
        elif effect == Effect.SEND:
            join_journey(state, 1 - player, card)
        else:
            raise NotImplementedError("this effect has no rule")
    ability_resolved(state, deck)


@kernel
def swap(state: Any, deck: Any, first: int, second: int) -> None:
    """Carry out a swap of two cards of the player."""
    player = int(state.player)
    rows = rows_of(state, player)
    i = alternative(state, deck, rows, player, state.asking, state.window, first)
    effect = deck.abilities[state.asking, i].effect
    if effect == Effect.SWAP_HIDDEN:
        swap_with_hidden(state, player, first, second)
    elif effect == Effect.SWAP_CARDS:
        swap_visible(state, player, first, second)
    else:
        raise NotImplementedError("this effect swaps no two cards")


# End of the turn


@kernel
def end_turn(state: Any, deck: Any) -> None:
    """Check busts, the active player's first (R5); refresh the Desert; end the turn or the game (R6, R11).

    A player with `when_busting` abilities is asked in between: `leave_window` then comes back to this.
    """
    players = NUM_PLAYERS if state.backseat else 1
    while state.checked < players:
        player = state.active if state.checked == 0 else 1 - state.active
        state.checked += 1
        hazards = bust_hazards(state, deck, player)
        if hazards:
            state.busts[player] = min(int(state.busts[player]) + 1, MAX_BUSTS)
            discard_hazards(state, deck, player, hazards)
            if has_abilities(state, player):
                state.player = player
                open_window(state, Timing.WHEN_BUSTING)
                return
            clear_journey(state, player)
    if state.face_up == NO_CARD and state.deck_size > 0:
        state.face_up = take_top(state)
    state.turn += 1
    desert = state.deck_size + (1 if state.face_up != NO_CARD else 0)
    if desert > 1 and state.turn < state.max_turns:
        state.active = 1 - state.active
        begin_turn(state)
    else:
        state.player = state.active
        state.decision = Decision.OVER
        state.at_limit = 1 if desert > 1 else 0


# --- The rulebook's AI (rulebook, Solo Play; R9) --------------------------------------------------------------------


@kernel
def ai_travel(state: Any, deck: Any) -> int:
    """How the AI travels, as an action of its own."""
    card = state.face_up
    if would_bust(state, deck, 1 - AI, card) or would_bust(state, deck, AI, card):
        return Action.TRAVEL_OTHER.value
    if journey_cards(state, AI) & deck.of_hazard[deck.hazard[card]]:
        return Action.TRAVEL_TOP.value
    return Action.TRAVEL_FACE_UP.value


@kernel
def ai_turn(state: Any, deck: Any) -> None:
    """The AI's turn: one Travel, no abilities."""
    action = ai_travel(state, deck)
    card = take_top(state) if action == Action.TRAVEL_TOP else int(state.face_up)
    if action != Action.TRAVEL_TOP:
        state.face_up = NO_CARD
    join_journey(state, 1 - AI if action == Action.TRAVEL_OTHER else AI, card)
    end_turn(state, deck)
