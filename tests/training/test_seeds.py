"""Streams of deals: by construction no two of them share one, and everything that is measured names its own."""

import ast
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from training.curves import Args as CurvesArgs
from training.curves import runs_of
from training.expert import fit_seed
from training.report import ROOT
from training.seeds import INDEX_BITS, MAX_DEALS, MAX_SEED, SEED_BITS, Purpose, check_seed, deal_seeds
from valley_core.errors import OptionError
from valley_core.rng import GAMMA, MASK, MIX_1, MIX_2

SHARED = {Purpose.EVALUATION: {"evaluate", "difficulty", "bounds", "cards", "endings"}}
"""Commands that compare the same agents on the same deals."""


def unmixed(seed: int) -> int:
    """The number of a deal, from its seed: splitmix64 backwards."""

    def shifted_back(z: int, bits: int) -> int:
        found = z
        for _ in range(64 // bits):
            found = z ^ (found >> bits)
        return found

    z = shifted_back(seed, 31)
    z = shifted_back(z * pow(MIX_2, -1, 1 << 64) & MASK, 27)
    z = shifted_back(z * pow(MIX_1, -1, 1 << 64) & MASK, 30)
    return z * pow(GAMMA, -1, 1 << 64) & MASK


@pytest.mark.plain
def test_the_number_of_a_deal_can_be_read_off_its_seed() -> None:
    """A function that can be turned back gives no two deals one seed, whatever their purpose, seed and number."""
    for purpose in Purpose:
        for seed in (0, 1, 12345, MAX_SEED):
            for first in (0, 7, MAX_DEALS - 3):
                for k, one in enumerate(deal_seeds(seed, 3, purpose, first).tolist()):
                    number = unmixed(one)
                    assert number >> (SEED_BITS + INDEX_BITS) == purpose
                    assert number >> INDEX_BITS & MAX_SEED == seed
                    assert number % MAX_DEALS == first + k
    assert max(Purpose) < 1 << (64 - SEED_BITS - INDEX_BITS)


@pytest.mark.plain
def test_no_two_streams_share_a_deal() -> None:
    streams = [deal_seeds(seed, 2000, purpose) for purpose in Purpose for seed in (*range(20), MAX_SEED)]
    assert len(np.unique(np.concatenate(streams))) == len(Purpose) * 21 * 2000


@pytest.mark.plain
def test_more_deals_begin_with_the_same() -> None:
    assert (deal_seeds(5, 1000)[:10] == deal_seeds(5, 10)).all()
    assert (deal_seeds(5, 10, first=990) == deal_seeds(5, 1000)[990:]).all()


@pytest.mark.plain
def test_seeds_of_deals_are_spread_over_all_numbers() -> None:
    bits = np.unpackbits(deal_seeds(0, 4000).view(np.uint8)).reshape(4000, 64)
    assert abs(bits.mean(0) - 0.5).max() < 0.05  # more than six standard errors


@pytest.mark.plain
@pytest.mark.parametrize(
    ("seed", "count", "first", "text"),
    [
        (-1, 1, 0, "--seed -1 is too small"),
        (MAX_SEED + 1, 1, 0, "--seed 16777216 is too large; give one from 0 to 16,777,215"),
        (0, 2, MAX_DEALS - 1, "a seed has 4,294,967,296"),
        (0, 1, -1, "a seed has"),
    ],
)
def test_what_has_no_stream_is_refused(seed: int, count: int, first: int, text: str) -> None:
    with pytest.raises(OptionError, match=text):
        deal_seeds(seed, count, first=first)


@pytest.mark.plain
def test_the_last_seed_of_curves_has_a_stream(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="too large"):
        runs_of(CurvesArgs(seed=MAX_SEED, seeds=2, run=tmp_path))
    assert check_seed(MAX_SEED) == MAX_SEED


@pytest.mark.plain
def test_fits_of_experts_have_seeds_of_their_own() -> None:
    assert len({fit_seed(seed, iteration) for seed in range(20) for iteration in range(1100)}) == 20 * 1100


def calls() -> list[tuple[str, ast.Call]]:
    """Every call of `deal_seeds` outside of its module, with the module that has it."""
    found = []
    for path in sorted([*ROOT.glob("training/**/*.py"), *ROOT.glob("notebooks/*.py")]):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "deal_seeds":
                found.append((path.stem, node))
    return found


@pytest.mark.plain
def test_every_command_names_what_its_deals_are_for() -> None:
    users: dict[str, set[str]] = {}
    for module, call in calls():
        named = [*call.args[2:3], *(keyword.value for keyword in call.keywords if keyword.arg == "purpose")]
        assert named, f"{module}.py, line {call.lineno}: deal_seeds without a purpose"
        name = getattr(named[0], "attr", None)
        if name is not None:  # else the caller of the function names it
            users.setdefault(name, set()).add(module)
    assert len(calls()) > 10
    for name, modules in users.items():
        if name != Purpose.NOTEBOOK.name:
            assert len(modules) == 1 or modules == SHARED[Purpose[name]], f"{name} serves {sorted(modules)}"


def first_deals(seed: int) -> set[int]:
    """Seeds of the games that a training with this seed begins with."""
    from training.side_by_side import SideBySide

    told: list[list[int]] = []
    part = SimpleNamespace(seed=lambda numbers: told.append(numbers) or [])
    made = SimpleNamespace(parts=[part, part], _slices=[slice(0, 40), slice(40, 64)], num_envs=64)
    SideBySide.seed(made, seed)  # type: ignore[arg-type]
    assert [len(numbers) for numbers in told] == [40, 24]
    return {number for numbers in told for number in numbers}


def test_trainings_with_two_seeds_share_no_first_game() -> None:
    pytest.importorskip("stable_baselines3")
    games = [first_deals(seed) for seed in range(30)]
    assert len(set.union(*games)) == 30 * 64
    tested = {
        int(one) for p in Purpose if p is not Purpose.TRAINING for s in range(30) for one in deal_seeds(s, 500, p)
    }
    assert not tested & set.union(*games)
