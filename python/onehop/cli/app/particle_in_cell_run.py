"""`onehop app particle-in-cell`."""

import math
import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from onehop import _apps, _bench, _core, collectives, virtual
from onehop._core import UsageError
from onehop.cli._shared import job, rank_grid
from onehop.cli._shared.option import Options
from onehop.cli.app import particle_in_cell_figures as figures
from onehop.cli.app import particle_in_cell_openpmd as openpmd
from onehop.cli.app import particle_in_cell_wake as wakes
from onehop.cli.app import ranks_together, running
from onehop.cli.app.particle_in_cell_plot import plot_plasma
from onehop.counted import by_x
from onehop.text_table import aligned

_PARTICLE_BYTES = 2 * 57 + 72  # twice sorted, and once on the way in
_CELL_BYTES = 100
_THINNEST = 2
# The charge at a point is a sum of 64 bits, and an electron's is 2^47 to 2^48 of its units; a point
# may have eight times the mean density.
_MOST_IN_A_CELL = 2**12
# So many particles at most are drawn.
_MOST_DRAWN = 20000


class _Counts(NamedTuple):
    """These say how many particles went from rank to rank, how often all ranks have pushed one, and
    how often the rank did that has pushed most."""

    migrated: int
    pushes: int
    most_pushes: int


def run(options: Options, arguments: Sequence[str]) -> int:
    """Runs the command; whatever can be refused is refused here, before any rank starts."""
    if options.grid and len(options.grid) != len(options.lattice):
        raise UsageError(
            f"--grid has {len(options.grid)} dimensions and --lattice {len(options.lattice)}; "
            "give as many"
        )
    if min(options.lattice) < _THINNEST:
        raise UsageError("--lattice needs two cells or more in each dimension")
    rank_grid.choose_grid(options, options.lattice, _THINNEST, even=False)
    _check_own(options)
    figures.fill_in_defaults(options)
    if options.setup == "wakefield":
        wakes.geometry(options, figures.time_step(options))
    if options.setup != "gyration" and options.particles > _MOST_IN_A_CELL:
        raise UsageError(
            f"--particles {options.particles} is more than a cell has room for: an electron has "
            f"2^47 to 2^48 units of charge, which are counted in 64 bits; give {_MOST_IN_A_CELL} "
            "or fewer"
        )
    if options.setup == "two-stream" and options.particles % 2:
        raise UsageError("--particles must be even for two beams")
    needed = _CELL_BYTES * _cells(options) + _PARTICLE_BYTES * _particles(options)
    what = f"--lattice {by_x(options.lattice)} with these particles takes"
    job.check_memory(needed, what)
    return running.start(arguments, options, _run_on_rank)


def _check_own(options: Options) -> None:
    """Refuses options of electrons and of a laser where there are none."""
    for name in ("particles", "velocity", "order", "pusher"):
        if options.setup == "vacuum-wave" and getattr(options, name) is not None:
            raise UsageError(f"--{name} is for electrons; --setup vacuum-wave has none")
    for name in ("frequency", "waist", "duration"):
        if options.setup != "wakefield" and getattr(options, name) is not None:
            raise UsageError(f"--{name} is for a laser, which only --setup wakefield has")


def _cells(options: Options) -> int:
    return math.prod(options.lattice)


def _particles(options: Options) -> int:
    if options.setup == "vacuum-wave":
        return 0
    return options.particles * (1 if options.setup == "gyration" else _cells(options))


def _run_on_rank(context: _core.Context, options: Options) -> int:
    started = time.monotonic()
    plasma = _apps.make_plasma(
        context,
        options.lattice,
        options.grid,
        options.setup,
        options.cell,
        options.velocity,
        options.particles,
        options.order,
        options.seed,
        options.pusher,
        options.courant,
        wakes.pulse(options),
    )
    samples, track = _samples(context, plasma, options)
    timing, counts = _timing(context, plasma)
    timing |= _particle_rate(context, plasma, timing, counts)
    fields = None
    if options.fields or options.plot or options.setup == "wakefield":
        fields = ranks_together.whole(context, plasma.fields(), options.lattice, options.grid)
    particles = _all_particles(context, plasma) if options.fields else None
    drawn = track
    if options.plot and options.setup == "two-stream":
        drawn = _tracked(context, plasma, min(_particles(options), _MOST_DRAWN))
    if context.rank != 0:
        return 0
    result = _result(context, plasma, options, samples, timing, counts)
    result |= figures.setup_result(options, samples, track)
    if options.setup == "wakefield":
        result |= wakes.result(options, plasma.dt, plasma.window_moved, fields)
    found = {
        "kernels": plasma.kernels,
        "samples": samples,
        "result": result,
        "check": figures.check(options, result),
        "timing": timing,
    }

    def draw(record: dict, name: str) -> None:
        plot_plasma(record, fields, drawn, name)

    app, verdicts = "particle-in-cell", ("right", "NOT RIGHT")
    status = running.report(app, context, options, started, found, _table, verdicts, draw)
    if options.fields:
        openpmd.write(options, plasma.dt, fields, particles, plasma.window_moved)
    return status


