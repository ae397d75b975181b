"""Runs simulations that do not need each other on all cores of this process."""

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TypeVar

# A simulation calls it now and then with the virtual time and the messages delivered.
Watch = Callable[[int, int], None]

T = TypeVar("T")


def side_by_side(calls: Sequence[Callable[[Watch], T]], tell: Callable[[int, T], None]) -> list[T]:
    """Returns what the calls return, in their order, and tells how many are over whenever one is,
    and what that has returned.

    The first calls begin first, and a core that is through with one takes the next. What each call
    is given is for its simulation to call now and then: it ends the simulation when another one has
    failed or the program is interrupted.
    """
    is_over = threading.Event()

    def watch(now_ps: int, delivered: int) -> None:
        if is_over.is_set():
            raise KeyboardInterrupt

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        futures = [pool.submit(call, watch) for call in calls]
        try:
            for done, future in enumerate(as_completed(futures), 1):
                tell(done, future.result())
        except BaseException:
            is_over.set()
            pool.shutdown(cancel_futures=True)
            raise
    return [future.result() for future in futures]
