"""Files are written whole or not at all, and read and written as UTF-8 everywhere."""

import ast
import errno
import os
from pathlib import Path
from typing import NoReturn

import pytest

from valley_core.files import write_text_whole, write_whole

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("valley_core", "deathvalley_env", "riftvalley_env", "agents", "training")
SOURCES = [path for package in (*PACKAGES, "notebooks") for path in sorted((ROOT / package).rglob("*.py"))]


def full(*_: object) -> NoReturn:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_full_disk_keeps_the_old_file(step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "run.json"
    write_whole(file, b"old")
    monkeypatch.setattr(os, step, full)
    with pytest.raises(OSError, match=r"No space left on device; the old file is kept: .*run\.json"):
        write_whole(file, b"new" * 1000)
    assert file.read_bytes() == b"old"
    with pytest.raises(OSError, match=r"No space left on device: .*new\.json"):
        write_whole(tmp_path / "new.json", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


def test_ctrl_c_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: int) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "x", b"new")
    assert not list(tmp_path.iterdir())


def test_folders_are_made_and_text_is_utf_8(tmp_path: Path) -> None:
    file = tmp_path / "a" / "b.txt"
    write_text_whole(file, "−1 ★\n")
    assert file.read_bytes() == "−1 ★\n".encode()
    write_text_whole(file, "x")
    assert file.read_bytes() == b"x"


def test_a_link_stays_one(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    try:
        link.symlink_to(target)
    except OSError:
        return  # this system has no links for everyone, so that there is nothing to keep
    write_whole(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_no_plain_file_is_written_directly() -> None:
    write_whole(Path(os.devnull), b"nothing")
    assert not Path(os.devnull).is_file()


def calls(path: Path) -> list[tuple[int, ast.Call, str]]:
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            found.append((node.lineno, node, name))
    return found


def is_text(call: ast.Call, name: str) -> bool:
    """Whether a call opens a file as text."""
    if name in ("read_text", "write_text"):
        return isinstance(call.func, ast.Attribute)  # `deck_file.read_text` reads a text, no file
    words = [arg.value for arg in call.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
    words += [k.value.value for k in call.keywords if k.arg == "mode" and isinstance(k.value, ast.Constant)]
    owner = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    if owner in ("os", "tarfile", "zipfile", "Image"):  # what these open is no text
        return name == "fdopen"
    return name in ("open", "fdopen") and not any("b" in word and len(word) <= 3 for word in words)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_text_files_name_their_encoding(path: Path) -> None:
    """Without one it is the system's: another on each machine."""
    for line, call, name in calls(path):
        own = {keyword.arg for keyword in call.keywords}
        if is_text(call, name) and not (name == "read_text" and call.args):
            assert "encoding" in own, f"{path.name}:{line}: {name} without encoding="
        if name in ("run", "check_output", "Popen") and own & {"text", "universal_newlines"}:
            assert "encoding" in own, f"{path.name}:{line}: {name} decodes as the system does"


@pytest.mark.parametrize("package", PACKAGES)
def test_files_are_written_whole_alone(package: str) -> None:
    """What is left behind by a full disk or a kill is the old file, never half of the new one."""
    direct = {"write_text", "write_bytes", "savefig", "savez", "savez_compressed", "save"}
    for path in sorted((ROOT / package).rglob("*.py")):
        if package == "valley_core" and path.name in (
            "files.py",
            "jit.py",
        ):  # the cache of kernels has a way of its own
            continue
        for line, call, name in calls(path):
            target = ast.unparse(call.args[0]) if call.args else ""
            owner = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
            into_memory = target == "buffer" or (name == "save" and (owner != "torch" or target == "content"))
            assert name not in direct or into_memory, f"{path.name}:{line}: {name}({target}); use valley_core.files"
