"""A number of a platform file: value, unit, source, state; held in picoseconds, bytes, bytes/s."""

from __future__ import annotations

import dataclasses
import re

STATES = ("published", "fitted", "assumed")

_UNITS = {
    "time": {"ps": 1.0, "ns": 1e3, "us": 1e6, "ms": 1e9, "s": 1e12},
    "rate": {
        "B/s": 1.0,
        "kB/s": 1e3,
        "MB/s": 1e6,
        "GB/s": 1e9,
        "TB/s": 1e12,
        "Mb/s": 1.25e5,
        "Gb/s": 1.25e8,
    },
    "bytes": {"byte": 1.0, "bytes": 1.0, "B": 1.0, "KiB": 1024.0, "MiB": 1024.0**2, "bit": 0.125},
    "flops": {"Flop/s": 1.0, "GFlop/s": 1e9, "TFlop/s": 1e12},
    "ratio": {"1": 1.0, "ratio": 1.0, "percent": 0.01},
    "count": {"1": 1.0, "nodes": 1.0, "entries": 1.0, "channels": 1.0, "rails": 1.0, "ports": 1.0}
    | {"credits": 1.0, "flop": 1.0, "sites": 1.0, "iterations": 1.0, "packets": 1.0},
}
# A time in clock cycles, "31 cycles at 250 MHz", is told by the whole clause as its unit.
_CYCLES = re.compile(r"cycles at ([0-9.]+) MHz")


@dataclasses.dataclass(frozen=True)
class Quantity:
    """`base` is the value in the unit of its dimension: ps, bytes/s, bytes, flop/s, 1."""

    value: float
    unit: str
    base: float
    state: str
    source: str

    def __str__(self) -> str:
        return f"{self.value:g} {self.unit}"


def units_of(dimension: str) -> list[str]:
    """The units that a number of this dimension may have."""
    names = list(_UNITS[dimension])
    return [*names, "cycles at N MHz"] if dimension == "time" else names


def factor(unit: str, dimension: str) -> float | None:
    """Base units in one `unit`; None where the unit does not measure the dimension."""
    if dimension == "time" and (cycles := _CYCLES.fullmatch(unit)):
        return 1e6 / float(cycles[1])
    return _UNITS[dimension].get(unit)
