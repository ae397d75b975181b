"""Measures a network by random messages between its nodes, over the load that they offer."""

from collections.abc import Callable

import numpy as np

from onehop import _core
from onehop.netsim.platform import Platform
from onehop.netsim.topology_tables import GRIDS

_PERCENTILES = {"p50": 50, "p90": 90, "p99": 99, "p999": 99.9}
_BINS_PER_DECADE = 20


def bare(machine: _core.MachineDescription) -> _core.MachineDescription:
    """Returns the first network of a machine alone: messages enter at their node's router or cable,
    without the stages of nodes."""
    return _core.MachineDescription(
        name=machine.name,
        nodes=machine.nodes,
        fabrics=machine.fabrics[:1],
        paths=[_core.Path(name="network")],
        dead_links=machine.dead_links,
        seed=machine.seed,
    )


def with_traffic(machine: _core.MachineDescription) -> int:
    """Gives a machine a path without the stages of nodes, by which traffic goes beside the messages
    of jobs; returns its number."""
    machine.paths = [*machine.paths, _core.Path(name="traffic")]
    return len(machine.paths) - 1


def background(
    machine: _core.MachineDescription, pattern: str, load: float, seed: int, path: int
) -> _core.Traffic:
    """Returns traffic of single packets that has no end of its own."""
    return _core.Traffic(
        pattern=getattr(_core.TrafficPattern, pattern.replace("-", "_")),
        load=load,
        bytes=machine.fabrics[0].packet_bytes,
        seed=seed,
        path=path,
    )


def link_names(platform: Platform) -> list[str]:
    """Returns the names of the classes of links, by their number."""
    topology = platform.fabric.topology
    if topology.kind in GRIDS:
        return [f"axis {'xyzt'[k] if k < 4 else k + 1}" for k in range(8)]
    if topology.kind == "fat-tree":
        return ["nodes", *(f"level {level}" for level in range(2, 10))]
    if topology.kind == "hyperx":
        return ["nodes", *(f"axis {k + 1}" for k in range(8))]
    return ["all"] if topology.kind == "all-to-all" else ["nodes", "local", "global"]


def measure(
    machine: _core.MachineDescription,
    pattern: str,
    load: float,
    *,
    message_bytes: int = 0,
    distance: int = 1,
    warm_up: int = 250,
    window: int = 500,
    slices: int = 10,
    seed: int = 1,
    path: int = 0,
    beside: _core.Background | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[dict, _core.VirtualAccounts, list[_core.ProgramTimes]]:
    """Returns what a machine did with a load on one of its paths, its accounts, and the times of
    the jobs that run beside it.

    `message_bytes` 0 is a packet; `distance` is that of a shift. `warm_up` and `window` count
    messages that a node could send at load 1, `slices` are parts of the window. Latencies are in
    us, from when a message was made. Raises UsageError for what cannot be run.
    """
    fabric = machine.fabrics[0]
    size = message_bytes or fabric.packet_bytes
    one = message_ps(fabric, size)
    what = _core.Traffic(
        pattern=getattr(_core.TrafficPattern, pattern.replace("-", "_")),
        distance=distance,
        load=load,
        bytes=size,
        warm_up=warm_up * one,
        window=window * one,
        slices=slices,
        seed=seed,
        path=path,
    )
    run = _core.TrafficRun(machine, what, _core.Background() if beside is None else beside)
    times = run.run(progress)
    return _point(times, window * one / slices), times.accounts, run.beside


def message_ps(fabric: _core.Fabric, size_bytes: int) -> int:
    """Returns how long a message keeps the first link of a node busy."""
    link = fabric.links[0]
    packets = max(1, -(-size_bytes // fabric.packet_bytes))
    rate = link.rate * link.efficiency
    return max(1, round((size_bytes + packets * link.framing) / rate * 1e12)) if rate else 1


def node_gbps(fabric: _core.Fabric, size_bytes: int) -> float:
    """Returns the GB/s of data that a node sends at load 1 in messages of this size; 0 is a
    packet."""
    size_bytes = size_bytes or fabric.packet_bytes
    return 1e3 * size_bytes / message_ps(fabric, size_bytes)


def _point(times: _core.TrafficTimes, slice_ps: float) -> dict:
    latencies = times.latencies_ps * 1e-6
    found = {
        "load": times.offered,
        "accepted": times.accepted,
        "saturated": times.is_saturated,
        "messages": len(latencies),
    }
    if len(latencies):
        found["mean_us"] = float(latencies.mean())
        values = np.percentile(latencies, list(_PERCENTILES.values()))
        found |= {f"{name}_us": float(v) for name, v in zip(_PERCENTILES, values, strict=True)}
        found["longest_us"] = float(latencies.max())
        found["histogram"] = _histogram(latencies)
    found["link_use"] = {
        "slice_us": slice_ps * 1e-6,
        "mean": [[use.mean for use in part] for part in times.use],
        "most": [[use.most for use in part] for part in times.use],
    }
    return found


def _histogram(latencies_us: np.ndarray) -> dict:
    """Counts latencies in bins that are equally wide on a logarithmic scale."""
    low, high = latencies_us.min(), latencies_us.max()
    first = np.floor(np.log10(max(low, 1e-6)) * _BINS_PER_DECADE)
    last = max(np.floor(np.log10(max(high, 1e-6)) * _BINS_PER_DECADE) + 1, first + 1)
    edges = 10 ** (np.arange(first, last + 1) / _BINS_PER_DECADE)
    counts, _ = np.histogram(np.clip(latencies_us, edges[0], edges[-1]), edges)
    return {"edges_us": edges.tolist(), "counts": counts.tolist()}
