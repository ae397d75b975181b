"""`onehop app lattice-boltzmann`."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

import numpy as np

from onehop import _core, output
from onehop._core import UsageError
from onehop.cli._shared import job, virtual_reading
from onehop.cli._shared.progress import Progress
from onehop.cli._shared.record import deliver
from onehop.cli.app import lattice_boltzmann_figures as figures
from onehop.cli.app import ranks_together
from onehop.cli.app.start import start
from onehop.record import new_record, virtual_part
from onehop.text_table import aligned

if TYPE_CHECKING:
    import types
    from collections.abc import Sequence

_DIRECTIONS = 19
_BYTES = {"single": 4, "double": 8}


def run(options: types.SimpleNamespace, arguments: Sequence[str]) -> int:
    """Everything that can be refused is refused here, before any rank starts."""
    job.settle_grid(options, options.lattice, even=False)
    if options.collision == "bgk" and options.magic is not None:
        raise UsageError("--magic is for two relaxation times; it goes with --collision trt")
    if options.collision == "trt" and options.magic is None:
        options.magic = 3 / 16
    if options.steps is None:
        options.steps = figures.usual_steps(options)
    _check_memory(options)
    return start(arguments, options, _run_on_rank)


def _check_memory(options: types.SimpleNamespace) -> None:
    cells = math.prod(options.lattice)
    needed = (_DIRECTIONS + 1) * _BYTES[options.prec] * cells
    there_is = _core.inspect_machine().memory_bytes
    if needed > there_is:
        raise UsageError(
            f"--lattice {'x'.join(map(str, options.lattice))} takes about {needed / 2**30:.3g} "
            f"GiB, and this machine has {there_is / 2**30:.3g} GiB; choose a smaller one"
        )


def _run_on_rank(context: _core.Context, options: types.SimpleNamespace) -> int:
    started = time.monotonic()
    flow = _core.make_flow(
        context,
        options.lattice,
        options.grid,
        options.setup,
        options.tau,
        options.magic,
        options.velocity,
        options.prec == "single",
        options.overlap == "bulk",
    )
    samples = _samples(context, flow, options)
    profile = flow.profile() if options.setup == "poiseuille" else []
    timing = _timing(context, flow, time.monotonic() - started)
    record = None
    if context.rank == 0:
        record = _record(context, flow, options, samples, profile, timing)
    fields = None
    if options.fields or options.plot:
        fields = ranks_together.whole(context, flow.fields(), options.lattice, options.grid)
    if context.rank != 0:
        return 0
    if options.fields:
        named = {"density": fields[0], "velocity": fields[1:]}
        ranks_together.write(options.fields, named, record["options"])
    if options.plot:
        from onehop.cli.app.lattice_boltzmann_plot import plot_fluid

        with output.complete_or_absent(options.plot) as temporary:
            plot_fluid(record, fields, temporary)
    virtual_reading.tell(record, options)
    return deliver(record, options, _show)


def _samples(
    context: _core.Context, flow: _core.Flow, options: types.SimpleNamespace
) -> list[dict]:
    """Returns what the sums are at the beginning and, evenly spaced, until the end."""
    count = min(options.samples, options.steps)
    found = [_sample(0, flow.sums())]
    with Progress(
        "lattice-boltzmann",
        options.steps,
        verbose=options.verbose,
        show=context.rank == 0,
        often=True,
    ) as progress:
        for number in range(1, count + 1):
            step = options.steps * number // count
            flow.advance(step - found[-1]["step"])
            found.append(_sample(step, flow.sums()))
            amplitude = f"amplitude {found[-1]['amplitude']:.6e}"
            progress.update(step, f"step {step}/{options.steps}, {amplitude}")
    return found


def _sample(step: int, sums: _core.FlowSums) -> dict:
    return {
        "step": step,
        "mass_change": sums.mass_change,
        "momentum": list(sums.momentum),
        "amplitude": sums.amplitude,
    }


def _timing(context: _core.Context, flow: _core.Flow, total_s: float) -> dict:
    """Returns the seconds of the slowest rank; all but the total are of the virtual machine, where
    there is one. Collective."""
    return {
        "total_s": total_s,
        **ranks_together.slowest(context, flow.times, ("steps_s", "halo_s")),
    }


def _record(
    context: _core.Context,
    flow: _core.Flow,
    options: types.SimpleNamespace,
    samples: list[dict],
    profile: list[float],
    timing: dict,
) -> dict:
    record = new_record("app", options)
    record["app"] = "lattice-boltzmann"
    record["ranks"], record["transport"] = context.size, context.transport
    record["kernels"] = flow.kernels
    record["samples"] = samples
    cells = math.prod(options.lattice)
    moved = np.array([sample["momentum"] for sample in samples]) / cells
    drift = float(np.abs(moved - moved[0]).max()) if options.setup == "taylor-green" else None
    rate = cells * options.steps / timing["steps_s"] if timing["steps_s"] else None
    record["result"] = {
        "mlups": None if rate is None else 1e-6 * rate,
        "gbs": None if rate is None else 1e-9 * rate * 2 * _DIRECTIONS * _BYTES[options.prec],
        "sent_bytes_per_step": flow.sent_bytes,
        "mass_drift": max((s["mass_change"] for s in samples), key=abs),
        "momentum_drift": drift,
        **figures.setup_result(options, samples, profile),
    }
    record["check"] = figures.check(options, record["result"])
    record["timing"] = timing
    record.update(virtual_part(context))
    return record


def _figure_row(result: dict) -> tuple[str, str]:
    if "profile" in result:
        return (
            "profile",
            f"{result['profile_error']:.1e} from the steady flow, {result['parabola_error']:.1e} "
            "from the parabola",
        )
    if result["viscosity"] is None:
        return ("viscosity", "-")
    return (
        "viscosity",
        f"{result['viscosity']:.6f}, {100 * result['viscosity_error']:+.3f} % from "
        f"{result['expected_viscosity']:.6f}",
    )


def _show(record: dict) -> None:
    options, result, timing = record["options"], record["result"], record["timing"]
    size, grid = ("x".join(map(str, options[name])) for name in ("lattice", "grid"))
    collision = "BGK" if options["collision"] == "bgk" else f"TRT, magic {options['magic']:g}"
    pace = "-"
    if result["mlups"] is not None:
        pace = (
            f"{result['mlups']:.4g} million cells per second of all ranks together, "
            f"{result['gbs']:.4g} GB/s"
        )
    kept = f"mass {abs(result['mass_drift']):.1e}"
    if result["momentum_drift"] is not None:
        kept += f", momentum {result['momentum_drift']:.1e}"
    rows = [
        ("lattice", f"{size} on grid {grid}, {record['ranks']} ranks, {record['transport']}"),
        ("setup", f"{options['setup']}, velocity {options['velocity']:g}"),
        ("collision", f"{collision}, tau {options['tau']:g}"),
        ("steps", f"{options['steps']}"),
        ("kernels", f"{record['kernels']}, {options['prec']} precision"),
        _figure_row(result),
        ("changes", kept),
        ("pace", pace),
        ("time", f"steps {timing['steps_s']:.3g} s, of it halo {timing['halo_s']:.3g} s"),
    ]
    print(aligned(rows))
    check = record["check"]
    print(f"{'right' if check['passed'] else 'NOT RIGHT'}: {check['why']}")
