"""Imports NumPy so that no thread of its own takes a core from what is solved or measured.

When OpenBLAS is loaded it starts a thread for each core, and those look for work without sleeping
for about 30 ms, half of a small solve. Commands give them none.
"""

from __future__ import annotations

import os

_THREADS = "OPENBLAS_NUM_THREADS"

_asked = os.environ.get(_THREADS)
os.environ.setdefault(_THREADS, "1")
import numpy as np  # noqa: E402, F401

if _asked is None:
    # Programs started by `onehop run` decide for themselves, so the setting is not inherited.
    del os.environ[_THREADS]
