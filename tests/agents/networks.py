"""Small random networks for the tests, and whether a network is as strong as its file says."""

from pathlib import Path
from typing import Any

import numpy as np

from agents.item_network import ItemNetwork, items_of
from agents.network import Dense, Network, Strength, load_network, metadata_of, save_network
from training.cells import Plan, play
from training.games import GAMES
from training.seeds import Purpose, deal_seeds
from valley_core.game import Game

SURE = 4.5
"""Standard deviations from which a difference is no chance: about once in 100,000 times."""


def random_network(
    inputs: int,
    actions: int,
    hidden: tuple[int, ...] = (16, 12),
    activation: str = "relu",
    seed: int = 0,
    *,
    values: int = 1,
    residual: bool = False,
) -> Network:
    """Weights drawn so that values do not vanish."""
    rng = np.random.default_rng(seed)

    def dense(size: int, width: int) -> Dense:
        weights = rng.normal(size=(size, width)) * (2 / size) ** 0.5
        return weights.astype(np.float32), (0.2 * rng.normal(size=width)).astype(np.float32)

    sizes = (inputs, *hidden)
    layers = tuple(dense(sizes[k], sizes[k + 1]) for k in range(len(hidden)))
    return Network(layers, dense(sizes[-1], actions), dense(sizes[-1], values), activation, residual)


def write_network(
    path: Path,
    game: Game,
    inputs: int | None = None,
    seed: int = 0,
    *,
    values: int = 1,
    residual: bool = False,
    **metadata: Any,
) -> str:
    """Write a random network for this game, and give its path as an agent is named."""
    inputs = game.layout.size if inputs is None else inputs
    about = {"command": "python -m training nothing", "seed": seed, "versions": {"numpy": np.__version__}} | metadata
    network = random_network(inputs, game.num_actions, seed=seed, values=values, residual=residual)
    save_network(path, network, metadata_of(game, inputs=inputs, **about))
    return str(path)


def random_item_network(game: Game, width: int = 5, hidden: tuple[int, ...] = (16, 12), seed: int = 0) -> ItemNetwork:
    """Weights drawn so that values do not vanish."""
    items = items_of(game)
    assert items is not None
    rng = np.random.default_rng(seed)

    def dense(size: int, out: int) -> Dense:
        return rng.normal(size=(size, out)).astype(np.float32), rng.normal(size=out).astype(np.float32)

    inputs = (items.planes + 1) * width + game.fixed_from - items.planes * items.count
    layers = random_network(inputs, len(items.plain_actions(game.num_actions)), hidden, seed=seed)
    describe, choice = dense(items.facts, width), dense(hidden[-1], len(items.choices) * width)
    return ItemNetwork(items, describe, layers.hidden, layers.policy, choice, layers.value)


def write_item_network(path: Path, game: Game, seed: int = 0) -> str:
    """Write such a network, for all decks, and give its path as an agent is named."""
    network = random_item_network(game, seed=seed)
    about = metadata_of(game, inputs=network.inputs, command="nothing", seed=seed, versions={}, any_data=True)
    save_network(path, network, about)
    return str(path)


def plan_of(path: str, setting: str, opponent: str) -> Plan:
    """A network against an opponent in a setting, as ``training evaluate`` plays it."""
    _, metadata = load_network(path)
    entry = GAMES[metadata.game]
    options = dict({**entry.settings, **entry.solo}[setting])
    if "players" in entry.options:
        options[entry.options["players"]] = metadata.seats
    solo = setting in entry.solo and opponent == entry.solo_opponent
    return Plan(entry, entry.make(**options), setting, path, None if solo else opponent)


def wrong_strength(path: str, strength: Strength, deals: int) -> str | None:
    """What is wrong with a strength that a file states, by play on this many of its deals; None if nothing is."""
    plan = plan_of(path, strength.setting, strength.opponent)
    purpose = Purpose[strength.stream.upper()] if strength.stream else Purpose.STRENGTH
    results = play(plan, deal_seeds(strength.seed, deals, purpose)).results()
    found, expected = float((results > 0).mean()), strength.win
    deviation = max((expected * (1 - expected) / deals) ** 0.5, 1 / deals)  # seats share a deal: counted once
    if not strength.win_low <= strength.win <= strength.win_high:
        return f"{strength.win} is not between {strength.win_low} and {strength.win_high}"
    if abs(found - expected) > SURE * deviation:
        return f"{path} won {found:.3f} of the games, not {expected:.3f}"
    return None
