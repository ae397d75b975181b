"""`onehop ensemble` is tested from outside: records of each configuration, where it goes on,
means."""

from __future__ import annotations

import json
import subprocess

import numpy as np
import pytest

from onehop import jackknife, log_effective_mass, samples_of
from onehop.cli._shared import plot
from onehop.correlator_plot import Curve, draw_correlators
from onehop.estimate_display import with_error
from onehop.figures import new_figure

HOW = ("--mass", "0.6", "--tol", "1e-9")


@pytest.fixture(scope="module")
def chain(tmp_path_factory):
    """Makes four configurations from seeds of their own."""
    from conftest import ONEHOP

    folder = tmp_path_factory.mktemp("chain")
    names = [folder / f"{seed}.nersc" for seed in range(1, 5)]
    for seed, name in enumerate(names, 1):
        words = ("--lattice", "4x4x2x4", "--beta", "6.0", "--sweeps", "3", "--seed", str(seed))
        subprocess.run([ONEHOP, "generate", *words, "-o", name], check=True, timeout=60)
    return names


def test_records_are_those_of_solve_and_means_theirs(onehop, chain, tmp_path):
    folder = tmp_path / "new" / "records"
    words = ("--baryons", "--mesons", *HOW, "--bin", "2", "--ranks", "2", "--json", "-")
    ended = onehop("ensemble", *chain, "--to", folder, *words)
    assert (ended.status, ended.err) == (0, "")
    files = [folder / f"{name.name}.json" for name in chain]
    assert sorted(folder.iterdir()) == files
    alone = onehop("solve", chain[1], "--baryons", "--mesons", *HOW, "--json", "-")
    alone, ours = json.loads(alone.out), json.loads(files[1].read_text())
    for key in ("correlator", "mesons", "baryons", "plaquette", "iterations", "conventions"):
        assert ours[key] == alone[key], key
    assert ours["options"].keys() == alone["options"].keys()
    mean = json.loads(ended.out)
    assert mean["configurations"] == 4 and mean["check"]["passed"]
    assert [sample["resumed"] for sample in mean["samples"]] == [False] * 4
    rows = samples_of(files, "correlator")
    assert np.allclose(mean["correlator"]["value"], rows.mean(axis=0), rtol=1e-14)
    assert np.allclose(mean["correlator"]["error"], jackknife(rows, bin=2).error, rtol=1e-12)
    which = {"baryon": "proton", "parity": 1, "momentum": [0, 0, 0]}
    proton = next(b for b in mean["baryons"] if all(b[k] == v for k, v in which.items()))
    found = jackknife(samples_of(files, "baryons", **which), log_effective_mass, bin=2)
    assert proton["effective_mass"]["error"][1] == pytest.approx(found.error[1], rel=1e-9)


def test_goes_on_where_it_was_ended(onehop, chain, tmp_path):
    words = (*chain, "--to", tmp_path, *HOW, "--json", "-")
    first = onehop("ensemble", *words)
    files = {path: path.read_text() for path in tmp_path.iterdir()}
    lost = tmp_path / "3.nersc.json"
    lost.unlink()
    # More ranks make no other record, except where it says so.
    second = onehop("ensemble", *words, "--ranks", "2")
    assert (first.status, second.status) == (0, 0), second.err
    means = [json.loads(ended.out) for ended in (first, second)]
    assert means[0]["correlator"] == means[1]["correlator"]
    assert [sample["resumed"] for sample in means[1]["samples"]] == [True, True, False, True]
    kept = {path: text for path, text in files.items() if path != lost}
    assert all(path.read_text() == text for path, text in kept.items())
    assert json.loads(lost.read_text())["ranks"] == 2


def test_what_did_not_converge_fails_and_is_made_anew(onehop, chain, tmp_path):
    words = (*chain[:2], "--to", tmp_path, *HOW)
    ended = onehop("ensemble", *words, "--max-iter", "2")
    assert ended.status == 1 and "2 of 2 configurations failed" in ended.out
    again = onehop("ensemble", *words)
    assert again.status == 0 and "0 of them earlier" in again.out


