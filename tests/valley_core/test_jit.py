"""The kernels' cache and what is said of it: each case in a process of its own, on a package of one kernel."""

import os
import shutil
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


COUNTED = ["12", "16", "0"]
"""What MAIN prints when nothing was compiled."""


def files(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def test_checkouts_of_the_same_sources_share_their_cache(tinygame: Path, tmp_path: Path) -> None:
    cache = str(tmp_path / "cache")
    for number, name in enumerate(("one", "two")):
        shutil.copytree(tinygame / "tinygame", tmp_path / name / "tinygame")
        shutil.copytree(ROOT / "valley_core", tmp_path / name / "valley_core", ignore=shutil.ignore_patterns("__pyc*"))
        for path in (tmp_path / name).rglob("*.py"):
            os.utime(path, (1e9 + number, 1e9 + number))
    for environment in ({}, {"VALLEY_PLAIN_JIT": "1"}):
        settings = {"VALLEY_CACHE_DIR": cache, **environment}
        assert int(run(tmp_path, PYTHONPATH=str(tmp_path / "one"), **settings).stdout.split()[2]) > 0
        before = files(tmp_path / "cache")
        done = run(tmp_path, PYTHONPATH=str(tmp_path / "two"), **settings)
        assert (done.stdout.split(), done.stderr) == (COUNTED, "")
        assert files(tmp_path / "cache") == before


FULL_DISK = """
import errno, pathlib
def write_bytes(self, data):
    self.touch()
    raise OSError(errno.ENOSPC, "No space left on device")
pathlib.Path.write_bytes = write_bytes
"""
GONE = """
import shutil, os, tinygame
shutil.rmtree(os.environ["VALLEY_CACHE_DIR"])
"""


def test_a_full_disk_is_said_once_and_done_without(tinygame: Path) -> None:
    for _ in range(2):
        done = run(tinygame, main=FULL_DISK + MAIN)
        assert done.stdout.startswith("12 16 ")
        assert done.stderr.count("No space left on device") == 1
        assert "VALLEY_CACHE_DIR" in done.stderr
    assert not any(file.endswith(".part") for file in files(tinygame / "cache"))


def test_a_damaged_cache_is_said_once_and_mended(tinygame: Path) -> None:
    run(tinygame)
    for path in (tinygame / "cache").rglob("*.*"):
        path.write_bytes(path.read_bytes()[:100])
    done = run(tinygame)
    assert done.stdout.startswith("12 16 ")
    assert done.stderr.count("cannot read the kernel cache") == 1
    again = run(tinygame)
    assert (again.stdout.split(), again.stderr) == (COUNTED, "")


def test_a_cache_may_be_deleted_at_any_time(tinygame: Path) -> None:
    assert "cache:" not in run(tinygame, main=GONE + MAIN).stderr
    assert run(tinygame).stdout.split() == COUNTED


def test_a_callee_that_was_compiled_again_is_not_mistaken_for_the_old_one(tinygame: Path) -> None:
    """Numba numbers the names of compiled functions in each process anew."""
    run(tinygame)
    cached = {path.name: path for path in (tinygame / "cache").rglob("*.*")}
    callee = [path for name, path in cached.items() if "helper.double" in name]
    entries = [path for name, path in cached.items() if name.endswith(".entry")]
    assert len(callee) == 1
    assert len(entries) == 2
    for path in [*callee, *entries]:
        path.unlink()
    # The names are numbered otherwise, since another kernel is compiled first.
    first = "from numba import njit\n[njit(lambda x, n=n: x + n)(1) for n in range(3)]\n"
    assert run(tinygame, main=first + MAIN).stdout.startswith("12 16 ")
    assert run(tinygame).stdout.split() == COUNTED


HOMELESS = """
import pathlib
def home():
    raise RuntimeError("Could not determine home directory.")
pathlib.Path.home = home
"""


@pytest.fixture
def homeless(tinygame: Path) -> dict[str, str]:
    """Settings of a process without a home folder."""
    (tinygame / "temporary").mkdir()
    temporary = str(tinygame / "temporary")
    return {"VALLEY_CACHE_DIR": "", "XDG_CACHE_HOME": "", "TMPDIR": temporary, "TEMP": temporary, "TMP": temporary}


def test_without_a_home_folder_the_cache_is_in_one_of_the_users_own(tinygame: Path, homeless: dict[str, str]) -> None:
    first = run(tinygame, main=HOMELESS + MAIN, **homeless)
    assert first.stdout.startswith("12 16 ")
    (folder,) = (tinygame / "temporary").iterdir()
    assert str(folder) in first.stderr
    assert "Warning" not in first.stderr
    if hasattr(os, "getuid"):
        assert folder.name.endswith(str(os.getuid()))
        assert folder.stat().st_mode & 0o777 == 0o700
    second = run(tinygame, main=HOMELESS + MAIN, **homeless)
    assert (second.stdout.split(), second.stderr) == (COUNTED, "")


def test_a_home_folder_that_cannot_be_written_is_none(tinygame: Path, homeless: dict[str, str]) -> None:
    (tinygame / "file").write_text("in the way")
    done = run(tinygame, **homeless | {"XDG_CACHE_HOME": str(tinygame / "file")})
    assert done.stdout.startswith("12 16 ")
    assert str(tinygame / "temporary") in done.stderr


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="temporary files are not shared by users")
@pytest.mark.parametrize("kind", ["open to others", "a link"])
def test_no_code_is_loaded_from_a_folder_of_others(tinygame: Path, homeless: dict[str, str], kind: str) -> None:
    folder = tinygame / "temporary" / f"valley-envs-{os.getuid()}"
    if kind == "a link":
        (tinygame / "elsewhere").mkdir()
        folder.symlink_to(tinygame / "elsewhere")
    else:
        folder.mkdir()
        folder.chmod(0o777)
    done = run(tinygame, main=HOMELESS + MAIN, **homeless)
    assert done.stdout.startswith("12 16 ")
    assert "others can write to it" in done.stderr
    assert files(tinygame / "temporary") == {}


OTHER_NUMBA = {
    "a newer release": "import numba; numba.__version__ = '0.99.1'\n",
    "an older release": "import numba; numba.__version__ = '0.60.0'\n",
    "other internals": "import numba.core.codegen; del numba.core.codegen.JITCodeLibrary\n",
}


@pytest.mark.parametrize("case", OTHER_NUMBA)
def test_a_numba_that_was_not_tested_compiles_by_its_own_njit(tinygame: Path, case: str) -> None:
    # The imports at first make Numba's own modules whole.
    change = "import numba, numba.core.registry\n" + OTHER_NUMBA[case]
    shown = "import valley_core.jit, tinygame\nprint(valley_core.jit.PLAIN_JIT, type(tinygame.quadruple).__name__)"
    assert run(tinygame, main=change + shown).stdout.split() == ["True", "CPUDispatcher"]
    assert run(tinygame, main=shown).stdout.split() == ["False", "Kernel"]


@pytest.mark.parametrize("name", ["VALLEY_QUIET", "VALLEY_PLAIN_JIT"])
def test_a_wrong_setting_is_named_with_the_remedy(tinygame: Path, name: str) -> None:
    main = "try:\n    import tinygame\nexcept ValueError as error:\n    print(error)"
    said = run(tinygame, main=main, **{name: "perhaps"}).stdout
    assert said.startswith(f"{name} is 'perhaps'; set it to 1")
