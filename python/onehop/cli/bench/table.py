"""The table of `onehop bench` has OMB's columns and a count of wrong bytes."""

import csv
import sys
from collections.abc import Sequence
from typing import TextIO

from onehop.cli._shared.option import Options
from onehop.cli._shared.record import deliver
from onehop.cli.bench.patterns import IN_MBS
from onehop.cli.bench.record import regime_of, step_us
from onehop.counted import counted
from onehop.output import complete_or_absent
from onehop.text_table import aligned

_TITLES = {
    "latency": "Latency",
    "bandwidth": "Bandwidth",
    "bibandwidth": "Bi-Directional Bandwidth",
    "pingping": "Ping-Ping",
    "put": "Put",
    "get": "Get",
    "faces": "Sent Faces",
    "stream": "Stream",
    "halo": "Halo Step",
    "commit": "Put Chain Commit",
    "allreduce": "Allreduce",
    "broadcast": "Broadcast",
    "allgather": "Allgather",
    "alltoall": "Alltoall",
    "alltoallv": "Alltoallv",
    "reduce_scatter": "Reduce-Scatter",
    "barrier": "Barrier",
}
_CSV = ("method", "faces", "size_bytes", "channels", "value", "least", "most", "spread", "unit")
_CSV_END = ("wrong", "met", "line_latency_ns")


class BenchTable:
    """Prints lines as the cells are done: the table on `out`, messages about it on `talk`."""

    def __init__(
        self, record: dict, show: bool, out: TextIO | None = None, talk: TextIO | None = None
    ) -> None:
        self._record = record
        self._show = show
        self._out = out or sys.stdout
        self._talk = talk or sys.stderr
        self._shown = 0
        # These are names and widths of the columns that lead; the peers' names are long, and known
        # before the first line.
        self._lead = {"# Size": 10}
        if record["pattern"] == "halo":
            self._lead["Faces"] = 6
        if "comparison" in record:
            self._lead["Method"] = 46 if "peers" in record else 14

    def begin(self) -> None:
        record = self._record
        unit = "MB/s" if record["pattern"] in IN_MBS else "us"
        heads = (f"Median ({unit})", f"Min ({unit})", f"Max ({unit})", "Spread (%)", "Wrong")
        self._say(
            f"# onehop {_TITLES[record['pattern']]} Test v{record['version']}, "
            f"{record['transport']}, {counted(record['ranks'], 'rank')}, pinning: "
            f"{record['pinning']}"
        )
        if self._show:
            for line in record["warnings"]:
                print(f"onehop: warning: {line}", file=self._talk)
        self._row((*self._lead, *heads))

    def add(self) -> None:
        """Shows the samples that came since the last call, of each peer the best."""
        fresh = self._record["samples"][self._shown :]
        self._shown += len(fresh)
        for sample in _worth_showing(fresh):
            digits = 2 if sample["unit"] == "MB/s" else 3
            lead = {"# Size": "size_bytes", "Faces": "faces", "Method": "method"}
            values = (f"{sample[key]:.{digits}f}" for key in ("value", "least", "most"))
            spread = f"{100 * sample['spread']:.1f}"
            cells = (sample[lead[name]] for name in self._lead)
            self._row((*cells, *values, spread, sample["wrong"]))
        if self._show and fresh and not fresh[0]["met"]:
            print(f"onehop: size {fresh[0]['size_bytes']}: {fresh[0]['why']}", file=self._talk)

    def end(self, options: Options) -> int:
        """Prints verdicts and writes the files of the options; returns the exit status."""
        for found in self._record.get("comparison", ()):
            faces = "" if found["faces"] is None else f"{found['faces']} faces of "
            self._say(
                f"# {faces}{found['size_bytes']} bytes: {found['ours_us']:.3f} us against "
                f"{found['best_peer_us']:.3f} of {found['best_peer']}, ratio "
                f"{found['ratio']:.2f} ({found['ratio_low']:.2f} to {found['ratio_high']:.2f}) "
                f"{found['verdict']}"
            )
        if self._record["regime"] is not None:
            self._say(f"# {_regime_in_words(self._record)}")
        if self._record["pattern"] == "halo" and self._record["channel_choice"] is not None:
            self._say(f"# channels: {self._record['channel_choice']}")
        self._say(f"# check: {self._record['check']['why']}")
        if options.csv:
            _write_csv(self._record, options.csv)
        return deliver(self._record, options)

    def _row(self, cells: Sequence[object]) -> None:
        widths = (*self._lead.values(), 16, *[14] * (len(cells) - len(self._lead) - 1))
        self._say(aligned([cells], left=len(self._lead), widths=widths))

    def _say(self, text: str) -> None:
        if self._show:
            print(text, file=self._out, flush=True)


def _regime_in_words(record: dict) -> str:
    """Says how far apart the cores were, and where that changed between cells, as on a virtual
    machine whose processors are moved."""
    cells = {(s["faces"], s["size_bytes"]): s["line_latency_ns"] for s in record["samples"]}
    others = [ns for ns in cells.values() if regime_of(ns) != record["regime"]]
    words = f"cores are {record['regime']}: {record['line_latency_ns']:.0f} ns for a line"
    if others:
        words += (
            f"; in {len(others)} of {len(cells)} cells they were {regime_of(others[0])}: the "
            "system moved the ranks, so cells of the two kinds cannot be compared"
        )
    return words


def _worth_showing(samples: list[dict]) -> list[dict]:
    """Returns contenders of no peer, and the best of each peer's."""
    best: dict[str, dict] = {}
    for one in samples:
        if one["peer"] and one["followed"]:
            best[one["peer"]] = min(best.get(one["peer"], one), one, key=step_us)
    return [one for one in samples if not one["peer"] or one is best.get(one["peer"])]


def _write_csv(record: dict, name: str) -> None:
    """Writes one line per sample, without the raw blocks; - is standard output."""
    if name == "-":
        _write_lines(record, sys.stdout)
        return
    with complete_or_absent(name) as temporary, temporary.open("w", newline="") as file:
        _write_lines(record, file)


def _write_lines(record: dict, file: TextIO) -> None:
    lines = csv.DictWriter(file, (*_CSV, *_CSV_END), extrasaction="ignore", lineterminator="\n")
    lines.writeheader()
    lines.writerows(record["samples"])
