"""Solves M x = b: propagators, correlators, effective masses."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from onehop import _core
from onehop.argument import Made, checked_correlator
from onehop.collectives import agree
from onehop.counted import counted
from onehop.engine import (
    Operator,
    as_operator,
    as_options,
    empty_solutions,
    make_engine,
    shared_options,
)
from onehop.gauge import Gauge, checked_gauge
from onehop.source import Source, as_source

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclasses.dataclass
class Propagator(Made):
    """The result of a solve; arrays hold this rank's block.

    propagator      complex128 (sources, Lt, Lz, Ly, Lx, 4, 3), staggered (sources, ..., 3);
                    None when the solve was told not to keep it
    correlator      float64 (Nt,) sum_x sum |S(x,t;source)|^2, t counted from the source, the same
                    on every rank; None for a random source. For a noise wall it is divided by the
                    sites of its time slice, so that its mean over seeds is the mean over points of
                    the slice
    effective_mass  float64 (Nt,), see `effective_mass`
    setup_s         seconds this rank took before the first solve: links in the order of the
                    kernels, memory
    source          the source
    operator        the operator M
    options         how it was solved; its rhs sources together at most
    shift           the shift where M^+ M + shift was solved
    reports         one per solve: spin*3+colour for Wilson, colour for staggered, spin for a noise
                    wall

    >>> quark = onehop.solve(gauge, kappa=0.12, source="point:0,0,0,2")
    >>> len(quark.reports), quark.correlator.shape, str(quark.source)
    (12, (8,), 'point:0,0,0,2')
    >>> max(report.residual_true for report in quark.reports) < 1e-9
    True
    """

    propagator: NDArray[np.complex128] | None
    correlator: NDArray[np.float64] | None
    reports: list[_core.SolveReport]
    kernels: str
    setup_s: float
    source: Source
    operator: Operator
    options: _core.SolveOptions
    shift: float | None = None

    @property
    def effective_mass(self) -> NDArray[np.float64] | None:
        return None if self.correlator is None else effective_mass(self.correlator)

    @property
    def converged(self) -> bool:
        return all(report.converged for report in self.reports)

    def plot(self, axes: Sequence[Axes] | None = None) -> Sequence[Axes]:
        """Draws the correlator above its effective mass, on two axes or a new figure of pyplot,
        and returns the axes. Raises UsageError if there is no correlator, or no matplotlib."""
        if self.correlator is None:
            raise _core.UsageError(f"a solve from source {self.source} has no correlator to draw")
        from onehop.correlator_plot import axes_of_pyplot, draw_correlator

        axes = axes_of_pyplot("Propagator.plot", axes)
        draw_correlator(*axes, self.correlator, self.effective_mass)
        return axes

    def __repr__(self) -> str:
        iterations = max(report.iterations for report in self.reports)
        residual = max(report.residual_true for report in self.reports)
        return (
            f"<Propagator of {counted(len(self.reports), 'source')}, "
            f"{'converged' if self.converged else 'NOT converged'}, at most {iterations} "
            f"iterations, true residual {residual:.2g}>"
        )


def effective_mass(correlator: ArrayLike) -> NDArray[np.float64]:
    """Returns acosh((C(t-1) + C(t+1)) / (2 C(t))), t modulo Nt: exact for one cosh of any
    amplitude.

    NaN where the argument is below 1, as around the source, or 0/0.

    >>> t = np.arange(8)
    >>> np.round(onehop.effective_mass(np.cosh(0.5 * (t - 4))), 3)
    array([nan, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5])
    """
    c = checked_correlator(correlator)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (np.roll(c, 1) + np.roll(c, -1)) / (2 * c)
    return np.array([math.acosh(r) if r >= 1 else math.nan for r in ratio])


def solve(
    gauge: Gauge,
    operator: Operator | None = None,
    *,
    source: Source | str | Sequence[int] | NDArray[np.complex128] = "point:0,0,0,0",
    options: _core.SolveOptions | None = None,
    keep: bool = True,
    progress: Callable[[int, int, float], None] | None = None,
    **how: object,
) -> Propagator:
    """Solves for every spin and colour of a point or wall, or for noise; collective.

    `source` may also be an array of your own fields on this rank's block, complex128 (sources, Lt,
    Lz, Ly, Lx, 4, 3), staggered (..., 3), or one such field without the first axis: for example a
    smeared source, or a sequential one made of a propagator. There is no correlator then.

    The operator is one of `onehop.Wilson`, `Clover`, `Staggered`, `Asqtad` and `Hisq`, or is named
    by keywords: `dslash` (default wilson) and its parameters, as in `solve(gauge, kappa=0.13)`.
    Other keywords are those of `onehop.SolveOptions`, and override `options`. Without `keep`, all
    sources use the memory of one group of solutions, and the result has no solutions. `progress` is
    called on this rank with (source, iteration, relative residual), for the source that is farthest
    from converging among those that are solved together. Not converging is reported in the result;
    NumericError is raised if the true residual contradicts the solver's.

    >>> quark = onehop.solve(gauge, onehop.Wilson(kappa=0.12), tol=1e-10)
    >>> quark.converged, quark.propagator.shape
    (True, (12, 8, 4, 4, 4, 4, 3))
    >>> np.round(quark.effective_mass[1:4], 3)
    array([3.38 , 2.752, 2.741])
    """
    checked_gauge(gauge, "solve")
    where = as_source(source)
    operator = as_operator(operator, how)
    options = as_options(options, how)
    options.check(operator)
    components = operator.components
    where.check(gauge.geometry, components)
    agree(gauge.context, "solve", operator=operator, source=where, **shared_options(options))
    sources = where.count(components)
    together = min(sources, options.rhs or _core.default_rhs(gauge.geometry, operator, options))
    first = 0

    def forward(source: int, iteration: int, residual: float) -> None:
        progress(first + source, iteration, residual)

    options = options.replace(rhs=together)
    engine = make_engine(gauge, operator, options, forward if progress else None)
    engine.prepare_workspace()
    solutions = empty_solutions(gauge.geometry, operator, sources if keep else together)
    b = empty_solutions(gauge.geometry, operator, together)
    correlator = np.zeros(gauge.geometry.lattice[3]) if where.has_correlator else None
    reports = []
    for batch in _batches(sources, together):
        first, count = batch.start, len(batch)
        batch_solutions = solutions[first:][:count] if keep else solutions[:count]
        for number, source_field in zip(batch, b, strict=False):
            where.fill(gauge.geometry, number, components, source_field)
        exponents = where.normalise(gauge.context, b[:count])
        reports += engine.solve(b[:count], batch_solutions)
        if exponents is not None:
            batch_solutions *= np.exp2(exponents).reshape(-1, *[1] * (batch_solutions.ndim - 1))
        for solution in batch_solutions if correlator is not None else ():
            t_source = where.site[3]
            _core.add_pion_correlator(gauge.geometry, components, t_source, solution, correlator)
    if where.kind == "noise-wall":
        correlator /= math.prod(gauge.geometry.lattice[:3])
    done = (reports, engine.kernels, engine.setup_s, where, operator, options)
    return Propagator(solutions if keep else None, correlator, *done)


def _batches(sources: int, most: int) -> list[range]:
    """Returns batches of about equal size."""
    count = -(-sources // most)
    cuts = [sources * k // count for k in range(count + 1)]
    return [range(begin, end) for begin, end in itertools.pairwise(cuts)]