def test_the_table_has_means_with_errors(onehop, chain, tmp_path):
    ended = onehop("ensemble", *chain, "--to", tmp_path, *HOW, "--baryons")
    assert ended.status == 0
    assert all(word in ended.out for word in ("plaquette", " +- ", "effective mass", "proton"))


def test_mesons_that_were_asked_for_stand_in_the_table_with_their_errors(onehop, chain, tmp_path):
    words = (*chain, "--to", tmp_path, *HOW, "--mesons")
    ended, mean = onehop("ensemble", *words), onehop("ensemble", *words, "--json", "-")
    rho = next(m for m in json.loads(mean.out)["mesons"] if m["structure"] == "gx")
    mass = rho["effective_mass"]
    shown = with_error(mass["value"][1], mass["error"][1])
    assert any(line.split() == ["gx", "vector", "1--", shown] for line in ended.out.splitlines())


def test_the_means_are_drawn_with_their_errors(onehop, chain, tmp_path, monkeypatch):
    picture, mean = tmp_path / "means.png", tmp_path / "mean.json"
    words = (*chain, "--to", tmp_path / "r", *HOW, "--baryons", "--plot", picture)
    ended = onehop("ensemble", *words, "--json", mean)
    assert ended.status == 0 and picture.read_bytes().startswith(b"\x89PNG")
    drawn = []
    monkeypatch.setattr(plot, "draw_correlators", lambda *args: drawn.extend(args[2]))
    record = json.loads(mean.read_text())
    plot.plot_correlators(record, str(picture))
    assert [curve.label for curve in drawn] == ["pseudoscalar", "proton", "delta"]
    assert drawn[0].error == record["correlator"]["error"]
    assert drawn[1].masses_error == record["baryons"][0]["effective_mass"]["error"]


def test_bars_are_as_long_as_the_errors():
    _, (above, below) = new_figure(2, 1)
    draw_correlators(above, below, [Curve([1, -2], [None, 3], "one", [0.5, 0.25], [None, 0.125])])
    bars = [found.get_segments() for axes in (above, below) for found in axes.collections]
    lengths = [[segment[1][1] - segment[0][1] for segment in found] for found in bars]
    assert lengths == [[1.0, 0.5], [0.25]]


def test_bad_input_is_one_line_and_makes_nothing(refused, chain, tmp_path, configurations):
    folder = tmp_path / "records"
    to = ("--to", folder)
    other = tmp_path / "1.nersc"
    other.write_bytes(chain[0].read_bytes())
    for words, why in [
        ((chain[0], *to, *HOW), "1 configuration in bins of 1: an error needs two bins"),
        ((*chain, *to, *HOW, "--bin", "3"), "an error needs two bins"),
        ((*chain, other, *to, *HOW), "two configurations would have the record"),
        ((*chain, configurations["nersc"], *to, *HOW), "an ensemble has one lattice"),
        ((*chain, *to), "mass"),
        ((*chain, *HOW), "--to"),
        ((*chain, *to, *HOW, "--shifts", "0.1"), "unknown option --shifts"),
        ((*chain, *to, *HOW, "--source", "point:4,0,0,0"), "outside the lattice"),
        ((*chain, "--to", other, *HOW), "1.nersc.json: Not a directory"),
        ((*chain, tmp_path / "no.nersc", *to, *HOW), "cannot be opened"),
    ]:
        assert why in refused("ensemble", *words), why
        assert not folder.exists(), why


def test_records_of_other_options_are_refused(onehop, refused, chain, tmp_path):
    words = (*chain[:2], "--to", tmp_path)
    assert onehop("ensemble", *words, *HOW).status == 0
    before = {path: path.read_text() for path in tmp_path.iterdir()}
    told = refused("ensemble", *words, "--mass", "0.5", "--tol", "1e-9")
    assert "was made with mass 0.6, now it is 0.5; give another --to" in told
    assert "mesons False, now it is True" in refused("ensemble", *words, *HOW, "--mesons")
    whole = before[tmp_path / "2.nersc.json"]
    former = json.loads(whole) | {"version": "0.0.9"}
    del former["options"]["recon"]
    (tmp_path / "2.nersc.json").write_text(json.dumps(former))
    told = refused("ensemble", *words, *HOW)
    assert "was made by onehop 0.0.9, which had no recon; give another --to" in told
    no_plaquette = json.dumps(json.loads(whole) | {"plaquette_header": {}})
    for damaged in ("{}", 5000 * "[", whole.replace('"correlator"', '"corelator"'), no_plaquette):
        (tmp_path / "2.nersc.json").write_text(damaged)
        assert "is not a record of onehop solve" in refused("ensemble", *words, *HOW)
    assert (tmp_path / "1.nersc.json").read_text() == before[tmp_path / "1.nersc.json"]


