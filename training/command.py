"""What all commands share: reading arguments, errors in one line, what is written before it is shown, two consoles."""

import dataclasses
import os
import shlex
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from valley_core.console import BAD_INPUT, Interrupted, complain, run_main
from valley_core.errors import DefectsError, IllegalActionError, OptionError, ValleyError

if TYPE_CHECKING:
    from rich.console import Console

Args = TypeVar("Args")
Advance = Callable[[int], None]
"""Told by how much a piece of work has moved on."""

FAULT = 1
"""Exit code if an agent chose an illegal action."""
WIDE = 200
"""Columns of a table where stdout is no terminal and $COLUMNS says nothing."""


def run_command(name: str, arguments: type[Args], run: Callable[[Args], int], argv: Sequence[str]) -> int:
    """Read `argv` into the dataclass `arguments` and run; the exit code.

    Wrong input is one line on stderr, and so is each defect of a deck or board; code 2.
    """
    return run_main(lambda words: _run(name, arguments, run, words), argv)


def _run(name: str, arguments: type[Args], run: Callable[[Args], int], argv: Sequence[str]) -> int:
    try:
        args = parsed(name, arguments, argv)
    except SystemExit as stop:  # tyro has said what is wrong, or has printed the help
        return stop.code if isinstance(stop.code, int) else BAD_INPUT
    from training.ranges import check_numbers  # late, so that help is fast

    try:
        check_numbers(args)
        return run(args)
    except IllegalActionError as error:
        complain(f"{error}; nothing of this run counts")
        return FAULT
    except ModuleNotFoundError as error:
        complain(f"{error.name} is not installed: run `make setup`, or pip install -e '.[train]' in the checkout")
        return BAD_INPUT
    except DefectsError as error:
        for text in str(error).splitlines():  # each defect of a deck or board in a line of its own
            complain(text)
        return BAD_INPUT
    except ValleyError as error:
        complain(error)
        return BAD_INPUT


def parsed(name: str, arguments: type[Args], argv: Sequence[str], default: Args | None = None) -> Args:
    """The words of a command line as its dataclass; `default` takes the place of its own defaults.

    Raises:
        SystemExit: The words are wrong, or ask for help; what is to be said has been printed.
    """
    import tyro

    instead: dict[str, Any] = {} if default is None else {"default": default}
    return tyro.cli(
        arguments,
        args=list(argv),
        prog=f"python -m training {name}",
        config=(tyro.conf.FlagCreatePairsOff,),
        **instead,
    )


def given(name: str, arguments: type[Any], argv: Sequence[str]) -> frozenset[str]:
    """The fields that a command line sets, also those that it sets to their defaults.

    The words are read once more, with other defaults: what is the same now has been given.

    Args:
        name: Of the command.
        arguments: Its dataclass.
        argv: Words that `parsed` reads.
    """
    hints = get_type_hints(arguments)
    fields = {field.name: field.default for field in dataclasses.fields(arguments)}
    others = {name: _another(default, hints[name]) for name, default in fields.items()}
    first, second = parsed(name, arguments, argv), parsed(name, arguments, argv, arguments(**others))
    return frozenset(
        name
        for name, default in fields.items()
        if getattr(first, name) == getattr(second, name)
        and (default != others[name] or getattr(first, name) != default)
    )


def _another(value: Any, hint: Any) -> Any:
    """A value of the same type that nobody would type; of flags and of what may be left out, the same."""
    if isinstance(value, bool) or value is None:
        return value
    if get_origin(hint) is Literal:
        return next(other for other in get_args(hint) if other != value)
    if isinstance(value, int | float):
        return value + 0.0123 if isinstance(value, float) else value + 1_000_003
    if isinstance(value, tuple):
        return (_another(value[0], None),) if value else value
    return type(value)(f"{value}-another")


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


def command_line(*words: object) -> str:
    """A command of this package to be typed next, such as ``python -m training evaluate --agents best.npz``."""
    return shlex.join(
        ["python", "-m", "training", *(Path(w).as_posix() if isinstance(w, Path) else str(w) for w in words)]
    )


def at_least(name: str, value: int, least: int) -> None:
    """Raise `OptionError` for a number that is too small."""
    if value < least:
        raise OptionError(f"--{name} {value} is too small; give {least} or more")


def writable(*files: Path | None) -> None:
    """Make the folders of the files that a run will write, and try them, so that a wrong name costs no long run.

    Raises:
        OptionError: A name is that of a folder, two are one file, or nothing can be written there.
    """
    names = [file for file in files if file is not None]
    if len({os.path.realpath(file) for file in names}) < len(names):
        raise OptionError(f"{names[0]} is named twice; give each result a file of its own")
    for file in names:
        if file.is_dir():
            raise OptionError(f"{file} is a folder; name a file in it")
        if file.exists() and not os.access(file, os.W_OK):
            raise OptionError(f"{file} is write-protected; name another file")
        if file.exists() and not file.is_file():
            continue  # such as /dev/stdout
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=os.path.dirname(os.path.realpath(file))) as trial:
                trial.write(b"\n")
        except OSError as error:
            raise OptionError(f"cannot write {file} ({error.strerror}); name a file in another folder") from error


@contextmanager
def kept(say: Callable[[], str]) -> Iterator[None]:
    """Let Ctrl-C say what of the work is kept, and how it goes on."""
    try:
        yield
    except KeyboardInterrupt as stop:
        raise Interrupted(say()) from stop


def out() -> "Console":
    """The console for results, on stdout; 200 columns wide where it is no terminal and $COLUMNS says nothing."""
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # `run_main` knows what to do

    console = Output(highlight=False)
    if not console.is_terminal and not os.environ.get("COLUMNS", "").isdigit():
        console = Output(highlight=False, width=WIDE)
    return console


@contextmanager
def progress_bar(total: int, quiet: bool = False) -> Iterator[Callable[[str], Advance]]:
    """A progress bar on stderr, in a terminal; gives a function that names the work in hand, for its `Advance`."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    columns = progress_columns(console.width)
    with Progress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal) as progress:
        task = progress.add_task("", total=total)

        def work(description: str) -> Advance:
            progress.update(task, description=description)
            return lambda count: progress.advance(task, count)

        yield work


def progress_columns(width: int) -> tuple[Any, ...]:
    """The columns of a progress bar; what is in hand goes on in a second line rather than be cut."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.table import Column

    name = TextColumn("{task.description}", markup=False, table_column=Column(overflow="fold", ratio=1))
    numbers = (kind(table_column=Column(overflow="fold")) for kind in (MofNCompleteColumn, TimeRemainingColumn))
    return name, BarColumn(max(4, min(40, width // 8))), *numbers
