"""Deck files, their checker, the record for the kernels, drawing decks, and the command line."""

import copy
import json
import pickle
import re
import tomllib
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deathvalley_env.__main__ import main
from deathvalley_env.deathvalley_v0 import solo_env
from deathvalley_env.deck import (
    Ability,
    Card,
    Condition,
    Deck,
    DeckError,
    DeckWarning,
    Selection,
    deck_from_dict,
    deck_report,
    deck_report_table,
    deck_warnings,
    draw_deck,
    load_deck,
    shipped_decks,
)
from deathvalley_env.deck_parts import PROVENANCES
from deathvalley_env.deck_template import template
from deathvalley_env.game import make_game
from deathvalley_env.toml_lines import key_positions
from deathvalley_env.vocabulary import (
    HAZARD_COUNTS,
    Cards,
    Effect,
    Having,
    Hazard,
    Per,
    Position,
    Row,
    Timing,
)

HAZARDS = [hazard for hazard, count in HAZARD_COUNTS.items() for _ in range(count)]
ALL = (1 << 18) - 1


def plain(**changes: Any) -> dict[str, Any]:
    """A valid deck of cards without abilities: paw 0 to 2, drop 3 to 6, mountain 7 to 11, sun 12 to 17."""
    cards = [{"name": f"Card {i}", "hazard": hazard} for i, hazard in enumerate(HAZARDS)]
    return {"name": "Plain", "card": cards, **changes}


def with_ability(*abilities: dict[str, Any], card: int = 0) -> dict[str, Any]:
    """The plain deck with abilities on one card."""
    deck = plain()
    deck["card"][card]["ability"] = list(abilities)
    return deck


def text_of(body: str) -> str:
    """A deck file whose first card has `body` from line 5 on."""
    head = 'name = "Test"\n\n[[card]]\nname = "First"\n'
    rest = [f'\n[[card]]\nname = "Card {i}"\nhazard = "{HAZARDS[i]}"\n' for i in range(1, 18)]
    return head + body.rstrip("\n") + "\n" + "".join(rest)


@pytest.fixture
def write(tmp_path: Path) -> Any:
    """Writes a deck file and gives its path."""

    def to_file(content: str | bytes, name: str = "mine.toml") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return to_file


def defects_of(path: Path) -> list[tuple[int | None, str]]:
    """Line and text of each defect of a file."""
    with pytest.raises(DeckError) as caught:
        load_deck(path)
    return [(defect.line, f"{defect.place}: {defect.problem}; {defect.remedy}") for defect in caught.value.defects]


def python_defects(mapping: Any) -> str:
    with pytest.raises(DeckError) as caught:
        deck_from_dict(mapping)
    assert all(defect.line is None for defect in caught.value.defects)
    return str(caught.value)


# ------------------------------------------------------------------ defects with their lines

HEAD = 'hazard = "paw"\n'
ABILITY = HEAD + "[[card.ability]]\n"
"""What precedes an ability in line 7."""
MOVE = ABILITY + 'timing = "after_rest"\n'
"""What precedes an effect in line 8."""
POINTS = ABILITY + 'timing = "scoring"\neffect = "points"\n'
"""What precedes the numbers of points in line 9."""
IGNORE = ABILITY + 'timing = "bust_check"\neffect = "ignore"\n'

