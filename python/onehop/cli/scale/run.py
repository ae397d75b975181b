"""`onehop scale` shows which network suits a lattice, and where it stops scaling."""

import dataclasses
import functools
import math
import sys
import time
from collections.abc import Sequence

from onehop import netsim, output
from onehop._core import Error, UsageError
from onehop.cli._shared.option import Options
from onehop.cli._shared.progress import Progress
from onehop.cli._shared.record import deliver
from onehop.counted import by_x
from onehop.figures import save
from onehop.netsim import Platform
from onehop.netsim.side_by_side import Watch, side_by_side
from onehop.perfmodel import scaling, scaling_simulation, workload
from onehop.perfmodel.draw_scaling import draw_scaling
from onehop.perfmodel.scaling import Point, stops_at
from onehop.record import new_record
from onehop.text_table import aligned

# Two lines of heads, which keep the table narrower than a hundred columns.
_HEADS = (
    *("#\n# Nodes", "Grid", "Bound\nby", "Iter.\n(us)", "Effic.\n(%)", "Halo\n(us)", "Sums\n(us)"),
    *("Need\n(GB/s)", "Have\n(GB/s)", "Bisec.\n(%)", "ns node\n/site", "Simul.\n(us)"),
)


def run(options: Options, arguments: Sequence[str]) -> int:
    started = time.monotonic()
    if any(extent % 2 for extent in options.lattice):
        raise UsageError("every extent of --lattice must be even; even and odd sites alternate")
    options.nodes = sorted(set(options.nodes))
    platforms = [netsim.load(name) for name in options.platforms]
    _check_names(platforms)
    series, left_out = _predict(platforms, options)
    if options.simulate:
        left_out += _simulate({one.name: one for one in platforms}, series, options)
    if not any(series.values()):
        raise UsageError(next(iter(left_out), "no platform has such numbers of nodes"))
    record = _record(series, left_out, options, time.monotonic() - started)
    for line in left_out:
        print(f"onehop: {line}", file=sys.stderr)
    return deliver(
        record, options, lambda _: _show(series, options), lambda *_: _plot(series, options)
    )


def _check_names(platforms: Sequence[Platform]) -> None:
    """Checks that no two files have the same name, under which tables and records keep them."""
    files = {}
    for one in platforms:
        other = files.setdefault(one.name, one.file)
        if other != one.file:
            raise UsageError(
                f"--platforms: {other} and {one.file} are both called {one.name}; change name in "
                "one"
            )


def _predict(
    platforms: Sequence[Platform], options: Options
) -> tuple[dict[str, list[Point]], list[str]]:
    series, left_out = {}, []
    for platform in platforms:
        node = scaling.node_of(platform, options.node_gflops, None)
        points = []
        for nodes in options.nodes:
            found = _one(platform, node, nodes, options)
            if not isinstance(found, str):
                points.append(found)
            elif found not in left_out:
                left_out.append(found)
            if nodes > platform.fabric.nodes_most:
                break
        series[platform.name] = scaling.with_efficiency(points)
    return series, left_out


def _one(platform: Platform, node: object, nodes: int, options: Options) -> object:
    """Returns the point, or why there is none."""
    operator = workload.OPERATORS[options.dslash]
    if nodes > platform.fabric.nodes_most:
        return (
            f"{platform.name} has at most {platform.fabric.nodes_most} nodes; its curve ends there"
        )
    overlap = options.overlap == "fused"
    shape = (options.lattice, operator, options.prec)
    point = scaling.predict(platform, node, *shape, nodes, overlap, options.simulate)
    size = by_x(options.lattice)
    return point or f"lattice {size} cannot be cut into {nodes} equal parts of even extents"


