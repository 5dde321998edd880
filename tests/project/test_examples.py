"""The Python examples of README and docs run as they stand, but for the length of a training."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
SHORTER = (("learn(100_000)", "learn(1)"), ("range(100)", "range(3)"))
"""What takes long in an example, and what stands for it here."""

EXAMPLES = [
    pytest.param(page, block, id=f"{page.stem}-{k}")
    for page in PAGES
    for k, block in enumerate(BLOCK.findall(page.read_text(encoding="utf-8")))
]


@pytest.mark.parametrize(("page", "block"), EXAMPLES)
def test_example_runs(page: Path, block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("mine.txt", "yours.txt"):
        (tmp_path / name).write_bytes((ROOT / "riftvalley_env" / "boards" / "fig_grove.txt").read_bytes())
    (tmp_path / "mine.toml").write_bytes((ROOT / "deathvalley_env" / "decks" / "death_valley.toml").read_bytes())
    monkeypatch.chdir(tmp_path)
    for long, short in SHORTER:
        block = block.replace(long, short)
    exec(compile(block, f"example of {page.name}", "exec"), {"__name__": "__main__"})


def test_the_interfaces_have_examples() -> None:
    assert len(EXAMPLES) >= 8
