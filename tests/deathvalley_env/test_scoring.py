"""Scores counted by hand, and who wins (rulebook, Winning the Game and Solo Play; R10, R16)."""

from typing import Any

import numpy as np
import pytest

from tests.deathvalley_env.table import OTHER, PLAIN_NAMES, Table, ability, make_deck

pytestmark = pytest.mark.plain

STARS = {"s1": 1, "s2": 2, "m1": 3, "d1": 9}
SKULLS = {"s2": 1, "m2": 2, "d1": 4}


def score(text: str, deck: Any = "highs_and_lows", **options: Any) -> list[int]:
    """The scores in a position."""
    return Table(text, deck, **options).scores


def points(**fields: Any) -> dict[str, Any]:
    """A `points` ability."""
    return ability("scoring", "points", **fields)


# --- Stars and skulls -----------------------------------------------------------------------------------------------


def test_stars_count_in_the_journey_and_skulls_in_both_rows() -> None:
    deck = make_deck(STARS, SKULLS)
    assert score("desert: p1 + ...\n0 journey: s1, m1\n1 journey: s2", deck) == [4, 1]
    assert score("desert: p1 + ...\n0 scrapbook: s1, m1\n1 scrapbook: s2", deck) == [0, -1]
    assert score("desert: d1 + ...\n0 journey: s2, m2\n0 scrapbook: p1", deck) == [2 - 1 - 2, 0]


def test_hidden_and_discarded_cards_score_nothing() -> None:
    deck = make_deck(STARS, SKULLS)
    text = "desert: p1 + ...\n0 journey: s1 [s2]\n0 scrapbook: p2 [m1, m2]\n0 discard: d1\n1 discard: d2"
    assert score(text, deck) == [1, 0]


# --- Each kind of points --------------------------------------------------------------------------------------------

GRID = """
    desert: s6 + ...
    0 journey: s1, p1, s2, m1
    0 scrapbook: m2 [s3, d2], d1
    0 discard: p2, m3, s4
    1 journey: s5
    1 discard: d3
"""
"""Stars 1 + 2 + 3 = 6 in the Journey; skulls 1 of s2, 2 of m2, 4 of d1 = 7: −1 without the ability of p1."""
BASE = -1


@pytest.mark.parametrize(
    ("fields", "wanted"),
    [
        ({"points": 4}, 4),
        ({"points": -4}, -4),
        ({"points": 1, "per": "card"}, 6),
        ({"points": 2, "per": "card", "select": {"hazard": "sun"}}, 4),
        ({"points": -3, "per": "card", "select": {"hazard": "mountain"}}, -6),
        ({"points": 1, "per": "card", "select": {"other": True}}, 5),
        ({"points": 1, "per": "card", "select": {"position": "adjacent"}}, 3),
        ({"points": 1, "per": "card", "select": {"having": "stars"}}, 4),
        ({"points": 1, "per": "card", "select": {"having": "skulls", "row": "scrapbook"}}, 2),
        ({"points": 1, "per": "card", "select": {"row": "journey", "position": "leftmost", "hazard": "sun"}}, 1),
        ({"points": 5, "per": "card", "select": {"cards": "hidden_here"}}, 0),
        ({"points": 5, "per": "card", "select": {"cards": "hidden"}}, 10),
        ({"points": 5, "per": "card", "select": {"cards": "hidden", "row": "journey"}}, 0),
        ({"points": 5, "per": "card", "select": {"cards": "hidden", "row": "scrapbook", "hazard": "drop"}}, 5),
        ({"points": 1, "per": "card", "select": {"row": "own_discard"}}, 3),
        ({"points": 1, "per": "card", "select": {"row": "other_discard"}}, 1),
        ({"points": 1, "per": "card", "select": {"row": "both_discards"}}, 4),
        ({"points": 1, "per": "card", "select": {"row": "both_discards", "hazard": "sun"}}, 1),
        ({"points": 1, "per": "star"}, 1 + 2 + 3 + 9),
        ({"points": 1, "per": "star", "select": {"row": "journey"}}, 6),
        ({"points": 2, "per": "star", "select": {"hazard": "sun"}}, 6),
        ({"points": 1, "per": "skull"}, 7),
        ({"points": -1, "per": "skull", "select": {"row": "scrapbook"}}, -6),
        ({"points": 3, "per": "row_without", "select": {"hazard": "drop"}}, 3),
        ({"points": 3, "per": "row_without", "select": {"hazard": "drop", "row": "journey"}}, 3),
        ({"points": 3, "per": "row_without", "select": {"hazard": "drop", "row": "scrapbook"}}, 0),
        ({"points": 3, "per": "row_without", "select": {"hazard": "mountain"}}, 0),
        ({"points": 3, "per": "row_without", "select": {"hazard": "paw", "row": "scrapbook"}}, 3),
        ({"points": 2, "per": "card", "every": 2}, 6),
        ({"points": 2, "per": "card", "every": 4}, 2),
        ({"points": -2, "per": "card", "every": 4}, -2),
        ({"points": 2, "per": "card", "every": 7}, 0),
        ({"points": 1, "per": "star", "every": 4}, 3),
        ({"points": 3, "per": "row_without", "every": 2, "select": {"hazard": "drop"}}, 0),
        ({"points": 2, "per": "card", "cap": 5}, 5),
        ({"points": 2, "per": "card", "cap": 12}, 12),
        ({"points": -2, "per": "card", "cap": 5}, -5),
        ({"points": 2, "per": "card", "cap": 3, "every": 3}, 3),
    ],
    ids=str,
)
def test_points(fields: dict[str, Any], wanted: int) -> None:
    assert score(GRID, make_deck(STARS, SKULLS, p1=points(**fields))) == [BASE + wanted, 0]


