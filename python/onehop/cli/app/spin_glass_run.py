"""`onehop app spin-glass`."""

from __future__ import annotations

import contextlib
import math
import time
from typing import TYPE_CHECKING

import numpy as np

from onehop import _apps, _core, output
from onehop._core import UsageError
from onehop.cli._shared import job, virtual_reading
from onehop.cli._shared.progress import Progress
from onehop.cli._shared.record import deliver
from onehop.cli.app import ranks_together, spin_glass_tempering
from onehop.cli.app.averages import function_and_error, mean_and_error
from onehop.cli.app.start import start
from onehop.counted import counted
from onehop.record import new_record, virtual_part
from onehop.text_table import aligned

if TYPE_CHECKING:
    import types
    from collections.abc import Sequence

# The energy per spin may change by this in 1000 over-relaxations of all spins, or in fewer.
_MOST_DRIFT = {"single": 1e-6, "double": 1e-12}
_BYTES = {"single": 4, "double": 8}


def run(options: types.SimpleNamespace, arguments: Sequence[str]) -> int:
    """Everything that can be refused is refused here, before any rank starts."""
    spin_glass_tempering.settle(options)
    chooses = options.grid is None
    job.settle_grid(options, options.lattice)
    if chooses and options.lattice[0] // options.grid[0] % 2:
        pairs = [options.lattice[0] // 2, *options.lattice[1:], 1]
        # Where none has even blocks, the grid that was chosen is refused below.
        with contextlib.suppress(UsageError):
            options.grid = list(_core.choose_grid(pairs, options.ranks))[:3]
    if options.lattice[0] // options.grid[0] % 2:
        by = "x".join(map(str, options.grid))
        raise UsageError(
            f"grid {by} leaves blocks of {options.lattice[0] // options.grid[0]} in x, and an even "
            "number is needed; choose another --grid or another number of --ranks"
        )
    if options.thermalise is None:
        options.thermalise = options.sweeps // 5
    if options.thermalise >= options.sweeps:
        raise UsageError(
            f"--thermalise {options.thermalise} leaves nothing of --sweeps {options.sweeps}"
        )
    _check_memory(options)
    return start(arguments, options, _run_on_rank)


def _check_memory(options: types.SimpleNamespace) -> None:
    """A site has three couplings, and three components of the spin of each replica."""
    numbers = 3 * (1 + options.replicas) * math.prod(options.lattice)
    needed = _BYTES[options.prec] * numbers
    there_is = _core.inspect_machine().memory_bytes
    if needed > there_is:
        raise UsageError(
            f"--lattice {'x'.join(map(str, options.lattice))} with --replicas {options.replicas} "
            f"takes about {needed / 2**30:.3g} GiB, and this machine has "
            f"{there_is / 2**30:.3g} GiB; choose a smaller one"
        )


def _run_on_rank(context: _core.Context, options: types.SimpleNamespace) -> int:
    started = time.monotonic()
    first = context.rank == 0
    glass = _apps.make_spin_glass(
        context,
        options.lattice,
        options.grid,
        options.disorder,
        options.seed,
        options.replicas,
        options.prec == "single",
        options.overlap == "bulk",
    )
    tempering = _apps.Tempering(options.betas, options.seed) if options.betas else None
    samples = []
    with Progress(
        "spin-glass", options.sweeps, verbose=options.verbose, show=first, often=True
    ) as progress:
        for sweep in range(options.sweeps):
            samples.append(_sweep(glass, tempering, sweep, options))
            found = f"energy per spin {samples[-1]['energy_per_spin'][0]:.6f}"
            progress.update(sweep + 1, f"sweep {sweep + 1}/{options.sweeps}, {found}")
    timing = _timing(context, glass, time.monotonic() - started)
    if not first:
        return 0
    record = _record(context, glass, tempering, options, samples, timing)
    virtual_reading.tell(record, options)
    status = deliver(record, options, _show)
    if options.plot:
        from onehop.cli._shared.plot import plot_series

        with output.complete_or_absent(options.plot) as temporary:
            plot_series(record, temporary)
    return status


def _sweep(
    glass: _apps.SpinGlass,
    tempering: _apps.Tempering | None,
    sweep: int,
    options: types.SimpleNamespace,
) -> dict:
    """Returns energies by replica or, with tempering, by beta, and the place of each replica among
    the betas; by replica what over-relaxation has changed of them; overlaps by pair. Collective."""
    betas = tempering.betas_of_replicas if tempering else [options.beta] * options.replicas
    energies = glass.sweep(betas, options.overrelax)
    spins = math.prod(options.lattice)
    totals = [e.after_overrelaxation for e in energies]
    found = {
        "sweep": sweep + 1,
        "energy_per_spin": [total / spins for total in totals],
        "drift": [(e.after_overrelaxation - e.after_heatbath) / spins for e in energies],
    }
    if tempering is None:
        overlaps = [[o.zero, o.smallest] for o in glass.susceptibilities()]
        return {**found, "susceptibility": overlaps} if overlaps else found
    found["place"] = places = tempering.places
    found["energy_per_spin"] = spin_glass_tempering.by_place(found["energy_per_spin"], places)
    if options.exchange_every and (sweep + 1) % options.exchange_every == 0:
        tempering.exchange(totals)
    return found


def _overlap(samples: list[dict], lattice: Sequence[int]) -> dict:
    """Returns the square of the overlap of two replicas and, for a cube, correlation length over
    extent."""
    if "susceptibility" not in samples[0]:
        return {}
    series = np.array([np.mean(sample["susceptibility"], axis=0) for sample in samples])
    found = {"overlap_square": mean_and_error(series[:, 0] / math.prod(lattice))}
    if len(set(lattice)) == 1:
        extent = lattice[0]

        def length(means: np.ndarray) -> float:
            rise = max(0.0, means[0] / means[1] - 1)
            return math.sqrt(rise) / (2 * math.sin(math.pi / extent)) / extent

        found["correlation_length_over_extent"] = function_and_error(series, length)
    return found


def _timing(context: _core.Context, glass: _apps.SpinGlass, total_s: float) -> dict:
    """Returns the seconds of the slowest rank; all but the total are of the virtual machine, where
    there is one. Collective."""
    names = ("heatbath_s", "overrelaxation_s", "halo_s", "energies_s")
    return {"total_s": total_s, **ranks_together.slowest(context, glass.times, names)}


def _record(
    context: _core.Context,
    glass: _apps.SpinGlass,
    tempering: _apps.Tempering | None,
    options: types.SimpleNamespace,
    samples: list[dict],
    timing: dict,
) -> dict:
    record = new_record("app", options)
    record["app"] = "spin-glass"
    record["ranks"], record["transport"] = context.size, context.transport
    record["kernels"] = glass.kernels
    record["samples"] = samples
    measured = samples[options.thermalise :]
    energies = np.array([s["energy_per_spin"] for s in measured])
    drift = float(np.abs(np.sum([s["drift"] for s in samples], axis=0)).max())
    relaxed = timing["overrelaxation_s"] / glass.updates if glass.updates else None
    record["result"] = {
        "energy_per_spin": None if tempering else mean_and_error(energies.mean(axis=1)),
        "ns_per_spin_update": None if relaxed is None else relaxed * 1e9,
        "ns_of_halo_per_spin_update": None
        if relaxed is None
        else timing["halo_s"] / glass.updates * 1e9,
        "drift": drift,
        **_overlap(measured, options.lattice),
    }
    if tempering:
        record["result"]["tempering"] = spin_glass_tempering.result(options, tempering, measured)
    limit = _MOST_DRIFT[options.prec] * max(1.0, options.sweeps * options.overrelax / 1000)
    passed = drift < limit
    record["check"] = {
        "passed": passed,
        "what": "change of the energy per spin by all over-relaxations",
        "value": drift,
        "limit": limit,
        "why": f"over-relaxation changed the energy per spin by {drift:.1e}, "
        f"{'below' if passed else 'not below'} {limit:.1e}",
    }
    record["timing"] = timing
    record.update(virtual_part(context))
    return record


def _overlap_rows(result: dict) -> list[tuple[str, str]]:
    rows = []
    for key, name in (
        ("overlap_square", "overlap squared"),
        ("correlation_length_over_extent", "xi / L"),
    ):
        if key in result:
            found = result[key]
            error = "" if found["error"] is None else f" +- {found['error']:.1g}"
            rows.append((name, f"{found['mean']:.4g}{error}"))
    return rows


def _temperatures(options: dict) -> str:
    if options["betas"] is None:
        return f"beta {options['beta']:g}"
    return f"betas {options['betas'][0]:g} to {options['betas'][-1]:g}"


def _energy_rows(result: dict) -> list[tuple[str, str]]:
    if "tempering" in result:
        return spin_glass_tempering.rows(result["tempering"])
    energy = result["energy_per_spin"]
    error = "" if energy["error"] is None else f" +- {energy['error']:.1e}"
    return [("energy per spin", f"{energy['mean']:.8f}{error}")]


def _show(record: dict) -> None:
    options, result, timing = record["options"], record["result"], record["timing"]
    size, grid = ("x".join(map(str, options[name])) for name in ("lattice", "grid"))
    pace = result["ns_per_spin_update"]
    rows = [
        (
            "lattice",
            f"{size} on grid {grid}, {counted(record['ranks'], 'rank')}, {record['transport']}",
        ),
        ("couplings", f"{options['disorder']}, seed {options['seed']}"),
        (
            "sweeps",
            f"{options['sweeps']} at {_temperatures(options)}, each with {options['overrelax']} "
            f"over-relaxations, {options['replicas']} replica{'s'[: options['replicas'] > 1]}",
        ),
        ("kernels", f"{record['kernels']}, {options['prec']} precision"),
        *_energy_rows(result),
        *_overlap_rows(result),
        ("spin update", "-" if pace is None else f"{pace:.3f} ns, of all ranks together"),
        (
            "time",
            f"heatbath {timing['heatbath_s']:.3g} s, over-relaxation "
            f"{timing['overrelaxation_s']:.3g} s, of it halo {timing['halo_s']:.3g} s",
        ),
    ]
    print(aligned(rows))
    check = record["check"]
    print(f"{'kept' if check['passed'] else 'NOT KEPT'}: {check['why']}")
