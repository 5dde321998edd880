"""Records that are no states are refused by name of the field; those that pass can be played on from."""

import random
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deathvalley_env import raw_env
from deathvalley_env.deck import Deck, deck_from_dict, load_deck
from deathvalley_env.game import make_game
from deathvalley_env.state import STATE
from deathvalley_env.vocabulary import NO_CARD, NUM_CARDS, Action, Decision, Timing
from tests.deathvalley_env.table import Table, ability, make_deck
from tests.reference.deathvalley import random_deck
from tests.valley_core.records import check_a_saved_record_is_loaded, check_other_things_are_refused
from valley_core.errors import StateError
from valley_core.game import Game

VARIANTS: dict[str, dict[str, Any]] = {
    "base": {},
    "backseat": {"variant": "backseat"},
    "asking forced decisions": {"ask_forced": True, "max_turns": 12},
    "solo": {"solo": True},
    "solo both": {"solo": True, "discard_points": True, "must_outbust": True},
}


def decks() -> list[Deck]:
    """Both shipped decks, and random ones."""
    made = [deck_from_dict({"name": f"random {n}", "card": random_deck(random.Random(n))}) for n in range(6)]
    return [load_deck("highs_and_lows"), load_deck("death_valley"), *made]


@cache
def games_of(variant: str) -> list[Game]:
    return [make_game(deck=deck, **VARIANTS[variant]) for deck in decks()]


@pytest.fixture(params=VARIANTS)
def games(request: pytest.FixtureRequest) -> list[Game]:
    return games_of(request.param)


def play_on(game: Game, state: Any, choose: random.Random, decisions: int) -> Iterator[Any]:
    """Random decisions; the state before each."""
    mask = np.zeros(game.num_actions, np.uint8)
    for _ in range(decisions):
        yield state
        seat = game.kernels.to_act(state)
        if seat < 0:
            return
        game.kernels.legal(state, game.data[0], seat, mask)
        legal = np.flatnonzero(mask)
        assert legal.size
        assert legal[-1] != game.wait
        game.kernels.step(state, game.data[0], seat, int(choose.choice(legal)))


def states_of(game: Game, seeds: range) -> Iterator[Any]:
    """Copies of the states of random games."""
    for seed in seeds:
        state = game.new_states(1)[0]
        state["rng"] = seed
        game.kernels.reset(state, game.data[0])
        for here in play_on(game, state, random.Random(seed), 100_000):
            yield here.copy()


def test_every_state_of_random_games_passes(games: list[Game]) -> None:
    seen = set()
    for game in games:
        for state in states_of(game, range(6)):
            game.check_state(state)
            seen.add(int(state["decision"]))
    assert {int(d) for d in Decision if d not in (Decision.SECOND_CARD, Decision.TRAVEL)} <= seen


def test_other_things_are_no_states() -> None:
    check_other_things_are_refused(games_of("base")[0], "Death Valley")


# --- Each field -----------------------------------------------------------------------------------------------------

TEXT = """
    desert: Hells Gate + Salt Creek, ...
    0 journey: Manly Beacon, Ventifact Ridge [Darwin Falls], Kangaroo Rats
    0 scrapbook: Stovepipe Wells [Lake Manly]
    0 discard: Daylight Pass
    1 journey: Surprise Canyon
    1 busts: 1
"""


