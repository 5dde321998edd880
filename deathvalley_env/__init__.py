from pathlib import Path

from valley_core.jit import register_package

register_package(__name__, Path(__file__).parent)
