"""Solves several systems in one Krylov space: shifts of M^+ M, and masses of staggered quarks."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from onehop import _core
from onehop.argument import checked_numbers
from onehop.collectives import agree
from onehop.engine import (
    Operator,
    as_operator,
    as_options,
    empty_solutions,
    make_engine,
    shared_options,
)
from onehop.gauge import Gauge, checked_gauge
from onehop.propagator import Propagator
from onehop.source import Source, as_source


def solve_shifted(
    gauge: Gauge, shifts: Sequence[float], operator: Operator | None = None, **how: object
) -> list[Propagator]:
    """Solves (M^+ M + shift) x = b for each shift, by multi-shift CG; collective.

    `operator` and `how` are those of `solve`, without `solver` and `rhs`. There is one result per
    shift, without correlator, since these are not propagators. The iterations of a report are those
    that the shift shared with the others until it had converged, and further ones of its own if its
    residual fell short.

    >>> solved = onehop.solve_shifted(gauge, [0.01, 0.1], kappa=0.12)
    >>> [one.shift for one in solved], all(one.converged for one in solved)
    ([0.01, 0.1], True)
    """
    return _solve_each(gauge, "solve_shifted", shifts, as_operator(operator, how), **how)


def solve_masses(
    gauge: Gauge, masses: Sequence[float], operator: Operator | None = None, **how: object
) -> list[Propagator]:
    """Solves M x = b of staggered quarks for each mass, by multi-shift CG; collective.

    `operator` and `how` are those of `solve`, without `solver` and `rhs`; the default operator is
    staggered, and its own mass is ignored. There is one result per mass.

    >>> solved = onehop.solve_masses(gauge, [0.1, 0.2, 0.5])
    >>> [one.operator.mass for one in solved]
    [0.1, 0.2, 0.5]
    """
    if operator is None:
        how = {"dslash": "staggered"} | how | {"mass": 1.0}
    operator = as_operator(operator, how)
    masses = checked_numbers(masses, "masses")
    _core.check_masses(masses, operator)
    return _solve_each(gauge, "solve_masses", masses, operator.with_mass(min(masses)), **how)


def _solve_each(
    gauge: Gauge,
    method: str,
    values: Sequence[float],
    operator: Operator,
    *,
    source: Source | str | Sequence[int] = "point:0,0,0,0",
    options: _core.SolveOptions | None = None,
    keep: bool = True,
    progress: Callable[[int, int, float], None] | None = None,
    **how: object,
) -> list[Propagator]:
    checked_gauge(gauge, method)
    values = checked_numbers(values, "masses" if method == "solve_masses" else "shifts")
    where = as_source(source)
    options = as_options(options, how).replace(rhs=1)
    components = operator.components
    number = 0

    def forward(_: int, iteration: int, residual: float) -> None:
        progress(number, iteration, residual)

    where.check(gauge.geometry, components)
    words = shared_options(options)
    agree(gauge.context, method, operator=operator, source=where, values=values, **words)
    engine = make_engine(gauge, operator, options, forward if progress else None)
    sources = where.count(components)
    correlators = None
    if method == "solve_masses" and where.has_correlator:
        correlators = [np.zeros(gauge.geometry.lattice[3]) for _ in values]
    kept = [empty_solutions(gauge.geometry, operator, sources if keep else 0) for _ in values]
    b = empty_solutions(gauge.geometry, operator, 1)[0]
    solutions = empty_solutions(gauge.geometry, operator, len(values))
    reports = []
    for number in range(sources):
        where.fill(gauge.geometry, number, components, b)
        exponents = where.normalise(gauge.context, b[np.newaxis])
        reports.append(getattr(engine, method)(b, values, solutions))
        if exponents is not None:
            solutions *= np.exp2(exponents[0])
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
            where,
            operator.with_mass(values[k]) if method == "solve_masses" else operator,
            options,
            values[k] if method == "solve_shifted" else None,
        )
        for k in range(len(values))
    ]
