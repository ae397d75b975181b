"""Builds platforms from files: every table checked, and what they say together."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from onehop.nearest import nearest
from onehop.netsim import collective_reader, platform_file, schema
from onehop.netsim.platform import Fabric, Option, Platform, Protocol, Stage, TransferPath
from onehop.netsim.quantity import Quantity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


def load(name: str, chosen: Mapping[str, str] | None = None) -> Platform:
    """A shipped platform by name or a platform file by path, with options such as
    {"nic.rx.translation": "nios"}; raises UsageError or FileError, one line with file and key."""
    path = platform_file.find(str(name))
    written = platform_file.read(path)
    tables, taken = platform_file.with_options(path, written, chosen or {})
    options = {
        key: Option(option["about"], tuple(option["choice"]))
        for key, option in written.get("option", {}).items()
    }
    return _build(path, tables, taken, options)


_FORMAT = 1


def _build(
    path: Path, tables: dict, taken: Mapping[str, str], options: Mapping[str, Option]
) -> Platform:
    reader = platform_file.Reader(path)
    folders = ("topology", "wire", "fabric", "stage", "path", "protocol", "collective", "gpu")
    folders = (*folders, "host", "branch", "algorithm")
    for key in tables:
        if key not in schema.TOP and key not in folders:
            raise reader.fail(
                key, f"unknown table{nearest(key, [*schema.TOP, *folders, 'option'])}"
            )
    for folder in ("topology", "wire", "stage", "path", "protocol"):
        if folder not in tables:
            raise reader.fail(folder, "missing")
    top = reader.table("", {k: v for k, v in tables.items() if k in schema.TOP}, schema.TOP)
    if top["format"].base != _FORMAT:
        raise reader.fail("format", f"{top['format'].base:g}; this onehop reads format {_FORMAT}")
    fabrics = {"": _fabric(reader, "", tables)}
    fabrics |= {n: _fabric(reader, n, t) for n, t in _folder(reader, tables, "fabric")}
    stages = {n: _stage(reader, n, t) for n, t in _folder(reader, tables, "stage")}
    paths = {n: _path(reader, n, t, stages, fabrics) for n, t in _folder(reader, tables, "path")}
    rows = tuple(_protocol(reader, n, t, paths) for n, t in _folder(reader, tables, "protocol"))
    variants = list(dict.fromkeys(row.variant for row in rows))
    if top["variant"] not in variants:
        hint = nearest(top["variant"], variants) or f"; choose {', '.join(variants)}"
        raise reader.fail("variant", f"does not know {top['variant']!r}{hint}")
    collectives = {
        n: collective_reader.collective(reader, n, t, paths, variants)
        for n, t in _folder(reader, tables, "collective")
    }
    algorithms = {
        n: collective_reader.algorithm(reader, n, t, variants, collectives)
        for n, t in _folder(reader, tables, "algorithm")
    }
    _check_used(reader, stages, paths, rows, collectives)
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
        algorithms,
        reader.table("host", tables.get("host", {}), schema.HOST),
        reader.table("gpu", tables.get("gpu", {}), schema.GPU),
        {n: _branches(reader, n, t) for n, t in _folder(reader, tables, "branch")},
        options,
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
    wires = _wires(reader, f"{prefix}wire", tables["wire"])
    if topology["kind"] in ("torus", "ring", "coupled-rings"):
        _check_channels(reader, f"{prefix}wire.channels", topology, wires[""])
    return Fabric(name, topology, wires)


def _check_channels(
    reader: platform_file.Reader, where: str, topology: dict, wire: dict[str, Quantity]
) -> None:
    """A ring needs pairs of virtual channels: packets change to the second of a pair where it
    closes."""
    channels = int(wire["channels"].base) if "channels" in wire else 2
    longest = max(int(q.base) for q in topology["extents"])
    if channels % 2 and (longest > 2 or channels > 1):
        raise reader.fail(
            where, f"{channels}; a ring of {longest} nodes can deadlock, an even number is needed"
        )


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
    hosts = [int(q.base) for q in topology.get("hosts", ())]
    if hosts and sorted(hosts) != list(range(1, nodes + 1)):
        raise reader.fail(f"{where}.hosts", f"each of 1 to {nodes} once; got {hosts}")
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
        found.get("stripe"),
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
    collectives: Mapping[str, Mapping[str, object]],
) -> None:
    """A number that changes nothing is an error."""
    used = {n for row in rows for n in (row.path, row.grant, row.request, row.notice) if n}
    copies = ("copy_out", "copy_in", "short_out", "short_in")
    used |= {t[key] for t in collectives.values() for key in copies if key in t}
    for name in paths:
        if name not in used:
            raise reader.fail(f"path.{name}", "unused; no protocol takes it")
    passed = {s for p in paths.values() for s in (*p.origin, *p.target)}
    for name in stages:
        if name not in passed:
            raise reader.fail(f"stage.{name}", "unused; no path passes it")
