"""Starts ranks under an MPI launcher, and lets them fail as one job."""

import os
import signal
import subprocess
import time
from collections.abc import Sequence

from onehop import _core, processes

# Rank 0 has printed the error and ended by then, and mpirun has ended all others.
HEAD_START_S = 1.0

_joined: list[_core.Context] = []


def is_mpi(transport: str) -> bool:
    return transport == "mixed" or transport.startswith("mpi_")


def among_others() -> bool:
    """Returns whether this process is one of several that mpirun or srun started."""
    place = _core.launched_by_mpi()
    return place is not None and place[1] > 1


def joined(transport: str) -> _core.Context:
    """Joins a job as _core.join does, and remembers its context for is_to_tell."""
    context = _core.join(transport)
    _joined.append(context)
    return context


def is_to_tell(reason: str) -> bool:
    """Ends the job for this reason and returns whether this rank is the one to print it.

    A rank that fails before it has joined joins now, so that the ranks can agree on one. Where
    joining fails too, it fails on all ranks, and rank 0 prints.
    """
    if not among_others():
        return True
    try:
        context = _joined[0] if _joined else joined("auto")
    except _core.Error:
        return _is_first_without_mpi()
    context.abandon(reason)
    return context.failed_first


def _is_first_without_mpi() -> bool:
    first = _core.launched_by_mpi()[0] == 0
    if not first:
        # mpirun ends all ranks when the first one ends: rank 0, which prints, must be that one.
        time.sleep(HEAD_START_S)
    return first


def run_under_mpirun(command: Sequence[str], size: int) -> int:
    """Runs `command` as `size` ranks under the mpirun of the installed MPI; returns its status.

    When this process is killed, mpirun gets SIGTERM and ends the ranks. Raises UsageError if
    there is no mpirun, or it cannot be started.
    """
    try:
        return subprocess.run(
            [_launcher(), "-n", str(size), *command],
            env=_environment(),
            preexec_fn=processes.end_with(os.getpid(), signal.SIGTERM),
            check=False,
        ).returncode
    except OSError as error:
        raise _core.UsageError(f"cannot start {error.filename}: {error.strerror}") from None


def _launcher() -> str:
    found = _core.mpi_installations()
    for one in found:
        if one.launcher:
            return one.launcher
    problems = "; ".join(one.problem for one in found if one.problem)
    raise _core.UsageError(
        problems
        or "no MPI launcher was found: there is none beside the MPI's library, or onehop was "
        "built with ONEHOP_MPI=OFF; pip install mpich, or start the ranks with the MPI's own "
        "mpirun"
    )


def _environment() -> dict[str, str]:
    """Allows more ranks than cores; Open MPI has to be told, each version in its own way."""
    return {
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
        **os.environ,
    }
