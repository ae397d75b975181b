"""The table of `onehop bench`: OMB's columns and a count of wrong bytes."""

from __future__ import annotations

import csv
import sys
from typing import TYPE_CHECKING

from onehop.output import complete_or_absent

if TYPE_CHECKING:
    from typing import TextIO

_TITLES = {
    "latency": "Latency",
    "bandwidth": "Bandwidth",
    "bibandwidth": "Bi-Directional Bandwidth",
    "pingping": "Ping-Ping",
    "put": "Put",
    "get": "Get",
    "halo": "Halo Step",
    "allreduce": "Allreduce",
    "broadcast": "Broadcast",
    "allgather": "Allgather",
    "alltoall": "Alltoall",
    "barrier": "Barrier",
}
_CSV = ("method", "faces", "size_bytes", "channels", "value", "least", "most", "spread", "unit")
_CSV_END = ("wrong", "met", "line_latency_ns")


class BenchTable:
    """Lines appear as the cells are done: the table on `out`, what is said about it on `talk`."""

    def __init__(
        self, record: dict, show: bool, out: TextIO | None = None, talk: TextIO | None = None
    ) -> None:
        self._record = record
        self._show = show
        self._out = out or sys.stdout
        self._talk = talk or sys.stderr
        self._shown = 0
        # The peers' names are long, and known before the first line.
        self._width = 16 if "peers" not in record else 48

    def begin(self) -> None:
        if not self._show:
            return
        record, unit = self._record, self._unit()
        title = _TITLES[record["pattern"]]
        version = record["version"]
        print(f"# onehop {title} Test v{version}, {record['transport']}", end="", file=self._out)
        print(f", {record['ranks']} ranks, pinning: {record['pinning']}", file=self._out)
        for line in record["warnings"]:
            print(f"onehop: warning: {line}", file=self._talk)
        heads = (f"Median ({unit})", f"Min ({unit})", f"Max ({unit})", "Spread (%)", "Wrong")
        print(f"{self._lead('# Size', 'Faces', 'Method')}{_columns(heads)}", file=self._out)

    def add(self) -> None:
        """Shows the samples that came since the last call, of each peer the best."""
        fresh = self._record["samples"][self._shown :]
        self._shown += len(fresh)
        if not self._show:
            return
        for sample in _worth_showing(fresh):
            lead = self._lead(sample["size_bytes"], sample["faces"], sample["method"])
            values = [f"{sample[key]:.{_digits(sample)}f}" for key in ("value", "least", "most")]
            spread = f"{100 * sample['spread']:.1f}"
            print(f"{lead}{_columns((*values, spread, sample['wrong']))}", file=self._out)
        if fresh and not fresh[0]["met"]:
            print(f"onehop: size {fresh[0]['size_bytes']}: {fresh[0]['why']}", file=self._talk)
        self._out.flush()

    def end(self) -> None:
        if not self._show:
            return
        for found in self._record.get("comparison", ()):
            faces = "" if found["faces"] is None else f"{found['faces']} faces of "
            print(
                f"# {faces}{found['size_bytes']} bytes: {found['ours_us']:.3f} us against "
                f"{found['best_peer_us']:.3f} of {found['best_peer']}, ratio "
                f"{found['ratio']:.2f} ({found['ratio_low']:.2f} to {found['ratio_high']:.2f}) "
                f"{found['verdict']}",
                file=self._out,
            )
        regime = self._record["regime"]
        if regime is not None:
            latency = f"{self._record['line_latency_ns']:.0f} ns"
            print(f"# cores are {regime}: {latency} for a line", file=self._out)
        print(f"# check: {self._record['check']['why']}", file=self._out)

    def _unit(self) -> str:
        return "MB/s" if self._record["pattern"] in ("bandwidth", "bibandwidth") else "us"

    def _lead(self, size: object, faces: object, method: str) -> str:
        lead = f"{size:<12}"
        if self._record["pattern"] == "halo":
            lead += f"{faces:<8}"
        return lead + f"{method:<{self._width}}" if "comparison" in self._record else lead


def _worth_showing(samples: list[dict]) -> list[dict]:
    """Contenders of no peer, and the best of each peer's."""
    best: dict[str, dict] = {}
    for one in samples:
        if one["peer"] and one["followed"]:
            best[one["peer"]] = min(best.get(one["peer"], one), one, key=lambda s: s["value"])
    return [one for one in samples if not one["peer"] or one is best.get(one["peer"])]


def _columns(values: tuple) -> str:
    return "".join(f"{value:>16}" for value in values)


def _digits(sample: dict) -> int:
    return 2 if sample["unit"] == "MB/s" else 3


def write_csv(record: dict, name: str) -> None:
    """One line per sample, without the raw blocks; - is standard output."""
    if name == "-":
        _write_lines(record, sys.stdout)
        return
    with complete_or_absent(name) as temporary, temporary.open("w", newline="") as file:
        _write_lines(record, file)


def _write_lines(record: dict, file: TextIO) -> None:
    lines = csv.DictWriter(file, (*_CSV, *_CSV_END), extrasaction="ignore", lineterminator="\n")
    lines.writeheader()
    lines.writerows(record["samples"])
