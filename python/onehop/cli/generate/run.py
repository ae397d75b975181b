"""`onehop generate` makes pure-gauge SU(3) configurations."""

import json
import math
import time
from collections.abc import Sequence
from pathlib import Path

from onehop import _core, launch, output
from onehop._core import FileError, UsageError
from onehop.cli._shared import job, rank_grid
from onehop.cli._shared.option import Options
from onehop.cli._shared.progress import Progress
from onehop.cli._shared.record import deliver
from onehop.counted import by_x, counted
from onehop.gauge import Gauge, cold_gauge, hot_gauge, inspect_gauge, read_gauge
from onehop.lattice_files.formats import links_format
from onehop.record import new_record, write_record
from onehop.text_table import aligned

# An earlier run must have these in common with the one that continues it.
_SAME = ("lattice", "beta", "seed", "overrelaxation", "start")


def run(options: Options, arguments: Sequence[str]) -> int:
    options.format = options.format or links_format(options.output, precision_bits=64)
    rank_grid.choose_grid(options, options.lattice)
    history = history_name(options)
    files = {"--output": options.output, "the history": history, "--json": options.json}
    output.check_distinct([], files)
    output.check_writable(history)
    if getattr(options, "continue"):
        _check_history(options)
    _check_force(options)
    try:
        return job.run_job(arguments, options, _generate_on_rank, staged=options.output)
    finally:
        if launch.rank_and_size() is None:
            output.remove_partial(history)


def history_name(options: Options) -> str:
    """Returns the name of the record beside the configuration."""
    return options.output + ".json"


def _check_force(options: Options) -> None:
    """Refuses to replace files that may have taken days, unless --force is given, or this run
    makes the same links again and continues from there."""
    if getattr(options, "continue"):
        if options.force:
            raise UsageError("--continue and --force both given; give one of them")
        return
    if options.force or _is_made_again(options):
        return
    for name in (options.output, history_name(options)):
        output.check_unused(name, "--continue to go on from it, or --force to replace it")


def _is_made_again(options: Options) -> bool:
    """Returns whether the files are of the same simulation, after no more sweeps than this run
    makes."""
    try:
        history = json.loads(Path(history_name(options)).read_text())
        is_same = all(history["options"][key] == getattr(options, key) for key in _SAME)
        return is_same and len(_samples_of(history)) <= options.sweeps
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return False


def _check_history(options: Options) -> dict:
    """Reads the earlier record, and refuses it if it belongs to another simulation."""
    name = history_name(options)
    try:
        history = json.loads(Path(name).read_text())
        earlier = history["options"]
        done = len(_samples_of(history))
        differences = [k for k in _SAME if earlier[k] != getattr(options, k)]
    except OSError as error:
        raise FileError(
            f"cannot continue: {name}: {error.strerror}; leave --continue out to begin a run"
        ) from None
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        raise FileError(f"cannot continue: {name} is not a record of onehop generate") from None
    if differences:
        key = differences[0]
        raise UsageError(
            f"cannot continue: {name} was made with {key} {earlier[key]}, now it is "
            f"{getattr(options, key)}"
        )
    if done > options.sweeps:
        raise UsageError(
            f"cannot continue: {counted(done, 'sweep')} done already, --sweeps is "
            f"{options.sweeps}; give as many --sweeps as there are to be in total"
        )
    inspect_gauge(options.output)
    return history


def _samples_of(history: dict) -> list[dict]:
    """Returns what each sweep has measured; raises ValueError, KeyError or TypeError if they are
    not those of all sweeps in order."""
    samples = history["samples"]
    sweeps = [sample["sweep"] for sample in samples]
    if not isinstance(samples, list) or sweeps != [*range(1, len(samples) + 1)]:
        raise ValueError("sweeps are missing")
    if not all(isinstance(s["plaquette"], float) for s in samples):
        raise TypeError("a plaquette is not a number")
    if not all(math.isfinite(value) for sample in samples for value in sample.values()):
        raise ValueError("a number is not finite")
    return samples


