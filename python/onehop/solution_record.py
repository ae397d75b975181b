"""Makes the record that `onehop solve` writes."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np

from onehop._core import (
    Context,
    SolveOptions,
    SolveReport,
    allreduce_max,
    allreduce_sum,
    operator_parameters,
)
from onehop.argument import checked
from onehop.baryons import Baryons, log_effective_mass
from onehop.engine import Operator
from onehop.gauge import Gauge
from onehop.mesons import Mesons
from onehop.propagator import Propagator, effective_mass
from onehop.record import finite, new_record, virtual_part
from onehop.source import Source

CONVENTIONS = {
    "wilson": "M psi(x) = (4+m) psi(x) - 1/2 sum_mu [(1-g_mu) U_mu(x) psi(x+mu) + (1+g_mu) "
    "U_mu^+(x-mu) psi(x-mu)], kappa = 1/(2(4+m)); DeGrand-Rossi basis",
    "clover": "wilson - (csw/2) sum_{mu<nu} sigma_mu_nu F_mu_nu, sigma = (i/2)[g_mu,g_nu], F = "
    "-(i/8)(Q - Q^+), Q the sum of the four oriented plaquettes at x; csw as options.csw says",
    "twisted_mass": "wilson or clover + i mu g5, mu as options.mu says: the flavour tau_3 = +1 in "
    "the twisted basis, -mu the other; correlator and mesons are those of the two flavours "
    "together (charged), since g5 S(mu)^+ g5 = S(-mu)",
    "staggered": "M chi(x) = m chi(x) + 1/2 sum_mu eta_mu(x) [U_mu(x) chi(x+mu) - U_mu^+(x-mu) "
    "chi(x-mu)], eta = 1, (-1)^x, (-1)^(x+y), (-1)^(x+y+z)",
    "asqtad": "staggered with fat links F for U, 1/2 sum_mu eta_mu(x) [N_mu(x) chi(x+3mu) - "
    "N_mu^+(x-3mu) chi(x-3mu)] added: F of paths of 1, 3, 5, 7 links and Lepage's with 5/8, 1/16, "
    "1/64, 1/384, -1/16, N of three links with -1/24; a path of n links divided by u0^(n-1), "
    "options.u0, 1/u0 of all of them in the mass",
    "hisq": "as asqtad, of links V: fat7 sums (1/8, 1/16, 1/64, 1/384) of the links given, each "
    "the nearest in U(3); then 1 + e/8, 1/16, 1/64, 1/384, -1/8, -(1 + e)/24, e as "
    "options.naik_epsilon says",
    "boundary": "of the quarks in time as options.boundary says, periodic in space",
    "plaquette": "mean of Re tr P / 3 over sites and the 6 planes",
    "correlator": "sum over x and over spin and colour of source and sink of |S(x,t;source)|^2, t "
    "counted from the source, mass normalisation, no volume factor; of a noise wall divided by the "
    "sites of its time slice; with options.smear_source or smear_sink S is smeared there",
    "mesons": "connected <O(x,t) Obar(source)> of O = psibar Gamma psi, summed over x with "
    "e^(-i p.(x-source)), p_i = 2 pi n_i / L_i; g5 at rest is the correlator. Staggered: sum of "
    "(-1)^(n.x) |S|^2 for each corner n, coupling to spin x taste and, times (-1)^t, its partner",
    "baryons": "<O(x,t) Obar(source)> of the proton eps (u^T C g5 d) u, C = gy gt, and of the "
    "Delta+ eps [2 (u^T C gk d) u + (u^T C gk u) d]/sqrt(3), at rest of spin 3/2, traced with "
    "(1 + parity gt)/2, Obar = O^+ gt, summed over x as mesons; slices beyond the boundary in time "
    "with its sign thrice; effective_mass is log(C(t)/C(t+1))",
    "effective_mass": "acosh((C(t-1)+C(t+1))/(2C(t))), t modulo Nt; null where the argument is "
    "below 1",
    "residuals": "|b - M x| / |b| of the full system; true: recomputed in double by the reference "
    "operator",
    "shifts": "of M^+ M + shift instead of M; of masses the correlator is that of the first",
    "iterations": "of the solver on the even-odd system; iterations, residual_iterated and "
    "residual_true are the largest over the sources",
    "flops": "stated count of all solves and ranks: 1320 (wilson), 570 (staggered) or 1146 "
    "(asqtad, hisq) per site and hopping term, 504 per site and clover matrix (552 for the inverse "
    "with twisted mass, which itself takes 48, 72 without clover), and the vector algebra of the "
    "solver",
    "time": "seconds; total of the slowest rank, its parts averaged over ranks; check is the true "
    "residual, other is copying and conversion; time_halo_wait_us is per iteration",
}


def solve_record(
    gauge: Gauge,
    results: Propagator | Sequence[Propagator],
    *,
    mesons: Mesons | None = None,
    baryons: Baryons | None = None,
    plaquette_header: float = math.nan,
    options: dict | None = None,
    problem: Unsolved | None = None,
) -> dict | None:
    """Returns the record that `onehop solve` writes, of the result of `solve`, or of the list that
    `solve_shifted` or `solve_masses` returned; collective. It is None on all ranks but 0.

    `options` are those of the command; by default those of the results. `plaquette_header` is the
    plaquette in the configuration's file. If there are no results, `problem` says what was tried.

    >>> record = onehop.solve_record(gauge, onehop.solve(gauge, kappa=0.12))
    >>> record["converged"], record["check"]["passed"]
    (True, True)
    >>> record["conventions"]["plaquette"]              # and what every other number means
    'mean of Re tr P / 3 over sites and the 6 planes'
    """
    checked(gauge, Gauge, "the gauge of a record", "onehop.Gauge")
    several = None if isinstance(results, Propagator) else results
    each = (
        [results]
        if several is None
        else list(checked(results, Sequence, "what was solved", "Propagators"))
    )
    for one in each:
        checked(one, Propagator, "one of what was solved", "onehop.Propagator")
    tried = each[0] if each else problem
    reports = [report for one in each for report in one.reports]
    plaquette, times = gauge.plaquette, _times(gauge.context, reports)
    setup_s = _slowest(gauge.context, each[0].setup_s if each else 0.0)
    if gauge.context.rank != 0:
        return None
    record = new_record("solve", options or _options_of(tried))
    record["conventions"] = CONVENTIONS
    record |= {
        "lattice": list(gauge.lattice),
        "grid": list(gauge.grid),
        "ranks": gauge.context.size,
        "transport": gauge.context.transport,
        "kernels": each[0].kernels if each else None,
        "rhs": each[0].options.rhs if each else None,
        "mass": tried.operator.mass,
        "plaquette": plaquette,
        "plaquette_header": finite(plaquette_header),
    }
    record["samples"] = _samples(each, several is not None, times)
    record |= _summary(each, reports, times)
    record["setup_s"] = setup_s
    if several:
        record |= _several(several)
    if mesons is not None:
        record["mesons"] = _mesons(mesons)
    if baryons is not None:
        record["baryons"] = _baryons(baryons)
    record["check"] = _check(tried, reports, problem)
    record["timing"] = _timing(times)
    return record | virtual_part(gauge.context)


@dataclasses.dataclass(frozen=True)
class Unsolved:
    """A solve that ended with an error: its system, and the message."""

    operator: Operator
    options: SolveOptions
    source: Source
    why: str


def _options_of(tried: Propagator | Unsolved) -> dict:
    operator, how = tried.operator, tried.options
    parameters = {name: getattr(operator, name, None) for name, *_ in operator_parameters()}
    words = {name: getattr(how, name) for name in how.names}
    return {"dslash": operator.dslash, **parameters, "source": str(tried.source), **words}


def _times(context: Context, reports: Sequence[SolveReport]) -> np.ndarray:
    """Returns seconds (source, [total, operator, halo wait, vectors, reductions, check]): total of
    the slowest rank, the rest averaged over the ranks."""
    names = ("total_s", "operator_s", "halo_wait_s", "vector_s", "reduction_s", "check_s")
    mine = np.array([[getattr(report.time, name) for name in names] for report in reports])
    if not reports:
        return np.zeros((0, len(names)))
    mean, slowest = mine.ravel(), mine.ravel().copy()
    allreduce_sum(context, mean)
    allreduce_max(context, slowest)
    times = mean.reshape(mine.shape) / context.size
    times[:, 0] = slowest.reshape(mine.shape)[:, 0]
    return times


def _slowest(context: Context, seconds: float) -> float:
    slowest = np.array([seconds])
    allreduce_max(context, slowest)
    return float(slowest[0])


def _variant(one: Propagator) -> tuple[str, float]:
    """Returns in what systems that were solved at once differ."""
    return ("mass", one.operator.mass) if one.shift is None else ("shift", one.shift)


def _samples(each: Sequence[Propagator], several: bool, times: np.ndarray) -> list[dict]:
    rows = iter(times)
    return [
        dict(
            zip(
                ("spin", "colour"),
                one.source.spin_and_colour(number, one.operator.components),
                strict=True,
            )
        )
        | (dict([_variant(one)]) if several else {})
        | {
            "iterations": report.iterations,
            "reliable_updates": report.reliable_updates,
            "converged": report.converged,
            "residual_iterated": finite(report.residual_iterated),
            "residual_true": finite(report.residual_true),
            "flops": report.flops,
            "time_s": float(next(rows)[0]),
        }
        for one in each
        for number, report in enumerate(one.reports)
    ]


def _summary(each: Sequence[Propagator], reports: list[SolveReport], times: np.ndarray) -> dict:
    total_s, _, halo_s, *_ = times.sum(axis=0)
    iterations_total = sum(r.iterations for r in reports)
    return {
        "iterations": max((r.iterations for r in reports), default=None),
        "iterations_total": iterations_total,
        "reliable_updates": max((r.reliable_updates for r in reports), default=None),
        "residual_iterated": finite(max((r.residual_iterated for r in reports), default=np.nan)),
        "residual_true": finite(max((r.residual_true for r in reports), default=np.nan)),
        "converged": bool(reports) and all(r.converged for r in reports),
        "correlator": finite(each[0].correlator) if each else None,
        "effective_mass": finite(each[0].effective_mass) if each else None,
        "flops": float(sum(r.flops for r in reports)),
        "time_to_solution_s": float(total_s),
        "time_per_iteration_us": float(1e6 * total_s / max(1, iterations_total)),
        "time_halo_wait_us": float(1e6 * halo_s / max(1, iterations_total)),
    }


def _several(each: Sequence[Propagator]) -> dict:
    """Returns the results shift by shift or mass by mass; masses alone have correlators."""
    found = []
    for one in each:
        name, value = _variant(one)
        found.append(
            {
                name: value,
                "iterations": max(r.iterations for r in one.reports),
                "residual_iterated": finite(max(r.residual_iterated for r in one.reports)),
                "residual_true": finite(max(r.residual_true for r in one.reports)),
                "converged": one.converged,
            }
        )
        if name == "mass":
            found[-1]["correlator"] = finite(one.correlator)
            found[-1]["effective_mass"] = finite(one.effective_mass)
    return {"masses" if name == "mass" else "shifts": found}


def _mesons(mesons: Mesons) -> list[dict]:
    couples_to = dict(mesons.structures)
    return [
        {
            "structure": name,
            "couples_to": couples_to[name],
            "momentum": list(momentum),
            "correlator": finite(correlator.real),
            "imaginary": finite(correlator.imag),
            "effective_mass": finite(effective_mass(correlator.real)),
        }
        for name, momentum, correlator in mesons
    ]


def _baryons(baryons: Baryons) -> list[dict]:
    return [
        {
            "baryon": name,
            "parity": parity,
            "momentum": list(momentum),
            "correlator": finite(correlator.real),
            "imaginary": finite(correlator.imag),
            "effective_mass": finite(log_effective_mass(correlator.real)),
        }
        for name, parity, momentum, correlator in baryons
    ]


def _check(
    tried: Propagator | Unsolved, reports: list[SolveReport], problem: Unsolved | None
) -> dict:
    passed = bool(reports) and all(r.converged for r in reports)
    if problem is not None:
        why = problem.why
    elif not passed:
        why = _why_open(reports, tried.options)
    else:
        why = "true residual of every source agrees with the solver's and meets the tolerance"
    return {"passed": passed, "tolerance": tried.options.tol, "why": why}


def _why_open(reports: list[SolveReport], options: SolveOptions) -> str:
    """Returns whether time or digits were too few."""
    failed = [r for r in reports if not r.converged]
    count = f"{len(failed)} of {len(reports)} sources did not converge"
    if any(r.iterations >= options.max_iter for r in failed):
        return f"{count} in {options.max_iter} iterations"
    advice = (
        "larger --tol" if options.prec in ("double", "mixed") else "larger --tol or --prec mixed"
    )
    return f"{count}: the residual of {options.prec} numbers falls no further; use a {advice}"


def _timing(times: np.ndarray) -> dict:
    total, *parts = (float(t) for t in times.sum(axis=0))
    operator, halo_wait, vectors, reductions, check = parts
    return {
        "total_s": total,
        "operator_s": operator,
        "halo_wait_s": halo_wait,
        "vectors_s": vectors,
        "reductions_s": reductions,
        "check_s": check,
        "other_s": max(0.0, total - sum(parts)),
    }
