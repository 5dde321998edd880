"""Named views on flat observations."""

import numpy as np
import pytest

from valley_core.layout import Field, Layout

pytestmark = pytest.mark.plain

LAYOUT = Layout((Field("grid", (2, 3), 0, 1, "a grid"), Field("margin", (1,), -2, 2, "a number")))


def test_size_start_and_slices() -> None:
    assert LAYOUT.size == 7
    assert (LAYOUT.start("grid"), LAYOUT.start("margin")) == (0, 6)
    assert [(field.name, where) for field, where in LAYOUT.slices()] == [("grid", slice(0, 6)), ("margin", slice(6, 7))]
    with pytest.raises(KeyError, match="no field 'score'"):
        LAYOUT.start("score")


@pytest.mark.parametrize("lead", [(), (4,), (2, 3)])
def test_views_share_memory(lead: tuple[int, ...]) -> None:
    flat = np.zeros((*lead, 7), np.float32)
    views = LAYOUT.views(flat)
    assert {name: view.shape for name, view in views.items()} == {"grid": (*lead, 2, 3), "margin": (*lead, 1)}
    views["grid"][..., 1, 2] = 5
    assert (flat[..., 5] == 5).all()
    assert flat.sum() == 5 * np.prod(lead, dtype=int)


def test_views_of_a_wrong_length() -> None:
    with pytest.raises(ValueError, match="length 6; this layout has 7"):
        LAYOUT.views(np.zeros(6))


def test_bounds_and_table() -> None:
    low, high = LAYOUT.bounds()
    assert low.tolist() == [0] * 6 + [-2]
    assert high.tolist() == [1] * 6 + [2]
    assert low.dtype == high.dtype == np.float32
    assert "| `grid` | 0 | 2 × 3 | 0 … 1 | a grid |" in LAYOUT.table()