def _samples(
    context: _core.Context, plasma: _apps.Plasma, options: Options
) -> tuple[list[dict], np.ndarray | None]:
    """Returns the sums at the beginning and, evenly spaced, until the end; for gyration also the
    particles (samples, particles, 7) at these times."""
    found, track = [_sample(0, plasma.sums())], []
    interval = figures.sample_interval(options)
    follows = options.setup == "gyration"
    if follows:
        track.append(_tracked(context, plasma, options.particles))
    with running.progress("particle-in-cell", context, options, options.steps) as progress:
        while found[-1]["step"] < options.steps:
            step = min(options.steps, found[-1]["step"] + interval)
            plasma.advance(step - found[-1]["step"])
            found.append(_sample(step, plasma.sums()))
            if follows and step % interval == 0:
                track.append(_tracked(context, plasma, options.particles))
            energy = f"energy of E {found[-1]['electric_energy']:.6e}"
            progress.update(step, f"step {step}/{options.steps}, {energy}")
    return found, np.array(track) if follows else None


def _sample(step: int, sums: _apps.PlasmaSums) -> dict:
    return {
        "step": step,
        "electric_energy": sums.electric_energy,
        "magnetic_energy": sums.magnetic_energy,
        "kinetic_energy": sums.kinetic_energy,
        "momentum": list(sums.momentum),
        "amplitude": sums.amplitude,
        "gauss_residual": sums.gauss,
        "magnetic_residual": sums.gauss_magnetic,
        "particles": round(sums.particles),
        "particles_made": round(sums.made),
        "particles_removed": round(sums.removed),
    }


def _tracked(context: _core.Context, plasma: _apps.Plasma, ids: int) -> np.ndarray:
    """Returns the particles with ids below this number, in their order, (ids, 7), on every rank.
    Collective."""
    found = np.zeros((ids, 7))
    mine = plasma.particles(float(ids)).reshape(-1, 7)
    found[mine[:, 6].astype(int)] = mine
    flat = found.reshape(-1)
    _core.allreduce_sum(context, flat)
    return flat.reshape(ids, 7)


def _all_particles(context: _core.Context, plasma: _apps.Plasma) -> np.ndarray | None:
    """Returns all particles on rank 0, (n, 7), in no order, and None elsewhere. Collective."""
    mine = plasma.particles(math.inf)
    came = collectives.sparse_exchange(context, [0], [mine], np.float64)
    return np.concatenate([rows for _, rows in came]).reshape(-1, 7) if came else None


def _timing(context: _core.Context, plasma: _apps.Plasma) -> tuple[dict, _Counts]:
    """Returns the seconds of the slowest rank, of the virtual machine where there is one; and what
    was counted. Collective."""
    names = ("steps_s", "particles_s", "sort_s", "exchange_s")
    times = ranks_together.slowest(context, plasma.times, names)
    counts = np.array([float(plasma.migrated), float(plasma.pushes)])
    most = counts[1:].copy()
    _core.allreduce_sum(context, counts)
    _core.allreduce_max(context, most)
    return times, _Counts(*map(round, (*counts, *most)))


