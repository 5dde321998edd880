"""Expert iteration: what is played, what is fitted, and that a run goes on where it stopped."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from agents.mcts import Options, Searched, leaf_of
from agents.network import load_network
from tests.agents.tables import leaf_says
from training import expert
from training.__main__ import main
from training.expert import (
    MOST_SCALE,
    Args,
    Decided,
    build,
    exported,
    fit,
    games_of,
    improved,
    observed,
    scale_of,
    searched_games,
)
from training.match import deal_seeds
from valley_core.decisions import Decisions
from valley_core.game import Status

QUICK = ["--games", "30", "--simulations", "8", "--epochs", "2", "--minibatch", "64", "--hidden", "16"]
QUICK += ["--evaluate", "20", "--quiet"]


def test_searched_decisions_had_a_choice_and_values_within_bounds() -> None:
    for game in ("deathvalley", "riftvalley"):
        setting = "both" if game == "deathvalley" else "identical"
        _, games = games_of(Args(game, setting=setting))
        found = searched_games(games[setting], deal_seeds(1, 12), Options(10), 0.25, 0.5, 10.0)
        observations, masks = observed(games[setting], found, np.arange(len(found.seats)))
        assert len(found.seats) > 50
        assert np.isfinite(observations).all()
        assert (masks.sum(1) > 1).all()
        assert (found.policies[~masks] == 0).all()
        assert_allclose(found.policies.astype(np.float64).sum(1), 1, atol=2e-3)
        assert (np.abs(found.values) <= 1).all()
        assert all(games[setting].kernels.status(state) == Status.RUNNING for state in found.states[:20])


def test_the_improved_policy_is_the_prior_tilted_by_what_was_found() -> None:
    visits, means = np.array([[3, 1, 0, 0]]), np.array([[0.5, -0.5, 0.1, 0.25]])
    priors = np.array([[0.25, 0.5, 0.25, 0.0]])  # the last action is illegal
    returns = np.array([(3 * 0.5 + 0.25) / 4, (-0.5 + 0.25) / 2, 0.25, 0.0])  # one simulation more
    expected = priors[0] * np.exp(2 * returns)
    found = Searched(visits, means, priors)
    assert_allclose(improved(found, 2.0)[0], expected / expected.sum())
    assert_allclose(improved(found, 0.0), priors)


def test_the_value_is_that_of_who_is_asked() -> None:
    _, games = games_of(Args(setting="base"))
    game = games["base"]
    found = searched_games(game, deal_seeds(2, 20), Options(5), 0.25, 0.0, 10.0)  # how the game ended, alone
    assert set(np.unique(found.values)) <= {-1.0, 0.0, 1.0}
    assert (found.values.sum(1) == 0).all()  # what one seat wins the other loses
    one, other = found.values[found.seats == 0, 0], found.values[found.seats == 1, 0]
    assert abs(one.mean() + other.mean()) < 0.6


def test_the_values_are_those_of_all_seats_from_who_is_asked_on() -> None:
    _, games = games_of(Args("riftvalley", setting="identical", players=3))
    winners = set()
    for seed in range(6):
        found = searched_games(games["identical"], deal_seeds(seed, 1), Options(4), 0.5, 0.0, 10.0)
        ends = {tuple(np.roll(values, seat)) for seat, values in zip(found.seats, found.values, strict=True)}
        assert set(found.seats) == {0, 1, 2}
        assert len(ends) == 1  # each seat's return, at whichever seat's decision
        winners |= {int(np.argmax(one)) for one in ends if max(one) == 1}
    assert len(winners) > 1
    expected = searched_games(games["identical"], deal_seeds(0, 3), Options(4), 0.5, 1.0, 10.0).values
    assert ((np.abs(expected) < 1).mean(0) > 0.9).all()  # what searches said, for the others, too


def test_games_repeat_from_their_seeds() -> None:
    _, games = games_of(Args(setting="none"))
    runs = [searched_games(games["none"], deal_seeds(seed, 6), Options(6), 0.25, 0.5, 10.0) for seed in (1, 1, 2)]
    assert runs[0].states.tobytes() == runs[1].states.tobytes()
    assert runs[0].values.tobytes() == runs[1].values.tobytes()
    assert runs[0].states.tobytes() != runs[2].states.tobytes()


def test_a_fit_learns_what_the_search_prefers() -> None:
    _, games = games_of(Args(setting="none"))
    found = searched_games(games["none"], deal_seeds(1, 60), Options(20), 0.25, 0.5, 10.0)
    losses = [
        fit(games["none"], found, None, Args(hidden=(32,), epochs=epochs, minibatch=64), 3)[1]["policy"]
        for epochs in (1, 60)
    ]
    assert losses[1] < losses[0] - 0.2


def test_a_fit_reads_small_entries_at_scale() -> None:
    _, games = games_of(Args("riftvalley", setting="identical"))
    game = games["identical"]
    found = searched_games(game, deal_seeds(1, 20), Options(2), 0.5, 0.0, 1.0)
    scale = game.layout.views(scale_of(game, found))
    assert (scale["stops"] == 1).all()
    assert (scale["scores"] > 3).all()
    assert max(part.max() for part in scale.values()) <= MOST_SCALE
    start = fit(game, found, None, Args(hidden=(8,), epochs=1, minibatch=64), 3)[0]
    same = fit(game, found, start, Args(epochs=1, minibatch=64, learning_rate=0.0), 3)[0]
    assert_allclose(same.flat[1], start.flat[1], rtol=1e-5)


def test_a_residual_fit_begins_with_the_rules_of_thumb() -> None:
    _, games = games_of(Args("riftvalley", setting="identical", players=3))
    game = games["identical"]
    found = searched_games(game, deal_seeds(1, 10), Options(4), 0.5, 0.0, 10.0)
    few = Decided(found.states[:128], found.seats[:128], found.policies[:128], found.values[:128])
    args = Args(hidden=(8,), epochs=1, minibatch=128, learning_rate=0.0, residual=True)
    network, losses = fit(game, few, None, args, 3)
    assert network.residual
    assert network.values == 3
    assert not network.policy[0].any()
    decisions = Decisions(game, few.states, few.seats, np.arange(128))
    priors, values = leaf_says(game, leaf_of(game, "judge"), decisions)
    surprise = -(few.policies * np.log(np.where(decisions.masks, np.maximum(priors, 1e-9), 1.0))).sum(1).mean()
    assert losses["policy"] == pytest.approx(surprise, abs=0.02)
    rolled = np.stack([np.roll(own, -seat) for seat, own in zip(few.seats, values, strict=True)])
    assert losses["value"] == pytest.approx(((rolled - few.values) ** 2).mean(), abs=1e-3)
    learnt = fit(game, found, None, Args(hidden=(32,), epochs=20, minibatch=64, residual=True), 3)[1]
    assert learnt["policy"] < losses["policy"]
    assert learnt["value"] < losses["value"]


def test_networks_go_to_torch_and_back() -> None:
    from training.layers import take_over

    module = build(7, (5, 4), 3, values=2)
    network = exported(module)
    other = build(7, (5, 4), 3, values=2)
    take_over(network, other["trunk"], other["policy"], other["value"])
    again = exported(other)
    for name, (weights, bias) in network.layers().items():
        assert (weights == again.layers()[name][0]).all()
        assert (bias == again.layers()[name][1]).all()


def test_saved_games_are_read_as_they_were(tmp_path: Path) -> None:
    _, games = games_of(Args(setting="none"))
    found = searched_games(games["none"], deal_seeds(1, 4), Options(4), 0.25, 0.5, 10.0)
    found.save(tmp_path / "games-0.npz")
    again = Decided.load(tmp_path / "games-0.npz")
    assert again.states.tobytes() == found.states.tobytes()
    assert again.states.dtype == found.states.dtype
    assert [file.name for file in tmp_path.iterdir()] == ["games-0.npz"]


def test_a_run_goes_on_where_it_stopped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    arguments = ["expert", *QUICK, "--iterations", "2"]
    assert main([*arguments, "--folder", str(whole)]) == 0
    assert main([*arguments[:-1], "1", "--folder", str(broken)]) == 0
    (broken / "games-1.partial").write_bytes(b"torn")
    assert main([*arguments, "--folder", str(broken)]) == 0
    assert "iteration 0: there already" in capsys.readouterr().out
    one, other = (load_network(folder / "network-1.npz") for folder in (whole, broken))
    assert (one[0].flat[1] == other[0].flat[1]).all()
    assert [strength.setting for strength in one[1].strength] == ["none", "discard_points", "must_outbust", "both"]
    assert {(strength.stream, strength.seed) for strength in one[1].strength} == {("expert_test", 0)}


def test_another_run_does_not_take_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["expert", *QUICK, "--iterations", "1", "--setting", "none", "--folder", str(tmp_path)]) == 0
    for change in (["--setting", "both"], ["--seed", "5"], ["--deck", "death_valley"]):
        again = ["expert", *QUICK, "--iterations", "1", "--setting", "none", "--folder", str(tmp_path), *change]
        assert main(again) == 2
        assert f"holds another run ({change[0][2:]}" in capsys.readouterr().err


def test_a_run_begins_with_a_network(tmp_path: Path) -> None:
    """From its own result on, guided by it from the first game; the width of its layers is kept."""
    first, second = tmp_path / "first", tmp_path / "second"
    assert main(["expert", *QUICK, "--iterations", "1", "--folder", str(first)]) == 0
    start = ["--start", str(first / "network-0.npz"), "--judge", "0", "--hidden", "99"]
    assert main(["expert", *QUICK, *start, "--iterations", "2", "--folder", str(second)]) == 0
    assert len(load_network(second / "network-1.npz")[0].hidden[0][1]) == 16


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--setting", "easy"], "there is no setting 'easy'"),
        (["--players", "3"], "--players is no option of Death Valley"),
        (["--games", "0"], "--games 0 is too small"),
        (["--explored", "2"], "--explored 2 must be from 0 to 1"),
        (["--exploration", "-3"], "--exploration -3 must be 0 or more"),
        (["--tilt", "-1"], "--tilt -1 must be 0 or more"),
        (["--rules", "2"], "--rules 2 must be from 0 to 1"),
        (["--rollouts", "2"], "--rollouts 2 must be from 0 to 1"),
        (["--spread", "-0.5"], "--spread -0.5 must be from 0 to 1"),
    ],
)
def test_wrong_arguments(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["expert", "--folder", str(tmp_path), *arguments]) == 2
    assert message in capsys.readouterr().err


def test_iterations_and_seeds_share_no_game(monkeypatch: pytest.MonkeyPatch) -> None:
    dealt: list[np.ndarray] = []
    monkeypatch.setattr(expert, "searched_games", lambda _game, seeds, *_: dealt.append(seeds))
    monkeypatch.setattr(Decided, "joined", staticmethod(list))
    for seed in (0, 1):
        for iteration in (0, 1, 1000):
            args = Args(setting="none", games=50, seed=seed)
            expert.play_iteration(args, {"none": SimpleNamespace()}, iteration, "judge", lambda _: None)
    games = np.concatenate(dealt)
    assert len(np.unique(games)) == len(games) == 300
    assert not set(games.tolist()) & set(deal_seeds(0, 1000).tolist())  # those of `evaluate --seed 0`