def test_a_record_is_of_its_own_configuration(onehop, refused, chain, tmp_path):
    """Chains of two streams have the same file names, and a stream may be generated anew."""
    here, there = tmp_path / "here", tmp_path / "there"
    for folder, names in ((here, chain[:2]), (there, chain[2:])):
        folder.mkdir()
        for name, config in zip(("1.nersc", "2.nersc"), names, strict=True):
            (folder / name).write_bytes(config.read_bytes())
    words = ("--to", tmp_path / "records", *HOW)
    ours, theirs = ([folder / f"{n}.nersc" for n in (1, 2)] for folder in (here, there))
    assert onehop("ensemble", *ours, *words).status == 0
    for configs in (theirs, [ours[0], theirs[1]]):
        told = refused("ensemble", *configs, *words)
        assert f".json is of {here}/" in told and "give another --to" in told
        assert str(theirs[1]) in told or str(theirs[0]) in told
    # What has only moved is the same; what was made anew in its place is not.
    moved = [name.rename(tmp_path / name.name) for name in ours]
    again = onehop("ensemble", *moved, *words)
    assert again.status == 0 and "2 of them earlier" in again.out
    moved[0].write_bytes(theirs[0].read_bytes())
    assert "in its header" in refused("ensemble", *moved, *words)


def test_without_plaquettes_the_name_tells_configurations(onehop, refused, chain, tmp_path):
    configs = []
    for n in (0, 1):
        configs.append(tmp_path / f"{n}.ildg")
        assert onehop("convert", chain[n], configs[n]).status == 0
    words = ("--to", tmp_path / "records", *HOW)
    assert onehop("ensemble", *configs, *words).status == 0
    assert "2 of them earlier" in onehop("ensemble", *configs, *words).out
    (tmp_path / "other").mkdir()
    other = tmp_path / "other" / "1.ildg"
    other.write_bytes(configs[1].read_bytes())
    told = refused("ensemble", configs[0], other, *words)
    assert f"1.ildg.json is of {configs[1]}, not of {other}; give another --to" in told


def test_the_mean_may_lie_in_the_new_folder_of_the_records(onehop, refused, chain, tmp_path):
    folder = tmp_path / "new"
    words = (*chain[:2], "--to", folder, *HOW)
    told = refused("ensemble", *words, "--json", folder / "other" / "mean.json")
    assert "make the folder" in told and not folder.exists()
    ended = onehop("ensemble", *words, "--json", folder / "mean.json", "--hdf5", folder / "mean.h5")
    assert ended.status == 0, ended.err
    assert json.loads((folder / "mean.json").read_text())["command"] == "ensemble"
    assert (folder / "mean.h5").exists() and len(list(folder.iterdir())) == 4


@pytest.mark.parametrize("option", ["--json", "--hdf5"])
def test_the_mean_is_no_record_of_a_configuration(refused, chain, tmp_path, option):
    place = tmp_path / "2.nersc.json"
    told = refused("ensemble", *chain, "--to", tmp_path, *HOW, option, place)
    assert f"{option} {place} would overwrite the file of the record of {chain[1]}" in told
    assert not list(tmp_path.iterdir())


def test_a_record_of_another_command_is_refused(onehop, refused, chain, tmp_path):
    words = (*chain[:2], "--to", tmp_path, *HOW)
    assert onehop("ensemble", *words, "--json", tmp_path / "mean").status == 0
    place = (tmp_path / "mean").rename(tmp_path / "2.nersc.json")
    told = refused("ensemble", *words)
    assert f"{place} is a record of ensemble, not of solve; give another --to" in told
