"""Compiled kernels and their cache on disk.

Numba notices a change in the file of a cached function, but not one in a file that it calls into, and compiles closures
over other kernels again in every process. So:

* `kernel` decorates every kernel of the project, and keeps its compiled form in a folder named by a hash of all sources
  that it may depend on: a stale cache is impossible.
* `bind` makes a kernel from a template, a plain function whose free names (``step``, ``legal`` …) are bound to one
  game's kernels: code that both games share is written once and still cached.

The cache lies in ``$VALLEY_CACHE_DIR``, or else in the user's cache folder (`cache_root`). ``python -m valley_core
compile`` fills it.
"""

import contextlib
import hashlib
import os
import pickle
import stat
import sys
import tempfile
import threading
import time
import uuid
import warnings
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
from numba.core import config, event
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.registry import cpu_target
from numba.core.serialize import dumps

from valley_core.progress import Progress
from valley_core.settings import switch

JIT_DISABLED = bool(numba.config.DISABLE_JIT)

OLDEST_LINKED, NEWEST_LINKED = (0, 68), (0, 68)
"""Releases of Numba whose internals `valley_core.linked` was tested with."""


def _linked() -> Any:
    """`valley_core.linked`, or None where kernels are compiled by Numba's own `njit`: slower, with the same results."""
    wanted = switch("VALLEY_PLAIN_JIT", "1 compiles kernels by Numba's own njit")
    release = tuple(int(part) for part in numba.__version__.split(".")[:2])
    if JIT_DISABLED or wanted or not OLDEST_LINKED <= release <= NEWEST_LINKED:
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
    """Hash of the sources of `package` and of all packages it depends on, and of what else decides the code.

    No path and no time of a file is in it: all checkouts of the same sources share one cache.
    """
    wanted, found = [package], []
    while wanted:
        name = wanted.pop()
        if name not in found:
            found.append(name)
            wanted.extend(_sources[name][1])
    settings = (config.OPT, config.BOUNDSCHECK, config.DEBUGINFO_DEFAULT, config.FULL_TRACEBACKS, PLAIN_JIT)
    digest = hashlib.sha256(f"{numba.__version__} {sys.version} {[str(setting) for setting in settings]}".encode())
    for name in sorted(found):
        folder = _sources[name][0]
        for path in sorted(folder.rglob("*.py"), key=lambda path: path.relative_to(folder).as_posix()):
            digest.update(f"{name}/{path.relative_to(folder).as_posix()}".encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _is_own(folder: Path) -> bool:
    """Whether nobody else can write to a folder in one that all users share: code is loaded from it."""
    if not hasattr(os, "getuid"):
        return True  # Windows: the folder for temporary files is the user's own
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022


def _shared_root() -> Path:
    """The folder of all caches where there is no home folder, among the temporary files."""
    user = os.getuid() if hasattr(os, "getuid") else "user"
    folder = Path(tempfile.gettempdir()) / f"valley-envs-{user}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if not _is_own(folder):
        raise PermissionError(f"{folder} belongs to another user, or others can write to it")
    return folder


def cache_root() -> Path:
    """The folder of all caches; delete it at any time.

    ``$VALLEY_CACHE_DIR``, or else in the user's cache folder, or else, where there is no home folder that can be
    written, in one of the user's own among the temporary files.

    Raises:
        OSError: None of them can be written.
    """
    if given := os.environ.get("VALLEY_CACHE_DIR"):
        return _written(Path(given).absolute())
    try:
        base = os.environ.get("XDG_CACHE_HOME")
        return _written((Path(base) if base else Path.home() / ".cache") / "valley-envs")
    except (RuntimeError, OSError):  # no home folder is known, or it is not the user's
        return _written(_shared_root())


def _written(folder: Path) -> Path:
    """A folder that can be written; made where it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        return folder


_folders: dict[str, Path | None] = {}


def _cache_folder(package: str) -> Path | None:
    """The cache folder for kernels of `package`, or None (said once) where it cannot be written."""
    if package not in _folders:
        try:
            _folders[package] = _written(cache_root() / f"{package}-{_digest(package)}")
        except OSError as error:
            _cannot_cache("write", error)
            _folders[package] = None
    return _folders[package]


_said: set[str] = set()


def _cannot_cache(what: str, error: Exception) -> None:
    """Say once that kernels are compiled again in every process, and what to do."""
    if not _said:
        _said.add(what)
        warnings.warn(
            f"cannot {what} the kernel cache: {error}. Kernels are compiled again in every process. "
            "Set VALLEY_CACHE_DIR to a folder that can be written, on a disk with space.",
            RuntimeWarning,
            stacklevel=3,
        )


progress = Progress()
if not JIT_DISABLED:
    event.register("numba:compile", progress)


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
        progress.watch(plain, package, folder)
        return plain
    compiled = linked.Kernel(function, targetoptions=options)
    if folder is not None:
        linked.kernels[compiled.key] = compiled
        compiled._cache = _Cache(
            function, folder, "entry", linked.reduce_entry, partial(linked.rebuild_entry, compiled)
        )
        compiled.inner_cache = _Cache(
            function, folder, "inner", linked.reduce_inner, partial(linked.rebuild_inner, compiled)
        )
    progress.watch(compiled, package, folder)
    return compiled


def _reduce_plain(result: Any) -> Any:
    return result._reduce()


def _rebuild_plain(args: tuple[Any, ...], payload: Any) -> Any:
    return CompileResult._rebuild(cpu_target.target_context, *payload)


class _Cache(NullCache):
    """The forms of one kernel in a folder that is named by the sources, each in a file named by all that decides it.

    Numba's own cache names a file by the path of the source and asks for its time; here neither matters. Nothing that
    happens to files fails: what cannot be read is compiled, and what cannot be written is said once.
    """

    def __init__(self, function: Any, folder: Path, form: str, reduce: Any, rebuild: Any) -> None:
        self._function, self._folder, self._form = function, folder, form
        self._reduce, self._rebuild = reduce, rebuild

    @property
    def cache_path(self) -> str:
        """Numba's `stats` name it."""
        return str(self._folder)

    def _file(self, sig: Any, codegen: Any) -> Path:
        code = self._function.__code__
        cells = [cell.cell_contents for cell in self._function.__closure__ or ()]
        key = hashlib.sha256(f"{sig} {codegen.magic_tuple()}".encode() + code.co_code + dumps(cells)).hexdigest()
        name = f"{self._function.__module__}.{self._function.__qualname__}-{code.co_firstlineno}-{key[:16]}"
        return self._folder / f"{name.replace('<', '').replace('>', '')}.{self._form}"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The form for arguments of these types, or None."""
        target_context.refresh()
        try:
            payload = pickle.loads(self._file(sig, target_context.codegen()).read_bytes())
        except FileNotFoundError:
            return None
        except Exception as error:  # whatever a damaged file does to pickle
            _cannot_cache("read", error)
            return None
        return self._rebuild(sig, payload)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a form, unless it holds an address of this process."""
        if data.library.has_dynamic_globals or any(not part.can_cache for part in data.lifted):
            return
        path = self._file(sig, data.codegen)
        part = path.with_name(f"{uuid.uuid4().hex}.part")  # no other process reads what is half-written
        try:
            self._folder.mkdir(parents=True, exist_ok=True)  # it may have been deleted
            part.write_bytes(dumps(self._reduce(data)))  # not synchronised with the disk: that takes too long
            part.replace(path)
        except OSError as error:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
            _cannot_cache("write", error)


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
