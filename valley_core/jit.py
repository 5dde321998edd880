"""Compiled kernels and their cache on disk.

Numba notices a change in the file of a cached function, but not one in a file that it calls into, and compiles closures
over other kernels again in every process. So:

* `kernel` decorates every kernel of the project, and keeps its compiled form in a folder named by a hash of all sources
  that it may depend on: a stale cache is impossible.
* `bind` makes a kernel from a template, a plain function whose free names (``step``, ``legal`` …) are bound to one
  game's kernels: code that both games share is written once and still cached.

The cache lies in ``$VALLEY_CACHE_DIR``, or else in the user's cache folder.
"""

import hashlib
import os
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
from numba.core import event

JIT_DISABLED = bool(numba.config.DISABLE_JIT)

_sources: dict[str, tuple[Path, tuple[str, ...]]] = {}
_lock = threading.RLock()


def register_package(name: str, folder: Path, depends: Iterable[str] = ()) -> None:
    """Say that the kernels of package `name` depend on the sources in `folder` and on the packages in `depends`."""
    _sources[name] = (folder, ("valley_core", *depends))


register_package("valley_core", Path(__file__).parent)


def _digest(package: str) -> str:
    """Hash of the sources of `package` and of all packages it depends on, and of the versions that compile them."""
    wanted, found = [package], []
    while wanted:
        name = wanted.pop()
        if name not in found:
            found.append(name)
            wanted.extend(_sources[name][1])
    digest = hashlib.sha256(f"{numba.__version__} {sys.version} {os.environ.get('NUMBA_BOUNDSCHECK', '')}".encode())
    for name in sorted(found):
        for path in sorted(_sources[name][0].rglob("*.py")):
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def cache_root() -> Path:
    """The folder of all caches; delete it at any time."""
    if given := os.environ.get("VALLEY_CACHE_DIR"):
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "valley-envs"


_folders: dict[str, Path | None] = {}


def _cache_folder(package: str) -> Path | None:
    """The cache folder for kernels of `package`, or None (said once) where it cannot be written."""
    if package not in _folders:
        folder: Path | None = cache_root() / f"{package}-{_digest(package)}"
        if not _writable(folder):  # type: ignore[arg-type]
            if None not in _folders.values():
                warnings.warn(
                    f"cannot write the kernel cache {folder}: kernels are compiled again in every process. "
                    "Set VALLEY_CACHE_DIR to a folder that can be written.",
                    RuntimeWarning,
                    stacklevel=3,
                )
            folder = None
        _folders[package] = folder
    return _folders[package]


class _Announcer(event.Listener):
    """Says once a process that kernels are being compiled, as soon as the first one is."""

    said = False

    def on_start(self, event: Any) -> None:
        if not self.said and not os.environ.get("VALLEY_QUIET"):
            type(self).said = True
            print(
                "valley: compiling kernels (first use of this version; up to a minute) …", file=sys.stderr, flush=True
            )

    def on_end(self, event: Any) -> None:
        pass


if not JIT_DISABLED:
    event.register("numba:compile", _Announcer())


def compile_seconds(action: Callable[[], Any]) -> float:
    """Wall time of `action`, in seconds; for the benchmarks, which report compilation apart."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def inlined(function: Callable[..., Any]) -> Any:
    """A `kernel` that is short and called so often that the call itself would count."""
    return kernel(function, inline=True)


def kernel(function: Callable[..., Any], *, package: str | None = None, inline: bool = False) -> Any:
    """Compile `function` on its first call; it releases the GIL, so that threads run kernels side by side."""
    package = package or function.__module__.partition(".")[0]
    if JIT_DISABLED:
        return function
    with _lock:
        folder = _cache_folder(package) if package in _sources else None  # a user's own kernel: not cached
        before = numba.config.CACHE_DIR
        if folder is not None:
            numba.config.CACHE_DIR = str(folder)
        try:
            return numba.njit(nogil=True, cache=folder is not None, error_model="numpy", forceinline=inline)(function)
        finally:
            numba.config.CACHE_DIR = before


def bind(template: FunctionType, kernels: Mapping[str, Any], *, package: str, name: str) -> Any:
    """A kernel with the code of `template`, whose free names are looked up in `kernels` before its own module.

    `package` is the package of the game whose kernels are bound; `name` tells two bindings of one template apart.
    """
    function = FunctionType(
        template.__code__, {**template.__globals__, **kernels}, f"{template.__name__}_{name}", template.__defaults__
    )
    function.__qualname__ = f"{template.__name__}_{name}"
    function.__module__ = template.__module__
    function.__doc__ = template.__doc__
    return kernel(function, package=package)
