"""Reads records for `report`, `compare` and `fit`, and checks what these need of them.

A record may have been written by an older version, or edited, so only what is read is required.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from onehop._core import FileError

# Beyond this, and below one over it, nobody has measured a size, time or rate, and models overflow.
LARGEST = 1e18

Number = Annotated[float, Field(ge=-LARGEST, le=LARGEST, allow_inf_nan=False)]
Positive = Annotated[float, Field(ge=1 / LARGEST, le=LARGEST, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, le=LARGEST, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0, le=10**18)]
AtLeastOne = Annotated[int, Field(ge=1, le=10**18)]
Lattice = Annotated[list[AtLeastOne], Field(min_length=4, max_length=4)]


class Shape(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class Check(Shape):
    passed: bool | None = None
    why: str | None = None
    criterion_not_met: Count = 0


class Machine(Shape):
    usable_cores: AtLeastOne = 1
    memory_bytes: Count = 0


class Record(Shape):
    """The keys of all records."""

    command: str
    samples: list[Any]
    options: dict[str, Any] = {}
    machine: Machine = Machine()
    check: Check = Check()
    warnings: list[str] | None = None
    load_average: list[NotNegative] | None = None
    date: str | None = None
    transport: str | None = None
    ranks: AtLeastOne | None = None


class Cell(Shape):
    """A sample of `bench`: a contender with a message size."""

    method: str
    size_bytes: NotNegative
    value: Number
    unit: str
    faces: AtLeastOne | None = None
    channels: Positive | None = None
    messages: AtLeastOne | None = None
    peer: str | None = None
    followed: bool = True
    least: Number | None
    most: Number | None
    quartiles: Annotated[list[Number], Field(min_length=2, max_length=2)] | None = None
    raw: list[Positive] = []
    disturbed: list[bool] = []

    @model_validator(mode="after")
    def _check_rounds(self) -> Cell:
        # A contender that was not followed to the end has no times of the later rounds.
        rounds = len(self.disturbed) if self.followed else min(len(self.raw), len(self.disturbed))
        if len(self.raw) != rounds:
            raise ValueError(f"has {len(self.raw)} raw times, {len(self.disturbed)} of disturbed")
        return self


class Comparison(Shape):
    size_bytes: NotNegative
    faces: AtLeastOne | None = None
    ours_us: Number
    best_peer_us: Number
    best_peer: str
    ratio: Number
    ratio_low: Number
    ratio_high: Number
    verdict: Literal["FAST", "SAME", "AMBIGUOUS", "SLOW"]


class Bench(Record):
    pattern: str
    transport: str
    ranks: AtLeastOne
    samples: list[Cell]
    comparison: list[Comparison] | None = None


class Rate(Shape):
    median: Positive


class OperatorCell(Shape):
    """A sample of `bench dslash` or `bench solve`."""

    gflops: Rate | Positive | None = None
    fma_peak_gflops: Positive | None = None
    memory_gbs: Positive | None = None
    roofline_gflops: Positive | None = None
    fraction_of_roofline: Positive | None = None
    flops_per_site: Positive | None = None
    bytes_per_site: Positive | None = None
    size_bytes: NotNegative = 0
    dslash: str | None = None
    prec: str | None = None
    lattice: Lattice | None = None


class OperatorBench(Record):
    pattern: Literal["dslash", "solve"]
    samples: list[OperatorCell]


class SolveOptions(Shape):
    dslash: str
    prec: str
    solver: str
    threads: AtLeastOne


class Timing(Shape):
    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, NotNegative]

    total_s: NotNegative
    check_s: NotNegative = 0


class Solve(Record):
    options: SolveOptions
    transport: str
    ranks: AtLeastOne
    lattice: Lattice
    grid: Lattice
    iterations: Count | None
    iterations_total: Count
    time_per_iteration_us: Number
    time_halo_wait_us: Number
    timing: Timing
    correlator: list[Number | None] | None = None


class Point(Shape):
    """A sample of `scale`: a platform with a number of nodes."""

    platform: str
    nodes: AtLeastOne
    grid: Lattice
    iteration_us: Positive
    efficiency: Number
    required_gbs: Number | None
    available_gbs: Number | None
    bisection_gbs: Number | None
    bisection_used_gbs: NotNegative | None
    cost_node_ns_per_site: Positive | None
    bound_by: str


class ScaleOptions(Shape):
    lattice: Lattice
    dslash: str
    prec: str


class Scale(Record):
    options: ScaleOptions
    method: str
    stops_at: dict[str, AtLeastOne | None]
    samples: list[Point]


class Histogram(Shape):
    counts: list[Count]
    edges_us: list[NotNegative]

    @model_validator(mode="after")
    def _check(self) -> Histogram:
        if len(self.edges_us) != len(self.counts) + 1:
            raise ValueError("counts need one edge more than they are")
        return self


class LinkUse(Shape):
    """Shares of busy links in slices of the window, for each class of links."""

    slice_us: NotNegative
    mean: list[list[NotNegative]]
    most: list[list[NotNegative]]


class Load(Shape):
    """A point of `simulate ... traffic`; latencies are there where messages have come."""

    load: NotNegative
    accepted: NotNegative
    mean_us: Positive | None = None
    p50_us: Positive | None = None
    p99_us: Positive | None = None
    p999_us: Positive | None = None
    histogram: Histogram | None = None
    link_use: LinkUse


class Traffic(Record):
    network: str
    routing: str
    pattern: str
    link_classes: list[str]
    saturation: NotNegative
    points: Annotated[list[Load], Field(min_length=1)]

    @model_validator(mode="after")
    def _check_classes(self) -> Traffic:
        for point in self.points:
            slices = [*point.link_use.mean, *point.link_use.most]
            if any(len(shares) < len(self.link_classes) for shares in slices):
                raise ValueError("a share for each class of links is needed")
        return self


_WORDS = {
    "missing": "missing",
    "finite_number": "a finite number is needed",
    "less_than_equal": "larger than anything measured",
    "greater_than_equal": "too small",
    "float_type": "a number is needed",
    "int_type": "a whole number is needed",
    "int_from_float": "a whole number is needed",
    "string_type": "text is needed",
    "list_type": "a list is needed",
    "model_type": "an object is needed",
    "dict_type": "an object is needed",
    "bool_type": "true or false is needed",
}


def _shape_of(record: dict) -> type[Record]:
    if record.get("command") == "bench":
        return OperatorBench if record.get("pattern") in ("dslash", "solve") else Bench
    if record.get("command") == "simulate" and "points" in record:
        return Traffic
    return {"solve": Solve, "scale": Scale}.get(str(record.get("command")), Record)


def read_text(name: str) -> str:
    """Returns the text of a file, without the mark that some programs begin UTF-8 with."""
    try:
        return Path(name).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise FileError(f"cannot read {name}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise FileError(f"{name} is not text; a record (JSON) or CSV is needed") from None


def read_record(name: str, command: str | None = None) -> dict:
    """Reads a JSON record, of any command or of the one given; raises FileError, also where it
    lacks what is read of such records or has it of another kind."""
    try:
        record = json.loads(read_text(name))
    except (ValueError, RecursionError) as error:
        raise FileError(f"{name} is not a record: {error}") from None
    if not isinstance(record, dict) or not isinstance(record.get("samples"), list):
        raise FileError(f"{name} is not a record of onehop: it has no list of samples")
    if command not in (None, record.get("command")):
        raise FileError(
            f"{name} is a record of {record.get('command')}; one of {command} is needed"
        )
    try:
        TypeAdapter(_shape_of(record)).validate_python(record)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        what = str(first.get("ctx", {}).get("error") or _WORDS.get(first["type"], first["msg"]))
        raise FileError(f"{name} is not a whole record of onehop: {place}: {what}") from None
    return record
