"""These are the tables of a platform file: their keys, what each number measures, and the value of
a key that is left out. Numbers compute in ps, bytes, bytes/s, flop/s."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, Field, model_validator

from onehop.netsim.quantity import (
    Bytes,
    Count,
    Flops,
    Number,
    Rate,
    SomeBytes,
    SomeCount,
    SomeTime,
    Time,
)
from onehop.netsim.table import Named, Table, TableError, with_names
from onehop.netsim.topology_tables import GRIDS, Topology

Memory = Literal["host", "device"]
Member = TypeVar("Member")
Folder = Annotated[dict[str, Member], AfterValidator(with_names)]


class Wire(Table):
    """A cable with the ports at its ends."""

    rate: Rate
    efficiency: Annotated[float, Number("ratio", least=0.01, most=1.0)] = 1.0
    framing: Bytes = 0
    packet: Annotated[int, Number("bytes", least=1, most=65535, is_whole=True)]
    latency: Time
    router: Time = 0
    credits: SomeCount = 8
    channels: SomeCount = 2
    bit_error_rate: Annotated[float, Number("ratio", most=1.0)] = 0.0
    retry: Time = 0


class Congestion(Table):
    """ECN with DCQCN: from `mark_least` bytes of a queue on packets are marked, `mark_share` of
    them at `mark_most` and all beyond; a flow whose origin is notified slows down and recovers."""

    mark_least: Bytes
    mark_most: SomeBytes
    mark_share: Annotated[float, Number("ratio", least=1e-6, most=1.0)]
    notify_interval: Time
    gain: Annotated[float, Number("ratio", least=1e-6, most=1.0)]
    estimate_timer: SomeTime
    increase_timer: SomeTime
    increase_bytes: SomeBytes
    recovery_steps: Count
    increase_rate: Rate

    @model_validator(mode="after")
    def _check_marks(self) -> Congestion:
        if self.mark_least >= self.mark_most:
            what = f"{self.mark_least:g} bytes, but mark_most is {self.mark_most:g}"
            raise TableError("mark_least", f"{what}; it must be the smaller")
        return self


def _near_cube(nodes: int, axes: int) -> tuple[int, ...]:
    if axes == 1:
        return (nodes,)
    goal = round(nodes ** (1 / axes))
    side = next(n for n in range(goal, nodes + 1) if nodes % n == 0)
    smaller = max((n for n in range(1, goal + 1) if nodes % n == 0), default=1)
    first = side if abs(side - goal) <= abs(smaller - goal) else smaller
    return tuple(sorted((first, *_near_cube(nodes // first, axes - 1)), reverse=True))


class Fabric(Named):
    """One network between the nodes; `wires` by axis, "" for those that are not told apart."""

    topology: Topology
    wires: dict[Literal["", "x", "y", "z", "t", "local", "global"], Wire] = Field(alias="wire")
    congestion: Congestion | None = None

    @model_validator(mode="after")
    def _check_channels(self) -> Fabric:
        """Checks that a ring has pairs of virtual channels: packets change to the second of a pair
        where it closes."""
        channels, longest = int(self.wire().channels), max(self.extents)
        self._check_wires()
        topology, line = self.topology, self.wire()
        if self.congestion and self.congestion.increase_rate > line.rate * line.efficiency:
            what = f"{self.congestion.increase_rate}; a link has {line.rate}"
            raise TableError("congestion.increase_rate", what)
        if topology.kind not in GRIDS or topology.kind == "mesh" or topology.routing != "minimal":
            return self
        if channels % 2 and (longest > 2 or channels > 1):
            what = f"{channels}; a ring of {longest} nodes can deadlock, an even number is needed"
            raise TableError("wire.channels", what)
        return self

    def shape_for(self, nodes: int) -> tuple[int, ...]:
        """Returns extents of a torus or of rings for `nodes`: those installed while they suffice;
        beyond them two longer rings where they are coupled, else as close to a cube as the number
        allows."""
        if nodes <= math.prod(self.extents):
            return self.extents
        if self.kind == "coupled-rings":
            return (-(-nodes // 2), 2)
        return _near_cube(nodes, len(self.extents))

    def _check_wires(self) -> None:
        """Checks that a wire of its own is that of an axis or of a part of the network."""
        parts = set(self.topology.parts)
        for name in self.wires:
            if name and name not in parts:
                hint = f"; it has {', '.join(sorted(parts))}" if parts else ""
                what = f"has no effect on this {self.kind}{hint}"
                raise TableError(f"wire.{name}", what)

    @model_validator(mode="before")
    @classmethod
    def _by_axis(cls, given: object) -> object:
        wire = given.get("wire") if isinstance(given, dict) else None
        if not isinstance(wire, dict):
            return given
        common = {key: value for key, value in wire.items() if key not in _AXES}
        axes = {axis: wire[axis] for axis in _AXES if axis in wire}
        both = {a: common | t if isinstance(t, dict) else t for a, t in axes.items()}
        return given | {"wire": {"": common} | both}

    @property
    def kind(self) -> str:
        return self.topology.kind

    @property
    def extents(self) -> tuple[int, ...]:
        return tuple(map(int, self.topology.extents))

    @property
    def nodes_most(self) -> int:
        return int(self.topology.nodes_most)

    @property
    def places(self) -> tuple[int, ...]:
        """Returns the node of each rank: ranks go over the hosts by their numbers, and `hosts` are
        these numbers along the nodes. Empty where rank r is on node r."""
        hosts = list(map(int, self.topology.hosts))
        return tuple(hosts.index(number) for number in range(1, len(hosts) + 1))

    def wire(self, axis: str = "") -> Wire:
        return self.wires.get(axis, self.wires[""])


_AXES = ("x", "y", "z", "t", "local", "global")


class TransferPath(Named):
    """The stages before the wire at the origin and after it at the target; `local` passes from the
    last byte read until the origin knows that it may reuse its buffer; messages beyond `stripe` go
    over all rails of the network at once."""

    origin: list[str]
    target: list[str]
    fabric: str = ""
    local: Time = 0
    stripe: Bytes | None = None
    about: str = ""


class Network(Named):
    """The network of another platform file, and what is chosen of the file's options."""

    file: str
    choose: dict[str, str] = {}


