"""`onehop solve`."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING

import numpy as np

from onehop import _core, output
from onehop._core import NumericError, UsageError
from onehop.baryons import baryon_correlators, whether_baryons
from onehop.cli._shared import device as devices
from onehop.cli._shared import job, platform, solving, virtual_reading
from onehop.cli._shared.progress import Progress
from onehop.cli._shared.record import deliver
from onehop.cli.solve import table
from onehop.gauge import Gauge, cold_gauge, hot_gauge, inspect_gauge, read_gauge
from onehop.mesons import meson_correlators, momenta_up_to
from onehop.propagator import Propagator, solve
from onehop.quark_smearing import QuarkSmearing, parse_quark_smearing
from onehop.shifted import solve_masses, solve_shifted
from onehop.solution_record import Unsolved, solve_record
from onehop.source import Source, as_source
from onehop.trace_file import write_trace

if TYPE_CHECKING:
    import types
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from onehop._core import SolveOptions
    from onehop.engine import Operator


def run(options: types.SimpleNamespace, arguments: Sequence[str]) -> int:
    check(options)
    return job.run_job(arguments, options, _solve_on_rank)


def check(options: types.SimpleNamespace) -> None:
    """Fills in what follows from other options; everything that can be refused is refused here,
    before any rank starts."""
    solving.check_several(options)
    operator = solving.operator_of(options)
    solving.check(options, operator)
    source = as_source(options.source)
    lattice = _lattice(options)
    _check_source(source, lattice, options)
    _check_hadrons(source, operator, options)
    job.settle_grid(options, lattice, operator.reach)
    platform.check(options)
    platform.warn_of_free_compute(options)
    devices.check(options)
    if options.plot:
        from onehop.cli._shared.plot import check_format

        check_format(options.plot)


def _lattice(options: types.SimpleNamespace) -> list[int]:
    if (options.config is None) == (options.lattice is None):
        both = options.config is not None
        raise UsageError(
            f"{'both' if both else 'neither'} CONFIG {'and' if both else 'nor'} --lattice given; "
            "give one of them"
        )
    if options.config is None:
        options.start = options.start or "hot"
        options.seed = 1 if options.seed is None else options.seed
        return options.lattice
    if options.start is not None or options.seed is not None:
        raise UsageError("--start and --seed go with --lattice, not with a CONFIG that is read")
    return inspect_gauge(options.config).lattice


def _check_source(source: Source, lattice: Sequence[int], options: types.SimpleNamespace) -> None:
    if not all(0 <= s < n for s, n in zip(source.site, lattice, strict=True)):
        raise UsageError(f"--source {source} is outside the lattice {'x'.join(map(str, lattice))}")


def _check_hadrons(source: Source, operator: Operator, options: types.SimpleNamespace) -> None:
    if options.mesons and not source.has_mesons:
        raise UsageError(
            f"--mesons need every spin and colour of a point or wall, not --source {source}"
        )
    why_not = whether_baryons(operator, source) if options.baryons else None
    if why_not:
        raise UsageError(f"--baryons need a propagator {why_not}")
    smeared = options.smear_source or options.smear_sink
    if options.smear_links is not None and not smeared:
        raise UsageError("--smear-links go with --smear-source or --smear-sink; give one of them")
    if options.momenta is not None and not (options.mesons or options.baryons):
        raise UsageError("--momenta are those of the hadrons; give --mesons or --baryons too")


def _solve_on_rank(context: _core.Context, options: types.SimpleNamespace) -> int:
    record = solve_on_rank(context, options)
    return 0 if record is None else _finish(record, options)


def solve_on_rank(context: _core.Context, options: types.SimpleNamespace) -> dict | None:
    """Returns the record, on rank 0; writes the files of --trace and --out, but not the
    record's."""
    first = context.rank == 0
    gauge = _gauge(context, options)
    if options.trace:
        context.start_trace()
    problem = None
    how = solving.solve_options_of(options)
    operator = solving.operator_of(options)
    if how.rhs is None:
        how.rhs = _core.default_rhs(gauge.geometry, operator, how)
    with Progress("solve", 1.0, verbose=options.verbose, show=first, often=True) as progress:
        tell = _progress(progress, options, operator.components, how.rhs)
        try:
            found = _solve(gauge, options, how, tell if progress.is_shown else None)
        except NumericError as error:
            found = []
            problem = Unsolved(operator, how, as_source(options.source), str(error))
    if options.trace:
        write_trace(context, options.trace)
    if problem is None and options.out:
        _write_propagator(gauge, found, options.out)
    sink = _smearing(gauge, options, "sink") if problem is None else None
    if sink is not None:
        found = sink.sink(found)
    mesons, baryons = None, None
    momenta = momenta_up_to(options.momenta or 0)
    if problem is None and options.mesons:
        mesons = meson_correlators(gauge, found, momenta)
    if problem is None and options.baryons:
        baryons = baryon_correlators(gauge, found, momenta=momenta)
    return solve_record(
        gauge,
        found,
        mesons=mesons,
        baryons=baryons,
        plaquette_header=inspect_gauge(options.config).plaquette if options.config else math.nan,
        options=vars(options),
        problem=problem,
    )


