"""Words abilities and cards in plain English, from their data."""

from deathvalley_env.deck import Deck, fits
from deathvalley_env.deck_parts import Ability, Card, Condition, Selection, word
from deathvalley_env.vocabulary import (
    NUM_CARDS,
    NUM_WINDOWS,
    Cards,
    Effect,
    Having,
    Hazard,
    Per,
    Position,
    Row,
    Timing,
)

WHEN = {
    Timing.START_OF_TURN: "At the start of your turn",
    Timing.INSTEAD_OF_TRAVEL: "Instead of Traveling",
    Timing.INSTEAD_OF_REST: "Instead of Resting",
    Timing.BEFORE_TRAVEL: "Before you Travel",
    Timing.WHEN_TRAVELED: "When you take this card by Travel",
    Timing.AFTER_TRAVEL: "After you Travel",
    Timing.BEFORE_REST: "Before you Rest",
    Timing.AFTER_REST: "After you Rest",
    Timing.WHEN_BUSTING: "When you bust",
    Timing.BUST_CHECK: "Bust check",
    Timing.SCORING: "Scoring",
}

PLACE = {
    Row.BOTH: "in your Journey or Scrapbook",
    Row.JOURNEY: "in your Journey",
    Row.SCRAPBOOK: "in your Scrapbook",
    Row.OWN_DISCARD: "in your discard pile",
    Row.OTHER_DISCARD: "in the other player's discard pile",
    Row.BOTH_DISCARDS: "in either discard pile",
}

WHERE = {
    Position.LEFT: "directly to the left of this card",
    Position.RIGHT: "directly to the right of this card",
    Position.ABOVE: "directly above this card",
    Position.BELOW: "directly below this card",
    Position.VERTICAL: "directly above or below this card",
}
"""Positions that at most one card has, said after the noun."""

_ENDS = (Position.LEFTMOST, Position.RIGHTMOST)
ADJECTIVE = {Position.ADJACENT: "adjacent", Position.LEFTMOST: "leftmost", Position.RIGHTMOST: "rightmost"}

FROM_ROW = {
    Effect.HIDE: Row.JOURNEY,
    Effect.TO_SCRAPBOOK: Row.JOURNEY,
    Effect.SEND: Row.JOURNEY,
    Effect.SWAP_FACE_UP: Row.JOURNEY,
    Effect.KEEP: Row.JOURNEY,
    Effect.TO_JOURNEY: Row.SCRAPBOOK,
}
"""The row of the chosen card, where the effect itself says so."""


def ability_text(ability: Ability, deck: Deck | None = None) -> str:
    """The ability as one sentence, such as "Before you Rest: shuffle an adjacent card into the deck.".

    With a deck, a remark follows where no card of it can be chosen or counted.
    """
    when = WHEN[ability.timing]
    condition = "" if ability.condition is None else _condition(ability.condition)
    effect = _effect(ability)
    if ability.timing >= NUM_WINDOWS:
        comma = "," if condition and ability.cap is not None else ""
        sentence = f"{when}: {effect}{comma}{' ' if condition else ''}{condition}."
    else:
        start = f"{when}, {condition}" if condition else when
        sentence = f"{start}, you may {effect}." if ability.optional else f"{start}: {effect}."
    if deck is not None and not _possible(ability, deck):
        sentence += " (No card of this deck fits.)"
    return sentence


def card_text(card: Card, deck: Deck | None = None) -> str:
    """Name, hazard, stars and skulls in the first line, then each ability in a line of its own.

    Abilities with the same timing that are alternatives are joined by "Or". `deck` as in :func:`ability_text`.
    """
    print_ = " ".join(part for part in ("★" * card.stars, "☠" * card.skulls) if part)
    lines = [", ".join(part for part in (card.name, word(card.hazard), print_) if part)]
    seen: set[Timing] = set()
    timings = [ability.timing for ability in card.abilities]
    for ability in sorted(card.abilities, key=lambda ability: timings.index(ability.timing)):  # alternatives together
        text = ability_text(ability, deck)
        if ability.timing in seen and ability.timing < NUM_WINDOWS:
            text = f"Or {text[0].lower()}{text[1:]}"
        seen.add(ability.timing)
        lines.append(text)
    return "\n".join(lines)


