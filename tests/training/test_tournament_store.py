"""A folder is a run's own, and no state of its file loses or doubles a block."""

import dataclasses
import json
from pathlib import Path

import pytest

from deathvalley_env.game import make_game
from training.tournament_lineups import Block
from training.tournament_store import FILE, Store, identity
from valley_core.errors import OptionError

RUN = {"seed": 0, "agents": ["a", "b"]}
BLOCKS = {
    (0, 0): Block(["01", "10"], ["0", "0"], ["a", "b"], [0, 0]),
    (0, 1): Block(["--", "01"], ["1", "0"], ["c", "d"], [0, 3]),
    (1, 0): Block(["10"], ["0"], ["e"], [0, 0]),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with all blocks."""
    store = Store(tmp_path / "made" / "run", RUN)
    for key, block in BLOCKS.items():
        store.put(key, block)
    return tmp_path / "made" / "run"


def test_blocks_come_back(folder: Path) -> None:
    store = Store(folder, RUN)
    assert store.blocks == BLOCKS
    assert store.dropped == 0
    assert [file.name for file in folder.iterdir()] == [FILE]
    for line in (folder / FILE).read_text(encoding="utf-8").splitlines():
        assert json.loads(line).keys() == {"crc32", "content"}


def test_a_folder_is_made_with_the_first_block(tmp_path: Path) -> None:
    store = Store(tmp_path / "run", RUN)
    assert not (tmp_path / "run").exists()
    store.put((0, 0), BLOCKS[0, 0])
    assert Store(tmp_path / "run", RUN).blocks == {(0, 0): BLOCKS[0, 0]}


def test_without_a_folder_blocks_are_kept_in_memory() -> None:
    store = Store(None, RUN)
    store.put((0, 0), BLOCKS[0, 0])
    assert store.blocks == {(0, 0): BLOCKS[0, 0]}


def test_a_file_cut_off_at_any_byte_gives_whole_blocks_and_goes_on(folder: Path, tmp_path: Path) -> None:
    whole = (folder / FILE).read_bytes()
    header = whole.index(b"\n") + 1
    ends = [i + 1 for i, byte in enumerate(whole) if byte == ord("\n")][1:]
    for cut in range(header, len(whole) + 1):
        here = tmp_path / str(cut)
        here.mkdir()
        (here / FILE).write_bytes(whole[:cut])
        store = Store(here, RUN)
        count = sum(end <= cut for end in ends)
        assert store.blocks == dict(list(BLOCKS.items())[:count])
        assert store.dropped == (cut not in (header, *ends))
        for key, block in BLOCKS.items():
            if key not in store.blocks:
                store.put(key, block)
        assert (here / FILE).read_bytes() == whole


def test_any_changed_byte_is_noticed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = (folder / FILE).read_bytes()
    header = whole.index(b"\n") + 1
    for i in range(0, len(whole), 3):
        changed = bytearray(whole)
        changed[i] ^= 1
        (folder / FILE).write_bytes(bytes(changed))
        if i < header:
            with pytest.raises(OptionError, match=r"first line of .* is damaged"):
                Store(folder, RUN)
            continue
        store = Store(folder, RUN)
        assert store.dropped >= 1
        assert store.blocks.items() < BLOCKS.items()
        assert "damaged line(s) dropped; their games are played again" in capsys.readouterr().err
        assert Store(folder, RUN).dropped == 0  # the file is whole again
    (folder / FILE).write_bytes(b"")
    with pytest.raises(OptionError, match="delete the file"):
        Store(folder, RUN)


def test_a_block_that_occurs_twice_counts_once(folder: Path) -> None:
    Store(folder, RUN).put((0, 1), BLOCKS[0, 1])
    assert Store(folder, RUN).blocks == BLOCKS


def test_another_run_is_refused_with_the_difference(folder: Path) -> None:
    before = (folder / FILE).read_bytes()
    with pytest.raises(OptionError, match=r"another run \(seed 0 there, 7 here\); name another --store"):
        Store(folder, RUN | {"seed": 7})
    with pytest.raises(OptionError, match=r"\(agents \['a', 'b'\] there, \['a'\] here; deck None there, x here\)"):
        Store(folder, RUN | {"agents": ["a"], "deck": "x"})
    assert (folder / FILE).read_bytes() == before


def test_a_run_is_known_by_all_that_changes_its_games(tmp_path: Path) -> None:
    def of(weights: bytes = b"1", agents: tuple[str, ...] = ("random",), variant: str = "base", seed: int = 0) -> dict:
        (tmp_path / "weights").write_bytes(weights)
        return identity(make_game(variant=variant), [*agents, f"net:{tmp_path / 'weights'}"], seed=seed)

    first = of()
    assert of() == first == json.loads(json.dumps(first))
    for other in (of(weights=b"2"), of(agents=("greedy",)), of(variant="backseat"), of(seed=1)):
        assert other != first
    game = make_game()
    data = game.data.copy()
    assert identity(dataclasses.replace(game, data=data), []) == identity(game, [])
    data.view("u1")[0] ^= 1
    assert identity(dataclasses.replace(game, data=data), [])["data"] != identity(game, [])["data"]
