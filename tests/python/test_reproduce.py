"""Published figures: data, models, verdicts and fits."""

import functools
import re
from pathlib import Path

import pytest

from onehop import netsim, reproduce
from onehop.netsim import closed_form, explain
from onehop.netsim.collective_form import collective_ps
from onehop.netsim.link_load import busiest_link_ps
from onehop.reproduce import calibrate, sensitivity
from onehop.reproduce.experiment import Target, compare
from onehop.reproduce.page import page

EXPERIMENTS = {experiment.name: experiment for experiment in reproduce.experiments()}


@functools.cache
def results_of(name):
    return reproduce.run(EXPERIMENTS[name])


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_gives_a_value_for_each_of_its_targets(name):
    experiment = EXPERIMENTS[name]
    results = results_of(name)
    assert [r.target.id for r in results] == [t.id for t in experiment.targets]
    for result in results:
        assert result.ours is not None


def test_all_calibration_targets_are_within_tolerance_and_every_miss_is_explained():
    results = [r for name in EXPERIMENTS for r in results_of(name)]
    missed = {r.target.id: r.target.kind for r in results if r.verdict == "miss"}
    assert "calibration" not in missed.values()
    page = Path(__file__).resolve().parents[2] / "docs/explanation/machines_as_data.md"
    section = page.read_text().split("## What is missed, and why")[1].split("\n## ")[0]
    items = [line.split(",", 1) for line in re.findall(r"^- ((?:[A-Z]-V\d+, )+)", section, re.M)]
    explained = {name for item in items for name in re.findall(r"[A-Z]-V\d+", ",".join(item))}
    assert explained == set(missed)


def test_halving_what_a_broadcast_waits_for_halves_its_share_of_it():
    experiment = EXPERIMENTS["tca_broadcast"]
    doorbell = next(e for e in sensitivity.of(experiment) if e.parameter.key.endswith("per_chain"))
    levels = 4
    saved = doorbell.ours.ours - doorbell.halved.ours
    assert saved == pytest.approx(levels * doorbell.value / 2, rel=1e-3)


def test_other_readings_give_values_of_targets_that_are_there():
    for experiment in EXPERIMENTS.values():
        for values in experiment.readings(reproduce.Laboratory()).values():
            assert values
            assert set(values) <= {t.id for t in experiment.targets}


def test_points_of_every_curve_are_computed_at_the_published_places():
    for experiment in EXPERIMENTS.values():
        if experiment.curves:
            ours = experiment.points(reproduce.Laboratory())
            for curve in experiment.curves:
                assert [p[0] for p in ours[curve.name]] == [p[0] for p in curve.points]


@pytest.mark.parametrize(
    ("tolerance", "good", "bad"),
    [
        ({"kind": "relative", "value": 0.05}, 10.5, 10.6),
        ({"kind": "absolute", "value": 0.05}, 9.95, 9.94),
        ({"kind": "range", "low": 8, "high": 11}, 8, 7.9),
    ],
)
def test_a_verdict_follows_the_tolerance(tolerance, good, bad):
    target = Target("T-1", "test", "validation", "what", 10, "us", tolerance, "test")
    assert compare(target, good).verdict == "ok"
    assert compare(target, bad).verdict == "miss"


def test_no_fit_looks_at_a_validation_target():
    kinds = {t.id: t.kind for e in EXPERIMENTS.values() for t in e.targets}
    assert {kinds[name.split("/")[0]] for fit in calibrate.FITS for name in fit.targets} == {
        "calibration"
    }


def test_every_fitted_parameter_is_in_state_fitted_in_its_file():
    for fit in calibrate.FITS:
        for group in fit.parameters:
            assert all(calibrate.current_value(parameter) > 0 for parameter in group)


def test_a_fit_finds_the_number_again_that_made_the_figure():
    fit = next(f for f in calibrate.FITS if f.targets == ("A-C8",))
    experiment = EXPERIMENTS[fit.experiment]
    known = {t.id: t for t in experiment.targets}
    moved = {parameter: 2.5 for parameter in fit.parameters[0]}
    for entry in calibrate._fit(fit, experiment, known, moved):
        assert entry.value == pytest.approx(calibrate.current_value(entry.parameter), rel=2e-3)


