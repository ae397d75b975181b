"""Keeps NumPy from starting threads that take cores from solves and measurements.

When OpenBLAS is loaded, it starts a thread for each core, and these spin for about 30 ms, half the
time of a small solve, although commands give them no work.
"""

import contextlib
import os
from collections.abc import Iterator

_THREADS = "OPENBLAS_NUM_THREADS"


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """If NumPy is imported for the first time within this context, it starts no threads of its
    own, unless the environment says how many. Programs that are started later do not inherit the
    setting."""
    asked = _THREADS in os.environ
    os.environ.setdefault(_THREADS, "1")
    try:
        yield
    finally:
        if not asked:
            del os.environ[_THREADS]