DEFECTS = [
    # fields of a card
    ("stars = 1\n", 3, '"hazard" is missing', "add hazard = one of paw, drop, mountain, sun"),
    ('hazard = "puw"\n', 5, 'no word "puw"', 'did you mean "paw"?'),
    ('hazard = "any"\n', 5, 'no word "any"', "words here: paw, drop, mountain, sun"),
    ("hazard = 3\n", 5, "is the number 3", "in double quotes"),
    (HEAD + "stars = true\n", 6, "the truth value true", "from 0 to 9"),
    (HEAD + "stars = 1.5\n", 6, "the decimal number 1.5", "from 0 to 9"),
    (HEAD + 'stars = "2"\n', 6, 'the text "2"', "from 0 to 9"),
    (HEAD + "stars = 10\n", 6, "10, out of range", "from 0 to 9"),
    (HEAD + "skulls = -1\n", 6, "-1, out of range", "from 0 to 9"),
    (HEAD + "skulls = 2020-01-01\n", 6, "a date or time", "from 0 to 9"),
    (HEAD + "star = 1\n", 6, 'unknown key "star"', 'did you mean "stars"?'),
    (HEAD + "colour = 1\n", 6, 'unknown key "colour"', "keys here: name, hazard"),
    (HEAD + 'provenance = "redd"\n', 6, 'unknown provenance "redd"', 'did you mean "read"?'),
    (
        HEAD + 'provenance = { stars = "guess" }\n',
        6,
        'unknown provenance "guess"',
        "stated, read, reconstructed, owner",
    ),
    (HEAD + 'provenance = { star = "read" }\n', 6, 'unknown key "star"', 'did you mean "stars"?'),
    (HEAD + "provenance = 3\n", 6, "is the number 3, not a table", '"owner"'),
    (HEAD + "provenance = { name = 3 }\n", 6, "unknown provenance 3", "stated"),
    # the tables of abilities
    (HEAD + "ability = 3\n", 6, '"ability" is the number 3', "write [[card.ability]]"),
    (HEAD + "ability = [3]\n", 6, "is the number 3, not a table", "write [[card.ability]]"),
    (HEAD + '[card.ability]\ntiming = "after_rest"\neffect = "hide"\n', 6, "single table", "[[card.ability]]"),
    (HEAD + ('[[card.ability]]\ntiming = "after_rest"\neffect = "hide"\n' * 4), 15, "4 abilities", "delete 1"),
    (HEAD + '[[card.abilitys]]\ntiming = "after_rest"\neffect = "hide"\n', 6, "unknown key", 'did you mean "ability"?'),
    # timing and effect
    (ABILITY + 'effect = "hide"\n', 6, '"timing" is missing', "start_of_turn"),
    (ABILITY + 'timing = "scoring"\n', 6, '"effect" is missing', "points"),
    (ABILITY + 'timing = "afterrest"\neffect = "hide"\n', 7, 'no word "afterrest"', 'did you mean "after_rest"?'),
    (ABILITY + 'timing = "none"\neffect = "hide"\n', 7, 'no word "none"', "words here: start_of_turn"),
    (MOVE + 'effect = "shufle"\n', 8, 'no word "shufle"', 'did you mean "shuffle"?'),
    (MOVE + 'effect = "keep"\n', 8, "after_rest has no keep", "timings of keep: when_busting"),
    (MOVE + 'effect = "hide"\noptional = 1\n', 9, "is the number 1", "true or false"),
    (
        ABILITY + 'timing = "before_rest"\neffect = "hide"\noptional = true\n',
        9,
        "cannot be optional",
        "delete optional",
    ),
    (IGNORE + 'optional = true\nselect = { hazard = "sun" }\n', 9, "bust_check cannot be optional", "delete optional"),
    (POINTS + "points = 1\noptional = true\n", 10, "scoring cannot be optional", "delete optional"),
    (
        MOVE + 'effect = "hide"\n[[card.ability]]\ntiming = "after_rest"\neffect = "send"\noptional = true\n',
        12,
        "differ in optional",
        "write optional = false as in the first",
    ),
    (
        MOVE + 'effect = "hide"\n[[card.ability]]\ntiming = "after_rest"\neffect = "travel_again"\n',
        11,
        "travel_again beside another",
        "another timing",
    ),
    # fields that an effect takes
    (MOVE + 'effect = "hide"\npoints = 1\n', 9, 'hide takes no "points"', "delete it"),
    (MOVE + 'effect = "hide"\nhazard = "sun"\n', 9, 'hide takes no "hazard"', "delete it"),
    (MOVE + 'effect = "travel_again"\nselect = {}\n', 9, 'travel_again takes no "select"', "delete it"),
    (MOVE + 'effect = "hide"\nrow = "journey"\n', 9, 'unknown key "row"', "keys here: timing"),
    (ABILITY + 'timing = "bust_check"\neffect = "raise_limit"\n', 6, '"hazard" is missing', "add hazard"),
    (
        ABILITY + 'timing = "bust_check"\neffect = "raise_limit"\nhazard = "any"\n',
        9,
        'no word "any"',
        "paw, drop, mountain, sun",
    ),
    (IGNORE, 6, 'ignore needs "select"', "add select"),
    (ABILITY + 'timing = "scoring"\neffect = "score_nothing"\n', 6, 'score_nothing needs "select"', "add select"),
    (MOVE + 'effect = "swap_hidden"\n', 6, 'swap_hidden needs "select"', "hidden_here"),
    # points
    (POINTS, 6, '"points" is missing', "add points"),
    (POINTS + "points = 0\n", 9, '"points" is 0', "not 0"),
    (POINTS + "points = 10\n", 9, "10, out of range", "from -9 to 9"),
    (POINTS + 'points = 1\nper = "cards"\n', 10, 'no word "cards"', 'did you mean "card"?'),
    (POINTS + 'points = 1\nper = "card"\nevery = 0\n', 11, "0, out of range", "from 1 to 9"),
    (POINTS + 'points = 1\nper = "card"\ncap = 100\n', 11, "100, out of range", "from 1 to 99"),
    (POINTS + "points = 1\nselect = {}\n", 10, 'once take no "select"', 'add per = "card"'),
    (POINTS + "points = 1\nevery = 2\n", 10, 'once take no "every"', 'add per = "card"'),
    (POINTS + "points = 1\ncap = 2\n", 10, 'once take no "cap"', 'add per = "card"'),
    (POINTS + 'points = 1\nper = "row_without"\n', 6, 'row_without needs "select"', "add select"),
    *(
        (POINTS + f'points = 1\nper = "row_without"\nselect = {{ {fields} }}\n', 11, problem, remedy)
        for fields, problem, remedy in (
            ('row = "both"', "needs a hazard", "write hazard"),
            ('hazard = "sun", row = "own_discard"', "looks at your rows", "both, journey, scrapbook"),
            ('hazard = "sun", cards = "hidden"', "looks at visible cards", "delete cards"),
            ('hazard = "sun", position = "left"', "takes no position", "delete it"),
            ('hazard = "sun", having = "stars"', "takes no having", "delete it"),
            ('hazard = "sun", other = true', "takes no other", "delete it"),
        )
    ),
    # selections
    *(
        (MOVE + f'effect = "{effect}"\nselect = {select}\n', 9, problem, remedy)
        for effect, select, problem, remedy in (
            ("hide", "3", "is the number 3, not a table", "write a table such as"),
            ("hide", '{ row = "jurney" }', 'no word "jurney"', 'did you mean "journey"?'),
            ("hide", '{ row = "Journey" }', 'no word "Journey"', 'did you mean "journey"?'),
            ("hide", '{ colum = "left" }', 'unknown key "colum"', "keys here: row, position"),
            ("hide", "{ other = 1 }", "is the number 1", "true or false"),
            ("hide", '{ position = "leftmost" }', "leftmost of which row?", 'add row = "journey"'),
            ("hide", '{ row = "scrapbook" }', "hide takes a Journey card", 'row = "journey"'),
            ("send", '{ row = "scrapbook" }', "send takes a Journey card", 'row = "journey"'),
            ("to_scrapbook", '{ row = "scrapbook" }', "to_scrapbook takes a Journey card", 'row = "journey"'),
            ("swap_face_up", '{ row = "scrapbook" }', "swap_face_up takes a Journey card", 'row = "journey"'),
            ("to_journey", '{ row = "journey" }', "to_journey takes a Scrapbook card", 'row = "scrapbook"'),
            ("shuffle", '{ row = "own_discard" }', "does not reach discard piles", "both, journey, scrapbook"),
            ("shuffle", '{ cards = "hidden" }', "shuffle takes visible cards", "delete cards"),
            ("swap_hidden", '{ row = "both" }', "takes a hidden card", 'cards = "hidden_here"'),
            ("swap_hidden", '{ cards = "hidden", position = "left" }', "have no position", "delete position"),
        )
    ),
    (IGNORE + 'select = { row = "both_discards" }\n', 9, "does not reach discard piles", "both, journey"),
    (IGNORE + 'select = { cards = "hidden_here" }\n', 9, "ignore takes visible cards", "delete cards"),
    (
        POINTS + 'points = 1\nper = "card"\nselect = { row = "own_discard", position = "left" }\n',
        11,
        "discarded cards have no position",
        "delete position",
    ),
    (
        POINTS + 'points = 1\nper = "card"\nselect = { row = "own_discard", cards = "hidden" }\n',
        11,
        "no cards are hidden in a discard pile",
        "delete cards",
    ),
    # conditions
    *(
        (POINTS + f"points = 1\nif = {condition}\n", 10, problem, remedy)
        for condition, problem, remedy in (
            ("{}", "tests nothing", "add this_row"),
            ("{ unless = true }", "tests nothing", "add this_row"),
            ("true", "is the truth value true, not a table", "write a table such as"),
            ('{ this_row = "own_discard" }', 'no word "own_discard"', "both, journey, scrapbook"),
            ('{ this_position = "left" }', 'no word "left"', "leftmost"),
            ('{ this_rows = "journey" }', "unknown key", 'did you mean "this_row"?'),
            ('{ this_row = "journey", at_least = 2 }', '"at_least" without "count"', "add count"),
            ('{ this_row = "journey", at_most = 2 }', '"at_most" without "count"', "add count"),
            ("{ count = {}, at_least = 3, at_most = 2 }", "less than at_least = 3", "exchange"),
            ("{ count = {}, at_most = 0 }", "less than at_least = 1", "write at_least = 0"),
            ("{ count = {}, at_least = 19 }", "19, out of range", "from 0 to 18"),
            ('{ count = { position = "rightmost" } }', "rightmost of which row?", "scrapbook"),
            ("{ count = 3 }", "is the number 3, not a table", "write a table such as"),
            ('{ count = {}, unless = "no" }', 'the text "no"', "true or false"),
        )
    ),
    # timings, of which a card has one
    (
        ABILITY + 'timing = "start_of_turn"\neffect = "hide"\n[[card.ability]]\ntiming = "instead_of_rest"\n'
        'effect = "hide"\n',
        10,
        "instead_of_rest beside start_of_turn",
        "a card has one of start_of_turn, instead_of_travel, instead_of_rest",
    ),
    (
        ABILITY + 'timing = "instead_of_travel"\neffect = "hide"\n[[card.ability]]\ntiming = "instead_of_rest"\n'
        'effect = "hide"\n',
        10,
        "instead_of_rest beside instead_of_travel",
        "a card has one of",
    ),
    (
        ABILITY + 'timing = "before_travel"\neffect = "travel_again"\n',
        8,
        "before_travel has no travel_again",
        "when_traveled",
    ),
    (ABILITY + 'timing = "instead_of_travel"\neffect = "keep"\n', 8, "instead_of_travel has no keep", "when_busting"),
    # the syntax of TOML
    ("hazard = paw\n", 5, "not valid TOML", '"double quotes"'),
    (HEAD + 'hazard = "sun"\n', 6, "not valid TOML", "delete one of the two"),
    (HEAD + "my stars = 1\n", 6, "not valid TOML", "write key = value"),
    (HEAD + "[[card.ability]\n", 6, "not valid TOML", "write [[card]] or [[card.ability]]"),
    (HEAD + "stars\n", 6, "not valid TOML", "write key = value"),
    (MOVE + 'effect = "hide"\nselect = {\n  row = "journey"\n}\n', 9, "not valid TOML", "in one line"),
    (HEAD + f"stars = {'9' * 5000}\n", 6, "a number is far too large", "a few digits"),
]


