"""The finished blocks of a tournament on disk, so that a run can be killed at any moment and go on.

A folder holds one file, `FILE`, of JSON Lines. The first line says which run it is; it is written to a temporary file,
which then takes the file's name. Every other line is a block, appended whole and flushed to the disk. Each line carries
a CRC-32 of its content. A last line that was cut off, or any other that is damaged, is dropped, and its block is played
again; a block that occurs twice counts once. A folder of another run is refused.
"""

import dataclasses
import json
import os
import sys
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from training.files import digest, digests_of_files, refuse_another_run, write_whole
from training.report import ROOT
from training.tournament_lineups import Block
from valley_core.errors import OptionError
from valley_core.game import Game

FILE = "blocks.jsonl"

SOURCES = (
    *("valley_core/**/*", "deathvalley_env/**/*", "riftvalley_env/**/*", "agents/**/*"),
    *("training/match.py", "training/seeds.py", "training/tournament_lineups.py"),
)
"""Files, data included, on which the course of a game and its places depend."""

Key = tuple[int, int]
"""Numbers of the round and of the lineup."""


def identity(game: Game, agents: Iterable[str], **more: Any) -> dict[str, Any]:
    """What must be the same for two runs to have the same games.

    Args:
        game: With its options; the deck or boards count by their content.
        agents: Their names; where one points to a file, its content counts.
        more: Further settings.
    """
    names = list(agents)
    return more | {
        "game": game.name,
        "options": {name: str(value) for name, value in game.options.items()},
        "data": digest(game.data.tobytes()),
        "agents": names,
        "files": digests_of_files(names),
        "sources": digest(*(part for file in _sources() for part in (str(file).encode(), (ROOT / file).read_bytes()))),
    }


def _sources() -> list[Path]:
    files = (file for pattern in SOURCES for file in ROOT.glob(pattern) if "__pycache__" not in file.parts)
    return sorted(file.relative_to(ROOT) for file in files if file.is_file())


def _line(content: Any) -> bytes:
    text = json.dumps(content)
    return json.dumps({"crc32": zlib.crc32(text.encode()), "content": content}).encode() + b"\n"


def _content(line: bytes) -> Any:
    """The content of a line; None if it is damaged."""
    try:
        content = json.loads(line)["content"]
    except (ValueError, TypeError, KeyError):
        return None
    return content if line == _line(content) else None


class Store:
    """Blocks by round and lineup; kept in memory alone if there is no folder.

    Attributes:
        blocks: What has been finished.
        dropped: Damaged lines that were found.
    """

    def __init__(self, folder: Path | None, run: Mapping[str, Any]) -> None:
        """Read a folder; it is made with the first block.

        Args:
            folder: None to keep nothing.
            run: Which run it is (`identity`), in plain values.

        Raises:
            OptionError: The folder holds another run, or its first line is damaged.
            OSError: It cannot be read or written.
        """
        self.blocks: dict[Key, Block] = {}
        self.dropped = 0
        self._run = _line(dict(run))
        self._file = None if folder is None else folder / FILE
        if self._file is None or not self._file.exists():
            return
        first, *lines = self._file.read_bytes().splitlines(keepends=True) or [b""]
        _same(self._file, _content(first), json.loads(json.dumps(run)))
        good = []
        for line in lines:
            content = _content(line)
            if content is None:
                self.dropped += 1
            else:
                good.append(line)
                *key, block = content
                self.blocks[key[0], key[1]] = Block(**block)
        if self.dropped:
            what = f"{self.dropped} damaged line(s) dropped; their games are played again"
            print(f"{self._file}: {what}", file=sys.stderr)
            write_whole(self._file, b"".join([first, *good]))

    def put(self, key: Key, block: Block) -> None:
        """Keep a finished block. When this returns, it is on the disk."""
        if self._file is not None:
            if not self._file.exists():
                write_whole(self._file, self._run)
            with self._file.open("ab") as file:
                file.write(_line([*key, dataclasses.asdict(block)]))
                file.flush()
                os.fsync(file.fileno())
        self.blocks[key] = block


def _same(file: Path, there: Any, here: Mapping[str, Any]) -> None:
    """Raise `OptionError` unless both runs are the same."""
    if not isinstance(there, dict):
        raise OptionError(f"the first line of {file} is damaged, so whose games it holds is not known; delete the file")
    refuse_another_run(file.parent, there, here, "--store")
