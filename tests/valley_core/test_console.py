"""Streams that never raise, and short endings of commands."""

import io
import os
import sys

import pytest

from valley_core.console import (
    BAD_INPUT,
    BROKEN_PIPE,
    ERRORS,
    INTERRUPTED,
    TRANSLITERATIONS,
    Interrupted,
    prepare_streams,
    run_main,
)

SIGNS = "−7.5 % [−8.0, +1.2] ★ “x” … ╭─╮ ☠ 漢"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "cp437", "utf-8"])
def test_any_text_can_be_printed(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding))
    prepare_streams()
    print(SIGNS)
    sys.stdout.flush()
    shown = written.getvalue().decode(encoding)
    if encoding == "utf-8":
        assert shown.strip() == SIGNS
    else:
        assert shown.startswith("-7.5 % [-8.0, +1.2] ")  # above all, the sign of a number
        assert "?" not in shown.replace("?\n", "").replace("?\r\n", "")


def test_no_minus_is_lost() -> None:
    for sign in TRANSLITERATIONS:
        shown = sign.encode("ascii", ERRORS).decode("ascii")
        assert shown
        assert "?" not in shown


def test_what_has_no_likeness_is_a_question_mark() -> None:
    assert "漢字".encode("cp1252", ERRORS) == b"??"


def test_closed_streams_swallow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    prepare_streams()
    print("into nothing")
    assert sys.stdout is not None
    sys.stdout.close()


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (KeyboardInterrupt(), INTERRUPTED, "interrupted\n"),
        (Interrupted("3 games are kept"), INTERRUPTED, "interrupted; 3 games are kept\n"),
        (OSError(28, "No space left on device", "x.json"), BAD_INPUT, "error: [Errno 28] No space left on device: "),
        (MemoryError(), BAD_INPUT, "error: not enough memory (it is used up); choose smaller numbers\n"),
        (MemoryError("12 GB"), BAD_INPUT, "error: not enough memory (12 GB); choose smaller numbers\n"),
    ],
)
def test_an_ending_is_one_line(error: BaseException, code: int, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    def run(_: object) -> int:
        print("results")
        raise error

    assert run_main(run, []) == code
    printed = capsys.readouterr()
    assert printed.err.startswith(said)
    assert printed.err.count("\n") == 1
    assert printed.out == "results\n"


def test_a_broken_pipe_says_nothing(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w", encoding="utf-8") as pipe:
        monkeypatch.setattr(sys, "stdout", pipe)
        assert run_main(lambda _: print("lost") or 0, []) == BROKEN_PIPE
    assert capfd.readouterr().err == ""


def test_the_code_of_the_command_is_passed_on() -> None:
    assert run_main(lambda argv: len(argv), ["a", "b", "c"]) == 3
