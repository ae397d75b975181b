"""The tables of a platform file must fit each other; each fault raises TableError."""

from collections.abc import Iterable

from onehop import _core
from onehop._core import UsageError
from onehop.nearest import nearest
from onehop.netsim import topologies
from onehop.netsim.platform import Platform
from onehop.netsim.platform_tables import Algorithm, Collective, Fabric, Protocol, TransferPath
from onehop.netsim.table import TableError, among

_FORMAT = 1
# The paths of a protocol, by the part of its handshake that takes them.
_PARTS = ("path", "grant", "credit", "request", "notice")


def check(of: Platform) -> None:
    """Checks that names exist that tables say of each other, and that every name is used."""
    if of.format != _FORMAT:
        raise TableError("format", f"{of.format}; this onehop reads format {_FORMAT}")
    variants = of.variants()
    if of.variant not in variants:
        raise TableError("variant", f"does not know {of.variant!r}{among(variants, of.variant)}")
    for path in of.paths.values():
        _check_path(of, path)
    for row in of.rows.values():
        _check_taken(of, row)
    for row in of.protocols:
        for key in _PARTS:
            _check_name(f"protocol.{row.name}.{key}", "path", getattr(row, key), of.paths)
    for table in of.collectives.values():
        _check_collective(of, table, variants)
    for algorithm in of.algorithms.values():
        _check_algorithm(of, algorithm, variants)
    for name, fabric in of.fabrics.items():
        _check_channels(name, fabric)
    _check_used(of)


def _check_channels(name: str, fabric: Fabric) -> None:
    """Checks that the routing has the virtual channels without which packets could wait for each
    other for ever."""
    where = f"fabric.{name}.wire.channels" if name else "wire.channels"
    try:
        needed = _core.channels_needed(
            topologies.shape(fabric.topology, fabric.nodes_most, fabric.extents)
        )
    except UsageError as error:
        raise TableError(where.replace("wire.channels", "topology.file"), str(error)) from None
    for wire in fabric.wires.values():
        if wire.channels < needed:
            kind, routing = fabric.kind, fabric.topology.routing
            what = f"{wire.channels}; {routing} routing of a {kind} needs {needed}"
            raise TableError(where, f"{what}, or packets may wait for each other for ever")


def _check_name(key: str, what: str, name: str, known: Iterable[str]) -> None:
    """Checks a name that may be left empty."""
    if name:
        _check_known(key, what, name, known)


def _check_known(key: str, what: str, name: str, known: Iterable[str]) -> None:
    if name not in known:
        raise TableError(key, f"no {what} is called {name!r}{nearest(name, list(known))}")


def _check_taken(of: Platform, row: Protocol) -> None:
    """Checks that a row which takes those of another variant finds rows with paths there."""
    if not row.as_variant:
        return
    others = [other for other in of.rows.values() if other.variant == row.as_variant]
    _check_variant(f"protocol.{row.name}.as", row.as_variant, of.variants())
    if any(other.as_variant for other in others):
        what = f"rows of {row.as_variant!r} take those of a third variant"
        raise TableError(f"protocol.{row.name}.as", what)
    if not any(other.taken_by(row) for other in others):
        what = f"no row of {row.as_variant!r} takes such a message"
        raise TableError(f"protocol.{row.name}.as", what)


def _check_path(of: Platform, path: TransferPath) -> None:
    _check_name(f"path.{path.name}.fabric", "fabric", path.fabric, of.fabrics)
    for side, which in (("origin", "before"), ("target", "after")):
        key = f"path.{path.name}.{side}"
        for stage in getattr(path, side):
            _check_known(key, "stage", stage, of.stages)
        # A message is whole before it is cut into packets, and again after the last of them.
        whole = [of.stages[stage].is_per_message for stage in getattr(path, side)]
        if whole != sorted(whole, reverse=side == "origin"):
            raise TableError(key, f"stages of whole messages come {which} those of packets")
    of_packets = [name for name in path.origin if not of.stages[name].is_per_message]
    _check_engines(of, f"path.{path.name}.origin", of_packets[1:])
    _check_engines(of, f"path.{path.name}.target", path.target)


def _check_engines(of: Platform, where: str, stages: Iterable[str]) -> None:
    """Checks that engines which do not cut a message into packets have no windows and rows."""
    for name in stages:
        stage = of.stages[name]
        for key in ("window", "per_piece") if stage.kind == "dma" else ():
            if getattr(stage, key):
                what = f"changes nothing in {where}; give it to the first stage of packets of an"
                raise TableError(f"stage.{name}.{key}", f"{what} origin")


def _check_variant(key: str, variant: str, variants: list[str]) -> None:
    if variant not in variants:
        raise TableError(key, f"no protocol has this variant{nearest(variant, variants)}")


_COPIES = ("copy_out", "copy_in", "short_out", "short_in")


def _check_collective(of: Platform, table: Collective, variants: list[str]) -> None:
    where = f"collective.{table.name}"
    _check_variant(where, table.name, variants)
    short = ("short_out", "short_in", "short_most")
    staging = ("staging", "staging_variant", "staging_block", "copy_out", "copy_in")
    for key in (*_COPIES, "staging_variant"):
        is_path = key != "staging_variant"
        known, what = (of.paths, "path") if is_path else (variants, "variant")
        _check_name(f"{where}.{key}", what, getattr(table, key), known)
        needs = short if key in short else staging
        if key not in table.model_fields_set and table.model_fields_set.intersection(needs):
            what = "short copies need it" if key in short else "staging needs it"
            raise TableError(f"{where}.{key}", f"missing; {what}")


def _check_algorithm(of: Platform, algorithm: Algorithm, variants: list[str]) -> None:
    where, variant = f"algorithm.{algorithm.name}", algorithm.variant
    _check_variant(f"{where}.variant", variant, variants)
    for key in ("fan", "segment"):
        is_tree = algorithm.schedule in ("k-nomial", "binomial")
        if getattr(algorithm, key) is not None and not is_tree:
            raise TableError(f"{where}.{key}", f"has no effect on {algorithm.schedule!r}")
    for key in ("copy_out", "copy_in"):
        _check_name(f"{where}.{key}", "path", getattr(algorithm, key), of.paths)
    if algorithm.staging == "none":
        return
    if variant not in of.collectives or not of.collectives[variant].copy_out:
        what = f"collective.{variant} needs copy_out and copy_in for that"
        raise TableError(f"{where}.staging", what)
    if algorithm.staging == "parts" and algorithm.of not in ("broadcast", "allgather"):
        raise TableError(f"{where}.staging", f"parts of an {algorithm.of} are not a result")


def _check_used(of: Platform) -> None:
    """Checks that every number changes something."""
    used = {getattr(row, key) for row in of.protocols for key in _PARTS}
    used |= {getattr(table, key) for table in of.collectives.values() for key in _COPIES}
    used |= {name for each in of.algorithms.values() for name in (each.copy_out, each.copy_in)}
    for name in of.paths:
        if name not in used:
            raise TableError(f"path.{name}", "unused; no protocol takes it")
    passed = {stage for path in of.paths.values() for stage in (*path.origin, *path.target)}
    for name in of.stages:
        if name not in passed:
            raise TableError(f"stage.{name}", "unused; no path passes it")
