"""Errors are tested on means of chains whose autocorrelation is known, and on records as their
rows."""

from __future__ import annotations

import json

import numpy as np
import pytest

import onehop
from onehop import UsageError, gamma_method, jackknife, samples_of


def chain(number, memory, seed, width=1):
    """Makes a Gaussian chain of variance 1 with correlations memory^t: tau_int =
    (1+memory)/(2(1-memory))."""
    noise = np.random.default_rng(seed).normal(size=(number, width))
    noise[1:] *= np.sqrt(1 - memory**2)
    for row in range(1, number):
        noise[row] += memory * noise[row - 1]
    return noise


def tau_of(memory):
    return (1 + memory) / (2 * (1 - memory))


def test_the_jackknife_of_a_mean_is_the_usual_error():
    rows = chain(50, 0, 1, 3)
    found = jackknife(rows)
    assert np.allclose(found.value, rows.mean(axis=0), rtol=1e-14)
    assert np.allclose(found.error, rows.std(axis=0, ddof=1) / np.sqrt(50), rtol=1e-12)
    assert np.allclose(found.covariance, np.cov(rows.T) / 50, rtol=1e-12)
    assert np.allclose(found.bias, 0, atol=1e-13)


def test_bins_are_means_of_neighbours():
    rows = chain(53, 0.5, 1, 2)
    found = jackknife(rows, bin=5)
    means = rows[3:].reshape(10, 5, 2).mean(axis=1)
    assert np.allclose(found.error, means.std(axis=0, ddof=1) / np.sqrt(10), rtol=1e-12)


def test_both_propagate_errors_of_functions():
    """The functions are a ratio of two means with independent errors, and an effective mass."""
    rows = chain(400, 0, 3, 2) * [0.2, 0.1] + [3.0, 2.0]
    error = 1.5 * np.sqrt((0.2 / 3) ** 2 + (0.1 / 2) ** 2) / np.sqrt(400)
    for found in (
        jackknife(rows, lambda m: m[0] / m[1]),
        gamma_method(rows, lambda m: m[0] / m[1]),
    ):
        assert found.value == pytest.approx(1.5, abs=4 * error)
        assert found.error == pytest.approx(error, rel=0.15)
        assert found.value.shape == found.error.shape == ()
    t = np.arange(8)
    correlators = np.cosh(0.5 * (t - 4)) * (1 + 0.01 * chain(300, 0, 4, 8))
    one = jackknife(correlators, onehop.effective_mass)
    other = gamma_method(correlators, onehop.effective_mass)
    inside = slice(1, 8)
    assert np.allclose(one.value[inside], 0.5, atol=0.02)
    assert np.allclose(one.error[inside], other.error[inside], rtol=0.2)
    assert np.isnan(one.error[0]) and np.isnan(other.value[0])


def test_a_bias_of_order_one_over_n_is_told():
    rows = chain(100, 0, 5)[:, 0] + 2
    found = jackknife(rows, np.square)
    assert found.bias == pytest.approx(rows.var(ddof=1) / 100, rel=1e-9)


@pytest.mark.parametrize("memory", [0, 0.5, 0.9])
def test_the_gamma_method_finds_autocorrelation_and_error(memory):
    number, tries = 4000, 60
    found = [gamma_method(chain(number, memory, seed)[:, 0]) for seed in range(tries)]
    true = np.sqrt(2 * tau_of(memory) / number)
    errors = np.array([one.error for one in found])
    taus = np.array([one.tau_int for one in found])
    assert errors.mean() == pytest.approx(true, rel=0.05)
    assert taus.mean() == pytest.approx(tau_of(memory), rel=0.08)
    # The error of the error is about the scatter of the errors, and of the means' too.
    assert 0.6 < errors.std() / np.mean([one.error_of_error for one in found]) < 1.6
    assert 0.5 < taus.std() / np.mean([one.tau_int_error for one in found]) < 1.6
    pulls = np.array([one.value / one.error for one in found])
    assert 0.7 < pulls.std() < 1.3


