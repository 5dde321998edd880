"""Networks as arrays, their files, and which games they fit."""

import dataclasses
import functools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.network import (
    MOST_BYTES,
    NetworkError,
    Strength,
    check_fit,
    encoding_of,
    load_network,
    metadata_of,
    provenance_of,
    save_network,
)
from agents.trained import WEIGHTS
from deathvalley_env.deck import deck_from_dict, load_deck
from deathvalley_env.game import make_game
from riftvalley_env.board import load_board
from riftvalley_env.game import make_game as rift_valley
from tests.agents.networks import random_network, write_network
from valley_core.errors import OptionError

death_valley = functools.partial(make_game, card_facts=True)

WITHOUT_FACTS = death_valley(card_facts=False)
INPUTS, ACTIONS = WITHOUT_FACTS.layout.size, WITHOUT_FACTS.num_actions


def rewritten(path: Path, **changed: Any) -> Path:
    """The file with other entries: None takes one out; what is no array goes into the metadata."""
    with np.load(path) as file:
        arrays = dict(file)
    metadata = json.loads(str(arrays["metadata"]))
    for name, value in changed.items():
        target = arrays if name in arrays or isinstance(value, np.ndarray) else metadata
        target[name] = value
        if value is None:
            del target[name]
    if "metadata" in arrays:
        arrays["metadata"] = np.array(json.dumps(metadata))
    np.savez(path, **arrays)
    return path


# --- Forward pass -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_the_outputs_for_one_observation_by_hand(activation: str) -> None:
    network = random_network(5, 3, (4, 2), activation)
    observations = np.random.default_rng(1).normal(size=(6, 5)).astype(np.float32)
    logits, values = network.outputs(observations)
    assert logits.shape == (6, 3)
    assert values.shape == (6, 1)
    assert logits.dtype == values.dtype == np.float32
    for row, (expected, value) in enumerate(zip(logits, values, strict=True)):
        x = observations[row].astype(float)
        for weights, bias in network.hidden:
            sums = [sum(x[i] * weights[i, j] for i in range(len(x))) + bias[j] for j in range(len(bias))]
            x = np.array([max(s, 0.0) if activation == "relu" else np.tanh(s) for s in sums])
        assert [float(x @ column) + b for column, b in zip(network.policy[0].T, network.policy[1], strict=True)] == (
            pytest.approx(expected.tolist(), abs=1e-5)
        )
        assert x @ network.value[0][:, 0] + network.value[1][0] == pytest.approx(value[0], abs=1e-5)


def test_entries_after_the_input_are_ignored() -> None:
    network = random_network(5, 3)
    longer = np.random.default_rng(1).normal(size=(6, 9)).astype(np.float32)
    # Rows of another length in memory may be summed up in another order.
    np.testing.assert_allclose(network.outputs(longer)[0], network.outputs(longer[:, :5].copy())[0], atol=1e-5)


def test_a_network_without_hidden_layers() -> None:
    network = random_network(5, 3, ())
    assert (network.inputs, network.last, network.actions) == (5, 5, 3)
    logits, _ = network.outputs(np.zeros((1, 5), np.float32))
    assert (logits[0] == network.policy[1]).all()


def changed(part: str, weights: np.ndarray, bias: np.ndarray) -> dict[str, Any]:
    return {part: ((weights, bias),) if part == "hidden" else (weights, bias)}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"activation": "gelu"}, "relu or tanh"),
        (changed("policy", np.zeros((12, 3)), np.zeros(3, np.float32)), "must be float32"),
        (changed("policy", np.zeros((11, 3), np.float32), np.zeros(3, np.float32)), "cannot follow"),
        (changed("policy", np.zeros((12, 3), np.float32), np.zeros(4, np.float32)), r"needs weights \(in, out\)"),
        (changed("policy", np.full((12, 3), np.nan, np.float32), np.zeros(3, np.float32)), "not finite"),
        (changed("value", np.zeros((11, 1), np.float32), np.zeros(1, np.float32)), "cannot follow"),
        (changed("hidden", np.zeros((5, 0), np.float32), np.zeros(0, np.float32)), r"needs weights \(in, out\)"),
    ],
)
def test_arrays_that_do_not_fit_together(change: dict[str, Any], message: str) -> None:
    with pytest.raises(NetworkError, match=message):
        dataclasses.replace(random_network(5, 3), **change)