def test_a_row_without_cards_is_a_row_without_a_hazard() -> None:
    deck = make_deck(p1=points(points=2, per="row_without", select={"hazard": "drop"}))
    assert score("desert: s6 + ...\n0 journey: p1", deck) == [4, 0]
    assert score("desert: s6 + ...\n0 journey: p1 [d1], m1", deck) == [4, 0]  # a hidden drop is not visible


def test_several_abilities_of_a_card_add_up() -> None:
    deck = make_deck(p1=[points(points=5), points(points=-2), points(points=1, per="card")])
    assert score("desert: s6 + ...\n0 journey: p1, m1", deck) == [5, 0]


def test_abilities_score_for_their_owner_alone() -> None:
    deck = make_deck(p1=points(points=1, per="card", select={"hazard": "sun"}))
    assert score("desert: s6 + ...\n0 journey: s1, s2\n1 journey: s3\n1 scrapbook: p1", deck) == [0, 1]


# --- Score nothing --------------------------------------------------------------------------------------------------


def test_score_nothing_takes_stars_and_abilities_and_leaves_skulls_r17() -> None:
    silence = ability("scoring", "score_nothing", select={"hazard": "drop", "other": True})
    deck = make_deck({"d1": 2, "d2": 3, "m1": 1}, {"d3": 4}, d1=silence, d2=points(points=5))
    assert score("desert: s6 + ...\n0 journey: d1, d2, m1\n0 scrapbook: d3", deck) == [2 + 1 - 4, 0]
    assert score("desert: s6 + ...\n0 journey: d2, m1 [d1]\n0 scrapbook: d3", deck) == [3 + 5 + 1 - 4, 0]


def test_score_nothing_of_the_other_player_does_not_matter() -> None:
    deck = make_deck({"d2": 3}, d1=ability("scoring", "score_nothing", select={"hazard": "drop"}))
    assert score("desert: s6 + ...\n0 journey: d2\n1 journey: d1", deck) == [3, 0]


def test_all_score_nothing_abilities_apply_at_once() -> None:
    """Two that silence each other: both score nothing, and silence all the same."""
    deck = make_deck(
        {"d1": 2, "d2": 3, "m1": 1},
        d1=ability("scoring", "score_nothing", select={"position": "right"}),
        d2=[
            ability("scoring", "score_nothing", select={"position": "left"}),
            ability("scoring", "score_nothing", select={"position": "right"}, when={"this_row": "journey"}),
        ],
    )
    assert score("desert: s6 + ...\n0 journey: d1, d2, m1", deck) == [0, 0]
    assert score("desert: s6 + ...\n0 journey: d1, p1, m1\n0 scrapbook: p2, d2, p3", deck) == [3, 0]


