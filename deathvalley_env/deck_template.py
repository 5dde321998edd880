"""A deck file to fill in, with the vocabulary in its comments."""

from deathvalley_env.ability_check import EFFECTS
from deathvalley_env.deck_parts import PROVENANCES, word
from deathvalley_env.vocabulary import (
    EFFECTS_OF_TIMING,
    HAZARD_COUNTS,
    MAX_ABILITIES,
    Cards,
    Having,
    Per,
    Position,
    Row,
)

HEAD = """\
# A deck to fill in: type in the cards of your copy of the game, then run
#
#     python -m deathvalley_env deck check FILE
#
# As printed this file is valid TOML, and the check reports the empty name of the deck and of each card: fill these in.
# Lines that begin with # are comments. docs/decks.md explains every word. Save the file with encoding UTF-8.
#
# A card has 0 to 9 stars, 0 to 9 skulls, and at most {max_abilities} abilities, each below a line [[card.ability]].
# Three examples, to be copied below a card, without the # signs:
#
#     [[card.ability]]                      # Scoring: +2 for each other sun card in your Journey, but not above +6.
#     timing = "scoring"
#     effect = "points"
#     points = 2
#     per = "card"
#     cap = 6
#     select = {{ row = "journey", hazard = "sun", other = true }}
#
#     [[card.ability]]                      # After you Rest, you may swap the face-up card with a card in your Journey.
#     timing = "after_rest"
#     optional = true
#     effect = "swap_face_up"
#
#     [[card.ability]]                      # Bust check: ignore this card if there is an adjacent drop card.
#     timing = "bust_check"
#     effect = "ignore"
#     select = {{ position = "this" }}
#     if = {{ count = {{ position = "adjacent", hazard = "drop" }} }}
#
# timing, and the effects of each:
{timings}
# select = {{ row, position, hazard, cards, having, other }}; what is left out is the first word:
{selection}
#   hazard: any, {hazards}
#   other: false, true
# if = {{ this_row, this_position, count = {{ a selection }}, at_least, at_most, unless }}
# points = -9 to 9, with per: {per}; every = 1 to 9; cap = 1 to 99
# raise_limit takes hazard = {hazards}
#
# provenance says where the fields of a card come from: {provenances}. Left out, it is owner:
# typed in by you.

name = ""
source = "typed in from my copy of the game"
notes = ""
"""

CARD = """
[[card]]
name = ""
hazard = "{hazard}"
stars = 0
skulls = 0
"""


def template() -> str:
    """The text of the file, in ASCII: 18 cards without names."""
    timings = [
        f"#   {word(timing)}: {', '.join(name for name, effect in EFFECTS.items() if effect in effects)}"
        for timing, effects in EFFECTS_OF_TIMING.items()
    ]
    enums = {"row": Row, "position": Position, "cards": Cards, "having": Having}
    selection = [f"#   {key}: {', '.join(word(member) for member in enum)}" for key, enum in enums.items()]
    head = HEAD.format(
        max_abilities=MAX_ABILITIES,
        timings="\n".join(timings),
        selection="\n".join(selection),
        hazards=", ".join(HAZARD_COUNTS),
        per=", ".join(word(per) for per in Per),
        provenances=", ".join(PROVENANCES),
    )
    return head + "".join(CARD.format(hazard=hazard) * count for hazard, count in HAZARD_COUNTS.items())
