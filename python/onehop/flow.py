"""Smears links, and measures the gradient flow and the scales t0 and w0."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from onehop import _core

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from onehop.gauge import Gauge


@dataclasses.dataclass(frozen=True)
class FlowPoint:
    """The field at one flow time; energies in lattice units, means over sites.

    time                flow time t in units of a^2
    energy_plaquette    2 sum_{mu<nu} Re tr(1 - P_mu_nu)
    energy_clover       sum_{mu<nu} tr F_mu_nu^2 of the clover field strength
    topological_charge  of the clover field strength
    """

    time: float
    energy_plaquette: float
    energy_clover: float
    topological_charge: float


def measure_point(gauge: Gauge, time: float = 0.0) -> FlowPoint:
    """Measures the links as they are; collective."""
    gauge.field.exchange_ghosts()
    clover = _core.clover_field_strength(gauge.field)
    energy = _core.plaquette_energy(gauge.field)
    return FlowPoint(time, energy, clover.energy, clover.topological_charge)


def gradient_flow(
    gauge: Gauge, time: float, *, step: float = 0.02, every: int = 5
) -> Iterator[FlowPoint]:
    """Flows the links of `gauge` in place by the Wilson flow (Luescher, JHEP 08 (2010) 071) and
    yields the field at t = 0 and after every `every` steps, the last point in any case; collective.

    The last step is shortened so that the flow ends at `time`.
    """
    if not (time > 0 and step > 0 and math.isfinite(time / step)) or every < 1:
        raise _core.UsageError(
            f"flow to t = {time} in steps of {step}, measured every {every}; use numbers above 0"
        )
    yield measure_point(gauge)
    steps = math.ceil(time / step - 1e-9)
    for number in range(1, steps + 1):
        last = number == steps
        _core.flow_step(gauge.field, time - (steps - 1) * step if last else step)
        if last or number % every == 0:
            yield measure_point(gauge, time if last else number * step)


@dataclasses.dataclass(frozen=True)
class LinkSmearing:
    """A smearing as `smear` takes it, and how often it is done."""

    kind: str
    parameters: tuple[float, ...]
    times: int


def parse_smearing(text: str) -> LinkSmearing:
    """Reads 'ape:0.6x10', 'stout:0.1x20', 'hypx3' or 'hyp:0.75,0.6,0.3x3'; raises ValueError."""
    what, _, times = text.partition("x")
    kind, _, listed = what.partition(":")
    try:
        parameters = tuple(float(p) for p in listed.split(",")) if listed else ()
        smearing = LinkSmearing(kind, parameters, int(times) if times else 1)
    except ValueError:
        raise ValueError("numbers are needed, as in ape:0.6x10, stout:0.1x20 or hypx3") from None
    if not all(map(math.isfinite, parameters)) or smearing.times < 1:
        raise ValueError("finite numbers and at least one time are needed, as in stout:0.1x20")
    if len(parameters) not in {"ape": (1,), "stout": (1,), "hyp": (0, 3)}.get(kind, ()):
        raise ValueError("one of ape:ALPHA, stout:RHO, hyp and hyp:A1,A2,A3 is needed, then xN")
    return smearing


def smear(
    gauge: Gauge, kind: str, parameters: Sequence[float], times: int = 1, *, spatial: bool = False
) -> None:
    """Smears the links of `gauge` in place, `times` times over; collective.

    The kinds are 'ape' with (alpha,), 'stout' with (rho,), and 'hyp' with () or (alpha_1, alpha_2,
    alpha_3); see onehop/smearing.hpp for the definitions. `spatial` leaves out the direction t (not
    for hyp).
    """
    # A command loads NumPy itself, without threads, and names this module before.
    from onehop.argument import checked_numbers

    numbers = checked_numbers(parameters, "the parameters of a smearing")
    wanted = {"ape": (1,), "stout": (1,), "hyp": (0, 3)}.get(kind)
    if wanted is None:
        raise _core.UsageError(f"smearing {kind!r} is not known; use ape, stout or hyp")
    if len(numbers) not in wanted:
        raise _core.UsageError(
            f"{kind} smearing takes {' or '.join(map(str, wanted))} parameters, not {len(numbers)}"
        )
    if kind == "hyp" and spatial:
        raise _core.UsageError("HYP smearing works in all directions; use ape or stout")
    gauge.field.exchange_ghosts()
    for _ in range(times):
        if kind == "hyp":
            _core.smear_hyp(gauge.field, numbers or [0.75, 0.6, 0.3])
        else:
            apply = {"ape": _core.smear_ape, "stout": _core.smear_stout}[kind]
            apply(gauge.field, *numbers, spatial)


@dataclasses.dataclass(frozen=True)
class FlowScales:
    """Scales in lattice units, None if the flow did not get there.

    t0  where t^2 E(t) = 0.3 (Luescher, JHEP 08 (2010) 071)
    w0  square root of the t where t d/dt [t^2 E(t)] = 0.3 (Borsanyi et al., JHEP 09 (2012) 010)
    """

    t0: float | None
    w0: float | None


def flow_scales(points: Sequence[FlowPoint]) -> FlowScales:
    """Finds the scales by linear interpolation between points, with the energy of the clover."""
    flowed = [(p.time, p.time**2 * p.energy_clover) for p in points]
    slopes = [
        ((t1 + t2) / 2, (t1 + t2) / 2 * (f2 - f1) / (t2 - t1))
        for (t1, f1), (t2, f2) in zip(flowed, flowed[1:], strict=False)
    ]
    w0_squared = _crossing(slopes, 0.3)
    return FlowScales(_crossing(flowed, 0.3), None if w0_squared is None else w0_squared**0.5)


def plot(points: Sequence[FlowPoint], axes: Sequence[Axes] | None = None) -> Sequence[Axes]:
    """Draws t^2 E over the flow time, with t0 where the flow got there, above the topological
    charge, on two axes or a new figure of pyplot, and returns the axes. `points` are those that
    `gradient_flow` yields. Raises UsageError if there is no matplotlib."""
    from onehop.correlator_plot import axes_of_pyplot
    from onehop.flow_plot import draw_flow

    axes = axes_of_pyplot("flow.plot", axes)
    draw_flow(*axes, [dataclasses.asdict(point) for point in points], flow_scales(points).t0)
    return axes


def _crossing(curve: Sequence[tuple[float, float]], level: float) -> float | None:
    """Returns where the curve first rises through `level`."""
    for (t1, f1), (t2, f2) in zip(curve, curve[1:], strict=False):
        if f1 < level <= f2:
            return t1 + (t2 - t1) * (level - f1) / (f2 - f1)
    return None
