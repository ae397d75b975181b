"""A program is what every node of a job does, without data, as the packet simulation takes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from onehop import _core

if TYPE_CHECKING:
    from onehop.netsim.halo_workload import Face


class Program(NamedTuple):
    """The faces and steps of an iteration of a job whose ranks form a grid, between memories as
    "device" or "host", by the protocols of a variant."""

    memory: str
    variant: str
    grid: Sequence[int]
    faces: list[Face]
    steps: list[tuple[str, float]]

    def on(
        self,
        machine: _core.MachineDescription,
        iterations: int = 1,
        scheduler: str = "ladder",
        beside: _core.Background | None = None,
    ) -> _core.ProgramRun:
        """Returns a run on the nodes where the machine places the ranks; raises UsageError if
        it has other nodes than the grid."""
        background = _core.Background() if beside is None else beside
        return _core.ProgramRun(machine, *self, iterations, scheduler, background)
