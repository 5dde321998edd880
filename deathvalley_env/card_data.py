"""The deck as one NumPy record, which the kernels read.

Sets of cards are bit masks: bit i stands for card i of the deck file.
"""

import numpy as np

from deathvalley_env.vocabulary import MAX_ABILITIES, NUM_CARDS, NUM_HAZARDS, NUM_WINDOWS, Timing

CARD_SET = np.int32
"""dtype of a set of cards: bits 0 to 17."""

SELECTION = np.dtype(
    (
        np.record,
        [
            ("row", "i1"),  # vocabulary.Row
            ("position", "i1"),  # vocabulary.Position
            ("cards", "i1"),  # vocabulary.Cards
            ("hazard", "i1"),  # vocabulary.Hazard, for Per.ROW_WITHOUT
            ("filter", CARD_SET),  # the cards that pass `hazard`, `having` and `other`
        ],
    )
)

CONDITION = np.dtype(
    (
        np.record,
        [
            ("always", "i1"),  # 1: no condition at all
            ("unless", "i1"),
            ("row", "i1"),  # Row.BOTH, JOURNEY or SCRAPBOOK, of this card
            ("position", "i1"),  # Position.ANY, LEFTMOST or RIGHTMOST, of this card in its row
            ("counts", "i1"),  # 1: `select` must select from at_least to at_most cards
            ("at_least", "i1"),
            ("at_most", "i1"),
            ("select", SELECTION),
        ],
    )
)

ABILITY = np.dtype(
    (
        np.record,
        [
            ("timing", "i1"),  # vocabulary.Timing; Timing.NONE where the card has no more abilities
            ("optional", "i1"),
            ("effect", "i1"),  # vocabulary.Effect
            ("hazard", "i1"),  # for Effect.RAISE_LIMIT
            ("points", "i1"),
            ("per", "i1"),  # vocabulary.Per
            ("every", "i1"),
            ("cap", "i1"),  # 0: none
            ("select", SELECTION),
            ("condition", CONDITION),
        ],
    )
)

DECK = np.dtype(
    (
        np.record,
        [
            ("hazard", "i1", (NUM_CARDS,)),
            ("stars", "i1", (NUM_CARDS,)),
            ("skulls", "i1", (NUM_CARDS,)),
            ("abilities", ABILITY, (NUM_CARDS, MAX_ABILITIES)),  # of each card in the order of their timings
            # Those of timing t are number first[card, t] to first[card, t + 1] - 1.
            ("first", "i1", (NUM_CARDS, Timing.NONE + 1)),
            ("of_hazard", CARD_SET, (NUM_HAZARDS,)),  # the cards of each hazard
            ("timed", CARD_SET, (int(Timing.NONE),)),  # the cards with an ability of each timing
            ("mandatory", CARD_SET, (NUM_WINDOWS,)),  # those among them whose ability is mandatory
            ("starred", CARD_SET),  # the cards with stars
            ("skulled", CARD_SET),  # the cards with skulls
            ("silencers", CARD_SET),  # the cards with a `score_nothing` ability
            ("ai_points", "i2", (NUM_CARDS,)),  # what each card scores for the solo AI (R10)
        ],
    )
)
