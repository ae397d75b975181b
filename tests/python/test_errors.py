"""The library raises the errors that Python's own functions raise, and none is swallowed."""

from __future__ import annotations

import copy
import pickle
import re

import numpy as np
import pytest

import onehop
from onehop import _core
from onehop.argument import Made
from onehop.counted import counted
from onehop.flow import smear
from onehop.output import check_writable, complete_or_absent, complete_together


def test_what_is_wrong_with_a_file_is_an_oserror(tmp_path):
    with pytest.raises(OSError, match="missing.nersc: cannot be opened: No such file") as told:
        onehop.read_gauge(tmp_path / "missing.nersc")
    assert type(told.value) is onehop.FileError and isinstance(told.value, onehop.Error)
    name = tmp_path / "damaged.ildg"
    onehop.hot_gauge((4, 4, 4, 4), seed=1).write(name, format="ildg")
    data = bytearray(name.read_bytes())
    data[len(data) // 2] ^= 1
    name.write_bytes(data)
    with pytest.raises(OSError, match="checksum") as told:
        onehop.read_gauge(name)
    assert type(told.value) is onehop.ChecksumError


def test_what_is_wrong_with_an_argument_is_a_valueerror():
    gauge = onehop.cold_gauge((4, 4, 4, 4))
    for wrong in (
        lambda: onehop.Wilson(kappa=-1),
        lambda: onehop.cold_gauge((4, 4, 4, 4), grid=(2, 1, 1, 1)),
        lambda: onehop.solve(gauge, mass=1.0, source="heap:1"),
        lambda: onehop.solve(gauge, mass=1.0, tol=-1.0),
    ):
        with pytest.raises(ValueError, match=r".") as told:
            wrong()
        assert isinstance(told.value, onehop.UsageError)
    assert issubclass(onehop.ChainError, ValueError)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (
            lambda g: onehop.hot_gauge((4, 4, 4), 1),
            "the lattice is (4, 4, 4): give four whole numbers",
        ),
        (lambda g: onehop.cold_gauge(4), "the lattice is 4: give four whole numbers x, y, z, t"),
        (lambda g: onehop.cold_gauge((4, 4, 4, 4), grid=(1, 1)), "the grid is (1, 1): give four"),
        (lambda g: onehop.hot_gauge((4, 4, 4, 4), "x"), "the seed is of type str: give a whole"),
        (lambda g: g.heatbath(beta="6", seed=1, sweep=0), "beta is of type str: give a number"),
        (lambda g: g.heatbath(beta=6, seed=1, sweep=0.5), "sweep is of type float: give a whole"),
        (
            lambda g: onehop.solve(g, mass=1.0, options=3),
            "options is of type int: give SolveOptions",
        ),
        (lambda g: onehop.solve(g, mass=1.0, source=None), "four coordinates x, y, z, t; got None"),
        (lambda g: onehop.solve(g, "wilson"), "the operator is of type str: give onehop.Wilson("),
        (lambda g: onehop.solve(None, mass=1.0), "the gauge of solve is of type NoneType: give a"),
        (lambda g: onehop.Dirac("a.nersc", mass=1.0), "the gauge of Dirac is of type str: give a"),
        (lambda g: onehop.meson_correlators(g, None), "a quark of a meson is of type NoneType"),
        (lambda g: onehop.baryon_correlators(g, g), "a quark of a baryon is of type Gauge: give"),
        (
            lambda g: onehop.sequential_source(g, g, 0),
            "the quark of a sequential source is of type",
        ),
        (
            lambda g: onehop.solve_shifted(g.field, [1.0], mass=1.0),
            "the gauge of solve_shifted is of type GaugeField",
        ),
        (lambda g: onehop.write_trace(g, "trace.json"), "the context of write_trace is of type"),
        (
            lambda g: onehop.solve_record(None, []),
            "the gauge of a record is of type NoneType: give",
        ),
        (lambda g: onehop.solve_record(g, None), "what was solved is of type NoneType: give"),
        (lambda g: onehop.solve_record(g, [None]), "one of what was solved is of type NoneType"),
        (
            lambda g: onehop.eigenvector_residuals(None, None),
            "what has residuals is of type NoneType: give onehop.Eigenvectors",
        ),
        (
            lambda g: onehop.momenta_up_to(2**31),
            "squared momentum is 2147483648: give a whole number",
        ),
        (
            lambda g: onehop.Stream(g.context, [2**40], [0]),
            "one of the producers of a stream is 1099511627776: give a whole number",
        ),
        (lambda g: onehop.Wilson(0.13), "kappa, mass, mu, as in onehop.Wilson(kappa=0.13)"),
        (lambda g: onehop.Clover(0.13, 1.0), "name what is given, kappa, mass, csw, mu, as in"),
        (lambda g: onehop.Staggered(0.1), "name what is given, mass, as in onehop.Staggered(mass="),
        (lambda g: onehop.SolveOptions("cg"), "name what is given, solver, prec, recon, rhs, tol"),
        (lambda g: onehop.solve(g, kapa=0.1), "has a parameter 'kapa'; did you mean kappa?"),
        (lambda g: onehop.solve(g, mass=1.0, source=[0.5, 0, 0, 0]), "four coordinates x, y, z, t"),
        (
            lambda g: onehop.solve(g, mass=1.0, source=np.full((2, 4), "a")),
            "the source is an array of <U1: give complex numbers",
        ),
        (lambda g: onehop.Dirac(g, mass=1.0).apply("x"), "the field is an array of <U1: give"),
        (lambda g: onehop.Dirac(g, mass=1.0, options={}), "options is of type dict: give Solve"),
        (lambda g: onehop.hot_gauge((4, 4, 4, 4), -1), "the seed is -1: give a whole number from"),
        (lambda g: g.heatbath(beta=6, seed=2**64, sweep=0), "seed is 18446744073709551616: give a"),
        (
            lambda g: onehop.solve_shifted(g, 0.1, mass=1.0),
            "shifts are 0.1: give a list of numbers",
        ),
        (
            lambda g: onehop.solve_masses(g, "0.1,0.2"),
            "masses are '0.1,0.2': give a list of numbers",
        ),
        (
            lambda g: onehop.meson_correlators(g, onehop.solve(g, mass=1.0), (0, 0, 0)),
            "momenta (0, 0, 0): give a list of them, each of three whole numbers",
        ),
        (
            lambda g: g.fix("landau", tolerance="x"),
            "tolerance is of type str: give a number",
        ),
        (
            lambda g: onehop.QuarkSmearing(g, kappa="x", steps=2),
            "the kappa of QuarkSmearing is of type str: give a number",
        ),
        (
            lambda g: onehop.QuarkSmearing(g, kappa=0.2, steps=2.7),
            "the number of smearing steps is of type float: give a whole number",
        ),
    ],
)
def test_an_argument_of_another_kind_is_told_in_a_line(wrong, told):
    with pytest.raises(onehop.UsageError, match=re.escape(told)):
        wrong(onehop.cold_gauge((4, 4, 4, 4)))


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda g, n: onehop.hot_gauge((4, 4, 4, n), 1), "a number of the lattice is {}: give a"),
        (lambda g, n: onehop.cold_gauge((4, 4, 4, 4), (1, 1, 1, n)), "a number of the grid is {}"),
        (lambda g, n: g.fix("landau", max_sweeps=n), "max_sweeps is {}: give a whole number from"),
        (
            lambda g, n: g.heatbath(beta=6, seed=1, sweep=0, overrelaxation=n),
            "overrelaxation is {}",
        ),
        (lambda g, n: g.heatbath(beta=6, seed=1, sweep=2**64 + n), "give a whole number from 0 to"),
        (lambda g, n: g.heatbath(beta=6, seed=1, sweep=-n), "sweep is -{}: give a whole number fr"),
        (
            lambda g, n: onehop.QuarkSmearing(g, kappa=0.2, steps=n),
            "number of smearing steps is {}",
        ),
        (lambda g, n: onehop.solve(g, mass=1.0, source=(0, 0, 0, n)), "of the source is {}: give"),
        (lambda g, n: onehop.solve(g, mass=1.0, source=f"wall:{n}"), "of the source is {}: give"),
        (
            lambda g, n: onehop.meson_correlators(g, onehop.solve(g, mass=1.0), [(0, 0, n)]),
            "a momentum is {}: give a whole number from -2147483648 to 2147483647",
        ),
        (
            lambda g, n: onehop.baryon_correlators(
                g, onehop.solve(g, mass=1.0), momenta=[(n, 0, 0)]
            ),
            "a momentum is {}: give a whole number",
        ),
    ],
)
@pytest.mark.parametrize("number", [2**31, 10**30])
def test_a_number_that_the_library_does_not_hold_is_told_in_a_line(wrong, told, number):
    with pytest.raises(onehop.UsageError, match=re.escape(told.format(number))):
        wrong(onehop.cold_gauge((4, 4, 4, 4)), number)