@pytest.mark.parametrize(("body", "line", "problem", "remedy"), DEFECTS)
def test_each_defect_alone_has_its_line_and_remedy(write: Any, body: str, line: int, problem: str, remedy: str) -> None:
    found = defects_of(write(text_of(body)))
    assert len(found) == 1, found
    assert found[0][0] == line
    assert problem in found[0][1]
    assert remedy in found[0][1]


def test_the_file_that_the_defects_are_put_into_has_none(write: Any) -> None:
    deck = load_deck(write(text_of(HEAD)))
    assert [card.name for card in deck.cards[:2]] == ["First", "Card 1"]
    assert deck == load_deck(write(text_of(HEAD).replace("\n", "\r\n")))
    assert deck == load_deck(write(b"\xef\xbb\xbf" + text_of(HEAD).encode()))


HEADER_DEFECTS = [
    ('source = "x"', 1, '"name" is missing', "add name"),
    ('name = ""', 1, '"name" is empty', "write the name of the deck"),
    ('name = " x"', 1, '"name" is " x"', "without spaces"),
    (r'name = "a\nb"', 1, "'a\\nb'", "one printable line"),
    (f'name = "{"x" * 61}"', 1, "61 characters", "at most 60"),
    ("name = 3", 1, "is the number 3", "in double quotes"),
    ('name = "x"\nsource = false', 2, "truth value false", "in double quotes"),
    ('name = "x"\nnotes = ["a"]', 2, "an array", "in double quotes"),
    ('name = "x"\nsorce = ""', 2, 'unknown key "sorce"', 'did you mean "source"?'),
]


@pytest.mark.parametrize(("head", "line", "problem", "remedy"), HEADER_DEFECTS)
def test_each_defect_of_the_header(write: Any, head: str, line: int, problem: str, remedy: str) -> None:
    found = defects_of(write(text_of(HEAD).replace('name = "Test"', head)))
    assert len(found) == 1
    assert found[0][0] == line
    assert problem in found[0][1]
    assert remedy in found[0][1]


def test_names_are_given_once_whatever_their_case(write: Any) -> None:
    text = text_of(HEAD).replace('"Card 3"', '"fIRST"')
    line = text.splitlines().index('name = "fIRST"') + 1
    assert defects_of(write(text)) == [
        (
            line,
            'card 4 (fIRST), name: "fIRST" is the name of card 1 already; '
            "give each card its own name, or delete one of the two",
        )
    ]


def with_hazards(*hazards: str) -> str:
    """A deck file with one card of each of these hazards."""
    cards = [f'\n[[card]]\nname = "Card {i}"\nhazard = "{hazard}"\n' for i, hazard in enumerate(hazards, 1)]
    return 'name = "Test"\n' + "".join(cards)


def test_one_wrong_hazard_is_changed(write: Any) -> None:
    """One defect, which names both hazards, at the last card of those too many."""
    text = text_of('hazard = "sun"')
    surplus = [i for i, line in enumerate(text.splitlines(), 1) if line == 'hazard = "sun"'][-1]
    assert defects_of(write(text)) == [
        (
            surplus,
            "card 18 (Card 17), hazard: too many sun cards (7, where a deck has 6), and too few paw cards (2, where a "
            "deck has 3); change one sun card to paw",
        )
    ]


@pytest.mark.parametrize(
    ("changes", "remedies"),
    [
        ({"sun": -2, "paw": 1, "drop": 1}, ["change one paw card to sun", "change one drop card to sun"]),
        ({"sun": 2, "paw": -2}, ["change 2 sun cards to paw"]),
        ({"sun": 1}, ["delete one sun card; a deck has 18 cards"]),
        ({"sun": 2, "paw": -1}, ["change one sun card to paw", "delete one sun card; a deck has 18 cards"]),
        ({"paw": -1}, ["add one paw card after this card"]),
        ({"paw": -3, "drop": 1}, ["change one drop card to paw", "add 2 paw cards after this card"]),
        ({"mountain": -1, "drop": -1}, ["add one drop card after this card", "add one mountain card after this card"]),
    ],
)
def test_wrong_counts_are_mended_in_the_fewest_changes(
    write: Any, changes: dict[str, int], remedies: list[str]
) -> None:
    counts = {key: wanted + changes.get(key, 0) for key, wanted in HAZARD_COUNTS.items()}
    found = defects_of(write(with_hazards(*(key for key, count in counts.items() for _ in range(count)))))
    assert sorted(text.rpartition("); ")[2] for _, text in found) == sorted(remedies)
    named = " ".join(text for _, text in found)
    for key, change in changes.items():
        assert f"too {'many' if change > 0 else 'few'} {key} cards ({counts[key]}, " in named