def _particle_rate(
    context: _core.Context, plasma: _apps.Plasma, timing: dict, counts: _Counts
) -> dict:
    """Returns what pushes make of the cores' rate of multiplications and additions, which all ranks
    measure at the same time; None where time is virtual or nothing was pushed. Collective."""
    per_push, share, rate, peak = plasma.flops_of_push, None, None, None
    if not virtual.is_virtual(context.transport) and counts.pushes > 0:
        _core.barrier(context)
        peaks = np.array([_bench.core_gflops()])
        _core.allreduce_sum(context, peaks)
        peak = float(peaks[0])
        rate = 1e-9 * per_push * counts.pushes / timing["particles_s"]
        share = rate / peak
    return {
        "flops_of_push": per_push,
        "particles_gflops": rate,
        "fma_peak_gflops": peak,
        "particles_share_of_fma_peak": share,
    }


def _result(
    context: _core.Context,
    plasma: _apps.Plasma,
    options: Options,
    samples: list[dict],
    timing: dict,
    counts: _Counts,
) -> dict[str, object]:
    """Returns the result that runs of all setups have."""
    last, pushes = samples[-1], counts.pushes
    return {
        "particles": last["particles"],
        "ns_per_particle_step": 1e9 * timing["steps_s"] * context.size / pushes if pushes else None,
        "sent_bytes_per_step": plasma.sent_bytes,
        "migrated_per_step": counts.migrated / options.steps,
        "load_imbalance": counts.most_pushes * context.size / pushes if pushes else None,
        "particles_lost": last["particles_made"] - last["particles_removed"] - last["particles"],
        "gauss_residual": max(sample["gauss_residual"] for sample in samples),
        "magnetic_residual": max(sample["magnetic_residual"] for sample in samples),
        # A laser brings energy into a window that leaves other energy behind.
        "energy_drift": None if options.setup == "wakefield" else _energy_drift(samples),
    }


def _energy_drift(samples: list[dict]) -> float:
    """Returns the largest change of the energy, over that of the first sample."""
    kinds = ("electric_energy", "magnetic_energy", "kinetic_energy")
    energies = np.array([sum(sample[kind] for kind in kinds) for sample in samples])
    return float(np.abs(energies / energies[0] - 1).max())


def _figure_row(result: dict) -> tuple[str, str]:
    if result.get("wake_amplitude") is not None:
        off = {name: 100 * result[f"wake_{name}_error"] for name in ("amplitude", "wavelength")}
        return (
            "wake",
            f"E_x {result['wake_amplitude']:.4g} m c w_p / e, {off['amplitude']:+.2g} % from "
            f"linear theory; {result['wake_wavelength']:.4g} cells, {off['wavelength']:+.2g} %",
        )
    if "orbits" in result:
        return (
            "orbits",
            f"frequency {result['frequency_error']:.1e} and radius {result['radius_error']:.1e} "
            "from those of the scheme",
        )
    for name, words in (("frequency", "frequency"), ("growth_rate", "growth rate")):
        if result.get(name) is not None:
            return (
                words,
                f"{result[name]:.8g}, {100 * result[name + '_error']:+.3g} % from "
                f"{result['expected_' + name]:.8g}, in c per cell",
            )
    return ("figure", "-")


def _table(record: dict) -> str:
    options, result, timing = record["options"], record["result"], record["timing"]
    pace = "-"
    if result["ns_per_particle_step"] is not None:
        pace = (
            f"{result['ns_per_particle_step']:.4g} ns per particle and step of a rank; the fullest "
            f"rank has {result['load_imbalance']:.3f} times the mean number"
        )
    if timing["particles_share_of_fma_peak"] is not None:
        pace += f"; pushes at {timing['particles_share_of_fma_peak']:.0%} of the FMA peak"
    kept = [
        f"Gauss's law to {result['gauss_residual']:.1e}",
        f"{result['particles_lost']} particles lost",
    ]
    if result["energy_drift"] is not None:
        kept.insert(0, f"energy to {result['energy_drift']:.1e}")
    rows = [
        running.lattice_row(record),
        ("setup", f"{options['setup']}, velocity {options['velocity']:g}"),
        ("particles", f"{result['particles']}, order {options['order']}, {options['pusher']}"),
        ("steps", f"{options['steps']}"),
        ("kernels", f"{record['kernels']}"),
        _figure_row(result),
        ("kept", ", ".join(kept)),
        ("pace", pace),
        (
            "time",
            f"steps {timing['steps_s']:.3g} s, of it particles {timing['particles_s']:.3g} s, sort "
            f"{timing['sort_s']:.3g} s, exchange {timing['exchange_s']:.3g} s",
        ),
    ]
    return aligned(rows)
