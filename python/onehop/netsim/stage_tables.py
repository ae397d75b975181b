"""The tables [stage.NAME] say what a message passes, by kinds."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Discriminator, Field, model_validator

from onehop.netsim.quantity import Bytes, Count, Rate, SomeBytes, SomeCount, Time
from onehop.netsim.table import Named, TableError


class Stage(Named):
    """One thing that a message passes; stages with the same `unit` share one server of a node."""

    kind: str
    shared_unit: str = Field("", alias="unit")
    about: str = ""

    @property
    def unit(self) -> str:
        return self.shared_unit or self.name

    @property
    def is_per_message(self) -> bool:
        """Whether it is served message by message (store and forward); other stages pass packets
        on."""
        return self.kind in ("software", "copy", "gpu", "event")


class SoftwareStep(Stage):
    """Work of the processor on a message, and on each of its bytes where it has a `rate`."""

    kind: Literal["software"]
    cost: Time
    per_chain: Time = 0
    per_piece: Time = 0
    rate: Rate = 0


class DmaEngine(Stage):
    """Reads or writes memory packet by packet; `interval` of its requests or `gap` after them."""

    kind: Literal["dma"]
    rate: Rate
    request: SomeBytes = 0
    gap: Time = 0
    interval: Time = 0
    lead: Time = 0
    window: Bytes = 0
    head: Time = 0
    per_piece: Time = 0
    channels: SomeCount = 1


class Translation(Stage):
    """Looks up the address of each packet; beyond `entries` of a `page` each it misses."""

    kind: Literal["translation"]
    hit: Time
    miss: Time | None = None
    entries: Count = 0
    page: SomeBytes = 4096
    rate: Rate = 0

    @model_validator(mode="after")
    def _check_misses(self) -> Translation:
        if self.entries and self.miss is None:
            raise TableError("miss", "missing; a table with entries can miss")
        return self


class BusPort(Stage):
    """Passes packets on in parts of `payload`, each with its `overhead`."""

    kind: Literal["port"]
    rate: Rate
    payload: SomeBytes = 0
    overhead: Bytes = 0
    latency: Time = 0
    lanes: SomeCount = 1


class CopyEngine(Stage):
    """Copies whole messages."""

    kind: Literal["copy"]
    setup: Time
    rate: Rate
    per_piece: Time = 0


class EventQueueEntry(Stage):
    """Tells of a message; occupies nothing."""

    kind: Literal["event"]
    write: Time
    poll: Time = 0


class GpuKernel(Stage):
    """A kernel that packs or moves a message."""

    kind: Literal["gpu"]
    launch: Time
    rate: Rate = 0


AnyStage = Annotated[
    SoftwareStep | DmaEngine | Translation | BusPort | CopyEngine | EventQueueEntry | GpuKernel,
    Discriminator("kind"),
]
