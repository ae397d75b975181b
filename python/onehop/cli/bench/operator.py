"""`onehop bench dslash` and `bench solve` measure operators against the limits of the machine."""

import itertools
import math
import sys
import time
from collections.abc import Sequence

from onehop import _bench, _core, output, virtual
from onehop._core import UsageError
from onehop.cli._shared import device as devices
from onehop.cli._shared import rank_grid, solving
from onehop.cli._shared.option import Options
from onehop.cli._shared.record import deliver
from onehop.counted import by_x
from onehop.engine import reach_of
from onehop.record import new_record
from onehop.roof import above

# Only these patterns take these options, which have these defaults.
OPTIONS = {
    "dslash": "wilson",
    "csw": None,
    "mu": None,
    "solver": "cg",
    "prec": "single",
    "recon": 18,
    "threads": 1,
    "rhs": 1,
    "device": "host",
    "share_device": False,
}
_SWEEP_EXTENTS = (8, 12, 16, 24)
_SWEEP_PRECISIONS = ("double", "single", "half")
_SWEPT = ("lattice", "prec", "threads")
_MAX_TIME_S = 2.0
_BLOCK_TIME_S = 2e-3
# This share of an iteration's time may be in no part of it.
_MOST_UNCOVERED = 0.02
# The measurement does not depend on the mass.
_MASS = 0.5


def check(options: Options) -> None:
    """Refuses options that contradict each other, and fills in the defaults."""
    _refuse_virtual(options, options.transport)
    options.max_time = options.max_time or _MAX_TIME_S
    if options.min_time > options.max_time:
        raise UsageError(
            f"--min-time {options.min_time:g} is above --max-time {options.max_time:g}"
        )
    for name in _SWEPT:
        if options.sweep and getattr(options, name) is not None:
            raise UsageError(f"--{name} is what --sweep varies; give one of the two")
    for name, default in OPTIONS.items():
        if getattr(options, name) is None:
            setattr(options, name, default)
    operator = solving.operator_of(options, _MASS)
    devices.check(options)
    if options.device != "host" and (options.threads > 1 or options.sweep):
        raise UsageError("--threads and --sweep are for the host; leave them out")
    if options.pattern == "solve" and options.prec == "half":
        raise UsageError("--prec half is for dslash; a solve in half is corrected in single")
    _solve_options(options).check(operator)
    options.lattice = options.lattice or [_SWEEP_EXTENTS[0]] * 4
    options.grid = None
    rank_grid.choose_grid(options, options.lattice, operator.reach)


def _refuse_virtual(options: Options, transport: str) -> None:
    if virtual.is_virtual(transport):
        raise UsageError(
            f"bench {options.pattern} times this machine's cores, which {transport} does not use; "
            "use another --transport"
        )


def _solve_options(options: Options) -> _core.SolveOptions:
    names = set(_core.SolveOptions.names) & set(OPTIONS)
    return _core.SolveOptions(**{name: getattr(options, name) for name in names})


def cell_of(options: Options, first_core: int) -> _bench.OperatorCell:
    """Returns the operator to measure, from the options."""
    operator = solving.operator_of(options, _MASS)
    cell = _bench.OperatorCell(operator, _solve_options(options))
    cell.iterations = options.pattern == "solve"
    cell.first_core = first_core
    return cell


def run_on_rank(context: _core.Context, options: Options) -> int:
    started = time.monotonic()
    _refuse_virtual(options, context.transport)
    record = new_record("bench", options)
    record |= {"pattern": options.pattern, "ranks": context.size, "transport": context.transport}
    record["warnings"] = _core.machine_warnings(
        context.size * options.threads, options.pin == "cores"
    )
    if context.rank == 0:
        for line in record["warnings"]:
            output.warn(line)
    schedule = _bench.BenchSchedule(
        options.min_time, options.max_time, options.spread / 100, _BLOCK_TIME_S, 0, 0
    )
    for cell in _cells(options):
        sample = _measure(context, cell, schedule)
        record["samples"].append(sample)
        if context.rank == 0 and options.json != "-":
            print(_line(sample), flush=True)
        elif context.rank == 0 and options.verbose:
            print(_line(sample), file=sys.stderr, flush=True)
    # A single cell is the record itself; of a sweep the first cell is.
    record |= {key: value for key, value in record["samples"][0].items() if key != "check"}
    record["check"] = _verdict(record["samples"])
    record["timing"] = {"total_s": time.monotonic() - started}
    return deliver(record, options) if context.rank == 0 else 0


def _cells(options: Options) -> list[Options]:
    if not options.sweep:
        return [options]
    cores = len(_core.allowed_cores())
    threads = [
        n for n in (1, 2, 4, 8, 16, 32, 64) if n * options.ranks <= max(cores, options.ranks)
    ]
    precisions = [p for p in _SWEEP_PRECISIONS if options.pattern == "dslash" or p != "half"]
    return [
        Options(**vars(options) | {"lattice": [extent] * 4, "prec": prec, "threads": count})
        for extent, prec, count in itertools.product(_SWEEP_EXTENTS, precisions, threads)
    ]


def _measure(context: _core.Context, options: Options, schedule: _bench.BenchSchedule) -> dict:
    grid = _core.choose_grid(options.lattice, context.size, reach_of(options.dslash))
    geometry = _core.Geometry(context, options.lattice, grid)
    cell = cell_of(options, context.rank * options.threads if options.pin == "cores" else -1)
    return _sample(options, grid, _bench.measure_operator(geometry, cell, schedule))


