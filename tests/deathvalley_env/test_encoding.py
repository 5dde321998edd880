"""Observations number by number, against a second account of their layout; facts; illegal actions in batches; returns.

That masks are exact and that nothing observed depends on the deck's order is in ``test_masks_and_observations.py``.
"""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from deathvalley_env.deck import Deck, DeckError, deck_from_dict, draw_deck, load_deck
from deathvalley_env.encoding import facts_of
from deathvalley_env.game import make_game
from deathvalley_env.vocabulary import HAZARD_COUNTS, NO_CARD, NUM_CARDS
from tests.deathvalley_env.table import OTHER, Table, make_deck, position_of
from tests.reference.deathvalley import random_deck
from valley_core.batch import loops_of
from valley_core.game import Game, Reward

SHIPPED = ("highs_and_lows", "death_valley")
HAZARDS = tuple(HAZARD_COUNTS)
TIMINGS = (
    *("start_of_turn", "instead_of_travel", "instead_of_rest", "before_travel"),
    *("when_traveled", "after_travel", "before_rest", "after_rest"),
    *("when_busting", "bust_check", "scoring"),
)
EFFECTS = (
    *("shuffle", "swap_face_up", "swap_cards", "hide", "swap_hidden", "to_scrapbook", "to_journey"),
    *("travel_again", "send", "keep", "ignore", "raise_limit", "score_nothing", "points"),
)
PERS = ("once", "card", "star", "skull", "row_without")
POSITIONS = (
    *("any", "this", "left", "right", "above", "below", "vertical", "adjacent", "this_or_adjacent"),
    *("leftmost", "rightmost"),
)
HAVINGS = ("any", "stars", "skulls")
ROWS = ("both", "journey", "scrapbook", "own_discard", "other_discard", "both_discards")
SELECTED_HAZARDS = (*HAZARDS, "any")
CARDS = ("visible", "hidden_here", "hidden")
VARIANTS: dict[str, dict[str, Any]] = {
    "base": {"max_turns": 40},
    "backseat": {"variant": "backseat"},
    "asking forced decisions": {"ask_forced": True, "variant": "backseat"},
    "solo": {"solo": True},
    "solo discard_points": {"solo": True, "discard_points": True},
    "solo both": {"solo": True, "discard_points": True, "must_outbust": True},
}


def random_decks(count: int) -> list[Deck]:
    """Decks out of the whole vocabulary."""
    return [deck_from_dict({"name": f"random {n}", "card": random_deck(random.Random(n))}) for n in range(count)]


DECKS = [*map(load_deck, SHIPPED), draw_deck(SHIPPED, seed=3), *random_decks(4)]


def states_of(game: Game, seeds: range) -> Iterator[Any]:
    """The states of random games; one record, which goes on."""
    mask = np.zeros(game.num_actions, np.uint8)
    state = game.new_states(1)[0]
    for seed in seeds:
        choose = random.Random(seed)
        state["rng"] = seed
        game.kernels.reset(state, game.data[0])
        while True:
            yield state
            seat = game.kernels.to_act(state)
            if seat < 0:
                break
            game.kernels.legal(state, game.data[0], seat, mask)
            game.kernels.step(state, game.data[0], seat, int(choose.choice(np.flatnonzero(mask))))


# --- Number by number -----------------------------------------------------------------------------------------------


