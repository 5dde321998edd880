"""What is said while kernels are compiled, with a pretended compiler and a pretended terminal."""

import io
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from valley_core import progress
from valley_core.progress import Progress


class Kernel:
    """What the listener knows of a dispatcher."""

    def __init__(self, name: str) -> None:
        self.py_func = SimpleNamespace(__name__=name)


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


class Closed(io.StringIO):
    """A stream that nobody reads."""

    def write(self, text: str) -> int:
        raise BrokenPipeError


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds since the start, in a list of one."""
    now = [0.0]
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.delenv("VALLEY_QUIET", raising=False)
    return now


def compiled(listener: Progress, clock: list[float], *kernels: Any) -> None:
    """Compile a kernel that calls the next, and so on; each takes 6 s."""
    for kernel in kernels:
        listener.on_start(SimpleNamespace(data={"dispatcher": kernel}))
        clock[0] += 6.0
    for kernel in kernels:
        listener.on_end(SimpleNamespace(data={"dispatcher": kernel}))


def said(monkeypatch: pytest.MonkeyPatch, clock: list[float], stream: io.StringIO, folder: Path | None) -> str:
    """What is written while six kernels of one package are compiled, and one of nobody's."""
    monkeypatch.setattr(sys, "stderr", stream)
    listener = Progress()
    kernels = [Kernel(f"kernel_{number}") for number in range(6)]
    for kernel in kernels:
        listener.watch(kernel, "somegame", folder)
    compiled(listener, clock, *kernels[:5])
    compiled(listener, clock, Kernel("foreign"))
    compiled(listener, clock, kernels[5])
    assert listener.count == 6
    return stream.getvalue()


def test_lines(monkeypatch: pytest.MonkeyPatch, clock: list[float], tmp_path: Path) -> None:
    lines = said(monkeypatch, clock, io.StringIO(), tmp_path).splitlines()
    assert lines[0].startswith("valley: compiling kernels of somegame: not yet done for these sources with Numba ")
    assert f"kept in {tmp_path} for all processes to come" in lines[0]
    assert lines[1:] == ["valley: 3 kernels compiled after 12 s", "valley: 5 kernels compiled after 24 s"]


def test_without_a_cache_nothing_is_promised(monkeypatch: pytest.MonkeyPatch, clock: list[float]) -> None:
    assert "kept for this process alone" in said(monkeypatch, clock, io.StringIO(), None)


@pytest.mark.parametrize("columns", [80, 20])
def test_a_terminal_has_one_line_that_is_wiped(
    monkeypatch: pytest.MonkeyPatch, clock: list[float], tmp_path: Path, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    text = said(monkeypatch, clock, Terminal(), tmp_path)
    first, rest = text.split("\n")
    parts = rest.split("\r")
    assert "somegame" in first
    assert max(map(len, parts)) < columns
    assert "valley: 5 kernels, 24 s: kernel_4"[: columns - 1].rstrip() in [part.rstrip() for part in parts]
    assert parts[-2:] == [" " * (columns - 1), ""]


def test_quiet(monkeypatch: pytest.MonkeyPatch, clock: list[float]) -> None:
    monkeypatch.setenv("VALLEY_QUIET", "1")
    assert said(monkeypatch, clock, Terminal(), None) == ""


@pytest.mark.parametrize("stream", [None, Closed()])
def test_a_stream_that_is_closed_or_missing_is_no_error(
    monkeypatch: pytest.MonkeyPatch, clock: list[float], stream: Any
) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    listener = Progress()
    kernel = Kernel("kernel")
    listener.watch(kernel, "somegame", None)
    compiled(listener, clock, kernel)
    assert listener.count == 1
