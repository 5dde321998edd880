"""The wording of abilities: by hand for known ones, and for its form over the whole vocabulary."""

import itertools
import random
import re
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest

from deathvalley_env.deck import Ability, Card, Condition, Selection, deck_from_dict, load_deck, shipped_decks
from deathvalley_env.deck_template import template
from deathvalley_env.vocabulary import (
    EFFECTS_OF_TIMING,
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
from deathvalley_env.wording import ability_text, card_text
from tests.reference.deathvalley import random_deck

S, P = Selection, Position
ALL = Selection()


def chooses(effect: Effect, select: Selection, timing: Timing = Timing.AFTER_REST) -> str:
    return ability_text(Ability(timing, effect, select=select))


def counts(per: Per, select: Selection = ALL, points: int = 2, every: int = 1, cap: int | None = None) -> str:
    ability = Ability(Timing.SCORING, Effect.POINTS, select=select, points=points, per=per, every=every, cap=cap)
    return ability_text(ability)


SHIPPED = {
    "Stovepipe Wells": "Bust check: ignore the card directly to the right of this card.",
    "Ventifact Ridge": "Before you Rest, if this card is in your Journey: shuffle this card or an adjacent card in "
    "your Journey into the deck.",
    "Panamint Dunes": "Scoring: +1 for each other sun card in your Journey or Scrapbook, but not above +3.",
    "Hells Gate": "Bust check: your limit for sun is one higher.",
    "Daylight Pass": "When you take this card by Travel, you may Travel once more.",
    "Lake Manly": "When you take this card by Travel: move the leftmost other card in your Journey to the right end of "
    "the other player's Journey.",
    "Corkscrew Peak": "Scoring: −2 unless this card is the rightmost card in your Journey.",
    "Aguereberry Point": "Scoring: +2 if this card is the leftmost card of its row.",
    "Darwin Falls": "Scoring: +2 if there is a mountain card directly above or below this card.",
    "Kangaroo Rats": "Scoring: +2 for each of your rows without a drop card.",
    "Mountain Lions": "Bust check: ignore this card if there is an adjacent mountain card.",
    "Surprise Canyon": "When you take this card by Travel, you may swap two cards in your Journey or Scrapbook.",
    "Mesquite Flat Dunes": "Scoring: +1 for every 2 stars on cards in your Journey.",
    "Badwater Basin": "Scoring: each other drop card in your Journey or Scrapbook scores neither stars nor abilities.",
    "Scotty's Castle": "When you bust, you may keep an adjacent card in your Journey instead of shuffling it into the "
    "deck.",
    "Devil's Hole": "Scoring: +4 for every 2 cards hidden under this card.",
    "Racetrack Playa": "After you Travel, you may swap two out of this card and the cards adjacent to it in your "
    "Journey.",
    "Telescope Peak": "Scoring: +1 for each card in either discard pile, but not above +4.",
}


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_abilities(name: str) -> None:
    cards = {card.name: card for deck in shipped_decks() for card in load_deck(deck).cards}
    assert ability_text(cards[name].abilities[0]) == SHIPPED[name]


def test_cards_that_are_chosen() -> None:
    assert chooses(Effect.HIDE, S()) == "After you Rest: hide a card in your Journey under this card."
    assert chooses(Effect.TO_JOURNEY, S(hazard=Hazard.SUN, other=True)) == (
        "After you Rest: move another sun card in your Scrapbook to the right end of your Journey."
    )
    assert chooses(Effect.SHUFFLE, S(position=P.THIS_OR_ADJACENT, having=Having.STARS)) == (
        "After you Rest: shuffle a card with a star that is this card or adjacent to it into the deck."
    )
    assert chooses(Effect.SHUFFLE, S(position=P.THIS, hazard=Hazard.PAW)) == (
        "After you Rest: shuffle this card (if it is a paw card) into the deck."
    )
    assert chooses(Effect.SWAP_HIDDEN, S(cards=Cards.HIDDEN, row=Row.SCRAPBOOK)) == (
        "After you Rest: swap a card hidden in your Scrapbook with a card in your Journey that is neither this card "
        "nor the one above the hidden card."
    )
    assert chooses(Effect.SWAP_CARDS, S(hazard=Hazard.DROP, other=True)) == (
        "After you Rest: swap two other drop cards in your Journey or Scrapbook."
    )
    assert chooses(Effect.SWAP_FACE_UP, S(Row.JOURNEY, P.LEFT)) == (
        "After you Rest: swap the face-up card with the card in your Journey directly to the left of this card."
    )


def test_points() -> None:
    assert counts(Per.ONCE) == "Scoring: +2."
    assert counts(Per.CARD, S(position=P.THIS), -1) == "Scoring: −1 for this card."
    assert counts(Per.STAR, S(Row.SCRAPBOOK, P.LEFTMOST)) == (
        "Scoring: +2 for each star on the leftmost card in your Scrapbook."
    )
    assert counts(Per.SKULL, every=3) == "Scoring: +2 for every 3 skulls on cards in your Journey or Scrapbook."
    assert counts(Per.CARD, S(Row.OWN_DISCARD), -2, cap=6) == (
        "Scoring: −2 for each card in your discard pile, but not below −6."
    )
    assert counts(Per.ROW_WITHOUT, S(Row.JOURNEY, hazard=Hazard.SUN)) == (
        "Scoring: +2 when there is no sun card in your Journey."
    )
    assert counts(Per.ROW_WITHOUT, S(hazard=Hazard.SUN), every=2) == (
        "Scoring: +2 for every 2 of your rows without a sun card."
    )


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (1, 18, "there is an adjacent card"),
        (0, 0, "there is no adjacent card"),
        (1, 1, "there is exactly 1 adjacent card"),
        (0, 1, "there is at most 1 adjacent card"),
        (2, 18, "there are at least 2 adjacent cards"),
        (2, 2, "there are exactly 2 adjacent cards"),
        (0, 3, "there are at most 3 adjacent cards"),
        (2, 3, "there are from 2 to 3 adjacent cards"),
    ],
)
def test_quantities(low: int, high: int, text: str) -> None:
    condition = Condition(this_row=Row.JOURNEY, count=S(position=P.ADJACENT), at_least=low, at_most=high, unless=True)
    ability = Ability(Timing.AFTER_REST, Effect.TRAVEL_AGAIN, optional=True, condition=condition)
    assert ability_text(ability) == (
        f"After you Rest, unless this card is in your Journey and {text}, you may Travel once more."
    )


