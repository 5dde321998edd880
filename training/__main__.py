"""``python -m training COMMAND``: finds the command's module; imports little else, so that ``--help`` is fast."""

import sys
from collections.abc import Sequence
from importlib import import_module

from valley_core.console import BAD_INPUT, complain, leave, run_main

COMMANDS = {
    "difficulty": "how hard Death Valley's solo AI is under each difficulty modifier",
    "evaluate": "agents on the same deals: win rates, scores and differences with intervals",
    "bounds": "between which win rates the best play against Death Valley's solo AI lies",
    "expert": "train a network by expert iteration",
    "tournament": "a round robin of agents: ratings with intervals, and who beats whom",
    "strategies": "how Rift Valley plays on each board, and whether its seats are equal",
    "cards": "how often each card of Death Valley is in the Journey that wins",
    "endings": "how often games of Death Valley reach the turn limit, by pair of agents",
    "exact": "which late positions of Death Valley's solo game are solved exactly, in what time",
    "train": "a policy learns a game: alone, or in a league with its past selves",
    "strength": "what a network wins alone, written into its file",
    "generalise": "how strong a network is on decks or boards that it has not seen in training",
    "curves": "learning curves of several seeds with intervals, as numbers and as a picture",
    "throughput": "decisions a second of the same training on native, PettingZoo's and subprocess environments",
    "speed": "steps a second of every layer, side by side",
    "docs": "write the generated tables of the documentation",
}
"""Each command is the module of its name, with a function ``main(argv) -> exit code``."""


def usage() -> str:
    """The list of commands."""
    lines = ["usage: python -m training COMMAND [options]", "", "commands:"]
    lines += [f"  {name:<12} {sentence}" for name, sentence in COMMANDS.items()]
    return "\n".join([*lines, "", "python -m training COMMAND --help lists a command's options."])


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command that the first argument names; the exit code, which is not 0 if anything went wrong.

    From a script of your own: ``sys.exit(main(["evaluate", "--agents", "mine"]))``.
    """
    return run_main(_run, sys.argv[1:] if argv is None else argv)


def _run(argv: Sequence[str]) -> int:
    arguments = list(argv)
    if not arguments or arguments[0] in ("-h", "--help"):
        print(usage())
        return 0 if arguments else BAD_INPUT
    command, *rest = arguments
    if command not in COMMANDS:
        complain(f"there is no command {command!r}; choose one of {', '.join(COMMANDS)}")
        return BAD_INPUT
    return import_module(f"training.{command}").main(rest)


if __name__ == "__main__":
    leave(_run)
