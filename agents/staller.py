"""The agent ``staller``: a player of Death Valley who only wants a long game, for study of the turn limit (R11, R19).

It Travels while the Desert is large. Once it is small, it Rests, and shuffles every card that it may back into the
deck. It uses abilities only where it must.
"""

import numpy as np

from agents.base import Agent
from deathvalley_env.vocabulary import NO_CARD, Action, Decision
from valley_core.decisions import Decisions
from valley_core.errors import OptionError
from valley_core.game import Game

SMALL_DESERT = 3
"""Cards in the Desert at which it Rests: the other player can take one before its next turn."""


class StallerAgent(Agent):
    """Plays to make the game last."""

    name = "staller"
    deterministic = True

    def start(self, game: Game, seeds: np.ndarray) -> None:
        """Nothing is random here.

        Raises:
            OptionError: Another game than Death Valley.
        """
        if game.name != "deathvalley":
            raise OptionError(
                f"the agent 'staller' is one of Death Valley and cannot play {game.name!r}; choose 'random' or 'greedy'"
            )

    def act(self, decisions: Decisions) -> np.ndarray:
        """An action for each decision: the first legal one of those preferred in its place."""
        states, masks = decisions.states, decisions.masks != 0
        desert = states["deck_size"] + (states["face_up"] != NO_CARD)
        rests = masks[:, Action.REST] & (desert <= SMALL_DESERT)
        returns = (states["decision"] == Decision.RETURN) & (masks[:, Action.CARD : Action.DONE].any(1))
        done = masks[:, Action.DONE] & ~returns
        first = masks.argmax(1)
        first[returns] = Action.CARD + masks[returns, Action.CARD : Action.DONE].argmax(1)
        return np.select([rests, done], [int(Action.REST), int(Action.DONE)], first)