def test_card_texts() -> None:
    salt = next(card for card in load_deck("highs_and_lows").cards if card.name == "Salt Creek")
    assert card_text(salt) == (
        "Salt Creek, drop, ★\n"
        "At the start of your turn, you may hide a paw card in your Journey under this card.\n"
        "Or at the start of your turn, you may swap a paw card hidden under this card with another card in your "
        "Journey."
    )
    assert card_text(Card("Bare", Hazard.SUN, 1, 2)) == "Bare, sun, ★ ☠☠"
    again, limit = Ability(Timing.AFTER_REST, Effect.SHUFFLE), Ability(Timing.SCORING, Effect.POINTS, points=1)
    lines = card_text(Card("Mixed", Hazard.SUN, abilities=(again, limit, again))).splitlines()
    assert [line.split(" ")[0] for line in lines] == ["Mixed,", "After", "Or", "Scoring:"]


def test_a_deck_in_which_nothing_fits() -> None:
    deck = load_deck("death_valley")
    remark = " (No card of this deck fits.)"
    skulls = Ability(Timing.SCORING, Effect.POINTS, points=1, per=Per.SKULL)
    assert ability_text(skulls, deck) == ability_text(skulls) + remark
    assert not ability_text(skulls, load_deck("highs_and_lows")).endswith(remark)
    chosen = Ability(Timing.AFTER_REST, Effect.SHUFFLE, select=S(having=Having.SKULLS))
    assert ability_text(chosen, deck).endswith(remark)
    assert not any(remark in card_text(card, deck) for card in deck.cards)


