"""Rift Valley Reserve as reinforcement-learning environments; see `riftvalley_env.riftvalley_v0`."""

from pathlib import Path

from valley_core.jit import register_package

register_package(__name__, Path(__file__).parent)

# Kernels must know their package, hence the imports after the registration.
from riftvalley_env import riftvalley_v0  # noqa: E402
from riftvalley_env.board import Board, BoardError, board_from_text, load_board, shipped_boards  # noqa: E402
from riftvalley_env.game import make_game  # noqa: E402
from riftvalley_env.generator import generate_board  # noqa: E402
from riftvalley_env.registration import register  # noqa: E402
from riftvalley_env.riftvalley_v0 import (  # noqa: E402
    env,
    make_sb3_env,
    make_vec,
    parallel_env,
    raw_env,
    solo_env,
)

register()

__all__ = [
    "Board",
    "BoardError",
    "board_from_text",
    "env",
    "generate_board",
    "load_board",
    "make_game",
    "make_sb3_env",
    "make_vec",
    "parallel_env",
    "raw_env",
    "riftvalley_v0",
    "shipped_boards",
    "solo_env",
]