def test_rows_that_depend_on_each_other_need_bins():
    """A jackknife of single rows is wrong by sqrt(2 tau_int); with long bins both methods agree."""
    rows = chain(20000, 0.8, 7)[:, 0]
    found = gamma_method(rows)
    short, long = jackknife(rows), jackknife(rows, bin=100)
    assert short.error == pytest.approx(found.error / np.sqrt(2 * tau_of(0.8)), rel=0.1)
    assert long.error == pytest.approx(found.error, rel=0.15)


def test_replica_are_chains_of_their_own():
    chains = [chain(n, 0.7, seed) + 5 for n, seed in ((900, 1), (1500, 2), (700, 3))]
    rows = np.concatenate(chains)[:, 0]
    found = gamma_method(rows, replica=[900, 1500, 700])
    assert found.value == pytest.approx(rows.mean(), rel=1e-12)
    assert found.error == pytest.approx(np.sqrt(2 * tau_of(0.7) / 3100), rel=0.2)
    # No pair of configurations from two chains counts.
    swapped = np.concatenate([chains[2], chains[0], chains[1]])[:, 0]
    again = gamma_method(swapped, replica=[700, 900, 1500])
    assert again.error == pytest.approx(found.error, rel=1e-9)
    # The square has a larger bias in each replicum, by which that of all is known and taken out.
    squares = [
        gamma_method(
            np.concatenate([chain(30, 0, 2 * k), chain(30, 0, 2 * k + 1)])[:, 0],
            np.square,
            replica=[30, 30],
        ).value
        for k in range(400)
    ]
    assert abs(np.mean(squares)) < 0.2 / 60


def test_what_does_not_fluctuate_has_no_error():
    found = gamma_method(np.ones((10, 2)))
    assert (found.error == 0).all() and np.isnan(found.tau_int).all()
    assert (jackknife(np.ones((10, 2))).error == 0).all()


def test_what_has_no_error():
    for why, wrong in {
        "two bins are needed": lambda: jackknife(np.ones((5, 2)), bin=3),
        "in bins of 0": lambda: jackknife(np.ones((5, 2)), bin=0),
        "give .real or .imag": lambda: jackknife(np.ones((5, 2), complex)),
        "each replica needs 4": lambda: gamma_method(np.ones(6), replica=[3, 3]),
        "they make up": lambda: gamma_method(np.ones(9), replica=[4, 4]),
        "s must be above 0": lambda: gamma_method(np.ones(9), s=0),
        "correlator of no records": lambda: samples_of([], "correlator"),
        "array of complex128: give real": lambda: onehop.effective_mass(np.ones(4, complex)),
        "a row of these for each configuration": lambda: jackknife(
            np.ones(8), onehop.effective_mass
        ),
        "correlator is NoneType": lambda: onehop.log_effective_mass(None),
        r"array of shape \(2, 4\)": lambda: onehop.effective_mass(np.ones((2, 4))),
        r"array of shape \(2, 8\)": lambda: onehop.log_effective_mass(np.ones((2, 8))),
        "the correlator: lists that differ": lambda: onehop.effective_mass([[1.0], [1.0, 2.0]]),
        "bin is of type float: give a whole": lambda: jackknife(np.ones(8), bin=2.0),
        r"float64 of shape \(10, 0\)": lambda: gamma_method(np.zeros((10, 0))),
        r"float64 of shape \(9, 0\)": lambda: jackknife(np.zeros((9, 0))),
        "errors of rows of <U1": lambda: jackknife(["a", "b", "c"]),
        "errors of rows of object": lambda: gamma_method([[None, 1.0]] * 8),
        "rows of configurations: lists that differ": lambda: jackknife([[1.0], [1.0, 2.0]]),
        "a length of replica is of type float": lambda: gamma_method(
            np.ones(20), replica=[10.5, 9]
        ),
        "replica is of type int": lambda: gamma_method(np.ones(20), replica=20),
        "s is of type str": lambda: gamma_method(np.ones(20), s="1.5"),
    }.items():
        with pytest.raises(UsageError, match=why):
            wrong()


def test_a_quantity_shows_itself_in_one_line():
    found = jackknife([[1.0, 2.0], [1.5, 2.0]])
    assert repr(found) == "<Jackknife 1.25(25), 2>"
    assert repr(jackknife(np.ones((4, 2, 5)))).startswith("<Jackknife of shape (2, 5) 1, 1, ")
    assert repr(jackknife(np.ones((4, 2, 5)))).endswith(", 1, ...>")
    assert repr(gamma_method(np.ones(8))) == "<GammaEstimate 1>"


