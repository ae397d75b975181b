"""Measures a benchmark's cells in virtual time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from onehop import _bench, _core
from onehop._core import UsageError
from onehop.cli._shared import virtual_reading
from onehop.cli._shared.option import Options
from onehop.cli.bench import cells, patterns, record, trace
from onehop.cli.bench.table import BenchTable
from onehop.netsim import packet_form
from onehop.record import virtual_part

if TYPE_CHECKING:
    from onehop.netsim import Platform

# These are measured as their authors do: all ranks begin together. The steps of others follow each
# other.
_APART = ("allreduce", "allgather", "alltoall", "broadcast", "halo")
_SCHEDULED = ("allreduce", "allgather", "broadcast", "barrier")
_STEPS = 4
# This many steps follow each other where they are cheap, so that the first and the last hardly
# matter.
_STEPS_OF_SHORT, _SHORT_BYTES = 50, 65536


def check(options: Options, machine: Platform) -> None:
    """Refuses options that the machine cannot serve, before any rank starts."""
    _refuse_comparison(options, options.transport)
    if options.pattern in patterns.PAIRED and options.ranks == 1:
        raise UsageError(
            f"{options.pattern} of one rank to itself takes no time on {options.transport}; leave "
            "--ranks out, and give --loop-back for a message out of a node and back"
        )
    if options.schedule != "staged":
        return
    if options.memory == "device" and not machine.collective().copy_out:
        raise UsageError(
            f"--schedule staged: platform {machine.name} has no copies between device and host "
            f"(copy_out and copy_in of collective.{machine.variant} in {machine.file})"
        )


def _refuse_comparison(options: Options, transport: str) -> None:
    if options.against != "none":
        raise UsageError(
            f"--against {options.against} compares on this machine, not on {transport}; leave "
            "--against or --transport out"
        )


def on_rank(context: _core.Context, options: Options, machine: Platform | None) -> int:
    """Measures as on a real transport, with one sample, since virtual time repeats itself;
    `machine` is None if another process has it."""
    _refuse_comparison(options, context.transport)
    started = time.monotonic()
    show = context.rank == 0
    found = record.begin(context, options)
    # Other programs on this machine are of no concern in virtual time.
    found["warnings"] = []
    table = BenchTable(found, show and "-" not in (options.json, options.csv))
    table.begin()
    apart = options.pattern in _APART
    for cell in cells.cells(options):
        short = not apart and max(cell.face_bytes) <= _SHORT_BYTES
        steps = options.iterations or (_STEPS_OF_SHORT if short else _STEPS)
        before = _core.virtual_accounts(context) if show and machine else None
        outcome = _bench.bench_virtual_cell(context, cell, steps, apart)
        record.add(found, options, cell, outcome)
        if before is not None:
            after = _core.virtual_accounts(context)
            sample = found["samples"][-1]
            sample |= virtual_reading.between(before, after, context.size)
            if options.pattern in _SCHEDULED:
                sample["channel"] = _schedule(machine, options, context.size, sample["size_bytes"])
        table.add()
    record.finish(found, time.monotonic() - started)
    found |= virtual_part(context)
    if options.trace:
        trace.write(context, options)
    if not show:
        return 0
    virtual_reading.tell(found, options)
    return table.end(options)


def _schedule(machine: Platform, options: Options, ranks: int, size_bytes: int) -> str:
    """Returns in words by which schedule the machine does a collective of this size."""
    planned = packet_form.collective_plan(
        machine, options.pattern, ranks, 0, size_bytes, options.memory or "host"
    )
    return planned.how
