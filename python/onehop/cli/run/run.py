"""`onehop run` starts any program as N ranks."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from onehop import (
    launch,
    mpi_abi,
    mpi_launch,
    output,
    record,
    recorded_program,
    recordings,
    virtual,
)
from onehop._core import UsageError, instruction_counter_problem
from onehop.cli._shared import platform, virtual_reading
from onehop.cli._shared.job import tell
from onehop.cli._shared.option import Options
from onehop.counted import counted
from onehop.recordings import RankRecording


def _conductor(options: Options) -> virtual.Conductor | None:
    """Returns the conductor of the virtual machine, or None for a job in real time."""
    machine = platform.machine_of(options)
    if machine is None:
        if options.transport != "auto":
            raise UsageError(
                f"--transport {options.transport}: the program chooses its wire when it joins; "
                "only virtual:PLATFORM is for onehop run"
            )
        for name in ("compute", "verbose"):
            if getattr(options, name):
                raise UsageError(
                    f"--{name} is for virtual machines; add --transport virtual:PLATFORM"
                )
        return None
    if options.launcher == "mpi":
        raise UsageError("--launcher mpi starts ranks in real time; leave it out")
    computing = options.compute or virtual.Computing()
    if computing.mode == "counted" and (problem := instruction_counter_problem()):
        raise UsageError(problem)
    if options.mpi and computing.mode == "recorded":
        # The library that is loaded before the program lets recorded computing pass.
        computing = virtual.Computing("none")
    # That library also writes the recording of a program of MPI.
    record = options.record is not None and not options.mpi
    return virtual.Conductor(
        machine, options.ranks, options.memory or "host", computing, record=record
    )


def _recording(options: Options) -> list[RankRecording]:
    """Returns the recording whose computing times are to be used; empty if there is none."""
    if options.compute is None or options.compute.mode != "recorded":
        if options.recording:
            raise UsageError("--recording is for --compute recorded; give both")
        return []
    if not options.recording:
        raise UsageError("--compute recorded beside --record needs --recording FILE too; add it")
    found = recordings.read(options.recording)
    if bool(found[0].mpi) != options.mpi:
        raise UsageError(
            f"{options.recording} was made by an MPI program; add --mpi"
            if found[0].mpi
            else f"{options.recording} was made by a program without MPI; leave out --mpi"
        )
    if len(found) != options.ranks:
        raise UsageError(
            f"{options.recording} is of {counted(len(found), 'rank')}, and -n is {options.ranks}"
        )
    if found[0].program not in ("", recorded_program.code_of(options.program)):
        raise UsageError(
            f"{options.recording} is of another program than {options.program[0]}, or of an older "
            "version of it; record it again with --record"
        )
    return found


def _choose_recording(options: Options) -> bool:
    """Chooses, for --compute recorded alone, the recording that is kept of this program, or has one
    written and returns true where there is none yet."""
    is_recorded = options.compute is not None and options.compute.mode == "recorded"
    if not is_recorded or options.recording or options.record:
        return False
    kept = recorded_program.kept_recording(options.program, options.ranks, mpi=options.mpi)
    if kept.exists():
        options.recording = str(kept)
        return False
    output.make_folder_of_user(kept.parent)
    options.record, options.compute = str(kept), virtual.Computing("measured")
    return True


def run(options: Options, arguments: Sequence[str]) -> int:
    """Returns the exit status of the first rank that failed, 2 for a signal, 0 when all went
    well."""
    if not options.program:
        raise UsageError("the program is missing; as in: onehop run -n 2 -- ./program")
    if launch.rank_and_size() is not None:
        raise UsageError("onehop run inside onehop run or mpirun; start the program itself")
    if options.mpi and options.launcher == "mpi":
        raise UsageError("--mpi is for ranks that onehop starts; leave out --launcher mpi")
    if options.record and not (options.mpi or virtual.is_virtual(options.transport)):
        raise UsageError(
            "--record is for programs of MPI, and for virtual machines; add --mpi or --transport "
            "virtual:PLATFORM"
        )
    if options.launcher != "mpi" and (
        line := mpi_abi.check_started(options.program, options.ranks, with_mpi=options.mpi)
    ):
        output.warn(line)
    is_first = virtual.is_virtual(options.transport) and _choose_recording(options)
    recording = _recording(options)
    conductor = _conductor(options)
    if options.launcher == "mpi":
        return mpi_launch.run_under_mpirun(options.program, options.ranks)
    if not (options.record or recording):
        return _run(options, conductor)
    with tempfile.TemporaryDirectory(prefix="onehop-recording-") as folder:
        if recording:
            recordings.write_computing(recording, Path(folder))
        words = {"recording": folder if options.record else None}
        words["computing"] = folder if recording else None
        status = _run(options, conductor, **words)
        if status == 0 and options.record:
            with output.complete_or_absent(options.record) as temporary:
                code = recorded_program.code_of(options.program)
                recordings.join(Path(folder), options.ranks, temporary, code)
            if is_first:
                output.warn(
                    f"the computing of this run was measured and recorded in {options.record}; "
                    "later runs of the same program use that recording, so all take the same time"
                )
    return status


def _run(options: Options, conductor: virtual.Conductor | None, **folders: str | None) -> int:
    if options.mpi:
        variables = mpi_abi.environment(virtual=conductor is not None, **folders)
    else:
        variables = {f"ONEHOP_{use.upper()}": name for use, name in folders.items() if name}
    outcome = launch.run_ranks(
        options.program,
        options.ranks,
        keep_stdin=True,
        conductor=conductor,
        variables=variables,
    )
    outcome.raise_interruption()
    if outcome.cause is None:
        if conductor is not None:
            found = record.part_of_accounts(conductor.accounts)
            virtual_reading.tell(found, options)
        return 0
    tell(outcome.cause)
    return 2 if outcome.cause.status < 0 else outcome.cause.status
