"""`onehop app spin-glass`."""

import contextlib
import math
import time
from collections.abc import Sequence

import numpy as np

from onehop import _apps, _core
from onehop._core import UsageError
from onehop.cli._shared import job, rank_grid
from onehop.cli._shared.option import Options
from onehop.cli.app import ranks_together, running, spin_glass_tempering
from onehop.cli.app.averages import function_and_error, mean_and_error
from onehop.cli.app.series_plot import plot_sweeps
from onehop.counted import by_x, counted
from onehop.text_table import aligned

# The energy per spin may change by this in 1000 over-relaxations of all spins, or in fewer.
_MOST_DRIFT = {"single": 1e-6, "double": 1e-12}
_BYTES = {"single": 4, "double": 8}


def run(options: Options, arguments: Sequence[str]) -> int:
    """Runs the command; whatever can be refused is refused here, before any rank starts."""
    spin_glass_tempering.choose_replicas(options)
    chooses = options.grid is None
    rank_grid.choose_grid(options, options.lattice)
    if chooses and options.lattice[0] // options.grid[0] % 2:
        pairs = [options.lattice[0] // 2, *options.lattice[1:], 1]
        # Where none has even blocks, the grid that was chosen is refused below.
        with contextlib.suppress(UsageError):
            options.grid = list(_core.choose_grid(pairs, options.ranks))[:3]
    if options.lattice[0] // options.grid[0] % 2:
        by = by_x(options.grid)
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
    return running.start(arguments, options, _run_on_rank)


def _check_memory(options: Options) -> None:
    """A site has three couplings, and three components of the spin of each replica."""
    numbers = 3 * (1 + options.replicas) * math.prod(options.lattice)
    size = by_x(options.lattice)
    what = f"--lattice {size} with --replicas {options.replicas} takes"
    job.check_memory(_BYTES[options.prec] * numbers, what)


def _run_on_rank(context: _core.Context, options: Options) -> int:
    started = time.monotonic()
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
    with running.progress("spin-glass", context, options, options.sweeps) as progress:
        for sweep in range(options.sweeps):
            samples.append(_sweep(glass, tempering, sweep, options))
            shown = f"energy per spin {samples[-1]['energy_per_spin'][0]:.6f}"
            progress.update(sweep + 1, f"sweep {sweep + 1}/{options.sweeps}, {shown}")
    names = ("heatbath_s", "overrelaxation_s", "halo_s", "energies_s")
    timing = ranks_together.slowest(context, glass.times, names)
    if context.rank != 0:
        return 0
    result = _result(glass, tempering, options, samples, timing)
    limit = _MOST_DRIFT[options.prec] * max(1.0, options.sweeps * options.overrelax / 1000)
    found = {
        "kernels": glass.kernels,
        "samples": samples,
        "result": result,
        "check": _check(result["drift"], limit),
        "timing": timing,
    }
    app, verdicts = "spin-glass", ("kept", "NOT KEPT")
    return running.report(app, context, options, started, found, _table, verdicts, plot_sweeps)


def _sweep(
    glass: _apps.SpinGlass, tempering: _apps.Tempering | None, sweep: int, options: Options
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


def _result(
    glass: _apps.SpinGlass,
    tempering: _apps.Tempering | None,
    options: Options,
    samples: list[dict],
    timing: dict,
) -> dict:
    measured = samples[options.thermalise :]
    energies = np.array([s["energy_per_spin"] for s in measured])
    updates = glass.updates
    result = {
        "energy_per_spin": None if tempering else mean_and_error(energies.mean(axis=1)),
        "ns_per_spin_update": 1e9 * timing["overrelaxation_s"] / updates if updates else None,
        "ns_of_halo_per_spin_update": 1e9 * timing["halo_s"] / updates if updates else None,
        "drift": float(np.abs(np.sum([s["drift"] for s in samples], axis=0)).max()),
        **_overlap(measured, options.lattice),
    }
    if tempering:
        result["tempering"] = spin_glass_tempering.result(options, tempering, measured)
    return result


def _check(drift: float, limit: float) -> dict[str, object]:
    passed = drift < limit
    return {
        "passed": passed,
        "what": "change of the energy per spin by all over-relaxations",
        "value": drift,
        "limit": limit,
        "why": f"over-relaxation changed the energy per spin by {drift:.1e}, "
        f"{'below' if passed else 'not below'} {limit:.1e}",
    }


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


def _table(record: dict) -> str:
    options, result, timing = record["options"], record["result"], record["timing"]
    pace = result["ns_per_spin_update"]
    rows = [
        running.lattice_row(record),
        ("couplings", f"{options['disorder']}, seed {options['seed']}"),
        (
            "sweeps",
            f"{options['sweeps']} at {_temperatures(options)}, each with {options['overrelax']} "
            f"over-relaxations, {counted(options['replicas'], 'replica')}",
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
    return aligned(rows)
