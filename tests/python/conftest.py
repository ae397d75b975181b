"""Several tests of Python's arrays share these."""

from __future__ import annotations

import pytest
from support.device_arrays import FakeDevice

from onehop import _core


@pytest.fixture
def device(monkeypatch):
    fake = FakeDevice()
    monkeypatch.setattr(_core, "order_streams", fake.order)
    monkeypatch.setattr(_core, "device_of", lambda address: 0)
    return fake
