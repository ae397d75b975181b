"""`onehop reproduce`: published figures, ours, and whether they agree."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from onehop import reproduce
from onehop._core import UsageError
from onehop.cli import output, record
from onehop.cli.options import nearest

if TYPE_CHECKING:
    import types
    from collections.abc import Sequence

    from onehop.reproduce import Experiment, Result

_HEADS = (
    "figure",
    "use",
    "published",
    "ours",
    "closed form",
    "unit",
    "error",
    "allowed",
    "verdict",
)


def run(options: types.SimpleNamespace, arguments: Sequence[str]) -> int:
    output.check_writable(options.json)
    known = reproduce.experiments()
    wanted = _wanted(options, known)
    if options.list:
        _list(known, wanted)
        return 0
    if options.calibrate:
        _calibrate()
    if options.sensitivity:
        return _sensitivity(options, known, wanted)
    started = time.monotonic()
    results = []
    for experiment in known:
        if any(target.id in wanted for target in experiment.targets):
            results += [r for r in reproduce.run(experiment) if r.target.id in wanted]
            if options.plot:
                _plot(experiment, Path(options.plot))
    if options.json != "-":
        _print_table(results)
    if options.json:
        _write(options, results, time.monotonic() - started)
    return 0 if not _missed(results, "validation") else 1


def _wanted(options: types.SimpleNamespace, known: Sequence[Experiment]) -> set[str]:
    """Ids of the targets that were asked for."""
    targets = [target for experiment in known for target in experiment.targets]
    systems = sorted({target.system for target in targets})
    if options.system is not None and options.system not in systems:
        hint = nearest(options.system, systems) or f"; choose {', '.join(systems)}"
        raise UsageError(f"--system does not know {options.system!r}{hint}")
    by_name = {e.name: {t.id for t in e.targets} for e in known} | {t.id: {t.id} for t in targets}
    chosen: set[str] = set()
    for word in options.id or by_name:
        if word not in by_name:
            hint = nearest(word, list(by_name)) or "; onehop reproduce --list shows all"
            raise UsageError(f"unknown figure {word!r}{hint}")
        chosen |= by_name[word]
    return {t.id for t in targets if t.id in chosen and options.system in (None, t.system)}


def _list(known: Sequence[Experiment], wanted: set[str]) -> None:
    for experiment in known:
        shown = [target for target in experiment.targets if target.id in wanted]
        if shown:
            print(f"{experiment.name}: {experiment.title}")
        for target in shown:
            kind = "not built" if experiment.not_built else target.kind
            print(f"  {target.id:6}{kind:13}{target.what}")


def _calibrate() -> None:
    from onehop.reproduce import calibrate

    for entry in calibrate_and_write(calibrate):
        print(
            f"onehop: {entry.parameter.platform} {entry.parameter.key}"
            f" {entry.before:g} -> {entry.value:g}",
            file=sys.stderr,
        )


def calibrate_and_write(calibrate: types.ModuleType) -> list:
    """Fits, and writes what was found."""
    fitted = calibrate.fit_all()
    calibrate.write(fitted)
    return fitted


def _sensitivity(
    options: types.SimpleNamespace, known: Sequence[Experiment], wanted: set[str]
) -> int:
    """How figures depend on numbers in state assumed."""
    from onehop.reproduce import sensitivity

    found = [
        entry
        for experiment in known
        if any(target.id in wanted for target in experiment.targets)
        for entry in sensitivity.of(experiment)
        if entry.target.id in wanted
    ]
    if options.json != "-":
        for line in sensitivity.table(found):
            print("  ".join(line))
    if options.json:
        made = record.new_record("reproduce", options)
        made["results"] = [entry.record() for entry in found]
        record.write_record(made, options.json)
    return 0


def _plot(experiment: Experiment, folder: Path) -> None:
    from onehop.reproduce import figure

    path = folder / f"{experiment.name}.svg"
    if figure.draw(experiment, path):
        print(f"onehop: wrote {path}", file=sys.stderr)


def _print_table(results: Sequence[Result]) -> None:
    lines = [_HEADS, *(cells(result) for result in results)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(_HEADS))]
    for line in lines:
        print("  ".join(f"{cell:{w}}" for cell, w in zip(line, widths, strict=True)).rstrip())
    print(summary(results))


def cells(result: Result) -> tuple[str, ...]:
    target, tolerance = result.target, result.target.tolerance
    relative = tolerance["kind"] == "relative"
    if result.error is None or tolerance["kind"] == "ordering":
        error = "-"
    else:
        error = f"{100 * result.error:+.1f} %" if relative else f"{result.error:+.4g}"
    return (
        target.id,
        f"{target.kind}, input" if target.input else target.kind,
        _short(target.published),
        _short(result.ours),
        _short(result.closed_form) if result.closed_form is not None else "",
        target.unit,
        error,
        _allowed(tolerance),
        result.verdict,
    )


def _short(value: float | str | None) -> str:
    if value is None:
        return "-"
    return value if isinstance(value, str) else f"{value:.6g}"


def _allowed(tolerance: dict) -> str:
    kind = tolerance["kind"]
    if kind == "ordering":
        return "same"
    if kind == "range":
        return f"{tolerance['low']:g} to {tolerance['high']:g}"
    return f"{100 * tolerance['value']:g} %" if kind == "relative" else f"{tolerance['value']:g}"


def _missed(results: Sequence[Result], kind: str) -> list[Result]:
    return [r for r in results if r.verdict == "miss" and r.target.kind == kind]


def summary(results: Sequence[Result]) -> str:
    parts = []
    for kind in ("calibration", "validation"):
        judged = [r for r in results if r.target.kind == kind and r.verdict != "not built"]
        if judged:
            good = len(judged) - len(_missed(results, kind))
            parts.append(f"{kind} {good} of {len(judged)} within tolerance")
            read = sum(bool(r.target.input) for r in judged)
            if read:
                parts[-1] += f" ({read} of them read an input back)"
    absent = sum(r.verdict == "not built" for r in results)
    if absent:
        parts.append(f"{absent} not built")
    return "# " + ", ".join(parts)


def _write(options: types.SimpleNamespace, results: Sequence[Result], seconds: float) -> None:
    made = record.new_record("reproduce", options)
    made["results"] = [result.record() for result in results]
    missed = [r.target.id for r in _missed(results, "validation")]
    made["check"] = {"passed": not missed, "missed": missed, "why": summary(results)[2:]}
    made["timing"] = {"total_s": seconds}
    record.write_record(made, options.json)
