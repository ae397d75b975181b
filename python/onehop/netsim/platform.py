"""A machine as data: topology, wires, stages, paths, protocols; every number with its source."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

from onehop._core import UsageError
from onehop.cli.options import nearest
from onehop.netsim import platform_file, schema
from onehop.netsim.quantity import Quantity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from onehop import _core


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
    last byte read until the origin knows that it may reuse its buffer."""

    name: str
    origin: tuple[str, ...]
    target: tuple[str, ...]
    fabric: str
    local: Quantity | None
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
    host: Mapping[str, Quantity]
    gpu: Mapping[str, Quantity]
    branches: Mapping[str, Mapping[str, Mapping[str, Quantity]]]

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
        for row in self.protocols:
            yield from ((f"protocol.{row.name}.{k}", q) for k, q in row.numbers.items())
        for variant, table in self.collectives.items():
            for key, q in table.items():
                if isinstance(q, Quantity):
                    yield f"collective.{variant}.{key}", q

    def description(
        self, nodes: int, extents: Sequence[int] | None = None
    ) -> _core.MachineDescription:
        """`nodes` of this machine for the packet simulation; see description.describe."""
        from onehop.netsim import description

        return description.describe(self, nodes, extents)

    def check_nodes(self, nodes: int) -> None:
        """Raises UsageError when the machine cannot have so many nodes."""
        for fabric in self.fabrics.values():
            if nodes > fabric.nodes_most:
                raise UsageError(
                    f"platform {self.name} has at most {fabric.nodes_most} nodes;"
                    f" {nodes} were asked for"
                )


def load(name: str, chosen: Mapping[str, str] | None = None) -> Platform:
    """A shipped platform by name or a platform file by path, with options such as
    {"nic.rx.translation": "nios"}; raises UsageError or FileError, one line with file and key."""
    path = platform_file.find(str(name))
    tables, taken = platform_file.with_options(path, platform_file.read(path), chosen or {})
    return _build(path, tables, taken)


def _build(path: Path, tables: dict, taken: Mapping[str, str]) -> Platform:
    reader = platform_file.Reader(path)
    folders = ("topology", "wire", "fabric", "stage", "path", "protocol", "collective", "gpu")
    folders = (*folders, "host", "branch")
    for key in tables:
        if key not in schema.TOP and key not in folders:
            raise reader.fail(
                key, f"unknown table{nearest(key, [*schema.TOP, *folders, 'option'])}"
            )
    for folder in ("topology", "wire", "stage", "path", "protocol"):
        if folder not in tables:
            raise reader.fail(folder, "missing")
    top = reader.table("", {k: v for k, v in tables.items() if k in schema.TOP}, schema.TOP)
    fabrics = {"": _fabric(reader, "", tables)}
    fabrics |= {n: _fabric(reader, n, t) for n, t in _folder(reader, tables, "fabric")}
    stages = {n: _stage(reader, n, t) for n, t in _folder(reader, tables, "stage")}
    paths = {n: _path(reader, n, t, stages, fabrics) for n, t in _folder(reader, tables, "path")}
    rows = tuple(_protocol(reader, n, t, paths) for n, t in _folder(reader, tables, "protocol"))
    variants = list(dict.fromkeys(row.variant for row in rows))
    if top["variant"] not in variants:
        hint = nearest(top["variant"], variants) or f"; choose {', '.join(variants)}"
        raise reader.fail("variant", f"does not know {top['variant']!r}{hint}")
    _check_used(reader, stages, paths, rows)
    collectives = {
        n: reader.table(f"collective.{n}", t, schema.COLLECTIVE)
        for n, t in _folder(reader, tables, "collective")
    }
    return Platform(
        path,
        top["name"],
        top["title"],
        top["about"],
        top["variant"],
        taken,
        fabrics,
        stages,
        paths,
        rows,
        collectives,
        reader.table("host", tables.get("host", {}), schema.HOST),
        reader.table("gpu", tables.get("gpu", {}), schema.GPU),
        {n: _branches(reader, n, t) for n, t in _folder(reader, tables, "branch")},
    )


def _folder(reader: platform_file.Reader, tables: dict, name: str) -> Iterator[tuple[str, dict]]:
    folder = tables.get(name, {})
    if not isinstance(folder, dict):
        raise reader.fail(name, "a table is needed")
    for key, value in folder.items():
        if not isinstance(value, dict):
            raise reader.fail(f"{name}.{key}", "a table is needed")
        yield key, value


def _branches(
    reader: platform_file.Reader, pattern: str, table: dict
) -> dict[str, dict[str, Quantity]]:
    return {n: reader.table(f"branch.{pattern}.{n}", t, schema.BRANCH) for n, t in table.items()}


def _fabric(reader: platform_file.Reader, name: str, tables: dict) -> Fabric:
    prefix = f"fabric.{name}." if name else ""
    for key in tables if name else ():
        if key not in ("topology", "wire"):
            raise reader.fail(prefix + key, f"unknown key{nearest(key, ('topology', 'wire'))}")
    for key in ("topology", "wire"):
        if not isinstance(tables.get(key), dict):
            raise reader.fail(prefix + key, "missing; a table is needed")
    topology = reader.table(f"{prefix}topology", tables["topology"], schema.TOPOLOGY)
    _check_topology(reader, f"{prefix}topology", topology)
    return Fabric(name, topology, _wires(reader, f"{prefix}wire", tables["wire"]))


