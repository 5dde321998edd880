"""Checkpoints of a training: one file each, written whole or not at all, with a checksum that is tested first.

A file is a line that names the format, a line with the SHA-256 of the rest, and the rest: what `torch.save` writes. It
holds pickled objects, so read only files of your own runs.
"""

import hashlib
import io
from pathlib import Path
from typing import Any

import torch

from training.files import write_whole
from valley_core.errors import ValleyError

HEAD = b"valley checkpoint 2\n"
OLDER = b"valley checkpoint 1\n"
KEPT = 3
"""The last checkpoints of a run stay; if the newest is damaged, there is one to go back to."""
PATTERN = "checkpoint_*.pt"


class CheckpointError(ValleyError, ValueError):
    """A checkpoint that cannot be used; the text names the last good one."""


def checkpoints_of(folder: Path) -> list[Path]:
    """The checkpoints in a folder, the newest last."""
    return sorted(folder.glob(PATTERN))


def steps_of(path: Path) -> int:
    """After how many decisions a checkpoint was written."""
    return int(path.stem.rpartition("_")[2])


def save_checkpoint(folder: Path, steps: int, content: dict[str, Any]) -> Path:
    """Write what a training needs to go on after `steps`, and remove checkpoints that are older than the last few."""
    buffer = io.BytesIO()
    torch.save(content, buffer)
    payload = buffer.getvalue()
    path = folder / f"checkpoint_{steps:012d}.pt"
    write_whole(path, HEAD + hashlib.sha256(payload).hexdigest().encode() + b"\n" + payload)
    for old in checkpoints_of(folder)[:-KEPT]:
        old.unlink()
    return path


def damage(path: Path) -> str | None:
    """What is wrong with a file, in words; None if it is whole."""
    return _payload(path)[1]


def _payload(path: Path) -> tuple[bytes, str | None]:
    try:
        content = path.read_bytes()
    except OSError as error:
        return b"", str(error.strerror)
    if content.startswith(OLDER):
        return b"", "it was written by an older version, and does not say what it learnt on"
    if not content.startswith(HEAD):
        return b"", "it does not begin as a checkpoint does"
    digest, _, payload = content[len(HEAD) :].partition(b"\n")
    if hashlib.sha256(payload).hexdigest().encode() != digest:
        return b"", "its checksum is wrong"
    return payload, None


def load_checkpoint(path: Path) -> dict[str, Any]:
    """Read a checkpoint, or the newest one of a run's folder.

    Raises:
        CheckpointError: There is none, or it is damaged.
    """
    if path.is_dir():
        found = checkpoints_of(path)
        if not found:
            raise CheckpointError(f"there is no checkpoint in {path}; name the folder of a run")
        path = found[-1]
    payload, problem = _payload(path)
    if problem is not None:
        good = [other for other in checkpoints_of(path.parent) if other != path and damage(other) is None]
        remedy = f"the last good one is {good[-1]}: --resume {good[-1]}" if good else "there is no good one beside it"
        raise CheckpointError(f"the checkpoint {path} cannot be used ({problem}); {remedy}")
    try:
        content: dict[str, Any] = torch.load(io.BytesIO(payload), weights_only=False)
    except Exception as error:  # what is pickled names classes, which another version of the project may not have
        raise CheckpointError(
            f"the checkpoint {path} was written by another version of the project ({error}): go on with that version, "
            "or begin another run with --start and the run's best.npz"
        ) from error
    return content
