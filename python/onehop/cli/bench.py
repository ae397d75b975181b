"""`onehop bench`: what the wires of this machine do, with the answer checked."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from onehop import _core, launch, output, virtual
from onehop._core import UsageError
from onehop.cli import (
    bench_cells,
    bench_memory,
    bench_operator,
    bench_peer_jobs,
    bench_peers,
    bench_record,
    bench_trace,
    bench_virtual,
    job,
    machine_options,
)
from onehop.cli.bench_progress import BenchProgress
from onehop.cli.bench_table import BenchTable, write_csv
from onehop.cli.record import write_record

if TYPE_CHECKING:
    import types
    from collections.abc import Sequence


def run(options: types.SimpleNamespace, arguments: Sequence[str]) -> int:
    """Everything that can be refused is refused here, before any rank starts."""
    if options.install_peers is not None:
        return bench_peers.install(options.install_peers)
    place = launch.rank_and_size()
    if place is not None:
        if options.ranks not in (None, place[1]):
            raise UsageError(
                f"--ranks {options.ranks}, but this job was started with {place[1]} ranks"
            )
        options.ranks = place[1]
    elif options.ranks is None:
        alone = options.transport == "self" or options.pattern in bench_operator.PATTERNS
        options.ranks = 1 if alone else 2
    bench_memory.check(options)
    machine_options.check(options, devices=bench_memory.on_devices(options))
    operator = options.pattern in bench_operator.PATTERNS
    (bench_operator if operator else bench_cells).check(options)
    bench_virtual.check(options)
    if options.json == "-" and options.csv == "-":
        raise UsageError("--json - and --csv - both want standard output; give one of them a file")
    outputs = {f"--{key}": getattr(options, key) for key in ("json", "csv", "trace")}
    output.check_distinct(None, outputs)
    for name in outputs.values():
        output.check_writable(name)
    if options.against == "mpi" and place is None:
        # Compiling takes longer than ranks wait for each other.
        bench_peer_jobs.prepare(bench_peers.find(options.peers))
    try:
        if virtual.is_virtual(options.transport):
            options.pin = "none"
            return job.run_job(arguments, options, bench_virtual.on_rank)
        body = bench_operator.run_on_rank if operator else _bench_on_rank
        return job.run_job(arguments, options, body)
    finally:
        if launch.rank_and_size() is None:
            output.remove_partial(*outputs.values())


def _bench_on_rank(context: _core.Context, options: types.SimpleNamespace) -> int:
    started = time.monotonic()
    record = bench_record.begin(context, options)
    cores = _core.allowed_cores() if options.pin == "cores" else []
    if options.against != "mpi":
        return _measure(context, options, record, started, _core.BenchPeers(context, []))
    with bench_peer_jobs.connected(context, options, cores) as (peers, facts):
        record |= facts
        return _measure(context, options, record, started, peers)


def _measure(
    context: _core.Context,
    options: types.SimpleNamespace,
    record: dict,
    started: float,
    peers: _core.BenchPeers,
) -> int:
    show = context.rank == 0
    if options.pin == "cores":
        pin(context.rank)
    table = BenchTable(record, show and "-" not in (options.json, options.csv))
    table.begin()
    cells = bench_cells.cells(options)
    schedule = _schedule(options)
    while cells:
        with BenchProgress(options, len(cells), show) as progress:
            for number, cell in enumerate(cells):
                progress.update(number, cell)
                outcome = _core.bench_cell(context, cell, schedule, peers)
                bench_record.add(record, options, cell, outcome)
                table.add()
        # Blocks are timed by the slowest rank, so all ranks see the same bends.
        cells = bench_cells.finer(options, record["samples"])
    bench_record.finish(record, time.monotonic() - started)
    if options.trace:
        bench_trace.write(context, options)
    if show:
        table.end()
        if options.csv:
            write_csv(record, options.csv)
        if options.json:
            write_record(record, options.json)
    return 0 if record["check"]["passed"] else 1


def _schedule(options: types.SimpleNamespace) -> _core.BenchSchedule:
    return _core.BenchSchedule(
        options.min_time,
        options.max_time,
        options.spread / 100,
        options.block_time * 1e-6,
        options.iterations or 0,
        options.warmup,
    )


def pin(rank: int) -> None:
    """Rank r on the r-th allowed core, and from the first again when there are more ranks."""
    cores = _core.allowed_cores()
    _core.pin_to_core(cores[rank % len(cores)])
