"""The command line of boards: ``python -m riftvalley_env board check|show|template|generate``."""

import argparse
import inspect
import sys
from collections.abc import Sequence
from typing import Any

from riftvalley_env.board import Board, BoardError, load_board
from riftvalley_env.board_check import most_areas
from riftvalley_env.board_file import GRIDS, KEYS
from riftvalley_env.board_template import template
from riftvalley_env.generator import USUAL_SIDE, generate_board, usual_numbers
from riftvalley_env.numbered import numbered
from riftvalley_env.vocabulary import SQUARE_LETTERS
from valley_core.console import BAD_INPUT, leave, run_main
from valley_core.errors import OptionError

EXIT_DEFECTS = 1


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Returns:
        0; 1 if a board has defects, which are on stderr, one in each line; 2 for numbers out of range. Other wrong
        usage exits with 2. Ctrl-C and a reader that is gone: as of `valley_core.console.run_main`.
    """
    return run_main(_run, sys.argv[1:] if argv is None else argv)


def _run(argv: Sequence[str]) -> int:
    arguments = vars(_parser().parse_args(argv))
    try:
        print(_output(**arguments), end="")
    except BoardError as error:
        print("\n".join(error.lines()), file=sys.stderr)
        return EXIT_DEFECTS
    except OptionError as error:
        print(error, file=sys.stderr)
        return BAD_INPUT
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m riftvalley_env", description="Rift Valley Reserve")
    commands = parser.add_subparsers(required=True, metavar="board")
    boards = commands.add_parser("board", help="check, show, begin or generate a board")
    verbs = boards.add_subparsers(dest="command", required=True)
    check = verbs.add_parser("check", help="list every defect, with line, column and remedy")
    show = verbs.add_parser(
        "show", help="print a board with rows and columns numbered, and what it holds: a board file"
    )
    for verb in (check, show):
        verb.add_argument("board", metavar="FILE", help="a board file, or the name of a shipped board")
    verbs.add_parser("template", help="print a board file to fill in")
    generate = verbs.add_parser("generate", help="print a random valid board")
    usual = usual_numbers(USUAL_SIDE, USUAL_SIDE)
    for name, parameter in inspect.signature(generate_board).parameters.items():
        required = parameter.default is inspect.Parameter.empty
        default = None if required else parameter.default
        meaning = {"seed": "the same seed gives the same board"}.get(name, f"default: {default}")
        if name in usual:
            meaning = f"default: {usual[name]} on {USUAL_SIDE} x {USUAL_SIDE} squares, in proportion on others"
        generate.add_argument(f"--{name.replace('_', '-')}", type=int, required=required, default=default, help=meaning)
    return parser


def _output(command: str, board: str = "", **numbers: Any) -> str:
    """What a command prints."""
    if command == "template":
        return template()
    if command == "generate":
        return generate_board(**numbers).to_text()
    loaded = load_board(board)
    if command == "check":
        warned = [f"warning: {warning.text(board)}" for warning in loaded.warnings]
        count = f", {len(warned)} warning{'s' if len(warned) > 1 else ''}" if warned else ""
        return "\n".join([*warned, f"{board}: no defects{count} (board {loaded.name}, digest {loaded.digest})", ""])
    return shown(loaded)


def shown(board: Board) -> str:
    """A board as a board file: what it holds in comments, rows and columns numbered as in the names of actions."""
    letters = "".join(board.squares)
    held = ", ".join(f"{letters.count(letter)} {square.name.lower()}" for letter, square in SQUARE_LETTERS.items())
    most, _ = most_areas(board.areas, board.squares)
    lines = [
        f"# {board.name}: {board.height} x {board.width} squares, digest {board.digest}",
        f"# squares: {held}",
        f"# the most areas that one Trail can enter: {most}",
        *(f"# warning: {warning.problem}" for warning in board.warnings),
        "",
        *(f"{key}: {getattr(board, key)}".rstrip() for key in KEYS),
    ]
    for name in GRIDS:
        lines += ["", name, *numbered(getattr(board, name))]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    leave(_run)
