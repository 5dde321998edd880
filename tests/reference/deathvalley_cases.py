"""Positions of Death Valley played by hand: what is asked, what is legal, and how the table lies after it.

Plain data, written from the rules before any program was run on them; `check` plays a case on the reference, and
whoever reads the data can play it on anything else.

The deck of a case has 18 blank cards: paw P1 to P3, drop D1 to D4, mountain M1 to M5, sun S1 to S6, in this order.
`cards` says what is printed on some of them. Cards are named in strings; the top of a deck is at its right end.

A case has these keys, of which all but `name`, `rule` and `position` may be left out:

- `options`: of the game.
- `cards`: card -> what a deck file says of it besides name and hazard.
- `position`: where the cards lie when a turn begins: `deck` (top last), `face_up`, `journey` and `scrapbook` (of each
  player), `under` (visible card -> cards below it, the uppermost first), `busts`, `turn`, `active`. Cards not named lie
  at the bottom of the deck, in the order of the deck.
- `steps`: (player asked, decision, legal actions, answer); a last one without an answer is only looked at.
- `after`: what is then true: `journey`, `scrapbook`, `under`, `discard`, `busts`, `face_up`, `turn`, `over`, `scores`,
  `winner`, `ending`; `deck_top` (cards at the top, top last), `deck_size`, `in_deck` (cards that lie somewhere in it);
  `draws` (random numbers drawn so far: shuffling m cards takes m - 1).

All cases begin with seed 0, whose first numbers are known: E220A8397B1DCDAF, 6E789E6AA1B965F4, 06C45D188009454F. The
first is 0.88 of 2 to the 64th, so a shuffle leaves the last of at most eight cards where it is: on top.
"""

from tests.reference.deathvalley import ABILITY, CARD, DONE, MASK, REST, TRAVEL_FACE_UP, TRAVEL_OTHER, TRAVEL_TOP, Game

NAMES = ["P1", "P2", "P3", "D1", "D2", "D3", "D4", "M1", "M2", "M3", "M4", "M5", "S1", "S2", "S3", "S4", "S5", "S6"]
HAZARD_OF = {"P": "paw", "D": "drop", "M": "mountain", "S": "sun"}
GOLDEN = 0x9E3779B97F4A7C15
"""What one draw adds to the state of the random numbers."""

# Abilities that several cases use.
SWAP_BEFORE = {"timing": "before_travel", "effect": "swap_face_up", "optional": True}
SHUFFLE_PAW_BEFORE = {"timing": "before_travel", "effect": "shuffle", "select": {"row": "journey", "hazard": "paw"}}
KEEP_INSTEAD = {"timing": "instead_of_travel", "effect": "to_scrapbook", "optional": True}
KEEP_INSTEAD_OF_REST = {"timing": "instead_of_rest", "effect": "to_scrapbook", "optional": True}
MUST_KEEP_INSTEAD = {"timing": "instead_of_travel", "effect": "to_scrapbook"}
MUST_KEEP_INSTEAD_OF_REST = {"timing": "instead_of_rest", "effect": "to_scrapbook"}
TRAVEL_TWICE = {"timing": "when_traveled", "effect": "travel_again"}
IGNORE_RIGHT = {"timing": "bust_check", "effect": "ignore", "select": {"position": "right"}}
OTHER_DROPS_NOTHING = {"timing": "scoring", "effect": "score_nothing", "select": {"hazard": "drop", "other": True}}


def shuffle_itself(timing):
    return {"timing": timing, "effect": "shuffle", "select": {"position": "this"}}


THREE_IN_A_SCRAPBOOK = [
    {
        "name": "solo: three suns in the Scrapbook bust in both turns, and the AI gives its card away",
        "rule": "R18, R5, R9",
        "options": {"solo": True},
        "position": {
            "journey": ("D1", "M1"),
            "scrapbook": ("S1 S2 S3", ""),
            "face_up": "D2",
            "deck": "D3",
        },
        # D3 joins D1; bust: nothing to discard, both go into the deck of 11. The AI gives D2; bust: it joins 13 cards.
        "steps": [(0, "TURN", "face other top rest", "top"), (0, "TURN", "face other top", None)],
        "after": {
            "journey": ("", "M1"),
            "scrapbook": ("S1 S2 S3", ""),
            "discard": ("", ""),
            "busts": (2, 0),
            "turn": 22,
            "deck_size": 13,
            "draws": 12 + 13,
        },
    },
    {
        "name": "solo: a fourth sun that the AI gives is discarded, and nothing is shuffled",
        "rule": "R18, R4, R15",
        "options": {"solo": True},
        "position": {"journey": ("D1", ""), "scrapbook": ("S1 S2 S3", ""), "face_up": "S4", "deck": "D2"},
        "steps": [(0, "TURN", "face other top rest", "top"), (0, "TURN", "face other top", None)],
        "after": {
            "journey": ("", ""),
            "discard": ("S4", ""),
            "busts": (2, 0),
            "in_deck": "",
            "deck_size": 13,
            "draws": 13,
        },
    },
    {
        "name": "solo: three suns, one of them ignored, are no bust, and the AI takes its card",
        "rule": "R18, R9",
        "options": {"solo": True},
        "cards": {"S1": {"ability": [IGNORE_RIGHT]}},
        "position": {
            "journey": ("M2", "M1"),
            "scrapbook": ("S1 S2 S3", ""),
            "face_up": "D2",
            "deck": "P2 P1",
        },
        "steps": [(0, "TURN", "face other top rest", "top"), (0, "TURN", "face other top rest", None)],
        "after": {"journey": ("M2 P1", "M1 D2"), "busts": (0, 0), "face_up": "P2", "draws": 0},
    },
    {
        "name": "base: three suns bust at the end of their owner's turn alone",
        "rule": "R18, R5",
        "position": {
            "journey": ("D1", "M1"),
            "scrapbook": ("S1 S2 S3", ""),
            "face_up": "D2",
            "deck": "D3 P1",
            "active": 1,
        },
        "steps": [
            (1, "TURN", "face top rest", "top"),
            (0, "TURN", "face top rest", "top"),
            (1, "TURN", "face top rest", None),
        ],
        "after": {
            "journey": ("", "M1 P1"),
            "discard": ("", ""),
            "busts": (1, 0),
            "face_up": "D2",
            "in_deck": "D1 D3",
            "draws": 11,
        },
    },
    {
        "name": "backseat: three suns bust at the end of the other player's turn, too",
        "rule": "R18, R5",
        "options": {"backseat": True},
        "position": {
            "journey": ("D1", "M1"),
            "scrapbook": ("S1 S2 S3", ""),
            "face_up": "D2",
            "deck": "D3 P1",
            "active": 1,
        },
        "steps": [(1, "TURN", "face other top rest", "top"), (0, "TURN", "face other top", None)],
        "after": {"journey": ("", "M1 P1"), "busts": (1, 0), "in_deck": "D1 D3", "draws": 11},
    },
    {
        "name": "the bust that makes 32,768 is counted",
        "rule": "R4",
        "options": {"max_turns": 1_000_000},
        "position": {
            "journey": ("S1 S2", ""),
            "face_up": "S3",
            "deck": "P1",
            "busts": (32_767, 0),
            "turn": 99_998,
        },
        "steps": [(0, "TURN", "face top rest", "face")],
        "after": {"discard": ("S3", ""), "busts": (32_768, 0), "turn": 99_999, "over": False},
    },
]