def set_field(state: Any, name: str, at: tuple[int, ...], value: int) -> None:
    """Write one number of a field."""
    if at:
        state[name][at] = value
    else:
        state[name] = value


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("data", (-1, 1, 99)),
        ("max_turns", (-1, 0, 2**31 - 1)),
        ("ask_forced", (-1, 2)),
        ("first_player", (-2, 2)),
        ("deck_size", (-1, 19)),
        ("face_up", (-2, 18)),
        ("journey_size", (-1, 19)),
        ("scrapbook_size", (-1, 19)),
        ("under", (-2, 18)),
        ("discard", (-1, 1 << 18)),
        ("busts", (-1, 2**31 - 1)),
        ("turn", (-1, 200, 2**31 - 1)),
        ("active", (-1, 2)),
        ("player", (-1, 1, 2)),
        ("decision", (-1, 9)),
        ("window", (-1, 1, 2, 3, 8, 9)),
        ("travel", (-2, 0, 1, 2, 3)),
        ("traveled", (-2, 18)),
        ("asking", (-2, 18)),
        ("chosen", (-2, 18)),
        ("rested", (-1, 2)),
        ("checked", (-1, 3)),
        ("returned", (-1, 2)),
        ("kept", (-1, 1 << 18)),
        ("used", (-1, 1 << 18)),
        ("at_limit", (-1, 1, 2)),
        ("truncates", (-1, 2)),
        ("solo", (1,)),
        ("backseat", (1,)),
        ("discard_points", (1,)),
        ("must_outbust", (1,)),
        ("legal", (0, 1, 1 << 40, -1)),
        ("journey_set", (0, -1, 1 << 20)),
        ("scrapbook_set", (0, -1, 1 << 20)),
        ("scores", (-40, 7)),
        ("touched", (1, 3)),
    ],
)
def test_a_wrong_value_is_refused_by_the_name_of_its_field(name: str, values: tuple[int, ...]) -> None:
    table = Table(TEXT, "highs_and_lows")
    for value in values:
        for at in np.ndindex(STATE[name].shape):
            broken = table.state.copy()
            set_field(broken, name, at, value)
            if broken == table.state:
                continue
            with pytest.raises(StateError, match=rf"\b{name}\b"):
                table.game.check_state(broken)


def test_records_of_other_options_are_refused() -> None:
    for mine in VARIANTS:
        for other in VARIANTS:
            shared = ("variant", "solo", "discard_points", "must_outbust")
            same = all(VARIANTS[mine].get(name) == VARIANTS[other].get(name) for name in shared)
            state = next(states_of(games_of(other)[0], range(1)))
            if same:
                games_of(mine)[0].check_state(state)
            else:
                with pytest.raises(StateError, match="this game was made with"):
                    games_of(mine)[0].check_state(state)


# --- Fields that do not fit each other ------------------------------------------------------------------------------


def number(table: Table, name: str) -> int:
    """The index of a card."""
    return table.names.index(name)


def twice_in_a_row(table: Table) -> None:
    table.state["journey"][0][0] = table.state["journey"][0][2]
    table.state["journey_set"][0] &= ~(1 << number(table, "Manly Beacon"))


def in_deck_and_discard(table: Table) -> None:
    table.state["discard"][1] |= 1 << int(table.state["deck"][0])


def in_both_discards(table: Table) -> None:
    table.state["discard"][1] |= int(table.state["discard"][0])


def nowhere(table: Table) -> None:
    table.state["deck_size"] -= 1


def no_face_up_card(table: Table) -> None:
    table.state["face_up"] = NO_CARD


def deck_of_rubbish(table: Table) -> None:
    table.state["deck"][3] = 77


def row_of_rubbish(table: Table) -> None:
    table.state["journey"][0][0] = -5
    table.state["journey_set"][0] &= ~(1 << number(table, "Manly Beacon"))


def hidden_under_two(table: Table) -> None:
    table.state["under"][number(table, "Manly Beacon")] = number(table, "Darwin Falls")


def hidden_under_itself(table: Table) -> None:
    table.state["under"][number(table, "Darwin Falls")] = number(table, "Darwin Falls")


def hidden_in_a_ring(table: Table) -> None:
    table.state["under"][number(table, "Darwin Falls")] = number(table, "Ventifact Ridge")


def link_from_the_deck_to_a_row(table: Table) -> None:
    table.state["under"][int(table.state["deck"][0])] = number(table, "Manly Beacon")


def link_from_the_deck_to_a_hidden_card(table: Table) -> None:
    table.state["under"][int(table.state["deck"][0])] = number(table, "Darwin Falls")


def link_from_a_discard(table: Table) -> None:
    table.state["under"][number(table, "Daylight Pass")] = int(table.state["deck"][0])


