"""Every rule and ruling, played by hand in positions drawn as text (`tests.deathvalley_env.table`)."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deathvalley_env.deck import Ability, Deck, load_deck, shipped_decks
from deathvalley_env.vocabulary import SWAPS, Effect, Position, Row
from tests.deathvalley_env.table import OTHER, Table, ability, make_deck, names, same, shuffled
from valley_core.errors import IllegalActionError
from valley_core.rng import draw_plain

pytestmark = pytest.mark.plain

BLANK = make_deck()
"""A deck without stars, skulls and abilities."""


def solo(text: str, deck: str | Deck = BLANK, **options: Any) -> Table:
    """A solo game; if it is the AI's turn in the drawing, it has played it."""
    return Table(text, deck, solo=True, **options)


# --- Setup ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1, 2, 2**64 - 1])
def test_setup_r14(seed: int) -> None:
    """All 18 cards are shuffled, the top one is face up; who plays first is drawn from the seed (R14)."""
    table = Table(None, BLANK, seed)
    deck, rng = shuffled(range(18), seed)
    rng, bits = draw_plain(rng)
    position = table.position
    assert position.face_up == table.names[deck.pop()]
    assert position.deck == [table.names[card] for card in reversed(deck)]
    assert position.active == (bits >> 32) * 2 >> 32
    assert int(table.state["rng"]) == rng
    same(table, f"desert: ? + ...\n> {position.active} journey:")
    assert table.legal() == {"travel face-up", "travel top"}


def test_first_player_r14() -> None:
    """An option says who plays first; in solo play it is you."""
    for first in (0, 1):
        assert {Table(None, BLANK, seed, first_player=first).player for seed in range(8)} == {first}
    assert {Table(None, BLANK, seed).player for seed in range(8)} == {0, 1}
    assert {Table(None, BLANK, seed, solo=True).player for seed in range(8)} == {0}


# --- Travel ---------------------------------------------------------------------------------------------------------


def test_travel_with_the_face_up_card_flips_the_next() -> None:
    same(
        Table("desert: p1 + d1, m1, ...\n0 journey: s1", BLANK).play("travel face-up"),
        "desert: d1 + m1, ...\n0 journey: s1, p1\n> 1 journey:",
    )


def test_travel_with_the_top_card_leaves_the_face_up_card() -> None:
    same(
        Table("desert: p1 + d1, m1, ...\n0 journey: s1", BLANK).play("travel top"),
        "desert: p1 + m1, ...\n0 journey: s1, d1\n> 1 journey:",
    )


def test_players_take_turns() -> None:
    table = Table("desert: p1 + d1, m1, s1, ...", BLANK)
    table.play("travel face-up", "travel top", "travel face-up")
    same(table, "desert: s1 + ...\n0 journey: p1, d1\n> 1 journey: m1")
    assert int(table.state["turn"]) == 3


# --- Rest -----------------------------------------------------------------------------------------------------------


def test_rest_moves_hides_and_returns() -> None:
    """One card to the Scrapbook, any of the others under it, any of the rest into the deck."""
    table = Table("desert: p3 + ...\n0 journey: p1, d1, m1, s1, s2\n0 scrapbook: p2", BLANK)
    table.play("rest")
    assert (table.decision, table.legal()) == ("REST", names("p1, d1, m1, s1, s2"))
    table.play("d1")
    assert (table.decision, table.legal()) == ("HIDE", names("p1, m1, s1, s2, done"))
    table.play("s1", "p1", "done")
    assert (table.decision, table.legal()) == ("RETURN", names("m1, s2, done"))
    table.play("m1", "done")
    same(table, "desert: p3 + ...\n0 journey: s2\n0 scrapbook: p2, d1 [s1, p1]\n> 1 journey:")
    assert "m1" in table.position.deck


def test_rest_with_one_card_asks_nothing_more() -> None:
    table = Table("desert: p3 + d1, ...\n0 journey: m1", BLANK).play("rest")
    same(table, "desert: p3 + d1, ...\n0 scrapbook: m1\n> 1 journey:")


def test_rest_needs_a_journey_card() -> None:
    table = Table("desert: p3 + ...\n0 scrapbook: m1", BLANK)
    assert table.legal() == {"travel face-up", "travel top"}


def test_rest_shuffles_once_and_only_if_a_card_went_into_the_deck_r15() -> None:
    table = Table("desert: p3 + d1, d2, d3, ...\n0 journey: p1, m1, s1", BLANK)
    before = int(table.state["rng"])
    table.play("rest", "p1", "m1", "done", "done")
    assert int(table.state["rng"]) == before
    assert table.position.deck[:3] == ["d1", "d2", "d3"]

    table = Table("desert: p3 + d1, ...\n0 journey: p1, m1 [d2, d3], s1", BLANK)
    bottom_first = table.position.deck[::-1]
    table.play("rest", "p1", "done", "s1", "m1")  # no card is left to return: nothing more is asked
    wanted, rng = shuffled([*bottom_first, "s1", "m1", "d2", "d3"], before)
    assert table.position.deck[::-1] == wanted
    assert int(table.state["rng"]) == rng


def test_gaps_close_to_the_left() -> None:
    """Cards shift in their row, and what is above or below what changes with it."""
    deck = make_deck(s1=ability("scoring", "points", points=1, per="card", select={"position": "below"}))
    table = Table("desert: p3 + ...\n0 journey: m1, m2, s1\n0 scrapbook: d1, p1", deck)
    assert table.scores == [0, 0]
    table.play("rest", "m1", "m2", "done", "done")
    same(table, "desert: p3 + ...\n0 journey: s1\n0 scrapbook: d1, p1, m1 [m2]\n> 1 journey:")
    assert table.scores == [1, 0]


# --- Adjacent and hidden cards --------------------------------------------------------------------------------------

GRID = """
    desert: s5 + ...
    0 journey: p1, {0}, m1, m2
    0 scrapbook: d1, {1}, d3
    1 journey: p2, p3
"""


@pytest.mark.parametrize(
    ("position", "in_journey", "in_scrapbook"),
    [
        ("this", "s1", "s1"),
        ("left", "p1", "d1"),
        ("right", "m1", "d3"),
        ("above", "", "s2"),
        ("below", "s2", ""),
        ("vertical", "s2", "s2"),
        ("adjacent", "p1, m1, s2", "d1, d3, s2"),
        ("this_or_adjacent", "p1, m1, s2, s1", "d1, d3, s2, s1"),
        ("any", "p1, s1, m1, m2, d1, s2, d3", "p1, s1, m1, m2, d1, s2, d3"),
    ],
)
def test_positions_on_the_grid(position: str, in_journey: str, in_scrapbook: str) -> None:
    """Neighbours are left, right, above and below; never those of the Desert or of the other player."""
    select = {"position": position}
    moving = make_deck(s1=ability("start_of_turn", "shuffle", optional=True, select=select))
    counting = make_deck(s1=ability("scoring", "points", points=1, per="card", select=select))
    for cards, wanted in ((("s1", "s2"), in_journey), (("s2", "s1"), in_scrapbook)):
        assert Table(GRID.format(*cards), counting).scores == [len(names(wanted)), 0]
        table = Table(GRID.format(*cards), moving)
        if wanted:
            for name in names(wanted):
                assert Table(GRID.format(*cards), moving, ask_forced=True).play("use s1").legal() == names(wanted)
                assert name not in table.position.deck
        else:
            assert "use s1" not in table.legal()


def test_ends_of_a_row_are_taken_among_the_selected_cards() -> None:
    for position, wanted in (("leftmost", "d1"), ("rightmost", "d2")):
        select = {"row": "journey", "position": position, "hazard": "drop"}
        deck = make_deck(s1=ability("start_of_turn", "shuffle", select=select))
        table = Table("desert: s5 + ...\n0 journey: p1, d1, s1, d2, m1\n0 scrapbook: d3", deck)
        assert wanted in table.position.deck  # mandatory, and no choice: done before the turn's action is asked


def test_hidden_cards_are_never_adjacent() -> None:
    deck = make_deck(s1=ability("scoring", "points", points=1, per="card", select={"position": "adjacent"}))
    table = Table("desert: s5 + ...\n0 journey: s1, p1 [m1, m2]\n0 scrapbook: d1 [d2, d3, d4]", deck)
    assert table.scores == [2, 0]
    assert Table("desert: s5 + ...\n0 journey: s1 [m1]", deck).scores == [0, 0]


def test_hidden_cards_do_nothing_r1() -> None:
    """They do not count in a bust check, and their abilities do not apply."""
    text = "desert: s3 + ...\n0 journey: s1\n0 scrapbook: {}"
    table = Table(text.format("m1 [s2]"), BLANK).play("travel face-up")
    assert table.state["busts"].tolist() == [0, 0]
    table = Table(text.format("s2 [m1]"), BLANK).play("travel face-up")
    assert table.state["busts"].tolist() == [1, 0]

    deck = make_deck(
        m1=[ability("start_of_turn", "shuffle", optional=True), ability("scoring", "points", points=3)],
    )
    table = Table("desert: s3 + ...\n0 journey: s1 [m1]", deck)
    assert table.scores == [0, 0]
    assert "use m1" not in table.legal()


