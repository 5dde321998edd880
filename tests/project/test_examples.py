"""The examples of README and docs: Python runs as it stands, but for the length of a training; commands are read."""

import importlib
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.item_network import ItemNetwork
from agents.network import load_network
from agents.trained import WEIGHTS
from deathvalley_env.__main__ import _parser as deck_parser
from riftvalley_env.__main__ import _parser as board_parser
from training import train
from training.__main__ import COMMANDS
from training.command import parsed
from training.course import course_of
from training.ranges import check_numbers

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
    code = compile(block, f"example of {page.name}", "exec")
    try:
        exec(code, {"__name__": "__main__"})
    except SystemExit as end:  # as a script ends that runs a command
        if end.code != 0:
            raise


def test_the_interfaces_have_examples() -> None:
    assert len(EXAMPLES) >= 8


def test_the_loader_of_the_documentation_reads_networks(capsys: pytest.CaptureFixture[str]) -> None:
    """What it says of observations is what `agents.network` says."""
    (block,) = [
        block
        for page in PAGES
        for block in BLOCK.findall(page.read_text(encoding="utf-8"))
        if "def load_torch" in block
    ]
    names: dict[str, Any] = {}
    exec(compile(block, "docs/agents.md", "exec"), names)
    rng = np.random.default_rng(1)
    files = sorted(WEIGHTS.glob("*.npz"))
    assert files
    for path in files:
        network, metadata = load_network(path)
        if not isinstance(network, ItemNetwork):
            seen = rng.random((5, metadata.inputs + 3), np.float32)
            logits, values = names["load_torch"](path)(torch.from_numpy(seen))
            expected = network.outputs(seen)
            np.testing.assert_allclose(logits.numpy(), expected[0], rtol=1e-3, atol=1e-3)
            np.testing.assert_allclose(values.numpy(), expected[1], rtol=1e-3, atol=1e-3)


# --- Commands ---------------------------------------------------------------------------------------------------------

FENCED = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"`(python -m [^`]*)`")
PROGRAMS = ("training", "deathvalley_env", "riftvalley_env")
PLACEHOLDER = re.compile(r"…|\.\.\.|<[a-z]+>|\b(FILE|FOLDER|PATH|GAME|NAME|RUN|DIR)\b")


def words_of(line: str) -> list[str]:
    """The words of a command line, without its comment and what is done with its output."""
    words = shlex.split(line.replace("\n", " ").removeprefix("$ "), comments=True)
    return words[: next((k for k, word in enumerate(words) if word in (">", "|", "&&")), len(words))]


def commands() -> Iterator[tuple[str, list[str]]]:
    """Page and words of each command, in the order in which a reader meets them."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        blocks = [block for language, block in FENCED.findall(text) if language != "python"]
        lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
        for line in (*lines, *INLINE.findall(text)):
            words = words_of(line) if "python -m" in line else []
            # `python -m training` and `python -m training train` alone name a program, or a command, in a sentence.
            if words[:2] == ["python", "-m"] and words[2] in PROGRAMS and len(words) > 3:
                yield page.name, words[2:]


COMMAND_LINES = list(commands())


@pytest.mark.parametrize(("page", "words"), COMMAND_LINES, ids=lambda part: part if isinstance(part, str) else None)
def test_a_command_of_the_documentation_is_read_as_it_stands(page: str, words: list[str]) -> None:
    program, *arguments = words
    assert not PLACEHOLDER.search(" ".join(words)), f"{page}: {' '.join(words)}"
    if program == "training":
        assert arguments[0] in COMMANDS
        if arguments[1:]:
            check_numbers(parsed(arguments[0], importlib.import_module(f"training.{arguments[0]}").Args, arguments[1:]))
    else:
        (deck_parser() if program == "deathvalley_env" else board_parser()).parse_args(arguments)


def test_files_of_runs_are_written_by_another_command() -> None:
    """A network that a command names is one that another one on the pages makes, so that both work."""
    folders, named = {"runs/expert"}, []
    for page, (program, *arguments) in COMMAND_LINES:
        if program != "training" or len(arguments) < 2:
            continue
        if arguments[0] == "train" and "--resume" not in arguments:
            args = parsed("train", train.Args, arguments[1:])
            folders.add(train.folder_of(args, course_of(args)).as_posix())
        if arguments[0] == "expert":
            folders.add(arguments[arguments.index("--folder") + 1])
        named += [(page, word) for word in arguments if re.match(r"runs/.*\.npz$", word)]
        named += [(page, arguments[k + 1] + "/x") for k, word in enumerate(arguments) if word == "--resume"]
    assert named
    for page, word in named:
        assert word.rpartition("/")[0] in folders, f"{page}: no command makes {word}"


def test_commands_are_found() -> None:
    assert len(COMMAND_LINES) > 40
    assert {program for _, (program, *_) in COMMAND_LINES} == set(PROGRAMS)