def link_from_the_face_up_card_to_itself(table: Table) -> None:
    table.state["under"][number(table, "Hells Gate")] = number(table, "Hells Gate")


@pytest.mark.parametrize(
    ("damage", "match"),
    [
        (twice_in_a_row, "exactly one place"),
        (in_deck_and_discard, "exactly one place"),
        (in_both_discards, "exactly one place"),
        (nowhere, "exactly one place"),
        (no_face_up_card, "exactly one place"),
        (deck_of_rubbish, "exactly one place"),
        (row_of_rubbish, "exactly one place"),
        (hidden_under_two, "exactly one place"),
        (hidden_under_itself, "exactly one place"),
        (hidden_in_a_ring, "exactly one place"),
        (link_from_the_deck_to_a_row, "field under"),
        (link_from_the_deck_to_a_hidden_card, "field under"),
        (link_from_a_discard, "field under"),
        (link_from_the_face_up_card_to_itself, "field under"),
    ],
    ids=lambda value: value.__name__.replace("_", " ") if callable(value) else "",
)
def test_each_card_lies_in_one_place(damage: Callable[[Table], None], match: str) -> None:
    table = Table(TEXT, "highs_and_lows")
    damage(table)
    with pytest.raises(StateError, match=match):
        table.game.check_state(table.state)


def test_a_decision_needs_its_cards() -> None:
    salt_creek = "desert: Hells Gate + ...\n0 journey: Salt Creek [Kangaroo Rats], Mountain Lions, State Route 190"
    asks_card = Table(salt_creek).play("use Salt Creek")
    asks_second = Table(salt_creek).play("use Salt Creek", "Kangaroo Rats")
    asks_hide = Table(TEXT).play("rest", "Manly Beacon", "Kangaroo Rats")
    assert [t.decision for t in (asks_card, asks_second, asks_hide)] == ["CARD", "SECOND_CARD", "HIDE"]

    def refused(table: Table, match: str, **fields: int) -> None:
        broken = table.state.copy()
        for name, value in fields.items():
            broken[name] = value
        with pytest.raises(StateError, match=match):
            table.game.check_state(broken)

    for table in (asks_card, asks_second, asks_hide):
        for card in (NO_CARD, number(table, "Hells Gate"), number(table, "Corkscrew Peak")):
            refused(table, "field asking", asking=card)
        refused(table, "field legal", decision=int(Decision.OVER))
    for card in (NO_CARD, number(asks_second, "State Route 190"), number(asks_second, "Hells Gate")):
        refused(asks_second, "field chosen", chosen=card)
    refused(
        asks_hide, "field asking", asking=int(asks_hide.state["journey"][0][0])
    )  # a card that could go under itself
    refused(asks_card, "field player", player=1)


def test_the_ai_has_no_scrapbook_and_is_asked_nothing() -> None:
    game = games_of("solo")[0]
    state = next(states_of(game, range(1)))
    broken = state.copy()
    broken["active"] = broken["player"] = 1
    with pytest.raises(StateError, match="field player is 1: the AI"):
        game.check_state(broken)
    broken = state.copy()
    broken["deck_size"] -= 1
    card = int(state["deck"][broken["deck_size"]])
    broken["scrapbook"][1][0], broken["scrapbook_size"][1], broken["scrapbook_set"][1] = card, 1, 1 << card
    with pytest.raises(StateError, match="field scrapbook_size"):
        game.check_state(broken)


def test_a_game_of_another_deck_has_other_scores() -> None:
    table = Table("desert: Snakes + ...\n0 journey: Scorpions", "death_valley")
    assert table.scores == [3, 0]
    with pytest.raises(StateError, match="fields scores"):
        games_of("base")[0].check_state(table.state)


