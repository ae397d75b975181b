"""Keeps NumPy from starting threads that take a core from what is solved or measured.

When OpenBLAS is loaded it starts a thread for each core, and those look for work without sleeping
for about 30 ms, half of a small solve. Commands give them none.
"""

import contextlib
import os
from collections.abc import Iterator

_THREADS = "OPENBLAS_NUM_THREADS"


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """NumPy, when it is imported in here for the first time, has no threads of its own, unless the
    environment says how many. Programs that are started later do not inherit the setting."""
    asked = _THREADS in os.environ
    os.environ.setdefault(_THREADS, "1")
    try:
        yield
    finally:
        if not asked:
            del os.environ[_THREADS]