def test_cards_that_score_nothing_are_still_counted() -> None:
    deck = make_deck(
        {"d1": 2}, m1=[ability("scoring", "score_nothing", select={"hazard": "drop"}), points(points=1, per="star")]
    )
    assert score("desert: s6 + ...\n0 journey: m1, d1", deck) == [2, 0]


# --- The shipped decks ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "wanted"),
    [
        # ★★, 1 for each adjacent card: Salt Creek (★), Manly Beacon (★★, 1 for the sun beside it), Lake Manly below.
        (
            "0 journey: Salt Creek, State Route 190, Manly Beacon\n0 scrapbook: Darwin Falls, Lake Manly",
            2 + 3 + 1 + 2 + 1,
        ),
        # ★, and one for each of four other suns, but 3 at most; Hells Gate ☠ and Daylight Pass in the Scrapbook.
        (
            "0 journey: Panamint Dunes, Stovepipe Wells, Ventifact Ridge\n0 scrapbook: Hells Gate, Daylight Pass",
            1 + 3 + 1 + 3 - 1,
        ),
        ("0 journey: Panamint Dunes, Stovepipe Wells", 1 + 1 + 1),
        # ☠☠, 3 for each own discard.
        ("0 scrapbook: Desolation Canyon\n0 discard: Hells Gate, Salt Creek\n1 discard: Lake Manly", -2 + 6),
        # ★★, 2 if a mountain is directly above or below.
        ("0 journey: Darwin Falls, Desert Tortoise\n0 scrapbook: Ubehebe Crater", 2 + 2 - 1 - 1),
        ("0 journey: Desert Tortoise, Darwin Falls\n0 scrapbook: Ubehebe Crater", -1 + 2 - 1),
        ("0 journey: Ubehebe Crater\n0 scrapbook: Darwin Falls", -1 + 2),
        # ★★, 1 for each adjacent sun (Stovepipe ★ to the left, Panamint below).
        ("0 journey: Stovepipe Wells, Manly Beacon\n0 scrapbook: Salt Creek, Daylight Pass", 1 + 2 + 2),
        # ★★★★, −2 unless it is the rightmost Journey card.
        ("0 journey: Salt Creek, Corkscrew Peak", 1 + 4),
        ("0 journey: Corkscrew Peak, Salt Creek", 1 + 4 - 2),
        ("0 scrapbook: Salt Creek, Corkscrew Peak", -2),
        # ★, 2 if it is the leftmost of its row.
        ("0 journey: Aguereberry Point, Salt Creek", 1 + 2 + 1),
        ("0 journey: Salt Creek, Aguereberry Point", 1 + 1),
        ("0 scrapbook: Aguereberry Point", 2),
        # 2 for each row without a drop.
        ("0 journey: Kangaroo Rats, Manly Beacon", 4 + 2),
        ("0 journey: Kangaroo Rats, Salt Creek\n0 scrapbook: Manly Beacon", 2 + 1),
        ("0 journey: Salt Creek\n0 scrapbook: Kangaroo Rats, Lake Manly", 1),
        ("0 journey: Mountain Lions, Surprise Canyon", 2 - 1),
    ],
)
def test_highs_and_lows(rows: str, wanted: int) -> None:
    assert score(f"desert: {unused(rows)} + ...\n{rows}") == [wanted, 0]


