"""What a run says about itself."""

import json
import platform
from dataclasses import dataclass
from pathlib import Path

from training.report import config_of, rounded, versions, write_json


@dataclass
class Args:
    agents: tuple[str, ...] = ("random",)
    deck: str = "/home/someone/decks/mine.toml"
    json: Path | None = Path("/home/someone/out.json")
    plot: Path | None = None
    quiet: bool = False
    folder: Path = Path("here")


def test_config_has_no_output_and_no_place() -> None:
    assert config_of(Args(), options={"a": (1, 2)}) == {
        "agents": ["random"],
        "deck": "mine.toml",
        "folder": "here",
        "options": {"a": [1, 2]},
    }


def test_versions_name_packages_but_no_host() -> None:
    found = versions()
    assert found["python"] == platform.python_version()
    assert {"valley-envs", "numpy", "numba", "commit", "modified", "system", "machine"} <= found.keys()
    assert platform.node() not in map(str, found.values())
    assert "/" not in json.dumps(found)


def test_json_has_no_infinities(tmp_path: Path) -> None:
    file = tmp_path / "new" / "run.json"
    write_json(file, {}, 0, [{"x": float("inf"), "y": [float("nan"), 1 / 3], "z": {"n": 2}}])
    assert json.loads(file.read_text(encoding="utf-8"))["rows"] == [{"x": None, "y": [None, 0.333333], "z": {"n": 2}}]


def test_rounding_keeps_what_is_whole() -> None:
    assert rounded({"a": 1, "b": True, "c": "text"}) == {"a": 1, "b": True, "c": "text"}
