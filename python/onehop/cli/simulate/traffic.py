"""`onehop simulate PLATFORM traffic` measures the network over the load that is offered."""

import functools

from onehop import _core
from onehop._core import UsageError
from onehop.cli._shared.option import Options
from onehop.cli._shared.progress import Progress
from onehop.cli.simulate.beside import Beside, slowdown_rows
from onehop.cli.simulate.outcome import Outcome, show_load
from onehop.cli.simulate.traffic_plot import draw
from onehop.netsim import Platform, traffic
from onehop.text_table import aligned

_MOST_BYTES = 2**31 - 1
_HEADS = ("load", "accepted", "mean", "median", "99 %", "99.9 %", "busiest link in a slice")


def run(
    options: Options, platform: Platform, machine: _core.MachineDescription, beside: Beside
) -> Outcome:
    _check(options, machine)
    # Without others no stage of a node is used.
    where, path = (machine, beside.path) if beside else (traffic.bare(machine), 0)
    names = traffic.link_names(platform)
    points = []
    with Progress("simulate", len(options.load), verbose=options.verbose) as progress:
        for load in options.load:
            measure = functools.partial(
                traffic.measure,
                where,
                options.pattern,
                load,
                message_bytes=options.message_bytes or 0,
                distance=options.distance,
                warm_up=options.warm_up,
                window=options.window,
                seed=options.seed,
                path=path,
            )
            point, accounts, times = measure(beside=beside.background)
            if beside:
                alone, _, _ = measure()
                point |= beside.slowdowns_of_traffic(point, alone, times)
            points.append(point)
            progress.update(len(points), f"load {load:g}: {point['accepted']:.3f} accepted")
    own = {
        "network": platform.fabric.kind,
        "routing": platform.fabric.topology.routing,
        "pattern": options.pattern,
        "link_classes": names[: len(points[-1]["link_use"]["mean"][-1])],
        "node_gbps": traffic.node_gbps(where.fabrics[0], options.message_bytes or 0),
        "saturation": max(point["accepted"] for point in points),
        "points": points,
        "samples": [point["mean_us"] for point in points if "mean_us" in point],
    }
    if options.plot:
        draw(own, options.platform, options.plot)
    return Outcome(own, accounts, accounts.now_ps)


def _check(options: Options, machine: _core.MachineDescription) -> None:
    """Checks what the run itself would not notice."""
    if (options.message_bytes or 0) > _MOST_BYTES:
        raise UsageError(
            f"--message-bytes {options.message_bytes}: a message has at most {_MOST_BYTES} in "
            "traffic; give fewer"
        )
    extents = machine.fabrics[0].shape.extents
    if options.pattern == "adversarial" and extents and extents[0] == 1 and machine.nodes > 1:
        by = "x".join(map(str, extents))
        raise UsageError(
            f"--pattern adversarial goes along the first axis, which has one node of {by}; give "
            "--nodes with a longer first axis"
        )


def show(record: dict) -> None:
    rows = []
    for point in record["points"]:
        shown = [f"{point['load']:g}", f"{point['accepted']:.3f}"]
        for key in ("mean_us", "p50_us", "p99_us", "p999_us"):
            shown.append(f"{point[key]:.2f} us" if key in point else "")
        shown.append(_busiest(record, point) + (", saturated" if point["saturated"] else ""))
        rows.append(tuple(shown))
    nodes = "x".join(map(str, record["options"]["nodes"]))
    print(
        f"{record['options']['platform']}, {record['network']} of {nodes} nodes,"
        f" {record['routing']} routing, {record['pattern']} traffic"
    )
    print(aligned(rows, _HEADS, left=1, indent=2))
    for point in record["points"]:
        if "slowdown" in point:
            table = slowdown_rows(point)
            print(f"\n  at load {point['load']:g}, mean latency:\n{aligned(table, indent=2)}")
    print(f"\n  at load {record['points'][-1]['load']:g}:")
    show_load(record)


def _busiest(record: dict, point: dict) -> str:
    """Returns the class of links of which one is busiest, with its share in the mean slice."""
    use = point["link_use"]["most"]
    means = [sum(part[k] for part in use) / len(use) for k in range(len(use[0]))]
    busiest = max(range(len(means)), key=means.__getitem__)
    return f"{record['link_classes'][busiest]} {means[busiest]:.0%}"
