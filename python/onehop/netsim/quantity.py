"""A number of a platform file: value, unit, source, state; held in picoseconds, bytes, bytes/s."""

import dataclasses
import math
import re
import sys
from typing import Annotated, Any, Literal, get_args

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import core_schema

from onehop.nearest import nearest
from onehop.netsim.table import Table, TableError

State = Literal["published", "read off", "derived", "fitted", "assumed"]

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
_BASE = {"time": " ps", "rate": " B/s", "bytes": " B"}
# The unit of a time in clock cycles, "31 cycles at 250 MHz", is the whole clause.
_CYCLES = re.compile(r"cycles at ([0-9.]+) MHz")
# The longest time is a quarter of an hour in picoseconds, which are counted in 64 bits. Bytes must
# be exact as a floating-point number, and counts fit an int of C++.
_LARGEST = {"time": 1e15, "bytes": 2.0**53, "count": 2.0**31 - 1}


class Quantity:
    """A number in the unit of its dimension (ps, bytes/s, bytes, flop/s, 1), as which it computes;
    `value` and `unit` are those of the file, as which it is printed."""

    value: float
    unit: str
    state: str
    source: str

    def __str__(self) -> str:
        return f"{self.value:g} {self.unit}"


class _Real(Quantity, float):
    pass


class _Whole(Quantity, int):
    pass


class Written(Table):
    """A number as it stands in the file."""

    value: Any
    unit: str
    source: str
    state: State
    note: str = ""

    _needed = "write { value = ..., unit = ..., source = ..., state = ... }"


@dataclasses.dataclass(frozen=True)
class Number:
    """Marks a field as a number of this dimension; `least` and `most` are in base units, both
    allowed. It holds whole numbers where `is_whole`, as all counts do, and a list of them where
    `is_list`."""

    dimension: str
    least: float = 0.0
    most: float = math.inf
    is_whole: bool = False
    is_list: bool = False

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        written = core_schema.no_info_after_validator_function(self._read, handler(Written))
        return core_schema.no_info_before_validator_function(self._complete, written)

    def __get_pydantic_json_schema__(
        self, _core: core_schema.CoreSchema, _handler: GetJsonSchemaHandler
    ) -> dict:
        return {MARK: self._schema_name}

    @property
    def _schema_name(self) -> str:
        return f"{self.dimension}{'-list' if self.is_list else ''}"

    def _complete(self, given: object) -> object:
        # A count may stand alone.
        if self.dimension == "count" and not self.is_list and isinstance(given, int):
            return {"value": given, "unit": "1", "source": "-", "state": "published"}
        if not isinstance(given, dict):
            raise ValueError(
                f"{given!r} alone has no unit; {Written._needed}; {self._units_known()}"
            )
        if given.keys() <= Written.model_fields.keys() - {"unit"}:
            raise TableError("unit", f"missing; {self._units_known()}")
        return given

    def _units_known(self) -> str:
        return f"units are {', '.join(self._units())}"

    def _units(self) -> list[str]:
        names = list(_UNITS[self.dimension])
        return [*names, "cycles at N MHz"] if self.dimension == "time" else names

    def _read(self, written: Written) -> Quantity | list[Quantity]:
        if not self.is_list:
            return self._quantity(written, written.value, self._factor(written.unit))
        if not isinstance(written.value, list) or not written.value:
            raise ValueError("a list of numbers is needed")
        return [self._quantity(written, v, self._factor(written.unit)) for v in written.value]

    def _factor(self, unit: str) -> float:
        """Returns the base units in one `unit`."""
        if self.dimension == "time" and (cycles := _CYCLES.fullmatch(unit)):
            try:
                return 1e6 / float(cycles[1])
            except (ValueError, ZeroDivisionError):
                raise ValueError(f"unit {unit!r}: no clock has this rate") from None
        known = _UNITS[self.dimension]
        if unit not in known:
            names = self._units()
            hint = nearest(unit, names) or f"; known are {', '.join(names)}"
            raise ValueError(f"unit {unit!r} does not measure a {self.dimension}{hint}")
        return known[unit]

    def _source(self, written: Written) -> str:
        if not written.source.strip():
            raise ValueError("source is empty; say where the number is from, or what it rests on")
        return written.source

    def _quantity(self, written: Written, number: object, factor: float) -> Quantity:
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise ValueError(f"value {number!r} is not a number")
        # A file may have more digits than the largest floating-point number.
        base = number * factor if abs(number) < sys.float_info.max else math.inf
        if not math.isfinite(base):
            raise ValueError(f"value {str(number)[:40]} is not finite")
        is_whole = self.is_whole or self.dimension == "count"
        if is_whole and base != int(base):
            of = "" if self.dimension == "count" else f" of {self.dimension}"
            raise ValueError(f"{number:g} {written.unit} is not a whole number{of}")
        most = min(self.most, _LARGEST.get(self.dimension, math.inf))
        if base < self.least or base > most:
            bound = f"at least {self.least:g}" if base < self.least else f"at most {most:g}"
            bound += _BASE.get(self.dimension, "")
            raise ValueError(f"{number:g} {written.unit} is out of range; {bound} is needed")
        made = _Whole(base) if is_whole else _Real(base)
        made.value, made.unit = float(number), written.unit
        made.state, made.source = written.state, self._source(written)
        return made


# Stands for a number in the schema of a table, with the name of its own schema.
MARK = "x-number"


def written_schemas() -> dict[str, dict]:
    """JSON schemas of numbers as they stand in files, by what they measure."""
    schemas = {}
    for dimension in _UNITS:
        number = {"type": "integer" if dimension == "count" else "number", "minimum": 0}
        schemas[dimension] = _written_schema(dimension, number)
    counts = {"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 1}
    schemas["count-list"] = _written_schema("count", counts)
    # A count may stand alone.
    schemas["count"] = {"anyOf": [schemas["count"], {"type": "integer", "minimum": 0}]}
    return schemas


def _written_schema(dimension: str, value: dict) -> dict:
    unit: dict = {"enum": list(_UNITS[dimension])}
    if dimension == "time":
        unit = {"anyOf": [unit, {"type": "string", "pattern": f"^{_CYCLES.pattern}$"}]}
    filled = {"type": "string", "pattern": r"\S"}
    properties = {
        "value": value,
        "unit": unit,
        "source": filled,
        "state": {"enum": [*get_args(State)]},
    }
    return {
        "type": "object",
        "description": f"A {dimension} with its unit, source and state.",
        "properties": properties | {"note": {"type": "string"}},
        "required": list(properties),
        "additionalProperties": False,
    }


Time = Annotated[float, Number("time")]
SomeTime = Annotated[float, Number("time", least=1.0)]
Rate = Annotated[float, Number("rate", least=1.0)]
Flops = Annotated[float, Number("flops", least=1.0)]
Bytes = Annotated[int, Number("bytes", is_whole=True)]
SomeBytes = Annotated[int, Number("bytes", least=1, is_whole=True)]
Count = Annotated[int, Number("count")]
SomeCount = Annotated[int, Number("count", least=1)]
Counts = Annotated[list[int], Number("count", least=1, is_list=True)]
