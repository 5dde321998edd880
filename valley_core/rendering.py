"""Pictures of a game: as text for every game, and whatever else a game brings along.

A drawing is a function ``(game, state, data) -> picture`` that can be imported by name; a game passes them to its
adapters by render mode, as in ``{"svg": draw_svg}``, and replaces the ones here where it has better ones.
"""

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any

import numpy as np

from valley_core.errors import OptionError
from valley_core.game import Game

Drawing = Callable[[Game, Any, Any], Any]
Drawings = Mapping[str, Drawing]

MARGIN = 12
"""Pixels around a text."""

FRAME = (1280, 720)
"""Width and height of every picture, in pixels, so that pictures make a film; a larger text is scaled down."""


def draw_text(game: Game, state: Any, data: Any) -> str:
    """``ansi``: the table with all that is public, as lines of text."""
    return game.describe(state, data)


def print_text(game: Game, state: Any, data: Any) -> None:
    """``human``: the same, on standard output."""
    print(game.describe(state, data), flush=True)


def draw_pixels(game: Game, state: Any, data: Any) -> np.ndarray:
    """``rgb_array``: the text drawn by Pillow, uint8 of shape (720, 1280, 3); needs no display."""
    from PIL import Image, ImageDraw

    text = game.describe(state, data)
    _, _, right, bottom = ImageDraw.Draw(Image.new("RGB", (1, 1))).multiline_textbbox((MARGIN, MARGIN), text)
    page = Image.new("RGB", (int(right) + MARGIN, int(bottom) + MARGIN), "white")
    ImageDraw.Draw(page).multiline_text((MARGIN, MARGIN), text, fill="black")
    page.thumbnail(FRAME)
    frame = Image.new("RGB", FRAME, "white")
    frame.paste(page)
    return np.array(frame)


DEFAULTS: Drawings = {"ansi": draw_text, "human": print_text, "rgb_array": draw_pixels}


def render_modes(drawings: Drawings | None) -> list[str]:
    """The render modes of an adapter with these drawings of its own."""
    return list({**DEFAULTS, **(drawings or {})})


def drawing_of(render_mode: str | None, drawings: Drawings | None) -> Drawing | None:
    """The drawing of a render mode; None for None.

    Raises:
        OptionError: There is no such mode.
        ImportError: It needs Pillow, which is not installed.
    """
    if render_mode is None:
        return None
    known = {**DEFAULTS, **(drawings or {})}
    if render_mode not in known:
        raise OptionError(
            f"render_mode={render_mode!r} is not possible; choose None or one of {', '.join(map(repr, known))}"
        )
    if known[render_mode] is draw_pixels and find_spec("PIL") is None:
        raise ImportError("render_mode='rgb_array' needs Pillow: pip install 'valley-envs[render]'")
    return known[render_mode]
