"""What is said on stderr while kernels are compiled: whose, why, where they are kept, and how many so far.

On a terminal one line counts them and is wiped away; elsewhere a line comes every few seconds. ``VALLEY_QUIET=1``
silences all of it.
"""

import os
import shutil
import sys
import time
import weakref
from pathlib import Path
from typing import Any

import numba
from numba.core import event

from valley_core.settings import OFF, switch

SECONDS_BETWEEN_LINES = 10.0
QUIET = "VALLEY_QUIET"
QUIET_MEANS = "1 says nothing about compiling"


class Progress(event.Listener):
    """Listens to Numba's compiler, and speaks of the project's kernels alone.

    Attributes:
        count: Kernels compiled in this process; one that is called from Python and by other kernels counts twice.
    """

    def __init__(self) -> None:
        switch(QUIET, QUIET_MEANS)  # an error now, not in the midst of compiling
        self.count = 0
        self._watched: weakref.WeakKeyDictionary[Any, tuple[str, Path | None]] = weakref.WeakKeyDictionary()
        self._announced: set[str] = set()
        self._depth = 0
        self._seconds = 0.0
        self._began = self._last_line = 0.0

    def watch(self, dispatcher: Any, package: str, folder: Path | None) -> None:
        """Speak of this kernel when it is compiled; `folder` is its cache's, or None."""
        self._watched[dispatcher] = (package, folder)

    def on_start(self, event: Any) -> None:
        """Numba begins to compile something, perhaps in the midst of something else."""
        dispatcher = event.data["dispatcher"]
        if dispatcher not in self._watched:
            return
        if self._depth == 0:
            self._began = self._last_line = time.monotonic()
            self._announce(*self._watched[dispatcher])
        self._depth += 1
        self.count += 1
        self._show(dispatcher.py_func.__name__)

    def on_end(self, event: Any) -> None:
        """Numba has compiled it, or failed."""
        if event.data["dispatcher"] not in self._watched:
            return
        self._depth -= 1
        if self._depth == 0:
            self._seconds += time.monotonic() - self._began
            if self._on_terminal():
                self._write("\r" + " " * self._width() + "\r")

    def _announce(self, package: str, folder: Path | None) -> None:
        if package in self._announced:
            return
        self._announced.add(package)
        kept = f"kept in {folder} for all processes to come" if folder else "kept for this process alone"
        self._write(
            f"valley: compiling kernels of {package}: not yet done for these sources with Numba {numba.__version__}; "
            f"{kept}\n"
        )

    def _show(self, name: str) -> None:
        now = time.monotonic()
        seconds = self._seconds + now - self._began
        if self._on_terminal():
            line = f"valley: {self.count} kernels, {seconds:.0f} s: {name}"
            self._write("\r" + line[: self._width()].ljust(self._width()))
        elif now - self._last_line >= SECONDS_BETWEEN_LINES:
            self._last_line = now
            self._write(f"valley: {self.count} kernels compiled after {seconds:.0f} s\n")

    @staticmethod
    def _on_terminal() -> bool:
        return sys.stderr is not None and sys.stderr.isatty()

    @staticmethod
    def _width() -> int:
        return shutil.get_terminal_size().columns - 1

    @staticmethod
    def _write(text: str) -> None:
        if sys.stderr is None or os.environ.get(QUIET, "").strip().lower() not in OFF:
            return
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except (OSError, ValueError):  # closed: nobody reads it
            pass
