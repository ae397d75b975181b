"""`onehop compare` says whether anything has become slower."""

import dataclasses
import sys
import time
from collections.abc import Sequence
from functools import partial

from onehop.cli._shared.option import Options
from onehop.cli._shared.record import deliver
from onehop.cli.compare.cells import Cell, compare_records, count_verdicts, differences
from onehop.record import new_record
from onehop.record_files import read_record
from onehop.text_table import aligned


def run(options: Options, arguments: Sequence[str]) -> int:
    started = time.monotonic()
    old, new = read_record(options.old), read_record(options.new)
    cells = compare_records(old, new, 1 + options.tolerance / 100)
    counts = count_verdicts(cells)
    record = new_record("compare", options)
    record["samples"] = [dataclasses.asdict(cell) for cell in cells]
    record["verdicts"] = counts
    record["differences"] = differences(old, new)
    why = ", ".join(f"{count} {name}" for name, count in counts.items())
    record["check"] = {"passed": counts["SLOW"] == 0, "why": why}
    record["timing"] = {"total_s": time.monotonic() - started}
    status = deliver(record, options, partial(_show, new["pattern"], cells))
    for doubt in record["differences"]:
        print(f"onehop: not the same in both: {doubt}", file=sys.stderr)
    return status


def _show(pattern: str, cells: list[Cell], record: dict) -> None:
    print(f"# onehop {pattern}, old and new; ratio of times with its 95% interval")
    rows = [
        (
            *(cell.size_bytes, cell.faces or "-", cell.method),
            *(f"{value:.3f}" for value in (cell.old, cell.new, cell.ratio, cell.low, cell.high)),
            cell.verdict,
        )
        for cell in cells
    ]
    unit = cells[0].unit
    times = (f"Old ({unit})", f"New ({unit})")
    heads = ("# Size", "Faces", "Method", *times, "Ratio", "Low", "High", "Verdict")
    print(aligned(rows, heads, left=3))
    print(f"# {record['check']['why']}")
