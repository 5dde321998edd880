"""Files of the project name no machine and no registry, so that they mean the same everywhere."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.project.checkout import ROOT, project_files

# Joined from parts, so that this file does not name what it forbids.
FOLDERS = ("work", "root", "home/[a-z_]", "tmp/bash_jobs", "opt/(?:wheels|pypi)", "etc/xdg")
HOSTS = (
    ("pypi", "org"),
    ("pypi", "python", "org"),
    ("pythonhosted", "org"),
    ("download", "pytorch", "org"),
    ("npmjs", "org"),
    ("anaconda", "org"),
    ("deb", "debian", "org"),
)
MACHINE_PATH = re.compile(r"(?<![\w.~-])/(?:" + "|".join(FOLDERS) + r")(?![\w-])" + "|" + r"\b[A-Z]:\\Users\\")
REGISTRY_HOST = re.compile("|".join(r"\b" + r"\.".join(host) + r"\b" for host in HOSTS), re.IGNORECASE)


def text_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines of a text file, and none of a binary file."""
    data = path.read_bytes()
    if b"\0" not in data:
        yield from enumerate(data.decode("utf-8").splitlines(), start=1)


def matches(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{name}:{number}: {line.strip()[:120]}"
        for name in sorted(project_files())
        for number, line in text_lines(ROOT / name)
        if pattern.search(line)
    ]


def test_no_file_names_a_path_of_one_machine() -> None:
    assert matches(MACHINE_PATH) == []


def test_no_file_names_a_registry_host() -> None:
    assert matches(REGISTRY_HOST) == []


@pytest.mark.parametrize(
    "parts", [("", "work", "main"), ("", "root"), ("", "home", "x", "y"), ("see `", "tmp", "bash_jobs")]
)
def test_the_search_finds_machine_paths(parts: tuple[str, ...]) -> None:
    assert MACHINE_PATH.search("/".join(parts))


@pytest.mark.parametrize("text", ["docs/work/x", "rate/root cause", "/workers/x", "/rooted", "a/home/x", "../work/x"])
def test_the_search_leaves_other_paths_alone(text: str) -> None:
    assert not MACHINE_PATH.search(text)


@pytest.mark.parametrize("host", [("files", *HOSTS[2]), ("https://" + HOSTS[0][0], "org/simple")])
def test_the_search_finds_registry_hosts(host: tuple[str, ...]) -> None:
    assert REGISTRY_HOST.search(".".join(host))
