"""`onehop app lattice-boltzmann`."""

import math
import time
from collections.abc import Sequence

import numpy as np

from onehop import _apps, _core
from onehop._core import UsageError
from onehop.cli._shared import job, rank_grid
from onehop.cli._shared.option import Options
from onehop.cli.app import lattice_boltzmann_bubble as bubble
from onehop.cli.app import lattice_boltzmann_oscillation as oscillation
from onehop.cli.app import lattice_boltzmann_spinodal as spinodal
from onehop.cli.app import ranks_together, running
from onehop.cli.app.lattice_boltzmann_mixture_plot import plot_mixture
from onehop.cli.app.lattice_boltzmann_models import SETUPS, fill_in_defaults
from onehop.cli.app.lattice_boltzmann_phases_plot import plot_phases
from onehop.cli.app.lattice_boltzmann_plot import plot_fluid
from onehop.cli.app.step_count import fill_in_steps
from onehop.counted import by_x
from onehop.text_table import aligned

# A step reads and writes each population once. Two fluids have those of D3Q7 too, what of these
# stays in the cell, and the order parameter; of two densities nothing stays.
_NUMBERS = {"single": 2 * 19, "free-energy": 79, "allen-cahn": 61}
_NUMBERS_IN_MEMORY = {"single": 20, "free-energy": 40, "allen-cahn": 34}
_SHAPES = {"bubble": bubble.shape, "oscillation": oscillation.shape}
_PLOTS = {"single": plot_fluid, "free-energy": plot_mixture, "allen-cahn": plot_phases}
_BYTES = {"single": 4, "double": 8}
# A step rounds what differs from a fluid at rest, which is of the size of the velocity, by at most
# a few of these parts of it.
_ROUNDING = {"double": 2**-53, "single": 2**-24}
_STEADIER = {
    "single": "a larger --tau or a smaller --velocity",
    "free-energy": "a larger --tau or --interface-width, or a smaller --surface-tension",
    "allen-cahn": "a larger --tau or --interface-width, or a smaller --density-ratio",
}


def run(options: Options, arguments: Sequence[str]) -> int:
    """Runs the command; whatever can be refused is refused here, before any rank starts."""
    fill_in_defaults(options)
    rank_grid.choose_grid(options, options.lattice, even=False)
    if options.collision == "bgk" and options.magic is not None:
        raise UsageError("--magic is for two relaxation times; it goes with --collision trt")
    if options.collision == "trt" and options.magic is None:
        options.magic = 3 / 16
    fill_in_steps(options, SETUPS[options.model][options.setup].usual_steps)
    numbers = _NUMBERS_IN_MEMORY[options.model] * math.prod(options.lattice)
    what = f"--lattice {by_x(options.lattice)} takes"
    job.check_memory(_BYTES[options.prec] * numbers, what)
    return running.start(arguments, options, _run_on_rank)


def _made(context: _core.Context, options: Options) -> _apps.Flow:
    single, overlaps = options.prec == "single", options.overlap == "bulk"
    where = (context, options.lattice, options.grid, options.setup)
    if options.model == "single":
        return _apps.make_flow(
            *where,
            options.tau,
            options.magic,
            options.velocity,
            options.radius or 0.0,
            single,
            overlaps,
        )
    angle = options.contact_angle
    heavy = options.model == "allen-cahn"
    return _apps.make_mixture(
        *where,
        radius=options.radius or 0.0,
        deformation=oscillation.DEFORMATION,
        noise=spinodal.NOISE,
        seed=options.seed or 0,
        wall_cosine=None if angle is None else math.cos(math.radians(angle)),
        width=options.interface_width,
        tension=options.surface_tension,
        mobility=options.mobility,
        light_density=1 / options.density_ratio if heavy else None,
        light_tau=_light_tau(options) if heavy else None,
        gravity=options.gravity if heavy else 0.0,
        drive=options.drive if heavy else 0.0,
        tau=options.tau,
        magic=options.magic,
        single=single,
        overlaps=overlaps,
    )


def _light_tau(options: Options) -> float | None:
    """Returns the relaxation time of the light fluid; None if it is that of the heavy one."""
    if options.viscosity_ratio == options.density_ratio:
        return None
    kinematic_ratio = options.density_ratio / options.viscosity_ratio
    return 0.5 + (options.tau - 0.5) * kinematic_ratio


