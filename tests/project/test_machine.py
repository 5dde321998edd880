"""Tests hang on no setting of a shell and on no processor: some of them run in a process where all of that is odd.

`make test-generic` runs the whole suite with kernels and libraries for a plain processor.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import PINNED, REMOVED
from tests.project.checkout import ROOT, project_files

PLAIN_PROCESSOR = {
    "ATEN_CPU_CAPABILITY": "default",  # PyTorch
    "MKL_CBWR": "COMPATIBLE",  # its matrices
    "OPENBLAS_CORETYPE": "Prescott",  # NumPy's matrices
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA",  # exp, log and tanh on Linux
    "OMP_NUM_THREADS": "2",
}
"""Other rounding than on this machine, as far as a setting can ask for it; what is unknown to a library is ignored."""
ODD_SHELL = {
    "COLUMNS": "31",
    "LINES": "3",
    "TERM": "xterm-256color",
    "TZ": "Pacific/Kiritimati",
    "LC_ALL": "C",
    "FORCE_COLOR": "1",
    "PYTHONHASHSEED": "77",
    "PYTHONIOENCODING": "cp1252",
    "VALLEY_NUM_THREADS": "1",
}
LEFT = ("PYTHONPATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "VALLEY_CACHE_DIR", "XDG_CACHE_HOME")
"""What a process here still knows of this one's shell; it has no home folder either."""
WITHOUT_KERNELS = ("tests/agents/test_network.py", "tests/project/test_hygiene.py")
SECONDS = 1800
"""So long nothing takes that ends."""


def passes(folder: Path, tests: tuple[str, ...], **environment: str) -> None:
    """Run tests in a process with these settings alone, and without PATH, so without git; fail if one does."""
    known = {name: os.environ[name] for name in LEFT if name in os.environ}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--basetemp", str(folder / "base")]
    done = subprocess.run(
        [*command, *tests],
        cwd=ROOT,
        env=known | environment | {"PATH": str(folder)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout


def test_an_odd_shell_on_a_plain_processor_changes_nothing(tmp_path: Path) -> None:
    passes(tmp_path, WITHOUT_KERNELS, **PLAIN_PROCESSOR, **ODD_SHELL)


def capabilities() -> tuple[str, ...]:
    """Those of PyTorch's sets of instructions that this processor has; with another one it ends with SIGILL."""
    code = "import torch; print(torch.backends.cpu.get_cpu_capability())"
    environment = {name: value for name, value in os.environ.items() if name != "ATEN_CPU_CAPABILITY"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    known, best = ("default", "avx2", "avx512"), done.stdout.strip().lower()
    return known[: known.index(best) + 1] if best in known else known[:1]


@pytest.mark.long
def test_a_policy_learns_with_every_set_of_instructions(tmp_path: Path) -> None:
    for capability in capabilities():
        tests = ("tests/training/test_train_learning.py", "-k", "learns")
        passes(tmp_path, tests, **PLAIN_PROCESSOR | {"ATEN_CPU_CAPABILITY": capability})


def test_without_git_the_project_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it is a checkout; in an unpacked sdist there is one listing alone."""
    listed = project_files()
    monkeypatch.setattr("tests.project.checkout.IS_CHECKOUT", False)
    assert project_files() == listed


def test_the_suite_has_its_own_settings() -> None:
    assert {name: os.environ.get(name) for name in PINNED} == PINNED
    assert not [name for name in REMOVED if name in os.environ]