def test_both_heads_read_the_same_without_hidden_layers() -> None:
    value = np.zeros((6, 1), np.float32), np.zeros(1, np.float32)
    with pytest.raises(NetworkError, match=r"value head has shape \(6, 1\); it must be \(5, values\)"):
        dataclasses.replace(random_network(5, 3, ()), value=value)


# --- Files ------------------------------------------------------------------------------------------------------------


def test_a_file_gives_back_the_network_and_its_metadata(tmp_path: Path) -> None:
    network = random_network(INPUTS, ACTIONS, activation="tanh", values=2, residual=True)
    strength = (Strength("base", "greedy", 1000, 0.5, 0.47, 0.53, 7),)
    metadata = metadata_of(
        WITHOUT_FACTS, inputs=INPUTS, command="train", seed=3, versions={"numpy": "2"}, strength=strength
    )
    save_network(tmp_path / "deep" / "a.npz", network, metadata)
    loaded, about = load_network(tmp_path / "deep" / "a.npz")
    assert about == metadata
    assert about.settings["variant"] == "base"
    assert (loaded.activation, loaded.values, loaded.residual) == ("tanh", 2, True)
    for name, (weights, bias) in network.layers().items():
        for written, read in zip((weights, bias), loaded.layers()[name], strict=True):
            assert read.dtype == np.float32
            assert (read == written.astype(np.float16)).all()


def test_the_same_network_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_network(tmp_path / f"{name}.npz", WITHOUT_FACTS)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_a_file_that_is_written_again_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    seeds = []
    for seed in (1, 2):
        write_network(path, WITHOUT_FACTS, seed=seed)
        seeds.append(load_network(path)[1].seed)
    assert seeds == [1, 2]