TURN_LIMIT = [
    {
        "name": "the limit: more points",
        "rule": "R11",
        "options": {"max_turns": 10},
        "cards": {"S1": {"stars": 2}, "D1": {"stars": 1}},
        "position": {"journey": ("S1", "D1"), "face_up": "P1", "deck": "P2", "turn": 9, "busts": (2, 0)},
        "steps": [(0, "TURN", "face top rest", "face")],
        "after": {
            "journey": ("S1 P1", "D1"),
            "face_up": "P2",
            "turn": 10,
            "over": True,
            "scores": (2, 1),
            "winner": 0,
            "ending": "turn_limit",
        },
    },
    {
        "name": "one turn before the limit the game goes on",
        "rule": "R11",
        "options": {"max_turns": 10},
        "position": {"journey": ("S1", "D1"), "face_up": "P1", "deck": "P2", "turn": 8},
        "steps": [(0, "TURN", "face top rest", "face"), (1, "TURN", "face top rest", None)],
        "after": {"turn": 9, "over": False, "winner": None, "ending": None},
    },
    {
        "name": "the limit as a truncation: no winner",
        "rule": "R11",
        "options": {"max_turns": 10, "turn_limit": "truncate"},
        "cards": {"S1": {"stars": 2}, "D1": {"stars": 1}},
        "position": {"journey": ("S1", "D1"), "face_up": "P1", "deck": "P2", "turn": 9, "busts": (2, 0)},
        "steps": [(0, "TURN", "face top rest", "face")],
        "after": {"turn": 10, "over": True, "scores": (2, 1), "winner": None, "ending": "truncated"},
    },
    {
        "name": "the limit: equal points, fewer busts",
        "rule": "R11",
        "options": {"max_turns": 10},
        "cards": {"S1": {"stars": 2}, "D1": {"stars": 2}},
        "position": {"journey": ("S1", "D1"), "face_up": "P1", "deck": "P2", "turn": 9, "busts": (3, 2)},
        "steps": [(0, "TURN", "face top rest", "face")],
        "after": {"over": True, "scores": (2, 2), "winner": 1, "ending": "turn_limit"},
    },
    {
        "name": "the limit: equal points and busts are shared",
        "rule": "R11",
        "options": {"max_turns": 10},
        "cards": {"S1": {"stars": 2}, "D1": {"stars": 2}},
        "position": {"journey": ("S1", "D1"), "face_up": "P1", "deck": "P2", "turn": 9, "busts": (2, 2)},
        "steps": [(0, "TURN", "face top rest", "face")],
        "after": {"over": True, "scores": (2, 2), "winner": None, "ending": "turn_limit"},
    },
    {
        "name": "the limit: a bust of the last turn counts before the scoring",
        "rule": "R11",
        "options": {"max_turns": 10},
        "cards": {"S1": {"stars": 9}},
        "position": {"journey": ("S1 S2", "D1"), "face_up": "S3", "deck": "P2", "turn": 9},
        "steps": [(0, "TURN", "face top rest", "face")],
        "after": {
            "journey": ("", "D1"),
            "discard": ("S3", ""),
            "busts": (1, 0),
            "over": True,
            "scores": (0, 0),
            "winner": 1,
            "ending": "turn_limit",
        },
    },
    {
        "name": "the limit with must_outbust: the AI wins, though far behind, as it did not bust more often",
        "rule": "R11, R16",
        "options": {"max_turns": 9, "solo": True, "must_outbust": True},
        "cards": {"S1": {"stars": 9}},
        "position": {"journey": ("S1", "D1"), "face_up": "P1", "deck": "P2", "turn": 8, "busts": (1, 1)},
        "steps": [(0, "TURN", "face other top rest", "face")],
        "after": {"over": True, "scores": (9, 0), "winner": 1, "ending": "turn_limit"},
    },
    {
        "name": "the limit with must_outbust: the AI busted more often, so points decide; after the AI's turn",
        "rule": "R11, R16",
        "options": {"max_turns": 10, "solo": True, "must_outbust": True},
        "cards": {"S1": {"stars": 3}, "D1": {"stars": 1, "skulls": 1}},
        "position": {"journey": ("S1", "D1"), "face_up": "P1", "deck": "P3 P2", "turn": 8, "busts": (0, 1)},
        "steps": [(0, "TURN", "face other top rest", "top")],
        "after": {
            "journey": ("S1 P2", "D1 P1"),
            "face_up": "P3",
            "turn": 10,
            "over": True,
            "scores": (3, 2),
            "winner": 0,
            "ending": "turn_limit",
        },
    },
    {
        "name": "the last card of the Desert in the turn of the limit: an ordinary end",
        "rule": "R11, R6",
        "options": {"max_turns": 10, "turn_limit": "truncate"},
        "cards": {"S1": {"stars": 2}, "D1": {"stars": 1}},
        "position": {
            "journey": ("S1", "D1"),
            "under": {"S1": "P3 D2 D3 D4 M1 M2 M3 M4 M5 S2 S3 S4 S5 S6"},
            "face_up": "P1",
            "deck": "P2",
            "turn": 9,
        },
        "steps": [(0, "TURN", "face top rest", "face")],
        "after": {
            "face_up": "P2",
            "deck_size": 0,
            "over": True,
            "scores": (2, 1),
            "winner": 0,
            "ending": "score",
        },
    },
]