def test_a_hazard_that_cannot_be_read_may_be_the_missing_one(write: Any) -> None:
    assert len(defects_of(write(text_of('hazard = "puw"')))) == 1
    both = text_of('hazard = "puw"').replace('"Card 17"\nhazard = "sun"', '"Card 17"\nhazard = "drop"')
    assert len(defects_of(write(both))) == 2


def test_a_deck_without_cards(write: Any) -> None:
    assert defects_of(write('name = "x"\n')) == [
        (1, ": there are no cards; add [[card]] with name and hazard for each card")
    ]
    assert "single table" in defects_of(write('name = "x"\n[card]\nname = "y"\nhazard = "paw"\n'))[0][1]
    assert "[[card]]" in defects_of(write('name = "x"\ncard = 3\n'))[0][1]


def test_all_defects_are_found_at_once(write: Any) -> None:
    body = """\
hazrad = "puw"
stars = ten
skulls = 11
provenance = { name = "own" }

[[card.ability]]  # a comment with [[card]] in it
timing = "scoring"
effect = "hide"
select = { row = "jurney", position = "left", cards = "hidden" }
if = {}
"""
    found = defects_of(write(text_of(body) + '\n[[card]]\nname = "Card 17"\nhazard = "sun"\n'))
    last = len(text_of(body).splitlines())
    assert [line for line, _ in found] == [5, 5, 6, 7, 8, 12, 13, 13, 13, 14, last + 3, last + 4]
    assert found[1][1].startswith('card 1 (First), hazrad: "hazard" has no word "puw"')
    assert found[6][1].startswith("card 1 (First), ability 1, select.row: ")


def test_misspelled_tables_are_still_checked(write: Any) -> None:
    text = text_of(HEAD + "[[card.abilities]]\ntimming = 3\neffect = 4\n").replace("[[card", "[[cards")
    found = defects_of(write(text))
    assert [line for line, _ in found] == [3, 6, 7, 7, 8]
    assert found[-1][1].startswith("cards 1 (First), abilities 1, effect: ")


def test_several_syntax_errors_at_once(write: Any) -> None:
    found = defects_of(write(text_of('hazard = paw\nstars = = 1\nskulls = 1\nskulls = 2\nprovenance = "x"\n')))
    assert [line for line, _ in found] == [5, 6, 8, 9]
    assert len(defects_of(write("\n".join(f"a{i} = x" for i in range(500))))) <= 100


LOOK_ALIKES = [
    ("hazard = \u201cpaw\u201d", "U+201C, left double quotation mark", 'write words in "double quotes"'),
    ("hazard = \u201dpaw\u201d", "U+201D, right double quotation mark", "double quotes"),
    ('hazard = "paw\u201d', "U+201D, right double quotation mark", "double quotes"),
    ("hazard = \u201epaw\u201c", "U+201E, double low-9 quotation mark", "double quotes"),
    ("hazard = \u00abpaw\u00bb", "U+00AB", "double quotes"),
    ("hazard = \u2018paw\u2019", "U+2018, left single quotation mark", "double quotes"),
    ("hazard = `paw`", "U+0060, grave accent", "double quotes"),
    ("hazard = \uff02paw\uff02", "U+FF02, fullwidth quotation mark", "double quotes"),
    ('hazard \uff1d "paw"', "U+FF1D, fullwidth equals sign", "write ="),
    ('hazard =\u00a0"paw"', "U+00A0, no-break space", "write a space"),
    ('hazard =\u3000"paw"', "U+3000, ideographic space", "write a space"),
    ('\u200bhazard = "paw"', "U+200B, zero width space", "delete it"),
    ('\ufeffhazard = "paw"', "U+FEFF, zero width no-break space", "delete it"),
    ('hazard = "paw"\u00ad', "U+00AD, soft hyphen", "delete it"),
]


@pytest.mark.parametrize(("line", "name", "remedy"), LOOK_ALIKES, ids=[name for _, name, _ in LOOK_ALIKES])
def test_look_alikes_are_named_and_read_as_meant(write: Any, line: str, name: str, remedy: str) -> None:
    """One defect in the line; what else is wrong in the file is found as if it were mended."""
    found = defects_of(write(text_of(line + "\nstars = 11")))
    assert [at for at, _ in found] == [5, 6]
    assert name in found[0][1]
    assert remedy in found[0][1]
    assert 'hazard = "paw"' in found[0][1]
    assert "11, out of range" in found[1][1]


@pytest.mark.parametrize(
    ("body", "meant"),
    [
        (HEAD + "stars =\u00a0\uff12", "stars = 2"),
        (POINTS + "points = \u22122", "points = -2"),
        (POINTS + "points = \u20132", "points = -2"),
        (ABILITY + 'timing = \u201cafter_rest\u201d\neffect = "hide"', 'timing = "after_rest"'),
        (MOVE + "effect = \u201chide\u201d\nselect = { row = \u201cjourney\u201d, hazard = \u2018sun\u2019 }",
         'select = { row = "journey", hazard = "sun" }'),
        (HEAD + "\uff3b\uff3bcard.ability\uff3d\uff3d\ntiming = \"after_rest\"\neffect = \"hide\"", "[[card.ability]]"),
    ],
)  # fmt: skip
def test_look_alikes_of_numbers_tables_and_headers(write: Any, body: str, meant: str) -> None:
    text = text_of(body)
    assert f"as in: {meant}" in "\n".join(problem for _, problem in defects_of(write(text)))
    with pytest.raises(DeckError) as caught:
        load_deck(write(text))
    assert all("not valid TOML" in defect.problem for defect in caught.value.defects)  # nothing else is wrong


def test_look_alikes_in_names_and_notes_are_what_is_written(write: Any) -> None:
    """Inside straight quotation marks they are text; spaces that cannot be told from others are named in names."""
    name = "Devil\u2019s \u201cHole\u201d \u2013 1"
    deck = load_deck(
        write(text_of(HEAD).replace('"Card 1"', f'"{name}"').replace('"Test"', '"Test"\nnotes = "\u00a0"'))
    )
    assert (deck.cards[1].name, deck.notes) == (name, "\u00a0")
    ((line, problem),) = defects_of(write(text_of(HEAD).replace('"Card 1"', '"Card\u00a01"')))
    assert line == 8
    assert "it has (U+00A0, no-break space)" in problem


