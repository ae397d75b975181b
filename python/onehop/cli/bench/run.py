"""`onehop bench` measures the transports of this machine, and checks every answer."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from onehop import _bench, _core, launch, virtual
from onehop._core import UsageError
from onehop.cli._shared import job, platform, rank_grid
from onehop.cli._shared.option import Options
from onehop.cli._shared.progress import Progress
from onehop.cli.bench import (
    cells,
    memory,
    operator,
    patterns,
    peer_jobs,
    peers,
    record,
    trace,
    virtual_cells,
)
from onehop.cli.bench.sizes import RefinedSizes
from onehop.cli.bench.table import BenchTable
from onehop.counted import counted

if TYPE_CHECKING:
    from onehop.netsim import Platform


def run(options: Options, arguments: Sequence[str]) -> int:
    """Runs the command; whatever can be refused is refused here, before any rank starts."""
    if options.install_peers is not None:
        return peers.install(options.install_peers)
    of_operator = options.pattern in patterns.OF_OPERATORS
    rank_grid.choose_ranks(options, 1 if of_operator or options.transport == "self" else 2)
    memory.check(options)
    machine = platform.machine_of(options, devices=memory.on_devices(options))
    (operator if of_operator else cells).check(options)
    if machine is not None:
        virtual_cells.check(options, machine)
    if options.json == "-" and options.csv == "-":
        raise UsageError("--json - and --csv - both want standard output; give one of them a file")
    if options.against == "mpi" and launch.rank_and_size() is None:
        # Compiling takes longer than ranks wait for each other.
        peer_jobs.prepare(peers.find(options.peers))
    if machine is not None and options.pin == "cores":
        raise UsageError(
            f"--pin cores is for ranks on this machine's cores; those of {options.transport} have "
            "none: leave it out"
        )
    options.pin = options.pin or ("none" if machine is not None else "cores")
    if of_operator:
        return job.run_job(arguments, options, operator.run_on_rank)
    on_rank = partial(_on_rank, machine=machine)
    # What other programs have in shared memory goes with them when they end by themselves.
    term_s = peer_jobs.LONGEST_END_S if options.against == "mpi" else launch.TERM_S
    return job.run_job(arguments, options, on_rank, machine=machine, term_s=term_s)


def _on_rank(context: _core.Context, options: Options, machine: Platform | None) -> int:
    if virtual.is_virtual(context.transport):
        return virtual_cells.on_rank(context, options, machine)
    started = time.monotonic()
    found = record.begin(context, options)
    cores = _core.allowed_cores() if options.pin == "cores" else []
    if options.against != "mpi":
        return _measure(context, options, found, started, _bench.BenchPeers(context, []))
    with peer_jobs.connected(context, options, cores) as (contenders, facts):
        found |= facts
        return _measure(context, options, found, started, contenders)


def _measure(
    context: _core.Context,
    options: Options,
    found: dict,
    started: float,
    contenders: _bench.BenchPeers,
) -> int:
    show = context.rank == 0
    if options.pin == "cores":
        pin(context.rank)
    table = BenchTable(found, show and "-" not in (options.json, options.csv))
    planned = cells.cells(options)
    schedule = _schedule(options)
    if show and options.against == "mpi":
        print(f"onehop: {_promise(options, len(planned), found)}", file=sys.stderr, flush=True)
    table.begin()
    while planned:
        with Progress(
            options.pattern, len(planned), verbose=options.verbose, show=show
        ) as progress:
            for number, cell in enumerate(planned):
                size = f"{len(cell.face_bytes)} x {max(cell.face_bytes)} bytes"
                progress.update(number, f"{size}, {number + 1}/{len(planned)}")
                outcome = _bench.bench_cell(context, cell, schedule, contenders)
                record.add(found, options, cell, outcome)
                table.add()
                _tell_failures(found, contenders, show)
        # Blocks are timed by the slowest rank, so all ranks see the same bends.
        planned = cells.finer(options, found["samples"])
    record.finish(found, time.monotonic() - started)
    if options.trace:
        trace.write(context, options)
    return table.end(options) if show else 0


def _tell_failures(found: dict, contenders: _bench.BenchPeers, show: bool) -> None:
    """Names, once each, the peers that have ended before their time; the others go on."""
    for line in contenders.failures:
        if line not in found["peers_missing"]:
            found["peers_missing"].append(line)
            if show:
                print(f"onehop: {line}", file=sys.stderr, flush=True)


def _promise(options: Options, count: int, found: dict) -> str:
    """Says how long a comparison takes at most."""
    programs = 1 + len(found["peers"])
    each = f"{counted(count, 'cell')} of {programs} programs in turn"
    more = (
        ", and again for those that --sizes auto adds"
        if isinstance(options.sizes, RefinedSizes)
        else ""
    )
    minutes, seconds = divmod(round(count * options.max_time), 60)
    length = f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
    return f"{each}, at most {options.max_time:g} s each: {length}{more}; --max-time bounds it"


def _schedule(options: Options) -> _bench.BenchSchedule:
    return _bench.BenchSchedule(
        options.min_time,
        options.max_time,
        options.spread / 100,
        options.block_time * 1e-6,
        options.iterations or 0,
        options.warmup,
    )


def pin(rank: int) -> None:
    """Pins rank r to the r-th allowed core, and from the first again when there are more ranks."""
    cores = _core.allowed_cores()
    _core.pin_to_core(cores[rank % len(cores)])
