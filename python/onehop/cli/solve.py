"""`onehop solve`."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from onehop import _core, launch, output
from onehop._core import NumericError, UsageError
from onehop.cli import (
    device_options,
    job,
    machine_options,
    operator_options,
    solver_options,
    virtual_reading,
)
from onehop.cli.progress import Progress
from onehop.cli.solve_record import Solved, joined, solve_record
from onehop.engine import reach_of
from onehop.gauge import Gauge, cold_gauge, hot_gauge, inspect_gauge, read_gauge
from onehop.mesons import meson_correlators, momenta_up_to
from onehop.propagator import Propagator, solve, sources_together
from onehop.shifted import solve_masses, solve_shifted
from onehop.source import Source, as_source
from onehop.trace_file import write_trace

if TYPE_CHECKING:
    import types
    from collections.abc import Sequence

_OUTPUTS = ("json", "hdf5", "plot", "trace", "out")


def run(options: types.SimpleNamespace, arguments: Sequence[str]) -> int:
    """Everything that can be refused is refused here, before any rank starts."""
    solver_options.check_several(options)
    operator_options.check(options)
    source = as_source(options.source)
    lattice = _lattice(options)
    _check_source(source, lattice, options)
    job.settle_grid(options, lattice, reach_of(options.dslash))
    machine_options.check(options)
    device_options.check(options)
    outputs = {f"--{key}": getattr(options, key) for key in _OUTPUTS}
    output.check_distinct(options.config, outputs)
    for name in outputs.values():
        output.check_writable(name)
    if options.plot:
        from onehop.cli.plot import check_format

        check_format(options.plot)
    try:
        return job.run_job(arguments, options, _solve_on_rank)
    finally:
        if launch.rank_and_size() is None:
            output.remove_partial(*outputs.values())


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
    if options.mesons and not source.has_mesons:
        raise UsageError(
            f"--mesons need every spin and colour of a point or wall, not --source {source}"
        )
    if options.momenta is not None and not options.mesons:
        raise UsageError("--momenta are those of the mesons; give --mesons too")


def _solve_on_rank(context: _core.Context, options: types.SimpleNamespace) -> int:
    first = context.rank == 0
    gauge = _gauge(context, options)
    if options.trace:
        context.start_trace()
    problem = None
    together = _together(gauge, options)
    with Progress(options, together, show=first) as progress:
        try:
            each = _solve(gauge, options, together, progress.update if progress.wanted else None)
            result = joined(each)
        except NumericError as error:
            each, result, problem = [], None, str(error)
    if options.trace:
        write_trace(context, options.trace)
    if result is not None and options.out:
        _write_propagator(gauge, result, options.out)
    mesons = None
    if result is not None and options.mesons:
        mesons = meson_correlators(gauge, result, momenta_up_to(options.momenta or 0))
    plaquettes = _plaquettes(gauge, options)
    times = (_times(context, result), _setup_s(context, result))
    solved = Solved(gauge, each, result, mesons, problem, plaquettes, *times)
    if first:
        _show(solve_record(solved, options), options)
    return 0 if solved.passed else 1


def _gauge(context: _core.Context, options: types.SimpleNamespace) -> Gauge:
    if options.config is not None:
        return read_gauge(options.config, options.grid, context, output.warn)
    if options.start == "cold":
        return cold_gauge(options.lattice, options.grid, context)
    return hot_gauge(options.lattice, options.seed, options.grid, context)


def _together(gauge: Gauge, options: types.SimpleNamespace) -> int:
    """Sources that are solved together at most."""
    if options.rhs is not None:
        return options.rhs
    words = (options.dslash, options.solver, options.prec, int(options.recon))
    return sources_together(gauge, *words, options.threads, options.device)


def _solve(
    gauge: Gauge, options: types.SimpleNamespace, together: int, progress: object
) -> list[Propagator]:
    """One, or one per shift or mass."""
    names = ("tol", "max_iter", "source", "boundary", "overlap", "prec", "threads", "device")
    how = {name: getattr(options, name) for name in names}
    how["share_device"] = options.share_device
    how |= {"recon": int(options.recon), "progress": progress}
    if options.masses is not None:
        how |= {name: getattr(options, name) for name in ("dslash", "u0", "naik_epsilon")}
        return solve_masses(gauge, options.masses, keep=False, **how)
    words = ("dslash", "kappa", "mass", "csw", "mu", "u0", "naik_epsilon")
    how |= {name: getattr(options, name) for name in words}
    if options.shifts is not None:
        return solve_shifted(gauge, options.shifts, keep=False, **how)
    keep = options.out is not None or options.mesons
    return [solve(gauge, solver=options.solver, rhs=together, keep=keep, **how)]


def _plaquettes(gauge: Gauge, options: types.SimpleNamespace) -> tuple[float, float]:
    """Computed, and as the file's header has it (NaN without one)."""
    header = inspect_gauge(options.config).plaquette if options.config else np.nan
    return gauge.plaquette, header


def _times(context: _core.Context, result: Propagator | None) -> np.ndarray:
    """Seconds (source, [total, operator, halo wait, vectors, reductions, check]): total of the
    slowest rank, the rest averaged over the ranks."""
    if result is None:
        return np.zeros((0, len(dataclasses.fields(_Split))))
    mine = [dataclasses.astuple(_Split.of(report)) for report in result.reports]
    mean = np.array(mine).ravel()
    slowest = mean.copy()
    _core.allreduce_sum(context, mean)
    _core.allreduce_max(context, slowest)
    times = mean.reshape(len(mine), -1) / context.size
    times[:, 0] = slowest.reshape(len(mine), -1)[:, 0]
    return times


def _setup_s(context: _core.Context, result: Propagator | None) -> float:
    slowest = np.array([0.0 if result is None else result.setup_s])
    _core.allreduce_max(context, slowest)
    return float(slowest[0])


@dataclasses.dataclass
class _Split:
    total_s: float
    operator_s: float
    halo_wait_s: float
    vector_s: float
    reduction_s: float
    check_s: float

    @classmethod
    def of(cls, report: _core.SolveReport) -> _Split:
        return cls(*(getattr(report.time, field.name) for field in dataclasses.fields(cls)))


def _show(record: dict, options: types.SimpleNamespace) -> None:
    if options.plot and record["correlator"] is not None:
        from onehop.cli.plot import plot_correlator

        with output.complete_or_absent(options.plot) as temporary:
            plot_correlator(record, temporary)
    if options.json != "-":
        from onehop.cli.solve_table import print_table

        print_table(record)
    virtual_reading.tell(record, options)
    if options.json:
        from onehop.cli.record import write_record

        write_record(record, options.json)
    if options.hdf5:
        from onehop.cli.hdf5_file import write_hdf5

        write_hdf5(record, options.hdf5)


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
            output.reserve_npy(temporary, shape)
        _core.barrier(context)
        whole = np.lib.format.open_memmap(temporary, mode="r+")
        whole[(slice(None), *block)] = result.propagator
        whole.flush()
