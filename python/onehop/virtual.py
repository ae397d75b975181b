"""Runs the ranks of a job on a virtual machine: ordinary programs, one at a time, in virtual time.

`run` has them as threads of this process; a `Conductor` serves ranks that launch.run_ranks starts
as processes.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from onehop import _core

if TYPE_CHECKING:
    from onehop.netsim import Platform

PREFIX = "virtual:"


@dataclasses.dataclass(frozen=True)
class Computing:
    """How long the ranks' own computing takes, by `mode`: "none" no time, "declared" what they
    declare by context.work, "measured" what it takes on this machine, "recorded" what it took
    when it was recorded, "counted" its instructions at `rate` a second."""

    mode: str = "declared"
    rate: float = 0.0


def is_virtual(transport: str) -> bool:
    return transport.startswith(PREFIX)


def run(
    platform: Platform,
    count: int,
    body: Callable[[_core.Context], int],
    memory: str = "host",
) -> list[int]:
    """Runs `body` as `count` ranks on the first nodes of `platform`; returns the results of all
    ranks.

    `memory` says where windows and sources are: "host" or "device", or "device-host" for sources on
    devices and windows on hosts. Each rank has a thread, of which one runs at a time; the others
    wait for it or for virtual time. The first error of any rank is raised here, once all have
    stopped; a deadlock is a TimeoutError at once.
    """
    job = _Job(platform, count, body, memory)
    job.start()
    try:
        job.finish()
    except BaseException:
        job.ranks.interrupt()
        job.finish()
        raise
    return job.results()


class Conductor:
    """Owns the network of a virtual machine and the shared memory that its ranks inherit, and
    serves them on a thread of this process.

    With `record` each rank writes what it computes between its calls.
    """

    def __init__(
        self,
        platform: Platform,
        count: int,
        memory: str = "host",
        computing: Computing = Computing(),  # noqa: B008, it cannot change
        *,
        record: bool = False,
    ) -> None:
        from onehop.netsim.description import describe

        machine = describe(platform, count)
        self._core = _core.VirtualConductor(
            count, machine, memory, platform.variant, computing.mode, computing.rate, record
        )
        self._thread = threading.Thread(target=self._core.run, name="conductor", daemon=True)
        self.segment = self._core.segment

    def start(self) -> None:
        """Starts to serve, once all ranks have been forked."""
        self._thread.start()

    def note_end(self, rank: int, *, in_vain: bool) -> None:
        """Notes that the rank's process has ended; `in_vain` if it ended only because a wait
        reached its deadline."""
        if in_vain:
            self._core.stall()
        self._core.ended(rank)

    def fail(self, rank: int, reason: str) -> None:
        """Makes every wait of every rank fail with this reason."""
        self._core.fail(rank, reason)

    def waited(self, rank: int) -> str:
        """Returns what the rank waited for when it reached its deadline; empty for nothing."""
        return self._core.waited(rank)

    @property
    def deadlock(self) -> str:
        """Returns who waits for whom; empty if no rank ended by a deadlock."""
        return self._core.deadlock

    @property
    def has_finished(self) -> bool:
        """Returns whether nothing that the ranks still wait for can arrive."""
        return not self._thread.is_alive()

    def stop(self) -> None:
        """Stops a job that has failed or is over."""
        self._core.stop()
        if self._thread.is_alive():
            self._thread.join()

    @property
    def accounts(self) -> _core.VirtualAccounts:
        """Returns what the machine has done, when the ranks have ended."""
        return self._core.accounts


class _Job:
    def __init__(
        self, platform: Platform, count: int, body: Callable[[_core.Context], int], memory: str
    ) -> None:
        # Machines take a while to import; ranks without one have no use for them.
        from onehop.netsim.description import describe

        machine = describe(platform, count)
        self.ranks = _core.VirtualRanks(count, machine, memory, platform.variant)
        self._body = body
        self._results: dict[int, int] = {}
        self._errors: list[BaseException] = []
        self._threads = [
            threading.Thread(target=self._play, args=(rank,), name=f"rank {rank}", daemon=True)
            for rank in range(count)
        ]

    def start(self) -> None:
        try:
            for thread in self._threads:
                thread.start()
        except RuntimeError as error:
            self.ranks.cancel()
            raise _core.ResourceError(f"{error}; use fewer ranks") from None
        self.ranks.begin()

    def finish(self) -> None:
        """Waits for all ranks, and reacts to Ctrl-C meanwhile."""
        for thread in self._threads:
            while thread.is_alive():
                thread.join(0.1)

    def results(self) -> list[int]:
        if self.ranks.deadlock:
            raise _core.TimeoutError(self.ranks.deadlock)
        own = [error for error in self._errors if not isinstance(error, _core.PeerError)]
        for error in own or self._errors:
            raise error
        return [self._results[rank] for rank in range(len(self._threads))]

    def _play(self, rank: int) -> None:
        if not self.ranks.enter(rank):
            return
        try:
            self._results[rank] = self._body(self.ranks.join(rank))
        except _core.TimeoutError as error:
            self._errors.append(error)
            self.ranks.stall(rank, str(error))
        except BaseException as error:
            self._errors.append(error)
            self.ranks.fail(rank, " ".join(str(error).split()) or type(error).__name__)
        finally:
            self.ranks.leave(rank)