SCORE_NOTHING = [
    {
        "name": "a silenced card in the Journey loses its star and its points, not its skull",
        "rule": "R17",
        "cards": {
            "D1": {"stars": 3, "ability": [OTHER_DROPS_NOTHING]},
            "D2": {"stars": 2, "skulls": 1, "ability": [{"timing": "scoring", "effect": "points", "points": 3}]},
            "S1": {"skulls": 2, "stars": 4},
            "M1": {"stars": 2, "skulls": 1},
        },
        "position": {"journey": ("D1 D2", "M1"), "scrapbook": ("S1", ""), "face_up": "P1"},
        "after": {"scores": (3 - 1 - 2, 2 - 1)},
    },
    {
        "name": "a silenced card in the Scrapbook loses its negative points, not its skulls",
        "rule": "R17",
        "cards": {
            "D1": {"stars": 3, "ability": [OTHER_DROPS_NOTHING]},
            "D2": {"skulls": 2, "ability": [{"timing": "scoring", "effect": "points", "points": -5}]},
        },
        "position": {"journey": ("D1", ""), "scrapbook": ("D2", ""), "face_up": "P1"},
        "after": {"scores": (3 - 2, 0)},
    },
    {
        "name": "two cards silence each other, and their skulls remain",
        "rule": "R17",
        "cards": {
            "D1": {"stars": 3, "skulls": 1, "ability": [OTHER_DROPS_NOTHING]},
            "D2": {"stars": 3, "skulls": 1, "ability": [OTHER_DROPS_NOTHING]},
        },
        "position": {"journey": ("D1 D2", ""), "face_up": "P1"},
        "after": {"scores": (-2, 0)},
    },
    {
        "name": "the stars of a silenced card are printed all the same, for another card that counts them",
        "rule": "R17",
        "cards": {
            "D1": {"stars": 3, "ability": [OTHER_DROPS_NOTHING]},
            "D2": {"stars": 2},
            "M1": {
                "ability": [
                    {
                        "timing": "scoring",
                        "effect": "points",
                        "points": 1,
                        "per": "star",
                        "select": {"row": "journey"},
                    }
                ]
            },
        },
        "position": {"journey": ("D1 D2 M1", ""), "face_up": "P1"},
        "after": {"scores": (3 + 5, 0)},
    },
]