def test_writing_a_fit_changes_one_number_and_nothing_else(tmp_path, monkeypatch):
    original = calibrate.platform_file.find("tca-peach2")
    copy = tmp_path / "tca-peach2.toml"
    copy.write_text(original.read_text())
    monkeypatch.setattr(calibrate.platform_file, "find", lambda name: copy)
    parameter = calibrate.Parameter("tca-peach2", "stage.gpu-pages.miss")
    calibrate.write([calibrate.Fitted(parameter, 1.0, 1.25)])
    old, new = original.read_text().splitlines(), copy.read_text().splitlines()
    changed = [n for n, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
    assert len(changed) == 1
    assert "value = 1.25," in new[changed[0]]
    assert calibrate.current_value(parameter) == 1.25


def test_the_closed_form_is_the_maximum_of_its_branches():
    """T = max_i(lambda_i + V tau_i + V N / beta_i): linear in V once one server is the slowest."""
    machine = netsim.load("tca-peach2")
    times = [
        closed_form.transfer(machine, 65536, "device", "device", channels=v).total_ps
        for v in (4, 5, 6)
    ]
    assert times[2] - times[1] == pytest.approx(times[1] - times[0], rel=1e-9)
    one = closed_form.transfer(machine, 65536, "device", "device")
    assert times[1] - times[0] == pytest.approx(max(one.busy_ps.values()), rel=1e-9)


def test_required_bandwidth_counts_split_axes_only():
    rest = {"gpus": 1, "flops_per_second": 1e11, "face_bytes": 48, "site_flops": 1200}
    whole = closed_form.lattice_bandwidth((8, 8, 8, 16), (0, 1, 2, 3), **rest)
    three = closed_form.lattice_bandwidth((8, 8, 8, 16), (0, 1, 2), **rest)
    assert three == pytest.approx(4e9 * 3 * 2 / 8)
    assert whole - three == pytest.approx(4e9 * 2 / 16)


def test_a_tree_broadcast_needs_a_level_per_doubling():
    machine = netsim.load("tca-peach2")
    times = [collective_ps(machine, "broadcast", n, 64, "device") for n in (2, 4, 8, 16)]
    assert times == pytest.approx([times[0] * level for level in (1, 2, 3, 4)])


def test_the_busiest_link_carries_what_crosses_it():
    fabric = netsim.load("tca-peach2").fabric
    one = busiest_link_ps(fabric, [(0, 1, 4096)])
    assert busiest_link_ps(fabric, [(0, 1, 4096), (0, 2, 4096)]) == pytest.approx(2 * one)
    # Half way round, both directions take their share.
    assert busiest_link_ps(fabric, [(0, 4, 4096)]) == pytest.approx(one / 2)
    tree = fabric.topology.model_copy(update={"kind": "fat-tree"})
    assert busiest_link_ps(fabric.model_copy(update={"topology": tree}), []) == 0


def test_the_page_of_figures_is_current():
    """Words to the letter, numbers to two percent: the simulation may become better in the third
    digit without anybody writing the page again."""
    written = Path(__file__).resolve().parents[2] / "docs/reference/validation.md"
    old, new = (re.split(r"[ |]+", text) for text in (written.read_text(), page()))
    assert len(old) == len(new), "run `make docs`"
    for was, now, unit in zip(old, new, [*old[1:], ""], strict=True):
        if re.fullmatch(r"[-+]?[0-9.]+(e[-+]?[0-9]+)?", was):
            assert float(now) == pytest.approx(
                float(was), rel=0.02, abs=1.5 if unit == "%" else 0.02
            ), "run `make docs`"
        else:
            assert now == was, "run `make docs`"


@pytest.mark.parametrize("name", netsim.shipped())
def test_the_table_of_steps_adds_up_and_the_picture_names_every_stage(name, tmp_path):
    machine = netsim.load(name)
    text = explain.table(machine)
    shown = {s for p in explain.paths_shown(machine) for s in machine.paths[p].origin}
    assert all(f" {stage} " in text for stage in shown if "go before it" not in text)
    explain.write_picture(machine, tmp_path / "machine.svg")
    picture = (tmp_path / "machine.svg").read_text()
    assert all(stage in picture for stage in shown)


def test_what_the_pages_are_made_of_is_installed():
    folder = Path(reproduce.__file__).parent.parent / "experiments"
    assert (folder / "faults" / "study.toml").is_file()
