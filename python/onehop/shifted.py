"""Several systems in one Krylov space: shifts of M^+ M, and masses of staggered quarks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from onehop import _core
from onehop.engine import choice, empty_solutions, make_engine
from onehop.propagator import Propagator
from onehop.source import Source, as_source

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from onehop.gauge import Gauge


def solve_shifted(
    gauge: Gauge, shifts: Sequence[float], *, dslash: str = "wilson", **how: object
) -> list[Propagator]:
    """(M^+ M + shift) x = b for each shift, by multi-shift CG; collective.

    `how` is that of `solve`, without `solver` and `rhs`. One result per shift, without correlator:
    these are no propagators. Iterations of a report are those that the shift shared with the others
    until it was done, and its own afterwards, where its residual fell short.
    """
    values = [float(shift) for shift in shifts]
    return _solve_each(gauge, "solve_shifted", values, dslash=dslash, **how)


def solve_masses(
    gauge: Gauge, masses: Sequence[float], *, dslash: str = "staggered", **how: object
) -> list[Propagator]:
    """M x = b of staggered quarks for each mass, by multi-shift CG; collective.

    `how` is that of `solve`, without `mass`, `solver` and `rhs`. One result per mass.
    """
    values = [float(mass) for mass in masses]
    if not values or min(values) <= 0:
        raise _core.UsageError(f"one or more positive masses are needed; got {values}")
    return _solve_each(gauge, "solve_masses", values, dslash=dslash, mass=min(values), **how)


def _solve_each(
    gauge: Gauge,
    method: str,
    values: list[float],
    *,
    dslash: str,
    source: Source | str | Sequence[int] = "point:0,0,0,0",
    keep: bool = True,
    progress: Callable[[int, int, float], None] | None = None,
    **how: object,
) -> list[Propagator]:
    where = as_source(source)
    kind = choice(_core.Dslash, "dslash", dslash)
    components = _core.components(kind)
    number = 0

    def forward(_: int, iteration: int, residual: float) -> None:
        progress(number, iteration, residual)

    engine = make_engine(gauge, dslash=dslash, progress=forward if progress else None, **how)
    sources = where.count(components)
    correlators = None
    if method == "solve_masses" and where.has_correlator:
        correlators = [np.zeros(gauge.geometry.lattice[3]) for _ in values]
    kept = [empty_solutions(gauge.geometry, kind, sources if keep else 0) for _ in values]
    b = empty_solutions(gauge.geometry, kind, 1)[0]
    solutions = empty_solutions(gauge.geometry, kind, len(values))
    reports = []
    for number in range(sources):
        where.fill(gauge.geometry, number, components, b)
        reports.append(getattr(engine, method)(b, values, solutions))
        for k, solution in enumerate(solutions):
            if keep:
                kept[k][number] = solution
            if correlators is not None:
                _core.add_pion_correlator(
                    gauge.geometry, components, where.site[3], solution, correlators[k]
                )
    if correlators is not None and where.kind == "noise-wall":
        for correlator in correlators:
            correlator /= math.prod(gauge.geometry.lattice[:3])
    return [
        Propagator(
            kept[k] if keep else None,
            None if correlators is None else correlators[k],
            [of_source[k] for of_source in reports],
            engine.kernels,
            engine.setup_s,
            1,
            where,
        )
        for k in range(len(values))
    ]