BEFORE_TRAVEL = [
    {
        "name": "swap the face-up card, then Travel to the card that was swapped out",
        "rule": "R20",
        "cards": {"M1": {"ability": [SWAP_BEFORE]}},
        "position": {"journey": ("M1 D1", ""), "face_up": "S1", "deck": "P1"},
        "steps": [
            (0, "TURN", "face top rest", "face"),
            (0, "ABILITY", "use:M1 done", "use:M1"),
            (0, "CARD", "M1 D1", "D1"),
            (1, "TURN", "face top", None),
        ],
        "after": {"journey": ("M1 S1 D1", ""), "face_up": "P1", "turn": 21, "draws": 0},
    },
    {
        "name": "a card swaps itself out and is taken back",
        "rule": "R20, R13",
        "cards": {"M1": {"ability": [SWAP_BEFORE]}},
        "position": {"journey": ("M1 D1", ""), "face_up": "S1", "deck": "P1"},
        "steps": [
            (0, "TURN", "face top rest", "face"),
            (0, "ABILITY", "use:M1 done", "use:M1"),
            (0, "CARD", "M1 D1", "M1"),
            (1, "TURN", "face top", None),
        ],
        "after": {"journey": ("S1 D1 M1", ""), "face_up": "P1"},
    },
    {
        "name": "swap the face-up card, then Travel to the top of the deck",
        "rule": "R20",
        "cards": {"M1": {"ability": [SWAP_BEFORE]}},
        "position": {"journey": ("M1 D1", ""), "face_up": "S1", "deck": "P1"},
        "steps": [
            (0, "TURN", "face top rest", "top"),
            (0, "ABILITY", "use:M1 done", "use:M1"),
            (0, "CARD", "M1 D1", "D1"),
            (1, "TURN", "face top", None),
        ],
        "after": {"journey": ("M1 S1 P1", ""), "face_up": "D1"},
    },
    {
        "name": "backseat: swap the face-up card, then give away the card that was swapped out",
        "rule": "R20, R12",
        "options": {"backseat": True},
        "cards": {"M1": {"ability": [SWAP_BEFORE]}},
        "position": {"journey": ("M1 D1", ""), "face_up": "S1", "deck": "P1"},
        "steps": [
            (0, "TURN", "face other top rest", "other"),
            (0, "ABILITY", "use:M1 done", "use:M1"),
            (0, "CARD", "M1 D1", "D1"),
            (1, "TURN", "face other top rest", None),
        ],
        "after": {"journey": ("M1 S1", "D1"), "face_up": "P1"},
    },
    {
        "name": "an optional ability is declined",
        "rule": "R20",
        "cards": {"M1": {"ability": [SWAP_BEFORE]}},
        "position": {"journey": ("M1 D1", ""), "face_up": "S1", "deck": "P1"},
        "steps": [
            (0, "TURN", "face top rest", "face"),
            (0, "ABILITY", "use:M1 done", "done"),
            (1, "TURN", "face top", None),
        ],
        "after": {"journey": ("M1 D1 S1", ""), "face_up": "P1"},
    },
    {
        "name": "a mandatory ability that has no card to choose is passed over",
        "rule": "R20, R7",
        "cards": {"M1": {"ability": [SHUFFLE_PAW_BEFORE]}},
        "position": {"journey": ("M1 D1", ""), "scrapbook": ("P2", ""), "face_up": "P1", "deck": "P3"},
        # The paw in the Scrapbook is not in the Journey, and the one that is taken comes too late.
        "steps": [(0, "TURN", "face top rest", "face"), (1, "TURN", "face top", None)],
        "after": {"journey": ("M1 D1 P1", ""), "scrapbook": ("P2", ""), "face_up": "P3", "draws": 0},
    },
    {
        "name": "a mandatory ability shuffles a card in, once, before the top of the deck is taken",
        "rule": "R20, R15",
        "cards": {"M1": {"ability": [SHUFFLE_PAW_BEFORE]}},
        "position": {
            "journey": ("M1 P1", "S6"),
            "under": {"S6": "P2 P3 D3 D4 M2 M3 M4 M5 S2 S3 S4 S5"},
            "face_up": "S1",
            "deck": "D1 D2",
        },
        # D1 D2 P1: the first number leaves P1 on top, the second exchanges the other two.
        "steps": [(0, "TURN", "face top rest", "top"), (1, "TURN", "face top rest", None)],
        "after": {"journey": ("M1 P1", "S6"), "deck_top": "D2 D1", "deck_size": 2, "face_up": "S1", "draws": 2},
    },
    {
        "name": "the owner's order leaves a mandatory ability without a card",
        "rule": "R20, R7",
        "cards": {"M1": {"ability": [SHUFFLE_PAW_BEFORE]}, "M2": {"ability": [SWAP_BEFORE]}},
        "position": {"journey": ("M1 M2 P1", ""), "face_up": "S1", "deck": "D1"},
        "steps": [
            (0, "TURN", "face top rest", "face"),
            (0, "ABILITY", "use:M1 use:M2", "use:M2"),
            (0, "CARD", "M1 M2 P1", "P1"),
            (1, "TURN", "face top", None),
        ],
        "after": {"journey": ("M1 M2 S1 P1", ""), "face_up": "D1", "draws": 0},
    },
    {
        "name": "an optional ability gives a mandatory one its card",
        "rule": "R20, R7",
        "cards": {
            "M1": {"ability": [SHUFFLE_PAW_BEFORE]},
            "M2": {"ability": [{"timing": "before_travel", "effect": "to_journey", "optional": True}]},
        },
        "position": {
            "journey": ("M1 M2", "S6"),
            "scrapbook": ("P1", ""),
            "under": {"S6": "P2 P3 D3 D4 M3 M4 M5 S2 S3 S4 S5"},
            "face_up": "S1",
            "deck": "D1 D2",
        },
        "steps": [
            (0, "TURN", "face top rest", "top"),
            (0, "ABILITY", "use:M2 done", "use:M2"),
            (1, "TURN", "face top rest", None),
        ],
        "after": {"journey": ("M1 M2 P1", "S6"), "scrapbook": ("", ""), "deck_top": "D2 D1", "draws": 2},
    },
    {
        "name": "an extra Travel opens the window again, for what was not used this turn",
        "rule": "R20, R13",
        "cards": {
            "D1": {"ability": [TRAVEL_TWICE]},
            "M1": {"ability": [SWAP_BEFORE]},
            "M2": {
                "ability": [
                    {
                        "timing": "before_travel",
                        "effect": "to_scrapbook",
                        "optional": True,
                        "select": {"position": "this"},
                    }
                ]
            },
        },
        "position": {"journey": ("M1 M2", ""), "face_up": "S1", "deck": "P1 D1"},
        "steps": [
            (0, "TURN", "face top rest", "top"),
            (0, "ABILITY", "use:M1 use:M2 done", "use:M2"),
            (0, "ABILITY", "use:M1 done", "done"),
            (0, "TRAVEL", "face top", "face"),
            (0, "ABILITY", "use:M1 done", "use:M1"),
            (0, "CARD", "M1 D1", "M1"),
            (1, "TURN", "face top", None),
        ],
        "after": {"journey": ("S1 D1 M1", ""), "scrapbook": ("M2", ""), "face_up": "P1"},
    },
    {
        "name": "an ability used before the first Travel is not offered before the extra one",
        "rule": "R20, R13",
        "cards": {"D1": {"ability": [TRAVEL_TWICE]}, "M1": {"ability": [SWAP_BEFORE]}},
        "position": {"journey": ("M1 P2", ""), "face_up": "S1", "deck": "P1 D1"},
        "steps": [
            (0, "TURN", "face top rest", "top"),
            (0, "ABILITY", "use:M1 done", "use:M1"),
            (0, "CARD", "M1 P2", "P2"),
            (0, "TRAVEL", "face top", "face"),
            (1, "TURN", "face top", None),
        ],
        "after": {"journey": ("M1 S1 D1 P2", ""), "face_up": "P1"},
    },
    {
        "name": "before an extra Travel without a face-up card there is none to swap with",
        "rule": "R20, R6",
        "cards": {"D1": {"ability": [TRAVEL_TWICE]}, "M1": {"ability": [SWAP_BEFORE]}},
        "position": {"journey": ("M1", ""), "face_up": "D1", "deck": "P2 P1"},
        "steps": [
            (0, "TURN", "face top rest", "face"),
            (0, "ABILITY", "use:M1 done", "done"),
            (1, "TURN", "face top", None),
        ],
        "after": {"journey": ("M1 D1 P1", ""), "face_up": "P2"},
    },
    {
        "name": "the window does not open before a Rest, but before a Travel granted after it",
        "rule": "R20",
        "cards": {
            "M1": {"ability": [SWAP_BEFORE]},
            "M2": {"ability": [{"timing": "after_rest", "effect": "travel_again", "optional": True}]},
        },
        "position": {"journey": ("M1 M2 P1", ""), "face_up": "S1", "deck": "D1"},
        "steps": [
            (0, "TURN", "face top rest", "rest"),
            (0, "REST", "M1 M2 P1", "P1"),
            (0, "HIDE", "M1 M2 done", "done"),
            (0, "RETURN", "M1 M2 done", "done"),
            (0, "ABILITY", "use:M2 done", "use:M2"),
            (0, "TRAVEL", "face top", "top"),
            (0, "ABILITY", "use:M1 done", "use:M1"),
            (0, "CARD", "M1 M2", "M2"),
            (1, "TURN", "face top", None),
        ],
        "after": {"journey": ("M1 S1 D1", ""), "scrapbook": ("P1", ""), "face_up": "M2", "draws": 0},
    },
    {
        "name": "a hidden card has no ability before a Travel, one in the Scrapbook has",
        "rule": "R20, R1",
        "cards": {"M1": {"ability": [SWAP_BEFORE]}, "M2": {"ability": [SWAP_BEFORE]}},
        "position": {
            "journey": ("D1", ""),
            "scrapbook": ("M2", ""),
            "under": {"D1": "M1"},
            "face_up": "S1",
            "deck": "P1",
        },
        "steps": [
            (0, "TURN", "face top rest", "top"),
            (0, "ABILITY", "use:M2 done", "use:M2"),
            (1, "TURN", "face top", None),
        ],
        "after": {"journey": ("S1 P1", ""), "under": {"S1": "M1"}, "face_up": "D1"},
    },
    {
        "name": "the solo AI has no abilities before it takes a card",
        "rule": "R20, R14",
        "options": {"solo": True},
        "cards": {"M1": {"ability": [shuffle_itself("before_travel")]}},
        "position": {"journey": ("P1", "M1"), "face_up": "D2", "deck": "D3 M2"},
        "steps": [(0, "TURN", "face other top rest", "top"), (0, "TURN", "face other top rest", None)],
        "after": {"journey": ("P1 M2", "M1 D2"), "face_up": "D3", "turn": 22, "draws": 0},
    },
]

