"""The command line of decks: ``python -m deathvalley_env deck check|show|template|report``."""

import argparse
import sys
from collections.abc import Sequence

from deathvalley_env.deck import DeckError, deck_report_table, deck_warnings, load_deck
from deathvalley_env.deck_parts import PROVENANCES, Card
from deathvalley_env.deck_template import template
from deathvalley_env.wording import card_text
from valley_core.console import leave, run_main

EXIT_DEFECTS = 1


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Returns:
        0, or 1 if a deck has defects, which are on stderr, one in each line. Wrong usage exits with 2. Ctrl-C and a
        reader that is gone: as of `valley_core.console.run_main`.
    """
    return run_main(_run, sys.argv[1:] if argv is None else argv)


def _run(argv: Sequence[str]) -> int:
    arguments = _parser().parse_args(argv)
    try:
        print(_output(arguments.command, arguments.deck), end="")
    except DeckError as error:
        print("\n".join(error.lines()), file=sys.stderr)
        return EXIT_DEFECTS
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m deathvalley_env", description="Death Valley: Highs & Lows")
    commands = parser.add_subparsers(required=True, metavar="deck").add_parser(
        "deck", help="check, show or begin a deck"
    )
    verbs = commands.add_subparsers(dest="command", required=True)
    file_help = "a deck file, or the name of a shipped deck"
    check = verbs.add_parser("check", help="list every defect, with its line and the remedy")
    check.add_argument("deck", metavar="FILE", help=file_help)
    show = verbs.add_parser("show", help="print the cards, worded")
    show.add_argument("deck", metavar="FILE", help=file_help)
    verbs.add_parser("template", help="print a deck file to fill in").set_defaults(deck=None)
    report = verbs.add_parser("report", help="count the fields that are stated, read, reconstructed or typed in")
    report.add_argument("deck", metavar="FILE", nargs="?", help=f"{file_help}; left out: all shipped decks")
    return parser


def _output(command: str, deck: str | None) -> str:
    """What a command prints."""
    if command == "template":
        return template()
    if command == "report":
        return deck_report_table(None if deck is None else [deck]) + "\n"
    assert deck is not None  # argparse requires it
    loaded = load_deck(deck)
    if command == "check":
        warned = [f"{deck}: warning: {text}\n" for text in deck_warnings(loaded)]
        return "".join([f"{deck}: no defects (deck {loaded.name}, digest {loaded.digest})\n", *warned])
    head = [f"{loaded.name} (digest {loaded.digest})", f"source: {loaded.source}", f"notes: {loaded.notes}"]
    cards = [f"{card_text(card, loaded)}\n  [{provenance_text(card)}]" for card in loaded.cards]
    return "\n\n".join(["\n".join(head), *cards]) + "\n"


def provenance_text(card: Card) -> str:
    """Which fields of the card are stated, read, reconstructed or typed in."""
    fields = card.provenance.to_dict()
    groups = [(known, [name for name, value in fields.items() if value == known]) for known in PROVENANCES]
    return "; ".join(f"{known}: {', '.join(names)}" for known, names in groups if names)


if __name__ == "__main__":
    leave(_run)
