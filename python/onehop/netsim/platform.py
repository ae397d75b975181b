"""A machine is data: topology, wires, stages, paths, protocols; every number has its source."""

from __future__ import annotations

import collections
import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import Field, PrivateAttr, model_validator

from onehop._core import UsageError
from onehop.counted import counted
from onehop.netsim.platform_tables import (
    Algorithm,
    Branch,
    Collective,
    Fabric,
    Folder,
    Network,
    Option,
    Processor,
    Protocol,
    TransferPath,
)
from onehop.netsim.quantity import Quantity
from onehop.netsim.stage_tables import AnyStage
from onehop.netsim.table import Table, dotted
from onehop.netsim.topology_tables import GRIDS


class Layout(NamedTuple):
    """The nodes of a machine that was laid out for some ranks."""

    nodes: int
    places: tuple[int, ...]  # the node of each rank; empty where rank r is on node r
    axes: dict[str, tuple[int, ...]]  # the extents of each network, by its name


class Platform(Table):
    """A checked machine."""

    format: int
    name: str
    title: str
    about: str
    variant: str
    networks: Folder[Network] = Field({}, alias="network")
    fabrics: Folder[Fabric] = Field(alias="fabric")
    stages: Folder[AnyStage] = Field(alias="stage")
    paths: Folder[TransferPath] = Field(alias="path")
    rows: Folder[Protocol] = Field(alias="protocol")
    collectives: Folder[Collective] = Field({}, alias="collective")
    algorithms: Folder[Algorithm] = Field({}, alias="algorithm")
    host: Processor = Processor()
    gpu: Processor = Processor()
    branches: dict[str, dict[str, Branch]] = Field({}, alias="branch")
    options: dict[str, Option] = Field({}, alias="option")

    _taken_apart = ("topology", "wire", "congestion")
    _file: Path = PrivateAttr(Path())
    _chosen: dict[str, str] = PrivateAttr({})
    _hosts: tuple[int, ...] = PrivateAttr(())
    _one_buffer: bool = PrivateAttr(False)
    _loop_back: bool = PrivateAttr(False)

    @model_validator(mode="before")
    @classmethod
    def _first_fabric(cls, given: dict) -> dict:
        """Gives the tables of the fabric without a name, [topology], [wire] and [congestion]."""
        first = {key: given[key] for key in cls._taken_apart if key in given}
        others = given.get("fabric", {})
        fabrics = {"": first} | others if isinstance(others, dict) else others
        return {k: v for k, v in given.items() if k not in first} | {"fabric": fabrics}

    @property
    def file(self) -> Path:
        return self._file

    @property
    def is_own(self) -> bool:
        """Whether this is a file of the user, not one that comes with onehop."""
        return not self._file.is_relative_to(Path(__file__).parent.parent)

    @property
    def chosen(self) -> Mapping[str, str]:
        """The choices of the options, and the numbers that were set."""
        return self._chosen

    @property
    def hosts(self) -> tuple[int, ...]:
        """The host of each rank, counted from 1; empty if ranks go over the hosts in turn."""
        return self._hosts

    @property
    def one_buffer(self) -> bool:
        """Whether all puts of a chain arrive at one address, as far as page tables can tell."""
        return self._one_buffer

    @property
    def loop_back(self) -> bool:
        """Whether messages between ranks of a node go through its adapter, as between nodes."""
        return self._loop_back

    def check_room(self, memory: str) -> None:
        """Raises UsageError if more ranks are on a host than it has GPUs, with `memory` in
        devices, or cores. Ranks that loop back need no room: they are the ends of one message."""
        name, processor = ("gpu", self.gpu) if "device" in memory else ("host", self.host)
        host, ranks = max(
            collections.Counter(self._hosts).items(), key=lambda one: one[1], default=(0, 0)
        )
        if ranks > processor.count and not self._loop_back:
            what = "GPU" if name == "gpu" else "core"
            raise UsageError(
                f"--hosts: host {host} stands {ranks} times, and a node of platform {self.name} "
                f"has {counted(int(processor.count), what)} ({name}.count in {self.file})"
            )

    def used(
        self, hosts: Sequence[int] = (), *, one_buffer: bool = False, loop_back: bool = False
    ) -> Platform:
        """Returns the same machine with rank r on host `hosts[r]`, counted from 1, with programs
        that receive everything in `one_buffer`, and with `loop_back` of messages between ranks of a
        node through its adapter. A host may be named several times, as often as check_room allows.
        Raises UsageError for a host that does not exist."""
        most = max(self.fabric.nodes_most, math.prod(self.fabric.extents))
        for host in hosts:
            if not 1 <= host <= most:
                raise UsageError(f"--hosts: platform {self.name} has hosts 1 to {most}; got {host}")
        other = self.model_copy()
        other._hosts, other._one_buffer, other._loop_back = tuple(hosts), one_buffer, loop_back
        return other

    def laid_out(self, nodes: int, extents: Sequence[int] | None = None) -> Layout:
        """Lays out a machine for `nodes` ranks: as installed, and larger where that is too small,
        or with exactly `nodes` nodes, the first network with these `extents`. Raises UsageError for
        more nodes than the platform can have."""
        self.check_nodes(nodes)
        installed = math.prod(self.fabric.extents)
        as_installed = extents is None
        if self._hosts:
            nodes = max(*self._hosts, installed)
        elif as_installed and self.fabric.places:
            nodes = max(nodes, installed)
        if as_installed and self.fabric.kind in GRIDS:
            nodes = math.prod(self.fabric.shape_for(nodes))
        axes = {
            name: fabric.shape_for(nodes) if name or extents is None else tuple(extents)
            for name, fabric in self.fabrics.items()
        }
        places = self.fabric.places if as_installed and len(self.fabric.places) == nodes else ()
        if as_installed and self._hosts:
            wanted = [places[host - 1] if places else host - 1 for host in self._hosts]
            places = tuple(wanted + [node for node in range(nodes) if node not in wanted])
        return Layout(nodes, places, axes)

    @functools.cached_property
    def protocols(self) -> tuple[Protocol, ...]:
        """The rows in their order; a row that takes those of another variant is replaced by
        them."""
        return tuple(found for row in self.rows.values() for found in self._rows_of(row))

    def _rows_of(self, row: Protocol) -> Iterator[Protocol]:
        if not row.as_variant:
            yield row
            return
        for other in self.rows.values():
            taken = other.taken_by(row) if other.variant == row.as_variant else None
            if taken is not None:
                yield taken

    @property
    def fabric(self) -> Fabric:
        """The first network, that of [topology] and [wire]."""
        return self.fabrics[""]

    def collective(self, variant: str = "") -> Collective:
        """The collectives of the variant, or of the one that was chosen; empty where the file has
        none."""
        return self.collectives.get(variant or self.variant, Collective())

    def rails(self, path: TransferPath, size_bytes: int) -> int:
        """Returns the number of rails over which a message of `size_bytes` goes at once."""
        fabric = self.fabrics[path.fabric]
        is_striped = path.stripe is not None and size_bytes > path.stripe
        return int(fabric.topology.rails) if fabric.kind == "fat-tree" and is_striped else 1

    def protocol_for(
        self,
        size_bytes: int,
        origin_memory: str,
        target_memory: str,
        variant: str = "",
        pieces: int = 1,
        *,
        is_near: bool = True,
        on_one_node: bool = False,
    ) -> Protocol:
        """Returns the first row that fits, `is_near` for neighbours that rows for blocks of ranks
        join, and `on_one_node` for ranks that share one; raises UsageError if the machine has no
        such path."""
        variant = variant or self.variant
        for row in self.protocols:
            if row.fits(
                variant,
                origin_memory,
                target_memory,
                size_bytes,
                pieces,
                is_near=is_near,
                on_one_node=on_one_node,
            ):
                return row
        raise UsageError(
            f"platform {self.name} has no {variant} path from {origin_memory} to {target_memory}"
            f" for {size_bytes} bytes"
        )

    def variants(self) -> list[str]:
        """Returns the names of the protocol variants, in file order."""
        return list(dict.fromkeys(row.variant for row in self.protocols))

    def numbers(self) -> Iterator[tuple[str, Quantity]]:
        """Returns all numbers of the file by their dotted key."""
        return ((dotted(keys), number) for keys, number in numbers_of(self))

    def free_compute(self, memory: str | None) -> str | None:
        """Returns one line of warning if the file does not say how fast the processor of 'host'
        or 'device' memory is."""
        table, processor = ("gpu", self.gpu) if memory == "device" else ("host", self.host)
        if processor.flops or processor.memory:
            return None
        return (
            f"platform {self.name} has no [{table}]: its nodes compute in no time; give the table "
            "its flops and memory"
        )

    def check_nodes(self, nodes: int) -> None:
        """Raises UsageError when the machine cannot have this many nodes, or has no host for
        one."""
        if self._hosts and nodes > len(self._hosts):
            raise UsageError(
                f"--hosts has {counted(len(self._hosts), 'host')} for {counted(nodes, 'rank')}; "
                "give one for each"
            )
        if self._hosts:
            nodes = len(set(self._hosts[:nodes]))
        for name, fabric in self.fabrics.items():
            if nodes > fabric.nodes_most:
                key = f"fabric.{name}.topology.nodes_most" if name else "topology.nodes_most"
                places, keys = fabric.topology.places
                way = (
                    f"its {fabric.kind} has place for {places} by {keys}: change these too"
                    if 0 < places < nodes
                    else "a larger one that could be built the same way is tried with"
                    f" --platform-set {key}={nodes}"
                )
                raise UsageError(
                    f"platform {self.name} has at most {fabric.nodes_most} nodes;"
                    f" {nodes} were asked for ({key} in {self.file}; {way})"
                )


def numbers_of(part: object, *keys: str) -> Iterator[tuple[tuple[str, ...], Quantity]]:
    """Returns the numbers of a file that are in a table or in tables below it."""
    if isinstance(part, Quantity):
        yield keys, part
    elif isinstance(part, list):
        for one in part:
            yield from numbers_of(one, *keys)
    elif isinstance(part, dict):
        for key, value in part.items():
            yield from numbers_of(value, *keys, key)
    elif isinstance(part, Table):
        for name, field in type(part).model_fields.items():
            yield from numbers_of(getattr(part, name), *keys, field.alias or name)
