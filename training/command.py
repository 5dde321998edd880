"""What all commands share: reading arguments, errors in one line, and the two consoles."""

import dataclasses
import shlex
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from valley_core.errors import DefectsError, OptionError, ValleyError

if TYPE_CHECKING:
    from rich.console import Console

Args = TypeVar("Args")
Advance = Callable[[int], None]
"""Told by how much a piece of work has moved on."""

BAD_INPUT = 2
"""Exit code for wrong arguments, decks and the like, as the command-line parser uses it."""


def run_command(name: str, arguments: type[Args], run: Callable[[Args], int], argv: Sequence[str]) -> int:
    """Read `argv` into the dataclass `arguments` and run; the exit code.

    Wrong input is one line on stderr, and so is each defect of a deck or board; code 2.
    """
    import tyro

    try:
        args = tyro.cli(
            arguments, args=list(argv), prog=f"python -m training {name}", config=(tyro.conf.FlagCreatePairsOff,)
        )
    except SystemExit as stop:  # tyro has said what is wrong, or has printed the help
        return stop.code if isinstance(stop.code, int) else BAD_INPUT
    try:
        return run(args)
    except (ValleyError, OSError) as error:
        texts = str(error).splitlines() if isinstance(error, DefectsError) else [str(error)]
        lines = [" ".join(text.split()) for text in texts]  # of a deck or board, each defect in a line of its own
        print("\n".join(["error: " + lines[0], *lines[1:]]), file=sys.stderr)
        return BAD_INPUT


def line_of(name: str, args: Any, left_out: Collection[str]) -> str:
    """A command in one line, to be written into results: what is not as by default; of files, only their names.

    Args:
        name: Of the command.
        args: Its arguments, a dataclass; the field ``game`` comes first.
        left_out: Fields that change no result.
    """
    words = ["python", "-m", "training", name, args.game]
    for field in dataclasses.fields(args):
        value = getattr(args, field.name)
        if value == field.default or field.name in ("game", *left_out):
            continue
        if isinstance(value, Path) or field.name == "deck":
            value = Path(value).name
        option = field.name.replace("_", "-")
        if isinstance(value, bool):
            words.append(f"--{option}" if value else f"--no-{option}")
        else:
            words += [f"--{option}", *map(str, value if isinstance(value, tuple) else [value])]
    return shlex.join(words)


def at_least(name: str, value: int, least: int) -> None:
    """Raise `OptionError` for a number that is too small."""
    if value < least:
        raise OptionError(f"--{name} {value} is too small; give {least} or more")


def writable(*files: Path | None) -> None:
    """Make the folders of the files that a run will write, so that a wrong name does not cost a long run.

    Raises:
        OptionError: A name is that of a folder.
        OSError: A folder cannot be made.
    """
    for file in files:
        if file is not None:
            if file.is_dir():
                raise OptionError(f"{file} is a folder; name a file in it")
            file.parent.mkdir(parents=True, exist_ok=True)


def out(wide: bool = True) -> "Console":
    """The console for results, on stdout; not folded to 80 columns where it is no terminal."""
    from rich.console import Console

    console = Console(highlight=False)
    if wide and not console.is_terminal:
        console = Console(highlight=False, width=200)
    return console


@contextmanager
def progress_bar(total: int, quiet: bool = False) -> Iterator[Callable[[str], Advance]]:
    """A progress bar on stderr, in a terminal; gives a function that names the work in hand, for its `Advance`."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal) as progress:
        task = progress.add_task("", total=total)

        def work(description: str) -> Advance:
            progress.update(task, description=description)
            return lambda count: progress.advance(task, count)

        yield work
