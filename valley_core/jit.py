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
import pickle
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
from numba.core import event
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.compiler import CompileResult
from numba.core.registry import cpu_target

JIT_DISABLED = bool(numba.config.DISABLE_JIT)

OLDEST_LINKED, NEWEST_LINKED = (0, 64), (0, 68)
"""Releases of Numba whose internals `valley_core.linked` was tested with."""


def _linked() -> Any:
    """`valley_core.linked`, or None where kernels are compiled by Numba's own `njit`: slower, with the same results."""
    wanted = os.environ.get("VALLEY_PLAIN_JIT", "")
    if wanted not in ("", "0", "1"):
        raise ValueError(f"VALLEY_PLAIN_JIT is {wanted!r}; set it to 1 (compile with Numba's own njit) or leave it out")
    release = tuple(int(part) for part in numba.__version__.split(".")[:2])
    if JIT_DISABLED or wanted == "1" or not OLDEST_LINKED <= release <= NEWEST_LINKED:
        return None
    try:
        from valley_core import linked
    except (ImportError, AttributeError):  # a build of Numba whose internals are not those of its release
        return None
    return linked


linked: Any = _linked()
PLAIN_JIT = linked is None

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
    how = f"{numba.__version__} {sys.version} {os.environ.get('NUMBA_BOUNDSCHECK', '')} {PLAIN_JIT}"
    digest = hashlib.sha256(how.encode())
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


_said: set[str] = set()


def _cannot_cache(what: str, folder: Any, error: Exception) -> None:
    if what not in _said:
        _said.add(what)
        warnings.warn(
            f"cannot {what} the kernel cache {folder} ({error}): kernels are compiled again in every process. "
            "Set VALLEY_CACHE_DIR to a folder that can be written.",
            RuntimeWarning,
            stacklevel=3,
        )


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
    options = {"nopython": True, "nogil": True, "error_model": "numpy", "forceinline": inline}
    if PLAIN_JIT:
        plain = numba.jit(**options)(function)
        if folder is not None:
            plain._cache = _Cache(function, folder, "plain", _reduce_plain, _rebuild_plain)
        return plain
    compiled = linked.Kernel(function, targetoptions=options)
    if folder is not None:
        compiled._cache = _Cache(
            function, folder, "entry", linked.reduce_entry, partial(linked.rebuild_entry, compiled)
        )
        compiled.inner_cache = _Cache(
            function, folder, "inner", linked.reduce_inner, partial(linked.rebuild_inner, compiled)
        )
    return compiled


def _reduce_plain(result: Any) -> Any:
    return result._reduce()


def _rebuild_plain(args: tuple[Any, ...], payload: Any) -> Any:
    return CompileResult._rebuild(cpu_target.target_context, *payload)


class _Cache(FunctionCache):
    """Numba's cache of one function in a folder that is named by the sources: no path and no time of a file matters.

    It never fails: what cannot be read is compiled, and what cannot be written is said once.
    """

    def __init__(self, function: Any, folder: Path, form: str, reduce: Any, rebuild: Any) -> None:
        self._name = repr(function)
        self._py_func = function
        self._cache_path = str(folder)
        base = f"{function.__module__}.{function.__qualname__}-{function.__code__.co_firstlineno}.{form}"
        base = base.replace("<", "").replace(">", "")
        self._cache_file = IndexDataCacheFile(self._cache_path, base, source_stamp=None)
        self._reduce, self._rebuild = reduce, rebuild
        self.enable()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        if not self._enabled:
            return None
        try:
            payload = self._cache_file.load(self._index_key(sig, target_context.codegen()))
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            _cannot_cache("read", self._cache_path, error)
            return None
        return None if payload is None else self._rebuild(sig, payload)

    def save_overload(self, sig: Any, data: Any) -> None:
        if not self._enabled or data.library.has_dynamic_globals or any(not part.can_cache for part in data.lifted):
            return
        try:
            self._cache_file.save(self._index_key(sig, data.codegen), self._reduce(data))
        except OSError as error:
            _cannot_cache("write", self._cache_path, error)


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
