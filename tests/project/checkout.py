"""The files that belong to the project."""

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
IS_CHECKOUT = (ROOT / ".git").exists() and shutil.which("git") is not None
"""False in an unpacked sdist."""

VENVS = (".venv", ".venv-oldest")
IGNORED_FOLDERS = frozenset({*VENVS, "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis"})


def project_files() -> set[str]:
    """Return the files, relative to the root, that git tracks or would track; without git, those outside of caches."""
    if IS_CHECKOUT:
        # A checkout that belongs to another user, as in a container, is no danger to a listing.
        listing = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
        return {name for name in names if name and (ROOT / name).is_file()}
    paths = (path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file())
    return {path.as_posix() for path in paths if not IGNORED_FOLDERS.intersection(path.parts)}
