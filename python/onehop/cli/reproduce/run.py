"""`onehop reproduce`: published figures, ours, and whether they agree."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from onehop import reproduce
from onehop._core import UsageError
from onehop.cli._shared.record import deliver
from onehop.nearest import nearest
from onehop.record import new_record
from onehop.reproduce import table
from onehop.text_table import aligned

if TYPE_CHECKING:
    import types
    from collections.abc import Sequence

    from onehop.reproduce import Experiment


def run(options: types.SimpleNamespace, arguments: Sequence[str]) -> int:
    modes = [f"--{mode}" for mode in ("list", "calibrate", "sensitivity") if getattr(options, mode)]
    if len(modes) > 1:
        raise UsageError(f"{' and '.join(modes)} are different modes; give one of them")
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
    missed = [r.target.id for r in table.missed(results, "validation")]
    record = new_record("reproduce", options)
    record["results"] = [result.record() for result in results]
    record["check"] = {"passed": not missed, "missed": missed, "why": table.summary(results)[2:]}
    record["timing"] = {"total_s": time.monotonic() - started}
    rows = [table.cells(result) for result in results]
    return deliver(
        record,
        options,
        lambda _: print(f"{aligned(rows, table.HEADS)}\n{table.summary(results)}"),
    )


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
            print(f"  {target.id:6}{target.kind:13}{target.what}")


def _calibrate() -> None:
    from onehop.reproduce import calibrate

    fitted = calibrate.fit_all()
    calibrate.write(fitted)
    for entry in fitted:
        print(
            f"onehop: {entry.parameter.platform} {entry.parameter.key}"
            f" {entry.before:g} -> {entry.value:g}",
            file=sys.stderr,
        )


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
    record = new_record("reproduce", options)
    record["results"] = [entry.record() for entry in found]
    record["check"] = {"passed": True, "why": "nothing is judged"}
    heads, *rows = sensitivity.table(found)
    return deliver(record, options, lambda _: print(aligned(rows, heads)))


def _plot(experiment: Experiment, folder: Path) -> None:
    from onehop.reproduce import figure

    path = folder / f"{experiment.name}.svg"
    if figure.draw(experiment, path):
        print(f"onehop: wrote {path}", file=sys.stderr)
