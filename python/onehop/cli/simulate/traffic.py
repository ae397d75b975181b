"""`onehop simulate PLATFORM traffic` measures the network over the load that is offered."""

import functools

from onehop import _core
from onehop._core import UsageError
from onehop.cli._shared.option import Options
from onehop.cli._shared.progress import Progress
from onehop.cli.simulate.beside import Beside, slowdown_rows
from onehop.cli.simulate.outcome import Outcome, show_load
from onehop.counted import by_x
from onehop.figures import save
from onehop.netsim import Platform, traffic
from onehop.netsim.side_by_side import Watch, side_by_side
from onehop.netsim.traffic_plot import figure_of
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
    points, accounts = _measure(options, where, path, beside)
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
        save(figure_of(own, options.platform), options.plot)
    return Outcome(own, accounts, accounts.now_ps)


def _measure(
    options: Options, where: _core.MachineDescription, path: int, beside: Beside
) -> tuple[list[dict], _core.VirtualAccounts]:
    """Returns the point of each load and the accounts of the last one; loads with others beside
    are measured alone, too. High loads take longest, so that they begin first."""
    loads = options.load
    order = sorted(range(len(loads)), key=lambda k: -loads[k])

    def one(k: int, others: _core.Background | None, watch: Watch) -> tuple:
        point, accounts, times = traffic.measure(
            where,
            options.pattern,
            loads[k],
            message_bytes=options.message_bytes or 0,
            distance=options.distance,
            warm_up=options.warm_up,
            window=options.window,
            seed=options.seed,
            path=path,
            beside=others,
            progress=watch,
        )
        # The accounts of a large machine are large.
        return point, accounts if k == len(loads) - 1 else None, times

    calls = [functools.partial(one, k, beside.background) for k in order]
    if beside:
        calls += [functools.partial(one, k, None) for k in order]
    with Progress("simulate", len(calls), verbose=options.verbose) as progress:

        def tell(done: int, found: tuple) -> None:
            load, accepted = found[0]["load"], found[0]["accepted"]
            progress.update(done, f"load {load:g}: {accepted:.3f} accepted")

        found = side_by_side(calls, tell)
    measured = dict(zip(order, found, strict=False))
    if beside:
        for k, (alone, _, _) in zip(order, found[len(order) :], strict=True):
            point, _, times = measured[k]
            point |= beside.slowdowns_of_traffic(point, alone, times)
    return [measured[k][0] for k in range(len(loads))], measured[len(loads) - 1][1]


def _check(options: Options, machine: _core.MachineDescription) -> None:
    """Refuses options that the run itself would not refuse."""
    if (options.message_bytes or 0) > _MOST_BYTES:
        raise UsageError(
            f"--message-bytes {options.message_bytes}: a message has at most {_MOST_BYTES} in "
            "traffic; give fewer"
        )
    extents = machine.fabrics[0].shape.extents
    if options.pattern == "adversarial" and extents and extents[0] == 1 and machine.nodes > 1:
        by = by_x(extents)
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
    nodes = by_x(record["options"]["nodes"])
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
