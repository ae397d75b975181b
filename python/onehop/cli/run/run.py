"""`onehop run`: any program as N ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onehop import launch, mpi_launch
from onehop._core import UsageError
from onehop.cli._shared.job import tell

if TYPE_CHECKING:
    import types
    from collections.abc import Sequence


def run(options: types.SimpleNamespace, arguments: Sequence[str]) -> int:
    """The exit status of the first rank that failed, 2 for a signal, 0 when all went well."""
    if not options.program:
        raise UsageError("the program is missing; as in: onehop run -n 2 -- ./program")
    if launch.rank_and_size() is not None:
        raise UsageError("onehop run inside onehop run or mpirun; start the program itself")
    if options.launcher == "mpi":
        return mpi_launch.run(options.program, options.ranks)
    outcome = launch.run_ranks(options.program, options.ranks, keep_stdin=True)
    if outcome.interrupted:
        raise KeyboardInterrupt
    if outcome.cause is None:
        return 0
    tell(outcome.cause)
    return 2 if outcome.cause.status < 0 else outcome.cause.status
