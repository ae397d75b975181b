"""The table [topology] of a platform file: which nodes there are, and how they are connected."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import PrivateAttr, model_validator

from onehop._core import UsageError
from onehop.counted import counted
from onehop.netsim.graph_file import Graph, read
from onehop.netsim.quantity import Counts, Number, SomeCount
from onehop.netsim.table import Table, TableError

GRIDS = ("torus", "mesh", "ring", "coupled-rings")
GROUPED = ("dragonfly", "dragonfly+")
_AXES_OF = {"torus": (1, 8), "mesh": (1, 8), "coupled-rings": (2, 2)}
# The keys that a kind needs beside extents and nodes_most, and those that it may have.
_NEEDED = {
    "dragonfly": ("p", "a", "h", "g", "arrangement"),
    "dragonfly+": ("p", "leaves", "spines", "h", "g", "arrangement"),
    "hyperx": ("S", "T"),
    "graph": ("file",),
}
_ALLOWED = {"fat-tree": ("radix", "rails", "down", "up", "m", "w"), "hyperx": ("K",)}
_OWN_KEYS = ("p", "a", "h", "g", "leaves", "spines", "arrangement", "S", "K", "T", "file", "m", "w")


class Topology(Table):
    """Which nodes there are, and how they are connected."""

    kind: Literal[
        "torus",
        "mesh",
        "ring",
        "coupled-rings",
        "fat-tree",
        "all-to-all",
        "dragonfly",
        "dragonfly+",
        "hyperx",
        "graph",
    ]
    extents: Counts
    nodes_most: SomeCount
    hosts: Counts = ()
    routing: Literal["minimal", "valiant", "ugal", "adaptive"] = "minimal"
    radix: Annotated[int, Number("count", least=2)] = 0
    rails: SomeCount = 1
    down: SomeCount = 0
    up: SomeCount = 0
    m: Counts = ()
    w: Counts = ()
    p: SomeCount = 0
    a: SomeCount = 0
    h: SomeCount = 0
    g: SomeCount = 0
    leaves: SomeCount = 0
    spines: SomeCount = 0
    arrangement: Literal["", "palmtree", "absolute"] = ""
    S: Counts = ()
    K: Counts = ()
    T: SomeCount = 0
    file: str = ""

    _graph: Graph | None = PrivateAttr(None)

    @model_validator(mode="after")
    def _check(self) -> Topology:
        extents = list(map(int, self.extents))
        least, most = _AXES_OF.get(self.kind, (1, 1))
        if not least <= len(extents) <= most:
            needed = counted(least, "axis", "axes") if least == most else f"{least} to {most} axes"
            raise TableError("extents", f"a {self.kind} has {needed}; got {len(extents)}")
        if self.kind == "coupled-rings" and extents[1] != 2:
            raise TableError("extents", f"two rings are coupled; got {extents[1]}")
        nodes = math.prod(extents)
        if nodes > self.nodes_most:
            raise TableError("extents", f"{nodes} nodes, but nodes_most is {self.nodes_most}")
        hosts = list(map(int, self.hosts))
        if hosts and sorted(hosts) != list(range(1, nodes + 1)):
            raise TableError("hosts", f"each of 1 to {nodes} once; got {hosts}")
        self._check_keys_of_kind()
        self._check_routing()
        if self.kind == "fat-tree":
            self._check_tree()
        elif self.kind in GROUPED:
            self._check_groups()
        elif self.kind == "hyperx" and self.K and len(self.K) != len(self.S):
            raise TableError("K", f"{len(self.K)} numbers of cables for {len(self.S)} axes of S")
        elif self.kind == "graph":
            self._read_graph()
        self._check_capacity()
        return self

    @property
    def graph(self) -> Graph:
        """The switches and cables of the file, where the kind is graph."""
        assert self._graph is not None
        return self._graph

    @property
    def places(self) -> tuple[int, str]:
        """For how many nodes the network has place, 0 where `nodes_most` alone says it, and the
        keys that decide."""
        leaf = int(self.down) or int(self.radix) // 2
        of_leaves = leaf * int(self.radix), "radix"
        found = {
            "fat-tree": (math.prod(map(int, self.m)), "m") if self.m else of_leaves,
            "dragonfly": (self.p * self.a * self.g, "p, a and g"),
            "dragonfly+": (self.p * self.leaves * self.g, "p, leaves and g"),
            "hyperx": (self.T * math.prod(map(int, self.S)), "S and T"),
            "graph": (len(self._graph.host_switch) if self._graph else 0, "file"),
        }
        places, keys = found.get(self.kind, (0, ""))
        return int(places), keys

    @property
    def has_switches(self) -> bool:
        """Whether nodes are not routers: each has a cable to a switch."""
        return self.kind == "fat-tree" or self.kind in _NEEDED

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of the parts whose wires may differ from those of [wire]."""
        if self.kind in GRIDS:
            return tuple("xyzt"[: len(self.extents)]) if len(self.extents) <= 4 else ()
        return {"dragonfly": ("local", "global"), "dragonfly+": ("local", "global")}.get(
            self.kind, ("local",) if self.kind in _NEEDED else ()
        )

    def _check_keys_of_kind(self) -> None:
        needed = _NEEDED.get(self.kind, ())
        for key in needed:
            if key not in self.model_fields_set:
                raise TableError(key, f"missing; a {self.kind} needs {', '.join(needed)}")
        for key in (*_OWN_KEYS, "radix", "down", "up"):
            known = (*needed, *_ALLOWED.get(self.kind, ()))
            if key in self.model_fields_set and key not in known:
                what = "which has no leaves" if key in ("down", "up") else "which is not made of it"
                raise TableError(key, f"has no effect on a {self.kind}, {what}")

    def _check_routing(self) -> None:
        few = {"fat-tree": ("minimal", "adaptive"), "all-to-all": ("minimal",)}
        known = few.get(self.kind, ("minimal",) if self.kind == "coupled-rings" else ())
        if known and self.routing not in known:
            what = f"a {self.kind} does not know {self.routing!r}; choose {', '.join(known)}"
            raise TableError("routing", what)

    def _check_tree(self) -> None:
        if len(self.m) != len(self.w):
            raise TableError("w", f"{len(self.m)} levels of m, but {len(self.w)} of w")
        if len(self.m) > 8:
            raise TableError("m", f"{len(self.m)} levels; 1 to 8 can be simulated")
        for key in ("radix", "down", "up"):
            if self.m and key in self.model_fields_set:
                raise TableError(key, "has no effect on a tree of levels m and w")
        if not self.m and not self.radix:
            raise TableError("radix", "missing; messages of a fat-tree cannot be routed")
        self._check_leaf()

    def _check_leaf(self) -> None:
        down, up, radix = int(self.down), int(self.up), int(self.radix)
        if bool(down) != bool(up):
            missing = "up" if down else "down"
            raise TableError(missing, "missing; ports of a leaf switch go down and up")
        if not down:
            return
        if down + up > radix:
            raise TableError("up", f"{down} ports down and {up} up; a switch has {radix}")
        if down * radix < self.nodes_most:
            what = f"{radix} leaves of {down} nodes, but nodes_most is {self.nodes_most:g}"
            raise TableError("down", what)

    def _check_groups(self) -> None:
        holders = int(self.spines or self.a)
        ports, others = holders * int(self.h), int(self.g) - 1
        if others and ports < others:
            what = f"{ports} global ports of a group ({holders} switches of {self.h}) do not reach"
            raise TableError("g", f"{what} {others} other groups")

    def _read_graph(self) -> None:
        try:
            self._graph = read(self.file)
        except UsageError as error:
            raise TableError("file", str(error)) from None

    def _check_capacity(self) -> None:
        """Checks that networks of a given size have place for all nodes."""
        places, keys = self.places
        if places and self.nodes_most > places:
            what = f"{int(self.nodes_most)} nodes, but the {self.kind} has place for {places}"
            raise TableError("nodes_most", f"{what} by {keys}")