def test_a_name_that_no_record_has_is_told_with_those_there_are(tmp_path):
    names = records(tmp_path)
    with pytest.raises(UsageError, match='say which one by baryon, which is "proton", "delta"'):
        samples_of(names, "baryons", baryon="neutron")
    with pytest.raises(UsageError, match="say which one by baryon, parity, momentum$"):
        samples_of(names, "baryons", baryon="proton")


def records(folder, **changes):
    names = []
    for number in range(3):
        gauge = onehop.hot_gauge((2, 2, 2, 4), seed=number)
        result = onehop.solve(gauge, **({"mass": 1.0, "tol": 1e-8} | changes))
        mesons = onehop.meson_correlators(gauge, result)
        baryons = onehop.baryon_correlators(gauge, result)
        record = onehop.solve_record(gauge, result, mesons=mesons, baryons=baryons)
        names.append(folder / f"{number}.json")
        onehop.write_record(record, str(names[-1]))
    return names


def test_records_become_rows(tmp_path):
    names = records(tmp_path)
    read = [json.loads(name.read_text()) for name in names]
    rows = samples_of(names, "correlator")
    assert rows.shape == (3, 4)
    assert np.array_equal(rows, [record["correlator"] for record in read])
    assert np.array_equal(samples_of(read, "plaquette"), [record["plaquette"] for record in read])
    rest = {"momentum": (0, 0, 0)}
    pion = samples_of(names, "mesons", structure="g5", **rest)
    assert np.allclose(pion, rows, rtol=1e-12)
    proton = samples_of(names, "baryons", baryon="proton", parity=1, **rest)
    assert proton[1].tolist() == read[1]["baryons"][0]["correlator"]
    assert jackknife(proton, onehop.log_effective_mass).error.shape == (4,)


def test_records_without_a_common_mean(tmp_path):
    names = records(tmp_path)
    (tmp_path / "other").mkdir()
    others = records(tmp_path / "other", mass=0.9)
    with pytest.raises(
        UsageError, match=r"other/0.json was made with mass 0.9, the first with 1.0"
    ):
        samples_of([*names, *others], "correlator")
    points, walls = (
        [{"options": {"source": source}, "correlator": [1.0]} for source in sources]
        for sources in (("point:0,0,0,0", "point:2,0,1,3"), ("wall:0",))
    )
    assert samples_of(points, "correlator").shape == (2, 1)
    with pytest.raises(UsageError, match="record 2 was made with source wall, the first with poin"):
        samples_of(points + walls, "correlator")
    wider = {"lattice": [6, 6, 6, 4], "options": {}, "correlator": [1.0]}
    with pytest.raises(
        UsageError,
        match=r"record 1 was made with lattice \[6, 6, 6, 4\], the first with \[4, 4, 4, 4",
    ):
        samples_of([wider | {"lattice": [4, 4, 4, 4]}, wider], "correlator")
    smeared = {"options": {"source": "point:0,0,0,0 smeared by wuppertal:0.2x30"}}
    with pytest.raises(UsageError, match="with source point smeared by wuppertal:0.2x30, the firs"):
        samples_of([*points, smeared], "correlator")
    with pytest.raises(UsageError, match="has 16 of mesons with {}; say which one by structure"):
        samples_of(names, "mesons")
    with pytest.raises(UsageError, match="has no numbers kernel"):
        samples_of(names, "kernel")
    with pytest.raises(onehop.FileError, match="cannot read nowhere"):
        samples_of(["nowhere"], "correlator")
    (tmp_path / "text").write_text("correlator")
    with pytest.raises(onehop.FileError, match="is not a record"):
        samples_of([tmp_path / "text"], "correlator")
    for key, damage in (
        ("correlator", {"options": [1]}),
        ("correlator", {"correlator": [10**400]}),
        ("mesons", {"mesons": [{}, 5]}),
    ):
        with pytest.raises(onehop.Error):
            samples_of([walls[0] | damage], key)
