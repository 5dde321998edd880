"""The game with its options chosen: a `valley_core.game.Game`."""

import os
from typing import Any

import numpy as np

from deathvalley_env import encoding, hidden, rules
from deathvalley_env.card_data import DECK
from deathvalley_env.deck import Deck, load_deck
from deathvalley_env.render import describe
from deathvalley_env.scoring import NO_WINNER, account
from deathvalley_env.state import new_states
from deathvalley_env.state_check import check_state
from deathvalley_env.vocabulary import NUM_CARDS, NUM_PLAYERS, Ending
from valley_core.errors import OptionError
from valley_core.game import Game, Kernels, Reward
from valley_core.jit import kernel
from valley_core.options import flag, one_of, whole_number

VARIANTS = ("base", "backseat")
KINDS = ("stars", "skulls", "abilities", "discards")
"""What scores are made of."""
ENDINGS = [ending.name.lower() for ending in Ending]
MOST_TURNS = 1_000_000
DECISIONS_OF_A_TURN = 128
"""No turn has more decisions: each card of the deck can answer in each window but a few times."""


@kernel
def step(state: Any, deck: Any, seat: int, action: int) -> None:
    """`rules.step`, in the signature of all games: the seat is the one that is asked."""
    rules.step(state, deck, action)


KERNELS = Kernels(
    reset=rules.reset,
    step=step,
    legal=encoding.legal_mask,
    observe=encoding.observe,
    to_act=encoding.to_act,
    asked=encoding.asked,
    status=encoding.status,
    returns=encoding.returns,
    conceal=hidden.conceal,
    reveal=hidden.reveal,
)


def make_game(
    *,
    deck: str | os.PathLike[str] | Deck = "highs_and_lows",
    variant: str = "base",
    solo: bool = False,
    discard_points: bool = False,
    must_outbust: bool = False,
    first_player: int | None = None,
    reward: str = "win",
    ask_forced: bool = False,
    max_turns: int = 200,
    card_facts: bool = True,
) -> Game:
    """Death Valley: Highs & Lows with these options.

    Args:
        deck: A shipped deck (``"highs_and_lows"``, ``"death_valley"``), a path to a deck file, or a `Deck`.
        variant: ``"base"`` or ``"backseat"`` (rulebook, Backseat Driver Variant). Solo play is always backseat.
        solo: Seat 1 is the rulebook's AI, which plays within `step` (rulebook, Solo Play).
        discard_points: The AI scores 1 point for each card in both discard piles (solo only).
        must_outbust: The AI wins unless it busted more often than you (solo only).
        first_player: 0 or 1; None draws it from the seed (R14). Solo: the learner, seat 0.
        reward: ``"win"``, ``"margin"`` or ``"shaped"`` (`valley_core.game.Reward`).
        ask_forced: Also ask decisions that have one legal answer.
        max_turns: Turns, of both players together, after which a game is truncated (R11); 1 to 1,000,000.
        card_facts: Observe what the cards are (hazard, stars, skulls, abilities), which is constant for a deck.

    Raises:
        OptionError: An option is out of range, or does not go with the others.
        DeckError: The deck has defects.
    """
    loaded = load_deck(deck)
    one_of("variant", variant, VARIANTS)
    flags = {"solo": solo, "discard_points": discard_points, "must_outbust": must_outbust}
    flags |= {"ask_forced": ask_forced, "card_facts": card_facts}
    flags = {name: flag(name, value) for name, value in flags.items()}
    for name in ("discard_points", "must_outbust"):
        if flags[name] and not flags["solo"]:
            raise OptionError(f"{name}=True makes only the solo AI harder; use solo_env(), or solo=True")
    one_of("first_player", first_player, (None, 0, 1))
    if flags["solo"] and first_player == 1:
        raise OptionError("first_player=1 is not possible in solo play: you play first (rulebook, Solo Play)")
    kind = Reward[one_of("reward", reward, tuple(r.name.lower() for r in Reward)).upper()]
    turns = whole_number("max_turns", max_turns, 1, MOST_TURNS)

    data = np.zeros(1, DECK)
    data[0] = loaded.record
    template = new_states(
        1,
        solo=flags["solo"],
        backseat=variant == "backseat",
        discard_points=flags["discard_points"],
        must_outbust=flags["must_outbust"],
        ask_forced=flags["ask_forced"],
        first_player=first_player,
        max_turns=turns,
    )
    facts = flags["card_facts"]
    greatest = 1.5 if kind == Reward.SHAPED else 1.0
    return Game(
        name="deathvalley",
        package="deathvalley_env",
        seats=NUM_PLAYERS,
        simultaneous=False,
        hidden="the order of the deck",
        action_names=encoding.action_names([card.name for card in loaded.cards]),
        layout=encoding.LAYOUT if facts else encoding.LAYOUT_WITHOUT_FACTS,
        fixed_from=encoding.FIXED_FROM,
        data=data,
        fixed=encoding.facts_of(loaded.cards)[None, :] if facts else np.zeros((1, 0), np.float32),
        template=template,
        reward=kind,
        max_turns=turns,
        max_decisions=turns * DECISIONS_OF_A_TURN,
        least_reward=-greatest,
        greatest_reward=greatest,
        kernels=KERNELS,
        describe=lambda state, datum: describe(state, datum, [card.name for card in loaded.cards]),
        summary=lambda state, datum: summary(state, datum, [card.name for card in loaded.cards]),
        check_state=lambda state: check_state(state, data, template[0]),
        options={"deck": loaded.name, "deck_digest": loaded.digest, "variant": "backseat" if solo else variant}
        | flags
        | {"first_player": first_player, "reward": reward, "max_turns": turns},
    )


def summary(state: Any, deck: Any, names: list[str]) -> dict[str, Any]:
    """How a game stands or ended: scores by kind and card, busts, winner and by which rule.

    Returns:
        ``scores`` [2], ``by_kind`` [2] of stars, skulls, abilities and discards, ``by_card`` [2] of name → points,
        ``busts`` [2], ``turns``, ``winner`` (0, 1 or None) and
        ``ending`` (score, fewer_busts, shared, must_outbust, truncated or none).
    """
    points = np.zeros((NUM_PLAYERS, NUM_CARDS, 3), np.int64)
    winner, rule = account(state, deck, points)
    scores = state["scores"].tolist()
    by_kind, by_card = [], []
    for score, rows in zip(scores, points.tolist(), strict=True):
        kinds = [sum(column) for column in zip(*rows, strict=True)]
        by_kind.append(dict(zip(KINDS, (*kinds, score - sum(kinds)), strict=True)))
        by_card.append({names[card]: sum(row) for card, row in enumerate(rows) if any(row)})
    return {
        "scores": scores,
        "by_kind": by_kind,
        "by_card": by_card,
        "busts": state["busts"].tolist(),
        "turns": int(state["turn"]),
        "winner": None if winner == NO_WINNER else int(winner),
        "ending": ENDINGS[rule],
    }