def expected(state: Any, deck: Deck, seat: int) -> dict[str, np.ndarray]:
    """What the documentation of the layout says that a seat sees, from names of cards instead of sets."""
    names = [card.name for card in deck.cards]
    number = {name: card for card, name in enumerate(names)}
    hazard = {card.name: int(card.hazard) for card in deck.cards}
    position = position_of(state, names)
    order = (seat, 1 - seat)

    place, column, depth = np.zeros((12, NUM_CARDS)), np.zeros(NUM_CARDS), np.zeros(NUM_CARDS)
    hazards = np.zeros((2, 4))
    for name in position.deck:
        place[0, number[name]] = 1
    if position.face_up is not None:
        place[1, number[position.face_up]] = 1
    for who, player in enumerate(order):
        for row, piles in enumerate((position.journey[player], position.scrapbook[player])):
            for k, pile in enumerate(piles):
                hazards[who, hazard[pile[0]]] += 1
                for d, name in enumerate(pile):
                    place[2 + 5 * who + row + (2 if d else 0), number[name]] = 1
                    column[number[name]] = k
                    depth[number[name]] = d
        for name in position.discard[player]:
            place[6 + 5 * who, number[name]] = 1

    def marked(field: str) -> list[bool]:
        return [card == state[field] for card in range(NUM_CARDS)]

    def members(cards: Any) -> list[bool]:
        return [bool(int(cards) >> card & 1) for card in range(NUM_CARDS)]

    over = state["decision"] == 8
    return {
        "place": place,
        "column": column / 17,
        "depth": depth / 17,
        "asking": marked("asking"),
        "chosen": marked("chosen"),
        "traveled": marked("traveled"),
        "used": members(state["used"][state["window"]]),
        "kept": members(state["kept"]),
        "decision": np.arange(9) == state["decision"],
        "window": np.arange(9) == state["window"],
        "travel": np.arange(3) == state["travel"],
        "own_turn": [state["active"] == seat],
        "asked": [not over and state["player"] == seat],
        "deck_size": [len(position.deck) / 18],
        "turn": [state["turn"] / state["max_turns"]],
        "busts": [min(1, position.busts[player] / 20) for player in order],
        "hazards": hazards / 6,
        "unseen": [sum(hazard[name] == h for name in position.deck) / 6 for h in range(4)],
        "scores": [np.clip(state["scores"][player] / 40, -1, 1) for player in order],
        "options": [state[name] for name in ("solo", "backseat", "discard_points", "must_outbust")],
    }


def those(words: Iterable[str], found: str) -> list[bool]:
    return [word == found for word in words]


def expected_selection(select: dict[str, Any]) -> list[float]:
    return [
        *those(ROWS[1:], select.get("row", "both")),
        *those(POSITIONS[1:], select.get("position", "any")),
        *those(HAZARDS, select.get("hazard", "any")),
        *those(CARDS[1:], select.get("cards", "visible")),
        *those(HAVINGS[1:], select.get("having", "any")),
        select.get("other", False),
    ]


def expected_condition(condition: dict[str, Any] | None) -> list[float]:
    if condition is None:
        return [0] * 33
    count = condition.get("count")
    bounds = [1, condition.get("at_least", 1) / 18, condition.get("at_most", 18) / 18]
    return [
        1,
        condition.get("unless", False),
        *those(("journey", "scrapbook"), condition.get("this_row", "both")),
        *those(("leftmost", "rightmost"), condition.get("this_position", "any")),
        *([0] * 27 if count is None else [*bounds, *expected_selection(count)]),
    ]


def expected_ability(ability: dict[str, Any]) -> list[float]:
    return [
        *those(TIMINGS, ability["timing"]),
        ability.get("optional", False),
        *those(EFFECTS, ability["effect"]),
        *those(HAZARDS, ability.get("hazard", "any")),
        ability.get("points", 0) / 9,
        *those(PERS[1:], ability.get("per", "once")),
        (ability.get("every", 1) - 1) / 8,
        1 / ability["cap"] if "cap" in ability else 0,
        *expected_selection(ability.get("select", {})),
        *expected_condition(ability.get("if")),
    ]


