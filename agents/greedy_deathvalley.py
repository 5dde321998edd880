"""A strong player of Death Valley by rules of thumb: a look at what each action leads to within the own turn.

An action is carried out on a copy of the game, the turn is completed plainly (optional abilities declined), and the
position is judged by `judge`: the estimated chance to win, from scores, busts, and both players' danger to bust on the
cards that may come. Where the action takes the top of the deck, each unseen card is put there in turn, all equally
likely.

Nothing depends on what is hidden: the copy's deck is sorted and its random numbers are fixed before anything is tried,
and a card that only then turns up counts as unknown.
"""

from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np

from deathvalley_env.busts import trapped, would_bust
from deathvalley_env.hidden import conceal, put_on_top
from deathvalley_env.rows import hidden_in_row, journey_cards, scrapbook_cards
from deathvalley_env.rules import carry_out, legal
from deathvalley_env.scoring import NO_WINNER, ending, score_of, update_scores
from deathvalley_env.state import STATE
from deathvalley_env.vocabulary import NO_CARD, NUM_CARDS, NUM_HAZARDS, Action, Decision, Timing
from valley_core.bits import bit, lowest, size_of
from valley_core.jit import kernel


class Feature(IntEnum):
    """What a position is judged by. "Own" is the player who judges, "other" the opponent."""

    ONE = 0
    """Always 1."""
    MARGIN = 1
    """Score margin / 10."""
    MARGIN_LATE = 2
    """MARGIN / square root of the cards in the Desert."""
    OWN_STAKE_AT_RISK = 3
    """What is lost with the Journey, / 10, × OWN_RISK."""
    OTHER_STAKE_AT_RISK = 4
    """What the other player loses with the Journey, / 10, × OTHER_RISK."""
    OWN_RISK = 5
    """Chance that a random unseen card busts."""
    OTHER_RISK = 6
    """Chance that a random unseen card busts the other player."""
    OWN_BLOW = 7
    """Chance that the face-up card busts."""
    OTHER_BLOW = 8
    """Chance that the other player busts next turn, playing as the solo AI."""
    OWN_STAKE_AT_BLOW = 9
    """What is lost with the Journey, / 10, × OWN_BLOW."""
    OTHER_STAKE_AT_BLOW = 10
    """What the other player loses with the Journey, / 10, × OTHER_BLOW."""
    OWN_PAIRING = 11
    """Chance that a random unseen card makes a second of a hazard, or one more without a bust."""
    OTHER_PAIRING = 12
    """OWN_PAIRING of the other player."""
    OWN_JOURNEY = 13
    """Cards in the Journey / 6."""
    OTHER_JOURNEY = 14
    """Cards in the other player's Journey / 6."""
    OWN_SCRAPBOOK = 15
    """Cards in the Scrapbook / 4."""
    OTHER_SCRAPBOOK = 16
    """Cards in the other player's Scrapbook / 4."""
    OWN_HIDDEN = 17
    """Cards hidden in the Scrapbook / 4."""
    GIVEN_POINTS = 18
    """Points that the other player gives away next turn, playing as the solo AI, / 5."""
    TAKEN_POINTS = 19
    """Points that the other player takes next turn, likewise."""
    BUSTS_AHEAD = 20
    """By how many busts the other player is ahead, at most 4, / 4."""
    FEWER_BUSTS = 21
    """1 if the other player busted more often."""
    MORE_BUSTS = 22
    """1 if the other player busted less often."""
    MARGIN_FEWER_BUSTS = 23
    """Score margin / 10 where the other player busted more often."""
    DISCARDED = 24
    """Cards in both discard piles / 6."""
    DESERT = 25
    """Cards in the Desert / 17."""


NUM_FEATURES = len(Feature)
SETTINGS = ("base", "backseat", "solo", "solo discard_points", "solo must_outbust", "solo both")
STAGES = ("always", "early", "late")
"""Each feature has a weight always, one that fades with the cards in the Desert, and one that grows near the end."""