def test_abilities_apply_in_both_rows_r1() -> None:
    deck = make_deck(m1=[ability("start_of_turn", "shuffle", optional=True), ability("scoring", "points", points=3)])
    for row in ("journey", "scrapbook"):
        table = Table(f"desert: s3 + ...\n0 {row}: m1", deck)
        assert table.scores == [3, 0]
        assert "use m1" in table.legal()
    own_row = make_deck(m1=ability("scoring", "points", points=3, when={"this_row": "scrapbook"}))
    assert Table("desert: s3 + ...\n0 journey: m1", own_row).scores == [0, 0]
    assert Table("desert: s3 + ...\n0 scrapbook: m1", own_row).scores == [3, 0]


# --- Busting --------------------------------------------------------------------------------------------------------


def test_the_rulebooks_example_of_a_bust() -> None:
    """1 drop and 2 suns in the Journey, 1 paw and 1 sun in the Scrapbook."""
    table = Table(
        """
        desert: Stovepipe Wells + ...
        0 journey: State Route 190, Desolation Canyon
        0 scrapbook: Kangaroo Rats, Panamint Dunes
        """
    ).play("travel face-up")
    same(
        table,
        """
        desert: ? + ...
        0 scrapbook: Kangaroo Rats, Panamint Dunes
        0 discard: Stovepipe Wells
        0 busts: 1
        > 1 journey:
        """,
    )


def test_two_cards_of_a_hazard_are_no_bust() -> None:
    table = Table("desert: s3 + p1, ...\n0 journey: s1, m1, m2\n0 scrapbook: d1, d2", BLANK).play("travel face-up")
    same(table, "desert: p1 + ...\n0 journey: s1, m1, m2, s3\n0 scrapbook: d1, d2\n> 1 journey:")


def test_a_bust_discards_the_rightmost_card_of_the_hazard() -> None:
    table = Table("desert: m1 + ...\n0 journey: s1, s3, s2, d1\n1 journey: m2", BLANK).play("travel face-up")
    same(table, "desert: ? + ...\n0 discard: s2\n0 busts: 1\n> 1 journey: m2")


def test_a_bust_of_two_hazards_is_one_bust_r4() -> None:
    """Of each hazard the rightmost Journey card is discarded."""
    table = Table("desert: m1 + ...\n0 journey: p3, s1, p1, s2\n0 scrapbook: p2, s3", BLANK).play("travel face-up")
    same(table, "desert: ? + ...\n0 scrapbook: p2, s3\n0 discard: p1, s2\n0 busts: 1\n> 1 journey:")


def test_three_of_a_hazard_in_a_scrapbook_bust_every_turn_r4() -> None:
    """No Journey card has the hazard: none is discarded."""
    rows = "0 scrapbook: s1, s2, s3\n1 scrapbook: s4, s5, s6\n1 discard: ..."
    table = Table(f"desert: m1 + m2, d1, p1\n{rows}", BLANK)
    table.play("travel face-up", "travel top", "travel face-up")
    same(table, f"desert: ? + ...\n{rows}\n0 busts: 2\n1 busts: 1\n> 1 journey:")
    assert names("m1, m2, d1, p1") == {table.position.face_up, *table.position.deck}


def test_order_of_a_bust_r3_r4_r15() -> None:
    """Paw before sun; cards under a discarded card go into the deck there and then; one shuffle at the end."""
    table = Table(
        "desert: m1 + d1, d2, ...\n0 journey: s1, p1 [m2, m3], s2 [m4], d3 [d4]\n0 scrapbook: p2, p3, s3", BLANK
    )
    rng = int(table.state["rng"])
    bottom_first = table.position.deck[::-1][:-1]  # d1 is taken
    table.play("travel top")
    wanted, rng = shuffled([*bottom_first, "m2", "m3", "m4", "s1", "d3", "d4", "d1"], rng)
    same(table, "desert: m1 + ...\n0 scrapbook: p2, p3, s3\n0 discard: p1, s2\n0 busts: 1\n> 1 journey:")
    assert table.position.deck[::-1] == wanted
    assert int(table.state["rng"]) == rng


def test_a_bust_that_puts_nothing_into_the_deck_shuffles_nothing_r15() -> None:
    table = Table("desert: s3 + d1, d2, ...\n0 scrapbook: s1, s2", BLANK)
    rng = int(table.state["rng"])
    table.play("travel face-up")
    same(table, "desert: d1 + d2, ...\n0 scrapbook: s1, s2\n0 discard: s3\n0 busts: 1\n> 1 journey:")
    assert int(table.state["rng"]) == rng


def test_an_ignored_card_may_be_the_one_discarded_r4() -> None:
    deck = make_deck(s4=ability("bust_check", "ignore", select={"position": "this"}))
    table = Table("desert: m1 + ...\n0 journey: s1, s2, s3, s4", deck).play("travel face-up")
    same(table, "desert: ? + ...\n0 discard: s4\n0 busts: 1\n> 1 journey:")


def test_a_bust_is_checked_after_a_rest_too() -> None:
    table = Table("desert: m1 + ...\n0 journey: s1, s2, s3, d1", BLANK).play("rest", "s1", "done", "done")
    same(table, "desert: m1 + ...\n0 scrapbook: s1\n0 discard: s3\n0 busts: 1\n> 1 journey:")
    table = Table("desert: m1 + ...\n0 journey: s1, s2, s3, d1", BLANK).play("rest", "s1", "s2", "done", "done")
    same(table, "desert: m1 + ...\n0 journey: s3, d1\n0 scrapbook: s1 [s2]\n> 1 journey:")


def test_base_game_checks_the_active_player_only_r5() -> None:
    table = Table("desert: m1 + ...\n0 journey: d1\n1 journey: s1, s2, s3", BLANK).play("travel face-up")
    assert table.state["busts"].tolist() == [0, 0]
    table.play("travel face-up")
    assert table.state["busts"].tolist() == [0, 1]


# --- Refresh and the end --------------------------------------------------------------------------------------------


def test_the_desert_is_refreshed_after_the_bust_check_r6() -> None:
    """The cards of a bust are in the deck when the next card is flipped."""
    table = Table("desert: s3 + d1\n0 journey: s1, s2, p1, p2\n1 discard: ...", BLANK).play("travel face-up")
    same(
        table,
        "desert: ? + ...\n0 discard: s3\n0 busts: 1\n"
        "1 discard: p3, d2, d3, d4, m1, m2, m3, m4, m5, s4, s5, s6\n"
        "> 1 journey:",
    )
    assert len(table.position.deck) == 4


def test_the_game_ends_with_one_card_in_the_desert() -> None:
    for action, left in (("travel face-up", "d1"), ("travel top", "p1")):
        table = Table("desert: p1 + d1\n0 journey: m1\n1 discard: ...", BLANK).play(action)
        assert table.decision == "OVER"
        assert table.position.face_up == left
        assert table.position.deck == []
        assert table.legal() == {"wait"}


def test_the_game_goes_on_with_two_cards_in_the_desert() -> None:
    table = Table("desert: p1 + d1, d2\n1 discard: ...", BLANK).play("travel face-up")
    same(table, "desert: d1 + d2\n0 journey: p1\n1 discard: ...\n> 1 journey:")
    assert Table("desert: p1 + d1\n0 journey: m1\n1 discard: ...", BLANK).play("rest").decision == "TURN"


def test_a_bust_can_save_the_desert() -> None:
    table = Table("desert: s3 + d1\n0 journey: s1, s2\n1 discard: ...", BLANK).play("travel face-up")
    assert table.decision == "TURN"
    assert len(table.position.deck) == 2


def test_an_empty_deck_flips_nothing_r6() -> None:
    """A second Travel can take the last two cards."""
    table = Table("desert: Daylight Pass + Manly Beacon\n1 discard: ...").play("travel face-up", "use Daylight Pass")
    assert table.decision == "OVER"
    same(table, "desert: -\n0 journey: Daylight Pass, Manly Beacon\n1 discard: ...")


@pytest.mark.parametrize(
    ("turn_limit", "ending", "winner"), [("terminate", "turn_limit", 0), ("truncate", "truncated", None)]
)
def test_a_game_that_lasts_too_long_ends_r11(turn_limit: str, ending: str, winner: int | None) -> None:
    deck = make_deck({"d1": 2, "s1": 1})
    table = Table("desert: p1 + s1, s2, ...\n0 journey: d1", deck, max_turns=3, turn_limit=turn_limit)
    table.play("travel face-up", "travel face-up")
    assert (table.summary["ending"], table.summary["winner"]) == ("none", None)
    table.play("travel face-up")
    assert (table.decision, table.legal()) == ("OVER", {"wait"})
    assert table.scores == [2, 1]
    assert (table.summary["ending"], table.summary["winner"], table.summary["turns"]) == (ending, winner, 3)


@pytest.mark.parametrize("turn_limit", ["terminate", "truncate"])
def test_an_ordinary_end_in_the_last_turn_r11(turn_limit: str) -> None:
    """One card is left in the Desert: the limit does not matter."""
    table = Table("desert: p1 + d1\n0 journey: m1\n1 discard: ...", BLANK, max_turns=1, turn_limit=turn_limit)
    table.play("travel top")
    assert (table.summary["ending"], table.state["at_limit"]) == ("shared", 0)