def _simulate(
    platforms: dict[str, Platform], series: dict[str, list[Point]], options: Options
) -> list[str]:
    """Fills in simulated_us; returns what could not be simulated. Many nodes take longest, so that
    they begin first."""
    left_out = []
    pending = [(name, number) for name, points in series.items() for number in range(len(points))]
    order = sorted(pending, key=lambda one: -series[one[0]][one[1]].nodes)
    operator = workload.OPERATORS[options.dslash]

    def simulate(name: str, number: int, watch: Watch) -> tuple[str, int, float | Error]:
        node = scaling.node_of(platforms[name], options.node_gflops, None)
        how = (operator, options.prec, options.overlap == "fused", watch)
        try:
            time_us = scaling_simulation.simulated_us(
                platforms[name], node, series[name][number], *how
            )
        except Error as error:
            return name, number, error
        return name, number, time_us

    with Progress("simulate", len(pending), verbose=options.verbose) as progress:

        def tell(done: int, found: tuple[str, int, float | Error]) -> None:
            nodes = series[found[0]][found[1]].nodes
            progress.update(done, f"{found[0]}, {nodes} nodes, {done}/{len(pending)}")

        calls = [functools.partial(simulate, *one) for one in order]
        found = side_by_side(calls, tell)
    for name, number, time_us in sorted(found, key=lambda one: pending.index(one[:2])):
        point = series[name][number]
        if isinstance(time_us, Error):
            left_out.append(f"{name}, {point.nodes} nodes: not simulated: {time_us}")
        else:
            series[name][number] = dataclasses.replace(point, simulated_us=time_us)
    return left_out


def _show(series: dict[str, list[Point]], options: Options) -> None:
    size = by_x(options.lattice)
    print(
        f"# CG iteration, {options.dslash} {options.prec}, {size}, closed form, {options.overlap}"
    )
    rows = [_cells(point, options.simulate) for points in series.values() for point in points]
    lines = aligned(rows, _HEADS if options.simulate else _HEADS[:-1], left=3).splitlines()
    print("\n".join(lines[:2]))
    lines = lines[2:]
    for name, points in series.items():
        if points:
            print(f"# {name}: {_limit(points, stops_at(points))}")
            print("\n".join(lines[: len(points)]))
        lines = lines[len(points) :]


def _cells(point: Point, simulated: bool) -> list[str]:
    values = [point.iteration_us, 100 * point.efficiency, point.halo_us, point.sums_us]
    values += [point.required_gbs, point.available_gbs, _bisection_percent(point)]
    values += [point.cost_node_ns_per_site]
    values += [point.simulated_us] if simulated else []
    where = [str(point.nodes), by_x(point.grid), point.bound_by]
    return where + ["-" if value is None else _short(value) for value in map(_finite, values)]


def _bisection_percent(point: Point) -> float | None:
    """Returns how much of the bisection is used; nothing where each pair of nodes has a link."""
    if point.bisection_gbs is None or not math.isfinite(point.bisection_gbs):
        return None
    return 100 * point.bisection_used_gbs / point.bisection_gbs


def _short(value: float) -> str:
    return f"{value:.0f}" if 1000 <= value < 1e6 else f"{value:.3g}"


def _limit(points: list[Point], last: int | None) -> str:
    if len(points) == 1:
        return f"{points[0].nodes} nodes only; efficiency needs another number of nodes"
    if last is None:
        return f"keeps half of its efficiency up to {points[-1].nodes} nodes"
    best = min(points, key=lambda point: point.iteration_us)
    return (
        f"falls below half of its efficiency beyond {last} nodes; fastest on {best.nodes}, "
        f"{best.iteration_us:.4g} us"
    )


def _record(
    series: dict[str, list[Point]], left_out: list[str], options: Options, total_s: float
) -> dict:
    record = new_record("scale", options)
    record["method"] = "closed form and simulation" if options.simulate else "closed form"
    record["samples"] = [
        {key: _finite(value) for key, value in dataclasses.asdict(point).items()}
        for points in series.values()
        for point in points
    ]
    record["stops_at"] = {name: stops_at(points) for name, points in series.items()}
    record["left_out"] = left_out
    record["check"] = {"passed": True, "why": "a prediction; nothing was measured"}
    record["timing"] = {"total_s": total_s}
    return record


def _finite(value: object) -> object:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _plot(series: dict[str, list[Point]], options: Options) -> None:
    size = by_x(options.lattice)
    samples = {name: [dataclasses.asdict(p) for p in points] for name, points in series.items()}
    figure = draw_scaling(samples, f"CG iteration, {options.dslash} {options.prec}, {size}")
    save(figure, options.plot)
    output.say_written(options.plot)