def _run_on_rank(context: _core.Context, options: Options) -> int:
    started = time.monotonic()
    flow = _made(context, options)
    samples, spectra = _samples(context, flow, options)
    profile = flow.profile() if options.setup == "poiseuille" else []
    timing = ranks_together.slowest(context, flow.times, ("steps_s", "halo_s"))
    fields = None
    if options.fields or options.plot or options.model != "single":
        fields = ranks_together.whole(context, flow.fields(), options.lattice, options.grid)
    if context.rank != 0:
        return 0
    told = {"samples": samples, "profile": profile, "spectra": spectra, "fields": fields}
    result = _result(flow, options, told, timing["steps_s"])
    found = {
        "kernels": flow.kernels,
        "samples": samples,
        "result": result,
        "check": _check(options, result),
        "timing": timing,
    }

    def draw(record: dict, name: str) -> None:
        plot = plot_mixture if options.setup == "droplet" else _PLOTS[options.model]
        plot(record, fields, name)

    app, verdicts = "lattice-boltzmann", ("right", "NOT RIGHT")
    status = running.report(app, context, options, started, found, _table, verdicts, draw)
    if options.fields:
        named = {"density": fields[0], "velocity": fields[1:4]}
        if options.model != "single":
            named |= {"order_parameter": fields[4], "pressure": fields[5]}
        ranks_together.write(options.fields, named, vars(options))
    return status


def _samples(
    context: _core.Context, flow: _apps.Flow, options: Options
) -> tuple[list[dict], list[np.ndarray]]:
    """Returns the sums at the beginning and, evenly spaced, until the end, and on rank 0 the
    waves of a mixture that separates, or with the sums the shape of a bubble or droplet."""
    count = min(options.samples, options.steps)
    found: list[dict] = []
    spectra: list[np.ndarray] = []

    def take(step: int) -> None:
        found.append(_sample(step, flow.sums(), two=options.model != "single"))
        _require_finite(options, step, np.hstack(list(found[-1].values())))
        if options.model == "single" or options.setup == "droplet":
            return
        fields = ranks_together.whole(context, flow.fields(), options.lattice, options.grid)
        if fields is None:
            return
        _require_finite(options, step, fields)
        if options.setup == "spinodal":
            spectra.append(spinodal.waves(options, fields[4]))
        elif options.setup in _SHAPES:
            found[-1] |= _SHAPES[options.setup](options, fields)

    take(0)
    with running.progress("lattice-boltzmann", context, options, options.steps) as progress:
        for number in range(1, count + 1):
            step = options.steps * number // count
            flow.advance(step - found[-1]["step"])
            take(step)
            amplitude = f"amplitude {found[-1]['amplitude']:.6e}"
            progress.update(step, f"step {step}/{options.steps}, {amplitude}")
    return found, spectra


def _require_finite(options: Options, step: int, numbers: np.ndarray) -> None:
    if not np.isfinite(numbers).all():
        what = "fluid is" if options.model == "single" else "fluids are"
        raise UsageError(
            f"the {what} not stable: not all numbers are finite after {step} steps; choose "
            f"{_STEADIER[options.model]}"
        )


def _sample(step: int, sums: _apps.FlowSums, *, two: bool) -> dict:
    sample = {
        "step": step,
        "mass_change": sums.mass_change,
        "momentum": list(sums.momentum),
        "amplitude": sums.amplitude,
    }
    return {**sample, "order_change": sums.order_change} if two else sample


def _result(flow: _apps.Flow, options: Options, found: dict, steps_s: float) -> dict[str, object]:
    """Returns the result that runs of all models have, and the setup's own part."""
    cells, samples = math.prod(options.lattice), found["samples"]
    moved = np.array([sample["momentum"] for sample in samples]) / cells
    walls = (
        options.setup in ("poiseuille", "spheres", "bubble") or options.contact_angle is not None
    )
    rate = cells * options.steps / steps_s if steps_s else None
    moved_bytes = _NUMBERS[options.model] * _BYTES[options.prec]
    result = {
        "mlups": None if rate is None else 1e-6 * rate,
        "gbs": None if rate is None else 1e-9 * rate * moved_bytes,
        "sent_bytes_per_step": flow.sent_bytes,
        "mass_drift": max((s["mass_change"] for s in samples), key=abs),
        "momentum_drift": None if walls else float(np.abs(moved - moved[0]).max()),
    }
    if options.model != "single":
        result["order_drift"] = max((s["order_change"] for s in samples), key=abs)
    if options.model == "allen-cahn":
        result["order_beyond"] = float(np.abs(found["fields"][4]).max()) - 1
    return result | SETUPS[options.model][options.setup].setup_result(options, found)


