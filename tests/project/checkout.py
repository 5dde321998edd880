"""The files that belong to the project."""

import os
import shutil
import subprocess
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
IS_CHECKOUT = (ROOT / ".git").exists() and shutil.which("git") is not None
"""False in an unpacked sdist."""

PATTERNS = tuple(
    line.rstrip("/")
    for line in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
)


def is_ignored(name: str) -> bool:
    """Whether .gitignore names a file, or a folder that it lies in, as far as its few kinds of patterns go."""
    parts = name.split("/")
    above = ["/" + "/".join(parts[: k + 1]) for k in range(len(parts))]
    return parts[0] == ".git" or any(
        fnmatch(one, pattern) for pattern in PATTERNS for one in (above if pattern.startswith("/") else parts)
    )


def project_files() -> set[str]:
    """Return the files, relative to the root, that git tracks or would track."""
    if IS_CHECKOUT:
        # A checkout that belongs to another user, as in a container, is no danger to a listing.
        listing = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
        return {name for name in names if name and (ROOT / name).is_file()}
    found = set()
    for folder, below, files in os.walk(ROOT):
        inside = Path(folder).relative_to(ROOT)
        below[:] = [name for name in below if not is_ignored((inside / name).as_posix())]
        found |= {(inside / name).as_posix() for name in files}
    return {name for name in found if not is_ignored(name)}
