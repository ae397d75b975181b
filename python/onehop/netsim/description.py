"""Makes of a platform the plain data that the packet simulation takes."""

import math
from collections.abc import Mapping, Sequence

from onehop import _core
from onehop._core import UsageError
from onehop.counted import by_x, counted
from onehop.netsim import stage_cost, topologies
from onehop.netsim.platform import Layout, Platform
from onehop.netsim.platform_tables import (
    OPERATIONS,
    Algorithm,
    Collective,
    Fabric,
    Protocol,
    TransferPath,
)
from onehop.netsim.stage_tables import Stage
from onehop.netsim.topology_tables import GRIDS

_UNLIMITED = 2**64 - 1
_UNCONTROLLED = -1


def describe(
    platform: Platform, nodes: int, extents: Sequence[int] | None = None
) -> _core.MachineDescription:
    """Describes a machine for `nodes` ranks: as installed, or larger where that is too small, with
    ranks on the hosts by number; or a torus or rings of `extents`. The result's `nodes` and
    `places` say how many nodes it has and on which of them each rank is.

    Raises UsageError for more nodes than the platform can have, and for extents that do not fit it.
    """
    layout = platform.laid_out(nodes, extents)
    if extents is not None:
        _check_extents(platform, nodes, extents)
    packet = int(platform.fabric.wire().packet)
    fabrics = [
        _fabric(fabric, layout, _asked_ahead(platform, fabric))
        for fabric in platform.fabrics.values()
    ]
    numbers = {name: number for number, name in enumerate(platform.stages)}
    paths = {name: number for number, name in enumerate(platform.paths)}
    description = _core.MachineDescription(
        name=platform.name,
        nodes=layout.nodes,
        stages=[_stage(stage, packet) for stage in platform.stages.values()],
        fabrics=fabrics,
        paths=[_path(platform, path, numbers) for path in platform.paths.values()],
        protocols=[_protocol(row, paths, platform.loop_back) for row in _rows(platform)],
        collectives=[_collective(table, paths) for table in platform.collectives.values()],
        algorithms=[_algorithm(each, paths) for each in platform.algorithms.values()],
        host=_core.Processor.of(platform.host),
        gpu=_core.Processor.of(platform.gpu),
        places=layout.places,
        one_buffer=platform.one_buffer,
    )
    try:
        description.check()
    except UsageError as error:
        raise UsageError(f"platform {platform.name} ({platform.file}): {error}") from None
    return description


def _check_extents(platform: Platform, nodes: int, extents: Sequence[int]) -> None:
    by = by_x(extents)
    if math.prod(extents) != nodes:
        raise UsageError(f"extents {by} do not make {nodes} nodes")
    axes, fabric = sum(extent > 1 for extent in extents), platform.fabric
    if fabric.kind not in GRIDS or axes <= len(fabric.extents):
        return
    if fabric.kind == "coupled-rings":
        raise UsageError(
            f"--nodes {by}: platform {platform.name} is two coupled rings (topology.kind in "
            f"{platform.file}), which have the extents n and 2, or n of one"
        )
    has = counted(len(fabric.extents), "axis", "axes")
    raise UsageError(
        f"--nodes {by} needs {2 * axes} links a node; platform {platform.name} is a {fabric.kind}"
        f" of {has} with {2 * len(fabric.extents)} (topology.extents in {platform.file}); give at"
        f" most {counted(len(fabric.extents), 'number')} above 1"
    )


def _asked_ahead(platform: Platform, fabric: Fabric) -> int:
    """Returns how many packets the engines of a fabric ask for before the first of them comes."""
    paths = [path for path in platform.paths.values() if path.fabric == fabric.name]
    engines = {name for path in paths for name in path.origin}
    packet = int(fabric.wire().packet)
    ahead = (stage_cost.packets_ahead(platform.stages[name], packet) for name in engines)
    return max(ahead, default=0)


def _fabric(fabric: Fabric, layout: Layout, asked_ahead: int) -> _core.Fabric:
    wire = fabric.wire()
    axes = layout.axes[fabric.name]
    names: Sequence[str] = ("",)
    if len(fabric.wires) > 1:
        # Nodes that are not routers have cables of their own, those of [wire].
        is_grid = fabric.kind in GRIDS
        names = "xyzt"[: len(axes)] if is_grid else ("", *fabric.topology.parts)
    # A node holds a packet for each of its rails, or a striped message would leave some idle.
    held = max(stage_cost.HELD, int(fabric.topology.rails))
    return _core.Fabric(
        name=fabric.name or "network",
        shape=topologies.shape(fabric.topology, layout.nodes, axes),
        links=[_core.Cable.of(fabric.wire(name)) for name in names],
        packet_bytes=int(wire.packet),
        router_latency=round(wire.router),
        transmit_packets=min(held + asked_ahead, stage_cost.MOST_HELD),
        receive_packets=held,
        control=fabric.congestion and _core.CongestionControl.of(fabric.congestion),
    )


