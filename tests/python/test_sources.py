"""Callers may give sources of their own."""

from __future__ import annotations

import numpy as np
import pytest

import onehop
from onehop.engine import empty_solutions

LATTICE = (4, 4, 4, 6)


@pytest.fixture(scope="module")
def gauge():
    return onehop.hot_gauge(LATTICE, seed=3)


def points(gauge, operator, site=(1, 0, 2, 3)):
    fields = empty_solutions(gauge.geometry, operator, operator.components)
    for number, field in enumerate(fields):
        onehop.Source("point", site).fill(gauge.geometry, number, operator.components, field)
    return fields


@pytest.mark.parametrize(
    "operator", [onehop.Wilson(mass=0.5), onehop.Staggered(mass=0.5)], ids=["wilson", "staggered"]
)
def test_fields_are_solved_for_as_what_they_are_made_of(gauge, operator):
    ready = onehop.solve(gauge, operator, source="point:1,0,2,3", tol=1e-10)
    own = onehop.solve(gauge, operator, source=points(gauge, operator), tol=1e-10)
    assert np.array_equal(own.propagator, ready.propagator) and own.converged
    assert own.correlator is None and str(own.source) == "field"
    with pytest.raises(onehop.UsageError, match="no correlator to draw"):
        own.plot()
    one = onehop.solve(gauge, operator, source=points(gauge, operator)[2], tol=1e-10, rhs=1)
    assert one.propagator.shape == (1, *ready.propagator.shape[1:])
    assert np.allclose(one.propagator[0], ready.propagator[2], atol=1e-8)


@pytest.mark.parametrize("prec", ["single", "mixed", "half", "double"])
def test_fields_may_be_of_any_size(gauge, prec):
    """A sequential source of heavy quarks is far below 1, and its square below single numbers."""
    operator = onehop.Wilson(mass=0.5)
    how = {"prec": prec, "tol": 1e-9 if prec in ("mixed", "double") else 1e-3}
    fields = points(gauge, operator)[:2]
    wanted = onehop.solve(gauge, operator, source=fields, **how).propagator
    for power in (-540, -73, 66):
        found = onehop.solve(gauge, operator, source=fields * 2.0**power, **how)
        assert found.converged
        assert np.array_equal(found.propagator / 2.0**power, wanted)


@pytest.mark.parametrize("power", [-540, 66])
def test_smeared_and_shifted_fields_may_be_of_any_size(gauge, power):
    operator = onehop.Wilson(mass=0.5)
    fields = points(gauge, operator)[:1]
    smearing = onehop.QuarkSmearing(gauge, kappa=0.2, steps=3)
    how = {"prec": "single", "tol": 1e-3}
    near, far = (
        [
            onehop.solve(gauge, operator, source=smearing.source(source), **how),
            onehop.solve_shifted(gauge, [0.1], operator, source=source, tol=1e-3, prec="single")[0],
        ]
        for source in (fields, fields * 2.0**power)
    )
    for one, other in zip(near, far, strict=True):
        assert other.converged
        assert np.array_equal(other.propagator / 2.0**power, one.propagator)


def test_solving_is_linear_in_the_source(gauge):
    operator = onehop.Wilson(mass=0.5)
    fields = points(gauge, operator)
    sum_ = onehop.solve(gauge, operator, source=fields[0] + 2j * fields[7], tol=1e-12).propagator[0]
    apart = onehop.solve(gauge, operator, source=fields, tol=1e-12).propagator
    assert np.allclose(sum_, apart[0] + 2j * apart[7], atol=1e-9)


def test_fields_of_another_shape_are_refused(gauge):
    told = r"takes \(6, 4, 4, 4, 4, 3\), or several behind one another, \(n, 6, 4, 4, 4, 4, 3\)"
    for shape in [(6, 4, 4, 4, 3), (0, 6, 4, 4, 4, 4, 3), (4, 4, 4, 6, 4, 3), (2, 2)]:
        with pytest.raises(onehop.UsageError, match=told):
            onehop.solve(gauge, onehop.Wilson(mass=0.5), source=np.zeros(shape, complex))


def test_a_record_says_that_the_source_was_given(gauge, tmp_path):
    operator = onehop.Wilson(mass=0.5)
    result = onehop.solve(gauge, operator, source=points(gauge, operator)[:2], tol=1e-8)
    record = onehop.solve_record(gauge, result)
    assert record["correlator"] is None
    assert [(s["spin"], s["colour"]) for s in record["samples"]] == [(None, None)] * 2
