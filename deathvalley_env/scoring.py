"""Scores and the winner (rulebook, Winning the Game and Solo Play; R10, R16)."""

from typing import Any

from deathvalley_env.abilities import applies, looks_at, selected
from deathvalley_env.busts import AI, has_abilities
from deathvalley_env.rows import journey_cards, rows_of
from deathvalley_env.vocabulary import NUM_HAZARDS, NUM_PLAYERS, Decision, Effect, Ending, Per, Row, Timing
from valley_core.bits import bit, lowest, size_of
from valley_core.jit import kernel

NO_WINNER = -1


@kernel
def total_of(values: Any, cards: int) -> int:
    """The sum of `values` (stars or skulls of all cards) over a set of cards."""
    total = 0
    while cards:
        total += int(values[lowest(cards)])
        cards &= cards - 1
    return total


@kernel
def rows_without(deck: Any, rows: Any, selection: Any) -> int:
    """How many of the rows of a selection have no visible card of its hazard; an empty row has none."""
    if selection.hazard < 0 or selection.hazard >= NUM_HAZARDS:
        raise NotImplementedError("no card has this hazard")
    of_hazard = deck.of_hazard[selection.hazard]
    count = 0
    if looks_at(selection.row, Row.JOURNEY.value) and not rows[0] & of_hazard:
        count += 1
    if looks_at(selection.row, Row.SCRAPBOOK.value) and not rows[1] & of_hazard:
        count += 1
    return count


@kernel
def ability_points(state: Any, deck: Any, rows: Any, player: int, card: int, ability: Any) -> int:
    """What one `points` ability of `card` scores."""
    if not applies(state, rows, player, card, ability.condition):
        return 0
    per = ability.per
    if per == Per.ONCE:
        count = 1
    elif per == Per.ROW_WITHOUT:
        count = rows_without(deck, rows, ability.select)
    else:
        cards = selected(state, rows, player, card, ability.select)
        if per == Per.CARD:
            count = size_of(cards)
        elif per == Per.STAR:
            count = total_of(deck.stars, cards)
        elif per == Per.SKULL:
            count = total_of(deck.skulls, cards)
        else:
            raise NotImplementedError("nothing is known to count points by this")
    if ability.every > 1:
        count //= int(ability.every)
    points = count * int(ability.points)
    if ability.cap:
        points = max(-int(ability.cap), min(int(ability.cap), points))
    return points


@kernel
def card_ability_points(state: Any, deck: Any, rows: Any, player: int, card: int) -> int:
    """What the scoring abilities of a visible card score."""
    points = 0
    for i in range(deck.first[card, Timing.SCORING.value], deck.first[card, Timing.SCORING.value + 1]):
        ability = deck.abilities[card, i]
        if ability.effect == Effect.POINTS:
            points += ability_points(state, deck, rows, player, card, ability)
        elif ability.effect != Effect.SCORE_NOTHING:  # which `silenced_cards` has dealt with
            raise NotImplementedError("this effect has no rule in scoring")
    return points


@kernel
def silenced_cards(state: Any, deck: Any, rows: Any, player: int) -> int:
    """The cards whose stars and abilities score nothing (R17): all `score_nothing` abilities apply at once."""
    silenced = 0
    with_ability = (rows[0] | rows[1]) & deck.silencers
    while with_ability:
        card = lowest(with_ability)
        with_ability &= with_ability - 1
        for i in range(deck.first[card, Timing.SCORING.value], deck.first[card, Timing.SCORING.value + 1]):
            ability = deck.abilities[card, i]
            if ability.effect == Effect.SCORE_NOTHING and applies(state, rows, player, card, ability.condition):
                silenced |= selected(state, rows, player, card, ability.select)
    return silenced


@kernel
def ai_score(state: Any, deck: Any) -> int:
    """The solo AI's score: stars, skulls and positive numbers of abilities (R10)."""
    points = total_of(deck.ai_points, journey_cards(state, AI))
    if state.discard_points:
        points += size_of(int(state.discard[0])) + size_of(int(state.discard[1]))
    return points


@kernel
def score_of(state: Any, deck: Any, player: int) -> int:
    """The score of `player` if the game ended now."""
    if not has_abilities(state, player):
        return ai_score(state, deck)
    rows = rows_of(state, player)
    visible = rows[0] | rows[1]
    silenced = silenced_cards(state, deck, rows, player) if visible & deck.silencers else 0
    points = total_of(deck.stars, rows[0] & ~silenced & deck.starred) - total_of(deck.skulls, visible & deck.skulled)
    with_ability = visible & ~silenced & deck.timed[Timing.SCORING]
    while with_ability:
        points += card_ability_points(state, deck, rows, player, lowest(with_ability))
        with_ability &= with_ability - 1
    return points


@kernel
def update_scores(state: Any, deck: Any) -> None:
    """Count the scores of the players whose rows changed."""
    for player in range(NUM_PLAYERS):
        if state.touched & bit(player):
            state.scores[player] = score_of(state, deck, player)
    state.touched = 0


@kernel
def ending(state: Any) -> Any:
    """(winner or NO_WINNER, the rule that decided: `vocabulary.Ending`); at the turn limit that is the limit (R11)."""
    if state.decision != Decision.OVER:
        return NO_WINNER, Ending.NONE.value
    if state.at_limit and state.truncates:
        return NO_WINNER, Ending.TRUNCATED.value
    winner, rule = verdict(state)
    return winner, (Ending.TURN_LIMIT.value if state.at_limit else rule)


@kernel
def verdict(state: Any) -> Any:
    """The same by the scores and busts as they stand, whether the game is over or not (R10, R16)."""
    if state.solo and state.must_outbust and state.busts[AI] <= state.busts[0]:
        return AI, Ending.MUST_OUTBUST.value
    difference = state.scores[0] - state.scores[1]
    if difference != 0:
        return (0 if difference > 0 else 1), Ending.SCORE.value
    if state.busts[0] != state.busts[1]:
        return (0 if state.busts[0] < state.busts[1] else 1), Ending.FEWER_BUSTS.value
    return NO_WINNER, Ending.SHARED.value


@kernel
def card_scores(state: Any, deck: Any, player: int, out: Any) -> None:
    """Write stars, skulls (negative) and ability points of each visible card of `player` into out[18, 3]."""
    out[:] = 0
    rows = rows_of(state, player)
    silenced = silenced_cards(state, deck, rows, player) if has_abilities(state, player) else 0
    for card in range(out.shape[0]):
        if (rows[0] | rows[1]) & bit(card):
            if has_abilities(state, player):
                out[card, 1] = -deck.skulls[card]
                if not silenced & bit(card):
                    out[card, 0] = deck.stars[card] if rows[0] & bit(card) else 0
                    out[card, 2] = card_ability_points(state, deck, rows, player, card)
            else:
                out[card, 0] = deck.stars[card]
                out[card, 1] = deck.skulls[card]
                out[card, 2] = deck.ai_points[card] - deck.stars[card] - deck.skulls[card]


@kernel
def account(state: Any, deck: Any, out: Any) -> Any:
    """`card_scores` of both players into out[2, 18, 3], and what `ending` gives: all in one call from Python."""
    for player in range(NUM_PLAYERS):
        card_scores(state, deck, player, out[player])
    return ending(state)
