"""These commands must refuse."""

from __future__ import annotations

import pytest


@pytest.fixture
def solve(refused, configurations):
    """Runs `onehop solve` on a good configuration with words that make it wrong."""
    return lambda *words, **job: refused("solve", configurations["nersc"], *words, **job)