@pytest.mark.parametrize(
    ("rows", "wanted"),
    [
        # ★★, 1 for every two stars in the Journey: 2 + 2 + 1 = 5.
        ("0 journey: Mesquite Flat Dunes, Devil's Cornfield, Coyotes", 2 + 2 + 2 + 1),
        # 2 for each drop in both rows.
        ("0 journey: Super Bloom, Scotty's Castle\n0 scrapbook: Natural Bridge Canyon", 4 + 1),
        # ★, 2 for each card hidden in the Scrapbook.
        ("0 journey: Eureka Dunes, Coyotes [Snakes]\n0 scrapbook: Super Bloom [Scorpions, Devil's Hole]", 1 + 4 + 1),
        # ★★★; other drops score nothing.
        ("0 journey: Badwater Basin, Natural Bridge Canyon, Coyotes\n0 scrapbook: Mosaic Canyon", 3 + 1),
        ("0 journey: Natural Bridge Canyon, Coyotes\n0 scrapbook: Badwater Basin", 1),
        # ★, 1 each if a paw, a mountain, a sun is adjacent.
        (
            "0 journey: Coyotes, Mosaic Canyon, Furnace Creek\n0 scrapbook: Zabriskie Point, Telescope Peak",
            1 + 1 + 3 + 1,
        ),
        ("0 journey: Coyotes, Mosaic Canyon, Scorpions", 1 + 1 + 1 + 3),
        # ★★★★★, −2 for each sun in the Journey.
        ("0 journey: Devil's Golf Course, Furnace Creek, Racetrack Playa\n0 scrapbook: Super Bloom", 5 - 4 + 1 + 2),
        # 4 for every two cards hidden under it.
        ("0 scrapbook: Devil's Hole [Snakes, Coyotes, Scorpions]", 4),
        ("0 journey: Devil's Hole [Snakes, Coyotes, Scorpions, Super Bloom]", 8),
        ("0 journey: Devil's Hole\n0 scrapbook: Super Bloom [Snakes, Coyotes]", 0),
        # ★★, 3 if a drop is directly below.
        ("0 journey: Dante's View\n0 scrapbook: Badwater Basin", 2 + 3),
        ("0 journey: Badwater Basin\n0 scrapbook: Dante's View", 3),
        # ★★, 1 for each card in both discard piles, 4 at most.
        ("0 journey: Telescope Peak\n0 discard: Snakes\n1 discard: Coyotes, Super Bloom", 2 + 3),
        (
            "0 journey: Telescope Peak\n0 discard: Snakes, Eureka Dunes\n1 discard: Coyotes, Super Bloom, Scorpions",
            2 + 4,
        ),
        # ★★, 1 for each adjacent mountain: Zabriskie Point (★★), Dante's View below.
        ("0 journey: Snakes, Zabriskie Point\n0 scrapbook: Dante's View", 2 + 2 + 2),
    ],
)
def test_death_valley(rows: str, wanted: int) -> None:
    text = f"desert: {unused(rows, 'death_valley')} + ...\n{rows}"
    assert score(text, "death_valley") == [wanted, 0]


def unused(rows: str, deck: str = "highs_and_lows") -> str:
    """A card that is not named: the face-up card."""
    return next(name for name in reversed(Table(None, deck).names) if name not in rows)


# --- The solo AI ----------------------------------------------------------------------------------------------------


def test_ai_score_r10() -> None:
    """1 for each star or skull, and each positive number of its abilities once."""
    text = (
        "desert: Salt Creek + ...\n1 journey: Desolation Canyon, State Route 190, Corkscrew Peak\n0 discard: Hells Gate"
    )
    # ☠☠ and 3; ★★ and 1; ★★★★, the −2 ignored.
    assert score(text, solo=True) == [0, 5 + 3 + 4]


def test_ai_score_by_the_rulebooks_examples() -> None:
    """Super Bloom: exactly 2; the −2 of Devil's Golf Course is ignored."""
    text = "desert: Snakes + ...\n1 journey: Super Bloom, Devil's Golf Course"
    assert score(text, "death_valley", solo=True) == [0, 2 + 5]
    # Three abilities of 1 each whatever their conditions say; Badwater Basin silences nothing.
    text = "desert: Snakes + ...\n1 journey: Badwater Basin, Mosaic Canyon"
    assert score(text, "death_valley", solo=True) == [0, 3 + 1 + 3]


def test_discard_points_r10() -> None:
    text = "desert: Snakes + ...\n1 journey: Coyotes\n0 discard: Scorpions, Super Bloom\n1 discard: Eureka Dunes"
    assert score(text, "death_valley", solo=True) == [0, 1]
    assert score(text, "death_valley", solo=True, discard_points=True) == [0, 1 + 3]
    # They are counted anew when somebody busts: you discard a third sun, the AI travels.
    text = "desert: Eureka Dunes + Snakes, ...\n0 journey: Furnace Creek, Racetrack Playa"
    table = Table(text, "death_valley", solo=True, discard_points=True).play("travel face-up", "done")
    stars = table.summary["by_kind"][1]
    assert stars["discards"] == 1
    assert table.scores[1] == sum(stars.values())


