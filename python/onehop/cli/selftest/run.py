"""`onehop selftest` checks whether the installed package works on this machine."""

import json
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from onehop import _core, collectives, launch, put_chain, rma
from onehop._core import Error, UsageError
from onehop.baryons import baryon_correlators
from onehop.cli._shared.option import Options
from onehop.cli._shared.record import deliver
from onehop.counted import counted
from onehop.free_field import (
    free_baryon_correlators,
    free_staggered_correlator,
    free_wilson_correlator,
)
from onehop.gauge import cold_gauge, hot_gauge, read_gauge
from onehop.propagator import solve
from onehop.record import new_record

_SIZES = (1, 2, 4)
_LATTICE = (4, 4, 4, 8)
# The command has given this folder to its ranks, for the files that they write.
_FOLDER, _RESULT = "ONEHOP_SELFTEST", "result.json"


def run(options: Options, arguments: Sequence[str]) -> int:
    if _FOLDER in os.environ:
        return _run_on_rank(Path(os.environ[_FOLDER]))
    if launch.rank_and_size() is not None:
        raise UsageError("selftest starts ranks of its own; start it by itself, without a launcher")
    started = time.monotonic()
    record = new_record("selftest", options)
    sizes = _SIZES if options.ranks is None else (options.ranks,)
    quiet = options.json == "-"
    found = {size: _run_ranks(size, quiet, record["samples"]) for size in sizes}
    _show(_same_on_all(found), quiet, record["samples"])
    passed = all(sample["passed"] for sample in record["samples"])
    record["check"] = {"passed": passed, "why": "every line" if passed else "see samples"}
    record["timing"] = {"total_s": time.monotonic() - started}
    return deliver(record, options)


def _run_ranks(size: int, quiet: bool, samples: list[dict]) -> dict:
    """Runs the checks on `size` ranks; returns what must be the same for every size."""
    with tempfile.TemporaryDirectory(prefix="onehop-selftest-") as folder:
        command = launch.this_command(["selftest", "--ranks", str(size)])
        outcome = launch.run_ranks(command, size, variables={_FOLDER: folder})
        outcome.raise_interruption()
        if outcome.cause is not None:
            raise Error(f"selftest on {counted(size, 'rank')}: {outcome.cause.message}")
        result = json.loads(Path(folder, _RESULT).read_text())
    for sample in result["samples"]:
        _show(sample | {"ranks": size}, quiet, samples)
    return result["numbers"]


def _show(sample: dict, quiet: bool, samples: list[dict]) -> None:
    samples.append(sample)
    if not quiet:
        verdict = "ok    " if sample["passed"] else "WRONG "
        ranks = counted(sample["ranks"], "rank") if sample["ranks"] else "all sizes"
        print(f"{verdict} {ranks:10} {sample['name']}: {sample['why']}", flush=True)


def _same_on_all(found: dict[int, dict]) -> dict:
    worst = 0.0
    for numbers in found.values():
        for name, values in next(iter(found.values())).items():
            a, b = np.array(values), np.array(numbers[name])
            worst = max(worst, float(np.max(np.abs(a - b) / np.abs(a))))
    why = f"plaquette and correlators differ by at most {worst:.1e} between sizes (limit 1e-9)"
    return {"name": "decomposition", "passed": worst < 1e-9, "why": why, "ranks": None}


def _run_on_rank(folder: Path) -> int:
    context = _core.join("auto")
    numbers: dict[str, list[float]] = {}
    try:
        samples = [
            _check_chain(context),
            _check_free_wilson(context),
            _check_free_baryons(context),
            _check_free_staggered(context),
            _check_solvers(context, numbers),
            _check_files(context, folder),
        ]
    except Error as error:
        context.abandon(str(error))
        raise
    if context.rank == 0:
        (folder / _RESULT).write_text(json.dumps({"samples": samples, "numbers": numbers}))
    return 0


def _sample(name: str, passed: bool, why: str) -> dict:
    return {"name": name, "passed": bool(passed), "why": why}


