"""`onehop reproduce`: published figures, ours, and whether they agree."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from onehop import output, reproduce
from onehop._core import UsageError
from onehop.cli import record
from onehop.nearest import nearest
from onehop.reproduce import table

if TYPE_CHECKING:
    import types
    from collections.abc import Sequence

    from onehop.reproduce import Experiment, Result


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
    return 0 if not table.missed(results, "validation") else 1


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
    lines = [table.HEADS, *(table.cells(result) for result in results)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(table.HEADS))]
    for line in lines:
        print("  ".join(f"{cell:{w}}" for cell, w in zip(line, widths, strict=True)).rstrip())
    print(table.summary(results))


def _write(options: types.SimpleNamespace, results: Sequence[Result], seconds: float) -> None:
    made = record.new_record("reproduce", options)
    made["results"] = [result.record() for result in results]
    missed = [r.target.id for r in table.missed(results, "validation")]
    made["check"] = {"passed": not missed, "missed": missed, "why": table.summary(results)[2:]}
    made["timing"] = {"total_s": seconds}
    record.write_record(made, options.json)
