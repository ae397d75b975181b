"""`onehop ensemble`."""

import json
import math
import os
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from onehop import _core, launch, output
from onehop._core import FileError, UsageError
from onehop.cli._shared import job, platform
from onehop.cli._shared.option import Options
from onehop.cli._shared.plot import plot_correlators
from onehop.cli._shared.record import deliver
from onehop.cli.ensemble import NOT_SHARED
from onehop.cli.solve import COMMAND as SOLVE
from onehop.cli.solve.request import Request, request_of
from onehop.cli.solve.run import solve_on_rank
from onehop.cli.solve.table import mesons_at_rest
from onehop.counted import by_x, counted
from onehop.ensemble import average_records
from onehop.estimate_display import with_error
from onehop.gauge import inspect_gauge
from onehop.record import finite, new_record, write_record
from onehop.text_table import aligned

# These options change how a solve is done and not what it finds, or not beyond the tolerance.
_FREE = (
    *("grid", "ranks", "transport", "threads", "device", "share_device", "memory"),
    *("platform_set", "overlap", "rhs", "max_iter", "verbose"),
)
_SHARED = tuple(param.name for param in SOLVE.params if param.name not in NOT_SHARED)
_SAME = tuple(name for name in _SHARED if name not in _FREE)
# What is read of every record.
_READ = {"converged", "iterations", "residual_true", "plaquette", "correlator"}


def run(options: Options, arguments: Sequence[str]) -> int:
    """Runs the command; whatever can be refused is refused here, before any rank starts."""
    if len(options.config) // options.bin < 2:
        raise UsageError(
            f"{counted(len(options.config), 'configuration')} in bins of {options.bin}: an error "
            "needs two bins; give more configurations or a smaller --bin"
        )
    names = [str(place) for place in _places(options)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"two configurations would have the record {twice}; rename one of them")
    for config, name in zip(options.config, names, strict=True):
        files = {"--json": options.json, "--hdf5": options.hdf5, "--plot": options.plot}
        output.check_distinct([], {f"the record of {config}": name, **files})
    lattices = [list(inspect_gauge(config).lattice) for config in options.config]
    for config, lattice in zip(options.config, lattices, strict=True):
        if lattice != lattices[0]:
            raise UsageError(
                f"{config} has lattice {by_x(lattice)}, {options.config[0]} {by_x(lattices[0])}; "
                "an ensemble has one lattice"
            )
    one = _of_one(options, options.config[0])
    request = request_of(one)
    machine = platform.machine_of(one, computes=True)
    for name in _SHARED:
        setattr(options, name, getattr(one, name))
    for config in options.config:
        _found(_of_one(options, config), _place(options, config))
    if not Path(options.to).is_dir():
        _make_folder(Path(options.to))
    for name in (*names, options.json, options.hdf5, options.plot):
        output.check_writable(name)
    try:
        on_rank = partial(_solve_all_on_rank, request=request)
        return job.run_job(arguments, options, on_rank, machine=machine)
    finally:
        # The launcher cleans up; a rank of its own would take away what the others are writing.
        if launch.rank_and_size() is None:
            output.remove_partial(names[0])


def _of_one(options: Options, config: str) -> Options:
    """Returns the options of `onehop solve` for one configuration."""
    usual = {name: None for name in NOT_SHARED}
    shared = {name: getattr(options, name) for name in _SHARED}
    return Options(**usual | shared | {"config": config})


def _place(options: Options, config: str) -> Path:
    return Path(options.to, f"{Path(config).name}.json")


def _places(options: Options) -> list[Path]:
    return [_place(options, config) for config in options.config]


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot make folder {folder}: {error.strerror}") from None