def test_the_travel_that_waits_fits_its_window() -> None:
    """`travel` is set while abilities before a Travel are asked for, and at no other time."""
    deck = make_deck(
        m1=ability("before_travel", "swap_face_up", optional=True),
        m2=ability("instead_of_travel", "swap_cards", optional=True),
    )
    text = "desert: s1 + s2, ...\n0 journey: m1, m2, d1"
    window = Table(text, deck).play("travel top")
    assert (window.decision, int(window.state["window"])) == ("ABILITY", Timing.BEFORE_TRAVEL)
    card = Table(text, deck).play("travel face-up", "use m1")
    second = Table(text, deck).play("use m2", "d1")
    assert (card.decision, second.decision) == ("CARD", "SECOND_CARD")
    for table in (window, card, second):
        table.game.check_state(table.state)
        for travel in (NO_CARD, int(Action.TRAVEL_FACE_UP), int(Action.TRAVEL_TOP), int(Action.TRAVEL_OTHER)):
            broken = table.state.copy()
            broken["travel"] = travel
            fits = travel == NO_CARD if table is second else travel in (Action.TRAVEL_FACE_UP, Action.TRAVEL_TOP)
            assert passes(table.game, broken) == fits, travel  # TRAVEL_OTHER is none of this game's
    broken = window.state.copy()
    broken["window"], broken["travel"] = Timing.AFTER_TRAVEL, NO_CARD
    assert not passes(window.game, broken)


def test_the_turn_limit_fits_the_end() -> None:
    """`at_limit` is set in a game that is over after `max_turns` turns alone."""
    text = "desert: Hells Gate + Salt Creek, Snakes, ..."
    ended = Table("desert: Hells Gate + Salt Creek, ...", max_turns=1).play("travel top")
    assert (ended.decision, int(ended.state["at_limit"])) == ("OVER", 1)
    for name, value in (("at_limit", 0), ("turn", 0), ("max_turns", 2)):
        broken = ended.state.copy()
        broken[name] = value
        assert not passes(ended.game, broken), name
    running = Table(text.replace("Snakes, ", "")).state.copy()
    running["at_limit"] = 1
    assert not passes(ended.game, running)


# --- Damage at random -----------------------------------------------------------------------------------------------


def damaged(state: Any, choose: random.Random) -> Any:
    """A copy with one to three bytes, or fields, changed at random."""
    broken = state.copy()
    for _ in range(choose.choice((1, 1, 2, 3))):
        if choose.random() < 0.3:
            raw = bytearray(broken.tobytes())
            raw[choose.randrange(len(raw))] ^= 1 << choose.randrange(8)
            broken = np.frombuffer(bytes(raw), STATE).copy()[0]
            continue
        name = choose.choice([field for field in STATE.names or () if field != "max_turns"])
        shape = STATE[name].shape
        at = tuple(choose.randrange(size) for size in shape)
        value = choose.choice((0, 1, 2, 3, choose.randrange(NUM_CARDS), *((-1,) if name != "rng" else ())))
        set_field(broken, name, at, value)
    return broken


def passes(game: Game, state: Any) -> bool:
    """Whether the check lets a record pass; nothing but `StateError` may come of it."""
    try:
        game.check_state(state)
    except StateError:
        return False
    return True


def test_damaged_records_are_refused_or_can_be_played_on(games: list[Game]) -> None:
    """Whatever passes the check: games go on, end within bounds, and every card stays in one place."""
    choose = random.Random(1)
    refused = passed = 0
    for game in games:
        for state in states_of(game, range(3)):
            for _ in range(2):
                broken = damaged(state, choose)
                if not passes(game, broken):
                    refused += 1
                    continue
                passed += 1
                for here in play_on(game, broken, choose, 15):
                    game.check_state(here)
    assert refused > 300
    assert passed > 100


def test_a_running_window_of_busting_passes_for_either_player() -> None:
    text = "desert: Super Bloom + ...\n0 journey: Snakes\n1 journey: Eureka Dunes, Scotty's Castle, Furnace Creek"
    table = Table(text, "death_valley", variant="backseat").play("travel face-up to the other Journey")
    assert (int(table.state["active"]), table.player, int(table.state["window"])) == (0, 1, Timing.WHEN_BUSTING)
    table.game.check_state(table.state)


def test_a_saved_record_is_loaded_as_it_was(tmp_path: Path) -> None:
    check_a_saved_record_is_loaded(raw_env, tmp_path)
