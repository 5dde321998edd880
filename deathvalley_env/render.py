"""The table as text."""

from typing import Any

from deathvalley_env.vocabulary import NO_CARD, NUM_PLAYERS, Decision, Hazard

SIGNS = {Hazard.PAW: "p", Hazard.DROP: "d", Hazard.MOUNTAIN: "m", Hazard.SUN: "s"}


def card_label(card: int, deck: Any, names: list[str]) -> str:
    """A card in a few characters: name, hazard, stars and skulls."""
    points = "*" * int(deck["stars"][card]) + "x" * int(deck["skulls"][card])
    return f"{names[card]} ({SIGNS[Hazard(int(deck['hazard'][card]))]}{' ' + points if points else ''})"


def _row(state: Any, row: Any, size: int, deck: Any, names: list[str]) -> str:
    parts = []
    for card in row[:size].tolist():
        label = card_label(card, deck, names)
        below, hidden = int(state["under"][card]), []
        while below != NO_CARD:
            hidden.append(names[below])
            below = int(state["under"][below])
        parts.append(label + (f" [under it: {', '.join(hidden)}]" if hidden else ""))
    return " | ".join(parts) or "-"


def describe(state: Any, deck: Any, names: list[str]) -> str:
    """The table with all that is public, as lines of text: p d m s are the hazards, * a star, x a skull."""
    face_up = int(state["face_up"])
    desert = card_label(face_up, deck, names) if face_up != NO_CARD else "-"
    lines = [f"Turn {int(state['turn'])}   Desert: {desert} + deck of {int(state['deck_size'])}"]
    for player in range(NUM_PLAYERS):
        who = "AI" if state["solo"] and player == 1 else f"player_{player}"
        discard = [names[card] for card in range(len(names)) if state["discard"][player] >> card & 1]
        lines.append(
            f"{who}: {int(state['scores'][player])} points, {int(state['busts'][player])} busts"
            + (f", discarded {', '.join(discard)}" if discard else "")
        )
        lines.append(f"  Journey   {_row(state, state['journey'][player], state['journey_size'][player], deck, names)}")
        if not (state["solo"] and player == 1):
            scrapbook = _row(state, state["scrapbook"][player], state["scrapbook_size"][player], deck, names)
            lines.append(f"  Scrapbook {scrapbook}")
    decision = Decision(int(state["decision"]))
    if decision == Decision.OVER:
        lines.append("The turn limit is reached." if state["at_limit"] else "The game is over.")
    else:
        asking = int(state["asking"])
        by = f" ({names[asking]})" if asking != NO_CARD else ""
        lines.append(f"player_{int(state['player'])} decides: {decision.name}{by}")
    return "\n".join(lines)