def test_the_limit_is_scored_by_points_then_busts_then_shared_r11() -> None:
    deck = make_deck({"d1": 2, "m1": 2, "m2": 3})
    text = "desert: p1 + p2, ...\n0 journey: d1\n1 journey: {}\n0 busts: {}\n1 busts: {}"
    for other, busts, winner in (("m2", (0, 5), 1), ("m1", (1, 0), 1), ("m1", (0, 1), 0), ("m1", (2, 2), None)):
        table = Table(text.format(other, *busts), deck, max_turns=1).play("travel face-up")
        assert (table.summary["ending"], table.summary["winner"]) == ("turn_limit", winner)


def test_must_outbust_decides_at_the_limit_r11() -> None:
    """You are ahead in points, but the AI did not bust more often than you."""
    deck = make_deck({"d1": 9})
    text = "desert: p1 + s1, m1, ...\n0 journey: d1\n0 busts: {}\n1 busts: 1"
    for own, winner in ((1, 1), (0, 0)):
        table = solo(text.format(own), deck, must_outbust=True, max_turns=2).play("travel top")
        assert table.summary["turns"] == 2
        assert (table.summary["ending"], table.summary["winner"]) == ("turn_limit", winner)


# --- Backseat Driver Variant ----------------------------------------------------------------------------------------


def test_backseat_travel_to_the_other_journey() -> None:
    table = Table("desert: p1 + d1, ...\n1 journey: m1", BLANK, variant="backseat")
    assert table.legal() == {"travel face-up", "travel top", OTHER}
    same(table.play(OTHER), "desert: d1 + ...\n> 1 journey: m1, p1")
    assert OTHER not in Table("desert: p1 + d1, ...\n1 journey: m1", BLANK).legal()


def test_backseat_checks_the_active_player_first_then_the_other_r5() -> None:
    """Both bust in one turn: the active player's cards go into the deck and are shuffled first."""
    table = Table(
        "desert: s3 + d1, ...\n0 journey: d2\n0 scrapbook: p1, p2, p3\n1 journey: s1, m1, s2", BLANK, variant="backseat"
    )
    rng = int(table.state["rng"])
    bottom_first = table.position.deck[::-1]
    table.play(OTHER)
    wanted, rng = shuffled([*bottom_first, "d2"], rng)
    wanted, rng = shuffled([*wanted, "s1", "m1", "s2"], rng)
    same(table, "desert: ? + ...\n0 scrapbook: p1, p2, p3\n0 busts: 1\n1 discard: s3\n1 busts: 1\n> 1 journey:")
    assert [*table.position.deck[::-1], table.position.face_up] == wanted


def test_a_card_given_has_no_when_traveled_ability_r12() -> None:
    """Lake Manly would send a card, but only when its owner takes it; `after_travel` of the giver applies."""
    text = "desert: Lake Manly + Manly Beacon, ...\n0 journey: Hells Gate\n1 journey: Daylight Pass"
    same(
        Table(text, variant="backseat").play(OTHER),
        "desert: Manly Beacon + ...\n0 journey: Hells Gate\n> 1 journey: Daylight Pass, Lake Manly",
    )
    text = "desert: Snakes + Coyotes, ...\n0 journey: Racetrack Playa, Super Bloom\n1 journey: Eureka Dunes"
    table = Table(text, "death_valley", variant="backseat").play(OTHER)
    assert table.legal() == {"use Racetrack Playa", "done"}
    table.play("use Racetrack Playa", "Racetrack Playa")
    same(table, "desert: Coyotes + ...\n0 journey: Super Bloom, Racetrack Playa\n> 1 journey: Eureka Dunes, Snakes")


# --- Solo play ------------------------------------------------------------------------------------------------------


def test_ai_gives_the_card_that_busts_you_r9() -> None:
    same(
        solo("desert: s3 + d1, ...\n0 journey: s1, s2\n> 1 journey: m1"),
        "desert: ? + ...\n0 discard: s3\n0 busts: 1\n1 journey: m1",
    )


def test_ai_gives_the_card_that_would_bust_itself_r9() -> None:
    same(
        solo("desert: s3 + d1, ...\n0 journey: m1\n> 1 journey: s1, s2"),
        "desert: d1 + ...\n0 journey: m1, s3\n1 journey: s1, s2",
    )


def test_ai_takes_a_hazard_that_it_has_not() -> None:
    same(
        solo("desert: s3 + d1, ...\n0 journey: s2\n> 1 journey: m1"),
        "desert: d1 + ...\n0 journey: s2\n1 journey: m1, s3",
    )


def test_ai_takes_the_top_card_on_a_match() -> None:
    same(
        solo("desert: m2 + d1, ...\n0 journey: s2\n> 1 journey: m1"),
        "desert: m2 + ...\n0 journey: s2\n1 journey: m1, d1",
    )


def test_ai_can_bust_on_the_top_card() -> None:
    table = solo("desert: m2 + s3, ...\n0 journey: d1\n> 1 journey: s1, m1, s2")
    same(table, "desert: m2 + ...\n0 journey: d1\n1 discard: s3\n1 busts: 1")


def test_you_play_as_in_the_backseat_variant() -> None:
    table = solo("desert: s3 + d1, ...\n0 journey: p1\n1 journey: m1, s1, s2")
    assert table.legal() == {"travel face-up", "travel top", OTHER, "rest"}
    rng = int(table.state["rng"])
    table.play(OTHER)  # the AI busts, and then plays its turn
    assert int(table.state["rng"]) != rng
    assert table.state["busts"].tolist() == [0, 1]
    assert table.position.discard == [[], ["s3"]]
    assert len(table.position.journey[1]) == 1
    assert table.player == 0


def test_would_bust_you_counts_your_abilities_r9() -> None:
    """A third sun to the right of Stovepipe Wells is ignored; elsewhere it is not."""
    text = "desert: Panamint Dunes + Salt Creek, ...\n0 journey: {}\n> 1 journey: Manly Beacon"
    table = solo(text.format("State Route 190, Stovepipe Wells"), "highs_and_lows")
    assert table.position.journey[1] == [["Manly Beacon"], ["Panamint Dunes"]]
    table = solo(text.format("Stovepipe Wells, State Route 190, Daylight Pass"), "highs_and_lows")
    assert table.position.journey[1] == [["Manly Beacon"]]  # two counted suns and one more
    assert table.position.discard[0] == ["Panamint Dunes"]
    hells_gate = text.format("State Route 190, Stovepipe Wells, Daylight Pass") + "\n0 scrapbook: Hells Gate"
    # Suns: State Route, Stovepipe, (Daylight ignored), Hells Gate; with Panamint four, and the limit is four.
    assert solo(hells_gate, "highs_and_lows").state["busts"].tolist() == [1, 0]


def test_would_bust_the_ai_counts_hazards_alone_r9() -> None:
    """The AI's Hells Gate raises no limit, its Stovepipe Wells ignores nothing."""
    text = "desert: Panamint Dunes + Salt Creek, ...\n> 1 journey: Hells Gate, Stovepipe Wells"
    same(
        solo(text, "highs_and_lows"),
        "desert: Salt Creek + ...\n0 journey: Panamint Dunes\n1 journey: Hells Gate, Stovepipe Wells",
    )


def test_abilities_of_the_ais_cards_are_ignored() -> None:
    """Lake Manly sends nothing, Scorpions do not stay."""
    text = "desert: Lake Manly + Salt Creek, ...\n> 1 journey: Manly Beacon"
    same(solo(text, "highs_and_lows"), "desert: Salt Creek + ...\n1 journey: Manly Beacon, Lake Manly")
    text = (
        "desert: Dante's View + Super Bloom, ...\n> 1 journey: Scorpions, Telescope Peak, Eureka Dunes, Furnace Creek"
    )
    table = solo(text, "death_valley")
    assert table.position.journey[1] == []
    assert table.position.discard[1] == ["Super Bloom"]
    assert table.state["busts"].tolist() == [0, 1]


def test_ai_builds_no_scrapbook_and_is_never_asked_r14() -> None:
    for seed in range(20):
        table = Table(None, "highs_and_lows", seed, solo=True)
        while table.decision != "OVER":
            assert table.player == 0
            assert table.position.scrapbook[1] == []
            table.play(min(table.legal(), key=table.action))


# --- Bust checks with abilities -------------------------------------------------------------------------------------


def test_stovepipe_wells_ignores_the_card_to_its_right() -> None:
    text = "desert: Hells Gate + Salt Creek, ...\n0 journey: {}"
    deck_without_limit = "desert: Daylight Pass + Salt Creek, ...\n0 journey: {}"
    table = Table(deck_without_limit.format("State Route 190, Stovepipe Wells")).play("travel face-up", "done")
    same(table, "desert: Salt Creek + ...\n0 journey: State Route 190, Stovepipe Wells, Daylight Pass\n> 1 journey:")
    table = Table(deck_without_limit.format("Stovepipe Wells, Manly Beacon, State Route 190")).play(
        "travel face-up", "done"
    )
    assert table.state["busts"].tolist() == [1, 0]
    assert Table(text.format("Stovepipe Wells, State Route 190")).play("travel face-up").state["busts"].tolist() == [
        0,
        0,
    ]


