"""``python -m training strength``: what a network wins alone, written into its file.

A shipped network says how strong it is: on deals that nothing else is measured on and nothing is chosen by
(`training.seeds.Purpose.STRENGTH`), against Death Valley's solo AI, else against each of `Entry.rivals` and a small
search. A test plays some of these deals again.
"""

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tyro.conf import Positional

from agents.network import Strength, check_fit, load_network, save_network, strength_of
from training import cells
from training.command import at_least, out, run_command, writable
from training.games import Entry, entry_of
from training.seeds import Purpose, deal_seeds
from valley_core.errors import OptionError
from valley_core.game import Game

SEED = 0
"""Of the deals on which finished networks are measured."""
SEARCH = "mcts:50"
"""A rival beside those of the game, where players meet."""


@dataclass(frozen=True)
class Args:
    """Measure a network without search, and write what it wins into its file, or into a copy."""

    network: Positional[Path]
    """The file of the network."""
    settings: tuple[str, ...] = ()
    """Settings in which it is measured; default: that of its training, for the solo game all four."""
    games: int = 4000
    """Games in each setting against each opponent."""
    write: Path | None = None
    """Write the network and its strength to this file."""


def measured(
    entry: Entry,
    game: Game,
    setting: str,
    agent: str,
    opponent: str | None,
    games: int,
    seed: int = SEED,
    purpose: Purpose = Purpose.STRENGTH,
) -> Strength:
    """Wins of an agent in all seats, against the agent in the other seats or the game's own AI.

    Args:
        entry: Of the game.
        game: The game, in the setting.
        setting: Its name.
        agent: Name of the agent.
        opponent: Name of the other agent; None for the game's own AI.
        games: At most so many, as many in each seat.
        seed: Of the deals.
        purpose: Whose deals they are.
    """
    plan = cells.Plan(entry, game, setting, agent, opponent)
    deals = deal_seeds(seed, max(1, games // len(plan.seats)), purpose)
    return strength_of(cells.row_of(cells.play(plan, deals)), seed, purpose.name.lower())


def settings_of(entry: Entry, network: Path, names: Sequence[str]) -> Iterator[tuple[str, Game]]:
    """The settings that are named, or those that the network was trained for, each with its game.

    Raises:
        OptionError: A setting that is not known, or that the network does not fit.
    """
    weights, metadata = load_network(network)
    trained = metadata.settings
    players = {"num_players": trained["num_players"]} if "num_players" in trained else {}
    known = {**entry.solo, **entry.settings}
    for name in names:
        if name not in known:
            raise OptionError(f"there is no setting {name!r}; choose among {', '.join(known)}")
    for name in names or known:
        game = entry.make(**known[name], **players)
        if names:
            check_fit(str(network), weights, metadata, game)
        elif metadata.misfit(game) or any(game.options.get(key) != trained.get(key) for key in ("solo", "variant")):
            continue
        yield name, game


def run(args: Args) -> int:
    """Measure, print and write; the exit code."""
    from training.tables import interval

    at_least("games", args.games, 1)
    writable(args.write)
    network, metadata = load_network(args.network)
    entry = entry_of(metadata.game)
    console = out()
    found = []
    for setting, game in settings_of(entry, args.network, args.settings):
        rivals = (None,) if setting in entry.solo else (*entry.rivals, SEARCH)
        for rival in rivals:
            one = measured(entry, game, setting, str(args.network), rival, args.games)
            found.append(one)
            console.print(f"{setting} against {one.opponent}: won {interval(vars(one), 'win')} of {one.games:,} games")
    if not found:
        raise OptionError(f"{args.network} fits no setting of {entry.title} as it is shipped; name one with --settings")
    if args.write is not None:
        save_network(args.write, network, dataclasses.replace(metadata, strength=tuple(found)))
    return 0


def main(argv: Sequence[str]) -> int:
    """The command."""
    return run_command("strength", Args, run, argv)
