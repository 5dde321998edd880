"""The vocabulary of abilities: every place knows every word, and no place takes an unknown number for another word."""

import dataclasses
import re
from collections.abc import Callable
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deathvalley_env import busts, rules, scoring
from deathvalley_env.card_data import DECK
from deathvalley_env.deck import Ability, Selection, fits, load_deck
from deathvalley_env.deck_parts import word
from deathvalley_env.deck_template import template
from deathvalley_env.encoding import ability_facts
from deathvalley_env.state import STATE
from deathvalley_env.vocabulary import (
    EFFECTS_OF_TIMING,
    HAZARD_COUNTS,
    NUM_HAZARDS,
    NUM_WINDOWS,
    Action,
    Cards,
    Decision,
    Effect,
    Hazard,
    Per,
    Position,
    Row,
    Timing,
)
from deathvalley_env.wording import ability_text
from tests.deathvalley_env.table import Table, ability, make_deck
from tests.deathvalley_env.test_reference import play_deck
from tests.deathvalley_env.vocabulary_decks import WORDS, ability_with, deck_with, title

PAGE = Path(__file__).parents[2] / "docs" / "decks.md"

# --- A number that is no member -------------------------------------------------------------------------------------

SUNS = "desert: s6 + ...\n0 journey: s1, m1, s2 [d1]\n0 scrapbook: m2 [d2], s3"
"""Player 0 has three suns, both rows, and hidden cards in both."""


def bust_check(table: Table) -> None:
    busts.bust_hazards(table.state, table.data, 0)


def count_score(table: Table) -> None:
    scoring.score_of(table.state, table.data, 0)


def find_legal(table: Table) -> None:
    rules.legal(table.state, table.data)


def counted(**select: Any) -> dict[str, Any]:
    return ability("scoring", "points", points=1, per="card", select=select)


def conditional(**condition: Any) -> dict[str, Any]:
    return ability("scoring", "points", points=1, when=condition)


MOVE = ability("start_of_turn", "to_scrapbook", optional=True, select={"row": "journey"})
IGNORE = ability("bust_check", "ignore", select={"hazard": "sun"})

READ: list[tuple[str, dict[str, Any], tuple[str, ...], type[IntEnum], Callable[[Table], None]]] = [
    ("effect of a decision", MOVE, ("effect",), Effect, find_legal),
    ("effect of a bust check", IGNORE, ("effect",), Effect, bust_check),
    ("effect of scoring", ability("scoring", "points", points=1), ("effect",), Effect, count_score),
    ("row of a decision", MOVE, ("select", "row"), Row, find_legal),
    ("row counted", counted(row="journey"), ("select", "row"), Row, count_score),
    ("row of hidden cards", counted(cards="hidden"), ("select", "row"), Row, count_score),
    ("row of an end", counted(row="journey", position="leftmost"), ("select", "row"), Row, count_score),
    (
        "row without",
        ability("scoring", "points", points=1, per="row_without", select={"hazard": "paw"}),
        ("select", "row"),
        Row,
        count_score,
    ),
    ("row of a condition", conditional(this_row="journey"), ("condition", "row"), Row, count_score),
    ("row counted in a condition", conditional(count={}), ("condition", "select", "row"), Row, count_score),
    ("position of a decision", MOVE, ("select", "position"), Position, find_legal),
    ("position ignored", IGNORE, ("select", "position"), Position, bust_check),
    ("position counted", counted(position="adjacent"), ("select", "position"), Position, count_score),
    ("position of no card", counted(position="left", hazard="paw"), ("select", "position"), Position, count_score),
    (
        "position of a condition",
        conditional(this_position="leftmost"),
        ("condition", "position"),
        Position,
        count_score,
    ),
    ("cards of a decision", MOVE, ("select", "cards"), Cards, find_legal),
    ("cards counted", counted(), ("select", "cards"), Cards, count_score),
    ("per", counted(), ("per",), Per, count_score),
    (
        "hazard whose limit is raised",
        ability("bust_check", "raise_limit", hazard="sun"),
        ("hazard",),
        Hazard,
        bust_check,
    ),
    (
        "hazard of a row without",
        ability("scoring", "points", points=1, per="row_without", select={"hazard": "paw"}),
        ("select", "hazard"),
        Hazard,
        count_score,
    ),
]


@pytest.mark.plain
@pytest.mark.parametrize(("given", "path", "words", "meet"), [row[1:] for row in READ], ids=[row[0] for row in READ])
def test_a_number_that_is_no_member_is_not_played(
    given: dict[str, Any], path: tuple[str, ...], words: type[IntEnum], meet: Callable[[Table], None]
) -> None:
    table = Table(SUNS, make_deck(m1=given))
    meet(table)  # as it is, it can be played
    for unknown in (len(words), 99, -2):
        where = table.data["abilities"][table.names.index("m1"), 0]
        for name in path[:-1]:
            where = where[name]
        before = int(where[path[-1]])
        where[path[-1]] = unknown
        with pytest.raises((NotImplementedError, KeyError)):
            meet(table)
        where[path[-1]] = before
    meet(table)


