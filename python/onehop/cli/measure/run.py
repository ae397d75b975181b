"""`onehop measure` measures observables of a gauge configuration, smeared or flowed on the way."""

import dataclasses
import math
import time
from collections.abc import Sequence

from onehop import _core, output
from onehop._core import UsageError
from onehop.cli._shared import job, rank_grid
from onehop.cli._shared.option import Options
from onehop.cli._shared.plot import plot_flow
from onehop.cli._shared.progress import Progress
from onehop.cli._shared.record import deliver
from onehop.counted import by_x
from onehop.flow import (
    FlowPoint,
    flow_scales,
    gradient_flow,
    measure_point,
    parse_smearing,
    smear,
)
from onehop.gauge import Gauge, inspect_gauge, read_gauge
from onehop.lattice_files.formats import links_format
from onehop.record import new_record
from onehop.text_table import aligned

# Rounding of thousands of steps stays below this; absurd parameters do not.
_GROWTH = 1e-10
# Links in a file are rounded by this much, by its bits.
_ROUNDING = {32: 1e-5, 64: 1e-10}
_FIXING = ("converged", "sweeps", "theta", "theta_before", "functional", "functional_before")
_ENERGIES = ("clover", "plaquette")


def run(options: Options, arguments: Sequence[str]) -> int:
    if options.spatial and (options.smear is None or parse_smearing(options.smear).kind == "hyp"):
        raise UsageError("--spatial goes with --smear ape or stout")
    if options.output:
        options.format = options.format or links_format(options.output, precision_bits=64)
    rank_grid.choose_grid(options, inspect_gauge(options.config).lattice)
    return job.run_job(arguments, options, _measure_on_rank, staged=options.output)


def _measure_on_rank(context: _core.Context, options: Options) -> int:
    started = time.monotonic()
    gauge = read_gauge(
        options.config,
        options.grid,
        context,
        output.warn,
        allow_non_unitary=options.allow_non_unitary,
    )
    as_read = _core.check_links(gauge.field)
    if options.smear is not None:
        how = parse_smearing(options.smear)
        smear(gauge, how.kind, how.parameters, how.times, spatial=options.spatial)
    points = _flow(gauge, options) if options.flow is not None else [measure_point(gauge)]
    fixed = None
    if options.fix is not None:
        options.theta = options.theta or 1e-12
        fixed = gauge.fix(options.fix, tolerance=options.theta)
    check = _check(_deviation_allowed(as_read, options), as_read, _core.check_links(gauge.field))
    if fixed is not None:
        check["passed"] = check["passed"] and fixed.converged
        check["why"] += f"; theta is {fixed.theta:.2g} after {fixed.sweeps} sweeps"
    observables = _observables(gauge)
    if options.output:
        gauge.write(options.output, options.format)
    if context.rank != 0:
        return 0
    record = _record(gauge, options, points, observables, check)
    if fixed is not None:
        record["gauge_fixing"] = {name: getattr(fixed, name) for name in _FIXING}
    record["timing"] = {"total_s": time.monotonic() - started}
    return deliver(record, options, _show, plot_flow)


def _deviation_allowed(as_read: float, options: Options) -> float:
    """Returns how far links may be from unitary at the end. Smearing and flow stay in the group, so
    that it is what the file's precision leaves, or what the links lack when read where that is
    allowed."""
    read = inspect_gauge(options.config).precision_bits
    return _GROWTH + (as_read if options.allow_non_unitary else _ROUNDING[read])


def _check(limit: float, as_read: float, at_the_end: float) -> dict:
    return {
        "passed": at_the_end <= limit,
        "why": f"the links are unitary to {at_the_end:.2g}, {as_read:.2g} as read",
        "limit": limit,
    }


def _flow(gauge: Gauge, options: Options) -> list[FlowPoint]:
    points = []
    steps = math.ceil(options.flow / options.step - 1e-9)
    show = gauge.context.rank == 0
    with Progress("flow", steps, verbose=options.verbose, show=show, often=True) as progress:
        for point in gradient_flow(gauge, options.flow, step=options.step, every=options.every):
            points.append(point)
            done = min(steps, round(point.time / options.step))
            found = f"t {point.time:.3f}, charge {point.topological_charge:+.4f}"
            progress.update(done, f"step {done}/{steps}, {found}")
    return points


def _observables(gauge: Gauge) -> dict:
    plaquettes = gauge.plaquettes
    return {
        "plaquette": plaquettes.mean,
        "plaquette_spatial": plaquettes.spatial,
        "plaquette_temporal": plaquettes.temporal,
        "rectangle": _core.rectangle(gauge.field),
        "polyakov_loops": [[p.real, p.imag] for p in _core.polyakov_loops(gauge.field)],
    }


def _record(
    gauge: Gauge, options: Options, points: list[FlowPoint], observables: dict, check: dict
) -> dict:
    record = new_record("measure", options)
    record |= {
        "lattice": list(gauge.lattice),
        "grid": list(gauge.grid),
        "ranks": gauge.context.size,
        "transport": gauge.context.transport,
        **observables,
        "topological_charge": points[-1].topological_charge,
        "samples": [
            dataclasses.asdict(p) | {"t2_energy": p.time**2 * p.energy_clover} for p in points
        ],
        "check": check,
    }
    if options.flow is not None:
        record |= dataclasses.asdict(flow_scales(points))
    return record


def _show(record: dict) -> None:
    options = record["options"]
    done = "as read"
    if options["smear"] is not None:
        done = f"after {options['smear']}" + (", x y z only" if options["spatial"] else "")
    if options["flow"] is not None:
        done += f", flowed to t = {options['flow']:g}"
    if options["fix"] is not None:
        done += f", fixed to {options['fix'].capitalize()} gauge"
    size, grid = (by_x(record[name]) for name in ("lattice", "grid"))
    verdict = "passed" if record["check"]["passed"] else "FAILED"
    rows = [
        ("configuration", f"{options['config']}, {size} on grid {grid}, {done}"),
        (
            "plaquette",
            f"{record['plaquette']:.10f}, spatial {record['plaquette_spatial']:.10f}, "
            f"temporal {record['plaquette_temporal']:.10f}",
        ),
        ("rectangle", f"{record['rectangle']:.10f}"),
        *(
            (f"polyakov {name}", f"{real:+.8f} {imaginary:+.8f}i")
            for name, (real, imaginary) in zip("xyzt", record["polyakov_loops"], strict=True)
        ),
        ("charge", f"{record['topological_charge']:+.6f}"),
        ("check", f"{verdict}: {record['check']['why']}"),
    ]
    print(aligned(rows))
    if options["flow"] is not None:
        _show_flow(record)


def _show_flow(record: dict) -> None:
    rows = [
        (
            f"{point['time']:.3f}",
            *(f"{point['time'] ** 2 * point[f'energy_{name}']:.8f}" for name in _ENERGIES),
            f"{point['topological_charge']:+.5f}",
        )
        for point in record["samples"]
    ]
    heads = ("t", *(f"t^2 E {name}" for name in _ENERGIES), "charge")
    print(f"\n{aligned(rows, heads, left=0)}")
    for name, meaning in (("t0", "t^2 E = 0.3"), ("w0", "t d/dt t^2 E = 0.3")):
        value = record[name]
        print(f"{name}  " + (f"{value:.6f}" if value else f"not reached ({meaning})"))