def test_the_examples_of_the_template_are_worded_as_it_says() -> None:
    """Each example begins with its own wording as a comment."""
    blocks = re.findall(r"#     \[\[card\.ability\]\] +# (.*)\n((?:#     .*\n)+)", template())
    assert len(blocks) == 3
    for wording, lines in blocks:
        mapping = load_deck("highs_and_lows").to_dict()
        mapping["card"][0]["ability"] = [tomllib.loads(re.sub("^#", "", lines, flags=re.MULTILINE))]
        assert ability_text(deck_from_dict(mapping).cards[0].abilities[0]) == wording


# ---------------------------------------------------------------------------- the whole vocabulary


def all_selections() -> list[Selection]:
    positions = itertools.product(Row, Position, [Hazard.ANY, Hazard.SUN], Having, [False, True])
    visible = [
        S(row, position, hazard, Cards.VISIBLE, having, other) for row, position, hazard, having, other in positions
    ]
    hidden = [S(row=row, cards=cards) for row in (Row.BOTH, Row.JOURNEY, Row.SCRAPBOOK) for cards in list(Cards)[1:]]
    return visible + hidden


def all_abilities() -> Iterator[Ability]:
    """Each timing and effect with each selection."""
    condition = Condition(Row.SCRAPBOOK, Position.LEFTMOST, unless=True)
    for timing, effects in EFFECTS_OF_TIMING.items():
        for effect, select in itertools.product(sorted(effects), all_selections()):
            if effect == Effect.POINTS:
                rows = select.row in (Row.BOTH, Row.JOURNEY, Row.SCRAPBOOK) and select.hazard == Hazard.SUN
                for per, every in itertools.product(Per if rows else list(Per)[:-1], (1, 3)):
                    yield Ability(timing, effect, select=select, points=-3, per=per, every=every, cap=9)
            elif effect == Effect.RAISE_LIMIT:
                yield Ability(timing, effect, hazard=Hazard.SUN, condition=condition)
            else:
                yield Ability(timing, effect, timing < NUM_WINDOWS, select, condition)
                yield Ability(timing, effect, select=select, condition=Condition(count=select, at_least=2))


SLIPS = re.compile(
    r"  |\b(a|an|the|this|each|every|no) (a|an|the|each|every|no|another)\b|\ban? other\b|\ba [aeiou]|\ban (?!a)"
    r"| ,|,,|\.\.|\b(\w+) \3\b|_|None|each cards|[Ee]very other| 1 cards"
)


def form(text: str) -> list[Any]:
    """What is wrong with the form of a sentence."""
    wrong = [match[0] for match in SLIPS.finditer(text)]
    if not re.fullmatch(r"[A-Z][^.]*\.", text):
        wrong.append("no sentence")
    return wrong


def test_every_combination_makes_a_sentence() -> None:
    slips = {text: wrong for text in {ability_text(ability) for ability in all_abilities()} if (wrong := form(text))}
    assert not slips, dict(list(slips.items())[:5])


def test_random_decks_are_worded() -> None:
    for seed in range(20):
        deck = deck_from_dict({"name": "random", "card": random_deck(random.Random(seed))})
        for card in deck.cards:
            assert not [wrong for ability in card.abilities for wrong in form(ability_text(ability))]
            assert card_text(card, deck).startswith(card.name)


def test_different_selections_differ_in_words() -> None:
    """What is chosen can be told from the wording."""
    texts: dict[str, Selection] = {}
    for select in all_selections():
        if select.row in (Row.BOTH, Row.JOURNEY) and not select.other and select.cards == Cards.VISIBLE:
            if select.position in (P.LEFTMOST, P.RIGHTMOST) and select.row == Row.BOTH:
                continue  # the checker refuses it
            if select.position == P.THIS and select.row == Row.JOURNEY:
                continue  # this card, whatever the row
            text = counts(Per.CARD, select)
            assert texts.setdefault(text, select) == select
