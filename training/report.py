"""What a run writes beside its numbers: configuration, versions and seed, so that anyone can repeat it."""

import dataclasses
import json
import os
import platform
import subprocess
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from valley_core.console import BAD_INPUT, complain
from valley_core.files import write_text_whole

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("valley-envs", "numpy", "numba", "llvmlite", "gymnasium", "pettingzoo", "scipy")
OPTIONAL_PACKAGES = ("torch", "stable-baselines3", "sb3-contrib")

NOT_CONFIGURATION = ("json", "plot", "store", "run", "resume", "quiet")
"""Arguments that say where results go, and change none."""


def versions() -> dict[str, Any]:
    """Versions of what computed a result, and the kind of machine; no host name and no path.

    Returns:
        Package name → version (null if it is not installed), and ``python``, ``system``, ``machine``, ``processors``,
        ``commit`` (null outside a git checkout) and ``modified`` (whether files differ from that commit).
    """
    found: dict[str, Any] = {name: _version(name) for name in PACKAGES}
    found |= {name: number for name in OPTIONAL_PACKAGES if (number := _version(name))}
    commit = _git("rev-parse", "HEAD")
    return found | {
        "python": platform.python_version(),
        "system": platform.system(),
        "machine": platform.machine(),
        "processors": os.cpu_count(),
        "commit": commit,
        "modified": None if commit is None else bool(_git("status", "--porcelain", "--untracked-files=no")),
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _git(*arguments: str) -> str | None:
    """What git says about this checkout; None without git, or where this folder is no checkout of its own."""
    if not (ROOT / ".git").exists():
        return None
    try:
        done = subprocess.run(
            ["git", "-C", str(ROOT), *arguments], capture_output=True, encoding="utf-8", timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def config_of(args: Any, **more: Any) -> dict[str, Any]:
    """The arguments of a command (a dataclass) as plain values, without those that name output files.

    Of absolute paths, as to a deck, the file's name is kept: where it lies says nothing to others.
    """
    config = {name: value for name, value in dataclasses.asdict(args).items() if name not in NOT_CONFIGURATION}
    return _plain(config | more)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, str | Path) and os.path.isabs(value):
        return Path(value).name
    return str(value) if isinstance(value, Path) else value


def rounded(value: Any, digits: int = 6) -> Any:
    """The same numbers with fewer digits; NaN and infinities, which JSON does not know, become null."""
    if isinstance(value, Mapping):
        return {key: rounded(item, digits) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(item, digits) for item in value]
    if isinstance(value, float):
        return round(value, digits) if abs(value) < float("inf") else None
    return value


def save(
    args: Any,
    config: Mapping[str, Any],
    rows: Sequence[Mapping[str, Any]],
    plot: Callable[[Any, Path], None] | None = None,
) -> int:
    """Write the files that a command was asked for, before its tables are shown; the exit code.

    A file that cannot be written is an error in one line and no end: what was measured is still to be shown.

    Args:
        args: Of the command: ``json``, ``seed``, and ``plot`` if it has one.
        config: What is written beside the rows.
        rows: All results.
        plot: ``(module training.plots, file)``: draws and writes the picture.
    """
    writers: list[Callable[[], None]] = []
    if args.json is not None:
        writers.append(lambda: write_json(args.json, config, args.seed, rows))
    if plot is not None and args.plot is not None:
        writers.append(lambda: plot(import_module("training.plots"), args.plot))
    code = 0
    for write in writers:
        try:
            write()
        except OSError as error:
            complain(error)
            code = BAD_INPUT
    return code


def write_json(path: Path, config: Mapping[str, Any], seed: int, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write a run, whole or not at all, as one JSON object with ``config``, ``versions``, ``seed`` and ``rows``."""
    run = {"config": config, "versions": versions(), "seed": seed, "rows": rounded(rows)}
    write_text_whole(path, json.dumps(run, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
