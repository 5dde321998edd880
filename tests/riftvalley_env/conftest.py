"""Boards drawn for a single rule are hardly meant as boards to play on: their warnings are no news here."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("filterwarnings", 'ignore:board ":UserWarning')
