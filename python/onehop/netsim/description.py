"""A platform as the plain data that the packet simulation takes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from onehop import _core
from onehop._core import UsageError
from onehop.netsim import stage_cost

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from onehop.netsim.platform import Fabric, Platform, Protocol, Stage, TransferPath
    from onehop.netsim.quantity import Quantity

_UNLIMITED = 2**64 - 1
_UNCONTROLLED = -1
_GRIDS = ("torus", "ring", "coupled-rings")


def describe(
    platform: Platform, nodes: int, extents: Sequence[int] | None = None
) -> _core.MachineDescription:
    """A machine with at least `nodes` nodes: a torus or rings of `extents`, or as installed when
    that is enough, of which some are then used; see `nodes` and `places` of what is returned.
    Ranks go over the hosts by number unless `extents` are given.

    Raises UsageError for more nodes than the machine can have.
    """
    platform.check_nodes(nodes)
    if extents is not None and math.prod(extents) != nodes:
        raise UsageError(f"extents {'x'.join(map(str, extents))} do not make {nodes} nodes")
    if extents is None and platform.fabric.kind in _GRIDS:
        nodes = math.prod(shape_for(platform.fabric, nodes))
    places = platform.fabric.places if extents is None else ()
    packet = int(platform.fabric.wire()["packet"].base)
    fabrics = [_fabric(f, nodes, extents if not n else None) for n, f in platform.fabrics.items()]
    numbers = {name: number for number, name in enumerate(platform.stages)}
    paths = {name: number for number, name in enumerate(platform.paths)}
    description = _core.MachineDescription(
        name=platform.name,
        nodes=nodes,
        stages=[_stage(stage, packet) for stage in platform.stages.values()],
        fabrics=fabrics,
        paths=[_path(platform, path, numbers) for path in platform.paths.values()],
        protocols=[_protocol(row, paths) for row in platform.protocols],
        collectives=[_collective(v, t, paths) for v, t in platform.collectives.items()],
        algorithms=[_algorithm(n, t) for n, t in platform.algorithms.items()],
        host=_processor(platform.host),
        gpu=_processor(platform.gpu),
        places=places if len(places) == nodes else (),
    )
    description.check()
    return description


def shape_for(fabric: Fabric, nodes: int) -> tuple[int, ...]:
    """Extents of a torus or of rings for `nodes`: those installed while they suffice; beyond them
    as close to a cube as the number allows."""
    if nodes <= math.prod(fabric.extents):
        return fabric.extents
    return _near_cube(nodes, len(fabric.extents))


def _near_cube(nodes: int, axes: int) -> tuple[int, ...]:
    if axes == 1:
        return (nodes,)
    goal = round(nodes ** (1 / axes))
    side = next(n for n in range(goal, nodes + 1) if nodes % n == 0)
    smaller = max((n for n in range(1, goal + 1) if nodes % n == 0), default=1)
    first = side if abs(side - goal) <= abs(smaller - goal) else smaller
    return tuple(sorted((first, *_near_cube(nodes // first, axes - 1)), reverse=True))


def _fabric(fabric: Fabric, nodes: int, extents: Sequence[int] | None) -> _core.Fabric:
    wire = fabric.wire()
    axes = tuple(extents) if extents is not None else shape_for(fabric, nodes)
    axis_wires = fabric.wires.keys() & set("xyzt")
    names = "xyzt"[: len(axes)] if axis_wires else ("",)
    return _core.Fabric(
        name=fabric.name or "network",
        shape=_topology(fabric, nodes, axes),
        links=[_cable(fabric.wire(name)) for name in names],
        packet_bytes=int(wire["packet"].base),
        router_latency=_ps(wire, "router"),
    )


def _topology(fabric: Fabric, nodes: int, axes: Sequence[int]) -> _core.Topology:
    kinds = _core.TopologyKind
    if fabric.kind == "coupled-rings" and len(axes) == 2:
        return _core.Topology(kind=kinds.coupled_rings, extents=list(axes))
    if fabric.kind in _GRIDS:
        return _core.Topology(kind=kinds.torus, extents=list(axes))
    if fabric.kind == "all-to-all":
        return _core.Topology(kind=kinds.all_to_all, nodes=nodes)
    radix, rails = int(fabric.number("radix")), int(fabric.number("rails", 1))
    levels = [_core.TreeLevel(down=radix, up=1)]
    if nodes > radix:
        # Full bisection: half of a leaf's ports go down, half up.
        half = radix // 2
        levels = [_core.TreeLevel(down=half, up=1), _core.TreeLevel(down=radix, up=half)]
    return _core.Topology(kind=kinds.fat_tree, levels=levels, rails=rails)


def _cable(wire: Mapping[str, Quantity]) -> _core.Cable:
    value = {key: number.base for key, number in wire.items()}
    return _core.Cable(
        raw_rate=value["rate"],
        efficiency=value.get("efficiency", 1.0),
        framing_bytes=int(value.get("framing", 0)),
        latency=round(value["latency"]),
        credits=int(value.get("credits", 8)),
        virtual_channels=int(value.get("channels", 2)),
        bit_error_rate=value.get("bit_error_rate", 0.0),
        retry=round(value.get("retry", 0)),
    )


def _stage(stage: Stage, packet: int) -> _core.Stage:
    unit = "" if stage.unit == stage.name else stage.unit
    return _core.Stage(name=stage.name, unit=unit, model=_MODELS[stage.kind](stage, packet))


def _software(s: Stage, packet: int) -> _core.SoftwareStep:
    return _core.SoftwareStep(
        per_message=round(s.get("cost")),
        per_chain=round(s.get("per_chain")),
        per_piece=round(s.get("per_piece")),
        rate=s.get("rate"),
    )


def _copy(s: Stage, packet: int) -> _core.CopyEngine:
    return _core.CopyEngine(
        setup=round(s.get("setup")), per_piece=round(s.get("per_piece")), rate=s.get("rate")
    )


def _gpu(s: Stage, packet: int) -> _core.GpuKernel:
    return _core.GpuKernel(launch=round(s.get("launch")), rate=s.get("rate"))


def _event(s: Stage, packet: int) -> _core.EventQueueEntry:
    return _core.EventQueueEntry(write=round(s.get("write")), poll=round(s.get("poll")))


def _dma(s: Stage, packet: int) -> _core.DmaEngine:
    return _core.DmaEngine(
        channels=int(s.get("channels", 1)),
        gap=round(stage_cost.dma_gap_ps(s, packet)),
        latency=round(stage_cost.dma_latency_ps(s)),
        per_piece=round(s.get("per_piece")),
        rate=stage_cost.dma_rate(s),
        window_bytes=int(s.get("window")),
        drains=True,
    )


def _translation(s: Stage, packet: int) -> _core.Translation:
    return _core.Translation(
        hit=round(s.get("hit")),
        miss=round(s.get("miss", s.get("hit"))),
        entries=int(s.get("entries")),
        page_bytes=int(s.get("page", 4096)),
        rate=s.get("rate"),
    )


def _port(s: Stage, packet: int) -> _core.BusPort:
    return _core.BusPort(
        latency=round(s.get("latency")),
        rate=s.get("rate") * s.get("lanes", 1),
        payload_bytes=int(s.get("payload", packet)),
        overhead_bytes=int(s.get("overhead")),
    )


_MODELS = {
    "software": _software,
    "copy": _copy,
    "gpu": _gpu,
    "event": _event,
    "dma": _dma,
    "translation": _translation,
    "port": _port,
}


def _memory(word: str) -> _core.Memory:
    return _core.Memory.device if word == "device" else _core.Memory.host


def _path(platform: Platform, path: TransferPath, numbers: Mapping[str, int]) -> _core.Path:
    row = next((r for r in platform.protocols if r.path == path.name), platform.protocols[0])
    return _core.Path(
        name=path.name,
        from_memory=_memory(row.origin_memory),
        to_memory=_memory(row.target_memory),
        origin=[numbers[name] for name in path.origin],
        target=[numbers[name] for name in path.target],
        fabric=list(platform.fabrics).index(path.fabric),
        local=round(path.local_ps),
        stripe_bytes=_UNLIMITED if path.stripe is None else int(path.stripe.base),
    )


def _protocol(row: Protocol, paths: Mapping[str, int]) -> _core.Protocol:
    return _core.Protocol(
        name=row.name,
        variant=row.variant,
        from_memory=_memory(row.origin_memory),
        to_memory=_memory(row.target_memory),
        least_bytes=row.least,
        most_bytes=_UNLIMITED if row.most is None else row.most,
        block_bytes=row.block or 0,
        path=paths[row.path],
        grant=paths[row.grant] if row.grant else _UNCONTROLLED,
        request=paths[row.request] if row.request else _UNCONTROLLED,
        notice=paths[row.notice] if row.notice else _UNCONTROLLED,
        rows=getattr(_core.SourceShape, row.shape),
    )


def _collective(
    variant: str, table: Mapping[str, object], paths: Mapping[str, int]
) -> _core.CollectiveSoftware:
    def word(key: str) -> str:
        return str(table.get(key, "")).replace("-", "_")

    def number(key: str, default: float) -> float:
        return table[key].base if key in table else default

    def path(key: str) -> int:
        return paths[table[key]] if key in table else _UNCONTROLLED

    return _core.CollectiveSoftware(
        variant=variant,
        broadcast=word("broadcast"),
        allgather=word("allgather"),
        allreduce=word("allreduce"),
        alltoall=word("alltoall"),
        barrier=word("barrier"),
        entry=round(number("entry", 0)),
        step=round(number("step", 0)),
        reduce_rate=number("reduce", 0.0),
        copy_out=path("copy_out"),
        copy_in=path("copy_in"),
        short_out=path("short_out"),
        short_in=path("short_in"),
        short_most=int(number("short_most", 0)),
        staging_variant=str(table.get("staging_variant", "")),
        is_staged=table.get("staging") == "always",
        staging_block=int(number("staging_block", 0)),
    )


def _algorithm(name: str, table: Mapping[str, object]) -> _core.CollectiveAlgorithm:
    def number(key: str, default: int) -> int:
        return int(table[key].base) if key in table else default

    return _core.CollectiveAlgorithm(
        name=name,
        variant=table["variant"],
        operation=table["of"],
        schedule=table["schedule"],
        of_host=table.get("memory") != "device",
        of_device=table.get("memory") != "host",
        most_bytes=number("most", _UNLIMITED),
        fan=number("fan", 2),
        segment_bytes=number("segment", 0),
        staging=table.get("staging", "none"),
        copies_out=number("copies_out", 1),
    )


def _processor(numbers: Mapping[str, Quantity]) -> _core.Processor:
    return _core.Processor(
        launch=_ps(numbers, "launch"),
        flops_per_second=numbers["flops"].base if "flops" in numbers else 0.0,
        bytes_per_second=numbers["memory"].base if "memory" in numbers else 0.0,
    )


def _ps(numbers: Mapping[str, Quantity], key: str) -> int:
    return round(numbers[key].base) if key in numbers else 0
