"""Starts ranks under an MPI launcher, and lets them fail as one job."""

import os
import signal
import subprocess
import time
from collections.abc import Sequence

from onehop import _core, processes

# The rank that tells the user has ended by then, and mpirun with it all others.
HEAD_START_S = 1.0

_joined: list[_core.Context] = []


def is_mpi(transport: str) -> bool:
    return transport == "mixed" or transport.startswith("mpi_")


def among_others() -> bool:
    """Returns whether this process is one of several that mpirun or srun started."""
    place = _core.launched_by_mpi()
    return place is not None and place[1] > 1


def joined(transport: str) -> _core.Context:
    """Joins as _core.join does, and lets is_to_tell ask the ranks of this job."""
    context = _core.join(transport)
    _joined.append(context)
    return context


def is_to_tell(reason: str) -> bool:
    """Ends the job for this reason and says whether this rank is the one to print it.

    Ranks that fail before they have joined do so now, so that they can agree. Where even that
    fails, it does so on all.
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
        # The first rank that ends makes mpirun end all: it has to be the one that tells.
        time.sleep(HEAD_START_S)
    return first


def run_ranks(command: Sequence[str], size: int) -> int:
    """Runs `command` as `size` ranks under the mpirun of the MPI at hand; returns its status.

    When this process is killed mpirun hears of it, and ends the ranks."""
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
        or "no launcher of an MPI is known: none lies beside the MPI's library, or onehop was "
        "built with ONEHOP_MPI=OFF; pip install mpich, or start the ranks with the MPI's own mpirun"
    )


def _environment() -> dict[str, str]:
    """Allows more ranks than cores; Open MPI has to be told, each version in its own way."""
    return {
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
        **os.environ,
    }
