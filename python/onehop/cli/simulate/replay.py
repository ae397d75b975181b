"""`onehop simulate PLATFORM replay` repeats the calls of an MPI program, without its data."""

import time

from onehop import launch, mpi_abi, mpi_replay, mpi_rescale, output, recordings, virtual
from onehop._core import UsageError
from onehop.cli._shared.job import tell
from onehop.cli._shared.option import Options
from onehop.cli._shared.record import deliver
from onehop.cli.simulate.outcome import show_load
from onehop.netsim import Platform
from onehop.netsim.run_reading import reading
from onehop.record import new_record
from onehop.text_table import aligned

_PARTS = ("computing", "messages", "collectives", "communicators")
_SHOWN = 16


def run(options: Options, platform: Platform) -> int:
    """Runs the replay; returns the exit status, 2 if a rank has failed."""
    if options.recording is None:
        raise UsageError("the workload replay needs --recording FILE, of onehop run --record FILE")
    started = time.monotonic()
    mpi_abi.library()
    found = recordings.read(options.recording)
    recordings.require_mpi(options.recording, found)
    scripts = [mpi_replay.script(one) for one in found]
    recorded = sum(event[2] for one in found for event in one.events)
    medians = sum(one.computing for one in scripts) / max(recorded, 1)
    if options.grid:
        scripts = mpi_rescale.rescale(scripts, options.grid)
    conductor = virtual.Conductor(platform, len(scripts), options.memory)
    outcome, times = mpi_replay.run(scripts, options.scale_computing, conductor)
    if not times:
        return _failed(outcome)
    accounts = conductor.accounts
    record = new_record("simulate", options)
    record |= reading(accounts, accounts.now_ps) | _own(times)
    record |= {
        "recorded_ranks": len(found),
        "recorded_by": found[0].mpi,
        "medians_over_recorded": medians,
        "virtual_time_us": accounts.now_ps * 1e-6,
        "check": {"passed": True, "what": "every rank did all that its recording holds"},
        "timing": {"total_s": time.monotonic() - started},
    }
    return deliver(record, options, show)


def _failed(outcome: launch.Outcome) -> int:
    outcome.raise_interruption()
    tell(outcome.cause)
    return 2


def _own(times: list[mpi_replay.RankTimes]) -> dict:
    """Returns the keys of a replay."""
    total = max(one.end for one in times) - min(one.begin for one in times)
    ranks = [
        {"rank": rank, **{f"{part}_us": getattr(one, part) * 1e-3 for part in _PARTS}}
        for rank, one in enumerate(times)
    ]
    computing = sum(one.computing for one in times) / len(times)
    return {
        "ranks": ranks,
        "total_us": total * 1e-3,
        "communication_share": 1 - computing / total if total else 0.0,
        "warnings": [],
    }


def show(record: dict) -> None:
    bound = record["bounded_by"]
    rows = [
        ("from MPI_Init to MPI_Finalize", f"{record['total_us']:.2f} us"),
        ("communication", f"{record['communication_share']:.1%} of it, in the mean of the ranks"),
        (
            "computing by medians",
            f"{record['medians_over_recorded']:.1%} of what was recorded",
        ),
        ("recorded over", record["recorded_by"]),
        ("busiest", f"{bound['what']}, {bound['share']:.0%}"),
    ]
    print(aligned(rows))
    table = [
        (one["rank"], *(f"{one[f'{part}_us']:.2f}" for part in _PARTS))
        for one in record["ranks"][:_SHOWN]
    ]
    print(f"\n{aligned(table, ('rank, us', *_PARTS), left=1, indent=2)}")
    if len(record["ranks"]) > _SHOWN:
        output.warn(f"{_SHOWN} of {len(record['ranks'])} ranks are shown; --json has all")
    if record["options"]["verbose"]:
        show_load(record)