def test_hells_gate_raises_the_limit_for_suns_in_both_rows_r1() -> None:
    text = "desert: {} + Salt Creek, ...\n0 journey: State Route 190, Panamint Dunes\n0 scrapbook: Hells Gate"
    same(
        Table(text.format("Manly Beacon")).play("travel face-up"),
        "desert: Salt Creek + ...\n0 journey: State Route 190, Panamint Dunes, Manly Beacon\n"
        "0 scrapbook: Hells Gate\n> 1 journey:",
    )
    table = Table(text.format("Stovepipe Wells")).play("travel face-up")  # a fourth sun
    assert table.position.discard[0] == ["Stovepipe Wells"]


def test_several_raised_limits_add_up() -> None:
    raise_sun = ability("bust_check", "raise_limit", hazard="sun")
    deck = make_deck(m1=raise_sun, m2=[raise_sun, raise_sun])
    text = "desert: {} + ...\n0 journey: m1, m2, s1, s2, s3, s4"
    assert Table(text.format("s5"), deck).play("travel face-up").state["busts"].tolist() == [0, 0]
    assert Table(text.format("s5 ") + ", s6", deck).play("travel face-up").state["busts"].tolist() == [1, 0]


def test_mountain_lions_are_ignored_beside_a_mountain() -> None:
    text = "desert: Desert Tortoise + Salt Creek, ...\n0 journey: {}"
    table = Table(text.format("Kangaroo Rats, Mountain Lions, Manly Beacon")).play("travel face-up")
    assert table.state["busts"].tolist() == [0, 0]
    table = Table(text.format("Mountain Lions, Kangaroo Rats, Manly Beacon")).play("travel face-up")
    assert table.state["busts"].tolist() == [1, 0]
    assert table.position.discard[0] == ["Desert Tortoise"]
    below = text.format("Mountain Lions, Kangaroo Rats") + "\n0 scrapbook: Corkscrew Peak"
    assert Table(below).play("travel face-up").state["busts"].tolist() == [0, 0]


def test_natural_bridge_canyon_covers_the_card_above_it() -> None:
    text = "desert: Badwater Basin + Snakes, ...\n0 journey: Mosaic Canyon\n0 scrapbook: Natural Bridge Canyon"
    table = Table(text, "death_valley").play("travel face-up")
    assert table.state["busts"].tolist() == [0, 0]
    text = "desert: Badwater Basin + Snakes, ...\n0 journey: Coyotes, Mosaic Canyon\n0 scrapbook: Natural Bridge Canyon"
    assert Table(text, "death_valley").play("travel face-up").state["busts"].tolist() == [1, 0]


def test_scottys_castle_keeps_a_neighbour() -> None:
    """Optional; discards come first, then gaps close."""
    text = "desert: Super Bloom + ...\n0 journey: Eureka Dunes, Scotty's Castle, Furnace Creek, Snakes"
    table = Table(text, "death_valley").play("travel face-up")
    assert (table.decision, table.player) == ("ABILITY", 0)
    assert table.legal() == {"use Scotty's Castle", "done"}
    kept = Table(text, "death_valley").play("travel face-up", "use Scotty's Castle", "Furnace Creek")
    same(kept, "desert: ? + ...\n0 journey: Furnace Creek\n0 discard: Super Bloom\n0 busts: 1\n> 1 journey:")
    same(table.play("done"), "desert: ? + ...\n0 discard: Super Bloom\n0 busts: 1\n> 1 journey:")
    # The discarded card was a neighbour: the one beyond it is now.
    text = "desert: Snakes + ...\n0 journey: Eureka Dunes, Furnace Creek, Scotty's Castle, Super Bloom, Coyotes"
    table = Table(text, "death_valley").play("travel face-up", "use Scotty's Castle")
    assert table.legal() == {"Furnace Creek", "Coyotes"}


def test_scorpions_always_stay() -> None:
    """Mandatory, one card: nothing is asked. There is no second check in the same turn."""
    text = "desert: Super Bloom + ...\n0 journey: Eureka Dunes, Scorpions [Telescope Peak], Furnace Creek, Dante's View"
    same(
        Table(text, "death_valley").play("travel face-up"),
        "desert: ? + ...\n0 journey: Scorpions [Telescope Peak]\n0 discard: Super Bloom\n0 busts: 1\n> 1 journey:",
    )


def test_keeping_is_optional_or_not_and_never_the_same_card_twice() -> None:
    keep = ability("when_busting", "keep", select={"hazard": "drop"})
    deck = make_deck(m1=keep, m2=keep, m3=ability("when_busting", "keep", select={"hazard": "drop"}, optional=True))
    text = "desert: s3 + ...\n0 journey: s1, s2, d1, d2 [d3], m1{}"
    table = Table(text.format(", m2"), deck).play("travel face-up")
    assert table.legal() == {"use m1", "use m2"}  # mandatory: no done
    table.play("use m2")
    assert table.legal() == {"d1", "d2"}
    table.play("d2")  # then m1 has one card left, and must keep it
    same(table, "desert: ? + ...\n0 journey: d1, d2 [d3]\n0 discard: s3\n0 busts: 1\n> 1 journey:")
    table = Table(text.format(", m3"), deck).play("travel face-up", "use m1", "d1")
    assert table.legal() == {"use m3", "done"}
    table.play("done")
    same(table, "desert: ? + ...\n0 journey: d1\n0 discard: s3\n0 busts: 1\n> 1 journey:")


def test_cards_kept_make_no_second_bust_in_the_same_turn() -> None:
    deck = make_deck(m1=[ability("when_busting", "keep", select={"hazard": "sun"})])
    table = Table("desert: s4 + ...\n0 journey: s1, m1\n0 scrapbook: s2, s3, d1", deck).play("travel face-up")
    same(table, "desert: ? + ...\n0 journey: s1\n0 scrapbook: s2, s3, d1\n0 discard: s4\n0 busts: 1\n> 1 journey:")


def test_the_other_player_is_asked_when_busting_in_your_turn_r5() -> None:
    """Player 0 gives the third sun; player 1 decides what to keep; then the turn goes on."""
    text = "desert: Super Bloom + ...\n0 journey: Snakes\n1 journey: Eureka Dunes, Scotty's Castle, Furnace Creek"
    table = Table(text, "death_valley", variant="backseat").play(OTHER)
    assert (table.decision, table.player, int(table.state["active"])) == ("ABILITY", 1, 0)
    assert table.mask(0)[-1] == 1
    table.play("use Scotty's Castle", "Eureka Dunes")
    same(table, "desert: ? + ...\n0 journey: Snakes\n1 discard: Super Bloom\n1 busts: 1\n> 1 journey: Eureka Dunes")
    assert (table.decision, table.player) == ("TURN", 1)


# --- Moves and swaps ------------------------------------------------------------------------------------------------


def test_salt_creek_hides_a_paw() -> None:
    table = Table("desert: Hells Gate + ...\n0 journey: Salt Creek, Kangaroo Rats [Manly Beacon], State Route 190")
    assert "use Salt Creek" in table.legal()
    table.play("use Salt Creek")  # one card to choose
    same(table, "desert: Hells Gate + ...\n0 journey: Salt Creek [Kangaroo Rats, Manly Beacon], State Route 190")
    assert table.legal() == {"travel face-up", "travel top", "rest"}  # once a turn (R13)
    table.play("travel face-up", "travel top")
    assert "use Salt Creek" in table.legal()  # and again in the next


def test_salt_creek_hides_or_swaps() -> None:
    """Two alternatives, told apart by the card that is chosen."""
    text = (
        "desert: Hells Gate + ...\n"
        "0 journey: Salt Creek [Kangaroo Rats], Mountain Lions, State Route 190 [Manly Beacon]"
    )
    table = Table(text).play("use Salt Creek")
    assert (table.decision, table.legal()) == ("CARD", {"Kangaroo Rats", "Mountain Lions"})
    hidden = Table(text).play("use Salt Creek", "Mountain Lions")
    same(
        hidden,
        "desert: Hells Gate + ...\n"
        "0 journey: Salt Creek [Kangaroo Rats, Mountain Lions], State Route 190 [Manly Beacon]",
    )
    table.play("Kangaroo Rats")
    assert (table.decision, table.legal()) == ("SECOND_CARD", {"Mountain Lions", "State Route 190"})
    table.play("State Route 190")  # what lies under the Journey card stays in place (R3)
    same(
        table,
        "desert: Hells Gate + ...\n"
        "0 journey: Salt Creek [State Route 190], Mountain Lions, Kangaroo Rats [Manly Beacon]",
    )


def test_salt_creek_works_in_the_scrapbook_r1() -> None:
    text = (
        "desert: Hells Gate + ...\n0 journey: Corkscrew Peak, Mountain Lions\n0 scrapbook: Salt Creek [Desert Tortoise]"
    )
    table = Table(text).play("use Salt Creek", "Desert Tortoise", "Corkscrew Peak")
    same(
        table,
        "desert: Hells Gate + ...\n0 journey: Desert Tortoise, Mountain Lions\n"
        "0 scrapbook: Salt Creek [Corkscrew Peak]",
    )


def test_lake_manly_sends_the_leftmost_other_card_r3() -> None:
    """Mandatory. Cards under it follow, visible, to its right."""
    text = (
        "desert: Lake Manly + Manly Beacon, ...\n0 journey: Hells Gate [Salt Creek, Surprise Canyon], Daylight Pass\n"
        "1 journey: Kangaroo Rats"
    )
    same(
        Table(text).play("travel face-up"),
        "desert: Manly Beacon + ...\n0 journey: Daylight Pass, Lake Manly\n"
        "> 1 journey: Kangaroo Rats, Hells Gate, Salt Creek, Surprise Canyon",
    )