def test_the_name_of_a_file_may_be_bytes(tmp_path):
    name = bytes(tmp_path / "a.nersc")
    onehop.hot_gauge((4, 4, 4, 4), 1).write(name)
    assert onehop.inspect_gauge(name).format == "NERSC"
    assert onehop.read_gauge(name).plaquette == onehop.hot_gauge((4, 4, 4, 4), 1).plaquette


def test_a_job_shows_itself():
    assert repr(onehop.join("self")) == "<Context rank 0 of 1, transport self>"


def test_other_errors_are_neither():
    for kind in (onehop.NumericError, onehop.PeerError, onehop.TimeoutError, onehop.ResourceError):
        assert issubclass(kind, onehop.Error)
        assert not issubclass(kind, (OSError, ValueError))


@pytest.mark.parametrize("kind", [onehop.UsageError, onehop.FileError])
def test_an_error_is_its_message(kind):
    told = kind("what, where and what to do")
    assert str(told) == "what, where and what to do"
    again = pickle.loads(pickle.dumps(told))
    assert type(again) is kind and str(again) == str(told)


def test_a_refusal_is_not_taken_for_one_of_the_system(tmp_path):
    with pytest.raises(onehop.FileError, match="it is a folder; give a file name"):
        check_writable(str(tmp_path))
    with pytest.raises(
        onehop.FileError, match="No such file or directory; make the folder .*/no first"
    ):
        check_writable(str(tmp_path / "no" / "record.json"))
    context = onehop.join("self")
    name = str(tmp_path / "record.json")
    for writing in (complete_or_absent(name), complete_together(context, name)):
        with pytest.raises(onehop.FileError, match="^the real reason$"), writing:
            raise onehop.FileError("the real reason")
    assert list(tmp_path.iterdir()) == []


