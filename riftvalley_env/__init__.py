from pathlib import Path

from valley_core.jit import register_package

register_package(__name__, Path(__file__).parent)

from riftvalley_env.board import Board, BoardError, load_board  # noqa: E402
from riftvalley_env.game import make_game  # noqa: E402
from riftvalley_env.generator import generate_board  # noqa: E402

__all__ = ["Board", "BoardError", "generate_board", "load_board", "make_game"]
