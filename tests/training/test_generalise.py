"""`training generalise`: networks on decks and boards that they have not seen."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.network import metadata_of, save_network
from tests.agents.networks import random_network, write_item_network, write_network
from training.__main__ import main
from training.course import UNSEEN_FROM, drawn_from
from training.docs import renewed
from training.games import GAMES
from training.generalise import means_of
from valley_core.game import Game

GENERAL, ALONE = "general.npz", "alone.npz"


def game_of(name: str, seed: int) -> Game:
    entry = GAMES[name]
    (options,) = drawn_from(entry, seed, 1)
    return entry.make(**options, **(entry.solo["none"] if entry.solo else {}))


def write_networks(folder: Path, name: str) -> None:
    """A general network, and one for the second of the unseen decks or boards."""
    game, other = game_of(name, 0), game_of(name, UNSEEN_FROM + 1)
    if name == "deathvalley":
        write_item_network(folder / GENERAL, game)
    else:
        network = random_network(game.layout.size, game.num_actions)
        about: dict[str, Any] = {"command": "general", "seed": 0, "versions": {}, "any_data": True}
        save_network(folder / GENERAL, network, metadata_of(game, inputs=network.inputs, **about))
    write_network(folder / ALONE, other, other.fixed_from)


def command_of(folder: Path, name: str, *more: str) -> list[str]:
    networks = ["--general", str(folder / GENERAL), "--alone", str(folder / ALONE)]
    sizes = ["--unseen", "3", "--seen", "2", "--games", "12", "--agents", "random", "greedy"]
    return ["generalise", name, *networks, *sizes, *more]


@pytest.mark.parametrize("name", GAMES)
def test_rows_and_tables(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_networks(tmp_path, name)
    file = tmp_path / "docs" / "results" / f"generalise_{name}.json"
    assert main(command_of(tmp_path, name, "--json", str(file))) == 0
    assert "Beside networks trained alone" in capsys.readouterr().out
    text = file.read_text(encoding="utf-8")
    run = json.loads(text)
    assert str(tmp_path) not in text
    assert set(run) == {"config", "versions", "seed", "rows"}
    assert len(run["config"]["commands"]) == 2
    means = [row for row in run["rows"] if row["drawn"] is None]
    own = [row for row in run["rows"] if row["drawn"] is not None]
    names = ["random", "greedy", "general", "alone"]
    assert [(row["agent"], row["seen"]) for row in means] == [*((one, False) for one in names), ("general", True)]
    assert [row["places"] for row in means] == [3, 3, 3, 1, 2]
    assert {row["drawn"] for row in own} == {UNSEEN_FROM, UNSEEN_FROM + 1, UNSEEN_FROM + 2, 0, 1}
    assert [row["drawn"] for row in own if row["agent"] == "alone"] == [UNSEEN_FROM + 1]
    assert len({row["drawn"]: row["data"][0][1] for row in own}) == len({row["data"][0][1] for row in own}) == 5
    for row in run["rows"]:
        assert row["illegal"] == 0
        assert row["games"] == 12 * row.get("places", 1) * (1 if GAMES[name].solo else 2)
        assert row["win"] + row["draw"] + row["loss"] == pytest.approx(1, abs=1e-5)
    general = {row["drawn"]: row["win"] for row in own if row["agent"] == "general"}
    for mean in means:
        wins = {r["drawn"]: r["win"] for r in own if (r["agent"], r["seen"]) == (mean["agent"], mean["seen"])}
        assert mean["win"] == pytest.approx(np.mean(list(wins.values())), abs=1e-5)
        margins = [r["margin"] for r in own if (r["agent"], r["seen"]) == (mean["agent"], mean["seen"])]
        assert mean["margin"] == pytest.approx(np.mean(margins), abs=1e-5)
        assert (mean["least"], mean["most"]) == (min(wins.values()), max(wins.values()))
        if mean["agent"] == "general":
            assert mean["general"] is None
        else:
            difference = np.mean([general[seed] - win for seed, win in wins.items()])
            assert mean["general"]["win"] == pytest.approx(difference, abs=1e-5)
    (alone,) = (row for row in own if row["agent"] == "alone")
    assert [other["to"] for other in alone["differences"]] == ["random", "greedy", "general"]

    sections = "".join(f"<!-- {one} -->\nolder\n<!-- /{one} -->\n" for one in ("generalise", "generalise-alone"))
    made = renewed(sections, "agents", tmp_path)
    assert "older" not in made
    assert f"| {name} | unseen | greedy |" in made
    assert f"| {name} | {UNSEEN_FROM + 1} |" in made


def test_intervals_of_means_are_over_decks() -> None:
    def row(agent: str, drawn: int, win: float) -> dict[str, Any]:
        plain = {"game": "g", "opponent": "o", "setting": "s", "seats": 2, "seen": False, "games": 100, "illegal": 0}
        return plain | {
            "agent": agent,
            "drawn": drawn,
            "win": win,
            "draw": 0.0,
            "loss": 1 - win,
            "turn_limit": 0.0,
            "unfinished": 0.0,
            "margin": win,
        }

    wins = {"greedy": (0.5, 0.7, 0.6), "general": (0.6, 0.8, 0.7)}
    greedy, general = means_of([row(agent, k, win) for agent, some in wins.items() for k, win in enumerate(some)])
    assert (greedy["win"], greedy["games"], greedy["places"]) == (pytest.approx(0.6), 300, 3)
    assert greedy["win_high"] - greedy["win"] == pytest.approx(4.303 * 0.1 / 3**0.5, abs=1e-3)  # Student, 2 degrees
    assert greedy["general"]["win"] == pytest.approx(0.1)
    assert -1 < greedy["general"]["win_low"] < 0.1 < greedy["general"]["win_high"] < 1  # though alike on each deck
    assert general["general"] is None
    (one,) = means_of([row("general", 0, 0.4)])
    assert (one["win_low"], one["win_high"]) == pytest.approx((0.309, 0.498), abs=1e-3)  # Wilson, 40 of 100


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        (["--setting", "hard"], "there is no setting 'hard'"),
        (["--opponent", "greedy"], "--opponent is for two players"),
        (["--setting", "base", "--opponent", "nobody"], "there is no agent 'nobody'"),
        (["--players", "3"], "--players is no option of Death Valley"),
        (["--agents", "nobody"], "there is no agent 'nobody'"),
        (["--unseen", "1"], "--unseen 1 is too small"),
        (["--games", "0"], "--games 0 is too small"),
    ],
)
def test_wrong_arguments(more: list[str], complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_networks(tmp_path, "deathvalley")
    assert main(command_of(tmp_path, "deathvalley", *more)) == 2
    assert complaint in capsys.readouterr().err


def test_wrong_networks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_networks(tmp_path, "deathvalley")
    general, alone = str(tmp_path / GENERAL), str(tmp_path / ALONE)
    other = write_network(tmp_path / "other.npz", game_of("deathvalley", 0))
    for networks, complaint in (
        (["--general", alone], "was trained on 'drawn 2000001'"),
        (["--general", general, "--alone", general], "on none of the 2 unseen decks"),
        (["--general", general, "--alone", other], "on none of the 2 unseen decks"),
        (["--general", general, "--alone", alone, alone], "on the same deck or board"),
        (["--general", str(tmp_path / "nothing.npz")], "cannot read the network"),
    ):
        assert main(["generalise", *networks, "--unseen", "2", "--games", "2"]) == 2
        assert complaint in " ".join(capsys.readouterr().err.split())
