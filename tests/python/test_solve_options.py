"""Operators and options are objects: combinations that make no sense cannot be made, or are
refused."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest

import onehop
from onehop import _core, tuning


@pytest.fixture(scope="module")
def gauge():
    return onehop.hot_gauge((4, 4, 4, 8), 3)


def test_a_solution_goes_to_another_process_and_is_copied(gauge):
    clover = onehop.Clover(kappa=0.12, csw=1.1, mu=0.2)
    quark = onehop.solve(gauge, clover, source="random:1", tol=1e-6, prec="mixed", rhs=1)
    for copied in (pickle.loads(pickle.dumps(quark)), copy.deepcopy(quark)):
        assert repr(copied.operator) == repr(clover)
        assert repr(copied.reports) == repr(quark.reports)
        assert copied.reports[0].time.check_s == quark.reports[0].time.check_s
        assert copied.reports[0].residual_iterated == quark.reports[0].residual_iterated
        for name in _core.SolveOptions.names:
            assert getattr(copied.options, name) == getattr(quark.options, name)
        np.testing.assert_array_equal(copied.propagator, quark.propagator)


@pytest.mark.parametrize(
    ("operator", "words"),
    [
        (onehop.Wilson(kappa=0.12), {"kappa": 0.12}),
        (onehop.Clover(mass=0.3, csw=0.5, mu=0.1), {"mass": 0.3, "csw": 0.5, "mu": 0.1}),
        (onehop.Asqtad(mass=0.4, u0=0.9), {"mass": 0.4, "u0": 0.9}),
    ],
)
def test_an_operator_is_what_its_words_say(gauge, operator, words):
    how = {"source": "random:1", "tol": 1e-6}
    by_type = onehop.solve(gauge, operator, **how)
    by_words = onehop.solve(gauge, dslash=operator.dslash, **words, **how)
    assert np.array_equal(by_type.propagator, by_words.propagator)
    assert by_type.operator is operator


def test_parameters_have_their_defaults():
    clover = onehop.Clover(kappa=0.125)
    assert (clover.mass, clover.csw, clover.mu) == (0.0, 1.0, 0.0)
    assert (clover.dslash, clover.components, clover.reach) == ("clover", 12, 1)
    assert repr(onehop.Hisq(mass=0.2)) == "Hisq(mass=0.2, naik_epsilon=0)"
    assert onehop.Hisq(mass=0.2).with_mass(0.5).mass == 0.5


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: onehop.Wilson(mass=0.1, csw=1.5), "csw 1.5 is for clover; wilson has no clover"),
        (lambda: onehop.Staggered(kappa=0.1), "kappa 0.1 is for wilson and clover"),
        (lambda: onehop.Wilson(), "the quark mass is missing; give kappa or mass"),
        (lambda: onehop.Wilson(mass=1, kappa=0.1), "give one of them"),
        (lambda: onehop.Wilson(kappa=float("nan")), "a finite number is needed"),
        (lambda: onehop.SolveOptions(solver="bicgstb"), "choose cg, bicgstab, "),
        (lambda: onehop.SolveOptions(rhs=0), "give 1 or more"),
        (lambda: onehop.Wilson(kappa="0.12"), "kappa is of type str: give a number"),
        (lambda: onehop.Clover(kapa=0.12), "no operator has a parameter kapa; there are kappa, "),
    ],
)
def test_what_does_not_go_together_is_refused(make, message):
    with pytest.raises(onehop.UsageError, match=message):
        make()


def test_options_that_no_solve_has_are_refused(gauge):
    with pytest.raises(TypeError, match="no option 'toll'; the nearest is 'tol'"):
        onehop.solve(gauge, onehop.Wilson(mass=1), toll=1)
    with pytest.raises(TypeError, match="tol cannot be 'small'"):
        onehop.SolveOptions(tol="small")
    with pytest.raises(onehop.UsageError, match="both given"):
        onehop.solve(gauge, onehop.Wilson(mass=1), csw=1.0)
    with pytest.raises(onehop.UsageError, match="bicgstab is for wilson and clover"):
        onehop.SolveOptions(solver="bicgstab").check(onehop.Staggered(mass=1))


@pytest.mark.parametrize("tol", [1, 2.5, float("inf")])
def test_a_tolerance_that_zeros_meet_is_refused(gauge, refused, tol):
    loose, told = onehop.SolveOptions(tol=tol), "is met by zeros, whose residual is 1; give one be"
    for solve in (
        lambda: onehop.solve(gauge, mass=1.0, tol=tol),
        lambda: onehop.solve(gauge, mass=1.0, options=loose),
        lambda: onehop.solve_shifted(gauge, [0.1], mass=1.0, tol=tol),
        lambda: onehop.solve_masses(gauge, [0.1, 0.2], options=loose),
    ):
        with pytest.raises(onehop.UsageError, match=told):
            solve()
    if tol < float("inf"):
        line = refused("solve", "--lattice", "4x4x4x4", "--mass", 1, "--tol", tol)
        assert line.startswith(f"--tol: '{tol}': tolerance {tol:g} {told}")
    assert onehop.solve(gauge, mass=1.0, tol=0.99).converged


def test_keywords_go_before_options(gauge):
    options = onehop.SolveOptions(tol=1e-3, max_iter=7, rhs=2)
    found = onehop.solve(gauge, onehop.Wilson(mass=1), options=options, tol=1e-6).options
    assert (found.tol, found.max_iter, found.rhs) == (1e-6, 7, 2)
    assert options.tol == 1e-3


def test_every_option_has_help_and_a_default():
    options = onehop.SolveOptions()
    for name in options.names:
        assert options.help[name].endswith(".")
        default = getattr(options, name)
        if name in options.choices:
            assert default in options.choices[name]
    assert (options.tol, options.rhs) == (1e-10, None)


def test_a_solve_goes_by_the_tuning_file_as_one_in_cpp_does(gauge, tmp_path, monkeypatch):
    monkeypatch.setenv("ONEHOP_TUNING", str(tmp_path / "tuning.json"))
    tuning.save_hop("wilson/single/18/4x4x4x8/1x1x1x1/1", {"3": "order:2x2x2"}, 6)
    operator, mixed = onehop.Wilson(mass=1), onehop.SolveOptions(prec="mixed")
    # The constructor of the solver in C++ takes its rhs from here too, see
    # tests/unit/tuning_test.cpp.
    assert _core.default_rhs(gauge.geometry, operator, mixed) == 6
    assert onehop.solve(gauge, operator, options=mixed, keep=False).options.rhs == 6
    assert onehop.solve(gauge, operator, keep=False).options.rhs == 4
    assert onehop.solve(gauge, operator, prec="mixed", source="random:1").options.rhs == 1


def test_a_notebook_writes_the_record_of_the_command(gauge, tmp_path):
    result = onehop.solve(gauge, onehop.Clover(mass=1, csw=0.5), tol=1e-8)
    record = onehop.solve_record(gauge, result)
    onehop.write_record(record, str(tmp_path / "record.json"))
    read = json.loads((tmp_path / "record.json").read_text())
    assert read["schema"] == "onehop.solve/1" and read["check"]["passed"]
    assert read["options"]["csw"] == 0.5 and read["options"]["tol"] == 1e-8
    assert read["correlator"] == list(result.correlator)
    assert len(read["samples"]) == 12 and read["timing"]["total_s"] > 0


def test_records_of_several_systems_name_them(gauge):
    masses = onehop.solve_masses(gauge, [0.5, 0.8], source="random:1")
    record = onehop.solve_record(gauge, masses)
    assert [one["mass"] for one in record["masses"]] == [0.5, 0.8]
    assert [one["mass"] for one in record["samples"]] == [0.5, 0.8]
    shifted = onehop.solve_shifted(gauge, [0.1], onehop.Wilson(mass=1), source="random:1")
    assert [one["shift"] for one in onehop.solve_record(gauge, shifted)["shifts"]] == [0.1]
