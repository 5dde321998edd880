"""Exact values of late positions as text: for the golden file.

python -m tests.agents.exact_golden --write     # after a change of the rules that is meant
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from agents.exact_deathvalley import solve
from deathvalley_env import rules
from tests.agents.endgames import DECKS, SETTINGS, card_names, desert, scattered, solo, turns_from_play
from tests.agents.tables import deal
from tests.deathvalley_env.table import position_of, put, read
from valley_core.game import Game

FILE = Path(__file__).parents[1] / "golden" / "exact_deathvalley.txt"
BUDGET = 50_000
TITLE = re.compile(r"# (?P<setting>\w+), (?P<deck>\w+), (?P<turns>\d+) turns left")
DIGITS = 13
SCATTERED, PLAYED = 4, 1
"""Positions of each setting and deck."""


def chosen(game: Game) -> Iterator[Any]:
    """Positions for the file: such as are neither won nor lost for sure, where there are any."""
    for states, wanted in ((scattered(game, 100, 21), SCATTERED), (played(game), PLAYED)):
        solution = solve(game, states, BUDGET)
        chancy = ((solution.action_values > 0) & (solution.action_values < 1)).any(1)
        order = np.lexsort((-solution.positions, ~chancy, ~solution.solved))
        yield from states[order[:wanted]]


def played(game: Game) -> np.ndarray:
    """Turns late in greedy games, with three turns left."""
    states = turns_from_play(game, "greedy", np.arange(60, 90, dtype=np.uint64))
    late = states[desert(states) <= 4][:30]
    late["max_turns"] = late["turn"] + 3
    return late


def text_of(setting: str, deck: str, state: Any) -> str:
    """A position with its values."""
    game = solo(setting, deck)
    solution = solve(game, state[None], BUDGET)
    assert solution.solved[0]
    lines = [f"# {setting}, {deck}, {state['max_turns'] - state['turn']} turns left"]
    position = position_of(state, card_names(game))
    position.deck.sort()
    lines += position.text().splitlines()[:-1]
    values = solution.action_values[0]
    lines += [f"= {values[a]:.{DIGITS}f} {game.action_names[a]}" for a in np.flatnonzero(~np.isnan(values))]
    return "\n".join(lines) + "\n"


def state_of(text: str) -> tuple[str, str, Any]:
    """(setting, deck, state) of a position in the file."""
    title, *lines = text.splitlines()
    found = TITLE.fullmatch(title)
    assert found, title
    game = solo(found["setting"], found["deck"])
    state: Any = deal(game, np.zeros(1, np.uint64))[0]
    put(state, read("\n".join(line for line in lines if not line.startswith("="))), card_names(game))
    state["max_turns"], state["touched"] = int(found["turns"]), 3
    rules.begin_turn(state)
    rules.settle(state, game.data[0])
    return found["setting"], found["deck"], state


def main(arguments: list[str]) -> None:
    """Write the golden file."""
    if arguments != ["--write"]:
        raise SystemExit("usage: python -m tests.agents.exact_golden --write")
    texts = [text_of(setting, deck, s) for setting in SETTINGS for deck in DECKS for s in chosen(solo(setting, deck))]
    FILE.write_text("\n".join(texts), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
