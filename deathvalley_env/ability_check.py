"""Checks abilities: which words and numbers go together (``docs/decks.md``)."""

from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from typing import Any, NamedTuple, TypeVar

from deathvalley_env.deck_parts import SELECT_REQUIRED, Ability, Condition, Selection, word
from deathvalley_env.deck_reader import Path, Reader, listing
from deathvalley_env.vocabulary import (
    AT_TURN,
    EFFECTS_OF_TIMING,
    MAX_ABILITIES,
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

Member = TypeVar("Member", bound=IntEnum)

ABILITY_KEYS = ("timing", "optional", "effect", "select", "if", "hazard", "points", "per", "every", "cap")
SELECTION_KEYS = ("row", "position", "hazard", "cards", "having", "other")
CONDITION_KEYS = ("this_row", "this_position", "count", "at_least", "at_most", "unless")
SELECTION_EXAMPLE = 'a table such as { row = "journey", hazard = "sun" }'
CONDITION_EXAMPLE = 'a table such as { this_row = "journey" }'

COMMON_KEYS = ("timing", "optional", "effect", "if")
"""Keys that every effect takes; ``select`` goes with all but those listed below."""
OWN_KEYS: dict[Effect, tuple[str, ...]] = {
    Effect.TRAVEL_AGAIN: (),
    Effect.RAISE_LIMIT: ("hazard",),
    Effect.POINTS: ("points", "per", "every", "cap", "select"),
}

WINDOWS = list(Timing)[:NUM_WINDOWS]
"""The timings whose abilities are decisions of their owner."""
NEVER_OPTIONAL = (Timing.BEFORE_REST, Timing.BUST_CHECK, Timing.SCORING)
DISCARDS = (Row.OWN_DISCARD, Row.OTHER_DISCARD, Row.BOTH_DISCARDS)
HIDDEN = (Cards.HIDDEN_HERE, Cards.HIDDEN)
ENDS = (Position.LEFTMOST, Position.RIGHTMOST)
FROM_JOURNEY = (Effect.HIDE, Effect.TO_SCRAPBOOK, Effect.SEND, Effect.SWAP_FACE_UP, Effect.KEEP)
"""Effects whose chosen card is in the Journey."""


def _words(members: Iterable[Member]) -> dict[str, Member]:
    return {word(member): member for member in members}


TIMINGS = _words([timing for timing in Timing if timing != Timing.NONE])
EFFECTS = _words(Effect)
ROWS = _words(Row)
POSITIONS = _words(Position)
ANY_HAZARD = {"any": Hazard.ANY, **_words([hazard for hazard in Hazard if hazard != Hazard.ANY])}
ONE_HAZARD = _words([hazard for hazard in Hazard if hazard != Hazard.ANY])
CARDS = _words(Cards)
HAVINGS = _words(Having)
PERS = _words(Per)
OWN_ROWS = _words([Row.BOTH, Row.JOURNEY, Row.SCRAPBOOK])
OWN_POSITIONS = _words([Position.ANY, *ENDS])


def check_abilities(reader: Reader, entries: Sequence[Any], path: Path) -> tuple[Ability, ...]:
    """The abilities of a card; all defects are noted, and what has one is left out."""
    if len(entries) > MAX_ABILITIES:
        surplus = len(entries) - MAX_ABILITIES
        remedy = f"delete {surplus}; a card has at most {MAX_ABILITIES}"
        reader.note((*path, MAX_ABILITIES), f"{len(entries)} abilities on one card", remedy)
    drafts = [_ability(reader, entry, (*path, index)) for index, entry in enumerate(entries)]
    _check_alternatives(reader, drafts, path)
    return tuple(draft.ability for draft in drafts if draft.ability is not None)


class _Draft(NamedTuple):
    """What is known of an ability: None where it is defective."""

    timing: Timing | None = None
    optional: bool | None = None
    effect: Effect | None = None
    ability: Ability | None = None


def _check_alternatives(reader: Reader, drafts: Sequence[_Draft], path: Path) -> None:
    """Abilities of one card with the same timing that are decisions are alternatives in one window.

    One action uses a card's ability beside Travel and Rest, so that a card has at most one of those timings.
    """
    at_turn = [
        (index, draft.timing)
        for index, draft in enumerate(drafts)
        if draft.timing is not None and draft.timing in AT_TURN
    ]
    for index, timing in at_turn:
        if timing != at_turn[0][1]:
            problem = f"{word(timing)} beside {word(at_turn[0][1])} on one card"
            remedy = f"a card has one of {listing(word(t) for t in AT_TURN)}: they are chosen beside Travel and Rest"
            reader.note((*path, index, "timing"), problem, remedy)
    for timing in WINDOWS:
        group = [(index, draft) for index, draft in enumerate(drafts) if draft.timing == timing]
        if len(group) < 2:
            continue
        first = group[0][1].optional
        for index, draft in group[1:]:
            if None not in (first, draft.optional) and draft.optional != first:
                problem = f"alternatives of {word(timing)} differ in optional"
                remedy = f"write optional = {str(first).lower()} as in the first of them, or the other way round"
                reader.note((*path, index, "optional"), problem, remedy)
        for index, draft in group:
            if draft.effect == Effect.TRAVEL_AGAIN:
                problem = f"travel_again beside another ability of {word(timing)}"
                reader.note((*path, index, "effect"), problem, "give one of them another timing, or delete it")


def _ability(reader: Reader, value: Any, path: Path) -> _Draft:
    found = len(reader.findings)
    table = reader.table(value, path, ABILITY_KEYS, "[[card.ability]] with timing and effect below it")
    if table is None:
        return _Draft()
    timing = reader.choice(table, path, "timing", TIMINGS, None)
    optional = reader.flag(table, path, "optional")
    effect = reader.choice(table, path, "effect", EFFECTS, None)
    _check_timing(reader, path, timing, optional, effect)
    _check_keys(reader, table, path, effect)
    select = _selection(reader, table["select"], (*path, "select")) if "select" in table else None
    condition = _condition(reader, table["if"], (*path, "if")) if "if" in table else None
    hazard, numbers = _numbers(reader, table, path, effect)
    if effect is not None and select is not None:
        _check_selection(reader, select, (*path, "select"), effect, numbers.get("per"))
    if len(reader.findings) > found or timing is None or effect is None:
        return _Draft(timing, optional, effect)
    chosen = Selection(**select) if select is not None else Selection()
    ability = Ability(timing, effect, bool(optional), chosen, condition, hazard, **numbers)
    return _Draft(timing, optional, effect, ability)


def _check_timing(
    reader: Reader, path: Path, timing: Timing | None, optional: bool | None, effect: Effect | None
) -> None:
    """The effects of each timing, and which timings are mandatory always."""
    if timing is None:
        return
    allowed = EFFECTS_OF_TIMING[timing]
    if effect is not None and effect not in allowed:
        right = [word(other) for other, effects in EFFECTS_OF_TIMING.items() if effect in effects]
        remedy = f"effects of {word(timing)}: {listing(word(e) for e in sorted(allowed))}; timings of {word(effect)}: "
        reader.note((*path, "effect"), f"{word(timing)} has no {word(effect)}", remedy + listing(right))
    if optional and timing in NEVER_OPTIONAL:
        reader.note((*path, "optional"), f"{word(timing)} cannot be optional", "delete optional, or write false")


def _check_keys(reader: Reader, table: Mapping[str, Any], path: Path, effect: Effect | None) -> None:
    """The keys that the effect takes, and those that it needs."""
    if effect is None:
        return
    own = OWN_KEYS.get(effect, ("select",))
    for key in table:
        if key not in COMMON_KEYS and key not in own:
            reader.note((*path, key), f'{word(effect)} takes no "{key}"', "delete it")
    if effect in SELECT_REQUIRED and "select" not in table:
        example = '{ cards = "hidden_here" }' if effect == Effect.SWAP_HIDDEN else '{ hazard = "sun" }'
        reader.note(path, f'{word(effect)} needs "select"', f"add select = such as {example}")


def _numbers(
    reader: Reader, table: Mapping[str, Any], path: Path, effect: Effect | None
) -> tuple[Hazard, dict[str, Any]]:
    """The hazard of raise_limit, and the numbers of points as keyword arguments."""
    if effect == Effect.RAISE_LIMIT:
        hazard = reader.choice(table, path, "hazard", ONE_HAZARD, None)
        return Hazard.ANY if hazard is None else hazard, {}
    if effect is not None and effect != Effect.POINTS:
        return Hazard.ANY, {}
    if effect is not None and "points" not in table:
        reader.note(path, '"points" is missing', "add points = a number from -9 to 9, not 0")
    points = reader.integer(table, path, "points", (-9, 9), None)
    if points == 0:
        reader.note((*path, "points"), '"points" is 0', "write a number from -9 to 9, not 0, or delete the ability")
    per = reader.choice(table, path, "per", PERS, Per.ONCE)
    numbers = {
        "points": points,
        "per": per,
        "every": reader.integer(table, path, "every", (1, 9), 1),
        "cap": reader.integer(table, path, "cap", (1, 99), None),
    }
    if effect is not None and per == Per.ONCE:
        for key in ("select", "every", "cap"):
            if key in table:
                reader.note((*path, key), f'points counted once take no "{key}"', 'delete it, or add per = "card"')
    if per == Per.ROW_WITHOUT and "select" not in table:
        reader.note(path, 'row_without needs "select"', 'add select = such as { hazard = "sun" }')
    return Hazard.ANY, numbers


def _selection(reader: Reader, value: Any, path: Path) -> dict[str, Any] | None:
    """The fields of a selection as keyword arguments, None where defective; None if it is no table."""
    table = reader.table(value, path, SELECTION_KEYS, SELECTION_EXAMPLE)
    if table is None:
        return None
    fields: dict[str, Any] = {
        "row": reader.choice(table, path, "row", ROWS, Row.BOTH),
        "position": reader.choice(table, path, "position", POSITIONS, Position.ANY),
        "hazard": reader.choice(table, path, "hazard", ANY_HAZARD, Hazard.ANY),
        "cards": reader.choice(table, path, "cards", CARDS, Cards.VISIBLE),
        "having": reader.choice(table, path, "having", HAVINGS, Having.ANY),
        "other": reader.flag(table, path, "other"),
    }
    row, position, cards = fields["row"], fields["position"], fields["cards"]
    if position not in (None, Position.ANY):
        here = (*path, "position")
        if cards in HIDDEN:
            reader.note(here, "hidden cards have no position", 'delete position, or write cards = "visible"')
        if row in DISCARDS:
            reader.note(here, "discarded cards have no position", "delete position, or write another row")
        if position in ENDS and row == Row.BOTH:
            problem = f"{word(position)} of which row?"
            reader.note(here, problem, 'add row = "journey" or row = "scrapbook"')
    if cards in HIDDEN and row in DISCARDS:
        reader.note((*path, "cards"), "no cards are hidden in a discard pile", "delete cards, or write another row")
    return fields


def _check_selection(reader: Reader, select: Mapping[str, Any], path: Path, effect: Effect, per: Per | None) -> None:
    """What the effect asks of its selection, beyond what holds for all selections."""
    row, cards = select["row"], select["cards"]
    at_row, at_cards = (*path, "row"), (*path, "cards")
    if effect == Effect.POINTS:
        if per == Per.ROW_WITHOUT:
            _check_row_without(reader, select, path)
        return
    if row in DISCARDS:
        remedy = f"write row = one of {listing(OWN_ROWS)}; discard piles are only to be counted"
        reader.note(at_row, f"{word(effect)} does not reach discard piles", remedy)
    if effect in FROM_JOURNEY and row == Row.SCRAPBOOK:
        reader.note(at_row, f"{word(effect)} takes a Journey card", 'write row = "journey"')
    if effect == Effect.TO_JOURNEY and row == Row.JOURNEY:
        reader.note(at_row, f"{word(effect)} takes a Scrapbook card", 'write row = "scrapbook"')
    if effect == Effect.SWAP_HIDDEN:
        if cards == Cards.VISIBLE:
            reader.note(at_cards, "swap_hidden takes a hidden card", 'write cards = "hidden_here" or cards = "hidden"')
    elif cards in HIDDEN:
        reader.note(at_cards, f"{word(effect)} takes visible cards", 'delete cards, or write cards = "visible"')


def _check_row_without(reader: Reader, select: Mapping[str, Any], path: Path) -> None:
    """``row_without`` looks at nothing but the hazard and the rows."""
    problem = word(Per.ROW_WITHOUT)
    if select["hazard"] == Hazard.ANY:
        reader.note((*path, "hazard"), f"{problem} needs a hazard", f"write hazard = one of {listing(ONE_HAZARD)}")
    if select["row"] in DISCARDS:
        reader.note((*path, "row"), f"{problem} looks at your rows", f"write row = one of {listing(OWN_ROWS)}")
    if select["cards"] in HIDDEN:
        reader.note((*path, "cards"), f"{problem} looks at visible cards", "delete cards")
    if select["position"] not in (None, Position.ANY):
        reader.note((*path, "position"), f"{problem} takes no position", "delete it")
    if select["having"] not in (None, Having.ANY):
        reader.note((*path, "having"), f"{problem} takes no having", "delete it")
    if select["other"]:
        reader.note((*path, "other"), f"{problem} takes no other", "delete it")


def _condition(reader: Reader, value: Any, path: Path) -> Condition | None:
    """The condition; defects are noted."""
    table = reader.table(value, path, CONDITION_KEYS, CONDITION_EXAMPLE)
    if table is None:
        return None
    if not any(key in table for key in ("this_row", "this_position", "count")):
        remedy = "add this_row, this_position or count, or delete the condition"
        reader.note(path, "the condition tests nothing", remedy)
    row = reader.choice(table, path, "this_row", OWN_ROWS, Row.BOTH)
    position = reader.choice(table, path, "this_position", OWN_POSITIONS, Position.ANY)
    count = _selection(reader, table["count"], (*path, "count")) if "count" in table else None
    at_least, at_most = _bounds(reader, table, path)
    unless = reader.flag(table, path, "unless")
    if row is None or position is None or (count is not None and None in count.values()):
        return None
    selection = None if count is None else Selection(**count)
    return Condition(row, position, selection, at_least, at_most, bool(unless))


def _bounds(reader: Reader, table: Mapping[str, Any], path: Path) -> tuple[int, int]:
    """``at_least`` and ``at_most``."""
    at_least = reader.integer(table, path, "at_least", (0, NUM_CARDS), 1)
    at_most = reader.integer(table, path, "at_most", (0, NUM_CARDS), NUM_CARDS)
    for key in ("at_least", "at_most"):
        if key in table and "count" not in table:
            reader.note((*path, key), f'"{key}" without "count"', "add count = a selection, or delete it")
    if at_least is None or at_most is None:
        return 1, NUM_CARDS
    if at_least > at_most:
        problem = f"at_most = {at_most} is less than at_least = {at_least}"
        remedy = "write at_least = 0" if "at_least" not in table else "exchange the two"
        reader.note((*path, "at_most"), problem, remedy)
    return at_least, at_most