def test_lake_manly_alone_sends_nothing_r7() -> None:
    """Mandatory abilities are resolved as far as possible."""
    same(
        Table("desert: Lake Manly + Manly Beacon, ...").play("travel face-up"),
        "desert: Manly Beacon + ...\n0 journey: Lake Manly\n> 1 journey:",
    )


def test_surprise_canyon_swaps_two_cards_r3() -> None:
    """Those under each stay in place."""
    text = (
        "desert: Surprise Canyon + Manly Beacon, ...\n0 journey: Hells Gate [Salt Creek], Kangaroo Rats\n"
        "0 scrapbook: Darwin Falls [Lake Manly, Corkscrew Peak]"
    )
    table = Table(text).play("travel face-up")
    assert table.legal() == {"use Surprise Canyon", "done"}
    table.play("use Surprise Canyon")
    assert table.legal() == {"Hells Gate", "Kangaroo Rats", "Surprise Canyon", "Darwin Falls"}
    table.play("Hells Gate")
    assert table.legal() == {"Kangaroo Rats", "Surprise Canyon", "Darwin Falls"}
    table.play("Darwin Falls")
    same(
        table,
        "desert: Manly Beacon + ...\n0 journey: Darwin Falls [Salt Creek], Kangaroo Rats, Surprise Canyon\n"
        "0 scrapbook: Hells Gate [Lake Manly, Corkscrew Peak]\n> 1 journey:",
    )


def test_daylight_pass_travels_once_more() -> None:
    """The face-up card is not replaced before the end of the turn (R6)."""
    text = "desert: Daylight Pass + Hells Gate, Salt Creek, ..."
    same(
        Table(text).play("travel face-up", "use Daylight Pass"),  # only the top of the deck is left
        "desert: Salt Creek + ...\n0 journey: Daylight Pass, Hells Gate\n> 1 journey:",
    )
    same(Table(text).play("travel face-up", "done"), "desert: Hells Gate + ...\n0 journey: Daylight Pass\n> 1 journey:")
    text = "desert: Hells Gate + Daylight Pass, Surprise Canyon, Salt Creek, ..."
    table = Table(text).play("travel top", "use Daylight Pass")
    assert (table.decision, table.legal()) == ("TRAVEL", {"travel face-up", "travel top"})
    table.play("travel top")  # Surprise Canyon has an ability of its own now
    assert table.legal() == {"use Surprise Canyon", "done"}
    table.play("use Surprise Canyon", "Daylight Pass")
    same(table, "desert: Hells Gate + Salt Creek, ...\n0 journey: Surprise Canyon, Daylight Pass\n> 1 journey:")


def test_a_second_travel_can_go_to_the_other_journey() -> None:
    table = Table("desert: Hells Gate + Daylight Pass, ...", variant="backseat").play("travel top", "use Daylight Pass")
    assert table.legal() == {"travel face-up", "travel top", OTHER}
    table.play(OTHER)
    assert table.position.journey == [[["Daylight Pass"]], [["Hells Gate"]]]


def test_ubehebe_crater_moves_one_more_card_after_a_rest() -> None:
    text = "desert: Hells Gate + Salt Creek, ...\n0 journey: Ubehebe Crater, Kangaroo Rats [Manly Beacon], Darwin Falls"
    table = Table(text).play("rest", "Ubehebe Crater", "done", "done")
    assert table.legal() == {"use Ubehebe Crater", "done"}
    table.play("use Ubehebe Crater", "Kangaroo Rats")
    same(
        table,
        "desert: Hells Gate + Salt Creek, ...\n0 journey: Darwin Falls\n"
        "0 scrapbook: Ubehebe Crater, Kangaroo Rats [Manly Beacon]\n> 1 journey:",
    )


def test_a_card_returned_to_the_journey_r3() -> None:
    """The cards under it follow, visible, to its right, in the order in which they were hidden."""
    deck = make_deck(p1=ability("after_rest", "to_journey", optional=True))
    text = "desert: s1 + s2, ...\n0 journey: p1, m1\n0 scrapbook: d1 [d2, s3]"
    table = Table(text, deck).play("rest", "m1", "done", "done", "use p1")
    assert table.legal() == {"m1", "d1"}
    table.play("d1")
    same(table, "desert: s1 + s2, ...\n0 journey: p1, d1, d2, s3\n0 scrapbook: m1\n> 1 journey:")


def test_desert_tortoise_withdraws_in_the_scrapbook() -> None:
    """It counts in the Journey; in the Scrapbook the bust check ignores it, and it gives nothing back (R19)."""
    text = "desert: Kangaroo Rats + Hells Gate, ...\n0 journey: {}\n0 scrapbook: {}"
    in_journey = Table(text.format("Desert Tortoise", "Mountain Lions")).play("travel face-up")
    assert in_journey.state["busts"].tolist() == [1, 0]
    in_scrapbook = Table(text.format("Mountain Lions", "Desert Tortoise")).play("travel face-up")
    assert in_scrapbook.state["busts"].tolist() == [0, 0]
    assert in_scrapbook.scores[0] == Table(text.format("Mountain Lions", "")).play("travel face-up").scores[0] - 1
    resting = Table("desert: Hells Gate + Salt Creek, ...\n0 journey: Manly Beacon\n0 scrapbook: Desert Tortoise").play(
        "rest"
    )
    same(resting, "desert: Hells Gate + Salt Creek, ...\n0 scrapbook: Desert Tortoise, Manly Beacon\n> 1 journey:")
    three = (
        "desert: Hells Gate + Salt Creek, ...\n0 journey: Manly Beacon\n0 scrapbook: Desert Tortoise, Kangaroo Rats, "
    )
    assert Table(three + "Mountain Lions").play("travel face-up").state["busts"].tolist() == [0, 0]


def test_devils_cornfield_swaps_the_face_up_card_r3_r13() -> None:
    """A face-up card is left in the Desert: nothing is flipped. What is hidden stays under the card that comes."""
    text = "desert: Snakes + Coyotes, ...\n0 journey: Devil's Cornfield, Super Bloom [Scorpions], Mosaic Canyon"
    table = Table(text, "death_valley").play("rest", "Devil's Cornfield", "done", "done", "use Devil's Cornfield")
    assert table.legal() == {"Super Bloom", "Mosaic Canyon"}
    table.play("Super Bloom")
    same(
        table,
        "desert: Super Bloom + Coyotes, ...\n0 journey: Snakes [Scorpions], Mosaic Canyon\n"
        "0 scrapbook: Devil's Cornfield\n> 1 journey:",
    )


def test_furnace_creek_moves_a_neighbour_to_the_scrapbook() -> None:
    text = (
        "desert: Snakes + ...\n0 journey: Super Bloom, Mosaic Canyon [Coyotes], Furnace Creek\n"
        "0 scrapbook: Dante's View"
    )
    table = Table(text, "death_valley").play("use Furnace Creek")  # the one neighbour in the Journey
    same(
        table,
        "desert: Snakes + ...\n0 journey: Super Bloom, Furnace Creek\n"
        "0 scrapbook: Dante's View, Mosaic Canyon [Coyotes]",
    )
    assert table.decision == "TURN"
    above = "desert: Snakes + ...\n0 journey: Super Bloom, Mosaic Canyon\n0 scrapbook: Dante's View, Furnace Creek"
    same(
        Table(above, "death_valley").play("use Furnace Creek"),
        "desert: Snakes + ...\n0 journey: Super Bloom\n0 scrapbook: Dante's View, Furnace Creek, Mosaic Canyon",
    )


def test_racetrack_playa_swaps_after_a_travel() -> None:
    text = "desert: Snakes + Coyotes, ...\n0 journey: Dante's View, Racetrack Playa"
    table = Table(text, "death_valley").play("travel face-up", "use Racetrack Playa", "Dante's View")
    assert table.legal() == {"Racetrack Playa", "Snakes"}
    table.play("Snakes")
    same(table, "desert: Coyotes + ...\n0 journey: Snakes, Racetrack Playa, Dante's View\n> 1 journey:")
    resting = Table(text, "death_valley").play("rest", "Dante's View", "done", "done")
    assert resting.player == 1  # a Rest is no Travel


def test_zabriskie_point_hides_the_card_to_its_left() -> None:
    text = "desert: Zabriskie Point + Coyotes, ...\n0 journey: Dante's View, Snakes [Scorpions]"
    same(
        Table(text, "death_valley").play("travel face-up", "use Zabriskie Point"),
        "desert: Coyotes + ...\n0 journey: Dante's View, Zabriskie Point [Snakes, Scorpions]\n> 1 journey:",
    )


def test_coyotes_dig_out_any_hidden_card() -> None:
    text = (
        "desert: Super Bloom + ...\n0 journey: Coyotes, Dante's View [Snakes]\n"
        "0 scrapbook: Eureka Dunes [Scorpions, Mosaic Canyon]"
    )
    table = Table(text, "death_valley").play("use Coyotes")
    # Snakes lie under the only other Journey card, which cannot take their place.
    assert (table.decision, table.legal()) == ("CARD", {"Scorpions", "Mosaic Canyon"})
    table.play("Mosaic Canyon")
    same(
        table,
        "desert: Super Bloom + ...\n0 journey: Coyotes, Mosaic Canyon [Snakes]\n"
        "0 scrapbook: Eureka Dunes [Scorpions, Dante's View]",
    )