def test_a_whole_file_with_curly_quotation_marks(write: Any) -> None:
    """A defect in each line, and none besides."""
    text = text_of(HEAD + '[[card.ability]]\ntiming = "after_rest"\neffect = "hide"')
    curly = re.sub('"([^"\n]*)"', "\u201c\\1\u201d", text)
    found = defects_of(write(curly))
    assert [line for line, _ in found] == [i for i, line in enumerate(text.splitlines(), 1) if '"' in line]
    assert all("left double quotation mark" in problem for _, problem in found)


@pytest.mark.parametrize("ends", ["\r\n", "\r", "\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_line_ends_tabs_and_a_byte_order_mark(write: Any, ends: str, mark: bytes) -> None:
    """All three kinds of line ends, tabs as spaces, and the mark that some editors put before a text."""
    text = text_of(HEAD + "stars\t=\t2\t").replace("\n", ends)
    assert load_deck(write(mark + text.encode())).cards[0].stars == 2
    ((line, problem),) = defects_of(write(mark + text.replace("2", "12").encode()))
    assert (line, "12, out of range" in problem) == (6, True)


@pytest.mark.parametrize(
    "text", ["x = " + "[" * 5000, "x = " + "{a=" * 5000, 'x = """', "x = {", "\0", "[", "=", "\n\n", "\r", "a.b = [,]"]
)
def test_wild_texts_give_the_typed_error(write: Any, text: str) -> None:
    assert defects_of(write(text))


@given(st.text(alphabet='[]{}=".,#\n abcard', max_size=60))
def test_random_texts_give_the_typed_error(text: str) -> None:
    from deathvalley_env.deck_file import read_text

    with pytest.raises(DeckError):
        read_text(text, "x")


def test_unreadable_files(write: Any, tmp_path: Path) -> None:
    assert defects_of(write('name = "é"\n'.encode("latin-1"))) == [
        (1, ": is not UTF-8; save the file with encoding UTF-8")
    ]
    assert "looks like UTF-16" in defects_of(write(text_of(HEAD).encode("utf-16")))[0][1]
    assert defects_of(write(b"# fine\n\xff"))[0][0] == 2
    assert "is a directory" in defects_of(tmp_path)[0][1]
    assert "at most 1000000" in defects_of(write(b"#" * 1_000_001))[0][1]
    no_file = tmp_path / "card.toml" / "x"
    assert "no such file" in defects_of(no_file)[0][1]
    link = tmp_path / "link.toml"
    link.symlink_to(tmp_path / "nowhere")
    assert "cannot be read" in defects_of(link)[0][1]


def test_a_wrong_name_lists_the_shipped_decks() -> None:
    for wrong in ("", "a\0b", "highs_and_low"):
        with pytest.raises(DeckError, match="shipped decks: death_valley, highs_and_lows"):
            load_deck(wrong)
    with pytest.raises(DeckError, match='did you mean "highs_and_lows"'):
        load_deck("highs_and_low")
    with pytest.raises(TypeError, match="not int"):
        load_deck(3)  # type: ignore[arg-type]


def test_the_error_prints_and_pickles(write: Any) -> None:
    path = write(text_of('hazard = "puw"\nstars = 11'))
    with pytest.raises(DeckError) as caught:
        load_deck(str(path))
    lines = str(caught.value).splitlines()
    assert lines[0] == f"2 defects in deck {path}"
    assert lines[1].startswith(f"{path}:5: card 1 (First), hazard: ")
    assert lines[2].startswith(f"{path}:6: card 1 (First), stars: ")
    assert caught.value.defects[0].column == 1
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.defects) == (str(caught.value), caught.value.defects)


# ------------------------------------------------------------------------- lines of a TOML text

TOML = '''
# comment = 1
title = "a # no comment [x]" # "quoted"
"quoted key" = 'literal \\'
"\\u0041.b" = 1
dotted . "x y".z = 2

[table] # comment
text = """
not = "a key"
[[nor a table]] \\""" ""
""""
raw = \'\'\'
a = ' 1''
\'\'\'
date = 1979-05-27 07:32:00Z
nested = { a = { b = [1, { c = "}" }] }, d.e = [ ] }

[[list]]
values = [
  1, # one
  "two]",
  [3,
   4],
]
[list.sub]
x = inf
[[list.items]]
y = 1
[[list.items]]
y = 2
[[list]]
[[list.items]]
y = 3
'''


def paths(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """All the paths in parsed TOML."""
    if path:
        yield path
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in entries:
        yield from paths(entry, (*path, key))


def test_every_key_of_a_text_has_its_line() -> None:
    positions = key_positions(TOML)
    assert set(positions) == set(paths(tomllib.loads(TOML)))
    lines = TOML.split("\n")
    assert lines[positions[("list", 0, "items", 1, "y")][0] - 1] == "y = 2"
    assert lines[positions[("list", 1, "items", 0, "y")][0] - 1] == "y = 3"
    assert lines[positions[("list", 0, "values", 2, 1)][0] - 1] == "   4],"
    assert positions[("table", "nested", "a", "b", 1, "c")] == (positions[("table", "nested")][0], 28)
    assert lines[positions[("list", 1)][0] - 1] == "[[list]]"


values = st.recursive(
    st.one_of(st.integers(-9, 9), st.booleans(), st.text(alphabet="a\"'\\#[]{}=\n,.", max_size=6)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab\"'. ", max_size=3), inner, max_size=3),
    max_leaves=8,
)


def inline(value: Any) -> str:
    """A value as TOML, in one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {inline(entry)}" for key, entry in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(inline(entry) for entry in value) + "]"
    return json.dumps(value)


@given(st.dictionaries(st.text("ab\"'. ", max_size=3), values, max_size=4))
def test_random_texts_have_all_their_keys_found(mapping: dict[str, Any]) -> None:
    text = "\n".join(f"{json.dumps(key)} = {inline(value)}" for key, value in mapping.items())
    positions = key_positions(text)
    assert set(positions) == set(paths(tomllib.loads(text)))
    assert [positions[(key,)] for key in mapping] == [(line, 1) for line in range(1, len(mapping) + 1)]


# --------------------------------------------------------------------------------- decks from Python


def test_decks_made_in_python_are_checked_alike() -> None:
    deck = plain()
    deck["card"][2]["stars"] = True
    deck["card"][3]["ability"] = ({"timing": "scoring"},)
    text = python_defects(deck)
    assert "from Python: card 3 (Card 2), stars: " in text
    assert 'from Python: card 4 (Card 3), ability 1: "effect" is missing' in text
    assert "not a table" in python_defects(3)
    assert "a Python NoneType" in python_defects(plain(card=[None]))
    assert "unknown key 3" in python_defects({**plain(), 3: 4})
    assert "a Python NoneType" in python_defects(plain(name=None))


def test_objects_are_checked_too() -> None:
    cards = deck_from_dict(plain()).cards
    with pytest.raises(DeckError, match="where a deck has 6"):
        Deck("short", "", "", cards[:-1])
    with pytest.raises(DeckError, match="12, out of range"):
        Deck("many stars", "", "", (Card("x", Hazard.PAW, stars=12), *cards[1:]))
    wrong = Ability(Timing.SCORING, Effect.HIDE, points=3)
    with pytest.raises(DeckError, match="scoring has no hide") as caught:
        Deck("wrong", "", "", (Card("x", Hazard.PAW, abilities=(wrong,)), *cards[1:]))
    assert len(caught.value.defects) == 2


@pytest.mark.parametrize("name", shipped_decks())
def test_round_trips(name: str) -> None:
    deck = load_deck(name)
    assert load_deck(deck) is deck
    assert deck_from_dict(deck.to_dict()) == deck
    assert hash(deck_from_dict(deck.to_dict())) == hash(deck)
    deck.record  # noqa: B018  a cached record must not get into the copies
    for again in (pickle.loads(pickle.dumps(deck)), copy.deepcopy(deck)):
        assert again == deck
        assert again.digest == deck.digest
        assert again.record.tobytes() == deck.record.tobytes()


def test_defaults_written_out_make_the_same_deck() -> None:
    short = {"timing": "bust_check", "effect": "ignore", "select": {}, "if": {"this_row": "both"}}
    long = {
        **short,
        "optional": False,
        "select": {
            "row": "both",
            "position": "any",
            "hazard": "any",
            "cards": "visible",
            "having": "any",
            "other": False,
        },
        "if": {"this_row": "both", "this_position": "any", "unless": False},
    }
    assert deck_from_dict(with_ability(short)) == deck_from_dict(with_ability(long))
    assert deck_from_dict(deck_from_dict(with_ability(short)).to_dict()) == deck_from_dict(with_ability(short))


def test_the_digest_follows_the_rules_alone() -> None:
    base = deck_from_dict(with_ability({"timing": "scoring", "effect": "points", "points": 2}))
    same = with_ability({"timing": "scoring", "effect": "points", "points": 2, "per": "once"})
    same.update(notes="other", source="other", name="Other")
    same["card"][3].update(name="Other", provenance="stated")
    assert deck_from_dict(same).digest == base.digest
    assert re.fullmatch("[0-9a-f]{12}", base.digest)
    digests = {base.digest}
    for key, value in (("stars", 1), ("skulls", 1), ("ability", [])):
        other = with_ability({"timing": "scoring", "effect": "points", "points": 2})
        other["card"][0][key] = value
        digests.add(deck_from_dict(other).digest)
    digests.add(deck_from_dict(with_ability({"timing": "scoring", "effect": "points", "points": 3})).digest)
    reordered = base.to_dict()
    reordered["card"] = reordered["card"][::-1]
    digests.add(deck_from_dict(reordered).digest)
    assert len(digests) == 6


# ------------------------------------------------------------------------------------------ records


def card_set(*cards: int) -> int:
    return sum(1 << card for card in cards)


def test_record_of_plain_cards() -> None:
    deck = plain()
    deck["card"][1].update(stars=3, skulls=2)
    record: Any = deck_from_dict(deck).record
    assert record.hazard.tolist() == [0] * 3 + [1] * 4 + [2] * 5 + [3] * 6
    assert record.of_hazard.tolist() == [0b111, 0b1111 << 3, 0b11111 << 7, 0b111111 << 12]
    assert (record.stars[1], record.skulls[1], record.ai_points[1]) == (3, 2, 5)
    assert (record.abilities["timing"] == Timing.NONE).all()
    assert not record.timed.any()
    assert not record.mandatory.any()


def test_record_of_shipped_cards() -> None:
    deck = load_deck("highs_and_lows")
    record: Any = deck.record
    number = {card.name: i for i, card in enumerate(deck.cards)}
    suns, paws = card_set(*range(6)), card_set(15, 16, 17)

    dunes = record.abilities[number["Panamint Dunes"], 0]
    assert (dunes.timing, dunes.effect, dunes.points, dunes.per) == (Timing.SCORING, Effect.POINTS, 1, Per.CARD)
    assert (dunes.every, dunes.cap, dunes.condition.always) == (1, 3, 1)
    assert dunes.select.filter == suns & ~card_set(number["Panamint Dunes"])

    salt = number["Salt Creek"]
    hide, swap, unused = record.abilities[salt]
    assert (hide.timing, hide.optional, hide.effect) == (Timing.START_OF_TURN, 1, Effect.HIDE)
    assert (hide.select.row, hide.select.cards, hide.select.filter) == (Row.JOURNEY, Cards.VISIBLE, paws)
    assert (swap.effect, swap.select.row, swap.select.cards) == (Effect.SWAP_HIDDEN, Row.BOTH, Cards.HIDDEN_HERE)
    assert unused.timing == Timing.NONE

    lions = record.abilities[number["Mountain Lions"], 0]
    assert (lions.select.position, lions.select.filter) == (Position.THIS, ALL)
    assert (lions.condition.always, lions.condition.counts, lions.condition.unless) == (0, 1, 0)
    assert (lions.condition.at_least, lions.condition.at_most) == (1, 18)
    assert lions.condition.select.position == Position.ADJACENT
    assert lions.condition.select.filter == record.of_hazard[Hazard.MOUNTAIN]

    peak = record.abilities[number["Corkscrew Peak"], 0].condition
    assert (peak.always, peak.counts, peak.unless) == (0, 0, 1)
    assert (peak.row, peak.position) == (Row.JOURNEY, Position.RIGHTMOST)

    gate = record.abilities[number["Hells Gate"], 0]
    assert (gate.effect, gate.hazard) == (Effect.RAISE_LIMIT, Hazard.SUN)
    rats = record.abilities[number["Kangaroo Rats"], 0]
    assert (rats.per, rats.select.hazard) == (Per.ROW_WITHOUT, Hazard.DROP)

    assert record.timed[Timing.START_OF_TURN] == card_set(salt)
    assert record.timed[Timing.BUST_CHECK] == card_set(
        0, number["Hells Gate"], number["Mountain Lions"], number["Desert Tortoise"]
    )
    assert record.mandatory[Timing.BEFORE_REST] == card_set(number["Ventifact Ridge"])
    assert record.mandatory[Timing.WHEN_TRAVELED] == card_set(number["Lake Manly"])
    assert record.mandatory[Timing.AFTER_REST] == 0


def test_the_solo_ai_scores_print_and_positive_numbers_once() -> None:
    """R10; the rulebook's examples are Super Bloom and Devil's Golf Course."""
    deck = load_deck("death_valley")
    points = {card.name: int(number) for card, number in zip(deck.cards, deck.record["ai_points"], strict=True)}
    assert points["Super Bloom"] == 2
    assert points["Devil's Golf Course"] == 5
    assert points["Mosaic Canyon"] == 1 + 3
    assert load_deck("highs_and_lows").record["ai_points"][7] == 2 + 3  # Desolation Canyon


def test_filter_of_having() -> None:
    deck = with_ability({"timing": "bust_check", "effect": "ignore", "select": {"having": "skulls", "other": True}})
    for index in (0, 5, 9):
        deck["card"][index]["skulls"] = 1
    assert deck_from_dict(deck).record.abilities[0, 0].select.filter == card_set(5, 9)


# ------------------------------------------------------------------------------------- shipped decks


def test_shipped_decks_are_as_the_components_say() -> None:
    assert shipped_decks() == ("death_valley", "highs_and_lows")
    timings = set()
    for name in shipped_decks():
        deck = load_deck(name)
        assert Counter(card.hazard.name.lower() for card in deck.cards) == HAZARD_COUNTS
        timings |= {ability.timing for card in deck.cards for ability in card.abilities}
    owners = {Timing.INSTEAD_OF_TRAVEL, Timing.INSTEAD_OF_REST, Timing.BEFORE_TRAVEL}  # on no card that is known
    assert timings == set(Timing) - {Timing.NONE} - owners
    assert not any(card.skulls for card in load_deck("death_valley").cards)


def test_reports_count_every_field_once() -> None:
    assert deck_report("highs_and_lows") == {"stated": 25, "read": 1, "reconstructed": 64, "owner": 0}
    assert deck_report("death_valley") == {"stated": 53, "read": 4, "reconstructed": 33, "owner": 0}
    assert deck_report(deck_from_dict(plain())) == dict(zip(PROVENANCES, (0, 0, 0, 90), strict=True))
    own = plain()
    own["card"][0]["provenance"] = "stated"
    own["card"][1]["provenance"] = {"stars": "read"}
    assert deck_report(deck_from_dict(own)) == {"stated": 5, "read": 1, "reconstructed": 0, "owner": 84}
    table = deck_report_table()
    assert "| `highs_and_lows` | 90 | 25 | 1 | 64 | 0 |" in table.splitlines()
    assert deck_report_table([deck_from_dict(own)]).splitlines()[2] == "| Plain | 90 | 5 | 1 | 0 | 84 |"


def test_the_page_on_decks_has_the_report() -> None:
    page = (Path(__file__).parents[2] / "docs" / "decks.md").read_text(encoding="utf-8")
    found = re.search("<!-- deck-report -->\n(.*?)\n<!-- /deck-report -->", page, re.DOTALL)
    assert found
    assert found[1] == deck_report_table()


def test_the_example_of_the_page_is_valid() -> None:
    page = (Path(__file__).parents[2] / "docs" / "decks.md").read_text(encoding="utf-8")
    example = tomllib.loads(re.search("```toml\n(.*?)```", page, re.DOTALL)[1])  # type: ignore[index]
    deck = plain()
    deck["card"][3] = example["card"][0]
    assert deck_from_dict(deck).cards[3].name == "Salt Creek"


# ---------------------------------------------------------------------------- adding other cards


def test_drawing_by_seed() -> None:
    pools = ["highs_and_lows", "death_valley"]
    decks = [draw_deck(pools, seed=seed) for seed in range(20)]
    assert len({deck.digest for deck in decks}) == 20
    assert draw_deck(pools, seed=3) == decks[3]
    assert draw_deck(pools) != draw_deck(pools)
    either = {card.name for pool in pools for card in load_deck(pool).cards}
    assert {card.name for deck in decks for card in deck.cards} == either
    assert draw_deck(["death_valley"], seed=5).digest == load_deck("death_valley").digest
    assert draw_deck("death_valley", seed=5).digest == load_deck("death_valley").digest


def test_a_drawn_deck_is_the_same_on_every_machine() -> None:
    names = [card.name for card in draw_deck(["highs_and_lows", "death_valley"], seed=7).cards]
    assert names[:5] == ["Stovepipe Wells", "State Route 190", "Panamint Dunes", "Daylight Pass", "Salt Creek"]
    assert names[9:12] == ["Eureka Dunes", "Racetrack Playa", "Badwater Basin"]


def test_the_first_pool_goes_before_the_others() -> None:
    mine = plain()
    mine["card"][0] = {"name": "kangaroo rats", "hazard": "sun"}
    mine["card"][12] = {"name": "Some Rats", "hazard": "paw"}
    own = deck_from_dict(mine)
    names = [card.name for card in own.cards]
    assert draw_deck([own, "highs_and_lows"], names=names).cards == own.cards
    wanted = r"too many paw cards \(4, .*, and too few sun cards \(5, .*; change one paw card to sun"
    with pytest.raises(DeckError, match=wanted):
        draw_deck(["highs_and_lows", own], names=names)


def test_drawing_by_name() -> None:
    names = [card.name for card in reversed(load_deck("death_valley").cards)]
    deck = draw_deck(["highs_and_lows", "death_valley"], names=[name.upper() for name in names])
    assert [card.name for card in deck.cards] == names
    with pytest.raises(DeckError) as caught:
        draw_deck(["death_valley"], names=["Snake", *names[1:-1], names[1]])
    text = str(caught.value)
    assert 'no pool has a card "snake"; did you mean "Snakes"?' in text
    assert f'"{names[1]}" is named 2 times; name each card once' in text
    with pytest.raises(
        DeckError, match=r"too many paw cards \(4, .*, and too few sun cards \(5, .*; change one paw card to sun"
    ):
        draw_deck(["death_valley"], names=[*names[1:-1], "Snakes", "Coyotes"])


def test_pools_may_have_any_number_of_cards(write: Any) -> None:
    pool = write('name = "More"\n[[card]]\nname = "New"\nhazard = "paw"\nstars = 1\n')
    names = ["New", *(card.name for card in load_deck("death_valley").cards if card.name != "Snakes")]
    assert draw_deck(["death_valley", pool], names=names).cards[0].stars == 1
    with pytest.raises(DeckError) as caught:
        draw_deck([pool], seed=1)
    assert [defect.remedy for defect in caught.value.defects] == [
        "add a pool with 2 more",
        "add a pool with 4 more",
        "add a pool with 5 more",
        "add a pool with 6 more",
    ]
    with pytest.raises(DeckError, match="out of range"):
        draw_deck([write('name = "More"\n[[card]]\nname = "New"\nhazard = "paw"\nstars = 11\n')])


def test_wrong_arguments_of_draw_deck() -> None:
    with pytest.raises(ValueError, match="either seed or names"):
        draw_deck(["death_valley"], 3, names=[])
    with pytest.raises(ValueError, match="0 or more"):
        draw_deck(["death_valley"], -1)
    with pytest.raises(TypeError):
        draw_deck(["death_valley"], 1.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="sequence of card names"):
        draw_deck(["death_valley"], names="Snakes")
    with pytest.raises(DeckError, match="0 paw cards"):
        draw_deck([], seed=1)
    with pytest.raises(DeckError, match="no such file"):
        draw_deck(["nowhere.toml"])


# ------------------------------------------------------------------------------------ warnings


def of_stars(stars: int, abilities: int) -> dict[str, Any]:
    """A plain deck whose first cards have a star, and whose first cards have an ability."""
    deck = plain()
    for card in deck["card"][:stars]:
        card["stars"] = 1
    for card in deck["card"][:abilities]:
        card["ability"] = [{"timing": "scoring", "effect": "points", "points": 1}]
    return deck


@pytest.mark.parametrize(
    ("stars", "abilities", "warned"),
    [
        (0, 0, ["18 of 18 cards have neither stars nor skulls nor abilities"]),
        (18, 0, ["no card has an ability"]),
        (0, 18, ["no card has a star"]),
        (12, 12, ["6 of 18 cards have neither"]),
        (12, 0, ["6 of 18 cards have neither", "no card has an ability"]),
        (13, 13, []),
        (1, 18, []),
    ],
)
def test_decks_that_are_hardly_whole_are_warned_of(
    write: Any, capsys: pytest.CaptureFixture[str], stars: int, abilities: int, warned: list[str]
) -> None:
    """By the check, which is content all the same, and once by `make_game`."""
    deck = deck_from_dict(of_stars(stars, abilities))
    found = deck_warnings(deck)
    assert len(found) == len(warned)
    assert all(text.startswith(start) for text, start in zip(found, warned, strict=True))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            make_game(deck=deck)
    assert [entry.category for entry in caught] == [DeckWarning] * bool(warned)
    for entry in caught:
        assert all(text in str(entry.message) for text in warned)
        assert entry.filename == __file__
    tables = "".join(
        f'\n[[card]]\nname = "{card.name}"\nhazard = "{card.hazard.name.lower()}"\nstars = {card.stars}\n'
        + '[[card.ability]]\ntiming = "scoring"\neffect = "points"\npoints = 1\n' * len(card.abilities)
        for card in deck.cards
    )
    path = write('name = "Test"\n' + tables)
    assert main(["deck", "check", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "no defects" in lines[0]
    assert lines[1:] == [f"{path}: warning: {text}" for text in found]


@pytest.mark.parametrize("name", shipped_decks())
def test_shipped_decks_are_whole(name: str) -> None:
    assert deck_warnings(load_deck(name)) == []


# ------------------------------------------------------------------------------------ one defect, one line


def test_defects_are_one_a_line_everywhere(write: Any, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(text_of('hazard = "puw"\nstars = 11\nskulls = x'))
    makers: list[Callable[[], Any]] = [
        lambda: load_deck(path),
        lambda: make_game(deck=path),
        lambda: solo_env(deck=str(path)),
        lambda: draw_deck([path], 1),
    ]
    for make in makers:
        with pytest.raises(DeckError) as caught:
            make()
        first, *lines = str(caught.value).splitlines()
        assert first == f"3 defects in deck {path}"
        assert [line.split(": ")[0] for line in lines] == [f"{path}:{n}" for n in (5, 6, 7)]
    with pytest.raises(DeckError) as caught:
        draw_deck(["death_valley"], names=["Snaks", "Coyotes", "Coyotes"])
    lines = str(caught.value).splitlines()
    assert len(lines) == 1 + len(caught.value.defects) > 4
    assert main(["deck", "check", str(path)]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 3


# ------------------------------------------------------------------------------------ command line


def test_check_prints_defects_on_stderr(write: Any, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(text_of('hazard = "puw"\nstars = 11'))
    assert main(["deck", "check", str(path)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert [line.split(": ")[0] for line in err.splitlines()] == [f"{path}:5", f"{path}:6"]
    assert main(["deck", "check", "highs_and_lows"]) == 0
    assert "no defects" in capsys.readouterr().out


def test_show_and_report(write: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deck", "show", "highs_and_lows"]) == 0
    out = capsys.readouterr().out
    assert "Desolation Canyon, drop, ☠☠\nScoring: +3 for each card in your discard pile.\n" in out
    assert "[stated: name, hazard, stars, skulls; read: abilities]" in out
    assert main(["deck", "report"]) == 0
    assert capsys.readouterr().out == deck_report_table() + "\n"
    assert main(["deck", "report", str(write(text_of(HEAD)))]) == 0
    assert "| Test | 90 | 0 | 0 | 0 | 90 |" in capsys.readouterr().out
    assert main(["deck", "show", "nowhere.toml"]) == 1


def test_the_template_is_valid_toml_with_blanks(write: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deck", "template"]) == 0
    text = capsys.readouterr().out
    assert text == template()
    assert text.isascii()
    found = defects_of(write(text))
    assert len(found) == 1 + 18
    assert all('"name" is empty' in problem for _, problem in found)
    number = iter(range(100))
    filled = re.sub('name = ""', lambda _: f'name = "Name {next(number)}"', text)
    assert len(load_deck(write(filled)).cards) == 18


@pytest.mark.parametrize(
    "arguments", [[], ["deck"], ["deck", "check"], ["deck", "fly"], ["deck", "template", "x"], ["x"]]
)
def test_wrong_usage_exits_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: python -m deathvalley_env" in capsys.readouterr().err


def test_objects_have_the_defaults_of_the_page() -> None:
    assert Selection() == Selection(Row.BOTH, Position.ANY, Hazard.ANY, Cards.VISIBLE, Having.ANY, False)
    assert Condition() == Condition(Row.BOTH, Position.ANY, None, 1, 18, False)
