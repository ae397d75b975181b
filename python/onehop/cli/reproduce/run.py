"""`onehop reproduce` compares published figures with those of the models, and says whether they
agree."""

import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from onehop import output, reproduce
from onehop._core import UsageError
from onehop.cli._shared.option import Options
from onehop.cli._shared.progress import Progress
from onehop.cli._shared.record import deliver
from onehop.cli.reproduce.worker import record_of
from onehop.nearest import nearest
from onehop.record import new_record
from onehop.reproduce import (
    Experiment,
    Result,
    calibrate,
    figure,
    history,
    sensitivity,
    session,
    table,
)
from onehop.reproduce.experiment import Target
from onehop.text_table import aligned

_MODES = ("list", "show", "history", "calibrate", "sensitivity")


def run(options: Options, arguments: Sequence[str]) -> int:
    _check(options)
    known = reproduce.experiments()
    wanted = _wanted(options, known)
    if options.list:
        _list(known, wanted)
        return 0
    if options.show:
        return _show([t for e in known for t in e.targets if t.id in wanted])
    if options.sensitivity:
        return _sensitivity(options, known, wanted)
    if options.calibrate:
        _calibrate(options)
    started = time.monotonic()
    results = _results(options, known, wanted)
    missed = [r for r in table.missed(results, "validation") if r.target.weight != "low"]
    names = [result.target.id for result in missed]
    record = new_record("reproduce", options)
    record["results"] = [result.record() for result in results]
    record["scores"] = [vars(score) for score in (*history.scores(), history.now(results))]
    record["check"] = {"passed": not names, "missed": names, "why": table.summary(results)[2:]}
    record["timing"] = {"total_s": time.monotonic() - started}
    show = _tell_history if options.history else _tell
    return deliver(record, options, lambda _: show(results))


def _check(options: Options) -> None:
    modes = [f"--{mode}" for mode in _MODES if getattr(options, mode)]
    if len(modes) > 1:
        raise UsageError(f"{' and '.join(modes)} are different modes; give one of them")
    if options.history and (options.id or options.system):
        raise UsageError("--history compares scores of all figures; leave out the names of some")
    for name in ("max_time", "keep"):
        if getattr(options, name) and not options.sensitivity:
            raise UsageError(f"--{name.replace('_', '-')} is for --sensitivity")
    for mode in ("list", "show", "sensitivity", "history"):
        if getattr(options, mode) and options.plot:
            raise UsageError(
                f"--plot draws what is computed, and --{mode} computes nothing to "
                "draw; leave one out"
            )
    for mode in ("list", "show"):
        if getattr(options, mode) and options.json:
            raise UsageError(f"--{mode} makes no record; leave out --json")


def _wanted(options: Options, known: Sequence[Experiment]) -> set[str]:
    """Returns the ids of the targets that were named."""
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
    wanted = {t.id for t in targets if t.id in chosen and options.system in (None, t.system)}
    if not wanted:
        words = ", ".join(options.id)
        raise UsageError(f"--system {options.system} has none of {words}; give one of the two")
    return wanted


def _list(known: Sequence[Experiment], wanted: set[str]) -> None:
    for experiment in known:
        shown = [target for target in experiment.targets if target.id in wanted]
        if shown:
            print(f"{experiment.name}: {experiment.title}")
        for target in shown:
            print(f"  {target.id:6}{target.kind:13}{target.what}")


def _results(options: Options, known: Sequence[Experiment], wanted: set[str]) -> list[Result]:
    runs = reproduce.Session()
    targets = [t for experiment in known for t in experiment.targets if t.id in wanted]
    runs.begin(command for target in targets for command in target.run.values())
    results = []
    with Progress("figures", len(targets), verbose=options.verbose) as progress:
        for number, target in enumerate(targets):
            progress.update(number, f"{target.id}, {number + 1}/{len(targets)}")
            results.append(reproduce.experiment.compare(target, target.value(runs)))
    for experiment in known if options.plot else ():
        if any(target.id in wanted for target in experiment.targets):
            _plot(experiment, Path(options.plot))
    return results


def _tell(results: Sequence[Result]) -> None:
    print(aligned([table.cells(result) for result in results], table.HEADS))
    for result in results:
        target = result.target
        if target.missing:
            print(f"# {target.id} is not built: {target.missing}")
        for command in target.commands():
            print(f"# {target.id}: {command}")
    print(table.summary(results))
    beside = history.beside(results)
    if beside:
        print(beside)


def _tell_history(results: Sequence[Result]) -> None:
    rows = [score.cells() for score in (*history.scores(), history.now(results))]
    print(aligned(rows, history.HEADS))
    for score in history.scores():
        print(f"# {score.name}: {score.about}")


def _show(targets: Sequence[Target]) -> int:
    """Runs the commands here, in the order in which they stand, with all that they print."""
    is_good = True
    for target in targets:
        print(f"# {target.id}: {target.what}")
        if target.missing:
            print(f"# not built: {target.missing}")
            is_good = False
            continue
        for command in target.commands():
            print(f"$ {command}", flush=True)
            if target.run:
                record_of(shlex.split(command)[1:])
        result = reproduce.experiment.compare(target, target.value(reproduce.Session()))
        _, _, published, ours, unit, error, allowed, verdict = table.cells(result)
        print(f"# {target.ours}")
        print(f"# ours {ours}, published {published} ({unit}), {error}, {allowed}: {verdict}")
        is_good = is_good and verdict in ("ok", "tie")
    return 0 if is_good else 1


def _calibrate(options: Options) -> None:
    with Progress("fits", len(calibrate.FITS), verbose=options.verbose) as progress:
        done = 0

        def report(fit: calibrate.Fit, _: object) -> None:
            nonlocal done
            done += 1
            progress.update(done, f"{', '.join(fit.targets)}, {done}/{len(calibrate.FITS)}")

        fitted = calibrate.fit_all(report)
    calibrate.write(fitted)
    for entry in fitted:
        print(
            f"onehop: {entry.parameter.platform} {entry.parameter.key}"
            f" {entry.before:g} -> {entry.value:g}",
            file=sys.stderr,
        )


def _sensitivity(options: Options, known: Sequence[Experiment], wanted: set[str]) -> int:
    """Prints how figures depend on numbers that no source prints."""
    targets = [t for experiment in known for t in experiment.targets if t.id in wanted]
    if options.keep:
        session.keep(Path(options.keep))
    study = sensitivity.Study(targets, options.max_time)
    with Progress("figures", study.figures, verbose=options.verbose, often=True) as progress:
        study.begin(lambda done, what: progress.update(done, f"{what}, {done}/{study.figures}"))
    with Progress("trials", study.trials, verbose=options.verbose, often=True) as progress:
        found = study.run(
            lambda done, what: progress.update(done, f"{what}, {done}/{study.trials}")
        )
    record = new_record("reproduce", options)
    record["results"] = [entry.record() for entry in found]
    record["trials"] = {"done": study.done, "all": study.trials}
    record["check"] = {"passed": True, "why": "nothing is judged"}
    heads, *rows = sensitivity.table(found)

    def show(_: dict) -> None:
        print(aligned(rows, heads))
        if study.stopped:
            left = f"{study.trials - study.done} of {study.trials}" if study.trials else "all"
            print(f"# stopped by --max-time: {left} trials are left")

    return deliver(record, options, show)


def _plot(experiment: Experiment, folder: Path) -> None:
    path = folder / f"{experiment.name}.svg"
    if figure.draw(experiment, path):
        output.say_written(path)
