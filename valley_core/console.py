"""What every command line of the project needs: streams that never raise, and short endings.

A console may lack the signs that tables are made of (``PYTHONIOENCODING=cp1252``), a reader may stop early
(``| head``), a disk may be full, and a user may press Ctrl-C. None of these is a traceback.
"""

import codecs
import contextlib
import io
import os
import signal
import sys
from collections.abc import Callable, Sequence

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it: 128 and the number of the signal."""
BROKEN_PIPE = 141
"""Exit code when the reader of stdout is gone, as of a tool that the signal ends."""
BAD_INPUT = 2
"""Exit code for wrong arguments and for files that cannot be read or written, as `argparse` uses it."""

TRANSLITERATIONS = {
    "−": "-",
    "–": "-",
    "—": "-",
    "…": "...",
    "“": '"',
    "”": '"',
    "\u2018": "'",
    "\u2019": "'",
    "×": "x",
    "·": ".",
    "±": "+-",
    "≥": ">=",
    "≤": "<=",
    "★": "*",
    "☆": "*",
    "☠": "x",
    "→": "->",
    "←": "<-",
    "│": "|",
    "─": "-",
    "━": "-",
    "═": "=",
    "•": "*",
}
"""What stands for a sign that an encoding lacks. Above all, a minus must not become a question mark."""
CORNERS = "╭╮╰╯┌┐└┘├┤┬┴┼╸╺"

ERRORS = "valley_transliterate"
"""Name of the error handler of encodings."""


def transliterated(error: UnicodeError) -> tuple[str, int]:
    """The error handler: similar signs for those that cannot be encoded, ``?`` where there is none."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end]
    found = "".join(TRANSLITERATIONS.get(sign, "+" if sign in CORNERS else "?") for sign in signs)
    try:
        found.encode(error.encoding)
    except UnicodeEncodeError:
        found = "?" * len(signs)
    return found, error.end


codecs.register_error(ERRORS, transliterated)


def prepare_streams() -> None:
    """Let stdout and stderr print any text, whatever their encoding; closed ones swallow it."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - open as long as the process
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=ERRORS)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C in work that says what of it is kept: the text of the error."""


def complain(text: object) -> None:
    """Print an error in one line on stderr."""
    print(f"error: {' '.join(str(text).split())}", file=sys.stderr)


def run_main(run: Callable[[Sequence[str]], int], argv: Sequence[str]) -> int:
    """Run a command line; the exit code. Ctrl-C, a broken pipe and a full disk are at most one line.

    Args:
        run: ``(arguments) -> exit code``.
        argv: The arguments.
    """
    prepare_streams()
    try:
        code = run(argv)
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_stdout()
        return BROKEN_PIPE
    except KeyboardInterrupt as stop:
        said = str(stop)
        print(f"interrupted; {said}" if said else "interrupted", file=sys.stderr)
        return INTERRUPTED
    except OSError as error:
        try:
            sys.stdout.flush()
        except OSError:  # it was stdout itself
            _drop_stdout()
        complain(error)
        return BAD_INPUT
    except MemoryError as error:
        complain(f"not enough memory ({str(error) or 'it is used up'}); choose smaller numbers")
        return BAD_INPUT
    return code


def _drop_stdout() -> None:
    """Let nothing that is still in the buffer of stdout be written: it would fail once more when Python ends."""
    try:
        number = sys.stdout.fileno()
    except (OSError, ValueError):
        return  # no file: a test's stream
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, number)
    os.close(null)


def leave(run: Callable[[Sequence[str]], int]) -> None:
    """Run the command line of this process, and end it with the exit code of `run`.

    After Ctrl-C it ends at once: threads that are still in compiled code are not waited for. Files are written whole or
    not at all (`valley_core.files`), so that none is lost.
    """
    code = run_main(run, sys.argv[1:])
    if code == INTERRUPTED:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C changes nothing
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError):
                stream.flush()
        os._exit(code)
    sys.exit(code)
