"""Lower bounds are what ``make test-oldest`` installs: one for each requirement, and none that nobody tests."""

import re

from tests.project import oldest


def test_every_requirement_has_one_lower_bound_that_is_tested() -> None:
    pins = oldest.pins()
    assert all(re.fullmatch(r"[A-Za-z0-9_-]+==\d+(\.\d+)*", pin) for pin in pins)
    assert {"numpy", "numba", "gymnasium", "pettingzoo", "scipy", "torch"} <= {pin.partition("==")[0] for pin in pins}
    names = [pin.partition("==")[0] for pin in pins]
    assert len(names) == len(set(names))


def test_tools_of_developers_claim_no_lower_bound() -> None:
    extras = oldest.project()["optional-dependencies"]
    assert set(extras) == {*oldest.EXTRAS, "ray", "dev"}
    assert [line for line in extras["dev"] if re.search(r"[<>=~!]", line)] == []
