"""The game with its options chosen: a `valley_core.game.Game`."""

import os
from typing import Any

import numpy as np

from deathvalley_env import encoding, hidden, rules
from deathvalley_env.card_data import DECK
from deathvalley_env.deck import Deck, load_deck, warn_of
from deathvalley_env.render import describe
from deathvalley_env.scoring import NO_WINNER, account, ending
from deathvalley_env.state import MOST_TURNS, new_states
from deathvalley_env.state_check import check_state
from deathvalley_env.vocabulary import NUM_CARDS, NUM_PLAYERS, Ending
from valley_core.errors import OptionError
from valley_core.game import Game, Kernels, Reward
from valley_core.jit import kernel
from valley_core.layout import Field, Layout
from valley_core.options import flag, one_of, whole_number

VARIANTS = ("base", "backseat")
TURN_LIMITS = ("terminate", "truncate")
KINDS = ("stars", "skulls", "abilities", "discards")
"""What scores are made of."""
ENDINGS = [ending.name.lower() for ending in Ending]
DECISIONS_OF_A_TURN = 256
"""No turn has more decisions: each card has at most three abilities, used once a turn with at most three decisions each
(162); a Rest asks at most 36 times; and each of at most 18 Travels leaves at most three windows."""


@kernel
def step(state: Any, deck: Any, seat: int, action: int) -> None:
    """`rules.step`, in the signature of all games: the seat is the one that is asked."""
    rules.step(state, deck, action)


INFO = Layout(
    (
        Field("scores", (NUM_PLAYERS,), -(2**15), 2**15 - 1, "the score of each seat if the game ended now"),
        Field("busts", (NUM_PLAYERS,), 0, 2**31 - 1, "how often each seat has busted"),
        Field("turns", (), 0, 2**31 - 1, "finished turns of both players together"),
        Field("winner", (), -1, NUM_PLAYERS - 1, "the seat that won; -1: nobody, or the game goes on"),
        Field("ending", (), 0, len(Ending) - 1, "by which rule: " + ", ".join(f"{e.value} {e.name}" for e in Ending)),
    )
)
"""The numbers of a game, as adapters give them after every step."""


@kernel
def inform(state: Any, deck: Any, out: Any) -> None:
    """Write the numbers of `INFO`, int64."""
    winner, rule = ending(state)
    out[0], out[1] = state.scores[0], state.scores[1]
    out[2], out[3] = state.busts[0], state.busts[1]
    out[4] = state.turn
    out[5] = winner
    out[6] = rule


KERNELS = Kernels(
    reset=rules.reset,
    step=step,
    legal=encoding.legal_mask,
    observe=encoding.observe,
    to_act=encoding.to_act,
    asked=encoding.asked,
    status=encoding.status,
    returns=encoding.returns,
    inform=inform,
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
    turn_limit: str = "terminate",
    card_facts: bool = False,
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
        max_turns: Turns, of both players together, after which a game ends (R11); 1 to 1,000,000.
        turn_limit: ``"terminate"``: a game that reaches `max_turns` is scored as it stands; ``"truncate"``: it is
            truncated, and has no winner (R11).
        card_facts: Observe what the cards are (hazard, stars, skulls, abilities), too, which is constant for a deck:
            for those who learn over many decks.

    Raises:
        OptionError: An option is out of range, or does not go with the others.
        DeckError: The deck has defects.

    Warns:
        DeckWarning: The deck can be played, but is hardly typed in whole.
    """
    loaded = load_deck(deck)
    warn_of(loaded)
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
    truncates = one_of("turn_limit", turn_limit, TURN_LIMITS) == "truncate"

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
        truncates=truncates,
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
        info=INFO,
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
        | {"first_player": first_player, "reward": reward, "max_turns": turns, "turn_limit": turn_limit},
    )


def summary(state: Any, deck: Any, names: list[str]) -> dict[str, Any]:
    """How a game stands or ended: scores by kind and card, busts, winner and by which rule.

    Returns:
        ``scores`` [2], ``by_kind`` [2] of stars, skulls, abilities and discards, ``by_card`` [2] of name → points,
        ``busts`` [2], ``turns``, ``winner`` (0, 1 or None) and
        ``ending`` (score, fewer_busts, shared, must_outbust, turn_limit, truncated or none).
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