def test_one_source_is_no_plural():
    solved = onehop.solve(onehop.cold_gauge((4, 4, 4, 4)), mass=1.0, source="random:1")
    assert repr(solved).startswith("<Propagator of 1 source, converged")


def test_numbers_of_any_array_are_taken():
    """What NumPy has by default, an integer or a field in Fortran's order, needs no conversion."""
    gauge = onehop.hot_gauge(np.array([4, 4, 4, 4]), seed=np.int64(1))
    site = onehop.solve(gauge, mass=1.0, source=np.array([1, 0, 0, 0]))
    assert (
        site.correlator == onehop.solve(gauge, mass=1.0, source="point:1,0,0,0").correlator
    ).all()
    operator = onehop.Dirac(gauge, mass=1.0)
    field = np.arange(np.prod(operator.shape), dtype=np.float32).reshape(operator.shape)
    assert (operator.apply(field) == operator.apply(np.asfortranarray(field))).all()
    assert len(onehop.solve_masses(gauge, np.array([0.5, 1.0]))) == 2


def test_one_of_a_thing_is_no_plural():
    assert [counted(n, "rank") for n in (0, 1, 2)] == ["0 ranks", "1 rank", "2 ranks"]
    assert [counted(n, "axis", "axes") for n in (1, 2)] == ["1 axis", "2 axes"]


def test_the_command_line_says_why_it_refuses(refused, tmp_path):
    words = ("solve", "--lattice", "4x4x4x4", "--mass", "1")
    assert "it is a folder" in refused(*words, "--json", tmp_path)
    assert "cannot be opened" in refused("solve", tmp_path / "no.nersc", "--mass", "1")
    assert refused(*words, "--source", "heap:1").startswith("--source 'heap:1' is none of")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("foo", (1,)), "smearing 'foo' is not known; use ape, stout or hyp"),
        (("ape", ()), "ape smearing takes 1 parameters, not 0"),
        (("hyp", (0.1,)), "hyp smearing takes 0 or 3 parameters, not 1"),
        (("stout", 0.1), "give a list of numbers"),
    ],
)
def test_smearing_that_is_none_is_refused(words, why):
    with pytest.raises(onehop.UsageError, match=why):
        smear(onehop.cold_gauge((2, 2, 2, 2)), *words)


NAMES = [getattr(onehop, name) for name in dir(onehop) if not name.startswith("_")]
CLASSES = [kind for kind in NAMES if isinstance(kind, type) and issubclass(kind, Made)]


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_an_object_that_was_never_made_says_so(kind):
    never = copy.copy(kind.__new__(kind))
    with pytest.raises(onehop.UsageError, match=f"this {kind.__name__} was never initialised"):
        _ = never.anything


def test_what_holds_arrays_or_a_job_can_say_that_it_was_never_made():
    assert {"Gauge", "Propagator", "Window", "PutChain", "Stream", "StreamItem", "Cartesian"} <= {
        kind.__name__ for kind in CLASSES
    }


def test_statistics_of_no_values_are_refused():
    with pytest.raises(onehop.UsageError, match="of no values: give at least one"):
        _core.summarize([])
    for ours, theirs in (([], []), ([1.0], []), ([], [1.0]), ([1.0, 2.0], [1.0])):
        with pytest.raises(onehop.UsageError, match="values: give as many of each"):
            _core.compare_pairs(ours, theirs, 1.05)