def test_too_large_and_out_of_range(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    metadata = metadata_of(WITHOUT_FACTS, inputs=INPUTS, command="", seed=0, versions={})
    with pytest.raises(NetworkError, match=r"2,000,000 are allowed: train smaller"):
        save_network(path, random_network(INPUTS, ACTIONS, (1500, 600)), metadata)
    network = random_network(INPUTS, ACTIONS)
    network.policy[0][3, 1] = 1e6
    with pytest.raises(NetworkError, match=r"'policy' .* too large for float16"):
        save_network(path, network, metadata)
    with pytest.raises(NetworkError, match=f"metadata is of {INPUTS} inputs, but the network has 7"):
        save_network(path, random_network(7, ACTIONS), metadata)
    assert not path.exists()
    path.write_bytes(bytes(MOST_BYTES + 1))
    with pytest.raises(NetworkError, match=r"2,000,001 bytes"):
        load_network(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"metadata": None}, "no file of a network"),
        ({"format": 99}, r"format 99, .* reads 1"),
        ({"format": None}, "no file of a network"),
        ({"policy_bias": None}, "incomplete or damaged .*policy_bias"),
        ({"policy_bias": np.zeros(3)}, "incomplete or damaged .*policy"),
        ({"hidden_1_weights": np.zeros((5, 12))}, "incomplete or damaged .*cannot follow"),
        ({"hidden": 3}, "incomplete or damaged .*hidden_2"),
        ({"hidden": "many"}, "incomplete or damaged"),
        ({"activation": "gelu"}, "incomplete or damaged .*relu or tanh"),
        ({"seats": None}, "incomplete or damaged .*seats"),
        ({"strength": [{"win": 1}]}, "incomplete or damaged"),
        ({"data": ["498e79ee49af"]}, "incomplete or damaged .*data is a list of names and digests, or null"),
        ({"inputs": 7}, "incomplete or damaged .*7 inputs"),
        ({"residual": "yes"}, "incomplete or damaged .*residual is true or false"),
    ],
)
def test_wrong_contents(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = tmp_path / "a.npz"
    write_network(path, WITHOUT_FACTS)
    with pytest.raises(NetworkError, match=message) as caught:
        load_network(rewritten(path, **change))
    assert str(path) in str(caught.value)


def test_no_file_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(NetworkError, match=r"cannot read the network .*none\.npz: No such file"):
        load_network(tmp_path / "none.npz")
    with pytest.raises(NetworkError, match="no file of a network"):
        load_network(tmp_path)


def test_damaged_files_are_refused_or_harmless(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    write_network(path, WITHOUT_FACTS)
    whole, expected = path.read_bytes(), load_network(path)
    rng = np.random.default_rng(5)
    damaged = [whole[: int(size)] for size in rng.integers(0, len(whole), 60)]
    for place in rng.integers(0, len(whole), 200):
        damaged.append(whole[:place] + bytes([whole[place] ^ int(rng.integers(1, 256))]) + whole[place + 1 :])
    refused = 0
    for k, content in enumerate(damaged):
        other = tmp_path / f"{k}.npz"
        other.write_bytes(content)
        try:
            network, metadata = load_network(other)
        except NetworkError:
            refused += 1
        else:  # a byte that nobody reads, as a date
            assert metadata == expected[1]
            assert (network.flat[1] == expected[0].flat[1]).all()
    assert refused > 200


def test_objects_are_not_unpickled(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, metadata=np.array({"format": 1}, dtype=object))
    with pytest.raises(NetworkError, match="no file of a network"):
        load_network(path)


# --- Which games it fits ----------------------------------------------------------------------------------------------


def test_an_encoding_is_what_is_read_and_done_whatever_cards_are_called() -> None:
    game, other = death_valley(), death_valley(deck="death_valley", variant="backseat")
    assert game.action_names != other.action_names
    assert encoding_of(game, INPUTS) == encoding_of(other, INPUTS) == encoding_of(WITHOUT_FACTS, INPUTS)
    different = {
        encoding_of(game, game.layout.size),
        encoding_of(game, INPUTS),
        *(encoding_of(g, g.layout.size) for n in (2, 3) for g in (rift_valley(num_players=n),)),
        encoding_of(rift_valley(actions="flat"), rift_valley().layout.size),
        encoding_of(rift_valley(boards="identical"), rift_valley(boards="identical").layout.size),
    }
    assert len(different) == 6


def test_data_by_name_and_digest() -> None:
    deck = load_deck("highs_and_lows")
    assert provenance_of(death_valley()) == ((deck.name, deck.digest),)
    boards = provenance_of(rift_valley())
    assert len(boards) == 5
    assert all(load_board(name.lower().replace(" ", "_")).digest == digest for name, digest in boards)


def test_boards_of_one_name_do_not_hide_each_other() -> None:
    known, other = load_board("heron_marsh"), load_board("fig_grove")
    other = dataclasses.replace(other, name=known.name)
    for pool in ([known, other], [other, known]):
        with pytest.raises(OptionError, match=rf"was trained on .*{known.digest}\), and this is .*{other.digest}\)"):
            fit(rift_valley(boards=[known, known]), rift_valley(boards=pool))
        fit(rift_valley(boards=pool), rift_valley(boards=[other, other]))
    fit(rift_valley(boards=[known, other], deal="fixed"), rift_valley(boards=[other, known], deal="fixed"))


def test_decks_of_one_name_are_told_apart() -> None:
    deck = load_deck("highs_and_lows")
    other = dataclasses.replace(load_deck("death_valley"), name=deck.name)
    with pytest.raises(OptionError, match=rf"was trained on .*{deck.digest}\), and this is .*{other.digest}\)"):
        fit(death_valley(deck=deck), death_valley(deck=other), INPUTS)


def test_files_of_before_hold_data_as_an_object(tmp_path: Path) -> None:
    """In them names are keys; they are read as ever."""
    path = tmp_path / "a.npz"
    game = rift_valley(boards="identical")
    about = metadata_of(game, inputs=game.layout.size, command="", seed=0, versions={})
    save_network(path, random_network(game.layout.size, game.num_actions, (4,)), about)
    before, data = load_network(path)[1], dict(provenance_of(game))
    assert load_network(rewritten(path, data=data))[1].data == before.data == provenance_of(game)
    for file in WEIGHTS.glob("*.npz"):
        shipped = load_network(file)[1].data
        assert shipped
        assert all(isinstance(name, str) and len(digest) == 12 for name, digest in shipped)


def fit(trained: Any, game: Any, inputs: int | None = None, **metadata: Any) -> None:
    inputs = trained.layout.size if inputs is None else inputs
    about = metadata_of(trained, inputs=inputs, command="", seed=0, versions={}, **metadata)
    check_fit("N", random_network(inputs, trained.num_actions), about, game)


def test_what_fits() -> None:
    game = death_valley()
    fit(game, game)
    fit(game, game, inputs=INPUTS)
    fit(game, WITHOUT_FACTS, inputs=INPUTS)
    fit(WITHOUT_FACTS, game)
    fit(game, death_valley(variant="backseat"))
    fit(game, death_valley(deck="death_valley"), any_data=True)
    deck = load_deck("highs_and_lows").to_dict()
    renamed = deck_from_dict(deck | {"name": "other"})
    fit(game, death_valley(deck=renamed))
    fit(rift_valley(), rift_valley(boards=["lion_rocks", "long_rift"]))


@pytest.mark.parametrize(
    ("game", "inputs", "message"),
    [
        (rift_valley(), None, r"the network N was trained for 'deathvalley' with 2 seats, and this is 'riftvalley'"),
        (WITHOUT_FACTS, None, r"reads 5,571 numbers .* gives 387: .*card_facts=True"),
        (
            death_valley(deck="death_valley"),
            INPUTS,
            r"trained on 'Highs & Lows' \(digest \w+\), and this is '.*' \(digest \w+\)",
        ),
    ],
)
def test_what_does_not_fit(game: Any, inputs: int | None, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        fit(death_valley(), game, inputs)


def test_boards_that_do_not_fit() -> None:
    few, all_boards = rift_valley(boards=["lion_rocks", "long_rift"]), rift_valley()
    with pytest.raises(OptionError, match=r"trained on 'Lion Rocks' .*'Long Rift' .*and this is '.*' \(digest"):
        fit(few, all_boards)
    with pytest.raises(OptionError, match=r"reads 3,977 numbers .* gives 2,409: its options differ"):
        fit(all_boards, rift_valley(boards="identical"))
    with pytest.raises(OptionError, match="another encoding"):
        fit(all_boards, rift_valley(actions="flat"))
    with pytest.raises(OptionError, match="with 2 seats"):
        fit(all_boards, rift_valley(num_players=3))


def test_a_file_cannot_name_a_length_that_a_kernel_would_not_keep() -> None:
    """A kernel writes all that changes in an observation, so that no shorter one may be asked for."""
    game = death_valley()
    with pytest.raises(OptionError, match="not 100"):
        metadata_of(game, inputs=100, command="", seed=0, versions={})
    about = metadata_of(game, inputs=INPUTS, command="", seed=0, versions={})
    short = dataclasses.replace(about, inputs=100, encoding=encoding_of(game, 100))
    with pytest.raises(OptionError, match="reads 100 numbers"):
        check_fit("N", random_network(100, ACTIONS), short, game)
    with pytest.raises(OptionError, match="has 5 actions, and this game 42"):
        check_fit("N", random_network(INPUTS, 5), about, game)