INSTEAD_OF_TRAVEL = [
    {
        "name": "nothing else of a Travel happens",
        "rule": "R21",
        "cards": {
            "M1": {"ability": [KEEP_INSTEAD]},
            "M2": {"ability": [shuffle_itself("before_travel")]},
            "P1": {"ability": [shuffle_itself("after_travel")]},
        },
        "position": {"journey": ("M1 M2 P1 D1", ""), "face_up": "S1"},
        "steps": [
            (0, "TURN", "face top rest use:M1", "use:M1"),
            (0, "CARD", "M1 M2 P1 D1", "D1"),
            (1, "TURN", "face top", None),
        ],
        "after": {
            "journey": ("M1 M2 P1", ""),
            "scrapbook": ("D1", ""),
            "face_up": "S1",
            "turn": 21,
            "draws": 0,
        },
    },
    {
        "name": "instead of Travel: not legal without a card to choose",
        "rule": "R21",
        "cards": {"M1": {"ability": [KEEP_INSTEAD | {"select": {"row": "journey", "hazard": "paw"}}]}},
        "position": {"journey": ("M1 D1", ""), "scrapbook": ("P1", ""), "face_up": "S1"},
        "steps": [(0, "TURN", "face top rest", None)],
    },
    {
        "name": "mandatory abilities of the start of the turn come first",
        "rule": "R21, R7",
        "cards": {
            "M1": {"ability": [KEEP_INSTEAD]},
            "D1": {
                "ability": [
                    {
                        "timing": "start_of_turn",
                        "effect": "to_scrapbook",
                        "select": {"row": "journey", "hazard": "paw"},
                    }
                ]
            },
            "D2": {
                "ability": [
                    {
                        "timing": "start_of_turn",
                        "effect": "to_scrapbook",
                        "select": {"row": "journey", "hazard": "paw"},
                    }
                ]
            },
        },
        "position": {"journey": ("M1 D1 D2 P1", ""), "face_up": "S1"},
        "steps": [
            (0, "TURN", "use:D1 use:D2", "use:D1"),
            (0, "TURN", "face top rest use:M1", "use:M1"),
            (0, "CARD", "M1 D1 D2", "M1"),
            (1, "TURN", "face top", None),
        ],
        "after": {"journey": ("D1 D2", ""), "scrapbook": ("P1 M1", "")},
    },
    {
        "name": "an optional ability of the start of the turn, then one instead of Travel",
        "rule": "R21, R3",
        "cards": {
            "M1": {"ability": [KEEP_INSTEAD]},
            "D1": {
                "ability": [
                    {
                        "timing": "start_of_turn",
                        "effect": "hide",
                        "optional": True,
                        "select": {"row": "journey", "hazard": "paw"},
                    }
                ]
            },
        },
        "position": {"journey": ("M1 D1 P1", ""), "face_up": "S1"},
        "steps": [
            (0, "TURN", "face top rest use:M1 use:D1", "use:D1"),
            (0, "TURN", "face top rest use:M1", "use:M1"),
            (0, "CARD", "M1 D1", "D1"),
            (1, "TURN", "face top", None),
        ],
        "after": {"journey": ("M1", ""), "scrapbook": ("D1", ""), "under": {"D1": "P1"}},
    },
    {
        "name": "a swap asks for two cards",
        "rule": "R21",
        "cards": {"M1": {"ability": [{"timing": "instead_of_travel", "effect": "swap_cards", "optional": True}]}},
        "position": {"journey": ("M1 D1", ""), "scrapbook": ("P1", ""), "face_up": "S1"},
        "steps": [
            (0, "TURN", "face top rest use:M1", "use:M1"),
            (0, "CARD", "M1 D1 P1", "D1"),
            (0, "SECOND_CARD", "M1 P1", "P1"),
            (1, "TURN", "face top", None),
        ],
        "after": {"journey": ("M1 P1", ""), "scrapbook": ("D1", ""), "face_up": "S1", "draws": 0},
    },
    {
        "name": "the bust check follows",
        "rule": "R21, R4",
        "cards": {"M1": {"ability": [{"timing": "instead_of_travel", "effect": "swap_face_up", "optional": True}]}},
        "position": {"journey": ("M1 D1 S1", ""), "scrapbook": ("S2", ""), "face_up": "S3"},
        "steps": [
            (0, "TURN", "face top rest use:M1", "use:M1"),
            (0, "CARD", "M1 D1 S1", "D1"),
            (1, "TURN", "face top", None),
        ],
        "after": {
            "journey": ("", ""),
            "scrapbook": ("S2", ""),
            "discard": ("S1", ""),
            "busts": (1, 0),
            "face_up": "D1",
            "in_deck": "M1 S3",
            "deck_size": 15,
            "draws": 14,
        },
    },
    {
        "name": "backseat: a card sent busts the other player at once",
        "rule": "R21, R5",
        "options": {"backseat": True},
        "cards": {
            "M1": {
                "ability": [
                    {
                        "timing": "instead_of_travel",
                        "effect": "send",
                        "optional": True,
                        "select": {"row": "journey", "hazard": "sun"},
                    }
                ]
            }
        },
        "position": {"journey": ("M1 S1", "S2"), "scrapbook": ("", "S3"), "face_up": "P1"},
        "steps": [(0, "TURN", "face other top rest use:M1", "use:M1"), (1, "TURN", "face other top", None)],
        "after": {
            "journey": ("M1", ""),
            "scrapbook": ("", "S3"),
            "discard": ("", "S1"),
            "busts": (0, 1),
            "face_up": "P1",
            "in_deck": "S2",
            "draws": 13,
        },
    },
    {
        "name": "a card shuffled in takes those under it along, and the deck is shuffled once",
        "rule": "R21, R3, R15",
        "cards": {
            "M1": {
                "ability": [
                    {
                        "timing": "instead_of_travel",
                        "effect": "shuffle",
                        "optional": True,
                        "select": {"hazard": "paw"},
                    }
                ]
            }
        },
        "position": {
            "journey": ("M1 P1", "S6"),
            "under": {"P1": "D1 D2", "S6": "P2 P3 D4 M2 M3 M4 M5 S2 S3 S4 S5"},
            "face_up": "S1",
            "deck": "D3",
        },
        # D3 P1 D1 D2: the first number leaves D2, the second exchanges D1 and P1, the third D1 and D3.
        "steps": [(0, "TURN", "face top rest use:M1", "use:M1"), (1, "TURN", "face top rest", None)],
        "after": {
            "journey": ("M1", "S6"),
            "deck_top": "D1 D3 P1 D2",
            "deck_size": 4,
            "face_up": "S1",
            "draws": 3,
        },
    },
    {
        "name": "it replaces the action, not a Travel that an ability grants",
        "rule": "R21",
        "cards": {"D1": {"ability": [TRAVEL_TWICE]}, "M1": {"ability": [KEEP_INSTEAD]}},
        "position": {"journey": ("M1", ""), "face_up": "S1", "deck": "P1 D1"},
        "steps": [
            (0, "TURN", "face top rest use:M1", "top"),
            (0, "TRAVEL", "face top", "face"),
            (1, "TURN", "face top", None),
        ],
        "after": {"journey": ("M1 D1 S1", ""), "scrapbook": ("", ""), "face_up": "P1"},
    },
]

