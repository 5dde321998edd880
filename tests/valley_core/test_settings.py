"""Environment variables and processors: each wrong value is named with its remedy; nothing is Linux's alone."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from valley_core import batch
from valley_core.errors import OptionError
from valley_core.settings import processors, switch, whole_number

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("valley_core", "deathvalley_env", "riftvalley_env", "agents", "training")


@pytest.mark.parametrize(("value", "on"), [("", False), ("0", False), ("No", False), ("1", True), (" true ", True)])
def test_switches(monkeypatch: pytest.MonkeyPatch, value: str, on: bool) -> None:
    monkeypatch.setenv("VALLEY_X", value)
    assert switch("VALLEY_X", "1 does something") is on


def test_a_wrong_switch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VALLEY_X", "2")
    with pytest.raises(OptionError, match=r"VALLEY_X is '2'; set it to 1 \(1 does something\), or to 0"):
        switch("VALLEY_X", "1 does something")


@pytest.mark.parametrize(("value", "number"), [("", 0), ("0", 0), (" 3 ", 3)])
def test_whole_numbers(monkeypatch: pytest.MonkeyPatch, value: str, number: int) -> None:
    monkeypatch.setenv("VALLEY_X", value)
    assert whole_number("VALLEY_X", "things") == number


@pytest.mark.parametrize("value", ["abc", "-1", "1.5", "1e3", "٣x"])
def test_a_wrong_number_of_threads(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("VALLEY_NUM_THREADS", value)
    monkeypatch.setattr(batch, "_threads", 0)
    with pytest.raises(OptionError, match=r"VALLEY_NUM_THREADS is .*set it to a whole number"):
        batch.num_threads()


def test_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    assert processors() >= 1
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert processors() >= 1
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert processors() == 1


READERS = {"valley_core/settings.py", "valley_core/jit.py", "valley_core/progress.py", "training/command.py"}
"""Who reads environment variables: whoever else does should ask `valley_core.settings`, which checks them."""


def test_nothing_else_reads_environment_variables() -> None:
    names = {"environ", "environb", "getenv", "getenvb"}
    found = set()
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                imported = isinstance(node, ast.ImportFrom) and node.module == "os" and {a.name for a in node.names}
                if (isinstance(node, ast.Attribute) and node.attr in names) or (imported and imported & names):
                    found.add(path.relative_to(ROOT).as_posix())
    assert found <= READERS


UNIX_MODULES = ("fcntl", "grp", "posix", "pty", "pwd", "resource", "termios", "tty", "syslog", "readline")
UNIX_NAMES = {
    "os": "chown chroot fchmod fchown fork forkpty getegid geteuid getgid getgroups getloadavg getpgid getpgrp "
    "getpriority getresuid getuid initgroups killpg lchown mkfifo mknod nice openpty posix_fadvise posix_spawn pread "
    "register_at_fork sched_getaffinity sched_setaffinity sched_yield setegid seteuid setgid setpgid setsid setuid "
    "statvfs sync sysconf uname wait wait3 wait4 waitid",
    "signal": "SIGALRM SIGCHLD SIGHUP SIGKILL SIGPIPE SIGQUIT SIGUSR1 SIGUSR2 alarm pause pthread_kill setitimer",
    "time": "tzset clock_gettime pthread_getcpuclockid",
    "pathlib.Path": "owner group",
}
"""What Python has on Linux, and not on Windows or not on macOS."""

OTHER_SYSTEM = f"""
import gymnasium, numba, numpy, pettingzoo, pettingzoo.utils, gymnasium.vector, tempfile, subprocess, asyncio
import os, pathlib, signal, sys, time
for name in {UNIX_MODULES!r}:
    sys.modules[name] = None
for place, names in {UNIX_NAMES!r}.items():
    for name in names.split():
        where = pathlib.Path if place == "pathlib.Path" else sys.modules[place]
        if hasattr(where, name):
            delattr(where, name)
import deathvalley_env, riftvalley_env
from valley_core.batch import num_threads, set_num_threads
from valley_core.jit import cache_root
assert num_threads() >= 1
cache_root()
for package in (deathvalley_env, riftvalley_env):
    env = package.solo_env()
    env.reset(seed=1)
    env.step(int(env.action_masks().argmax()))
    envs = package.make_vec(2)
    envs.reset(seed=1)
    envs.step(envs.action_masks().argmax(1))
    envs = package.parallel_env()
    envs.reset(seed=1)
print("fine")
"""


GUARDED = {
    ("valley_core/batch.py", "register_at_fork"),
    ("valley_core/jit.py", "getuid"),
    ("valley_core/options.py", "sysconf"),
    ("valley_core/settings.py", "sched_getaffinity"),
}
"""Who uses what only Unix has where it is there; the test below plays without."""


def test_nothing_else_names_what_only_unix_has() -> None:
    names = {name for place in UNIX_NAMES.values() for name in place.split()}
    found = set()
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            file = path.relative_to(ROOT).as_posix()
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Import):
                    found |= {(file, alias.name) for alias in node.names if alias.name in UNIX_MODULES}
                elif isinstance(node, ast.ImportFrom) and node.module in (*UNIX_MODULES, *UNIX_NAMES):
                    wrong = {alias.name for alias in node.names} & names
                    found |= {(file, name) for name in wrong}
                    found |= {(file, node.module)} if node.module in UNIX_MODULES else set()
                elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                    if node.value.id in UNIX_NAMES and node.attr in names:
                        found.add((file, node.attr))
    assert found == GUARDED


def test_nothing_that_only_unix_has_is_needed(tmp_path: Path) -> None:
    settings = {"NUMBA_DISABLE_JIT": "1", "VALLEY_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    settings["VALLEY_NUM_THREADS"] = ""
    done = subprocess.run(
        [sys.executable, "-c", OTHER_SYSTEM], env=os.environ | settings, capture_output=True, text=True, timeout=300
    )
    assert (done.stdout, done.returncode) == ("fine\n", 0), done.stderr
