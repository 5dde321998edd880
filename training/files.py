"""Files of runs: written whole or not at all, and not mistaken for those of another run."""

import re
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from valley_core.errors import OptionError
from valley_core.files import write_whole

__all__ = ["digest", "digests_of_files", "refuse_another_run", "write_whole"]


def digest(*parts: bytes) -> str:
    """A short name for these bytes."""
    return sha256(b"".join(parts)).hexdigest()[:16]


def digests_of_files(names: Iterable[str]) -> dict[str, str]:
    """Of agents whose name points to a file, as to a network: name → digest of the file."""
    found: dict[str, str] = {}
    for name in names:
        # As in network:PATH and mcts:200,leaf=PATH.
        parts = (name, name.partition(":")[2], *re.split(r"[:,]|\w+=", name))
        files = dict.fromkeys(Path(part) for part in parts if part and Path(part).is_file())
        if files:
            found[name] = digest(*(file.read_bytes() for file in files))
    return found


def refuse_another_run(folder: Path, there: Mapping[str, Any], here: Mapping[str, Any], option: str) -> None:
    """Raise `OptionError`, with the differences, unless what a folder holds and this run are the same.

    Args:
        folder: Of the run.
        there: What the folder says it holds, in plain values.
        here: What this run is, in plain values.
        option: The option that names the folder, as in ``--store``.
    """
    old, new = _flat(there), _flat(here)
    differing = [name for name in dict.fromkeys([*new, *old]) if old.get(name) != new.get(name)]
    differences = "; ".join(f"{name} {old.get(name)} there, {new.get(name)} here" for name in differing)
    if differing:
        remedy = f"name another {option}"
        if changed := [name for name in differing if any(word in name for word in CONTENTS)]:
            remedy += f", or bring back what has changed since ({', '.join(changed)})"
        raise OptionError(f"{folder} holds another run ({differences}); {remedy}")


CONTENTS = ("digest", "data", "files", "boards", "sources")
"""Words in the names of what is told by its content: of decks, boards, networks and sources."""


def _flat(values: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """The values with those in mappings by names such as ``options.deck``."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        found |= _flat(value, f"{before}{name}.") if isinstance(value, Mapping) else {f"{before}{name}": value}
    return found
