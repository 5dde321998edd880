"""Nothing imports upwards: the order of the layers, read from the source of every module."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

GAMES = ("deathvalley_env", "riftvalley_env")
LAYERS = (("valley_core",), GAMES, ("agents",), ("training",))
"""From the lowest to the highest; packages of one layer never import each other."""

PACKAGES = tuple(package for layer in LAYERS for package in layer)
RULES_LEVEL = ("rules", "encoding")
"""Modules of a game, with all that they import, that know arrays and no reinforcement-learning interface."""

INTERFACES = frozenset({"gymnasium", "pettingzoo"})


def module_name(path: Path, root: Path) -> str:
    """Return the dotted name of a source file."""
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def modules(root: Path, package: str) -> dict[str, Path]:
    """Return every module of a package with its file."""
    return {module_name(path, root): path for path in sorted((root / package).rglob("*.py"))}


def from_targets(node: ast.ImportFrom, module: str, is_package: bool) -> Iterator[str]:
    """Yield ``base.name`` for each name of a ``from`` import, with a relative base made absolute."""
    base = node.module or ""
    if node.level:
        parts = module.split(".")
        parents = parts[: len(parts) - node.level + is_package]
        base = ".".join([*parents, base] if base else parents)
    for alias in node.names:
        yield f"{base}.{alias.name}"


def dynamic_target(node: ast.Call) -> str | None:
    """Return the module that ``import_module("x")`` or ``__import__("x")`` names, if it is a literal."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
    if name in {"import_module", "__import__"} and node.args and isinstance(node.args[0], ast.Constant):
        return str(node.args[0].value)
    return None


def imports(path: Path, root: Path) -> set[str]:
    """Return the dotted names that a file imports anywhere, also inside functions and under ``TYPE_CHECKING``."""
    module, is_package = module_name(path, root), path.name == "__init__.py"
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), filename=str(path))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.update(from_targets(node, module, is_package))
        elif isinstance(node, ast.Call) and (target := dynamic_target(node)):
            found.add(target)
    return found


def top(name: str) -> str:
    """Return the top-level package of a dotted name."""
    return name.partition(".")[0]


def allowed_packages(package: str) -> set[str]:
    """Return the packages of this project that a package may import: itself and all lower layers."""
    level = next(i for i, layer in enumerate(LAYERS) if package in layer)
    return {package}.union(*LAYERS[:level])


def upward_imports(root: Path, package: str) -> list[str]:
    """Return ``module imports name`` for each import of a package that is not below this one."""
    forbidden = {*PACKAGES, "tests", "notebooks"} - allowed_packages(package)
    return [
        f"{module} imports {name}"
        for module, path in modules(root, package).items()
        for name in sorted(imports(path, root))
        if top(name) in forbidden
    ]


def interface_imports(root: Path, package: str) -> list[str]:
    """Return ``module imports name`` for each RL interface that the rules level of a game reaches by its imports."""
    known = modules(root, "valley_core") | modules(root, package)
    waiting = [f"{package}.{name}" for name in RULES_LEVEL if f"{package}.{name}" in known]
    seen: set[str] = set()
    found = []
    while waiting:
        module = waiting.pop()
        if module in seen:
            continue
        seen.add(module)
        for name in sorted(imports(known[module], root)):
            if top(name) in INTERFACES:
                found.append(f"{module} imports {name}")
            # A name is a module itself, or something in the module before its last dot. Package roots re-export and
            # are not followed.
            for candidate in (name, name.rpartition(".")[0]):
                if candidate in known and candidate not in PACKAGES:
                    waiting.append(candidate)
    return found


@pytest.mark.parametrize("package", PACKAGES)
def test_no_package_imports_upwards(package: str) -> None:
    assert upward_imports(ROOT, package) == []


@pytest.mark.parametrize("package", GAMES)
def test_rules_know_no_interface(package: str) -> None:
    assert interface_imports(ROOT, package) == []


def test_core_names_no_game() -> None:
    words = re.compile("|".join(game.removesuffix("_env") for game in GAMES), re.IGNORECASE)
    named = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in modules(ROOT, "valley_core").values()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if words.search(line)
    ]
    assert named == []


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("valley_core/a.py", "import deathvalley_env.rules", "valley_core.a imports deathvalley_env.rules"),
        ("valley_core/a.py", "def f():\n    from agents import x", "valley_core.a imports agents.x"),
        ("deathvalley_env/a.py", "from riftvalley_env import x", "deathvalley_env.a imports riftvalley_env.x"),
        ("agents/b/a.py", "from ..training import x", None),
        ("agents/a.py", "import importlib\nimportlib.import_module('training.x')", "agents.a imports training.x"),
        ("agents/a.py", "from deathvalley_env import rules\nimport valley_core", None),
        ("training/a.py", "from tests.helpers import x", "training.a imports tests.helpers.x"),
        ("agents/__init__.py", "from .training import x", None),
    ],
)
def test_the_search_finds_upward_imports(tmp_path: Path, file: str, text: str, expected: str | None) -> None:
    write(tmp_path, {file: text})
    assert upward_imports(tmp_path, top(file.replace("/", "."))) == ([expected] if expected else [])


def test_the_search_follows_imports_of_the_rules(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "deathvalley_env/__init__.py": "import pettingzoo",
            "deathvalley_env/rules.py": "from . import cards\nfrom valley_core.jit import kernel",
            "deathvalley_env/cards.py": "from deathvalley_env.words import Word",
            "deathvalley_env/words.py": "def f():\n    import gymnasium.spaces",
            "deathvalley_env/adapter.py": "import gymnasium",
            "valley_core/jit.py": "from pettingzoo import AECEnv",
        },
    )
    assert sorted(interface_imports(tmp_path, "deathvalley_env")) == [
        "deathvalley_env.words imports gymnasium.spaces",
        "valley_core.jit imports pettingzoo.AECEnv",
    ]