# --- Who wins -------------------------------------------------------------------------------------------------------

WORTH = make_deck({"s1": 1, "s2": 2, "s3": 3, "s4": 3})


def ended(rows: str, **options: Any) -> dict[str, Any]:
    """The summary of a game whose last Travel takes d1, a card without points."""
    table = Table(f"desert: p1 + d1\n0 discard: ...\n{rows}", WORTH, **options)
    assert table.summary["ending"] == "none"
    assert table.summary["winner"] is None
    return table.play("travel top").summary


def test_more_points_win() -> None:
    for rows, winner in (("0 journey: s3\n1 journey: s2", 0), ("0 journey: s1\n1 journey: s2\n1 busts: 5", 1)):
        summary = ended(rows)
        assert (summary["winner"], summary["ending"]) == (winner, "score")


def test_fewer_busts_break_a_tie() -> None:
    for busts, winner in (("0 busts: 1\n1 busts: 2", 0), ("0 busts: 1", 1)):
        summary = ended(f"0 journey: s3\n1 journey: s4\n{busts}")
        assert (summary["winner"], summary["ending"]) == (winner, "fewer_busts")


def test_a_tie_in_points_and_busts_is_shared() -> None:
    summary = ended("0 journey: s3\n1 journey: s4\n0 busts: 2\n1 busts: 2")
    assert (summary["winner"], summary["ending"]) == (None, "shared")
    assert summary["busts"] == [2, 2]


def test_ties_with_the_ai_are_broken_as_in_the_base_game() -> None:
    for busts, winner, ending in (
        ("0 busts: 1", 1, "fewer_busts"),
        ("1 busts: 1", 0, "fewer_busts"),
        ("", None, "shared"),
    ):
        summary = ended(f"0 journey: s3\n1 journey: s4\n{busts}", solo=True)
        assert (summary["winner"], summary["ending"]) == (winner, ending)


def test_must_outbust_r10_r16() -> None:
    """The AI wins regardless of score, unless it busted more often than you."""
    for busts, winner, ending in (
        ("", 1, "must_outbust"),
        ("0 busts: 1\n1 busts: 1", 1, "must_outbust"),
        ("0 busts: 2\n1 busts: 1", 1, "must_outbust"),
        ("1 busts: 1", 0, "score"),
    ):
        summary = ended(f"0 journey: s3\n{busts}", solo=True, must_outbust=True)
        assert (summary["winner"], summary["ending"]) == (winner, ending)
    # Having outbusted it, the AI may still have more points, or as many: then you busted less often.
    assert ended("1 journey: s3\n1 busts: 1", solo=True, must_outbust=True)["winner"] == 1
    tie = ended("0 journey: s3\n1 journey: s4\n1 busts: 1", solo=True, must_outbust=True)
    assert (tie["winner"], tie["ending"]) == (0, "fewer_busts")


def test_a_truncated_game_has_no_winner_r16() -> None:
    text = "desert: p1 + d1, d2, d3\n0 journey: s3\n1 discard: ..."
    table = Table(text, WORTH, max_turns=1, turn_limit="truncate").play("travel top")
    assert (table.summary["winner"], table.summary["ending"]) == (None, "truncated")
    assert table.summary["scores"] == [3, 0]
    table = Table(text, WORTH, max_turns=2, solo=True, must_outbust=True, turn_limit="truncate").play("travel top")
    assert (table.summary["winner"], table.summary["ending"]) == (None, "truncated")


def test_a_game_at_the_turn_limit_is_scored_r11_r16() -> None:
    text = "desert: p1 + d1, d2, d3\n0 journey: s3\n1 discard: ..."
    table = Table(text, WORTH, max_turns=1).play("travel top")
    assert (table.summary["winner"], table.summary["ending"]) == (0, "turn_limit")
    table = Table(text, WORTH, max_turns=2, solo=True, must_outbust=True).play("travel top")
    assert (table.summary["winner"], table.summary["ending"]) == (1, "turn_limit")


