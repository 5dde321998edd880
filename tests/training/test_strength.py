"""What a network wins, written into its file."""

from pathlib import Path

import pytest

from agents.network import load_network
from tests.agents.networks import write_network
from tests.agents.tables import game_of
from training.__main__ import main
from training.strength import SEED


def test_a_solo_network_is_measured_in_all_four_settings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_network(tmp_path / "a.npz", game_of("solo"))
    copy = tmp_path / "made" / "copy.npz"
    assert main(["strength", str(path), "--games", "40", "--write", str(copy)]) == 0
    strength = load_network(copy)[1].strength
    assert [one.setting for one in strength] == ["none", "discard_points", "must_outbust", "both"]
    assert {(one.opponent, one.games, one.seed) for one in strength} == {("solo AI", 40, SEED)}
    assert {one.stream for one in strength} == {"strength"}
    assert capsys.readouterr().out.count("against solo AI: won") == 4
    assert load_network(path)[1].strength == ()
    assert (load_network(copy)[0].flat[1] == load_network(path)[0].flat[1]).all()


def test_a_network_for_more_players_meets_all_rivals(tmp_path: Path) -> None:
    path = write_network(tmp_path / "a.npz", game_of("backseat"))
    assert main(["strength", str(path), "--games", "9", "--write", str(path)]) == 0
    strength = load_network(path)[1].strength
    assert {one.setting for one in strength} == {"backseat"}
    assert [one.opponent for one in strength] == ["random", "greedy", "mcts:50"]
    assert {one.games for one in strength} == {8}  # as many in each seat


def test_a_setting_that_does_not_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_network(tmp_path / "a.npz", game_of("base"))
    for setting, message in (("easy", "there is no setting 'easy'"), ("base", "won")):
        code = main(["strength", str(path), "--games", "2", "--settings", setting])
        assert (code, message in "".join(capsys.readouterr())) == (0 if setting == "base" else 2, True)
    other = write_network(tmp_path / "b.npz", game_of("base", "mixed"))
    assert main(["strength", str(other), "--games", "2"]) == 2
    assert "fits no setting of Death Valley as it is shipped" in capsys.readouterr().err
    assert main(["strength", str(other), "--games", "2", "--settings", "base"]) == 2
    assert "was trained on" in capsys.readouterr().err
