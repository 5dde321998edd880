"""The games that can be measured: how each is made, its settings, and the numbers of a finished game.

A game is added by an entry here and a module in `training.columns`; nothing else in `training` names a game.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from math import perm
from typing import TYPE_CHECKING, Any

import numpy as np

from valley_core.errors import OptionError

if TYPE_CHECKING:
    from valley_core.game import Game

Columns = Callable[["Game", np.ndarray], np.ndarray]
"""``(game, finished states) -> structured array``, one row for each state."""

Options = Mapping[str, Any]


@dataclass(frozen=True)
class Drawn:
    """Decks or boards that are drawn, as many as one likes (`training.course`).

    Attributes:
        name: What they are, as in ``drawn decks``.
        option: The option of the game that takes one.
        draw: ``(seed) -> value`` of that option; the same seed draws the same.
    """

    name: str
    option: str
    draw: Callable[[int], Any]


def drawn_deck(seed: int) -> Any:
    """A deck drawn from the cards of all shipped ones, hazard by hazard as in their files."""
    from deathvalley_env.deck import draw_deck, load_deck, shipped_decks

    pools = shipped_decks()
    deck = draw_deck(pools, seed=seed)
    order = list(dict.fromkeys(card.hazard for card in load_deck(pools[0]).cards))
    cards = tuple(sorted(deck.cards, key=lambda card: order.index(card.hazard)))
    return replace(deck, name=f"drawn {seed}", cards=cards)


def generated_board(seed: int) -> Any:
    """A random board; all players have it."""
    from riftvalley_env.generator import generate_board

    return generate_board(seed)


def deals_of_boards(game: "Game") -> int:
    """In how many ways boards are dealt to the players of Rift Valley."""
    boards = len(game.options["boards"])
    return 1 if boards == 1 or game.options["deal"] == "fixed" else perm(boards, game.seats)


@dataclass(frozen=True)
class Entry:
    """A game that can be measured.

    Attributes:
        name: As in ``deathvalley``.
        title: As people write it.
        settings: Options of each setting between players.
        solo: Options of each setting against the game's own AI, which plays within a step; empty if there is none.
        solo_opponent: Name of that AI in tables.
        options: Names of the command-line options that this game takes, with the game's option that each sets.
        columns_of_seats: Columns with one number for each seat that tables average, with their headings.
        learning: Options of the games in which a policy learns: what never changes is not observed.
        knowing: Options with which all is observed that an agent may ask for, also what never changes.
        league: Opponents of a policy that learns between players, by default (`training.opponents`).
        rivals: Agents against which such a policy is tested.
        drawn: Decks or boards that can be drawn.
        deals: How many different deals, all equally likely, are all the chance there is in a game; None if there are
            more than can be played, or other chance.
    """

    name: str
    title: str
    settings: Mapping[str, Options]
    drawn: Drawn
    solo: Mapping[str, Options] = field(default_factory=dict)
    solo_opponent: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    columns_of_seats: Mapping[str, str] = field(default_factory=dict)
    learning: Options = field(default_factory=dict)
    knowing: Options = field(default_factory=dict)
    league: Sequence[str] = ()
    rivals: Sequence[str] = ()
    deals: Callable[["Game"], int | None] = lambda _: None

    def make(self, **options: Any) -> "Game":
        """The game with these options, in which any agent can play (`knowing`).

        Raises:
            OptionError: An option is wrong, or a file that it names has defects.
        """
        try:
            return self.make_game(**{**self.knowing, **options})
        except ValueError as error:
            raise OptionError(str(error)) from error

    def chosen(self, **given: Any) -> dict[str, Any]:
        """Options of the game for those of the command line that are given; None: not given.

        Raises:
            OptionError: This game takes no such option.
        """
        given = {name: value for name, value in given.items() if value is not None}
        for name in given:
            if name not in self.options:
                raise OptionError(f"--{name.replace('_', '-')} is no option of {self.title}")
        return {self.options[name]: value for name, value in given.items()}

    @property
    def make_game(self) -> Callable[..., "Game"]:
        """The function that makes the game."""
        return import_module(f"{self.name}_env.game").make_game

    @property
    def columns(self) -> Any:
        """The module of `training.columns` for this game."""
        return import_module(f"training.columns.{self.name}")


GAMES = {
    "deathvalley": Entry(
        name="deathvalley",
        title="Death Valley",
        settings={"base": {"variant": "base"}, "backseat": {"variant": "backseat"}},
        drawn=Drawn("drawn decks", "deck", drawn_deck),
        solo={
            "none": {"solo": True},
            "discard_points": {"solo": True, "discard_points": True},
            "must_outbust": {"solo": True, "must_outbust": True},
            "both": {"solo": True, "discard_points": True, "must_outbust": True},
        },
        solo_opponent="solo AI",
        options={"deck": "deck", "max_turns": "max_turns"},
        columns_of_seats={"scores": "score", "busts": "busts"},
        learning={"card_facts": False},
        knowing={"card_facts": True},
        league=("self", "self", "greedy", "rulebook"),
        rivals=("random", "greedy"),
    ),
    "riftvalley": Entry(
        name="riftvalley",
        title="Rift Valley",
        settings={"identical": {"boards": "identical"}, "asymmetrical": {"boards": "asymmetrical"}},
        drawn=Drawn("generated boards", "boards", generated_board),
        options={"players": "num_players", "max_turns": "max_turns", "boards": "boards"},
        columns_of_seats={"scores": "score"},
        league=("self", "self", "greedy", "noisy"),
        rivals=("random", "noisy"),  # greedy alone would play the few deals alike again and again
        deals=deals_of_boards,
    ),
}


def entry_of(name: str) -> Entry:
    """The entry of a game.

    Raises:
        OptionError: There is no such game.
    """
    if name not in GAMES:
        raise OptionError(f"there is no game {name!r}; choose one of {', '.join(GAMES)}")
    return GAMES[name]


def deals_of(game: "Game") -> int | None:
    """`Entry.deals` of a game; None for a game that has no entry."""
    return GAMES[game.name].deals(game) if game.name in GAMES else None


def columns_of(game: "Game") -> Columns | None:
    """How to measure finished games of `game`; None for a game that has no entry."""
    if game.name not in GAMES:
        return None
    return GAMES[game.name].columns.columns