def _possible(ability: Ability, deck: Deck) -> bool:
    """Whether any card of the deck passes the selection of the ability."""
    if ability.per == Per.ROW_WITHOUT:
        return True
    printed = {Per.STAR: Having.STARS, Per.SKULL: Having.SKULLS}.get(ability.per)
    count = Selection() if printed is None else Selection(having=printed)
    return any(fits(card, ability.select) and fits(card, count) for card in deck.cards)


def _effect(ability: Ability) -> str:
    """What the ability does, as an order: "shuffle an adjacent card into the deck"."""
    effect = ability.effect
    if effect == Effect.POINTS:
        return _points(ability)
    if effect == Effect.TRAVEL_AGAIN:
        return "Travel once more"
    if effect == Effect.RAISE_LIMIT:
        return f"your limit for {word(ability.hazard)} is one higher"
    select = ability.select
    if select.row == Row.BOTH and effect in FROM_ROW:
        select = Selection(FROM_ROW[effect], select.position, select.hazard, select.cards, select.having, select.other)
    if effect == Effect.SWAP_CARDS:
        return f"swap two {_two(select)}"
    if effect == Effect.SWAP_HIDDEN:
        return f"swap {_one(select)} with {_partner(select)}"
    if effect == Effect.IGNORE:
        return f"ignore {_each(select)}"
    if effect == Effect.SCORE_NOTHING:
        return f"{_each(select)} scores neither stars nor abilities"
    card = _one(select)
    return {
        Effect.SHUFFLE: f"shuffle {card} into the deck",
        Effect.HIDE: f"hide {card} under this card",
        Effect.TO_SCRAPBOOK: f"move {card} to the right end of your Scrapbook",
        Effect.TO_JOURNEY: f"move {card} to the right end of your Journey",
        Effect.SEND: f"move {card} to the right end of the other player's Journey",
        Effect.SWAP_FACE_UP: f"swap the face-up card with {card}",
        Effect.KEEP: f"keep {card} instead of shuffling it into the deck",
    }[effect]


def _two(select: Selection) -> str:
    """Both cards of swap_cards, after "two"."""
    if select == Selection(row=select.row, position=Position.THIS_OR_ADJACENT):
        return f"out of this card and the cards adjacent to it{_place(select)}"
    return _noun(select, plural=True)


def _partner(select: Selection) -> str:
    """The second card of swap_hidden."""
    if select.cards == Cards.HIDDEN_HERE:
        return "another card in your Journey"
    return "a card in your Journey that is neither this card nor the one above the hidden card"


def _points(ability: Ability) -> str:
    """The number, what it is counted by, and its bound: "+1 for each adjacent card, but not above +3"."""
    text = signed(ability.points)
    if ability.per == Per.ROW_WITHOUT:
        text += f" {_rows_without(ability)}"
    elif ability.per != Per.ONCE:
        text += f" for {_counted(ability)}"
    if ability.cap is not None:
        bound = "above" if ability.points > 0 else "below"
        text += f", but not {bound} {signed(ability.cap if ability.points > 0 else -ability.cap)}"
    return text


def _counted(ability: Ability) -> str:
    """What the points are for: "each adjacent card", "every 2 stars on cards in your Journey"."""
    select, every = ability.select, ability.every
    if ability.per == Per.CARD:
        if every > 1:
            return f"every {every} {_noun(select, plural=True)}"
        return _each(select)
    printed = {Per.STAR: "star", Per.SKULL: "skull"}[ability.per]
    owner = _definite(select) if _unique(select) else _noun(select, plural=True)
    return f"every {every} {printed}s on {owner}" if every > 1 else f"each {printed} on {owner}"


def _rows_without(ability: Ability) -> str:
    card = f"{word(ability.select.hazard)} card"
    if ability.every > 1:
        scope = "" if ability.select.row == Row.BOTH else f" (only your {ability.select.row.name.title()} counts)"
        return f"for every {ability.every} of your rows without a {card}{scope}"
    if ability.select.row == Row.BOTH:
        return f"for each of your rows without a {card}"
    return f"when there is no {card} {PLACE[ability.select.row]}"


def signed(points: int) -> str:
    """The number with its sign, such as +2 or −2."""
    return f"{'+' if points > 0 else '−'}{abs(points)}"


def _kind(select: Selection, *, plural: bool = False) -> str:
    """Hazard and print: "sun card with a star"."""
    hazard = "" if select.hazard == Hazard.ANY else f"{word(select.hazard)} "
    printed = {Having.ANY: "", Having.STARS: " with a star", Having.SKULLS: " with a skull"}[select.having]
    return f"{hazard}card{'s' if plural else ''}{printed}"