INSTEAD_OF_REST = [
    {
        "name": "with an empty Journey, and no abilities after a Rest",
        "rule": "R22",
        "cards": {
            "M1": {"ability": [{"timing": "instead_of_rest", "effect": "to_journey", "optional": True}]},
            "M2": {"ability": [shuffle_itself("after_rest")]},
        },
        "position": {"journey": ("", ""), "scrapbook": ("M1 M2 D1", ""), "face_up": "S1"},
        "steps": [
            (0, "TURN", "face top use:M1", "use:M1"),
            (0, "CARD", "M1 M2 D1", "D1"),
            (1, "TURN", "face top", None),
        ],
        "after": {
            "journey": ("D1", ""),
            "scrapbook": ("M1 M2", ""),
            "face_up": "S1",
            "turn": 21,
            "draws": 0,
        },
    },
    {
        "name": "abilities before a Rest are not resolved, though they make the Rest itself illegal",
        "rule": "R22, R8",
        "cards": {"M1": {"ability": [KEEP_INSTEAD_OF_REST]}, "M2": {"ability": [shuffle_itself("before_rest")]}},
        "position": {"journey": ("M2", ""), "scrapbook": ("M1", ""), "face_up": "S1"},
        "steps": [(0, "TURN", "face top use:M1", "use:M1"), (1, "TURN", "face top", None)],
        "after": {"journey": ("", ""), "scrapbook": ("M1 M2", ""), "draws": 0},
    },
    {
        "name": "instead of Rest: not legal without a card to choose",
        "rule": "R22",
        "cards": {"M1": {"ability": [KEEP_INSTEAD_OF_REST]}},
        "position": {"journey": ("", ""), "scrapbook": ("M1", ""), "face_up": "S1"},
        "steps": [(0, "TURN", "face top", None)],
    },
    {
        "name": "neither hiding nor returning follows; the bust check does",
        "rule": "R22, R18",
        "cards": {"M1": {"ability": [KEEP_INSTEAD_OF_REST]}},
        "position": {"journey": ("M1 S3 D1", ""), "scrapbook": ("S1 S2", ""), "face_up": "P1"},
        "steps": [
            (0, "TURN", "face top rest use:M1", "use:M1"),
            (0, "CARD", "M1 S3 D1", "S3"),
            (1, "TURN", "face top", None),
        ],
        "after": {
            "journey": ("", ""),
            "scrapbook": ("S1 S2 S3", ""),
            "discard": ("", ""),
            "busts": (1, 0),
            "in_deck": "M1 D1",
            "draws": 13,
        },
    },
    {
        "name": "of two such abilities one is used, and the turn is over",
        "rule": "R21, R22",
        "cards": {"M1": {"ability": [KEEP_INSTEAD]}, "M2": {"ability": [KEEP_INSTEAD_OF_REST]}},
        "position": {"journey": ("M1 M2", ""), "face_up": "S1"},
        "steps": [
            (0, "TURN", "face top rest use:M1 use:M2", "use:M2"),
            (0, "CARD", "M1 M2", "M1"),
            (1, "TURN", "face top", None),
        ],
        "after": {"journey": ("M2", ""), "scrapbook": ("M1", ""), "turn": 21},
    },
    {
        "name": "solo: the AI's turn follows",
        "rule": "R22",
        "options": {"solo": True},
        "cards": {"M1": {"ability": [KEEP_INSTEAD_OF_REST]}},
        "position": {"journey": ("M1 D1", ""), "face_up": "S1", "deck": "P1"},
        "steps": [
            (0, "TURN", "face other top rest use:M1", "use:M1"),
            (0, "CARD", "M1 D1", "D1"),
            (0, "TURN", "face other top rest use:M1", None),
        ],
        "after": {"journey": ("M1", "S1"), "scrapbook": ("D1", ""), "face_up": "P1", "turn": 22},
    },
]