def test_ventifact_ridge_before_a_rest_r8() -> None:
    """It or a neighbour in the Journey goes into the deck first."""
    text = "desert: Hells Gate + ...\n0 journey: Salt Creek, Ventifact Ridge, Manly Beacon, Darwin Falls"
    table = Table(text).play("rest")
    assert (table.decision, table.legal()) == ("CARD", {"Salt Creek", "Ventifact Ridge", "Manly Beacon"})
    table.play("Manly Beacon", "Ventifact Ridge", "Salt Creek", "done", "done")
    same(
        table,
        "desert: Hells Gate + ...\n0 journey: Darwin Falls\n0 scrapbook: Ventifact Ridge [Salt Creek]\n> 1 journey:",
    )


def test_ventifact_ridge_alone_forbids_the_rest_r8() -> None:
    assert Table("desert: Hells Gate + ...\n0 journey: Ventifact Ridge").legal() == {"travel face-up", "travel top"}


def test_ventifact_ridge_in_the_scrapbook_does_nothing_r19() -> None:
    table = Table("desert: Hells Gate + ...\n0 journey: Manly Beacon\n0 scrapbook: Ventifact Ridge").play("rest")
    same(table, "desert: Hells Gate + ...\n0 scrapbook: Ventifact Ridge, Manly Beacon\n> 1 journey:")


def test_a_choice_that_leaves_no_card_to_move_is_not_legal_r8() -> None:
    """A card in the Scrapbook must go itself, since the card above it is the last."""
    deck = make_deck(p1=ability("before_rest", "shuffle", select={"row": "journey", "position": "this_or_adjacent"}))
    table = Table("desert: s1 + ...\n0 journey: m1\n0 scrapbook: p1", deck).play("rest")
    same(table, "desert: s1 + ...\n0 scrapbook: m1\n> 1 journey:")
    assert "p1" in table.position.deck


def test_an_ability_can_make_a_rest_possible_r8() -> None:
    deck = make_deck(p1=ability("before_rest", "to_journey"))
    table = Table("desert: s1 + ...\n0 scrapbook: p1, m1 [m2]", deck)
    assert "rest" in table.legal()
    table.play("rest", "m1", "m2", "done", "done")
    same(table, "desert: s1 + ...\n0 journey: m1\n0 scrapbook: p1, m2\n> 1 journey:")


def test_an_order_that_leaves_no_card_to_move_is_not_legal_r8() -> None:
    """p1 empties the Journey; p2 adds itself to it, but not to an empty one: p2 has to go first."""
    deck = make_deck(
        p1=ability("before_rest", "to_scrapbook"),
        p2=ability("before_rest", "to_journey", select={"position": "this"}, when={"count": {"row": "journey"}}),
    )
    table = Table("desert: s1 + ...\n0 journey: m1\n0 scrapbook: p1, p2", deck).play("rest")
    same(table, "desert: s1 + ...\n0 journey: m1, p2\n0 scrapbook: p1")
    assert (table.decision, table.legal()) == ("CARD", {"m1", "p2"})
    table.play("p2")
    same(table, "desert: s1 + ...\n0 scrapbook: p1, p2, m1\n> 1 journey:")


def test_rest_is_searched_through_all_choices_r8() -> None:
    """Three abilities must take a sun each: only a card of another hazard can be left to move."""
    gone = ability("before_rest", "shuffle", select={"row": "journey", "hazard": "sun"})
    deck = make_deck(m1=gone, m2=gone, p1=gone)
    text = "desert: d2 + ...\n0 journey: {}\n0 scrapbook: m1, m2, p1"
    assert "rest" not in Table(text.format("s1, s2, s3"), deck).legal()
    table = Table(text.format("s1, d1, s2, s3"), deck).play("rest", "use m2", "s1")
    assert table.legal() == {"use m1", "use p1"}
    table.play("use p1")
    assert (table.decision, table.legal()) == ("CARD", {"s2", "s3"})
    table.play("s3")
    same(table, "desert: d2 + ...\n0 scrapbook: m1, m2, p1, d1\n> 1 journey:")


def test_swap_face_up_needs_a_face_up_card() -> None:
    deck = make_deck(m1=ability("after_travel", "swap_face_up", optional=True))
    table = Table("desert: s1 + s2, ...\n0 journey: m1", deck).play("travel face-up")
    assert table.player == 1  # the face-up card was just taken
    table = Table("desert: s1 + s2, ...\n0 journey: m1", deck).play("travel top", "use m1", "m1")
    same(table, "desert: m1 + ...\n0 journey: s1, s2\n> 1 journey:")


def test_send_and_to_journey_at_the_start_of_the_turn() -> None:
    deck = make_deck(
        m1=[ability("start_of_turn", "send", optional=True), ability("start_of_turn", "to_journey", optional=True)]
    )
    text = "desert: s1 + s2, ...\n0 journey: m1, d1 [d2]\n0 scrapbook: p1 [p2, p3]\n1 journey: m2"
    table = Table(text, deck).play("use m1")
    assert table.legal() == {"m1", "d1", "p1"}  # the alternatives together
    same(
        table.play("d1"),
        "desert: s1 + s2, ...\n0 journey: m1\n0 scrapbook: p1 [p2, p3]\n1 journey: m2, d1, d2",
    )
    same(
        Table(text, deck).play("use m1", "p1"),
        "desert: s1 + s2, ...\n0 journey: m1, d1 [d2], p1, p2, p3\n1 journey: m2",
    )


def test_the_first_alternative_that_admits_a_card_is_the_one_used() -> None:
    hide_first = [ability("start_of_turn", "hide"), ability("start_of_turn", "to_scrapbook")]
    text = "desert: s1 + s2, ...\n0 journey: m1, d1, d2"
    same(Table(text, make_deck(m1=hide_first)).play("d1"), "desert: s1 + s2, ...\n0 journey: m1 [d1], d2")
    same(Table(text, make_deck(m1=hide_first)).play("m1"), "desert: s1 + s2, ...\n0 journey: d1, d2\n0 scrapbook: m1")
    same(
        Table(text, make_deck(m1=hide_first[::-1])).play("d1"),
        "desert: s1 + s2, ...\n0 journey: m1, d2\n0 scrapbook: d1",
    )


def test_mandatory_abilities_come_before_the_action_in_any_order_r7() -> None:
    gone = ability("start_of_turn", "shuffle", select={"position": "right"})
    deck = make_deck(m1=gone, m2=gone, m3=ability("start_of_turn", "shuffle", optional=True))
    table = Table("desert: s1 + ...\n0 journey: m1, d1, m2, d2, m3", deck)
    assert table.legal() == {"use m1", "use m2", "use m3"}
    table.play("use m2")
    same(table, "desert: s1 + ...\n0 journey: m1, d1, m2, m3")
    assert table.legal() == {"use m1", "use m3"}
    table.play("use m1")
    assert table.legal() == {"use m3", "travel face-up", "travel top", "rest"}


def test_an_ability_is_used_once_a_turn_also_after_the_card_moved_r13() -> None:
    deck = make_deck(
        m1=ability("start_of_turn", "to_scrapbook", optional=True), m2=ability("after_travel", "to_journey")
    )
    table = Table("desert: s1 + s2, ...\n0 journey: m1, m2, d1", deck).play("use m1", "m1")
    assert "use m1" not in table.legal()
    table.play("travel face-up")  # m2 returns m1
    same(table, "desert: s2 + ...\n0 journey: m2, d1, s1, m1\n> 1 journey:")


def test_abilities_of_another_timing_count_apart_r13() -> None:
    deck = make_deck(
        m1=[
            ability("start_of_turn", "hide", optional=True, select={"hazard": "drop"}),
            ability("after_travel", "hide", optional=True, select={"hazard": "sun"}),
        ]
    )
    table = Table("desert: s1 + s2, ...\n0 journey: m1, d1", deck).play("use m1", "travel face-up")
    assert table.legal() == {"use m1", "done"}
    same(table.play("use m1"), "desert: s2 + ...\n0 journey: m1 [d1, s1]\n> 1 journey:")


def test_travel_again_after_a_rest() -> None:
    """`when_traveled` and `after_travel` follow at once, then the rest of the `after_rest` abilities (R14)."""
    deck = make_deck(
        m1=ability("after_rest", "travel_again", optional=True),
        m2=ability("after_rest", "to_scrapbook", optional=True),
        d1=ability("when_traveled", "swap_cards", optional=True),
        p1=ability("after_travel", "hide", optional=True, select={"position": "right"}),
    )
    table = Table("desert: s1 + d1, s2, ...\n0 journey: p1, m1, m2", deck).play("rest", "m2", "done", "done")
    assert table.legal() == {"use m1", "use m2", "done"}
    table.play("use m1")
    assert (table.decision, table.legal()) == ("TRAVEL", {"travel face-up", "travel top"})
    table.play("travel top")
    assert table.legal() == {"use d1", "done"}
    table.play("use d1", "m1", "p1")
    same(table, "desert: s1 + s2, ...\n0 journey: m1, p1, d1\n0 scrapbook: m2")
    assert table.legal() == {"use p1", "done"}
    table.play("done")
    assert table.legal() == {"use m2", "done"}
    table.play("use m2", "p1")
    same(table, "desert: s1 + s2, ...\n0 journey: m1, d1\n0 scrapbook: m2, p1\n> 1 journey:")


