"""Files of runs: written whole or not at all, and not mistaken for those of another run."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from valley_core.errors import OptionError


def write_whole(path: Path, content: bytes) -> None:
    """Write a file that is never seen in part: beside its place first, and then moved there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(path.name + ".part")
    with beside.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


def refuse_another_run(folder: Path, there: Mapping[str, Any], here: Mapping[str, Any], option: str) -> None:
    """Raise `OptionError`, with the differences, unless what a folder holds and this run are the same.

    Args:
        folder: Of the run.
        there: What the folder says it holds, in plain values.
        here: What this run is, in plain values.
        option: The option that names the folder, as in ``--store``.
    """
    differences = [
        f"{name} {there.get(name)} there, {here.get(name)} here"
        for name in dict.fromkeys([*here, *there])
        if there.get(name) != here.get(name)
    ]
    if differences:
        raise OptionError(f"{folder} holds another run ({'; '.join(differences)}); name another {option}")