def _check_chain(context: _core.Context) -> dict:
    """Every rank repeatedly puts a counted pattern to its right neighbour."""
    rank, size, rounds, length = context.rank, context.size, 200, 1024
    window = rma.Window(context, length, np.int64)
    chain = put_chain.PutChain(context, window)
    outgoing = np.empty(length, np.int64)
    chain.push(outgoing, (rank + 1) % size, 0)
    left = (rank - 1) % size
    arrival = chain.add_origin(left)
    chain.commit()
    wrong = 0
    for number in range(rounds):
        outgoing[:] = np.arange(length) + 1000003 * number + 7919 * rank
        chain.start()
        chain.wait()
        expected = np.arange(length) + 1000003 * number + 7919 * left
        wrong += int(not np.array_equal(chain.arrived(arrival), expected))
    wrong = int(collectives.allreduce_sum(context, [wrong])[0])
    return _sample("put chain", wrong == 0, f"{wrong} of {rounds * size} arrivals wrong")


def _check_free_wilson(context: _core.Context) -> dict:
    found = solve(cold_gauge(_LATTICE, context=context), mass=0.2, tol=1e-12).correlator
    return _against("free wilson correlator", found, free_wilson_correlator(_LATTICE, 0.2))


def _check_free_baryons(context: _core.Context) -> dict:
    gauge = cold_gauge(_LATTICE, context=context)
    quark = solve(gauge, mass=0.2, source=(1, 2, 3, 5), tol=1e-12)
    found = baryon_correlators(gauge, quark).correlators[:, :, 0]
    expected = free_baryon_correlators(_LATTICE, 0.2)
    # The imaginary parts vanish, and so does what the other parity has at the source.
    scale = np.abs(expected.real) + 1e-9 * np.abs(expected).max()
    worst = float((np.abs(found - expected) / scale).max())
    why = f"proton and Delta differ from the momentum sum by at most {worst:.1e} (limit 1e-9)"
    return _sample("free baryons", worst < 1e-9, why)


def _check_free_staggered(context: _core.Context) -> dict:
    gauge = cold_gauge(_LATTICE, context=context)
    found = solve(gauge, dslash="staggered", mass=0.3, tol=1e-12).correlator
    return _against("free staggered correlator", found, free_staggered_correlator(_LATTICE, 0.3))


def _against(name: str, found: np.ndarray, expected: np.ndarray) -> dict:
    # Free staggered quarks have time slices that are exactly zero.
    worst = float(np.max(np.abs(found - expected) / (expected + 1e-12 * expected[0])))
    why = f"differs from the momentum sum by at most {worst:.1e} (limit 1e-9)"
    return _sample(name, worst < 1e-9, why)


def _check_solvers(context: _core.Context, numbers: dict) -> dict:
    gauge = hot_gauge(_LATTICE, 5, context=context)
    for sweep in range(2):
        _core.heatbath_sweep(gauge.field, 6.0, 5, 1, sweep)
    numbers["plaquette"] = [gauge.plaquette]
    by_solver = [solve(gauge, mass=0.5, tol=1e-12, solver=s) for s in ("cg", "bicgstab")]
    numbers["correlator"] = by_solver[0].correlator.tolist()
    worst = float(np.max(np.abs(by_solver[0].correlator / by_solver[1].correlator - 1)))
    why = f"cg and bicgstab differ by at most {worst:.1e} (limit 1e-9), residuals checked"
    return _sample("solvers", worst < 1e-9 and all(r.converged for r in by_solver), why)


def _check_files(context: _core.Context, folder: Path) -> dict:
    gauge = hot_gauge(_LATTICE, 6, context=context)
    wrong = 0
    for form in ("nersc", "ildg"):
        name = folder / f"gauge.{form}"
        gauge.write(name, form)
        again = read_gauge(name, context=context)
        wrong += int(not np.array_equal(gauge.links, again.links))
    wrong = int(collectives.allreduce_sum(context, [wrong])[0])
    why = f"NERSC and ILDG, written and read: {wrong} blocks changed"
    return _sample("files", wrong == 0, why)