MANDATORY_INSTEAD = [
    {
        "name": "a mandatory ability leaves no other way to Travel; Rest stays",
        "rule": "R21, R7",
        "options": {"backseat": True},
        "cards": {"M1": {"ability": [MUST_KEEP_INSTEAD]}},
        "position": {"journey": ("M1 D1", ""), "face_up": "S1", "deck": "P1"},
        "steps": [
            (0, "TURN", "rest use:M1", "use:M1"),
            (0, "CARD", "M1 D1", "D1"),
            (1, "TURN", "face other top", None),
        ],
        "after": {"journey": ("M1", ""), "scrapbook": ("D1", ""), "face_up": "S1", "draws": 0},
    },
    {
        "name": "a mandatory ability without a card to choose leaves the Travels alone",
        "rule": "R21, R7",
        "cards": {"M1": {"ability": [MUST_KEEP_INSTEAD | {"select": {"row": "journey", "hazard": "paw"}}]}},
        "position": {"journey": ("M1 D1", ""), "scrapbook": ("P1", ""), "face_up": "S1", "deck": "P2"},
        "steps": [(0, "TURN", "face top rest", "face"), (1, "TURN", "face top", None)],
        "after": {"journey": ("M1 D1 S1", ""), "face_up": "P2"},
    },
    {
        "name": "a mandatory ability of two alternatives, one of which has a card",
        "rule": "R21, R7",
        "cards": {
            "M1": {
                "ability": [
                    MUST_KEEP_INSTEAD | {"select": {"row": "journey", "hazard": "paw"}},
                    {"timing": "instead_of_travel", "effect": "to_journey", "select": {"hazard": "drop"}},
                ]
            }
        },
        "position": {"journey": ("M1", ""), "scrapbook": ("D1 P1", ""), "face_up": "S1", "deck": "P2"},
        "steps": [(0, "TURN", "rest use:M1", "use:M1"), (1, "TURN", "face top", None)],
        "after": {"journey": ("M1 D1", ""), "scrapbook": ("P1", ""), "face_up": "S1"},
    },
    {
        "name": "beside a mandatory ability an optional one may be used, which ends the turn, too",
        "rule": "R21, R7",
        "cards": {"M1": {"ability": [MUST_KEEP_INSTEAD]}, "M2": {"ability": [KEEP_INSTEAD]}},
        "position": {"journey": ("M1 M2", ""), "face_up": "S1"},
        "steps": [
            (0, "TURN", "rest use:M1 use:M2", "use:M2"),
            (0, "CARD", "M1 M2", "M1"),
            (1, "TURN", "face top", None),
        ],
        "after": {"journey": ("M2", ""), "scrapbook": ("M1", ""), "turn": 21},
    },
    {
        "name": "in the place of Rest: the Travels stay",
        "rule": "R22, R7",
        "cards": {"M1": {"ability": [MUST_KEEP_INSTEAD_OF_REST]}},
        "position": {"journey": ("M1 D1", ""), "face_up": "S1", "deck": "P1"},
        "steps": [(0, "TURN", "face top use:M1", "top"), (1, "TURN", "face top", None)],
        "after": {"journey": ("M1 D1 P1", ""), "face_up": "S1"},
    },
    {
        "name": "mandatory abilities in the place of both leave nothing else",
        "rule": "R21, R22, R7",
        "cards": {"M1": {"ability": [MUST_KEEP_INSTEAD]}, "M2": {"ability": [MUST_KEEP_INSTEAD_OF_REST]}},
        "position": {"journey": ("M1 M2", ""), "face_up": "S1"},
        "steps": [
            (0, "TURN", "use:M1 use:M2", "use:M1"),
            (0, "CARD", "M1 M2", "M2"),
            (1, "TURN", "face top", None),
        ],
        "after": {"journey": ("M1", ""), "scrapbook": ("M2", ""), "turn": 21},
    },
    {
        "name": "the one in the place of Rest is used where a Rest is not possible, and the Travels stay",
        "rule": "R22, R8",
        "cards": {
            "M1": {"ability": [{"timing": "instead_of_rest", "effect": "to_journey", "select": {"hazard": "drop"}}]},
        },
        "position": {"journey": ("", ""), "scrapbook": ("M1 D1", ""), "face_up": "S1"},
        "steps": [(0, "TURN", "face top use:M1", "use:M1"), (1, "TURN", "face top", None)],
        "after": {"journey": ("D1", ""), "scrapbook": ("M1", ""), "face_up": "S1"},
    },
    {
        "name": "it replaces the action alone: an extra Travel takes a card of the Desert",
        "rule": "R21",
        "cards": {
            "D1": {"ability": [{"timing": "after_rest", "effect": "travel_again", "optional": True}]},
            "M1": {"ability": [MUST_KEEP_INSTEAD]},
        },
        "position": {"journey": ("M1 D1", ""), "face_up": "S1", "deck": "P1"},
        "steps": [
            (0, "TURN", "rest use:M1", "rest"),
            (0, "REST", "M1 D1", "M1"),
            (0, "HIDE", "D1 done", "done"),
            (0, "RETURN", "D1 done", "done"),
            (0, "ABILITY", "use:D1 done", "use:D1"),
            (0, "TRAVEL", "face top", "face"),
            (1, "TURN", "face top", None),
        ],
        "after": {"journey": ("D1 S1", ""), "scrapbook": ("M1", ""), "face_up": "P1"},
    },
]