def _generate_on_rank(context: _core.Context, options: Options) -> int:
    started = time.monotonic()
    gauge, samples = _start(context, options)
    show = context.rank == 0
    with Progress(
        "generate", options.sweeps, verbose=options.verbose, show=show, often=True
    ) as progress:
        for sweep in range(len(samples), options.sweeps):
            gauge.heatbath(
                beta=options.beta,
                seed=options.seed,
                overrelaxation=options.overrelaxation,
                sweep=sweep,
            )
            samples.append(_measure(gauge, sweep))
            found = f"plaquette {samples[-1]['plaquette']:.6f}"
            progress.update(sweep + 1, f"sweep {sweep + 1}/{options.sweeps}, {found}")
            if options.checkpoint and (sweep + 1) % options.checkpoint == 0:
                _write(gauge, options, samples, started)
    _core.check_links(gauge.field)
    _write(gauge, options, samples, started)
    return deliver(_record(gauge, options, samples, started), options, _show) if show else 0


def _start(context: _core.Context, options: Options) -> tuple[Gauge, list[dict]]:
    if getattr(options, "continue"):
        return _resume(context, options)
    if options.start == "cold":
        return cold_gauge(options.lattice, options.grid, context), []
    return hot_gauge(options.lattice, options.seed, options.grid, context), []


def _resume(context: _core.Context, options: Options) -> tuple[Gauge, list[dict]]:
    """Continues a chain. The random numbers of a sweep depend on its number alone, so that the
    chain goes on as if it had not been interrupted."""
    samples = _check_history(options)["samples"]
    gauge = read_gauge(options.output, options.grid, context, lambda line: None)
    done = [s["sweep"] for s in samples if s["plaquette"] == gauge.plaquette]
    if samples and not done:
        raise FileError(
            f"cannot continue: {options.output} has plaquette {gauge.plaquette!r}, but "
            f"{history_name(options)} ends at {samples[-1]['plaquette']!r}; they are not of one run"
        )
    return gauge, samples[: max(done, default=0)]


def _measure(gauge: Gauge, sweep: int) -> dict:
    plaquettes = gauge.plaquettes
    return {
        "sweep": sweep + 1,
        "plaquette": plaquettes.mean,
        "spatial": plaquettes.spatial,
        "temporal": plaquettes.temporal,
    }


def _write(gauge: Gauge, options: Options, samples: list[dict], started: float) -> None:
    """Writes the record first: when nothing more is written, it still holds the sweep of the
    configuration that is there."""
    if gauge.context.rank == 0:
        write_record(_record(gauge, options, samples, started), history_name(options))
    gauge.write(options.output, options.format)


def _record(gauge: Gauge, options: Options, samples: list[dict], started: float) -> dict:
    record = new_record("generate", options)
    record["lattice"] = list(gauge.lattice)
    record["grid"] = list(gauge.grid)
    record["ranks"] = gauge.context.size
    record["transport"] = gauge.context.transport
    record["plaquette"] = samples[-1]["plaquette"] if samples else None
    record["samples"] = samples
    record["check"] = {"passed": True, "why": "the links are finite"}
    record["timing"] = {"total_s": time.monotonic() - started}
    return record


def _show(record: dict) -> None:
    options, samples = record["options"], record["samples"]
    size, grid = (by_x(record[name]) for name in ("lattice", "grid"))
    rows = [
        ("configuration", f"{options['output']} ({options['format']}), beta {options['beta']:g}"),
        ("lattice", f"{size} on grid {grid}, {counted(record['ranks'], 'rank')}"),
        (
            "sweeps",
            f"{len(samples)}, each with {options['overrelaxation']} of overrelaxation, seed "
            f"{options['seed']}",
        ),
        ("time", f"{record['timing']['total_s']:.1f} s"),
    ]
    late = [sample["plaquette"] for sample in samples][len(samples) // 2 :]
    if late:
        mean = sum(late) / len(late)
        rows.insert(3, ("plaquette", f"{late[-1]:.8f}, mean over the second half {mean:.6f}"))
    print(aligned(rows))
