"""Whole games as text: for the golden files, and to compare compiled and plain kernels."""

import hashlib
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from valley_core.game import Game
from valley_core.rng import draw_plain

FOLDER = Path(__file__).parents[1] / "golden"


def golden_file(game: str, name: str) -> Path:
    """Where the golden playthrough of a game with some options lies."""
    return FOLDER / f"{game}_{name}.txt"


def playthrough(
    game: Game, name: str, seed: int, *, choose: Callable[[Sequence[str], int], str], listed: Callable[[list[str]], str]
) -> str:
    """A game with random actions from a stream of their own: the table, the answers, and a digest of each state.

    `choose` takes the names of the legal actions and 64 random bits; `listed` writes these names in a line. Where all
    decide at once, the table is drawn once a turn.
    """
    states, kernels = game.new_states(1), game.kernels
    state, data = states[0], game.data[0]
    mask = np.zeros(game.num_actions, np.uint8)
    seen = game.blank_observations(states)
    number_of = {action: number for number, action in enumerate(game.action_names)}
    state["rng"] = seed
    kernels.reset(state, data)
    lines, choice, drawn_turn = [f"{name}, seed {seed}"], seed, -1
    while True:
        seat = kernels.to_act(state)
        if seat >= 0 and game.simultaneous and state["turn"] == drawn_turn:
            lines.append(f"{game.agents[seat]} decides")
        else:
            lines += ["", game.describe(state, data)]
            drawn_turn = int(state["turn"])
        if seat < 0:
            lines.append(str(game.summary(state, data)))
            return "\n".join(lines) + "\n"
        kernels.legal(state, data, seat, mask)
        kernels.observe(state, data, seat, seen[0])
        legal = [game.action_names[action] for action in np.flatnonzero(mask)]
        choice, bits = draw_plain(choice)
        action = choose(legal, bits)
        digest = hashlib.sha256(state.tobytes() + seen.tobytes() + mask.tobytes()).hexdigest()[:12]
        lines.append(f"may: {listed(legal)}")
        lines.append(f"does: {action}    [{digest}]")
        kernels.step(state, data, seat, number_of[action])


def main(game: str, names: Iterable[str], play: Callable[[str], str]) -> None:
    """Write the golden files (``--write``), or print the playthroughs."""
    for name in names:
        if sys.argv[1:] == ["--write"]:
            golden_file(game, name).write_text(play(name), encoding="utf-8")
        else:
            print(play(name))
