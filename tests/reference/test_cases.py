"""The reference of Death Valley against positions played by hand."""

import copy

import pytest

from tests.reference.deathvalley_cases import CASES, NAMES, check


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_reference_plays_as_by_hand(case):
    check(case)


def test_every_case_says_something_of_its_own():
    assert len({case["name"] for case in CASES}) == len(CASES)
    for case in CASES:
        assert case.get("after") or case["steps"][-1][2]


def wrong(value):
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return "fewer_busts" if "_" in value or value in ("score", "truncated") else f"{value} M5".strip()
    if isinstance(value, dict):
        return {"M5": "M4"}
    if isinstance(value, tuple):
        return tuple(wrong(part) for part in value)
    return 0  # nobody won, or nothing has ended


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_case_that_says_otherwise_fails(case):
    """Each thing that a case states is looked at: it fails with any one of them altered."""
    for key, value in case.get("after", {}).items():
        altered = copy.deepcopy(case)
        altered["after"][key] = wrong(value)
        if key == "in_deck":
            altered["after"][key] = " ".join(NAMES)  # one of them is always face up
        with pytest.raises((AssertionError, ValueError)):
            check(altered)
    for number, (player, decision, legal, answer) in enumerate(case.get("steps", [])):
        for step in (
            (1 - player, decision, legal, answer),
            (player, "OVER", legal, answer),
            (player, decision, f"{legal} use:M5", answer),
        ):
            altered = copy.deepcopy(case)
            altered["steps"][number] = step
            with pytest.raises(AssertionError):
                check(altered)
