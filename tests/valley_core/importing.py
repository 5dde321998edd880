"""What importing a package and making its environments does, each time in a fresh process."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIMIT = 0.5
"""The time that a package may take, as a share of the time for what it depends on: a slow machine is slow at both."""

SECONDS = 1800
"""So long nothing takes that ends, whatever is compiled in it."""
DEPENDENCIES = "import gymnasium, gymnasium.vector, numba, numpy, pettingzoo, pettingzoo.utils"
COUNT = """
from numba.core import event
class Counter(event.Listener):
    compiled = 0
    def on_start(self, event): type(self).compiled += 1
    def on_end(self, event): pass
event.register("numba:compile", Counter())
"""
HEAVY = ("torch", "stable_baselines3", "PIL", "matplotlib", "pygame", "agents")


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run some code in a fresh process."""
    settings = os.environ | {"PYTHONPATH": str(ROOT)} | environment
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], env=settings, capture_output=True, text=True, timeout=SECONDS
    )
    assert done.returncode == 0, done.stderr
    return done


def check_nothing_is_compiled(package: str, cache: Path) -> None:
    """Assert that importing a package and making its environments compiles nothing, and takes little time."""
    code = f"""
import time
begin = time.process_time()
{DEPENDENCIES}
{COUNT}
start = time.process_time()
import {package}
print((time.process_time() - start) / (start - begin), Counter.compiled)
{package}.raw_env(), {package}.env(), {package}.parallel_env(), {package}.solo_env()
{package}.make_vec(4)
print(Counter.compiled)
"""
    shares = []
    for _ in range(3):  # the least of three: the first one reads files from a disk
        done = run(code, VALLEY_CACHE_DIR=str(cache))
        assert done.stderr == ""
        first, second = done.stdout.splitlines()
        assert first.split()[1] == second == "0"
        shares.append(float(first.split()[0]))
    assert min(shares) < LIMIT
    assert [path for path in cache.rglob("*") if path.is_file()] == []


def check_not_imported(package: str, heavy: str) -> None:
    """Assert that a package is used without another."""
    run(f"import sys, {package}; {package}.solo_env(); assert {heavy!r} not in sys.modules")


def check_extra_is_named(package: str) -> None:
    """Assert that an error names the extra where Stable-Baselines3 is missing."""
    done = run(f"""
import sys
sys.modules["stable_baselines3"] = None
import {package}
try:
    {package}.make_sb3_env(2)
except ImportError as error:
    print(error)
""")
    assert "valley-envs[train]" in done.stdout


def check_second_process_compiles_nothing(package: str, *environments: str) -> None:
    """Assert that what the command has compiled ahead serves all; `environments` are calls that step one by one."""
    made = "".join(f"{package}.{call}, " for call in environments)
    code = f"""
{COUNT}
import {package}
for env in ({made}):
    env.reset(seed=1)
    env.step(int(env.action_masks().argmax()))
env = {package}.parallel_env()
env.reset(seed=1)
env.step(dict(zip(env.agents, env.action_masks().argmax(1))))
envs = {package}.make_vec(3)
envs.reset(seed=1)
envs.step(envs.action_masks().argmax(1))
envs = {package}.make_vec(3, seat="random", opponents="random", autoreset_mode="SameStep", copy=False)
envs.reset(seed=1)
envs.step(envs.action_masks().argmax(1))
print(Counter.compiled)
"""
    run(f"from valley_core.__main__ import main; main(['compile', {package!r}])")
    assert run(code).stdout == "0\n"