def _stage(stage: Stage, packet: int) -> _core.Stage:
    unit = "" if stage.unit == stage.name else stage.unit
    return _core.Stage(name=stage.name, unit=unit, model=_MODELS[stage.kind](stage, packet))


def _dma(s: Stage, packet: int) -> _core.DmaEngine:
    return _core.DmaEngine(
        channels=int(s.channels),
        gap=round(stage_cost.dma_gap_ps(s, packet)),
        latency=round(stage_cost.dma_latency_ps(s)),
        per_piece=round(s.per_piece),
        rate=stage_cost.dma_rate(s),
        window_bytes=int(s.window),
        drains=True,
    )


def _translation(s: Stage, packet: int) -> _core.Translation:
    return _core.Translation(
        hit=round(s.hit),
        # A table without entries cannot miss.
        miss=round(s.hit if s.miss is None or not s.entries else s.miss),
        entries=int(s.entries),
        page_bytes=int(s.page),
        rate=s.rate,
    )


def _port(s: Stage, packet: int) -> _core.BusPort:
    return _core.BusPort(
        latency=round(s.latency),
        rate=s.rate * s.lanes,
        payload_bytes=int(s.payload or packet),
        overhead_bytes=int(s.overhead),
    )


_MODELS = {
    "software": lambda s, packet: _core.SoftwareStep.of(s),
    "copy": lambda s, packet: _core.CopyEngine.of(s),
    "gpu": lambda s, packet: _core.GpuKernel.of(s),
    "event": lambda s, packet: _core.EventQueueEntry.of(s),
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
        local=round(path.local),
        stripe_bytes=_UNLIMITED if path.stripe is None else int(path.stripe),
    )


def _rows(platform: Platform) -> list[Protocol]:
    """Returns the protocols; of ranks that loop back none is of one node, and those between nodes
    take their place."""
    return [row for row in platform.protocols if not (platform.loop_back and row.on_one_node)]


def _protocol(row: Protocol, paths: Mapping[str, int], loop_back: bool) -> _core.Protocol:
    return _core.Protocol(
        name=row.name,
        variant=row.variant,
        from_memory=_memory(row.origin_memory),
        to_memory=_memory(row.target_memory),
        least_bytes=int(row.least),
        most_bytes=_UNLIMITED if row.most is None else int(row.most),
        block_bytes=int(row.block),
        within=int(row.within or 0),
        of_node=row.on_one_node or loop_back,
        path=paths[row.path],
        grant=paths[row.grant] if row.grant else _UNCONTROLLED,
        credit=paths[row.credit] if row.credit else _UNCONTROLLED,
        request=paths[row.request] if row.request else _UNCONTROLLED,
        notice=paths[row.notice] if row.notice else _UNCONTROLLED,
        rows=getattr(_core.SourceShape, row.shape),
    )


def _collective(table: Collective, paths: Mapping[str, int]) -> _core.CollectiveSoftware:
    schedules = {name: getattr(table, name).replace("-", "_") for name in OPERATIONS}
    copies = ("copy_out", "copy_in", "short_out", "short_in")
    return _core.CollectiveSoftware(
        variant=table.name,
        entry=round(table.entry),
        step=round(table.step),
        reduce_rate=table.reduce,
        short_most=int(table.short_most or 0),
        staging_variant=table.staging_variant,
        of_host=table.memory == "host",
        is_staged=table.staging == "always",
        staging_block=int(table.staging_block),
        **schedules,
        **{key: paths.get(getattr(table, key), _UNCONTROLLED) for key in copies},
    )


def _algorithm(of: Algorithm, paths: Mapping[str, int]) -> _core.CollectiveAlgorithm:
    return _core.CollectiveAlgorithm(
        name=of.name,
        variant=of.variant,
        operation=of.of,
        schedule=of.schedule,
        of_host=of.memory != "device",
        of_device=of.memory != "host",
        most_bytes=_UNLIMITED if of.most is None else int(of.most),
        fan=int(of.fan or 2),
        segment_bytes=int(of.segment or 0),
        staging=of.staging,
        copies_out=int(of.copies_out),
        copy_out=paths.get(of.copy_out, _UNCONTROLLED),
        copy_in=paths.get(of.copy_in, _UNCONTROLLED),
        awaits_sources=of.awaits_sources,
    )
