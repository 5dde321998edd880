"""The rulebook's solo AI seated as a player of Death Valley, for study (rulebook, Solo Play).

It plays by the face-up card, as in solo play, and never rests. As a player it is asked what the solo AI is not: it
declines whatever is optional, and answers the rest with the first legal card. Its cards have their abilities, as those
of any player do, so "would bust" is the rule that holds for its seat.
"""

from typing import Any

import numpy as np

from agents.base import Agent
from deathvalley_env.busts import would_bust
from deathvalley_env.rows import journey_cards
from deathvalley_env.state import STATE
from deathvalley_env.vocabulary import NO_CARD, Action, Decision
from valley_core.batch import in_threads
from valley_core.bits import bit, lowest
from valley_core.decisions import Decisions
from valley_core.errors import OptionError
from valley_core.game import Game
from valley_core.jit import kernel


@kernel
def rulebook_travel(state: Any, deck: Any, player: int) -> int:
    """How `player` travels if they follow the rulebook's AI; `state` is scratch, since `would_bust` writes into it."""
    player = int(player)
    card = int(state.face_up)
    if card == NO_CARD:
        return Action.TRAVEL_TOP.value
    if would_bust(state, deck, 1 - player, card) or would_bust(state, deck, player, card):
        if state.backseat:
            return Action.TRAVEL_OTHER.value
        action = Action.TRAVEL_TOP.value  # the base game knows no backseat: rather an unknown card
    elif journey_cards(state, player) & deck.of_hazard[deck.hazard[card]]:
        action = Action.TRAVEL_TOP.value
    else:
        action = Action.TRAVEL_FACE_UP.value
    return action if state.deck_size > 0 else Action.TRAVEL_FACE_UP.value


@kernel
def rulebook_choice(state: Any, deck: Any, player: int) -> int:
    """The answer of the rulebook's AI to the pending decision."""
    legal = int(state.legal)
    travels = bit(Action.TRAVEL_FACE_UP.value) | bit(Action.TRAVEL_TOP.value)
    if (state.decision == Decision.TURN or state.decision == Decision.TRAVEL) and legal & travels:
        return rulebook_travel(state, deck, player)
    if (legal >> Action.DONE.value) & 1:
        return Action.DONE.value
    return lowest(legal)


@kernel
def rulebook_all(states: Any, data: Any, seats: Any, scratch: Any, actions: Any) -> None:
    """The choice of one seat of each game."""
    for i in range(len(states)):
        scratch[0] = states[i]
        actions[i] = rulebook_choice(scratch[0], data[states[i]["data"]], seats[i])


class RulebookAgent(Agent):
    """Plays as the rulebook's solo AI would."""

    name = "rulebook"
    deterministic = True

    def start(self, game: Game, seeds: np.ndarray) -> None:
        """Nothing is random here.

        Raises:
            OptionError: Another game than Death Valley.
        """
        if game.name != "deathvalley":
            raise OptionError(
                f"the agent 'rulebook' follows the solo AI of Death Valley and cannot play {game.name!r}; "
                "choose 'random' or 'greedy'"
            )

    def act(self, decisions: Decisions) -> np.ndarray:
        """The AI's action for each decision."""
        states, data, seats = decisions.states, decisions.game.data, decisions.seats
        actions = np.zeros(len(decisions), np.int64)

        def work(part: slice) -> None:
            rulebook_all(states[part], data, seats[part], np.zeros(1, STATE), actions[part])

        in_threads(len(decisions), work)
        return actions
