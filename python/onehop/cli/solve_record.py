"""What `onehop solve` found, as a record."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from onehop.cli import virtual_reading
from onehop.cli.record import finite, new_record
from onehop.engine import STAGGERED, kappa_to_mass
from onehop.propagator import effective_mass

if TYPE_CHECKING:
    import types

    from onehop._core import SolveReport
    from onehop.gauge import Gauge
    from onehop.mesons import Mesons
    from onehop.propagator import Propagator

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
    "sites of its time slice",
    "mesons": "connected <O(x,t) Obar(source)> of O = psibar Gamma psi, summed over x with "
    "e^(-i p.(x-source)), p_i = 2 pi n_i / L_i; g5 at rest is the correlator. Staggered: sum of "
    "(-1)^(n.x) |S|^2 for each corner n, coupling to spin x taste and, times (-1)^t, its partner",
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


@dataclasses.dataclass
class Solved:
    """`times` as (source, [total, operator, halo wait, vectors, reductions, check]); `setup_s` of
    the slowest rank; `problem` is the message when the true residual contradicted the solver's;
    `each` has one result per shift or mass, `result` the reports of all."""

    gauge: Gauge
    each: list[Propagator]
    result: Propagator | None
    mesons: Mesons | None
    problem: str | None
    plaquettes: tuple[float, float]
    times: np.ndarray
    setup_s: float

    @property
    def passed(self) -> bool:
        return self.result is not None and self.result.converged


def joined(each: list[Propagator]) -> Propagator:
    """The first with the reports of all."""
    return dataclasses.replace(each[0], reports=[r for one in each for r in one.reports])


def solve_record(solved: Solved, options: types.SimpleNamespace) -> dict:
    record = new_record("solve", options)
    record["conventions"] = CONVENTIONS
    record |= _place(solved, options)
    record["samples"] = _samples(solved, options)
    record |= _summary(solved)
    record |= _several(solved, options)
    if solved.mesons is not None:
        record["mesons"] = _mesons(solved.mesons)
    record["check"] = _check(solved, options)
    record["timing"] = _timing(solved)
    return record | virtual_reading.read(solved.gauge.context)


def _place(solved: Solved, options: types.SimpleNamespace) -> dict:
    computed, header = solved.plaquettes
    gauge = solved.gauge
    return {
        "lattice": list(gauge.lattice),
        "grid": list(gauge.grid),
        "ranks": gauge.context.size,
        "transport": gauge.context.transport,
        "kernels": solved.result.kernels if solved.result else None,
        "rhs": solved.result.together if solved.result else None,
        "mass": options.mass if options.kappa is None else kappa_to_mass(options.kappa),
        "plaquette": computed,
        "plaquette_header": finite(header),
    }


def _samples(solved: Solved, options: types.SimpleNamespace) -> list[dict]:
    if solved.result is None:
        return []
    source = solved.result.source
    components = 3 if options.dslash in STAGGERED else 12
    sources = len(solved.each[0].reports)
    name, values = _variants(options)
    return [
        dict(
            zip(
                ("spin", "colour"),
                source.spin_and_colour(number % sources, components),
                strict=True,
            )
        )
        | ({name: values[number // sources]} if name else {})
        | {
            "iterations": report.iterations,
            "converged": report.converged,
            "residual_iterated": finite(report.residual_iterated),
            "residual_true": finite(report.residual_true),
            "flops": report.flops,
            "time_s": float(times[0]),
        }
        for number, (report, times) in enumerate(
            zip(solved.result.reports, solved.times, strict=True)
        )
    ]


def _summary(solved: Solved) -> dict:
    result = solved.result
    reports = result.reports if result else []
    total_s, _, halo_s, *_ = solved.times.sum(axis=0)
    iterations_total = sum(r.iterations for r in reports)
    return {
        "iterations": max((r.iterations for r in reports), default=None),
        "iterations_total": iterations_total,
        "residual_iterated": finite(max((r.residual_iterated for r in reports), default=np.nan)),
        "residual_true": finite(max((r.residual_true for r in reports), default=np.nan)),
        "converged": solved.passed,
        "correlator": finite(result.correlator) if result else None,
        "effective_mass": finite(result.effective_mass) if result else None,
        "flops": float(sum(r.flops for r in reports)),
        "setup_s": solved.setup_s,
        "time_to_solution_s": float(total_s),
        "time_per_iteration_us": float(1e6 * total_s / max(1, iterations_total)),
        "time_halo_wait_us": float(1e6 * halo_s / max(1, iterations_total)),
    }


def _variants(options: types.SimpleNamespace) -> tuple[str, list[float]]:
    """What the systems differ in, and its values; an empty name for one system."""
    if options.shifts is not None:
        return "shift", options.shifts
    return ("mass", options.masses) if options.masses is not None else ("", [])


def _several(solved: Solved, options: types.SimpleNamespace) -> dict:
    """Shift by shift or mass by mass; correlators of masses only."""
    name, values = _variants(options)
    if not name or not solved.each:
        return {}
    return {
        f"{name}{'es' if name == 'mass' else 's'}": [
            {
                name: value,
                "iterations": max(r.iterations for r in one.reports),
                "residual_iterated": finite(max(r.residual_iterated for r in one.reports)),
                "residual_true": finite(max(r.residual_true for r in one.reports)),
                "converged": one.converged,
            }
            | (
                {
                    "correlator": finite(one.correlator),
                    "effective_mass": finite(one.effective_mass),
                }
                if name == "mass"
                else {}
            )
            for value, one in zip(values, solved.each, strict=True)
        ]
    }


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


def _check(solved: Solved, options: types.SimpleNamespace) -> dict:
    if solved.problem is not None:
        why = solved.problem
    elif not solved.passed:
        why = _why_open(solved.result.reports, options)
    else:
        why = "true residual of every source agrees with the solver's and meets the tolerance"
    return {"passed": solved.passed, "tolerance": options.tol, "why": why}


def _why_open(reports: list[SolveReport], options: types.SimpleNamespace) -> str:
    """Whether time or digits were too few."""
    failed = [r for r in reports if not r.converged]
    count = f"{len(failed)} of {len(reports)} sources did not converge"
    if any(r.iterations >= options.max_iter for r in failed):
        return f"{count} in {options.max_iter} iterations"
    advice = (
        "larger --tol" if options.prec in ("double", "mixed") else "larger --tol or --prec mixed"
    )
    return f"{count}: the residual of {options.prec} numbers falls no further; use a {advice}"


def _timing(solved: Solved) -> dict:
    total, *parts = (float(t) for t in solved.times.sum(axis=0))
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