# --- Large numbers --------------------------------------------------------------------------------------------------

IN_ONE_ROW = "desert: s6\n> {} journey: " + ", ".join(PLAIN_NAMES[:-1])


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("player", [0, 1])
def test_scores_beyond_16_bits(player: int, sign: int) -> None:
    """17 × (9 + 3 × 9 × 153) = 70,380: in the score, the kinds, the cards, the observation and the rewards."""
    abilities = [points(points=9 * sign, per="star")] * 3
    deck = make_deck(dict.fromkeys(PLAIN_NAMES, 9), **dict.fromkeys(PLAIN_NAMES, abilities))
    table = Table(IN_ONE_ROW.format(player), deck, reward="margin")
    wanted = [17 * (9 + sign * 3 * 9 * 153), 0]
    wanted = wanted if player == 0 else wanted[::-1]
    assert table.scores == wanted
    assert table.summary["scores"] == wanted
    assert table.summary["by_kind"][player]["abilities"] == sign * 17 * 3 * 9 * 153
    assert table.summary["by_card"][player]["s1"] == 9 + sign * 3 * 9 * 153
    seen = table.game.blank_observations(table.states)[0]
    table.game.kernels.observe(table.state, table.data, 0, seen)
    assert table.game.layout.views(seen)["scores"].tolist() == [np.sign(points) for points in wanted]


@pytest.mark.parametrize("busts", [127, 32_767, 65_535, 1_000_000])
def test_busts_beyond_16_bits(busts: int) -> None:
    text = f"desert: s3 + p1, ...\n0 journey: s1, s2\n0 busts: {busts}"
    table = Table(text, make_deck()).play("travel face-up")
    assert table.summary["busts"] == [busts + 1, 0]
    seen = table.game.blank_observations(table.states)[0]
    table.game.kernels.observe(table.state, table.data, 0, seen)
    assert table.game.layout.views(seen)["busts"].tolist() == [1, 0]


# --- The summary ----------------------------------------------------------------------------------------------------


def test_summary_of_two_players() -> None:
    table = Table(
        """
        desert: Hells Gate + Salt Creek
        0 journey: Manly Beacon, State Route 190
        0 scrapbook: Surprise Canyon
        > 1 journey: Lake Manly
        1 scrapbook: Desolation Canyon [Daylight Pass]
        1 busts: 1
        1 discard: ...
        """,
        first_player=1,
    ).play("travel face-up")
    # The discard pile holds all that is not named: 10 cards.
    assert table.summary == {
        "scores": [5, 30],
        "by_kind": [
            {"stars": 4, "skulls": -1, "abilities": 2, "discards": 0},
            {"stars": 3, "skulls": -3, "abilities": 30, "discards": 0},
        ],
        "by_card": [
            {"Manly Beacon": 3, "State Route 190": 3, "Surprise Canyon": -1},
            {"Lake Manly": 3, "Hells Gate": -1, "Desolation Canyon": 28},
        ],
        "busts": [0, 1],
        "turns": 1,
        "winner": 1,
        "ending": "score",
    }


def test_summary_of_solo_play() -> None:
    table = Table(
        """
        desert: Salt Creek + Hells Gate, Darwin Falls
        0 journey: Manly Beacon
        1 journey: Desolation Canyon
        0 discard: ...
        """,
        solo=True,
        discard_points=True,
    )
    table.play(OTHER)  # then the AI takes Hells Gate, and Darwin Falls is left
    discards = 18 - 5
    assert table.summary["ending"] == "score"
    assert table.summary["by_kind"] == [
        {"stars": 2, "skulls": 0, "abilities": 0, "discards": 0},
        {"stars": 1, "skulls": 2 + 1, "abilities": 3, "discards": discards},
    ]
    assert table.summary["by_card"] == [{"Manly Beacon": 2}, {"Desolation Canyon": 5, "Salt Creek": 1, "Hells Gate": 1}]
    assert table.summary["scores"] == [2, 7 + discards]
    assert table.summary["winner"] == 1
