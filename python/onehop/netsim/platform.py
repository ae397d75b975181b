"""A machine as data: topology, wires, stages, paths, protocols; every number with its source."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from onehop._core import UsageError
from onehop.netsim.quantity import Quantity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


@dataclasses.dataclass(frozen=True)
class Stage:
    """One thing that a message passes; stages with the same `unit` share one server of a node."""

    name: str
    kind: str
    unit: str
    about: str
    numbers: Mapping[str, Quantity]

    @property
    def is_per_message(self) -> bool:
        """Served message by message (store and forward); others pass packets on."""
        return self.kind in ("software", "copy", "gpu", "event")

    def get(self, key: str, default: float = 0.0) -> float:
        """The number in base units (ps, bytes, bytes/s), or `default` where the file has none."""
        found = self.numbers.get(key)
        return default if found is None else found.base


@dataclasses.dataclass(frozen=True)
class TransferPath:
    """The stages before the wire at the origin and after it at the target; `local` passes from the
    last byte read until the origin knows that it may reuse its buffer; messages beyond `stripe` go
    over all rails of the network at once."""

    name: str
    origin: tuple[str, ...]
    target: tuple[str, ...]
    fabric: str
    local: Quantity | None
    stripe: Quantity | None
    about: str

    @property
    def local_ps(self) -> float:
        return self.local.base if self.local is not None else 0.0


@dataclasses.dataclass(frozen=True)
class Fabric:
    """One network between the nodes; `wires` by axis, "" for those that are not told apart."""

    name: str
    topology: Mapping[str, object]
    wires: Mapping[str, Mapping[str, Quantity]]

    @property
    def kind(self) -> str:
        return str(self.topology["kind"])

    @property
    def extents(self) -> tuple[int, ...]:
        return tuple(int(q.base) for q in self.topology["extents"])

    @property
    def nodes_most(self) -> int:
        return int(self.topology["nodes_most"].base)

    @property
    def places(self) -> tuple[int, ...]:
        """Node of each rank: ranks go over the hosts by their numbers, and `hosts` are these
        numbers along the nodes. Empty where rank r is on node r."""
        hosts = [int(q.base) for q in self.topology.get("hosts", ())]
        return tuple(hosts.index(number) for number in range(1, len(hosts) + 1))

    def number(self, key: str, default: float = 0.0) -> float:
        """Of the topology, in base units."""
        return self.topology[key].base if key in self.topology else default

    def wire(self, axis: str = "") -> Mapping[str, Quantity]:
        return self.wires.get(axis, self.wires[""])


@dataclasses.dataclass(frozen=True)
class Protocol:
    """One row of the table that chooses a path by variant, memories and bytes."""

    name: str
    variant: str
    origin_memory: str
    target_memory: str
    least: int
    most: int | None
    block: int | None
    shape: str
    path: str
    grant: str
    request: str
    notice: str
    about: str
    numbers: Mapping[str, Quantity]

    def fits(
        self, variant: str, origin_memory: str, target_memory: str, size_bytes: int, pieces: int
    ) -> bool:
        shape = "strided" if pieces > 1 else "contiguous"
        return (
            self.variant == variant
            and self.shape in ("any", shape)
            and self.origin_memory == origin_memory
            and self.target_memory == target_memory
            and size_bytes >= self.least
            and (self.most is None or size_bytes <= self.most)
        )


@dataclasses.dataclass(frozen=True)
class Option:
    """What may be chosen from outside."""

    about: str
    choices: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Platform:
    """A checked machine. Times in ps, rates in bytes/s, sizes in bytes (`Quantity.base`)."""

    file: Path
    name: str
    title: str
    about: str
    variant: str
    chosen: Mapping[str, str]
    fabrics: Mapping[str, Fabric]
    stages: Mapping[str, Stage]
    paths: Mapping[str, TransferPath]
    protocols: tuple[Protocol, ...]
    collectives: Mapping[str, Mapping[str, object]]
    algorithms: Mapping[str, Mapping[str, object]]
    host: Mapping[str, Quantity]
    gpu: Mapping[str, Quantity]
    branches: Mapping[str, Mapping[str, Mapping[str, Quantity]]]
    options: Mapping[str, Option]

    def rails(self, path: TransferPath, size_bytes: int) -> int:
        """Over which a message of `size_bytes` goes at once."""
        fabric = self.fabrics[path.fabric]
        is_striped = path.stripe is not None and size_bytes > path.stripe.base
        return int(fabric.number("rails", 1)) if fabric.kind == "fat-tree" and is_striped else 1

    @property
    def fabric(self) -> Fabric:
        """The first network, that of [topology] and [wire]."""
        return self.fabrics[""]

    def protocol_for(
        self,
        size_bytes: int,
        origin_memory: str,
        target_memory: str,
        variant: str = "",
        pieces: int = 1,
    ) -> Protocol:
        """The first row that fits; raises UsageError where the machine has no such path."""
        variant = variant or self.variant
        for row in self.protocols:
            if row.fits(variant, origin_memory, target_memory, size_bytes, pieces):
                return row
        raise UsageError(
            f"platform {self.name} has no {variant} path from {origin_memory} to {target_memory}"
            f" for {size_bytes} bytes"
        )

    def variants(self) -> list[str]:
        """Names of the protocol variants, in file order."""
        return list(dict.fromkeys(row.variant for row in self.protocols))

    def numbers(self) -> Iterator[tuple[str, Quantity]]:
        """All numbers by their dotted key."""
        for fabric in self.fabrics.values():
            prefix = f"fabric.{fabric.name}." if fabric.name else ""
            for key, value in fabric.topology.items():
                for q in value if isinstance(value, list) else [value]:
                    if isinstance(q, Quantity):
                        yield f"{prefix}topology.{key}", q
            for axis, wire in fabric.wires.items():
                place = f"{prefix}wire.{axis}" if axis else f"{prefix}wire"
                yield from ((f"{place}.{key}", q) for key, q in wire.items())
        for stage in self.stages.values():
            yield from ((f"stage.{stage.name}.{key}", q) for key, q in stage.numbers.items())
        yield from ((f"host.{key}", q) for key, q in self.host.items())
        yield from ((f"gpu.{key}", q) for key, q in self.gpu.items())
        for pattern, branches in self.branches.items():
            for name, branch in branches.items():
                yield from ((f"branch.{pattern}.{name}.{k}", q) for k, q in branch.items())
        for path in self.paths.values():
            if path.local is not None:
                yield f"path.{path.name}.local", path.local
            if path.stripe is not None:
                yield f"path.{path.name}.stripe", path.stripe
        for row in self.protocols:
            yield from ((f"protocol.{row.name}.{k}", q) for k, q in row.numbers.items())
        for variant, table in self.collectives.items():
            for key, q in table.items():
                if isinstance(q, Quantity):
                    yield f"collective.{variant}.{key}", q
        for name, table in self.algorithms.items():
            for key, q in table.items():
                if isinstance(q, Quantity):
                    yield f"algorithm.{name}.{key}", q

    def check_nodes(self, nodes: int) -> None:
        """Raises UsageError when the machine cannot have so many nodes."""
        for fabric in self.fabrics.values():
            if nodes > fabric.nodes_most:
                raise UsageError(
                    f"platform {self.name} has at most {fabric.nodes_most} nodes;"
                    f" {nodes} were asked for (topology.nodes_most in {self.file})"
                )
