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


def run(folder: Path, *, main: str = MAIN, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run some code with a cache of its own."""
    settings = {"VALLEY_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"} | environment
    inherited = {name: value for name, value in os.environ.items() if name != "VALLEY_QUIET"}
    done = subprocess.run(
        [sys.executable, "-c", main], env=inherited | settings, capture_output=True, text=True, cwd=folder, timeout=120
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


ODD = """
from pathlib import Path
import numpy as np
from numba import njit
from valley_core.jit import kernel, register_package
register_package("oddgame", Path(__file__).parent)

@kernel
def fail_at(i, limit):
    if i >= limit:
        raise ValueError("beyond the limit")
    return i

@kernel
def through(i):
    return fail_at(i, 3) + 1

@kernel
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)

@kernel
def callers_factorial(n):
    return factorial(n) + factorial(1)

@kernel
def with_default(x, y=5):
    return x * y

@kernel
def of_sizes(a, b, c, d):
    return with_default(a[0]) + with_default(b[0], True) + with_default(c, 7) + with_default(y=2, x=d)

@kernel
def wraps_around(x):
    return x * np.uint64(0x9E3779B97F4A7C15)

TABLE = np.arange(200_000, dtype=np.int64)  # so large that Numba refers to its address

@kernel
def of_table(i):
    return TABLE[i]

@kernel
def of_table_twice(i):
    return of_table(i) + of_table(i)

@njit
def by_the_user(i):
    return through(i) + callers_factorial(i)
"""
ODD_MAIN = """
import os, threading
import numpy as np
from numba.core import event
class Counter(event.Listener):
    compiled = []
    def on_start(self, event): self.compiled.append(event.data["dispatcher"].py_func.__name__)
    def on_end(self, event): pass
event.register("numba:compile", Counter())
from oddgame import *
print(through(2), callers_factorial(5), with_default(3), with_default(3, 4), with_default(np.int8(3), y=np.uint8(4)))
print(of_sizes(np.ones(1, np.int8), np.ones(1, np.uint16), np.int32(-1), 9), of_table_twice(7), by_the_user(2))
print(int(wraps_around(np.uint64(3))), int(wraps_around(np.uint64(2**63 + 1))))
for wrong in (through, fail_at, by_the_user):
    try:
        wrong(*(4, 3)[: 2 if wrong is fail_at else 1])
    except ValueError as error:
        print(error)
results = [None] * 8
def work(i):
    results[i] = sum(through(j % 3) for j in range(1000)) + with_default(i)
threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
[thread.start() for thread in threads], [thread.join() for thread in threads]
print(results)
if hasattr(os, "fork"):
    child = os.fork()
    if child == 0:
        os._exit(0 if through(1) == 2 and with_default(2.5) == 12.5 else 1)
    assert os.waitpid(child, 0)[1] == 0
print(sorted(set(Counter.compiled)))
"""


def test_kernels_that_raise_recur_default_widen_and_run_in_threads_and_forks(tmp_path: Path) -> None:
    package = tmp_path / "oddgame"
    package.mkdir()
    (package / "__init__.py").write_text(ODD)
    expected, last = run(tmp_path, main=ODD_MAIN, NUMBA_DISABLE_JIT="1").stdout.rsplit("\n", 2)[:2]
    assert last == "[]"
    for environment in ({}, {"VALLEY_PLAIN_JIT": "1"}):
        first, compiled = run(tmp_path, main=ODD_MAIN, **environment).stdout.rsplit("\n", 2)[:2]
        assert first == expected
        assert "through" in compiled
        second, compiled = run(tmp_path, main=ODD_MAIN, **environment).stdout.rsplit("\n", 2)[:2]
        assert second == expected
        # What refers to an address cannot be kept, and the user's own function is the user's to keep.
        assert set(eval(compiled)) <= {"of_table", "of_table_twice", "by_the_user"}


def test_plain_python_gives_the_same(tinygame: Path) -> None:
    assert run(tinygame, NUMBA_DISABLE_JIT="1").stdout.split() == ["12", "16", "0"]
    assert not (tinygame / "cache").exists()


def test_the_numba_cache_setting_of_the_user_is_left_alone(tinygame: Path) -> None:
    code = "import numba; before = numba.config.CACHE_DIR; import tinygame; assert numba.config.CACHE_DIR == before"
    settings = {"VALLEY_CACHE_DIR": str(tinygame / "cache"), "PYTHONPATH": f"{tinygame}{os.pathsep}{ROOT}"}
    subprocess.run([sys.executable, "-c", code], env=os.environ | settings, check=True, timeout=120)
