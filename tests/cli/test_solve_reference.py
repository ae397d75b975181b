"""`onehop solve` is compared on real configurations with the numbers of a mature code."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

GRIDS = ("1x1x1x1", "1x1x1x2", "2x1x1x1", "1x1x2x2", "2x2x1x1")


@pytest.fixture(scope="module")
def reference(data):
    cases = json.loads((data / "solve_reference.json").read_text())
    return next(c for c in cases if c["case"] == "milc_k0.135")


def agrees(record, reference, correlator):
    assert math.isclose(record["plaquette"], reference["plaquette"], rel_tol=1e-9)
    assert np.allclose(record["correlator"], correlator, rtol=1e-9, atol=0)


@pytest.mark.parametrize("grid", GRIDS)
def test_wilson_agrees_with_a_mature_code(solve, data, reference, grid):
    words = ("--kappa", "0.135", "--tol", "1e-12", "--grid", grid)
    record = solve(data / reference["config"], *words)
    agrees(record, reference, reference["wilson"]["pion"])


@pytest.mark.parametrize("overlap", ["none", "faces"])
def test_wilson_agrees_with_each_overlap_and_bicgstab(solve, data, reference, overlap):
    words = ("--kappa", "0.135", "--tol", "1e-12", "--solver", "bicgstab", "--overlap", overlap)
    record = solve(data / reference["config"], *words, "--grid", "1x1x2x2")
    agrees(record, reference, reference["wilson"]["pion"])


@pytest.mark.parametrize("grid", ["1x1x1x1", "2x2x1x1"])
def test_staggered_agrees_with_a_mature_code(solve, data, reference, grid):
    words = ("--dslash", "staggered", "--mass", "0.05", "--tol", "1e-12", "--grid", grid)
    record = solve(data / reference["config"], *words)
    agrees(record, reference, reference["staggered"]["pion"])


@pytest.mark.parametrize("dslash", ["asqtad", "hisq"])
def test_improved_staggered_on_a_real_configuration(solve, data, reference, dslash):
    words = ("--dslash", dslash, "--mass", "0.05", "--tol", "1e-11")
    alone = solve(data / reference["config"], *words)
    assert alone["converged"] and alone["residual_true"] <= 1e-11
    assert alone["correlator"] != reference["staggered"]["pion"]
    fewer = ("--prec", "mixed", "--grid", "1x1x2x2", "--overlap", "faces")
    together = solve(data / reference["config"], *words, *fewer)
    assert together["residual_true"] <= 1e-11
    assert np.allclose(together["correlator"], alone["correlator"], rtol=1e-8, atol=0)


@pytest.mark.parametrize(
    ("solver", "prec"),
    [("cg", "double"), ("cg", "mixed"), ("pipelined-cg", "double"), ("pipelined-cg", "mixed")],
)
def test_iterations_are_those_of_a_mature_code(solve, data, reference, solver, prec):
    for tol, theirs in reference["wilson"]["cg_eo_iters_source00"].items():
        words = ("--kappa", "0.135", "--tol", tol, "--solver", solver, "--prec", prec)
        record = solve(data / reference["config"], *words)
        assert record["samples"][0]["iterations"] <= 1.1 * theirs["iters"]


@pytest.mark.parametrize("prec", ["double", "mixed"])
def test_sources_that_search_together_need_fewer_iterations(solve, data, reference, prec):
    words = ("--kappa", "0.135", "--tol", "1e-13", "--solver", "block-cg", "--prec", prec)
    record = solve(data / reference["config"], *words, "--grid", "1x1x1x2")
    agrees(record, reference, reference["wilson"]["pion"])
    for sample, alone in zip(record["samples"], reference["wilson"]["sources"], strict=True):
        assert sample["iterations"] < 0.9 * alone["iters_tol1e13"]


@pytest.mark.parametrize("prec", ["double", "mixed"])
def test_iterations_of_bicgstab_are_those_of_a_mature_code(solve, data, reference, prec):
    words = ("--kappa", "0.135", "--tol", "1e-8", "--solver", "bicgstab", "--prec", prec)
    record = solve(data / reference["config"], *words)
    assert (
        record["samples"][0]["iterations"] <= 1.1 * reference["wilson"]["bicgstab_eo_iters_tol1e-8"]
    )


@pytest.mark.parametrize(
    "how", [("--solver", "cg"), ("--solver", "pipelined-cg"), ("--prec", "mixed")]
)
def test_staggered_iterations_are_those_of_a_mature_code(solve, data, reference, how):
    """The solves go to the residual of the whole system that the mature code had."""
    for theirs in reference["staggered"]["cg_eo_iters_source0"].values():
        words = ("--dslash", "staggered", "--mass", "0.05", "--tol", str(theirs["true_res"]), *how)
        record = solve(data / reference["config"], *words)
        assert record["samples"][0]["iterations"] <= 1.1 * theirs["iters"]


@pytest.mark.parametrize("prec", ["double", "mixed"])
def test_masses_at_once_are_those_one_by_one(solve, data, reference, prec):
    words = (data / reference["config"], "--dslash", "staggered", "--tol", "1e-12")
    record = solve(*words, "--masses", "0.2,0.05", "--prec", prec, "--ranks", "2")
    agrees(record | record["masses"][1], reference, reference["staggered"]["pion"])
    heavy = solve(*words, "--mass", "0.2")["correlator"]
    assert np.allclose(record["masses"][0]["correlator"], heavy, rtol=1e-9, atol=0)
    assert [(s["mass"], s["colour"]) for s in record["samples"][2:4]] == [(0.2, 2), (0.05, 0)]
    assert record["masses"][0]["iterations"] < record["masses"][1]["iterations"]


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--grid", "2x2x1x1"),
        ("--grid", "1x1x2x2", "--solver", "bicgstab"),
        ("--prec", "mixed", "--recon", "12"),
        ("--prec", "mixed", "--recon", "8", "--solver", "bicgstab", "--threads", "2"),
    ],
)
def test_clover_agrees_with_a_mature_code(solve, data, reference, words):
    words = ("--dslash", "clover", "--csw", "1", "--kappa", "0.135", "--tol", "1e-12", *words)
    record = solve(data / reference["config"], *words)
    agrees(record, reference, reference["clover"]["pion"])


def test_clover_iterations_are_those_of_a_mature_code(solve, data, reference):
    words = ("--dslash", "clover", "--kappa", "0.135", "--tol", "1e-8")
    record = solve(data / reference["config"], *words)
    expected = reference["clover"]["cg_eo_iters_source00"]["1e-08"]
    assert record["samples"][0]["iterations"] <= 1.1 * expected
    stab = solve(data / reference["config"], *words, "--solver", "bicgstab")
    assert stab["samples"][0]["iterations"] <= expected / 2
