"""The command that compiles ahead. `importing.check_second_process_compiles_nothing` shows that it compiles all."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from valley_core import __main__ as command
from valley_core.jit import JIT_DISABLED

ROOT = Path(__file__).resolve().parents[2]


def test_each_interface_has_a_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interfaces(package: object) -> Sequence[tuple[str, object]]:
        return [("one", lambda: setattr(command.progress, "count", command.progress.count + 3)), ("two", lambda: None)]

    monkeypatch.setattr(command, "interfaces", interfaces)
    command.compile_ahead(["valley_core"])
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith(" 1 of 2: valley_core, one: 3 kernels compiled in ")
    assert second == " 2 of 2: valley_core, two: nothing left to compile"


def test_help_and_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, code in ((["compile", "--help"], 0), (["compile", "chess"], 2), ([], 2)):
        with pytest.raises(SystemExit) as stopped:
            command.main(arguments)
        assert stopped.value.code == code
    said = capsys.readouterr()
    assert "deathvalley_env riftvalley_env" in " ".join(said.out.split())
    assert "'chess' is no package of a game here; there are deathvalley_env, riftvalley_env" in said.err


@pytest.mark.skipif(JIT_DISABLED, reason="the command says that nothing is compiled")
def test_nowhere_to_keep_kernels(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("VALLEY_CACHE_DIR", str(tmp_path / "file"))
    assert command.main(["compile"]) == 1
    assert "Set VALLEY_CACHE_DIR to a folder that can be written" in capsys.readouterr().err


def test_without_a_compiler_there_is_nothing_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "JIT_DISABLED", True)
    assert command.main(["compile"]) == 1
    assert "NUMBA_DISABLE_JIT is set" in capsys.readouterr().err


def test_it_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "valley_core", "compile", "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
