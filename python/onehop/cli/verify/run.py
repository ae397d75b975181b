"""`onehop verify` checks whether a file agrees with what it states, and whether two files hold
the same field."""

import time
from collections.abc import Sequence

from onehop import output
from onehop._core import UsageError
from onehop.cli._shared.option import Options
from onehop.cli._shared.progress import Progress
from onehop.cli._shared.record import deliver
from onehop.counted import by_x
from onehop.lattice_files.verification import Comparison, Verification, verify
from onehop.record import finite, new_record
from onehop.text_table import aligned

_VERDICTS = {True: "good", False: "WRONG", None: "unchecked"}


def run(options: Options, arguments: Sequence[str]) -> int:
    if options.tol is not None and options.against is None:
        raise UsageError("--tol is for --against OTHER")
    started = time.monotonic()
    with Progress("verify", 1.0, verbose=options.verbose, often=True) as progress:
        found = verify(
            options.file,
            options.against,
            tolerance=options.tol,
            allow_non_unitary=options.allow_non_unitary,
            progress=lambda t, extent: progress.update(t / extent, f"time slice {t}/{extent}"),
        )
    for line in found.warnings:
        output.warn(line)
    record = _record(found, options)
    record["timing"] = {"total_s": time.monotonic() - started}
    return deliver(record, options, lambda _: print(_table(found, options.against)))


def _record(found: Verification, options: Options) -> dict:
    record = new_record("verify", options)
    apart = found.comparison
    record |= {
        "contents": found.kind,
        "format": found.format,
        "shape": list(found.shape),
        "precision_bits": found.precision_bits,
        "findings": [
            {"name": one.name, "passed": one.passed, "words": one.words} for one in found.findings
        ],
        "plaquette": finite(found.summary.plaquette.mean) if found.summary else None,
        "link_trace": finite(found.summary.link_trace) if found.summary else None,
        "su3_deviation": finite(found.summary.su3_deviation) if found.summary else None,
        "comparison": None
        if apart is None
        else {
            "passed": apart.passed,
            "identical": apart.is_identical,
            "largest": finite(apart.largest),
            "largest_at": apart.largest_place,
            "tolerance": apart.tolerance,
            "why": apart.why,
            "first": apart.first,
            "deviating": apart.deviating,
            "places": apart.places,
        },
        "warnings": found.warnings,
    }
    record["check"] = {"passed": found.passed, "why": _why(found)}
    return record


def _why(found: Verification) -> str:
    wrong = [one.words for one in found.findings if one.passed is False]
    if wrong:
        return wrong[0]
    if found.comparison is not None and not found.comparison.passed:
        apart = found.comparison
        return f"the fields differ: {apart.largest_place} by {apart.largest:.3g}"
    return "nothing wrong was found"


def _table(found: Verification, against: str | None) -> str:
    size = by_x(found.shape)
    rows = [(found.kind, f"{found.path}: {size}, {found.format}, {found.precision_bits} bit")]
    rows += [(one.name, f"{_VERDICTS[one.passed]}: {one.words}") for one in found.findings]
    if found.comparison is not None:
        rows += _differences(found.comparison, against)
    wrong = [one.name for one in found.findings if one.passed is False]
    if found.comparison is not None and not found.comparison.passed:
        wrong.append("the fields differ")
    rows.append(("verdict", f"FAILED: {', '.join(wrong)}" if wrong else "verified"))
    return aligned(rows)


def _differences(apart: Comparison, against: str | None) -> list[tuple[str, str]]:
    if apart.is_identical:
        return [("against", f"{against}: the same numbers, bit by bit")]
    rows = [
        ("against", f"{against}: largest deviation {apart.largest:.3g}, {apart.largest_place}"),
        ("tolerance", f"{apart.tolerance:.3g} {apart.why}"),
    ]
    if apart.first is not None:
        rows.append(
            ("deviating", f"{apart.deviating} of {apart.places} places, the first {apart.first}")
        )
    return rows
