"""The generated tables of the documentation are current, and the command finds those that are not."""

import json
import re
from pathlib import Path

import pytest

from training.__main__ import main
from training.docs import SECTION, described_arguments, pages, renewed
from training.report import ROOT
from training.statistics import wilson
from valley_core.errors import OptionError


@pytest.mark.parametrize("page", pages(ROOT), ids=lambda path: path.name)
def test_page_is_current(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert renewed(text, page.stem, ROOT) == text, "run `make docs`"


@pytest.mark.parametrize("section", ["options", "actions", "observation"])
def test_the_page_of_the_game_has_its_tables(section: str) -> None:
    text = (ROOT / "docs" / "deathvalley.md").read_text(encoding="utf-8")
    assert section in {found[1] for found in SECTION.finditer(text)}


@pytest.mark.parametrize("page", pages(ROOT), ids=lambda path: path.name)
def test_every_marker_has_its_partner(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text.count("<!-- /") == len(list(SECTION.finditer(text)))


def make_page(folder: Path, text: str) -> Path:
    (folder / "docs").mkdir(exist_ok=True)
    page = folder / "docs" / "deathvalley.md"
    page.write_text(text, encoding="utf-8")
    return page


def test_command_renews_and_checks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = make_page(tmp_path, "before\n<!-- actions -->\nold\n<!-- /actions -->\nafter\n")
    folder = ["--folder", str(tmp_path)]
    assert main(["docs", "--check", *folder]) == 1
    assert "docs/deathvalley.md is not current; run `make docs`" in capsys.readouterr().err
    assert "old" in page.read_text(encoding="utf-8")
    assert main(["docs", *folder]) == 0
    text = page.read_text(encoding="utf-8")
    assert "| 0 | travel face-up |" in text
    assert text.startswith("before\n<!-- actions -->\n")
    assert text.endswith("<!-- /actions -->\nafter\n")
    assert main(["docs", "--check", *folder]) == 0


def test_an_unknown_section_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_page(tmp_path, "<!-- weather -->\n<!-- /weather -->\n")
    assert main(["docs", "--folder", str(tmp_path)]) == 2
    assert "nothing generates the section 'weather'" in capsys.readouterr().err
    with pytest.raises(OptionError):
        renewed("<!-- actions -->\n<!-- /actions -->", "decks", ROOT)  # actions belong to a game's page


def test_results_come_from_json(tmp_path: Path) -> None:
    names = ("difficulty", "speed", "tournaments", "solo-agents")
    text = "".join(f"<!-- {name} -->\nolder\n<!-- /{name} -->\n" for name in names)
    assert renewed(text, "README", tmp_path) == text  # nothing to make it from
    results = tmp_path / "docs" / "results"
    results.mkdir(parents=True)
    file = results / "difficulty.json"
    assert main(["difficulty", "--agents", "random", "--games", "50", "--json", str(file)]) == 0
    rows = [{"game": "deathvalley", "layer": "batch", "batch": n, "steps_per_s": n, "slowest": 1} for n in (7, 9, 8)]
    speed = results / "speed_deathvalley.json"
    speed.write_text(json.dumps({"rows": rows}), encoding="utf-8")
    tournament = ["tournament", "--agents", "random", "rulebook", "--deals", "9"]
    assert main([*tournament, "--json", str(results / "tournament_base.json")]) == 0
    solo = ["evaluate", "--agents", "random", "greedy", "--settings", "none", "both", "--games", "20"]
    assert main([*solo, "--json", str(results / "solo_agents.json")]) == 0
    made = renewed(text, "README", tmp_path)
    assert "older" not in made
    assert "| Death Valley, base | rulebook | +" in made
    assert "| agent | none | both |" in made
    assert made.count("| `greedy` | ") == 1
    assert made.count("| random | `") == 4
    assert "| deathvalley | `batch` | 9 | 9 |" in made


def test_the_strategies_come_from_json(tmp_path: Path) -> None:
    text = "".join(f"<!-- {name} -->\nolder\n<!-- /{name} -->\n" for name in ("strategies", "seats", "starting-boards"))
    assert renewed(text, "boards", tmp_path) == text  # nothing to make it from
    file = tmp_path / "docs" / "results" / "strategies.json"
    arguments = [
        "strategies",
        "--agents",
        "random",
        "greedy",
        "--boards",
        "fig_grove",
        "asymmetrical",
        "--players",
        "2",
    ]
    assert main([*arguments, "--games", "20", "--json", str(file)]) == 0
    made = renewed(text, "boards", tmp_path)
    assert "older" not in made
    assert "| fig_grove | greedy | 2 | 1 | 34.00 [exact] |" in made
    assert "| fig_grove | random | 2 | 20 |" in made
    assert "2 tests of equal seats have p below 0.05" in made
    assert "| boards | agent | players | fair | Elephant Ford |" in made


def test_arguments_are_read_from_docstrings() -> None:
    arguments = "    one: First ``x``\n        and more.\n    two, three: Others: all.\n"
    text = f"Title.\n\nArgs:\n{arguments}\nRaises:\n    E: no.\n"
    found = dict(described_arguments(text))
    assert found == {"one": "First `x` and more.", "two": "Others: all.", "three": "Others: all."}


UNSHOWN = re.compile(
    r"as often as on\b|\babout as often\b|\bis level with\b|\bdoes nothing:|\bshows? no effect\b|\bproves\b"
    r"|nearer to fair"
    r"|\bat least \[95 %\]|\bby far the\b",
    re.IGNORECASE,
)
"""Words of equality that no test of non-inferiority stands behind, of bounds that are none, and of proof."""


@pytest.mark.parametrize("page", [*pages(ROOT), *sorted(ROOT.glob("notebooks/*.py"))], ids=lambda path: path.name)
def test_pages_claim_no_more_than_was_shown(page: Path) -> None:
    assert UNSHOWN.findall(page.read_text(encoding="utf-8")) == []


def test_the_goal_asks_for_non_inferiority(tmp_path: Path) -> None:
    def row(agent: str, setting: str, won: int, differences: list[dict[str, object]]) -> dict[str, object]:
        return {"agent": agent, "setting": setting, "games": 200, "differences": differences} | wilson(
            won, 200
        ).columns("win")

    results = tmp_path / "docs" / "results"
    results.mkdir(parents=True)
    paired = {"to": "mcts:5000", "deals": 200, "win": 0.01, "win_low": -0.06, "win_high": 0.08, "win_interval": "t"}
    rows = [row(agent, setting, 190, []) for agent in ("mcts:5000", "trained") for setting in ("none", "both")]
    rows[2]["differences"] = [paired]
    (results / "solo_agents.json").write_text(json.dumps({"rows": rows}), encoding="utf-8")
    text = renewed("<!-- goal -->\n<!-- /goal -->", "training", tmp_path)
    assert "| `none` | 95.0 % [91.0, 97.3] | 95.0 % [91.0, 97.3] | +1.0 % [−6.0, +8.0] | not shown |" in text
    assert "| `both` | 95.0 % [91.0, 97.3] | 95.0 % [91.0, 97.3] | +0.0 % [−4.6, +4.6] | shown |" in text
