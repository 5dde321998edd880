"""Whether a record is a state of this game: nothing that a caller passes reaches a kernel unchecked."""

from collections import Counter
from typing import Any

import numpy as np

from deathvalley_env import rules
from deathvalley_env.abilities import alternative
from deathvalley_env.busts import AI
from deathvalley_env.rows import rows_of
from deathvalley_env.scoring import score_of
from deathvalley_env.state import MAX_BUSTS, MOST_TURNS, RANDOM_FIRST
from deathvalley_env.vocabulary import (
    AT_TURN,
    NO_CARD,
    NUM_CARDS,
    NUM_PLAYERS,
    NUM_WINDOWS,
    Action,
    Decision,
    Effect,
    Timing,
)
from valley_core.errors import StateError
from valley_core.records import REMEDY, in_range, one_record

ALL_CARDS = (1 << NUM_CARDS) - 1

OPTIONS = ("solo", "backseat", "discard_points", "must_outbust")
"""Options that a state shares with the game that it is a state of."""

RANGES: dict[str, tuple[int, int]] = {
    "max_turns": (1, MOST_TURNS),
    "ask_forced": (0, 1),
    "first_player": (RANDOM_FIRST, NUM_PLAYERS - 1),
    "deck_size": (0, NUM_CARDS),
    "face_up": (NO_CARD, NUM_CARDS - 1),
    "journey_size": (0, NUM_CARDS),
    "scrapbook_size": (0, NUM_CARDS),
    "under": (NO_CARD, NUM_CARDS - 1),
    "discard": (0, ALL_CARDS),
    "busts": (0, MAX_BUSTS),
    "turn": (0, MOST_TURNS),
    "active": (0, NUM_PLAYERS - 1),
    "player": (0, NUM_PLAYERS - 1),
    "decision": (0, len(Decision) - 1),
    "window": (0, NUM_WINDOWS - 1),
    "traveled": (NO_CARD, NUM_CARDS - 1),
    "asking": (NO_CARD, NUM_CARDS - 1),
    "chosen": (NO_CARD, NUM_CARDS - 1),
    "rested": (0, 1),
    "checked": (0, NUM_PLAYERS),
    "returned": (0, 1),
    "kept": (0, ALL_CARDS),
    "used": (0, ALL_CARDS),
    "at_limit": (0, 1),
    "truncates": (0, 1),
    "travel": (NO_CARD, int(Action.TRAVEL_OTHER)),
}
"""Least and greatest value of each field."""

WINDOWS: dict[Decision, tuple[Timing, ...]] = {
    Decision.TURN: (Timing.START_OF_TURN,),
    Decision.CARD: tuple(Timing)[:NUM_WINDOWS],
    Decision.SECOND_CARD: tuple(Timing)[:NUM_WINDOWS],
    Decision.TRAVEL: (Timing.WHEN_TRAVELED, Timing.AFTER_TRAVEL, Timing.AFTER_REST),
    Decision.ABILITY: tuple(timing for timing in tuple(Timing)[:NUM_WINDOWS] if timing not in AT_TURN),
    Decision.REST: (Timing.BEFORE_REST,),
    Decision.HIDE: (Timing.BEFORE_REST,),
    Decision.RETURN: (Timing.BEFORE_REST,),
}
"""The windows in which a decision comes up."""


def check_state(state: Any, data: np.ndarray, template: np.ndarray) -> None:
    """Raise `StateError`, naming the field, unless `state` is a position that the rules can go on from."""
    state = one_record(state, template, "Death Valley", OPTIONS)
    in_range("data", state["data"], 0, len(data) - 1)
    for name, (least, greatest) in RANGES.items():
        in_range(name, state[name], least, greatest)
    _each_card_once(state)
    if state["solo"] and state["scrapbook_size"][AI]:
        raise StateError(f"field scrapbook_size is {state['scrapbook_size'].tolist()}: the AI has no Scrapbook{REMEDY}")
    _decision_fits(state, data[state["data"]])