def _other(select: Selection) -> bool:
    """Whether "other" has to be said: most positions leave this card out by themselves."""
    return select.other and select.position in (Position.ANY, *_ENDS)


def _noun(select: Selection, *, plural: bool = False) -> str:
    """The selection without an article: "other sun card in your Journey or Scrapbook"."""
    kind = _kind(select, plural=plural)
    be = "are" if plural else "is"
    position = select.position
    if position == Position.THIS_OR_ADJACENT and select.other:
        position = Position.ADJACENT
    other = "other " if _other(select) else ""
    if select.cards == Cards.HIDDEN_HERE:
        return f"{other}{kind} hidden under this card"
    if select.cards == Cards.HIDDEN:
        return f"{other}{kind} hidden {PLACE[select.row]}"
    if select.cards != Cards.VISIBLE:
        raise KeyError(select.cards)
    if position == Position.THIS:
        return f"{kind} that {be} this card" if not select.other else f"{kind} that {be} this card and another one"
    if position == Position.THIS_OR_ADJACENT:
        return f"{kind} that {be} this card or adjacent to it{_place(select)}"
    if position in WHERE:
        return f"{kind}{_place(select)} {WHERE[position]}"
    adjective = "" if position == Position.ANY else f"{ADJECTIVE[position]} "
    place = _place(select) if position == Position.ADJACENT else f" {PLACE[select.row]}"
    return f"{adjective}{other}{kind}{place}"


def _place(select: Selection) -> str:
    """The row after a noun, said only where it narrows the position."""
    return "" if select.row == Row.BOTH else f" {PLACE[select.row]}"


def _unique(select: Selection) -> bool:
    """Whether at most one card can be selected, which then is named with "the" or as "this card"."""
    return select.position in (Position.THIS, *WHERE, *_ENDS) and select.cards == Cards.VISIBLE


def _definite(select: Selection) -> str:
    """A selection of at most one card: "the leftmost card in your Journey", "this card"."""
    if select.position != Position.THIS:
        return f"the {_noun(select)}"
    if select.other:
        return "no card"
    return "this card" if _plain(select) else f"this card (if it is a {_kind(select)})"


def _plain(select: Selection) -> bool:
    """Whether cards of any print pass."""
    return select.hazard == Hazard.ANY and select.having == Having.ANY


def _one(select: Selection) -> str:
    """One card to be chosen: "a paw card in your Journey", "this card or an adjacent card"."""
    if _unique(select):
        return _definite(select)
    if select.position == Position.THIS_OR_ADJACENT and _plain(select) and not select.other:
        return f"this card or an adjacent card{_place(select)}"
    return _with_article(_noun(select))


def _with_article(noun: str) -> str:
    """The noun with "a" or "an"; "another" is one word."""
    if noun.startswith("other "):
        return f"an{noun}"
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _each(select: Selection) -> str:
    """All the cards, in the singular: "each other drop card in your Journey or Scrapbook"."""
    return _definite(select) if _unique(select) else f"each {_noun(select)}"


def _condition(condition: Condition) -> str:
    """The condition with "if" or "unless"."""
    parts = []
    place = "of its row" if condition.this_row == Row.BOTH else PLACE[condition.this_row]
    if condition.this_position != Position.ANY:
        parts.append(f"this card is the {word(condition.this_position)} card {place}")
    elif condition.this_row != Row.BOTH:
        parts.append(f"this card is {place}")
    if condition.count is not None:
        parts.append(_quantity(condition.count, condition.at_least, condition.at_most))
    tested = " and ".join(parts) or f"this card is {PLACE[Row.BOTH]}"
    return f"{'unless' if condition.unless else 'if'} {tested}"


def _quantity(select: Selection, low: int, high: int) -> str:
    """How many cards there must be: "there is a mountain card directly above this card"."""
    singular, plural = _noun(select), _noun(select, plural=True)
    if high == 0:
        return f"there is no {singular}"
    if low == 1 and high == NUM_CARDS:
        return f"there is {_with_article(singular)}"
    if low == high:
        amount = f"exactly {low}"
    elif high == NUM_CARDS:
        amount = f"at least {low}"
    elif low == 0:
        amount = f"at most {high}"
    else:
        amount = f"from {low} to {high}"
    one = amount in ("exactly 1", "at most 1")
    return f"there is {amount} {singular}" if one else f"there are {amount} {plural}"