def _sample(options: Options, grid: Sequence[int], rate: _bench.OperatorRate) -> dict:
    gflops, memory = _core.summarize(rate.gflops), _core.summarize(rate.memory_gbs)
    passed = rate.error <= rate.error_limit
    # On a device only the copies within its memory are measured.
    fma = _core.summarize(rate.fma_gflops).median if rate.fma_gflops else None
    by_memory = memory.median * rate.flops_per_site / rate.bytes_per_site
    roofline = by_memory if fma is None else min(fma, by_memory)
    solver = options.solver if options.pattern == "solve" else None
    words = ("dslash", "prec", "recon", "rhs", "threads", "device")
    return {
        **{name: getattr(options, name) for name in words},
        **_site_terms(options),
        **({"solver": solver} if solver else {}),
        **({"time_split": _time_split(rate.splits)} if solver and rate.splits else {}),
        "ranks": math.prod(grid),
        "lattice": list(options.lattice),
        "grid": list(grid),
        "kernels": rate.kernels,
        "gflops": {"median": gflops.median, "spread": gflops.spread, "most": gflops.most},
        "fma_peak_gflops": fma,
        "memory_gbs": memory.median,
        "flops_per_site": rate.flops_per_site,
        "bytes_per_site": rate.bytes_per_site,
        "size_bytes": rate.working_set_bytes,
        "value": gflops.median,
        "unit": "GFlop/s",
        "wrong": int(not passed),
        "roofline_gflops": roofline,
        "fraction_of_roofline": gflops.median / roofline,
        "fraction_of_fma_peak": None if fma is None else gflops.median / fma,
        "check": {
            "passed": passed,
            "error": rate.error,
            "limit": rate.error_limit,
        },
        "raw": {
            "gflops": list(rate.gflops),
            "fma_peak_gflops": list(rate.fma_gflops),
            "memory_gbs": list(rate.memory_gbs),
        },
    }


def _site_terms(options: Options) -> dict:
    """Returns csw and mu of an operator that has them."""
    terms = {"csw": options.csw, "mu": options.mu or None}
    return {name: value for name, value in terms.items() if value is not None}


def _time_split(splits: Sequence[_bench.WorkSplit]) -> dict:
    """Returns the split of the round of median length, since parts of one round belong together.

    Each part has its own clock, so that they may fail to add up.
    """
    names = ("operators", "faces", "reductions", "vectors")
    median = sorted(splits, key=lambda s: s.whole)[len(splits) // 2]
    covered = sum(getattr(median, name) for name in names) / median.whole
    return {
        "iteration_us": 1e6 * median.whole,
        **{f"{name}_us": 1e6 * getattr(median, name) for name in names},
        "covered": covered,
        "adds_up": abs(covered - 1) <= _MOST_UNCOVERED,
    }


def _verdict(samples: Sequence[dict]) -> dict:
    worst = max((s["check"] for s in samples), key=lambda check: check["error"] / check["limit"])
    passed = all(s["check"]["passed"] for s in samples)
    return {
        **worst,
        "passed": passed,
        "why": f"error {worst['error']:.2g} by the reference operator, "
        f"{'within' if passed else 'beyond'} {worst['limit']:g}",
    }


def _line(sample: dict) -> str:
    solver = f"{sample['solver']} " if "solver" in sample else ""
    peak = ""
    if sample["fma_peak_gflops"] is not None:
        peak = f"{sample['fraction_of_fma_peak']:.0%} of FMA peak {sample['fma_peak_gflops']:.1f}, "
    beyond = above(sample["fraction_of_roofline"], sample["fraction_of_fma_peak"])
    limit = "roofline" if sample["fma_peak_gflops"] is not None else "what copies allow,"
    return (
        f"{solver}{_operator(sample)} {by_x(sample['lattice'])} {sample['prec']} "
        f"recon {sample['recon']} rhs {sample['rhs']} ranks {sample['ranks']} "
        f"threads {sample['threads']}: "
        f"{sample['gflops']['median']:.1f} GFlop/s (+-{100 * sample['gflops']['spread']:.1f}%), "
        f"{peak}"
        f"{sample['fraction_of_roofline']:.0%} of {limit} {sample['roofline_gflops']:.1f} "
        f"({sample['bytes_per_site']:.0f} bytes a site, {sample['memory_gbs']:.1f} GB/s), "
        f"{'right' if sample['check']['passed'] else 'WRONG'}"
        + (_shares(sample["time_split"]) if "time_split" in sample else "")
        + (f"; {beyond}" if beyond else "")
    )


def _operator(sample: dict) -> str:
    terms = "".join(f" {name} {sample[name]:g}" for name in ("csw", "mu") if name in sample)
    return sample["dslash"] + terms


def _shares(split: dict) -> str:
    whole = split["iteration_us"]
    parts = ", ".join(
        f"{name} {split[f'{name}_us'] / whole:.0%}"
        for name in ("operators", "faces", "reductions", "vectors")
    )
    told = "" if split["adds_up"] else f"; NOT ADDING UP: {split['covered']:.1%}"
    return f"; {whole:.1f} us an iteration: {parts}{told}"