def _smearing(gauge: Gauge, options: types.SimpleNamespace, end: str) -> QuarkSmearing | None:
    """Returns the smearing of the "source" or the "sink", if there is any."""
    asked = getattr(options, f"smear_{end}")
    if asked is None:
        return None
    kappa, steps = parse_quark_smearing(asked)
    return QuarkSmearing(gauge, kappa=kappa, steps=steps, links=options.smear_links)


def _gauge(context: _core.Context, options: types.SimpleNamespace) -> Gauge:
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
    gauge: Gauge, options: types.SimpleNamespace, how: SolveOptions, progress: object
) -> Propagator | list[Propagator]:
    """Solves one system, or one per shift or mass."""
    operator = solving.operator_of(options)
    smearing = _smearing(gauge, options, "source")
    source = options.source if smearing is None else smearing.source(options.source)
    words = {"source": source, "options": how, "progress": progress}
    if options.masses is not None:
        return solve_masses(gauge, options.masses, operator, keep=False, **words)
    if options.shifts is not None:
        return solve_shifted(gauge, options.shifts, operator, keep=False, **words)
    hadrons = options.mesons or options.baryons
    keep = options.out is not None or options.smear_sink is not None or hadrons
    return solve(gauge, operator, keep=keep, **words)


def _progress(
    progress: Progress, options: types.SimpleNamespace, components: int, together: int
) -> Callable[[int, int, float], None]:
    """Returns a function for calls after iterations, with the source that is solved and its
    residual. A source counts by the share of the way to the tolerance, in orders of magnitude;
    `together` are solved at a time."""
    sources = as_source(options.source).count(components)
    together = min(sources, together)

    def tell(source: int, iteration: int, residual: float) -> None:
        depth = 0.0
        if residual > 0 and options.tol < 1:
            depth = min(1.0, max(0.0, math.log(residual) / math.log(options.tol)))
        done = min(1.0, (source - source % together + together * depth) / sources)
        note = f"source {source + 1}/{sources}, iteration {iteration}, residual {residual:.2e}"
        progress.update(done, note)

    return tell


def _finish(record: dict, options: types.SimpleNamespace) -> int:
    if options.plot and record["correlator"] is not None:
        from onehop.cli._shared.plot import plot_correlator

        with output.complete_or_absent(options.plot) as temporary:
            plot_correlator(record, temporary)
    if options.hdf5:
        from onehop.cli._shared.hdf5_file import write_hdf5

        write_hdf5(record, options.hdf5)
    virtual_reading.tell(record, options)
    return deliver(record, options, table.show)


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
