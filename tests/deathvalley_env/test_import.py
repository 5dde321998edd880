"""Importing the package compiles nothing and takes little time."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 0.5
"""Seconds that the package may take on top of what it depends on."""

DEPENDENCIES = "import gymnasium, gymnasium.vector, numba, numpy, pettingzoo, pettingzoo.utils"
COUNT = """
from numba.core import event
class Counter(event.Listener):
    compiled = 0
    def on_start(self, event): type(self).compiled += 1
    def on_end(self, event): pass
event.register("numba:compile", Counter())
"""


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run some code in a fresh process."""
    settings = os.environ | {"PYTHONPATH": str(ROOT)} | environment
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], env=settings, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done


def test_nothing_is_compiled_and_little_time_taken(tmp_path: Path) -> None:
    code = f"""
import time
{DEPENDENCIES}
{COUNT}
start = time.perf_counter()
import deathvalley_env
print(time.perf_counter() - start, Counter.compiled)
deathvalley_env.raw_env(), deathvalley_env.env(), deathvalley_env.parallel_env(), deathvalley_env.solo_env()
deathvalley_env.make_vec(4)
print(Counter.compiled)
"""
    seconds = []
    for _ in range(3):  # the least of three, since others use the machine too
        done = run(code, VALLEY_CACHE_DIR=str(tmp_path))
        assert done.stderr == ""
        first, second = done.stdout.splitlines()
        assert first.split()[1] == second == "0"
        seconds.append(float(first.split()[0]))
    assert min(seconds) < LIMIT
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("heavy", ["torch", "stable_baselines3", "PIL", "matplotlib", "pygame", "agents"])
def test_no_extra_is_imported(heavy: str) -> None:
    run(f"import sys, deathvalley_env; deathvalley_env.solo_env(); assert {heavy!r} not in sys.modules")


def test_the_extra_is_named_where_it_is_missing() -> None:
    done = run("""
import sys
sys.modules["stable_baselines3"] = None
import deathvalley_env
try:
    deathvalley_env.make_sb3_env(2)
except ImportError as error:
    print(error)
""")
    assert "valley-envs[train]" in done.stdout


def test_a_second_process_compiles_nothing() -> None:
    code = f"""
{COUNT}
import deathvalley_env
for env in (deathvalley_env.raw_env(), deathvalley_env.solo_env(), deathvalley_env.solo_env(opponents="random")):
    env.reset(seed=1)
    env.step(int(env.action_masks().argmax()))
env = deathvalley_env.parallel_env()
env.reset(seed=1)
env.step(dict(zip(env.agents, env.action_masks().argmax(1))))
envs = deathvalley_env.make_vec(3)
envs.reset(seed=1)
envs.step(envs.action_masks().argmax(1))
print(Counter.compiled)
"""
    run(code)
    assert run(code).stdout == "0\n"
