"""Importing the package compiles nothing and takes little time."""

from pathlib import Path

import pytest

from tests.valley_core import importing

PACKAGE = "riftvalley_env"


def test_nothing_is_compiled_and_little_time_taken(tmp_path: Path) -> None:
    importing.check_nothing_is_compiled(PACKAGE, tmp_path)


@pytest.mark.parametrize("heavy", importing.HEAVY)
def test_no_extra_is_imported(heavy: str) -> None:
    importing.check_not_imported(PACKAGE, heavy)


def test_the_extra_is_named_where_it_is_missing() -> None:
    importing.check_extra_is_named(PACKAGE)


def test_a_second_process_compiles_nothing() -> None:
    importing.check_second_process_compiles_nothing(
        PACKAGE, "raw_env()", "solo_env()", "solo_env(num_players=3, opponents='random')"
    )