def expected_facts(deck: Deck) -> dict[str, np.ndarray]:
    """The facts of the cards, from the tables of the deck file."""
    cards = deck.to_dict()["card"]
    abilities = np.zeros((NUM_CARDS, 3, 94), np.float32)
    for number, card in enumerate(cards):
        slots = [ability for timing in TIMINGS for ability in card.get("ability", []) if ability["timing"] == timing]
        for slot, ability in enumerate(slots):
            abilities[number, slot] = expected_ability(ability)
    printed = [[*those(HAZARDS, card["hazard"]), card["stars"] / 9, card["skulls"] / 9] for card in cards]
    return {"printed": np.array(printed, np.float32), "abilities": abilities}


@pytest.mark.parametrize("variant", VARIANTS)
def test_observations_number_by_number(variant: str) -> None:
    count = 0
    for deck in DECKS:
        game = make_game(deck=deck, card_facts=True, **VARIANTS[variant])
        for state in states_of(game, range(2)):
            for seat in range(2):
                out = np.full(game.layout.size, np.nan, np.float32)
                game.kernels.observe(state, game.data[0], seat, out)
                views = game.layout.views(out)
                for name in ("printed", "abilities"):  # the constant part is left alone
                    assert np.isnan(views.pop(name)).all()
                wanted = expected(state, deck, seat)
                assert list(views) == list(wanted)
                for name, view in views.items():
                    np.testing.assert_allclose(view, np.array(wanted[name], np.float32), rtol=1e-6, err_msg=name)
                count += 1
    assert count > 500


def test_busts_and_scores_are_clipped() -> None:
    table = Table("desert: s1 + ...\n0 journey: p1\n0 busts: 30\n1 busts: 10", make_deck({"p1": 9}))
    out = np.zeros(table.game.layout.size, np.float32)
    table.state["scores"] = [90, -90]
    table.game.kernels.observe(table.state, table.data, 0, out)
    views = table.game.layout.views(out)
    assert views["busts"].tolist() == [1, 0.5]
    assert views["scores"].tolist() == [1, -1]


@pytest.mark.parametrize("deck", DECKS, ids=lambda deck: deck.name)
def test_facts_are_those_of_the_deck(deck: Deck) -> None:
    game = make_game(deck=deck, card_facts=True)
    observation = game.blank_observations(game.template)[0]
    views = game.layout.views(observation)
    assert observation.dtype == np.float32
    for name, wanted in expected_facts(deck).items():
        np.testing.assert_allclose(views[name], wanted, rtol=1e-6, err_msg=name)
        assert len({row.tobytes() for row in views[name]}) > 1
    assert (observation[: game.fixed_from] == 0).all()


SELECTION_VALUES: dict[str, Sequence[Any]] = {
    "row": ROWS, "position": POSITIONS, "hazard": SELECTED_HAZARDS, "cards": CARDS, "having": HAVINGS,
    "other": (False, True),
}  # fmt: skip
ABILITY_VALUES: dict[str, Sequence[Any]] = {
    "timing": TIMINGS, "optional": (False, True), "effect": EFFECTS, "hazard": HAZARDS, "points": range(-9, 10),
    "per": PERS, "every": range(1, 10), "cap": range(1, 100), "select": ({}, {"hazard": "sun"}),
    "if": ({"this_row": "both"}, {"count": {}}),
}  # fmt: skip
CONDITION_VALUES: dict[str, Sequence[Any]] = {
    "this_row": ROWS[:3], "this_position": ("any", "leftmost", "rightmost"), "count": ({}, {"row": "journey"}),
    "at_least": range(19), "at_most": range(19), "unless": (False, True),
}  # fmt: skip
CARD_VALUES: dict[str, Sequence[Any]] = {"hazard": HAZARDS, "stars": range(10), "skulls": range(10)}


def tables_of(cards: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any], Mapping[str, Sequence[Any]]]]:
    """Each table of a deck: its kind, itself, and what its fields can be."""
    for card in cards:
        yield "card", card, CARD_VALUES
        for ability in card.get("ability", []):
            yield "ability", ability, ABILITY_VALUES
            yield "select", ability.setdefault("select", {}), SELECTION_VALUES
            if "if" in ability:
                yield "if", ability["if"], CONDITION_VALUES
            if "count" in ability.get("if", {}):
                yield "count", ability["if"]["count"], SELECTION_VALUES


