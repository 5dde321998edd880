"""The oldest releases that ``pyproject.toml`` allows: which they are, and whether both games are played with them.

``python -m tests.project.oldest pins`` prints them for pip; ``python -m tests.project.oldest play``, in an environment
that holds them, plays. ``make test-oldest`` does both.
"""

import importlib
import importlib.metadata
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
EXTRAS = ("measure", "train", "play", "render")
"""`dev` states no bounds, and `ray` is installed in an environment of its own."""

PYTHON = (sys.executable, "-m")
AGENTS = ("--agents", "random", "greedy")


def commands(folder: Path) -> list[tuple[str, ...]]:
    """Small commands that together use every dependency."""
    training = (*PYTHON, "training")
    learning = ("--steps", "1024", "--envs", "8", "--rollout", "32", "--test-every", "1024", "--test-games", "20")
    return [
        (*PYTHON, "valley_core", "compile"),
        (*training, "evaluate", "riftvalley", *AGENTS, "--games", "20", "--plot", str(folder / "evaluate.png")),
        (*training, "difficulty", *AGENTS, "--games", "20", "--plot", str(folder / "difficulty.png")),
        (*training, "tournament", *AGENTS, "--deals", "20"),
        (*training, "train", *learning, "--run", str(folder / "run")),
    ]


def project() -> dict[str, Any]:
    """The table of the project in ``pyproject.toml``."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def pins() -> list[str]:
    """A requirement ``name==release`` for each lower bound."""
    table = project()
    lines = [*table["dependencies"], *(line for extra in EXTRAS for line in table["optional-dependencies"][extra])]
    return sorted({line.replace(">=", "==") for line in lines if not line.startswith(table["name"])})


def not_installed() -> Iterator[str]:
    """Requirements of which another release than the oldest is installed."""
    for pin in pins():
        name, _, release = pin.partition("==")
        found = importlib.metadata.version(name).partition("+")[0]  # torch names its build there
        if found != release and not found.startswith(f"{release}."):
            yield f"{pin}: {found} is installed"


def play() -> None:
    """Run small commands with both games; exits with what is wrong."""
    wrong = list(not_installed())
    if wrong:
        sys.exit("\n".join(wrong))
    for module in ("starlette", "uvicorn", "PIL", "resvg_py"):
        importlib.import_module(module)
    with tempfile.TemporaryDirectory() as folder:
        for command in commands(Path(folder)):
            print("+", *command[1:], flush=True)
            done = subprocess.run(command, cwd=ROOT)
            if done.returncode:
                sys.exit(f"{' '.join(command[1:])} failed with exit code {done.returncode}")
    print("Both games are played with the oldest releases.")


if __name__ == "__main__":
    if sys.argv[1:] == ["pins"]:
        print("\n".join(pins()))
    elif sys.argv[1:] == ["play"]:
        play()
    else:
        sys.exit(__doc__)
