"""Golden values of exact play: a change shows as a readable difference."""

import re

from tests.agents.endgames import SETTINGS
from tests.agents.exact_golden import FILE, state_of, text_of


# Exact to the last digit on every processor: exact play adds, multiplies and divides float64 in an order that the
# source fixes. It calls no exp, log or matrix product, and Numba by default neither reorders sums nor fuses products
# into them.
def test_the_values_are_the_golden_ones() -> None:
    golden = FILE.read_text(encoding="utf-8")
    texts = golden.split("\n\n")
    assert len(texts) == 40
    assert "\n".join(text_of(*state_of(text)) for text in texts) == golden
    for setting in SETTINGS:
        own = "".join(text for text in texts if text.startswith(f"# {setting},"))
        assert re.search(r"= 0\.\d*[1-9]", own)
