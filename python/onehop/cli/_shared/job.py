"""Starts the ranks of a command, or runs it as one of them."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from onehop import _core, launch, mpi_launch, output, virtual
from onehop._core import UsageError
from onehop.cli._shared.option import Options
from onehop.counted import counted, in_bytes

if TYPE_CHECKING:
    from onehop.netsim import Platform


def check_memory(needed_bytes: float, what: str, instead: str = "choose a smaller one") -> None:
    """Raises UsageError if this machine has less memory for the job; `what` needs it."""
    there_is = _core.inspect_machine().memory_bytes
    if needed_bytes > there_is:
        raise UsageError(
            f"{what} about {in_bytes(int(needed_bytes))}, and this machine has "
            f"{in_bytes(there_is)} for this job; {instead}"
        )


def run_job(
    arguments: Sequence[str],
    options: Options,
    on_rank: Callable[[_core.Context, Options], int],
    *,
    machine: Platform | None = None,
    staged: str | None = None,
    term_s: float = launch.TERM_S,
) -> int:
    """Runs `on_rank` with the options on options.ranks ranks, of `machine` where options.transport
    is virtual; its status on rank 0 is the command's.

    Removes what killed ranks left of the file `staged`. Ranks that are told to end have `term_s`
    seconds to clean up.
    """
    body = functools.partial(on_rank, options=options)
    if options.transport == "self" and options.ranks > 1:
        raise UsageError(f"transport self serves one rank, not {options.ranks}; use shm or auto")
    if machine is not None and launch.rank_and_size() is not None:
        raise UsageError(
            f"transport {options.transport} has all its ranks in one process; "
            "start onehop by itself, with --ranks"
        )
    if machine is None and launch.rank_and_size() is None:
        _warn_of_threads(options)
    if machine is None and (launch.rank_and_size() is not None or options.ranks == 1):
        return _as_rank(options.transport, body)
    if mpi_launch.is_mpi(options.transport):
        return mpi_launch.run_under_mpirun(launch.this_command(arguments), options.ranks)
    if machine is not None:
        return virtual.run(machine, options.ranks, body, options.memory or "host")[0]
    command = launch.this_command(arguments)
    outcome = launch.run_ranks(command, options.ranks, harmless=(0, 1), term_s=term_s)
    if staged is not None:
        output.remove_staged(staged, outcome.processes)
    outcome.raise_interruption()
    if outcome.cause is not None:
        tell(outcome.cause)
        return 2
    return outcome.statuses[0]


def _warn_of_threads(options: Options) -> None:
    threads = getattr(options, "threads", None) or 1
    cores = _core.inspect_machine().usable_cores
    if threads > cores:
        output.warn(
            f"{threads} threads on {counted(cores, 'usable core')} take turns, "
            f"which takes many times as long; give at most --threads {cores}"
        )


def tell(cause: launch.Failure) -> None:
    """Prints the failure as one line, unless the reader of standard output has gone."""
    if cause.kind != "BrokenPipeError":
        print(f"onehop: {' '.join(cause.message.split())}", file=sys.stderr)


def _as_rank(transport: str, body: Callable[[_core.Context], int]) -> int:
    context = mpi_launch.joined(transport)
    try:
        status = body(context)
    except BaseException as error:
        context.abandon(" ".join(str(error).split()) or type(error).__name__)
        raise
    return status if context.rank == 0 else 0
