"""The rates of public peers, measured by a script in an interpreter of their own, and ours as ratios to them."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from valley_core.errors import OptionError

Row = dict[str, Any]

COMPARED = (
    ("batch", "pgx", "connect_four"),
    ("batch", "pgx", "hex"),
    ("parallel", "pettingzoo", "connect_four_v3.raw_env"),
    ("aec_raw", "pettingzoo", "connect_four_v3.raw_env"),
    ("aec", "pettingzoo", "connect_four_v3.env"),
    ("mcts", "openspiel_mcts", "hearts"),
)
"""Which of our layers is compared with which peer and game; each at its best batch size."""


def peer_rows(python: str, script: Path, only: str, seconds: float) -> list[Row]:
    """What the script prints: one row for each JSON object, with ``peer``, ``game``, ``batch`` and ``steps_per_s``
    (of a search, simulations a second).

    Raises:
        OptionError: The script cannot be run, fails, or prints something else.
    """
    if not script.is_file():
        raise OptionError(f"there is no script {script}; name the peers' script with --peers-script")
    command = [python, str(script), "--seconds", f"{seconds:g}", "--only", only]
    try:
        done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=True)
    except OSError as error:
        raise OptionError(f"cannot run the peers' interpreter {python}: {error.strerror}") from error
    except subprocess.CalledProcessError as error:
        last = (error.stderr or "").strip().splitlines()[-1:]
        raise OptionError(f"the peers' script failed with exit code {error.returncode}: {''.join(last)}") from error
    return read_rows(done.stdout)


def read_rows(text: str) -> list[Row]:
    """The JSON objects of the peers' output, one a line.

    Raises:
        OptionError: A line is none.
    """
    rows = []
    for line in text.splitlines():
        if line.strip():
            try:
                row = json.loads(line)
            except ValueError:
                row = None
            if not isinstance(row, dict) or "peer" not in row:
                raise OptionError(f"the peers' script printed {line[:80]!r}, which is no row with a peer")
            if "simulations_per_s" in row:
                row["steps_per_s"] = row.pop("simulations_per_s")  # a search's step is a simulation
            rows.append(row)
    return rows


def _best(rows: Sequence[Mapping[str, Any]], **wanted: str) -> Mapping[str, Any] | None:
    found = [
        row for row in rows if "steps_per_s" in row and all(row.get(key) == value for key, value in wanted.items())
    ]
    return max(found, key=lambda row: row["steps_per_s"], default=None)


def ratio_rows(rows: Sequence[Row], peers: Sequence[Row]) -> list[Row]:
    """Our best rate over the peer's best, for each comparison of which both sides were measured."""
    ratios = []
    for layer, peer, game in COMPARED:
        ours, theirs = _best(rows, layer=layer), _best(peers, peer=peer, game=game)
        if ours and theirs:
            ratios.append(
                {
                    "game": ours["game"],
                    "layer": layer,
                    "batch": ours["batch"],
                    "steps_per_s": ours["steps_per_s"],
                    "peer": f"{peer} {game} × {theirs['batch']}",
                    "peer_steps_per_s": theirs["steps_per_s"],
                    "ratio": ours["steps_per_s"] / theirs["steps_per_s"],
                }
            )
    return ratios
