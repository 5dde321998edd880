"""The kernels' cache and what is said of it: each case in a process of its own, on a package of one kernel."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from valley_core.jit import JIT_DISABLED

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")

ROOT = Path(__file__).resolve().parents[2]

HELPER = """
from valley_core.jit import kernel

@kernel
def double(x):
    return 2 * x
"""
KERNELS = """
from pathlib import Path
from valley_core.jit import bind, kernel, register_package
register_package("tinygame", Path(__file__).parent)
from tinygame.helper import double

@kernel
def quadruple(x):
    return double(double(x))

def twice(x):
    return inner(inner(x))

inner = None
bound = bind(twice, {"inner": quadruple}, package="tinygame", name="tinygame")
"""
MAIN = """
from numba.core import event
class Counter(event.Listener):
    compiled = 0
    def on_start(self, event): type(self).compiled += 1
    def on_end(self, event): pass
event.register("numba:compile", Counter())
from tinygame import bound, quadruple
print(quadruple(3), bound(1), Counter.compiled)
"""


@pytest.fixture
def tinygame(tmp_path: Path) -> Path:
    """A package that uses another's kernel and a template."""
    package = tmp_path / "tinygame"
    package.mkdir()
    (package / "__init__.py").write_text(KERNELS)
    (package / "helper.py").write_text(HELPER)
    return tmp_path


def run(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run MAIN with a cache of its own."""
    settings = {"VALLEY_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"} | environment
    inherited = {name: value for name, value in os.environ.items() if name != "VALLEY_QUIET"}
    done = subprocess.run(
        [sys.executable, "-c", MAIN], env=inherited | settings, capture_output=True, text=True, cwd=folder, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done


def test_the_second_process_compiles_nothing(tinygame: Path) -> None:
    first = run(tinygame)
    result, compiled = first.stdout.rsplit(maxsplit=1)
    assert result == "12 16"
    assert int(compiled) > 0
    assert run(tinygame).stdout.split() == ["12", "16", "0"]


def test_the_first_compile_is_announced_once(tinygame: Path) -> None:
    assert run(tinygame).stderr.count("compiling") == 1
    assert run(tinygame).stderr == ""
    assert run(tinygame, VALLEY_CACHE_DIR=str(tinygame / "other"), VALLEY_QUIET="1").stderr == ""


def test_a_change_in_a_callee_of_another_file_gets_a_cache_of_its_own(tinygame: Path) -> None:
    run(tinygame)
    folders = set((tinygame / "cache").iterdir())
    assert len(folders) == 1
    helper = tinygame / "tinygame" / "helper.py"
    helper.write_text(helper.read_text().replace("2 * x", "3 * x"))
    assert run(tinygame).stdout.split()[:2] == ["27", "81"]
    assert len(set((tinygame / "cache").iterdir()) - folders) == 1


def test_a_cache_that_cannot_be_written_is_said_once_and_done_without(tinygame: Path) -> None:
    (tinygame / "file").write_text("in the way")
    for _ in range(2):
        done = run(tinygame, VALLEY_CACHE_DIR=str(tinygame / "file" / "cache"))
        assert done.stdout.startswith("12 16 ")
        assert done.stderr.count("cannot write the kernel cache") == 1
        assert "VALLEY_CACHE_DIR" in done.stderr


def test_plain_python_gives_the_same(tinygame: Path) -> None:
    assert run(tinygame, NUMBA_DISABLE_JIT="1").stdout.split() == ["12", "16", "0"]
    assert not (tinygame / "cache").exists()


def test_the_numba_cache_setting_of_the_user_is_left_alone(tinygame: Path) -> None:
    code = "import numba; before = numba.config.CACHE_DIR; import tinygame; assert numba.config.CACHE_DIR == before"
    settings = {"VALLEY_CACHE_DIR": str(tinygame / "cache"), "PYTHONPATH": f"{tinygame}{os.pathsep}{ROOT}"}
    subprocess.run([sys.executable, "-c", code], env=os.environ | settings, check=True, timeout=120)