FIELDS = [
    f"{kind}.{name}"
    for kind, names in {
        "card": CARD_VALUES, "ability": ABILITY_VALUES, "select": SELECTION_VALUES, "if": CONDITION_VALUES,
        "count": SELECTION_VALUES,
    }.items()
    for name in names
    if name != "hazard" or kind != "card"  # their quantities are those of any deck
]  # fmt: skip
SOME_DECKS = random_decks(12)


@pytest.mark.parametrize("field", FIELDS)
def test_decks_that_play_differently_have_different_facts(field: str) -> None:
    """A field of an ability that changes what kernels read changes what is observed."""
    rng, found = random.Random(field), 0
    for _ in range(200):
        deck = rng.choice(SOME_DECKS)
        cards = deck.to_dict()["card"]
        tables = [(table, known) for kind, table, known in tables_of(cards) if kind == field.split(".")[0]]
        if not tables:
            continue
        table, known = rng.choice(tables)
        name = field.split(".")[1]
        table[name] = rng.choice(known[name])
        for ability in (ability for card in cards for ability in card.get("ability", [])):
            if not ability["select"]:
                del ability["select"]
        try:
            other = deck_from_dict({"name": "random", "card": cards})
        except DeckError:
            continue
        if other.record.tobytes() != deck.record.tobytes():
            assert facts_of(other.cards).tobytes() != facts_of(deck.cards).tobytes()
            found += 1
            if found == 3:
                return
    assert found, f"no change of {field} gives another deck"


def test_facts_can_be_left_out() -> None:
    with_facts, without = make_game(card_facts=True), make_game()
    assert without.layout.size == with_facts.fixed_from == without.fixed_from
    assert [f.name for f in with_facts.layout.fields[:-2]] == [f.name for f in without.layout.fields]
    state = next(states_of(with_facts, range(1)))
    out, short = np.zeros(with_facts.layout.size, np.float32), np.zeros(without.layout.size, np.float32)
    with_facts.kernels.observe(state, with_facts.data[0], 0, out)
    without.kernels.observe(state, without.data[0], 0, short)
    assert (out[: len(short)] == short).all()


def test_discard_piles_are_public_r2() -> None:
    table = Table("desert: s1 + ...\n0 discard: s2, m1\n1 discard: d1", make_deck())
    for seat, (own, other) in enumerate(((("s2", "m1"), ("d1",)), (("d1",), ("s2", "m1")))):
        out = np.zeros(table.game.layout.size, np.float32)
        table.game.kernels.observe(table.state, table.data, seat, out)
        place = table.game.layout.views(out)["place"]
        assert {table.names[card] for card in np.flatnonzero(place[6])} == set(own)
        assert {table.names[card] for card in np.flatnonzero(place[11])} == set(other)


def test_constants_of_the_layout() -> None:
    """What a saved network relies on."""
    game = make_game(card_facts=True)
    assert [(field.name, field.shape) for field in game.layout.fields] == [
        ("place", (12, 18)),
        *[(name, (18,)) for name in ("column", "depth", "asking", "chosen", "traveled", "used", "kept")],
        ("decision", (9,)),
        ("window", (9,)),
        ("travel", (3,)),
        *[(name, (1,)) for name in ("own_turn", "asked", "deck_size", "turn")],
        ("busts", (2,)),
        ("hazards", (2, 4)),
        ("unseen", (4,)),
        ("scores", (2,)),
        ("options", (4,)),
        ("printed", (18, 6)),
        ("abilities", (18, 3, 94)),
    ]
    assert game.fixed_from == game.layout.start("printed") == 387
    assert game.layout.size == 387 + 18 * 6 + 18 * 3 * 94 == 5571
    assert make_game(card_facts=False).layout.size == 387
    assert (game.num_actions, game.wait) == (42, 41)