class Protocol(Named):
    """One row of the table that chooses a path by variant, memories, bytes and neighbour: `within`
    is the length of the blocks into which ranks are cut by their numbers, and joins those of one.
    Ranks that share a node take rows `on_one_node`, and only they do. Instead of a path of its own
    it may take the rows of another variant, `as_variant`."""

    variant: str
    origin_memory: Memory = Field(alias="from")
    target_memory: Memory = Field(alias="to")
    least: Bytes = 0
    most: Bytes | None = None
    block: Annotated[int, Number("bytes", least=1, is_whole=True)] = 0
    within: Annotated[int, Number("count", least=2, is_whole=True)] | None = None
    on_one_node: bool = False
    shape: Literal["any", "contiguous", "strided"] = "any"
    as_variant: str = Field("", alias="as")
    path: str = ""
    grant: str = ""
    credit: str = ""
    request: str = ""
    notice: str = ""
    about: str = ""

    @model_validator(mode="after")
    def _check_path(self) -> Protocol:
        if bool(self.path) == bool(self.as_variant):
            what = "both; a row has its own" if self.path else "missing; a row has its own"
            raise TableError("path", f"{what}, or those of another variant by as")
        return self

    def taken_by(self, row: Protocol) -> Protocol | None:
        """Returns this row as a `row` has it that takes all of this one's variant; None if no
        message fits both."""
        most = [each.most for each in (self, row) if each.most is not None]
        shapes = {self.shape, row.shape} - {"any"}
        least = max(self.least, row.least)
        same = (self.origin_memory, self.target_memory) == (row.origin_memory, row.target_memory)
        if not same or len(shapes) > 1 or least > min(most, default=least):
            return None
        changes = {
            "variant": row.variant,
            "least": least,
            "most": min(most, default=None),
            "within": row.within or self.within,
            "on_one_node": row.on_one_node or self.on_one_node,
            "shape": next(iter(shapes), "any"),
        }
        taken = self.model_copy(update=changes)
        vars(taken)["name"] = f"{row.name}-{self.name}"
        return taken

    def fits(
        self,
        variant: str,
        origin_memory: str,
        target_memory: str,
        size_bytes: int,
        pieces: int,
        *,
        is_near: bool,
        on_one_node: bool,
    ) -> bool:
        """Returns whether a message takes this row, `is_near` one between ranks of one block."""
        shape = "strided" if pieces > 1 else "contiguous"
        return (
            self.variant == variant
            and self.on_one_node == on_one_node
            and (self.within is None or is_near)
            and self.shape in ("any", shape)
            and self.origin_memory == origin_memory
            and self.target_memory == target_memory
            and size_bytes >= self.least
            and (self.most is None or size_bytes <= self.most)
        )


OPERATIONS = ("broadcast", "allgather", "allreduce", "alltoall", "barrier")
Schedule = Literal[
    "linear",
    "binomial",
    "k-nomial",
    "chain",
    "ring",
    "dissemination",
    "recursive-doubling",
    "reduce-scatter",
    "pairwise",
    "scatter-allgather",
]


class Collective(Named):
    """Schedules of the collectives of a variant, and the software around them; `memory` is that of
    hosts where collectives are of numbers that programs have there, wherever their fields are."""

    memory: Literal["", "host"] = ""
    broadcast: Schedule = ""
    allgather: Schedule = ""
    allreduce: Schedule = ""
    alltoall: Schedule = ""
    barrier: Schedule = ""
    entry: Time = 0
    step: Time = 0
    reduce: Rate = 0
    staging: Literal["", "asked", "always"] = ""
    staging_variant: str = ""
    staging_block: Bytes = 0
    copy_out: str = ""
    copy_in: str = ""
    short_out: str = ""
    short_in: str = ""
    short_most: Bytes | None = None


class Algorithm(Named):
    """A schedule that goes before that of the variant's table, with copies by its own paths where
    it names them. One that `awaits_sources` ends each step when the rank's own message has gone
    too, as programs do that wait for the notification of their own put."""

    about: str = ""
    variant: str
    of: Literal["broadcast", "allgather", "allreduce", "alltoall", "barrier"]
    memory: Memory | None = None
    most: Bytes | None = None
    schedule: Schedule
    fan: Annotated[int, Number("count", least=2)] | None = None
    segment: SomeBytes | None = None
    staging: Literal["none", "whole", "parts"] = "none"
    copies_out: Annotated[int, Number("count", least=1, most=8)] = 1
    copy_out: str = ""
    copy_in: str = ""
    awaits_sources: bool = False


class Processor(Table):
    """The processor of a host or a GPU; its `count` is how many ranks a node has room for: one on
    each core of its host, whose rates they share, or on each of its GPUs."""

    launch: Time = 0
    wait: Time = 0
    memory: Rate = 0
    flops: Flops = 0
    count: SomeCount = 1


class Branch(Table):
    """A term of the closed form: lambda + V (tau + N / beta)."""

    fixed: Time = Field(alias="lambda")
    tau: Time
    beta: Rate


class Option(Table):
    """An option with its choices, each of which replaces values by dotted keys."""

    default: str
    about: str
    choice: dict[str, dict[str, Any]] = {}
