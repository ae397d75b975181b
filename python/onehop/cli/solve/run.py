"""`onehop solve`."""

import math
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from onehop import _core, output
from onehop._core import NumericError, SolveOptions
from onehop.baryons import baryon_correlators
from onehop.cli._shared import job, platform, virtual_reading
from onehop.cli._shared.option import Options
from onehop.cli._shared.plot import plot_correlators
from onehop.cli._shared.progress import Progress
from onehop.cli._shared.record import deliver
from onehop.cli.solve import table
from onehop.cli.solve.request import Request, request_of
from onehop.gauge import Gauge, cold_gauge, hot_gauge, inspect_gauge, read_gauge
from onehop.mesons import meson_correlators, momenta_up_to
from onehop.propagator import Propagator, solve
from onehop.quark_smearing import QuarkSmearing, parse_quark_smearing
from onehop.shifted import solve_masses, solve_shifted
from onehop.solution_record import Unsolved, solve_record
from onehop.trace_file import write_trace


def run(options: Options, arguments: Sequence[str]) -> int:
    request = request_of(options)
    machine = platform.machine_of(options, computes=True)
    on_rank = partial(_solve_on_rank, request=request)
    return job.run_job(arguments, options, on_rank, machine=machine)


def _solve_on_rank(context: _core.Context, options: Options, request: Request) -> int:
    record = solve_on_rank(context, request)
    if record is None:
        return 0
    virtual_reading.tell(record, options)
    draw = plot_correlators if record["correlator"] is not None else None
    return deliver(record, options, table.show, draw)


def solve_on_rank(context: _core.Context, request: Request) -> dict | None:
    """Returns the record, on rank 0; writes the files of --trace and --out, but not the
    record's."""
    options = request.options
    gauge = _gauge(context, options)
    if options.trace:
        context.start_trace()
    found, problem = _found(request, gauge)
    if options.trace:
        write_trace(context, options.trace)
    mesons, baryons = None, None
    if problem is None:
        if options.out:
            _write_propagator(gauge, found, options.out)
        sink = _smearing(gauge, options, "sink")
        found = found if sink is None else sink.sink(found)
        momenta = momenta_up_to(options.momenta or 0)
        mesons = meson_correlators(gauge, found, momenta) if options.mesons else None
        baryons = baryon_correlators(gauge, found, momenta=momenta) if options.baryons else None
    return solve_record(
        gauge,
        found,
        mesons=mesons,
        baryons=baryons,
        plaquette_header=inspect_gauge(options.config).plaquette if options.config else math.nan,
        options=vars(options),
        problem=problem,
    )


def _found(request: Request, gauge: Gauge) -> tuple[Propagator | list[Propagator], Unsolved | None]:
    """Solves, and shows the progress; if the true residual contradicts the solver's, says what
    was tried."""
    options, operator, how = request.options, request.operator, request.how
    if how.rhs is None:
        how = how.replace(rhs=_core.default_rhs(gauge.geometry, operator, how))
    show = gauge.context.rank == 0
    with Progress("solve", 1.0, verbose=options.verbose, show=show, often=True) as progress:
        sources = request.source.count(operator.components)
        tell = _progress(progress, how.tol, sources, min(sources, how.rhs))
        try:
            return _solve(request, gauge, how, tell if progress.is_shown else None), None
        except NumericError as error:
            return [], Unsolved(operator, how, request.source, str(error))


def _smearing(gauge: Gauge, options: Options, end: str) -> QuarkSmearing | None:
    """Returns the smearing of the "source" or the "sink", if there is any."""
    asked = getattr(options, f"smear_{end}")
    if asked is None:
        return None
    kappa, steps = parse_quark_smearing(asked)
    return QuarkSmearing(gauge, kappa=kappa, steps=steps, links=options.smear_links)


def _gauge(context: _core.Context, options: Options) -> Gauge:
    if options.config is not None:
        return read_gauge(
            options.config,
            options.grid,
            context,
            output.warn,
            allow_non_unitary=options.allow_non_unitary,
        )
    if options.start == "cold":
        return cold_gauge(options.lattice, options.grid, context)
    return hot_gauge(options.lattice, options.seed, options.grid, context)


def _solve(
    request: Request, gauge: Gauge, how: SolveOptions, progress: object
) -> Propagator | list[Propagator]:
    """Solves one system, or one per shift or mass."""
    options = request.options
    smearing = _smearing(gauge, options, "source")
    source = request.source if smearing is None else smearing.source(request.source)
    words = {"source": source, "options": how, "progress": progress}
    if options.masses is not None:
        return solve_masses(gauge, options.masses, request.operator, keep=False, **words)
    if options.shifts is not None:
        return solve_shifted(gauge, options.shifts, request.operator, keep=False, **words)
    hadrons = options.mesons or options.baryons
    keep = options.out is not None or options.smear_sink is not None or hadrons
    return solve(gauge, request.operator, keep=keep, **words)


def _progress(
    progress: Progress, tolerance: float, sources: int, together: int
) -> Callable[[int, int, float], None]:
    """Returns a function for calls after iterations, with the source that is solved and its
    residual. A source counts by the share of the way to the tolerance, in orders of magnitude;
    `together` are solved at a time."""

    def tell(source: int, iteration: int, residual: float) -> None:
        depth = 0.0
        if residual > 0 and tolerance < 1:
            depth = min(1.0, max(0.0, math.log(residual) / math.log(tolerance)))
        done = min(1.0, (source - source % together + together * depth) / sources)
        note = f"source {source + 1}/{sources}, iteration {iteration}, residual {residual:.2e}"
        progress.update(done, note)

    return tell


def _write_propagator(gauge: Gauge, result: Propagator, name: str) -> None:
    """Each rank writes its own block of one .npy file; collective."""
    context, geometry = gauge.context, gauge.geometry
    local = result.propagator.shape
    shape = (local[0], *reversed(geometry.lattice), *local[5:])
    block = tuple(
        slice(start, start + extent)
        for start, extent in zip(reversed(geometry.origin), local[1:5], strict=True)
    )
    with output.complete_together(context, name) as temporary:
        if context.rank == 0:
            _reserve(temporary, shape)
        _core.barrier(context)
        whole = np.lib.format.open_memmap(temporary, mode="r+")
        whole[(slice(None), *block)] = result.propagator
        whole.flush()


def _reserve(path: Path, shape: tuple[int, ...]) -> None:
    """Reserves a complex128 .npy of that shape with all its blocks on the disk, so that a full disk
    is an error here and not a SIGBUS later."""
    array = np.lib.format.open_memmap(path, mode="w+", dtype=np.complex128, shape=shape)
    size_bytes = array.offset + array.nbytes
    del array
    with path.open("r+b") as file:
        os.posix_fallocate(file.fileno(), 0, size_bytes)