def _check(options: Options, result: dict) -> dict[str, object]:
    """Returns the check: of what failed, or else of the setup's own figure."""
    drift = 4 * _ROUNDING[options.prec] * options.steps
    if options.model == "single":
        drift *= options.velocity
    all_checks = [("change of the mass, divided by it", abs(result["mass_drift"]), drift)]
    if "order_drift" in result:
        change = abs(result["order_drift"])
        all_checks.append(("change of the mean order parameter", change, drift))
    # Two densities keep the momentum as far as differences cancel, and not to rounding.
    if result["momentum_drift"] is not None and options.model != "allen-cahn":
        moved = result["momentum_drift"]
        all_checks.append(("change of the momentum, divided by the mass", moved, drift))
    own = SETUPS[options.model][options.setup].checks(options, result)
    if isinstance(own, str):
        found = running.below_limits(all_checks)
        return {**found, "why": f"{found['why']}; {own}"}
    return running.below_limits(all_checks + own)


def _figure_row(result: dict) -> tuple[str, str]:
    if "frequency" in result:
        return ("frequency", _shown_motion(result))
    if "profile" in result:
        return (
            "profile",
            f"{result['profile_error']:.1e} from the steady flow, {result['parabola_error']:.1e} "
            f"from {'parabolas' if 'order_drift' in result else 'the parabola'}",
        )
    if "drag" in result:
        if result["drag"] is None:
            return ("drag", "-")
        return (
            "drag",
            f"{result['drag']:.4f} times that of a sphere alone, {100 * result['drag_error']:+.2f} "
            f"% from slow flow; permeability {result['permeability']:.4g} cells^2",
        )
    if "growth_rates" in result:
        if result["growth_rate_error"] is None:
            return ("growth", "-")
        error = 100 * result["growth_rate_error"]
        return ("growth", f"{error:.2f} % of the largest rate from the linear theory at most")
    if "rise_velocity" in result:
        shown = f"{result['rise_velocity']:.6f}, Reynolds number {result['rise_reynolds']:.2f}"
        if result["rise_velocity_error"] is not None:
            shown += f"; {100 * result['rise_velocity_error']:+.2f} % from the benchmark"
        return ("rise", shown)
    if "surface_tension" in result:
        tension = result["surface_tension"]
        shown = f"{tension:.6f}, {100 * result['surface_tension_error']:+.2f} %"
        if "contact_angle" in result:
            shown += f"; contact angle {result['contact_angle']:.2f} degrees"
        return ("tension", f"{shown}; velocities {result['spurious_velocity']:.1e}")
    if result["viscosity"] is None:
        return ("viscosity", "-")
    return (
        "viscosity",
        f"{result['viscosity']:.6f}, {100 * result['viscosity_error']:+.3f} % from "
        f"{result['expected_viscosity']:.6f}",
    )


def _shown_motion(result: dict) -> str:
    if result["frequency"] is None:
        return "-"
    return (
        f"{result['frequency']:.6f}, {100 * result['frequency_error']:+.2f} % from "
        f"{result['expected_frequency']:.6f}; damping {result['damping']:.2e}, theory "
        f"{result['expected_damping']:.2e}"
    )


def _setup_row(options: dict) -> str:
    shown = options["setup"]
    if options["radius"] is not None:
        shown += f" of radius {options['radius']:g}"
    if options["model"] == "single":
        return f"{shown}, velocity {options['velocity']:g}"
    if options["density_ratio"] is not None:
        shown += f", density ratio {options['density_ratio']:g}"
        shown += f", viscosity ratio {options['viscosity_ratio']:g}"
    return (
        f"{shown}, surface tension {options['surface_tension']:g}, interface "
        f"{options['interface_width']:g}, mobility {options['mobility']:g}"
    )


def _table(record: dict) -> str:
    options, result, timing = record["options"], record["result"], record["timing"]
    collision = "BGK" if options["collision"] == "bgk" else f"TRT, magic {options['magic']:g}"
    pace = "-"
    if result["mlups"] is not None:
        pace = (
            f"{result['mlups']:.4g} million cells per second of all ranks together, "
            f"{result['gbs']:.4g} GB/s"
        )
    kept = f"mass {abs(result['mass_drift']):.1e}"
    if "order_drift" in result:
        kept += f", order parameter {abs(result['order_drift']):.1e}"
    if result["momentum_drift"] is not None:
        kept += f", momentum {result['momentum_drift']:.1e}"
    rows = [
        running.lattice_row(record),
        ("setup", _setup_row(options)),
        ("collision", f"{collision}, tau {options['tau']:g}"),
        ("steps", f"{options['steps']}"),
        ("kernels", f"{record['kernels']}, {options['prec']} precision"),
        _figure_row(result),
        ("changes", kept),
        ("pace", pace),
        ("time", f"steps {timing['steps_s']:.3g} s, of it halo {timing['halo_s']:.3g} s"),
    ]
    return aligned(rows)