def _each_card_once(state: Any) -> None:
    visible: list[int] = []
    for player in range(NUM_PLAYERS):
        for name in ("journey", "scrapbook"):
            cards = state[name][player][: state[f"{name}_size"][player]].tolist()
            if state[f"{name}_set"][player] != sum(1 << card for card in set(cards) if card >= 0):
                raise StateError(f"field {name}_set does not fit field {name}{REMEDY}")
        visible += state["journey"][player][: state["journey_size"][player]].tolist()
        visible += state["scrapbook"][player][: state["scrapbook_size"][player]].tolist()
    places = visible + state["deck"][: state["deck_size"]].tolist()
    places += [
        card for player in range(NUM_PLAYERS) for card in range(NUM_CARDS) if state["discard"][player] >> card & 1
    ]
    if state["face_up"] != NO_CARD:
        places.append(int(state["face_up"]))
    hidden = 0
    for card in [card for card in visible if 0 <= card < NUM_CARDS]:
        below = int(state["under"][card])
        while below != NO_CARD and len(places) <= NUM_CARDS:
            places.append(below)
            hidden += 1
            below = int(state["under"][below])
    wrong = {card: n for card, n in Counter([*range(NUM_CARDS), *places]).items() if n != 2}
    if wrong:
        raise StateError(f"cards {sorted(wrong)} are not in exactly one place{REMEDY}")
    links = int((state["under"] != NO_CARD).sum())
    if links != hidden:
        raise StateError(f"field under links cards that are not in a row{REMEDY}")


def _decision_fits(state: Any, deck: Any) -> None:
    decision, player, asking = int(state["decision"]), int(state["player"]), int(state["asking"])
    window, chosen = int(state["window"]), int(state["chosen"])
    for seat in range(NUM_PLAYERS):
        if state["touched"] or state["scores"][seat] != score_of(state, deck, seat):
            raise StateError(f"fields scores and touched do not fit the cards{REMEDY}")
    if decision == Decision.OVER:
        if state["legal"] != 0:
            raise StateError(f"field legal is {state['legal']} in a game that is over{REMEDY}")
        desert = int(state["deck_size"]) + (1 if state["face_up"] != NO_CARD else 0)
        if bool(state["at_limit"]) != (desert > 1):
            raise StateError(f"field at_limit is {state['at_limit']} with {desert} cards in the Desert{REMEDY}")
        if state["at_limit"] and state["turn"] != state["max_turns"]:
            raise StateError(f"field at_limit is 1 after {state['turn']} of {state['max_turns']} turns{REMEDY}")
        return
    if state["at_limit"]:
        raise StateError(f"field at_limit is 1 in a game that is not over{REMEDY}")
    if state["turn"] >= state["max_turns"]:
        raise StateError(
            f"field turn is {state['turn']} in a game of {state['max_turns']} turns that is not over{REMEDY}"
        )
    if player != state["active"] and window != Timing.WHEN_BUSTING:
        raise StateError(f"field player is {player} in the turn of {state['active']}{REMEDY}")
    if state["solo"] and player == AI:
        raise StateError(f"field player is {player}: the AI is asked nothing{REMEDY}")
    if window not in WINDOWS[Decision(decision)]:
        raise StateError(f"field window is {window}, in which no decision {Decision(decision).name} comes up{REMEDY}")
    if (state["travel"] != NO_CARD) != (window == Timing.BEFORE_TRAVEL):
        raise StateError(f"field travel is {state['travel']} in window {Timing(window).name}{REMEDY}")
    if state["travel"] != NO_CARD and not int(rules.travel_actions(state)) >> int(state["travel"]) & 1:
        raise StateError(f"field travel is {state['travel']}, a Travel that the Desert does not allow{REMEDY}")
    rows = rows_of(state, player)
    if decision in (Decision.CARD, Decision.SECOND_CARD, Decision.HIDE) and (
        asking < 0 or not (rows[0] | rows[1]) >> asking & 1
    ):
        raise StateError(f"field asking is {asking}, not a visible card of the player who is asked{REMEDY}")
    if decision == Decision.HIDE and not rows[1] >> asking & 1:
        raise StateError(f"field asking is {asking}, not a Scrapbook card, while cards are hidden under it{REMEDY}")
    if decision == Decision.SECOND_CARD and not _begins_swap(state, deck, rows):
        raise StateError(f"field chosen is {chosen}, not a card that the ability being resolved can swap{REMEDY}")
    legal = int(rules.legal(state, deck))
    if legal == 0 or legal != state["legal"]:
        raise StateError(f"field legal is {state['legal']}; the pending decision admits {legal}{REMEDY}")


def _begins_swap(state: Any, deck: Any, rows: Any) -> bool:
    player, asking, chosen = int(state["player"]), int(state["asking"]), int(state["chosen"])
    if chosen == NO_CARD:
        return False
    i = alternative(state, deck, rows, player, asking, int(state["window"]), chosen)
    return i >= 0 and deck["abilities"][asking, i]["effect"] in (Effect.SWAP_CARDS, Effect.SWAP_HIDDEN)
