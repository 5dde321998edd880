"""Whole games as text: for the golden files, and to compare compiled and plain kernels.

python -m tests.deathvalley_env.playthroughs --write     # after a change of the rules that is meant
"""

import hashlib
import sys
from pathlib import Path
from typing import Any

import numpy as np

from deathvalley_env.game import make_game
from valley_core.rng import draw_plain

FOLDER = Path(__file__).parents[1] / "golden"
GAMES: dict[str, dict[str, Any]] = {
    "base": {},
    "backseat": {"variant": "backseat"},
    "solo": {"solo": True},
    "solo_both": {"solo": True, "discard_points": True, "must_outbust": True},
    "death_valley_deck": {"deck": "death_valley", "variant": "backseat"},
    "ask_forced": {"ask_forced": True},
}
SEED = 20


def playthrough(name: str, seed: int = SEED) -> str:
    """A game with random actions from a stream of their own: the table, the answers, and a digest of each state."""
    game = make_game(**GAMES[name])
    states, kernels = game.new_states(1), game.kernels
    state, deck = states[0], game.data[0]
    mask = np.zeros(game.num_actions, np.uint8)
    seen = game.blank_observations(states)
    state["rng"] = seed
    kernels.reset(state, deck)
    lines, choice = [f"{name}, seed {seed}"], seed
    while True:
        lines += ["", game.describe(state, deck)]
        seat = kernels.to_act(state)
        if seat < 0:
            lines.append(str(game.summary(state, deck)))
            return "\n".join(lines) + "\n"
        kernels.legal(state, deck, seat, mask)
        kernels.observe(state, deck, seat, seen[0])
        legal = np.flatnonzero(mask).tolist()
        choice, drawn = draw_plain(choice)
        action = legal[drawn % len(legal)]
        digest = hashlib.sha256(state.tobytes() + seen.tobytes() + mask.tobytes()).hexdigest()[:12]
        lines.append(f"may: {', '.join(game.action_names[a] for a in legal)}")
        lines.append(f"does: {game.action_names[action]}    [{digest}]")
        kernels.step(state, deck, seat, action)


def main(arguments: list[str]) -> None:
    """Write the golden files, or print the playthroughs."""
    for name in GAMES:
        text = playthrough(name)
        if arguments == ["--write"]:
            (FOLDER / f"deathvalley_{name}.txt").write_text(text, encoding="utf-8")
        else:
            print(text)


if __name__ == "__main__":
    main(sys.argv[1:])