# --- Illegal actions in batches -------------------------------------------------------------------------------------


def test_find_illegal_tells_exactly_what_the_mask_tells() -> None:
    """A batch of positions of many games, each with every action, one at a time."""
    for variant, options in VARIANTS.items():
        game = make_game(deck=DECKS[-1] if variant == "backseat" else SHIPPED[0], **options)
        states = np.array([state.copy() for state in states_of(game, range(6)) if state["decision"] != 8])
        seats = states["player"].astype(np.int64)
        masks = np.zeros((len(states), game.num_actions), np.uint8)
        loops = loops_of(game)
        loops.masks_all(states, game.data, seats, masks)
        before = states.tobytes()
        good, mask = masks.argmax(1), np.zeros(game.num_actions, np.uint8)
        assert loops.find_illegal(states, game.data, seats, good, mask) == -1
        for at in range(len(states)):
            for action in (-1, *range(game.num_actions), game.num_actions):
                actions = good.copy()
                actions[at] = action
                legal = 0 <= action < game.num_actions and masks[at, action]
                assert loops.find_illegal(states[at:], game.data, seats[at:], actions[at:], mask) == (
                    -1 if legal else 0
                )
        assert states.tobytes() == before


# --- Returns --------------------------------------------------------------------------------------------------------


def returns(table: Table, kind: Reward) -> list[float]:
    """The returns of both seats."""
    out = np.zeros(2)
    table.game.kernels.returns(table.state, table.data, int(kind), out)
    return [float(value) for value in out]


@pytest.mark.parametrize(
    ("rows", "win", "margin"),
    [
        ("0 journey: s3\n1 journey: s2", 1, 0.05),
        ("0 journey: s2\n1 journey: s3", -1, -0.05),
        ("0 journey: s2", 1, 0.1),
        ("0 journey: s3\n1 journey: s4", 0, 0),
        ("0 journey: s3\n1 journey: s4\n0 busts: 1", -1, 0),
        ("0 journey: m1, m2, m3", 1, 1),  # 27 points count as 20
    ],
)
def test_returns_at_the_end(rows: str, win: float, margin: float) -> None:
    deck = make_deck({"s2": 2, "s3": 3, "s4": 3, "m1": 9, "m2": 9, "m3": 9})
    table = Table(f"desert: p1 + d1\n1 discard: ...\n{rows}", deck)
    assert returns(table, Reward.WIN) == returns(table, Reward.MARGIN) == [0, 0]
    assert returns(table, Reward.SHAPED) == pytest.approx([margin / 2, -margin / 2])
    # The last card goes where it matters to nobody, and m1 … m3 would make a bust.
    table.state["decision"] = 8
    assert returns(table, Reward.WIN) == [win, -win]
    assert returns(table, Reward.MARGIN) == pytest.approx([margin, -margin])
    assert returns(table, Reward.SHAPED) == pytest.approx([win + margin / 2, -win - margin / 2])
    table.state["at_limit"] = 1
    assert returns(table, Reward.WIN) == [win, -win]  # scored as it stands (R11)
    table.state["truncates"] = 1
    assert returns(table, Reward.WIN) == [0, 0]
    assert returns(table, Reward.MARGIN) == pytest.approx([margin, -margin])


def test_must_outbust_decides_the_win_and_not_the_margin() -> None:
    deck = make_deck({"s2": 2})
    table = Table("desert: p1 + d1\n0 discard: ...\n0 journey: s2", deck, solo=True, must_outbust=True).play(OTHER)
    assert table.decision == "OVER"
    assert table.state["traveled"] == NO_CARD
    assert returns(table, Reward.WIN) == [-1, 1]
    assert returns(table, Reward.MARGIN) == pytest.approx([0.1, -0.1])