def test_after_travel_abilities_follow_all_travels_of_the_turn_once() -> None:
    deck = make_deck(
        m1=ability("after_travel", "hide", optional=True, select={"position": "right"}),
        d1=ability("when_traveled", "travel_again"),
        m2=ability("after_travel", "travel_again", optional=True),
    )
    table = Table("desert: d1 + s1, s2, s3, ...\n0 journey: m1, m2", deck).play("travel face-up")  # d1: and s1
    assert table.position.journey[0] == [["m1"], ["m2"], ["d1"], ["s1"]]
    assert table.legal() == {"use m1", "use m2", "done"}
    table.play("use m2")  # s2 from the top, there being no face-up card
    assert table.legal() == {"use m1", "done"}
    table.play("use m1")
    same(table, "desert: s3 + ...\n0 journey: m1 [m2], d1, s1, s2\n> 1 journey:")


def test_travel_again_needs_a_card_in_the_desert() -> None:
    """d1 was the last card of the deck, s1 the face-up card: nothing is left."""
    deck = make_deck(d1=ability("when_traveled", "travel_again", optional=True))
    table = Table("desert: s1 + d1\n1 discard: ...", deck).play("travel top", "use d1")
    assert table.decision == "OVER"
    twice = make_deck(d1=ability("when_traveled", "travel_again"), s1=ability("when_traveled", "travel_again"))
    table = Table("desert: s1 + d1\n1 discard: ...", twice).play("travel top")
    same(table, "desert: -\n0 journey: d1, s1\n1 discard: ...")


def test_a_card_hidden_takes_those_under_it_along_r3() -> None:
    table = Table("desert: s1 + ...\n0 journey: m1 [m2], d1 [d2], p1 [p2, p3]", BLANK)
    table.play("rest", "m1", "p1", "d1")
    same(table, "desert: s1 + ...\n0 scrapbook: m1 [m2, p1, p2, p3, d1, d2]\n> 1 journey:")


def test_shuffling_a_card_takes_those_under_it_along_r3() -> None:
    deck = make_deck(s1=ability("start_of_turn", "shuffle", optional=True, select={"hazard": "mountain"}))
    table = Table("desert: p1 + ...\n0 journey: s1\n0 scrapbook: m1 [d1, d2]", deck)
    bottom_first, rng = table.position.deck[::-1], int(table.state["rng"])
    table.play("use s1")
    assert table.position.deck[::-1] == shuffled([*bottom_first, "m1", "d1", "d2"], rng)[0]
    same(table, "desert: p1 + ...\n0 journey: s1")


def test_swaps_within_hidden_piles_r3() -> None:
    """A hidden card in the middle of a pile changes places; those above and below it stay."""
    deck = make_deck(s1=ability("start_of_turn", "swap_hidden", optional=True, select={"cards": "hidden"}))
    table = Table("desert: p1 + ...\n0 journey: s1, m1 [d1], m2\n0 scrapbook: p2 [s2, s3, s4]", deck)
    table.play("use s1", "s3", "m1")
    same(table, "desert: p1 + ...\n0 journey: s1, s3 [d1], m2\n0 scrapbook: p2 [s2, m1, s4]")


# --- Conditions -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ({"this_row": "journey"}, True),
        ({"this_row": "journey", "unless": True}, False),
        ({"this_row": "scrapbook"}, False),
        ({"this_row": "scrapbook", "unless": True}, True),
        ({"this_position": "leftmost"}, False),
        ({"this_position": "rightmost"}, True),
        ({"this_row": "scrapbook", "this_position": "rightmost"}, False),
        ({"count": {"hazard": "drop"}}, True),
        ({"count": {"hazard": "drop"}, "at_least": 2}, True),
        ({"count": {"hazard": "drop"}, "at_least": 3}, False),
        ({"count": {"hazard": "drop"}, "at_most": 1}, False),
        ({"count": {"hazard": "drop"}, "at_most": 1, "unless": True}, True),
        ({"count": {"hazard": "sun"}, "at_least": 0, "at_most": 0}, True),
        ({"count": {"cards": "hidden_here"}, "at_least": 1, "at_most": 1}, True),
        ({"count": {"cards": "hidden", "row": "scrapbook"}, "at_least": 2}, True),
        ({"count": {"row": "both_discards"}, "at_least": 3}, True),
        ({"count": {"row": "own_discard"}, "at_least": 2}, False),
        ({"count": {"row": "other_discard"}, "at_least": 2, "at_most": 2}, True),
        ({"this_row": "journey", "count": {"hazard": "paw"}, "at_most": 0, "at_least": 0}, False),
    ],
)
def test_conditions(condition: dict[str, Any], holds: bool) -> None:
    """They decide whether points are scored, and whether an ability can be used."""
    deck = make_deck(
        m1=[
            ability("scoring", "points", points=1, when=condition),
            ability("start_of_turn", "shuffle", optional=True, when=condition),
        ]
    )
    table = Table(
        """
        desert: s1 + ...
        0 journey: p1, d1, m1 [s2]
        0 scrapbook: d2 [s3, s4], p2
        0 discard: p3
        1 discard: m2, m3
        """,
        deck,
    )
    assert table.scores == [int(holds), 0]
    assert ("use m1" in table.legal()) == holds


def test_ignoring_by_condition_and_direction() -> None:
    """A bust check sees the table as it is at the end of the turn."""
    deck = make_deck(
        m1=ability(
            "bust_check",
            "ignore",
            select={"hazard": "sun", "position": "adjacent"},
            when={"count": {"hazard": "paw"}, "unless": True},
        )
    )
    text = "desert: {} + ...\n0 journey: s1, m1, s2\n0 scrapbook: s3"
    assert Table(text.format("d1"), deck).play("travel face-up").state["busts"].tolist() == [0, 0]
    assert Table(text.format("p1"), deck).play("travel face-up").state["busts"].tolist() == [1, 0]


# --- What is asked --------------------------------------------------------------------------------------------------


def test_forced_decisions_are_asked_on_demand() -> None:
    table = Table("desert: p3 + d1, ...\n0 journey: m1", BLANK, ask_forced=True).play("rest")
    assert (table.decision, table.legal()) == ("REST", {"m1"})
    table.play("m1")  # a window in which nothing can be done is never asked
    assert (table.decision, table.player) == ("TURN", 1)
    text = "desert: Ventifact Ridge + Manly Beacon, ...\n0 journey: Salt Creek, Kangaroo Rats"
    table = Table(text, ask_forced=True).play("use Salt Creek")
    assert (table.decision, table.legal()) == ("CARD", {"Kangaroo Rats"})


@pytest.mark.parametrize("make", [lambda: Table("desert: p1 + d1\n1 discard: ...", BLANK)], ids=["one travel left"])
def test_an_illegal_action_changes_nothing(make: Callable[[], Table]) -> None:
    from deathvalley_env import raw_env

    table = make()
    env = raw_env(deck=BLANK)
    env.reset(seed=1, options={"state": table.state})
    before = env.state_record().tobytes()
    for name in ("rest", "done", "p1", "use p1", "wait"):
        with pytest.raises(IllegalActionError):
            env.step(table.action(name))
        assert env.state_record().tobytes() == before


def test_every_ability_of_the_shipped_decks_is_played_by_hand() -> None:
    """Each card with an ability is named here, or with the scores."""
    text = "".join(path.read_text() for path in (Path(__file__), Path(__file__).with_name("test_scoring.py")))
    for deck in ("highs_and_lows", "death_valley"):
        assert [card.name for card in load_deck(deck).cards if card.abilities and card.name not in text] == []


# --- Timings that replace an action or come before a Travel (R20 to R22) --------------------------------------------

SWAP = ability("before_travel", "swap_face_up", optional=True)


def test_before_a_travel_the_face_up_card_is_swapped_and_then_taken_r20() -> None:
    """The Travel is chosen first; what it takes is what lies there when it is carried out."""
    table = Table("desert: s1 + p2, ...\n0 journey: m1, d1", make_deck(m1=SWAP)).play("travel face-up")
    assert (table.decision, table.legal()) == ("ABILITY", {"use m1", "done"})
    same(
        Table("desert: s1 + p2, ...\n0 journey: m1, d1", make_deck(m1=SWAP)).play("travel face-up", "done"),
        "desert: p2 + ...\n0 journey: m1, d1, s1\n> 1 journey:",
    )
    same(table.play("use m1", "d1"), "desert: p2 + ...\n0 journey: m1, s1, d1\n> 1 journey:")


def test_before_a_travel_a_mandatory_ability_is_used_r20() -> None:
    """Also before a Travel to the other Journey; not where it has no card to choose; not before a Rest."""
    deck = make_deck(m1=ability("before_travel", "to_scrapbook", select={"row": "journey", "hazard": "paw"}))
    text = "desert: s1 + s2, ...\n0 journey: m1, p1, p2"
    table = Table(text, deck, variant="backseat").play(OTHER)
    assert (table.decision, table.legal()) == ("CARD", {"p1", "p2"})
    same(table.play("p2"), "desert: s2 + ...\n0 journey: m1, p1\n0 scrapbook: p2\n> 1 journey: s1")
    same(
        Table("desert: s1 + s2, ...\n0 journey: m1", deck).play("travel top"),
        "desert: s1 + ...\n0 journey: m1, s2\n> 1 journey:",
    )
    assert Table(text, deck).play("rest").decision == "REST"


