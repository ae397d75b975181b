"""Solving M x = b: propagators, correlators, effective masses."""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import TYPE_CHECKING

import numpy as np

from onehop import _core, tuning, virtual
from onehop.engine import choice, empty_solutions, make_engine
from onehop.source import Source, as_source

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from onehop.gauge import Gauge


@dataclasses.dataclass
class Propagator:
    """What a solve gives; arrays hold this rank's block.

    propagator      complex128 (sources, Lt, Lz, Ly, Lx, 4, 3), staggered (sources, ..., 3);
                    None when the solve was told not to keep it
    correlator      float64 (Nt,) sum_x sum |S(x,t;source)|^2, t counted from the source, the same
                    on every rank; None for a random source. Of a noise wall divided by the sites of
                    its time slice, so that its mean over seeds is the mean over points of the slice
    effective_mass  float64 (Nt,), see `effective_mass`
    setup_s         seconds this rank took before the first solve: links in the order of the
                    kernels, memory
    together        sources that were solved together at most
    source          what was solved for
    reports         one per solve: spin*3+colour for Wilson, colour for staggered, spin for a noise
                    wall
    """

    propagator: NDArray[np.complex128] | None
    correlator: NDArray[np.float64] | None
    reports: list[_core.SolveReport]
    kernels: str
    setup_s: float
    together: int
    source: Source

    @property
    def effective_mass(self) -> NDArray[np.float64] | None:
        return None if self.correlator is None else effective_mass(self.correlator)

    @property
    def converged(self) -> bool:
        return all(report.converged for report in self.reports)

    def __repr__(self) -> str:
        iterations = max(report.iterations for report in self.reports)
        residual = max(report.residual_true for report in self.reports)
        return (
            f"<Propagator of {len(self.reports)} sources, "
            f"{'converged' if self.converged else 'NOT converged'}, at most {iterations} "
            f"iterations, true residual {residual:.2g}>"
        )


def effective_mass(correlator: Sequence[float]) -> NDArray[np.float64]:
    """acosh((C(t-1) + C(t+1)) / (2 C(t))), t modulo Nt: exact for one cosh of any amplitude.

    NaN where the argument is below 1, as around the source, or 0/0.
    """
    c = np.asarray(correlator, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (np.roll(c, 1) + np.roll(c, -1)) / (2 * c)
    return np.array([math.acosh(r) if r >= 1 else math.nan for r in ratio])


# From memory the fastest of 1, 3, 4, 6 and 12; in a shared cache 12 gain another tenth.
MOST_TOGETHER = 4
# Of block CG, which needs the fewer iterations the more there are.
MOST_IN_BLOCK = 12


def solve(
    gauge: Gauge,
    *,
    dslash: str = "wilson",
    kappa: float | None = None,
    mass: float | None = None,
    csw: float | None = None,
    mu: float | None = None,
    u0: float | None = None,
    naik_epsilon: float | None = None,
    solver: str = "cg",
    tol: float = 1e-10,
    max_iter: int = 10000,
    source: Source | str | Sequence[int] = "point:0,0,0,0",
    boundary: str = "antiperiodic",
    overlap: str = "fused",
    prec: str = "double",
    recon: int = 18,
    threads: int = 1,
    rhs: int | None = None,
    device: str = "host",
    share_device: bool = False,
    keep: bool = True,
    progress: Callable[[int, int, float], None] | None = None,
) -> Propagator:
    """Solves for every spin and colour of a point or wall, or for noise; collective.

    Wilson and clover take `kappa` or `mass`, all kinds of staggered quarks `mass`; clover `csw`
    (default 1), Wilson and clover a twisted mass `mu`, asqtad a tadpole factor `u0` (default 1),
    hisq a `naik_epsilon` for heavy quarks (default 0; `tree_level_naik_epsilon(mass)`).
    `solver` is cg, bicgstab (not for staggered quarks), pipelined-cg (one reduction an iteration,
    hidden behind the operator) or block-cg (sources search together and need fewer iterations).
    `tol` is on |b - M x| / |b|. `prec` is double, single, mixed (single corrected in double) or
    half (16-bit fixed point corrected in single); `recon` the reals a link is kept in, 18, 12 or 8;
    `threads` share a rank's work. With `device` cuda each rank computes on a device, several on one
    only with `share_device`. `rhs` sources are solved together, which changes no bit but of
    block-cg (default 4, or what `onehop tune dslash` found; of block-cg 12, its most). Without
    `keep` the memory of so many solutions serves all sources and the result has none of them.
    `progress` is called on this rank with (source, iteration, relative residual), of sources that
    are solved together that which has farthest to go. Not converging is reported in the result;
    NumericError is raised when the true residual contradicts the solver's.
    """
    where = as_source(source)
    kind = choice(_core.Dslash, "dslash", dslash)
    components = _core.components(kind)
    sources = where.count(components)
    if rhs is None:
        rhs = sources_together(gauge, dslash, solver, prec, recon, threads, device)
    together = min(sources, rhs)
    first = 0

    def forward(source: int, iteration: int, residual: float) -> None:
        progress(first + source, iteration, residual)

    engine = make_engine(
        gauge,
        dslash=dslash,
        kappa=kappa,
        mass=mass,
        csw=csw,
        mu=mu,
        u0=u0,
        naik_epsilon=naik_epsilon,
        solver=solver,
        tol=tol,
        max_iter=max_iter,
        boundary=boundary,
        overlap=overlap,
        prec=prec,
        recon=recon,
        threads=threads,
        rhs=together,
        device=device,
        share_device=share_device,
        progress=forward if progress else None,
    )
    engine.prepare_workspace()
    solutions = empty_solutions(gauge.geometry, kind, sources if keep else together)
    b = empty_solutions(gauge.geometry, kind, together)
    correlator = np.zeros(gauge.geometry.lattice[3]) if where.has_correlator else None
    reports = []
    for batch in _batches(sources, together):
        first, count = batch.start, len(batch)
        batch_solutions = solutions[first:][:count] if keep else solutions[:count]
        for number, source_field in zip(batch, b, strict=False):
            where.fill(gauge.geometry, number, components, source_field)
        reports += engine.solve(b[:count], batch_solutions)
        for solution in batch_solutions if correlator is not None else ():
            t_source = where.site[3]
            _core.add_pion_correlator(gauge.geometry, components, t_source, solution, correlator)
    if where.kind == "noise-wall":
        correlator /= math.prod(gauge.geometry.lattice[:3])
    done = (reports, engine.kernels, engine.setup_s, together)
    return Propagator(solutions if keep else None, correlator, *done, where)


def sources_together(
    gauge: Gauge,
    dslash: str,
    solver: str,
    prec: str,
    recon: int,
    threads: int = 1,
    device: str = "host",
) -> int:
    """Sources that are solved together where nobody says how many."""
    if solver == "block-cg":
        return MOST_IN_BLOCK
    # What was tuned are cores of this machine.
    if device != "host" or virtual.is_virtual(gauge.context.transport):
        return MOST_TOGETHER
    # Most of a mixed solve is in single.
    numbers = getattr(_core.Precision, "single" if prec == "mixed" else prec)
    hop = (choice(_core.Dslash, "dslash", dslash), numbers, recon, gauge.geometry, threads)
    return tuning.together().get(_core.hop_name(*hop), MOST_TOGETHER)


def _batches(sources: int, most: int) -> list[range]:
    """Of about equal size."""
    count = -(-sources // most)
    cuts = [sources * k // count for k in range(count + 1)]
    return [range(begin, end) for begin, end in itertools.pairwise(cuts)]
