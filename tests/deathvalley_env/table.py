"""Games played by hand: positions drawn as text, actions by their names.

A position is written with a line for each place, from left to right; places that are left out are empty::

    desert: Snakes + Coyotes, Scorpions, ...
    > 0 journey: Devil's Hole [Mosaic Canyon, Dante's View], Super Bloom
    0 scrapbook: Badwater Basin
    0 discard: Telescope Peak
    0 busts: 1
    1 journey: Eureka Dunes

The Desert is the face-up card (``-``: none) and, after ``+``, the deck from the top. In square brackets stand the cards
hidden under a card, in the order in which they were hidden. ``>`` marks a line of the player whose turn it is (without
it: player 0), ``...``, once, all cards that are named nowhere: in a deck or a discard pile.
"""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from deathvalley_env import rules
from deathvalley_env.deck import Deck, DeckWarning, deck_from_dict
from deathvalley_env.game import make_game
from deathvalley_env.vocabulary import NO_CARD, NUM_CARDS, Action, Decision
from valley_core.rng import draw_plain

OTHER = "travel face-up to the other Journey"
DOTS = "..."
ANY_CARD = "?"
ROWS = ("journey", "scrapbook")
HAZARD_OF_LETTER = {"p": "paw", "d": "drop", "m": "mountain", "s": "sun"}
PLAIN_NAMES = [
    "p1",
    "p2",
    "p3",
    "d1",
    "d2",
    "d3",
    "d4",
    "m1",
    "m2",
    "m3",
    "m4",
    "m5",
    "s1",
    "s2",
    "s3",
    "s4",
    "s5",
    "s6",
]
"""The cards of a deck made for a test."""


def make_deck(stars: dict[str, int] | None = None, skulls: dict[str, int] | None = None, **abilities: Any) -> Deck:
    """A deck of the cards p1 … s6, blank but for these stars, skulls and abilities (one table each, or a list)."""
    cards = []
    for name in PLAIN_NAMES:
        given = abilities.pop(name, [])
        cards.append(
            {
                "name": name,
                "hazard": HAZARD_OF_LETTER[name[0]],
                "stars": (stars or {}).get(name, 0),
                "skulls": (skulls or {}).get(name, 0),
                "ability": given if isinstance(given, list) else [given],
            }
        )
    assert not abilities, f"no cards {list(abilities)}"
    return deck_from_dict({"name": "made for a test", "card": cards})


def ability(timing: str, effect: str, **fields: Any) -> dict[str, Any]:
    """An ability as a deck file has it; the condition is `when`, since ``if`` is no name in Python."""
    if "when" in fields:
        fields["if"] = fields.pop("when")
    return {"timing": timing, "effect": effect, **fields}


def names(text: str) -> set[str]:
    """Cards in one string, joined by commas."""
    return {name.strip() for name in text.split(",") if name.strip()}


# --- Positions ------------------------------------------------------------------------------------------------------


@dataclass
class Position:
    """Where all cards lie, by name; a card of a row comes with those hidden under it."""

    face_up: str | None = None
    deck: list[str] = field(default_factory=list)  # from the top
    journey: list[list[list[str]]] = field(default_factory=lambda: [[], []])
    scrapbook: list[list[list[str]]] = field(default_factory=lambda: [[], []])
    discard: list[list[str]] = field(default_factory=lambda: [[], []])
    busts: list[int] = field(default_factory=lambda: [0, 0])
    active: int = 0

    def named(self) -> set[str]:
        """All cards that are named."""
        rows = self.journey + self.scrapbook
        cards = [card for row in rows for pile in row for card in pile]
        return {*cards, *self.deck, *self.discard[0], *self.discard[1], *([self.face_up] if self.face_up else [])}

    def text(self) -> str:
        """The position, written as the module says."""
        lines = [f"desert: {self.face_up or '-'}" + (f" + {', '.join(self.deck)}" if self.deck else "")]
        for player in range(2):
            for row in ROWS:
                piles = getattr(self, row)[player]
                cards = [pile[0] + (f" [{', '.join(pile[1:])}]" if pile[1:] else "") for pile in piles]
                lines += [f"{player} {row}: {', '.join(cards)}"] if cards else []
            if self.discard[player]:
                lines.append(f"{player} discard: {', '.join(self.discard[player])}")
            if self.busts[player]:
                lines.append(f"{player} busts: {self.busts[player]}")
        lines.append(f"turn of {self.active}")
        return "\n".join(lines)