def test_before_each_travel_of_a_turn_what_was_not_used_r20_r13() -> None:
    deck = make_deck(m1=SWAP, d1=ability("when_traveled", "travel_again", optional=True))
    table = Table("desert: d1 + s1, s2, ...\n0 journey: m1, p1", deck).play("travel face-up", "done", "use d1")
    # No face-up card is left to swap with (R6): the top of the deck is taken at once.
    same(table, "desert: s2 + ...\n0 journey: m1, p1, d1, s1\n> 1 journey:")
    again = Table("desert: s1 + d1, s2, ...\n0 journey: m1, p1", deck).play(
        "travel top", "done", "use d1", "travel face-up"
    )
    assert (again.decision, again.legal()) == ("ABILITY", {"use m1", "done"})
    same(again.play("use m1", "p1"), "desert: s2 + ...\n0 journey: m1, s1, d1, p1\n> 1 journey:")


def test_instead_of_a_travel_nothing_else_of_it_happens_r21() -> None:
    deck = make_deck(
        m1=ability("instead_of_travel", "to_scrapbook", optional=True, select={"row": "journey"}),
        m2=ability("after_travel", "shuffle", select={"position": "this"}),
    )
    table = Table("desert: s1 + s2, ...\n0 journey: m1, m2, d1", deck)
    assert table.legal() == {"travel face-up", "travel top", "rest", "use m1"}
    table.play("use m1")
    assert (table.decision, table.legal()) == ("CARD", {"m1", "m2", "d1"})
    same(table.play("d1"), "desert: s1 + s2, ...\n0 journey: m1, m2\n0 scrapbook: d1\n> 1 journey:")


def test_instead_of_a_travel_mandatory_r21_r7() -> None:
    """It stands in the place of the Travels while it can be used; Rest stays."""
    deck = make_deck(m1=ability("instead_of_travel", "swap_cards", select={"hazard": "paw"}))
    table = Table("desert: s1 + s2, ...\n0 journey: m1, p1\n0 scrapbook: p2", deck)
    assert table.legal() == {"rest", "use m1"}
    table.play("use m1", "p1")
    same(table, "desert: s1 + s2, ...\n0 journey: m1, p2\n0 scrapbook: p1\n> 1 journey:")
    assert "travel top" in Table("desert: s1 + s2, ...\n0 journey: m1, p1", deck).legal()


def test_instead_of_a_travel_the_bust_check_follows_r21() -> None:
    deck = make_deck(m1=ability("instead_of_travel", "swap_face_up", optional=True))
    table = Table("desert: s3 + p1, ...\n0 journey: m1, s1, s2", deck).play("use m1", "m1")
    same(table, "desert: m1 + ...\n0 discard: s2\n0 busts: 1\n> 1 journey:")


def test_instead_of_a_rest_no_journey_card_need_be_left_r22() -> None:
    """Neither moving, hiding nor returning; abilities before and after a Rest do not apply."""
    deck = make_deck(
        m1=ability("instead_of_rest", "to_journey", optional=True, select={"hazard": "drop"}),
        m2=ability("after_rest", "shuffle", select={"position": "this"}),
        p1=ability("before_rest", "shuffle", select={"position": "this"}),
    )
    table = Table("desert: s1 + s2, ...\n0 scrapbook: m1, m2, p1, d1 [d2]", deck)
    assert table.legal() == {"travel face-up", "travel top", "use m1"}
    same(table.play("use m1"), "desert: s1 + s2, ...\n0 journey: d1, d2\n0 scrapbook: m1, m2, p1\n> 1 journey:")


def test_instead_of_a_rest_mandatory_r22_r7() -> None:
    deck = make_deck(m1=ability("instead_of_rest", "send"))
    table = Table("desert: s1 + s2, ...\n0 journey: m1, d1 [d2]", deck)
    assert table.legal() == {"travel face-up", "travel top", "use m1"}
    same(table.play("use m1", "d1"), "desert: s1 + s2, ...\n0 journey: m1\n> 1 journey: d1, d2")


def test_in_the_place_of_both_actions_nothing_else_is_legal_r21_r22() -> None:
    deck = make_deck(m1=ability("instead_of_travel", "shuffle"), m2=ability("instead_of_rest", "shuffle"))
    assert Table("desert: s1 + s2, ...\n0 journey: m1, m2", deck).legal() == {"use m1", "use m2"}


# --- Three of a hazard in a Scrapbook (R18) -------------------------------------------------------------------------

THREE = "desert: d2 + d3, p1, p2, ...\n{}0 journey: d1\n0 scrapbook: s1, s2, s3\n{}1 journey: m1"


def test_three_in_a_scrapbook_bust_at_each_check_of_their_owner_r18() -> None:
    """Base: at the end of the owner's turns. Backseat: at the end of every turn."""
    base = Table(THREE.format("> ", ""), BLANK).play("travel face-up")
    assert base.state["busts"].tolist() == [1, 0]
    assert (base.position.journey[0], base.position.discard[0]) == ([], [])
    assert base.play("travel top").state["busts"].tolist() == [1, 0]
    backseat = Table(THREE.format("> ", ""), BLANK, variant="backseat").play("travel face-up", "travel top")
    assert backseat.state["busts"].tolist() == [2, 0]


def test_the_solo_ai_gives_all_its_cards_to_three_in_a_scrapbook_r18() -> None:
    """Any face-up card would bust you: you get it, and bust a second time in the round; the AI's Journey stays."""
    table = solo(THREE.format("> ", ""))
    for round_ in range(1, 4):
        before = table.position.journey[1]
        table.play("travel top")
        assert table.state["busts"].tolist() == [2 * round_, 0]
        assert table.position.journey == [[], before]


def test_a_card_of_the_hazard_is_discarded_each_time_r18() -> None:
    text = "desert: s4 + d3, ...\n0 journey: d1\n0 scrapbook: s1, s2, s3"
    table = Table(text, BLANK).play("travel face-up")
    assert (table.position.discard[0], table.state["busts"].tolist()) == (["s4"], [1, 0])


# --- Progress (R19) -------------------------------------------------------------------------------------------------


def kept_for_good(state: Any, player: int) -> int:
    """Cards in a Scrapbook, those hidden there, and those discarded."""
    count = int(state["discard"][player]).bit_count()
    for card in state["scrapbook"][player][: state["scrapbook_size"][player]]:
        while card >= 0:
            count, card = count + 1, int(state["under"][card])
    return count


@pytest.mark.parametrize("variant", [{}, {"variant": "backseat"}, {"solo": True}], ids=str)
@pytest.mark.parametrize("deck", shipped_decks())
def test_what_is_saved_or_discarded_never_comes_back_r19(deck: str, variant: dict[str, Any]) -> None:
    choose = random.Random(5)
    for seed in range(12):
        table = Table(None, deck, seed, **variant)
        before, turn = [0, 0], 0
        while table.decision != "OVER":
            table.play(choose.choice(sorted(table.legal())))
            if table.state["turn"] != turn or table.decision == "OVER":  # a swap takes two cards in one decision
                now = [kept_for_good(table.state, player) for player in range(2)]
                assert now[0] >= before[0]
                assert now[1] >= before[1]
                before, turn = now, int(table.state["turn"])


def takes_back(known: Ability) -> bool:
    """Whether an ability can take a card out of a Scrapbook, other than in exchange for another one."""
    if known.effect != Effect.SHUFFLE:
        return known.effect == Effect.TO_JOURNEY
    condition = known.condition
    if condition is not None and condition.this_row == Row.JOURNEY and not condition.unless:
        return known.select.row != Row.JOURNEY
    # `this` is this card wherever it lies.
    return known.select.row != Row.JOURNEY or known.select.position in (Position.THIS, Position.THIS_OR_ADJACENT)


@pytest.mark.parametrize("deck", shipped_decks())
def test_no_card_of_this_project_takes_back_what_was_saved_r19(deck: str) -> None:
    own = [card for card in load_deck(deck).cards if card.provenance.abilities != "stated"]
    assert len(own) > 5
    assert [card.name for card in own for found in card.abilities if takes_back(found)] == []


def test_what_takes_back_is_known_r19() -> None:
    """Each effect either moves Journey cards alone, or exchanges, or is one of the two that take back."""
    moves = {Effect.HIDE, Effect.TO_SCRAPBOOK, Effect.SEND, Effect.KEEP}
    rest = {Effect.TRAVEL_AGAIN, Effect.IGNORE, Effect.RAISE_LIMIT, Effect.SCORE_NOTHING, Effect.POINTS}
    assert set(Effect) == {Effect.SHUFFLE, Effect.TO_JOURNEY} | moves | SWAPS | rest
    deck = make_deck(p1=ability("after_rest", "shuffle"), p2=ability("after_rest", "to_journey"))
    assert [takes_back(found) for card in deck.cards for found in card.abilities] == [True, True]