def _check_topology(reader: platform_file.Reader, where: str, topology: dict) -> None:
    kind, extents = topology["kind"], [int(q.base) for q in topology["extents"]]
    axes = {"torus": (1, 4), "ring": (1, 1), "coupled-rings": (2, 2)}.get(kind, (1, 1))
    if not axes[0] <= len(extents) <= axes[1]:
        needed = f"{axes[0]}" if axes[0] == axes[1] else f"{axes[0]} to {axes[1]}"
        raise reader.fail(f"{where}.extents", f"a {kind} has {needed} axes; got {len(extents)}")
    if kind == "coupled-rings" and extents[1] != 2:
        raise reader.fail(f"{where}.extents", f"two rings are coupled; got {extents[1]}")
    nodes = math.prod(extents)
    if nodes > topology["nodes_most"].base:
        raise reader.fail(
            f"{where}.extents", f"{nodes} nodes, but nodes_most is {topology['nodes_most']}"
        )
    if kind == "fat-tree" and "radix" not in topology:
        raise reader.fail(f"{where}.radix", "missing; messages of a fat-tree cannot be routed")


def _wires(reader: platform_file.Reader, where: str, table: dict) -> dict[str, dict[str, Quantity]]:
    common = {k: v for k, v in table.items() if k not in ("x", "y", "z", "t")}
    wires = {"": reader.table(where, common, schema.WIRE)}
    for axis in "xyzt":
        if axis in table:
            if not isinstance(table[axis], dict):
                raise reader.fail(f"{where}.{axis}", "a table is needed")
            wires[axis] = reader.table(f"{where}.{axis}", common | table[axis], schema.WIRE)
    return wires


def _stage(reader: platform_file.Reader, name: str, table: dict) -> Stage:
    where, kind = f"stage.{name}", table.get("kind")
    if kind not in schema.STAGES:
        hint = nearest(str(kind), list(schema.STAGES)) or f"; choose {', '.join(schema.STAGES)}"
        raise reader.fail(f"{where}.kind", f"does not know {kind!r}{hint}")
    rest = {k: v for k, v in table.items() if k != "kind"}
    found = reader.table(where, rest, schema.STAGES[kind])
    numbers = {k: v for k, v in found.items() if isinstance(v, Quantity)}
    if kind == "translation" and "entries" in numbers and "miss" not in numbers:
        raise reader.fail(f"{where}.miss", "missing; a table with entries can miss")
    return Stage(name, kind, found.get("unit", name), found.get("about", ""), numbers)


def _path(
    reader: platform_file.Reader,
    name: str,
    table: dict,
    stages: Mapping[str, Stage],
    fabrics: Mapping[str, Fabric],
) -> TransferPath:
    where = f"path.{name}"
    found = reader.table(where, table, schema.PATH)
    for side in ("origin", "target"):
        for stage in found[side]:
            if stage not in stages:
                hint = nearest(stage, list(stages))
                raise reader.fail(f"{where}.{side}", f"no stage is called {stage!r}{hint}")
    fabric = found.get("fabric", "")
    if fabric not in fabrics:
        raise reader.fail(
            f"{where}.fabric", f"no fabric is called {fabric!r}{nearest(fabric, list(fabrics))}"
        )
    _check_order(reader, where, found, stages)
    return TransferPath(
        name,
        tuple(found["origin"]),
        tuple(found["target"]),
        fabric,
        found.get("local"),
        found.get("about", ""),
    )


def _check_order(
    reader: platform_file.Reader, where: str, found: dict, stages: Mapping[str, Stage]
) -> None:
    """A message is whole before it is cut into packets, and whole again after the last of them."""
    for side in ("origin", "target"):
        whole = [stages[n].is_per_message for n in found[side]]
        if whole != sorted(whole, reverse=side == "origin"):
            which = "before" if side == "origin" else "after"
            raise reader.fail(
                f"{where}.{side}", f"stages of whole messages come {which} those of packets"
            )


def _protocol(
    reader: platform_file.Reader, name: str, table: dict, paths: Mapping[str, TransferPath]
) -> Protocol:
    where = f"protocol.{name}"
    found = reader.table(where, table, schema.PROTOCOL)
    for key in ("path", "grant", "request", "notice"):
        word = found.get(key, "")
        if word and word not in paths:
            raise reader.fail(
                f"{where}.{key}", f"no path is called {word!r}{nearest(word, list(paths))}"
            )
    return Protocol(
        name,
        found["variant"],
        found["from"],
        found["to"],
        int(found["least"].base) if "least" in found else 0,
        int(found["most"].base) if "most" in found else None,
        int(found["block"].base) if "block" in found else None,
        found.get("shape", "any"),
        found["path"],
        found.get("grant", ""),
        found.get("request", ""),
        found.get("notice", ""),
        found.get("about", ""),
        {k: v for k, v in found.items() if isinstance(v, Quantity)},
    )


def _check_used(
    reader: platform_file.Reader,
    stages: Mapping[str, Stage],
    paths: Mapping[str, TransferPath],
    rows: tuple[Protocol, ...],
) -> None:
    """A number that changes nothing is an error."""
    used = {n for row in rows for n in (row.path, row.grant, row.request, row.notice) if n}
    for name in paths:
        if name not in used:
            raise reader.fail(f"path.{name}", "unused; no protocol takes it")
    passed = {s for p in paths.values() for s in (*p.origin, *p.target)}
    for name in stages:
        if name not in passed:
            raise reader.fail(f"stage.{name}", "unused; no path passes it")