def _cards(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _piles(text: str) -> list[list[str]]:
    piles, rest = [], text.strip()
    while rest:
        end = min((rest.find(sign) for sign in ",[" if sign in rest), default=len(rest))
        pile, rest = [rest[:end].strip()], rest[end:]
        if rest.startswith("["):
            inside, rest = rest[1:].split("]", 1)
            pile += _cards(inside)
        piles.append(pile)
        rest = rest.strip().removeprefix(",").strip()
    return piles


def read(text: str) -> Position:
    """The position that a text draws."""
    position = Position()
    for line in text.strip().splitlines():
        marked = line.strip()
        key, value = marked.removeprefix(">").strip().split(":", 1)
        if key == "desert":
            face_up, _, deck = value.partition("+")
            position.face_up = None if face_up.strip() == "-" else face_up.strip()
            position.deck = _cards(deck)
            continue
        player = int(key[0])
        place = key[1:].strip()
        if marked.startswith(">"):
            position.active = player
        if place == "busts":
            position.busts[player] = int(value)
        elif place == "discard":
            position.discard[player] = _cards(value)
        else:
            assert place in ROWS, line
            getattr(position, place)[player] = _piles(value)
    return position


def position_of(state: Any, card_names: Sequence[str]) -> Position:
    """The position of a state."""
    position = Position()
    if state["face_up"] != NO_CARD:
        position.face_up = card_names[state["face_up"]]
    position.deck = [card_names[card] for card in state["deck"][: state["deck_size"]][::-1]]
    for player in range(2):
        for row in ROWS:
            for card in state[row][player][: state[f"{row}_size"][player]]:
                pile = [card_names[card]]
                below = state["under"][card]
                while below != NO_CARD:
                    pile.append(card_names[below])
                    below = state["under"][below]
                getattr(position, row)[player].append(pile)
        position.discard[player] = [
            card_names[card] for card in range(NUM_CARDS) if state["discard"][player] >> card & 1
        ]
    position.busts = state["busts"].tolist()
    position.active = int(state["active"])
    return position


def put(state: Any, position: Position, card_names: Sequence[str]) -> None:
    """Lay the cards of a state as in the position; what follows from that is left to `rules.settle`."""
    number = {name: card for card, name in enumerate(card_names)}
    unnamed = [name for name in card_names if name not in position.named()]
    deck = [card for name in position.deck for card in (unnamed if name == DOTS else [name])]
    state["deck"][: len(deck)] = [number[name] for name in reversed(deck)]
    state["deck_size"] = len(deck)
    state["face_up"] = NO_CARD if position.face_up is None else number[position.face_up]
    state["under"] = NO_CARD
    for player in range(2):
        for row in ROWS:
            piles = [[number[name] for name in pile] for pile in getattr(position, row)[player]]
            state[row][player] = 0
            state[row][player][: len(piles)] = [pile[0] for pile in piles]
            state[f"{row}_size"][player] = len(piles)
            state[f"{row}_set"][player] = sum(1 << pile[0] for pile in piles)
            for pile in piles:
                for above, below in pairwise(pile):
                    state["under"][above] = below
        discard = [card for name in position.discard[player] for card in (unnamed if name == DOTS else [name])]
        state["discard"][player] = sum(1 << number[name] for name in discard)
        state["busts"][player] = position.busts[player]
    state["active"] = position.active


# --- Games ----------------------------------------------------------------------------------------------------------


class Table:
    """One game that starts from a drawn position, at the beginning of a turn."""

    def __init__(self, text: str | None, deck: str | Deck = "highs_and_lows", seed: int = 1, **options: Any) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeckWarning)  # most decks here are blank but for what is tried
            self.game = make_game(deck=deck, **options)
        self.states = self.game.new_states(1)
        self.state: Any = self.states[0]
        self.data: Any = self.game.data[0]
        self.names = [name.removeprefix("card ") for name in self.game.action_names[Action.CARD : Action.DONE]]
        self.state["rng"] = seed
        self.game.kernels.reset(self.state, self.data)
        if text is not None:
            position = read(text)
            put(self.state, position, self.names)
            self.state["touched"] = 3
            rules.begin_turn(self.state)
            rules.settle(self.state, self.data)
        self.game.check_state(self.state)

    # Playing.

    def action(self, name: str) -> int:
        """The number of an action; ``card X`` may be written as ``X``, ``ability of X`` as ``use X``."""
        if name.startswith("use "):
            return int(Action.ABILITY) + self.names.index(name.removeprefix("use "))
        if name in self.names:
            return int(Action.CARD) + self.names.index(name)
        return list(self.game.action_names).index(name)

    def play(self, *actions: str) -> "Table":
        """Carry out actions by name, each of which must be legal."""
        for name in actions:
            action = self.action(name)
            legal = np.flatnonzero(self.mask(self.player))
            assert action in legal, f"{name} is not legal at {self.decision}; {sorted(self.legal())}"
            self.game.kernels.step(self.state, self.data, self.player, action)
            self.game.check_state(self.state)
        return self

    # Looking.

    def mask(self, seat: int) -> np.ndarray:
        """The mask of a seat."""
        mask = np.zeros(self.game.num_actions, np.uint8)
        self.game.kernels.legal(self.state, self.data, seat, mask)
        return mask

    def legal(self) -> set[str]:
        """The legal actions of the player who is asked, written as briefly as `play` takes them."""
        found = [self.game.action_names[int(action)] for action in np.flatnonzero(self.mask(self.player))]
        return {name.removeprefix("card ").replace("ability of ", "use ") for name in found}

    @property
    def decision(self) -> str:
        """What is asked: ``TURN``, ``CARD`` …"""
        return Decision(int(self.state["decision"])).name

    @property
    def player(self) -> int:
        """Who is asked."""
        return int(self.state["player"])

    @property
    def scores(self) -> list[int]:
        """The scores if the game ended now."""
        return [int(points) for points in self.state["scores"]]

    @property
    def summary(self) -> dict[str, Any]:
        """How the game stands or ended."""
        return self.game.summary(self.state, self.data)

    @property
    def position(self) -> Position:
        """Where all cards lie."""
        return position_of(self.state, self.names)


