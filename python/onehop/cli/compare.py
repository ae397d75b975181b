"""`onehop compare`: has anything become slower?"""

from __future__ import annotations

import dataclasses
import sys
import time
from typing import TYPE_CHECKING

from onehop import output
from onehop.cli.compare_cells import compare_records, count_verdicts, differences
from onehop.cli.record import new_record, write_record
from onehop.perfmodel.observations import read_record

if TYPE_CHECKING:
    import types
    from collections.abc import Sequence

    from onehop.cli.compare_cells import Cell


def run(options: types.SimpleNamespace, arguments: Sequence[str]) -> int:
    started = time.monotonic()
    for name in (options.old, options.new):
        output.check_distinct(name, {"--json": options.json})
    output.check_writable(options.json)
    old, new = read_record(options.old), read_record(options.new)
    cells = compare_records(old, new, 1 + options.tolerance / 100)
    doubts = differences(old, new)
    counts = count_verdicts(cells)
    if options.json != "-":
        _print(cells, new, counts)
    for doubt in doubts:
        print(f"onehop: not the same in both: {doubt}", file=sys.stderr)
    if options.json:
        record = new_record("compare", options)
        record["samples"] = [dataclasses.asdict(cell) for cell in cells]
        record["verdicts"] = counts
        record["differences"] = doubts
        record["check"] = {"passed": counts["SLOW"] == 0, "why": _summary(counts)}
        record["timing"] = {"total_s": time.monotonic() - started}
        write_record(record, options.json)
    return 1 if counts["SLOW"] else 0


def _print(cells: list[Cell], record: dict, counts: dict[str, int]) -> None:
    print(f"# onehop {record['pattern']}, old and new; ratio of times with its 95% interval")
    heads = ("Old", "New", "Ratio", "Low", "High", "Verdict")
    print(f"{'# Size':<12}{'Faces':<8}{'Method':<16}" + "".join(f"{head:>12}" for head in heads))
    for cell in cells:
        lead = f"{cell.size_bytes:<12}{cell.faces or '-':<8}{cell.method:<16}"
        times = f"{cell.old:>12.3f}{cell.new:>12.3f}"
        ratio = "".join(f"{value:>12.3f}" for value in (cell.ratio, cell.low, cell.high))
        print(f"{lead}{times}{ratio}{cell.verdict:>12}")
    print(f"# {_summary(counts)}", flush=True)


def _summary(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items())