def load_weights(path: Path) -> np.ndarray:
    """The weights of shape (settings, stages, features), from a file with a line for each feature.

    They were tuned in play: the comment in the file says how.
    """
    rows = [line.split(",") for line in path.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    assert rows[0][1:] == [f"{setting}/{stage}" for setting in SETTINGS for stage in STAGES]
    assert [row[0] for row in rows[1:]] == [feature.name.lower() for feature in Feature]
    table = np.array([row[1:] for row in rows[1:]], np.float64)
    return np.ascontiguousarray(table.T.reshape(len(SETTINGS), len(STAGES), NUM_FEATURES))


WEIGHTS = load_weights(Path(__file__).with_name("greedy_deathvalley.csv"))

# Positions in the scratch states of a thread.
ROOT = 0
"""The game as the player knows it."""
WALK = 1
"""The same some decisions later, during a Rest in thought."""
TRIED = 2
"""After one action and the rest of the turn."""
NUM_SCRATCH = 3

MOST_CARDS = NUM_CARDS - 1
LAST_CARDS = 6
"""Cards in the Desert below which the end of the game is near."""

TRAPPED = 0.01
"""The estimated chance to win with a Scrapbook that busts by itself."""

SURELY = 1e-9
"""By how much a judgement must be better to count as better: rounding must not decide."""


# --- Judging a position ---------------------------------------------------------------------------------------------


@kernel
def setting_of(state: Any) -> int:
    """The row of weights: base, backseat, and solo with its four modifier settings."""
    if not state.solo:
        return int(state.backseat)
    return 2 + int(state.discard_points) + 2 * int(state.must_outbust)


@kernel
def dangers(state: Any, deck: Any, player: int, unseen: int) -> int:
    """The set of hazards of which one more unseen card would bust `player`."""
    visible = journey_cards(state, player) | scrapbook_cards(state, player)
    hazards = 0
    for hazard in range(NUM_HAZARDS):
        of_hazard = int(deck.of_hazard[hazard])
        if unseen & of_hazard and size_of(visible & of_hazard) > 1:
            if would_bust(state, deck, player, lowest(unseen & of_hazard)):
                hazards |= bit(hazard)
    return hazards


@kernel
def cards_of_hazards(deck: Any, hazards: int) -> int:
    """The cards of a set of hazards."""
    cards = 0
    for hazard in range(NUM_HAZARDS):
        if hazards & bit(hazard):
            cards |= int(deck.of_hazard[hazard])
    return cards


@kernel
def matching(deck: Any, cards: int) -> int:
    """The cards that share a hazard with one of `cards`."""
    found = 0
    for hazard in range(NUM_HAZARDS):
        if cards & int(deck.of_hazard[hazard]):
            found |= int(deck.of_hazard[hazard])
    return found


@kernel
def points_on(deck: Any, cards: int) -> float:
    """What the cards of a set are worth on average, as the solo AI counts them; 0 for an empty set."""
    total, left = 0, cards
    while left:
        total += int(deck.ai_points[lowest(left)])
        left &= left - 1
    return total / max(1, size_of(cards))


@kernel
def share(cards: int, among: int) -> float:
    """The part of the set `among` that is in `cards`."""
    return size_of(cards & among) / max(1, size_of(among))


@kernel
def stake(state: Any, deck: Any, player: int) -> int:
    """What `player` would lose with the whole Journey."""
    size, cards = state.journey_size[player], state.journey_set[player]
    state.journey_size[player], state.journey_set[player] = 0, 0
    without = score_of(state, deck, player)
    state.journey_size[player], state.journey_set[player] = size, cards
    return int(state.scores[player]) - without


@kernel
def write_features(state: Any, deck: Any, me: int, unknown: bool, out: Any) -> None:
    """Write the features of a position after the turn of `me`; `unknown`: the face-up card is not known in truth."""
    other = 1 - me
    face = bit(state.face_up) if state.face_up != NO_CARD else 0
    unseen = face if unknown else 0
    for k in range(state.deck_size):
        unseen |= bit(state.deck[k])
    if unknown:
        face = unseen
    desert = int(state.deck_size) + (1 if state.face_up != NO_CARD else 0)

    update_scores(state, deck)
    margin = (state.scores[me] - state.scores[other]) / 10
    own_stake, other_stake = stake(state, deck, me) / 10, stake(state, deck, other) / 10
    pool = unseen | face
    own_danger = cards_of_hazards(deck, dangers(state, deck, me, pool))
    other_danger = cards_of_hazards(deck, dangers(state, deck, other, pool))
    own_visible = journey_cards(state, me) | scrapbook_cards(state, me)
    other_visible = journey_cards(state, other) | scrapbook_cards(state, other)
    own_risk, other_risk = share(own_danger, unseen), share(other_danger, unseen)

    # The other player's next turn, by the rule of the solo AI: the face-up card goes to `me` if it would bust either,
    # to the other if it matches none of their cards; else they take the top.
    given = face & (own_danger | other_danger)
    taken = face & ~given & ~matching(deck, other_visible)
    drawn = share(face & ~given & ~taken, face)
    own_blow = share(own_danger, face)
    other_blow = drawn * other_risk if state.backseat else other_risk
    leads, trails = state.busts[other] > state.busts[me], state.busts[other] < state.busts[me]

    out[Feature.ONE] = 1.0
    out[Feature.MARGIN] = margin
    out[Feature.MARGIN_LATE] = margin / np.sqrt(max(1, desert))
    out[Feature.OWN_STAKE_AT_RISK] = own_stake * own_risk
    out[Feature.OTHER_STAKE_AT_RISK] = other_stake * other_risk
    out[Feature.OWN_RISK] = own_risk
    out[Feature.OTHER_RISK] = other_risk
    out[Feature.OWN_BLOW] = own_blow
    out[Feature.OTHER_BLOW] = other_blow
    out[Feature.OWN_STAKE_AT_BLOW] = own_stake * own_blow
    out[Feature.OTHER_STAKE_AT_BLOW] = other_stake * other_blow
    out[Feature.OWN_PAIRING] = share(matching(deck, own_visible) & ~own_danger, unseen)
    out[Feature.OTHER_PAIRING] = share(matching(deck, other_visible) & ~other_danger, unseen)
    out[Feature.OWN_JOURNEY] = state.journey_size[me] / 6
    out[Feature.OTHER_JOURNEY] = state.journey_size[other] / 6
    out[Feature.OWN_SCRAPBOOK] = state.scrapbook_size[me] / 4
    out[Feature.OTHER_SCRAPBOOK] = state.scrapbook_size[other] / 4
    out[Feature.OWN_HIDDEN] = size_of(hidden_in_row(state, state.scrapbook[me], state.scrapbook_size[me])) / 4
    out[Feature.GIVEN_POINTS] = share(given, face) * points_on(deck, given) / 5
    out[Feature.TAKEN_POINTS] = (share(taken, face) * points_on(deck, taken) + drawn * points_on(deck, unseen)) / 5
    out[Feature.BUSTS_AHEAD] = max(-4, min(4, int(state.busts[other]) - int(state.busts[me]))) / 4
    out[Feature.FEWER_BUSTS] = 1.0 if leads else 0.0
    out[Feature.MORE_BUSTS] = 1.0 if trails else 0.0
    out[Feature.MARGIN_FEWER_BUSTS] = margin if leads else 0.0
    out[Feature.DISCARDED] = (size_of(int(state.discard[0])) + size_of(int(state.discard[1]))) / 6
    out[Feature.DESERT] = desert / MOST_CARDS


@kernel
def judge(state: Any, deck: Any, me: int, unknown: bool, weights: Any, features: Any) -> float:
    """The estimated chance that `me` wins."""
    if state.decision == Decision.OVER:
        update_scores(state, deck)
        winner, _ = ending(state)
        return 0.5 if winner == NO_WINNER else (1.0 if winner == me else 0.0)
    write_features(state, deck, me, unknown, features)
    if trapped(state, deck, me):
        return TRAPPED
    early = features[Feature.DESERT]
    late = max(0.0, 1 - early * MOST_CARDS / LAST_CARDS)
    row = weights[setting_of(state)]
    total = 0.0
    for i in range(NUM_FEATURES):
        total += features[i] * (row[0, i] + early * row[1, i] + late * row[2, i])
    return 1.0 / (1.0 + np.exp(-total))


# --- Trying an action -----------------------------------------------------------------------------------------------


@kernel
def least_starred(deck: Any, actions: int) -> int:
    """Of the actions that name cards, the one whose card has the fewest stars."""
    best, fewest = -1, 100
    for card in range(NUM_CARDS):
        if (actions >> (Action.CARD.value + card)) & 1 and deck.stars[card] < fewest:
            best, fewest = Action.CARD.value + card, int(deck.stars[card])
    return best


@kernel
def plain_answer(state: Any, deck: Any) -> int:
    """How a turn in thought goes on: nothing optional."""
    actions = int(legal(state, deck))
    if (actions >> Action.DONE.value) & 1:
        return Action.DONE.value
    if state.decision == Decision.REST:
        return least_starred(deck, actions)
    return lowest(actions)


@kernel
def complete(state: Any, deck: Any) -> bool:
    """Complete the turn plainly, or the use of an ability at its start; whether a card turned up that is unknown."""
    turn = int(state.turn)
    unknown = False
    while state.decision != Decision.OVER and state.decision != Decision.TURN:
        answer = plain_answer(state, deck)
        unknown = state.face_up == NO_CARD
        carry_out(state, deck, answer)
    return unknown and state.turn != turn


@kernel
def takes_top(state: Any, action: int) -> bool:
    """Whether the top of the deck is taken next: by this action, or by the Travel that waits for abilities (R20)."""
    if action == Action.TRAVEL_TOP:
        return True
    return state.window == Timing.BEFORE_TRAVEL and state.travel == Action.TRAVEL_TOP


@kernel
def value_of(states: Any, source: int, deck: Any, me: int, action: int, weights: Any, features: Any) -> float:
    """The chance to win after `action` and the plain rest of the turn."""
    here, tried = states[source], states[TRIED]
    if not takes_top(here, action):
        states[TRIED] = here
        carry_out(tried, deck, action)
        return judge(tried, deck, me, complete(tried, deck), weights, features)
    total = 0.0
    for k in range(here.deck_size):
        states[TRIED] = here
        put_on_top(tried, k)
        carry_out(tried, deck, action)
        total += judge(tried, deck, me, complete(tried, deck), weights, features)
    return total / here.deck_size


@kernel
def best_answer(states: Any, source: int, deck: Any, me: int, actions: int, weights: Any, features: Any) -> Any:
    """(action, value): the best of `actions`, each completed plainly; of equals, the first."""
    best, best_value = -1, -1.0
    while actions:
        action = lowest(actions)
        actions &= actions - 1
        value = value_of(states, source, deck, me, action, weights, features)
        if value > best_value + SURELY:
            best, best_value = action, value
    return best, best_value


@kernel
def walked_value(states: Any, deck: Any, me: int, start: int, weights: Any, features: Any) -> float:
    """The chance to win after a Rest, or an ability in the place of the turn's action.

    Each of its decisions is taken as well as `best_answer` can.
    """
    states[WALK] = states[ROOT]
    walk = states[WALK]
    turn = int(walk.turn)
    carry_out(walk, deck, start)
    value = 0.0
    while walk.turn == turn and walk.decision != Decision.TURN and walk.decision != Decision.OVER and walk.player == me:
        if walk.window == Timing.AFTER_REST:  # the deck has been shuffled: look no further
            return judge(walk, deck, me, complete(walk, deck), weights, features)
        action, value = best_answer(states, WALK, deck, me, int(legal(walk, deck)), weights, features)
        carry_out(walk, deck, action)
    return value


@kernel
def replacing_cards(deck: Any) -> int:
    """The cards whose ability can be used in the place of Travel or Rest."""
    return int(deck.timed[Timing.INSTEAD_OF_TRAVEL] | deck.timed[Timing.INSTEAD_OF_REST])


@kernel
def replaces_travel(deck: Any, action: int) -> bool:
    """Whether an action at the turn's choice is a Rest, or an ability in the place of Travel or Rest."""
    return ((bit(Action.REST.value) | replacing_cards(deck) << Action.ABILITY.value) >> action) & 1 != 0


@kernel
def choose_at_start(states: Any, deck: Any, me: int, actions: int, weights: Any, features: Any) -> int:
    """The action of a turn: an ability if the position is better for it, else the best of Travel and Rest."""
    replacing = actions & (replacing_cards(deck) << Action.ABILITY.value)
    abilities = (actions >> Action.ABILITY.value) << Action.ABILITY.value & ~replacing
    action, value = best_answer(
        states, ROOT, deck, me, actions & ~abilities & ~replacing & ~bit(Action.REST.value), weights, features
    )
    if value > 1 - SURELY:  # wins at once
        return action
    while replacing:
        ability = lowest(replacing)
        replacing &= replacing - 1
        better = walked_value(states, deck, me, ability, weights, features)
        if action < 0 or better > value + SURELY:
            action, value = ability, better
    if abilities:
        ability, better = best_answer(states, ROOT, deck, me, abilities, weights, features)
        if action < 0 or better > judge(states[ROOT], deck, me, False, weights, features) + SURELY:
            return ability
    if actions & bit(Action.REST.value):
        if action < 0 or walked_value(states, deck, me, Action.REST.value, weights, features) > value + SURELY:
            return Action.REST.value
    return action


@kernel
def choose(states: Any, deck: Any, me: int, weights: Any, features: Any) -> int:
    """The greedy choice in ``states[ROOT]``, from which `conceal` has taken what is hidden."""
    root = states[ROOT]
    actions = int(root.legal)
    if root.decision == Decision.TURN:
        return choose_at_start(states, deck, me, actions, weights, features)
    action, _ = best_answer(states, ROOT, deck, me, actions, weights, features)
    return action


@kernel
def choose_all(states: Any, data: Any, seats: Any, scratch: Any, weights: Any, features: Any, actions: Any) -> None:
    """The choice of one seat of each game."""
    for i in range(len(states)):
        scratch[ROOT] = states[i]
        conceal(scratch[ROOT], int(seats[i]))
        actions[i] = choose(scratch, data[states[i]["data"]], int(seats[i]), weights, features)


def choose_some(states: np.ndarray, data: np.ndarray, seats: np.ndarray, actions: np.ndarray) -> None:
    """Write the greedy choice of one seat of each game into `actions`."""
    choose_all(states, data, seats, np.zeros(NUM_SCRATCH, STATE), WEIGHTS, np.zeros(NUM_FEATURES), actions)


# --- For search -------------------------------------------------------------------------------------------------------

SHARPNESS = 12.0
"""By how much a difference in the chance to win counts in the priors of `judge_leaf`: their logarithm for each unit."""

JUDGE_PARAMS = WEIGHTS
"""Handed to `judge_leaf`."""


@kernel
def follow(state: Any, deck: Any, seat: int) -> int:
    """The greedy choice, as `choose_some` makes it, in one game."""
    states, features = np.empty(NUM_SCRATCH, STATE), np.empty(NUM_FEATURES)
    states[ROOT] = state
    conceal(states[ROOT], seat)
    return choose(states, deck, seat, WEIGHTS, features)


@kernel
def judge_leaf(
    state: Any, deck: Any, seat: int, mask: Any, chance: Any, weights: Any, priors: Any, values: Any
) -> None:
    """Judge a position by the best of its actions, and these by what greedy sees in them (`agents.search`)."""
    states, features = np.empty(NUM_SCRATCH, STATE), np.empty(NUM_FEATURES)
    states[ROOT] = state
    conceal(states[ROOT], seat)
    best = 0.0
    for action in range(len(mask)):
        if mask[action]:
            if state.decision == Decision.TURN and replaces_travel(deck, action):
                priors[action] = walked_value(states, deck, seat, action, weights, features)
            else:
                priors[action] = value_of(states, ROOT, deck, seat, action, weights, features)
            best = max(best, priors[action])
    for action in range(len(mask)):
        if mask[action]:
            priors[action] = np.exp(SHARPNESS * (priors[action] - best))
    values[seat] = 2 * best - 1
    values[1 - seat] = 1 - 2 * best