def same(table: Table, text: str) -> None:
    """Assert that the table looks like the drawing: ``...`` are cards in any order, ``?`` is any of them face up."""
    wanted, found = read(text), table.position
    if wanted.face_up == ANY_CARD and found.face_up is not None:
        assert found.face_up not in wanted.named(), found.text()
        found.face_up = ANY_CARD
    for player in range(2):
        if DOTS in wanted.discard[player]:
            found.discard[player] = [c for c in found.discard[player] if c in wanted.named()] + [DOTS]
        for position in (wanted, found):
            position.discard[player].sort()
    if DOTS in wanted.deck:
        assert wanted.deck[-1] == DOTS
        assert len(found.deck) >= len(wanted.deck) - 1, found.text()
        found.deck = [*found.deck[: len(wanted.deck) - 1], DOTS]
    assert found.text() == wanted.text(), f"\n{found.text()}\n\nbut wanted\n\n{wanted.text()}"


def shuffled(cards: Iterable[Any], rng: int) -> tuple[list[Any], int]:
    """A list after the shuffle that ``docs/deathvalley.md`` defines, and the state of the stream then."""
    items = list(cards)
    for i in range(len(items) - 1, 0, -1):
        rng, bits = draw_plain(rng)
        j = ((bits >> 32) * (i + 1)) >> 32
        items[i], items[j] = items[j], items[i]
    return items, rng