def test_every_word_of_a_record_is_among_them() -> None:
    """Each field of an ability that holds a word is broken above, but for those that no kernel reads."""

    def of(kind: np.dtype[Any], path: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
        if kind.names is None:
            return {path}
        return {found for name in kind.names for found in of(kind[name], (*path, name))}

    words = {"timing", "effect", "row", "position", "cards", "hazard", "per"}
    fields = {path for path in of(DECK["abilities"].base) if path[-1] in words}
    unread = {
        ("timing",),  # kernels go by `first`, `timed` and `mandatory`
        ("condition", "select", "hazard"),  # as all hazards of selections, in `filter`
        ("condition", "select", "position"),  # read by the same kernel as those of the selection
        ("condition", "select", "cards"),
    }
    assert {row[2] for row in READ} | unread == fields


@pytest.mark.plain
def test_states_without_a_rule_are_not_played_on() -> None:
    """A decision or a window that no rule knows of."""
    for field, broken in (("decision", len(Decision)), ("window", NUM_WINDOWS)):
        table = Table("desert: s6 + s5, ...\n0 journey: s1", make_deck(s1=ability("after_travel", "send")))
        table.state["decision"] = Decision.ABILITY
        table.state[field] = broken
        with pytest.raises(NotImplementedError):
            rules.carry_out(table.state, table.data, int(Action.DONE))
    table.state["decision"] = len(Decision)
    with pytest.raises(NotImplementedError):
        rules.answers(table.state, table.data)


@pytest.mark.parametrize("field", ["having", "hazard"])
def test_selections_by_print_know_their_words(field: str) -> None:
    card = load_deck("highs_and_lows").cards[0]
    broken = dataclasses.replace(Selection(), **{field: 99})
    with pytest.raises(KeyError):
        fits(card, broken)


@pytest.mark.parametrize("field", ["timing", "effect", "per", "hazard", "row", "position", "cards", "having"])
def test_words_and_observations_know_their_words(field: str) -> None:
    known = Ability(Timing.SCORING, Effect.POINTS, points=1, per=Per.CARD)
    if field == "hazard":
        known = Ability(Timing.BUST_CHECK, Effect.RAISE_LIMIT, hazard=Hazard.SUN)
    if field in ("row", "position", "cards", "having"):
        broken = dataclasses.replace(known, select=dataclasses.replace(Selection(), **{field: 99}))
    else:
        broken = dataclasses.replace(known, **{field: 99})
    for place in (ability_text, ability_facts):
        place(known)
        with pytest.raises((KeyError, AttributeError)):  # a plain number has no name
            place(broken)


# --- Every member, in every place -----------------------------------------------------------------------------------


def of_deck(member: IntEnum) -> Ability:
    """The ability with the word, as the checker reads it."""
    wanted = ability_with(member)
    return next(a for card in deck_with(member).cards for a in card.abilities if word(a.timing) == wanted["timing"])


def test_each_window_comes_before_the_bust_check() -> None:
    assert {timing for timing in Timing if timing < NUM_WINDOWS} | {
        Timing.BUST_CHECK,
        Timing.SCORING,
        Timing.NONE,
    } == set(Timing)
    assert set(EFFECTS_OF_TIMING) == set(Timing) - {Timing.NONE}
    assert {hazard for hazard in Hazard if hazard < NUM_HAZARDS} == set(Hazard) - {Hazard.ANY}
    assert [word(hazard) for hazard in Hazard][:NUM_HAZARDS] == list(HAZARD_COUNTS)


def test_each_member_fits_its_field() -> None:
    """Numbers of members, and counts of cards, in the fields of states and decks."""
    widths = {"decision": Decision, "window": Timing, "travel": Action}
    for name, words in widths.items():
        assert np.iinfo(STATE[name].base).max >= max(words)
    for name in ("legal",):
        assert np.iinfo(STATE[name].base).bits > int(Action.DONE) + 1
    for words in (Timing, Effect, Row, Position, Cards, Per, Hazard):
        assert max(words) < 2**7


@pytest.mark.parametrize("member", WORDS, ids=title)
def test_each_word_is_on_the_page_and_in_the_template(member: IntEnum) -> None:
    assert f"`{word(member)}`" in PAGE.read_text(encoding="utf-8")
    assert re.search(rf"\b{word(member)}\b", template())


def test_each_word_is_worded_and_observed_as_itself() -> None:
    """No two words of an enumeration are worded, or observed, alike."""
    for words in {type(member) for member in WORDS}:
        members = [member for member in WORDS if type(member) is words]
        texts = {ability_text(of_deck(member)) for member in members}
        facts = {tuple(map(float, ability_facts(of_deck(member)))) for member in members}
        assert len(texts) == len(facts) == len(members), words


@pytest.mark.parametrize("variant", [{"backseat": True}, {"solo": True, "discard_points": True}], ids=["two", "solo"])
@pytest.mark.parametrize("member", WORDS, ids=title)
def test_each_word_is_played_as_the_reference_plays_it(member: IntEnum, variant: dict[str, bool]) -> None:
    """Bust check, scoring, decisions: games on a deck full of the word, by both, decision by decision."""
    deck = deck_with(member)
    for seed in range(3):
        assert play_deck(deck, seed, **variant, max_turns=60) >= 10
