"""`onehop convert` makes one file of a field from another."""

import textwrap
import time
from collections.abc import Sequence

from onehop import output
from onehop._core import UsageError
from onehop.cli._shared.option import Options
from onehop.cli._shared.progress import Progress
from onehop.cli._shared.record import deliver
from onehop.counted import by_x
from onehop.lattice_files.conversion import Conversion, convert
from onehop.lattice_files.formats import KINDS, formats
from onehop.record import new_record
from onehop.text_table import aligned

_WIDTH = 96


def run(options: Options, arguments: Sequence[str]) -> int:
    source, target = getattr(options, "in"), options.out
    if options.describe:
        if source is not None:
            raise UsageError("--describe is about formats, not files; leave IN and OUT out")
        return _describe(options)
    if source is None or target is None:
        raise UsageError("IN and OUT are needed: the file to read and the one to write")
    started = time.monotonic()
    with Progress("convert", 1.0, verbose=options.verbose, often=True) as progress:
        done = convert(
            source,
            target,
            format=options.format,
            precision=options.prec,
            rows=options.rows,
            allow_non_unitary=options.allow_non_unitary,
            progress=lambda t, extent: progress.update(t / extent, f"time slice {t}/{extent}"),
        )
    for line in done.warnings:
        output.warn(line)
    record = _record(done, options)
    record["timing"] = {"total_s": time.monotonic() - started}
    return deliver(record, options, lambda found: print(aligned(_lines(found, source, target))))


def _describe(options: Options) -> int:
    record = new_record("convert", options) | {"action": "describe"}
    record["samples"] = [
        {
            "format": one.name,
            "contents": kind,
            "suffixes": list(one.suffixes),
            "conventions": one.conventions,
        }
        for kind in KINDS
        for one in formats(kind)
        if options.format in (None, one.name.lower())
    ]
    record["check"] = {"passed": True, "why": "no file was read"}
    return deliver(record, options, _show_formats)


def _show_formats(record: dict) -> None:
    paragraphs = []
    for one in record["samples"]:
        suffixes = " ".join(one["suffixes"])
        words = f"{one['format']}, {one['contents']} ({suffixes}): {one['conventions']}"
        paragraphs.append(textwrap.fill(words, _WIDTH, subsequent_indent="  "))
    print("\n\n".join(paragraphs))


def _record(done: Conversion, options: Options) -> dict:
    record = new_record("convert", options)
    record |= {
        "contents": done.kind,
        "shape": list(done.shape),
        "formats": list(done.formats),
        "precision_bits": list(done.precision_bits),
        "rows": list(done.rows),
        "checksums": list(done.checksums),
        "exact": done.is_exact,
        "plaquette": done.summary.plaquette.mean if done.summary else None,
        "link_trace": done.summary.link_trace if done.summary else None,
        "su3_deviation": done.summary.su3_deviation if done.summary else None,
        "warnings": done.warnings,
    }
    record["check"] = {"passed": True, "why": "what was read is what its file says"}
    return record


def _lines(record: dict, source: str, target: str) -> list[tuple[str, str]]:
    def side(number: int, path: str) -> str:
        bits, rows = record["precision_bits"][number], record["rows"][number]
        stored = ", two rows" if rows == 2 else ""
        checksum = record["checksums"][number] or "no checksum"
        return f"{path}: {record['formats'][number]}, {bits} bit{stored}, {checksum}"

    exact = "the same numbers, bit by bit"
    if record["precision_bits"][1] < record["precision_bits"][0]:
        exact = "rounded to single precision"
    elif not record["exact"]:
        exact = "third rows are left to the reader"
    size = by_x(record["shape"])
    rows = [
        (record["contents"], size),
        ("read", side(0, source)),
        ("written", side(1, target)),
        ("numbers", exact),
    ]
    if record["plaquette"] is not None:
        rows.append(
            (
                "links",
                f"plaquette {record['plaquette']:.10f}, trace {record['link_trace']:.10f}, in "
                f"SU(3) to {record['su3_deviation']:.2g}",
            )
        )
    return rows