def _found(one: Options, place: Path) -> dict | None:
    """Returns the record of an earlier run, unless it must be made again; raises UsageError if
    it is of another configuration, or was made with other options."""
    try:
        text = place.read_text()
        # A machine that failed may leave a file of which nothing has come to the disk.
        if not text:
            return None
        record = json.loads(text)
        command = record["command"]
        earlier, passed = record["options"], record["check"]["passed"]
        was, header = earlier["config"], record.get("plaquette_header")
        # Another version has other options.
        is_other = record["version"] != _core.__version__
        lacks = [name for name in _SAME if is_other and name not in earlier]
        differences = [
            name for name in _SAME if name not in lacks and earlier[name] != getattr(one, name)
        ]
        if command == "solve" and not record.keys() >= _READ:
            raise KeyError(*_READ - record.keys())
        if command == "solve" and not (
            isinstance(was, str | None) and isinstance(header, float | None)
        ):
            raise TypeError("a name or a plaquette of another type")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FileError(f"cannot read {place}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise FileError(f"{place} is not a record of onehop solve; give another --to") from None
    if command != "solve":
        raise FileError(f"{place} is a record of {command}, not of solve; give another --to")
    _check_is_of(one.config, place, was, header)
    if lacks:
        raise UsageError(
            f"{place} was made by onehop {record['version']}, which had no {lacks[0]}; give "
            "another --to"
        )
    if differences:
        name = differences[0]
        raise UsageError(
            f"{place} was made with {name} {earlier[name]}, now it is {getattr(one, name)}; give "
            "another --to"
        )
    return record if passed else None


def _check_is_of(config: str, place: Path, was: str | None, header: float | None) -> None:
    """Raises UsageError if the record is of another configuration than this one.

    The plaquettes of the two headers decide, since a file may have been moved, or replaced by
    another; without plaquettes the name decides.
    """
    plaquette = finite(inspect_gauge(config).plaquette)
    if header is not None and plaquette is not None:
        if header != plaquette:
            raise UsageError(
                f"{place} is of {was} with plaquette {header:.12g} in its header, {config} has "
                f"{plaquette:.12g}; give another --to"
            )
    elif was is None or os.path.realpath(was) != os.path.realpath(config):
        raise UsageError(f"{place} is of {was or 'no file'}, not of {config}; give another --to")


def _solve_all_on_rank(context: _core.Context, request: Request, options: Options) -> int:
    started = time.monotonic()
    records, resumed = {}, []
    for config in options.config:
        one = _of_one(options, config)
        # Rank 0 looks for all: others could see the record that it has just written.
        record = _found(one, _place(options, config)) if context.rank == 0 else None
        if _core.broadcast_text(context, "found" if record else "missing") == "missing":
            record = solve_on_rank(context, replace(request, options=one))
            if record is not None:
                write_record(record, str(_place(options, config)))
        else:
            resumed.append(config)
        records[config] = record
    if context.rank != 0:
        return 0
    record = _record(options, records, resumed)
    record["timing"] = {"total_s": time.monotonic() - started}
    draw = plot_correlators if "correlator" in record or "baryons" in record else None
    return deliver(record, options, _show, draw)


def _record(options: Options, records: dict[str, dict], resumed: list[str]) -> dict:
    record = new_record("ensemble", vars(options) | {"config": list(options.config)})
    record["samples"] = [
        {
            "config": config,
            "resumed": config in resumed,
            "converged": one["converged"],
            "iterations": one["iterations"],
            "residual_true": one["residual_true"],
            "plaquette": one["plaquette"],
        }
        for config, one in records.items()
    ]
    good = [one for one in records.values() if one["check"]["passed"]]
    record["configurations"] = len(good)
    bad = [config for config, one in records.items() if not one["check"]["passed"]]
    if len(good) // options.bin >= 2:
        record |= average_records(good, bin=options.bin)
    why = f"all {len(good)} configurations converged, {len(resumed)} of them earlier"
    if bad:
        first = records[bad[0]]["check"]["why"]
        why = f"{len(bad)} of {len(records)} configurations failed; {bad[0]}: {first}"
    record["check"] = {"passed": not bad, "why": why}
    return record


def _show(record: dict) -> None:
    options = record["options"]
    first, last = options["config"][0], options["config"][-1]
    print(
        aligned(
            [
                ("configurations", f"{record['configurations']}, {first} to {last}"),
                ("errors", f"jackknife of bins of {options['bin']}"),
                *(
                    [("plaquette", _with_error(record["plaquette"], ".10f"))]
                    if "plaquette" in record
                    else []
                ),
            ]
        ),
        end="\n\n",
    )
    if record.get("correlator"):
        print("pseudoscalar\n")
        print(aligned(_rows(record["correlator"], record["effective_mass"]), _HEADS, left=0))
        print()
    for baryon in record.get("baryons", ()):
        if not any(baryon["momentum"]) and baryon["parity"] == 1:
            print(f"{baryon['baryon']}\n")
            print(aligned(_rows(baryon["correlator"], baryon["effective_mass"]), _HEADS, left=0))
            print()
    if record.get("mesons"):
        print(mesons_at_rest(record["mesons"], _mass), end="\n\n")
    check = record["check"]
    print(f"{'passed' if check['passed'] else 'FAILED'}: {check['why']}")


_HEADS = ("t", "correlator", "error", "effective mass", "error")


def _rows(correlator: dict, mass: dict) -> list[tuple]:
    columns = (correlator["value"], correlator["error"], mass["value"], mass["error"])
    return [
        (t, f"{c:.8e}", _or_dash(dc, ".1e"), _or_dash(m, ".6f"), _or_dash(dm, ".6f"))
        for t, (c, dc, m, dm) in enumerate(zip(*columns, strict=True))
    ]


def _mass(meson: dict, t: int) -> str:
    mass, error = (meson["effective_mass"][name][t] for name in ("value", "error"))
    return "-" if mass is None else with_error(mass, math.nan if error is None else error)


def _or_dash(number: float | None, form: str) -> str:
    return "-" if number is None or not math.isfinite(number) else format(number, form)


def _with_error(found: dict, form: str) -> str:
    return f"{found['value']:{form}} +- {found['error']:{form}}"
