"""Reads times by message size and number of channels, from records and from CSV."""

from __future__ import annotations

import csv
import dataclasses
import math
from pathlib import Path

import numpy as np

from onehop._core import FileError
from onehop.record_files import LARGEST, read_record, read_text

COLUMNS = ("size_bytes", "channels", "time_us")
# One step of these has every message of a rank in flight: time per message is bytes over rate.
_RATES = {"bandwidth": 1, "bibandwidth": 2}


@dataclasses.dataclass(frozen=True)
class Observations:
    """One entry per cell measured: message size, messages in flight at the same time, time until
    all have arrived. `name` says what was measured."""

    size_bytes: np.ndarray
    channels: np.ndarray
    time_us: np.ndarray
    name: str = ""

    def __len__(self) -> int:
        return len(self.time_us)

    def sorted(self) -> Observations:
        order = np.lexsort((self.time_us, self.size_bytes, self.channels))
        return Observations(
            self.size_bytes[order], self.channels[order], self.time_us[order], self.name
        )

    def condensed(self, most: int) -> Observations:
        """Returns at most about `most` points: repeated cells become their median where there are
        more."""
        if len(self) <= most:
            return self
        cells, inverse = np.unique(
            np.column_stack([self.size_bytes, self.channels]), axis=0, return_inverse=True
        )
        inverse = inverse.reshape(-1)
        times = np.array([np.median(self.time_us[inverse == k]) for k in range(len(cells))])
        return Observations(cells[:, 0], cells[:, 1], times, self.name)


def medians(at: np.ndarray, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns the different entries of `at`, rising, and the median time of each."""
    levels = np.unique(at)
    return levels, np.array([np.median(times[at == level]) for level in levels])


def joined(parts: list[Observations]) -> Observations:
    return Observations(
        np.concatenate([p.size_bytes for p in parts]),
        np.concatenate([p.channels for p in parts]),
        np.concatenate([p.time_us for p in parts]),
        ", ".join(dict.fromkeys(p.name for p in parts)),
    )


def read(name: str) -> Observations:
    """Reads a record of `onehop bench` or a CSV with the columns size_bytes, channels, time_us; the
    ending of the name does not matter. Raises FileError."""
    text = read_text(name)
    is_record = text.lstrip().startswith("{")
    found = of_record(read_record(name, "bench"), name) if is_record else _of_csv(text, name)
    return found.sorted()


def of_record(record: dict, name: str) -> Observations:
    """Returns our own samples of a record of `onehop bench`; contenders written by hand are left
    out."""
    pattern = record.get("pattern", "")
    own = [s for s in record["samples"] if s.get("method", "onehop") == "onehop"]
    try:
        rows = [_row(sample, pattern) for sample in own]
    except (KeyError, TypeError):
        raise FileError(f"{name}: a sample lacks size_bytes, value or unit") from None
    title = f"{pattern} on {record.get('transport', '?')}"
    options = record.get("options", {})
    if options.get("pack") == "direct" and pattern == "pingping":
        title += ", packed"
    elif options.get("check") == "inside":
        title += ", bytes touched"
    return _observations(rows, name, title)


def _row(sample: dict, pattern: str) -> tuple[float, float, float]:
    channels = float(sample.get("channels") or 1)
    channels *= sample.get("faces") or sample.get("messages") or 1
    size, value = float(sample["size_bytes"]), float(sample["value"])
    if sample["unit"] == "MB/s":
        bytes_in_flight = _RATES.get(pattern, 1) * channels * size
        return size, channels, bytes_in_flight / value if value else math.inf
    return size, channels, value


def _of_csv(text: str, name: str) -> Observations:
    try:
        head_line, *lines = [*csv.reader(text.splitlines())] or [[]]
    except csv.Error as error:
        raise FileError(f"{name} is not CSV: {error}") from None
    heads = [head.strip() for head in head_line]
    missing = [column for column in COLUMNS if column not in (*heads, "channels")]
    if missing:
        raise FileError(
            f"{name}: no column {' and '.join(missing)}; the first line must name size_bytes and "
            "time_us, with commas between, and may name channels"
        )
    places = {column: heads.index(column) for column in COLUMNS if column in heads}
    rows = []
    for number, cells in enumerate(lines, 2):
        if not any(cell.strip() for cell in cells):
            continue
        try:
            values = {column: float(cells[place]) for column, place in places.items()}
        except (ValueError, IndexError):
            raise FileError(f"{name} line {number}: numbers are needed, not {cells}") from None
        rows.append((values["size_bytes"], values.get("channels", 1.0), values["time_us"]))
    return _observations(rows, name, Path(name).name)


def _observations(rows: list[tuple[float, float, float]], name: str, title: str) -> Observations:
    if not rows:
        raise FileError(f"{name}: nothing was measured in it")
    for size, channels, time in rows:
        if not 1 / LARGEST <= time <= LARGEST:
            raise FileError(
                f"{name}: a time of {time:g} us at {size:g} bytes cannot be; times are above 0"
            )
        if not (0 <= size <= LARGEST and 1 <= channels <= LARGEST):
            raise FileError(f"{name}: size {size:g} bytes on {channels:g} channels cannot be")
    sizes, channels, times = (np.array(column) for column in zip(*rows, strict=True))
    return Observations(sizes, channels, times, title)