TIMINGS_AND_EFFECTS = [
    {
        "name": "before a Travel, a swap with the face-up card of a card with cards under it",
        "rule": "R20, R3",
        "cards": {"M1": {"ability": [SWAP_BEFORE]}},
        "position": {"journey": ("D1 M1", ""), "under": {"D1": "P2 P3"}, "face_up": "S1", "deck": "P1"},
        "steps": [
            (0, "TURN", "face top rest", "face"),
            (0, "ABILITY", "use:M1 done", "use:M1"),
            (0, "CARD", "D1 M1", "D1"),
            (1, "TURN", "face top", None),
        ],
        "after": {"journey": ("S1 M1 D1", ""), "under": {"S1": "P2 P3"}, "face_up": "P1", "draws": 0},
    },
    {
        "name": "in the place of a Travel, a hidden card is swapped; then the bust check",
        "rule": "R21, R3, R4",
        "cards": {
            "M1": {
                "ability": [
                    {"timing": "instead_of_travel", "effect": "swap_hidden", "select": {"cards": "hidden_here"}}
                ]
            }
        },
        "position": {"journey": ("M1 D1 S2 S3", ""), "under": {"M1": "S1"}, "face_up": "P1"},
        "steps": [
            (0, "TURN", "rest use:M1", "use:M1"),
            (0, "SECOND_CARD", "D1 S2 S3", "D1"),
            (1, "TURN", "face top", None),
        ],
        # S1 takes the place of D1, which is hidden under M1; three suns: S3 is discarded, the rest goes into the deck.
        "after": {
            "journey": ("", ""),
            "discard": ("S3", ""),
            "busts": (1, 0),
            "in_deck": "M1 D1 S1 S2",
            "under": {},
            "face_up": "P1",
        },
    },
    {
        "name": "solo: in the place of a Rest a card is sent, and busts the AI, before its turn",
        "rule": "R22, R5",
        "options": {"solo": True},
        "cards": {
            "M1": {
                "ability": [
                    {
                        "timing": "instead_of_rest",
                        "effect": "send",
                        "select": {"row": "journey", "hazard": "sun"},
                    }
                ]
            }
        },
        "position": {"journey": ("M1 S1", "S2 S3"), "face_up": "D1", "deck": "P1"},
        # The AI's Journey is cleared; it takes D1, which it has no match for.
        "steps": [(0, "TURN", "face other top use:M1", "use:M1"), (0, "TURN", "face other top rest", None)],
        "after": {"journey": ("M1", "D1"), "discard": ("", "S1"), "busts": (0, 1), "turn": 22},
    },
]

CASES = [
    *THREE_IN_A_SCRAPBOOK,
    *TURN_LIMIT,
    *SCORE_NOTHING,
    *BEFORE_TRAVEL,
    *INSTEAD_OF_TRAVEL,
    *INSTEAD_OF_REST,
    *MANDATORY_INSTEAD,
    *TIMINGS_AND_EFFECTS,
]


# ---------------------------------------------------------------- the cases as a game takes them


def numbers(names):
    """Names in a string -> cards."""
    return [NAMES.index(name) for name in names.split()]


def deck_of(case):
    """The 18 cards, as a deck file holds them."""
    printed = case.get("cards", {})
    return [{"name": name, "hazard": HAZARD_OF[name[0]], **printed.get(name, {})} for name in NAMES]


def position_of(case):
    """The position with cards as numbers, every card in it: the keys of `Game(position=...)`."""
    given = case["position"]
    rows = {row: [numbers(names) for names in given.get(row, ("", ""))] for row in ("journey", "scrapbook")}
    under = {NAMES.index(top): numbers(names) for top, names in given.get("under", {}).items()}
    face_up, top = NAMES.index(given["face_up"]), numbers(given.get("deck", ""))
    placed = {face_up, *top}.union(*rows["journey"], *rows["scrapbook"], *under.values())
    return {
        **rows,
        "under": under,
        "face_up": face_up,
        "deck": [card for card in range(18) if card not in placed] + top,
        "discard": [[], []],
        "busts": list(given.get("busts", (0, 0))),
        "turn": given.get("turn", 20),
        "active": given.get("active", 0),
    }


def action_of(word):
    """A word of a step -> the action."""
    fixed = {"face": TRAVEL_FACE_UP, "top": TRAVEL_TOP, "other": TRAVEL_OTHER, "rest": REST, "done": DONE}
    if word in fixed:
        return fixed[word]
    if word.startswith("use:"):
        return ABILITY + NAMES.index(word.removeprefix("use:"))
    return CARD + NAMES.index(word)


def expected_of(after):
    """What must be true after a case, in the terms of `found_in`."""
    result = dict(after)
    for key in ("journey", "scrapbook"):
        if key in after:
            result[key] = [numbers(names) for names in after[key]]
    for key in ("busts", "scores"):
        if key in after:
            result[key] = list(after[key])
    if "discard" in after:
        result["discard"] = [sorted(numbers(names)) for names in after["discard"]]
    if "under" in after:
        result["under"] = {NAMES.index(top): numbers(names) for top, names in after["under"].items()}
    if "face_up" in after:
        result["face_up"] = NAMES.index(after["face_up"])
    for key in ("deck_top", "in_deck"):
        if key in after:
            result[key] = numbers(after[key])
    if "draws" in after:
        del result["draws"]
        result["rng"] = after["draws"] * GOLDEN & MASK
    return result


def found_in(expected, state, *, over, scores, winner, ending):
    """The same of a game: of its state, in the terms of `Game.snapshot`, and of its result."""
    found = {
        **state,
        "over": over,
        "scores": list(scores),
        "winner": winner,
        "ending": ending,
        "deck_size": len(state["deck"]),
    }
    if "deck_top" in expected:
        found["deck_top"] = state["deck"][-len(expected["deck_top"]) :]
    if "in_deck" in expected:
        found["in_deck"] = [card for card in expected["in_deck"] if card in state["deck"]]
    return {key: found[key] for key in expected}


def check(case):
    """Play a case on the reference; AssertionError where it goes another way."""
    game = Game(deck_of(case), 0, position=position_of(case), **case.get("options", {}))
    for player, decision, legal, answer in case.get("steps", []):
        assert (game.player, game.decision) == (player, decision)
        assert game.legal() == {action_of(word) for word in legal.split()}
        if answer is not None:
            game.step(action_of(answer))
    expected = expected_of(case.get("after", {}))
    found = found_in(
        expected,
        game.snapshot(),
        over=game.over,
        scores=game.scores(),
        winner=game.winner(),
        ending=game.ending(),
    )
    assert found == expected
