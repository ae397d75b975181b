"""What several tests of Python's arrays share."""

from __future__ import annotations

import pytest
from support.card_arrays import FakeCard

from onehop import _core


@pytest.fixture
def card(monkeypatch):
    fake = FakeCard()
    monkeypatch.setattr(_core, "order_streams", fake.order)
    monkeypatch.setattr(_core, "card_of", lambda address: 0)
    return fake
