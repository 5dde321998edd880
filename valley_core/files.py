"""Files that are written whole or not at all."""

import os
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write a file that is never seen in part: beside its place first, and then moved there.

    If anything goes wrong, as on a full disk, what was there stays as it was, and nothing is left beside it. What is no
    plain file, such as ``/dev/stdout``, is written directly.

    Raises:
        OSError: The file cannot be written; names it.
    """
    path = Path(os.path.realpath(path))  # a link stays one
    if path.exists() and not path.is_file():
        path.write_bytes(content)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with beside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException as error:
        beside.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno is not None:
            kept = "; the old file is kept" if path.exists() else ""
            raise OSError(error.errno, f"{error.strerror}{kept}", str(path)) from error
        raise


def write_text_whole(path: Path, text: str) -> None:
    """`write_whole` for text: UTF-8 and lines that end in ``\\n``, whatever the system prefers."""
    write_whole(path, text.encode("utf-8"))
