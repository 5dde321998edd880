"""The shipped networks: which file is for which game and setting."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agents.network import load_network
from valley_core.errors import OptionError
from valley_core.game import Game

WEIGHTS = Path(__file__).parent / "weights"
"""Where the files are."""
TRAINED = "trained"
"""Names the best one for a game."""
HOW_TO_TRAIN = "train one with `python -m training train`, and name its file in place of 'trained'"


@dataclass(frozen=True)
class Shipped:
    """A network that is shipped.

    Attributes:
        file: Its name in `WEIGHTS`.
        game: Name of the game.
        options: The options of games for which it is the best one; others may have any value.
    """

    file: str
    game: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def is_for(self, game: Game) -> bool:
        """Whether it is meant for this game and its options."""
        return self.game == game.name and all(game.options.get(name) == value for name, value in self.options.items())


SHIPPED = (
    Shipped("deathvalley_solo.npz", "deathvalley", {"solo": True}),  # it observes the modifiers
    Shipped("deathvalley_base.npz", "deathvalley", {"solo": False, "variant": "base"}),
    Shipped("deathvalley_backseat.npz", "deathvalley", {"solo": False, "variant": "backseat"}),
    # Which of the two boards are meant is seen from the boards: the other network does not fit.
    *(
        Shipped(f"riftvalley_{boards}_{players}.npz", "riftvalley", {"num_players": players})
        for boards in ("identical", "asymmetrical")
        for players in (2, 3, 4, 5)
    ),
)
"""The first that is for a game and fits it is used. Files that are not there yet are passed over."""


def trained_file(game: Game) -> Path:
    """The best shipped network for a game and its setting.

    Raises:
        OptionError: There is none; says which there are, and why those for this setting do not fit.
        NetworkError: A file is damaged.
    """
    reasons = []
    for shipped in SHIPPED:
        path = WEIGHTS / shipped.file
        if shipped.is_for(game) and path.exists():
            reason = load_network(path)[1].misfit(game)
            if reason is None:
                return path
            reasons.append(f"; {shipped.file} {reason}")
    there = [shipped.file for shipped in SHIPPED if (WEIGHTS / shipped.file).exists()]
    raise OptionError(
        f"no trained network is shipped for {game.name!r} with these options{''.join(reasons)}. "
        f"Shipped are: {', '.join(there) or 'none'}; {HOW_TO_TRAIN}"
    )
