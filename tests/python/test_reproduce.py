"""Published figures have data, models, verdicts and fits."""

import collections
import concurrent.futures
import dataclasses
import json
import math
import re
import shlex
from pathlib import Path

import pytest
from onehop._core import Error, UsageError

from onehop import netsim, reproduce
from onehop.cli.reproduce.worker import record_of
from onehop.netsim import closed_form, explain, packet_form, platform_file
from onehop.record import write_record
from onehop.reproduce import calibrate, history, sensitivity, table
from onehop.reproduce import session as session_module
from onehop.reproduce.experiment import Target, compare
from onehop.reproduce.kept import Kept
from onehop.reproduce.page import page
from onehop.reproduce.session import Parameter, Session

EXPERIMENTS = {experiment.name: experiment for experiment in reproduce.experiments()}
TARGETS = {target.id: target for each in EXPERIMENTS.values() for target in each.targets}
DOCS = Path(__file__).resolve().parents[2] / "docs"


PAGE = DOCS / "reference/validation.md"
# These programs are run with every test although they take seconds each: one that a fit uses, and a
# quotient of two.
ALWAYS = ("A-C15", "A-V26")


def written() -> dict[str, float]:
    """Our values that stand on the page, by figure, and by other reading and figure."""
    found = {}
    for line in PAGE.read_text().splitlines():
        words = [word.strip() for word in line.strip("| ").split(" | ")]
        if len(words) == 9 and words[0] in TARGETS and words[4] != "-":
            found[words[0]] = float(words[4])
        elif len(words) == 5 and words[1] in TARGETS:
            found[f"{words[0]},{words[1]}"] = float(words[3])
    return found


@pytest.fixture(scope="module")
def given(request):
    """Values that are read off the page, of programs at their published size, unless
    --all-figures has them computed too."""
    if request.config.getoption("--all-figures"):
        return {}
    slow = {t.id for t in TARGETS.values() if t.slow and t.id not in ALWAYS}
    readings = {
        f"{reading.name},{target.id}"
        for experiment in EXPERIMENTS.values()
        for reading, target in experiment.read()
        if target.slow
    }
    return {key: value for key, value in written().items() if key in slow | readings}


@pytest.fixture(scope="module")
def session(given):
    session = reproduce.Session()
    computed = [target for target in TARGETS.values() if target.id not in given]
    session.begin(command for target in computed for command in target.run.values())
    return session


@pytest.fixture(scope="module")
def results(session, given):
    found = [r for each in EXPERIMENTS.values() for r in reproduce.run(each, session, given)]
    return {result.target.id: result for result in found}


@pytest.mark.parametrize(
    ("value", "words"), [(65536.0, "65536"), (4096, "4096"), (24.9211, "24.92"), (1e-9, "1e-09")]
)
def test_whole_numbers_of_a_study_have_all_their_digits(value, words):
    assert sensitivity._plain(value, 4) == words


@pytest.mark.timeout(400)
def test_every_figure_has_a_value_or_says_what_is_missing(results):
    assert set(results) == set(TARGETS)
    for result in results.values():
        assert (result.ours is None) == bool(result.target.missing)
        assert bool(result.target.ours) != bool(result.target.missing)


@pytest.mark.timeout(400)
def test_every_miss_is_explained(results):
    missed = {name for name, result in results.items() if result.verdict == "miss"}
    text = (DOCS / "explanation/machines_as_data.md").read_text()
    section = text.split("## What is missed, and why")[1].split("\n## ")[0]
    items = re.findall(r"^- ((?:[A-Z]-[CV]\d+, )+)", section, re.M)
    assert {name for item in items for name in re.findall(r"[A-Z]-[CV]\d+", item)} == missed


@pytest.mark.timeout(400)
def test_the_blind_score_stands_beside_that_of_all_figures_and_of_no_others(results):
    blind = [score for score in history.scores() if score.blind]
    every = list(results.values())
    assert f"validation {blind[-1].validation[0]} of" in history.beside(every)
    assert history.beside(every[:-1]) == ""


def test_a_figure_with_commands_is_computed_from_what_they_write(session):
    """The command as typed gives the number that stands in the table."""
    target = TARGETS["P-V1"]
    (command,) = target.commands()
    written = record_of(shlex.split(command)[1:])
    assert target.value(session) == written["samples"][0]["value"]


def test_a_figure_may_have_a_program_of_its_experiment(session):
    """What it says when it fails is told."""
    target = TARGETS["L-C1"]
    (command,) = target.commands()
    assert command.startswith("onehop run ")
    assert "time_per_iteration_us" in record_of(shlex.split(command)[1:])
    with pytest.raises(Error, match="no_such_program"):
        record_of(["run", "-n", "1", "--", "python", "no_such_program.py"])


def test_distance_shows_in_stores_and_hides_behind_the_notification_of_an_own_put():
    def time_us(variant, hosts):
        words = f"bench latency --transport virtual:tca-peach2 --hosts {hosts} --sizes 8"
        record = record_of([*words.split(), "--platform-set", f"variant={variant}"])
        return record["samples"][0]["value"]

    wire = netsim.load("tca-peach2").fabric.wire()
    more = time_us("pio", "1,5") - time_us("pio", "1,3")
    assert more == pytest.approx((wire.latency + wire.router) / 1e6, abs=0.002)
    # What is left is the last of fifty round trips, whose put nobody answers.
    near, far = time_us("direct", "1,3"), time_us("direct", "1,5")
    assert near > time_us("pio", "1,5")
    assert far - near == pytest.approx(0, abs=0.02 * more)


def test_a_figure_without_commands_reads_an_input_back():
    for target in TARGETS.values():
        if not target.run and not target.missing:
            assert target.input, target.id


def test_numbers_of_a_session_reach_commands_on_their_machine_with_their_options_only():
    near = "onehop bench latency --transport virtual:infiniband-qdr"
    far = f"{near} --platform-set gpu.socket=far"
    number = Parameter("infiniband-qdr", "stage.gpu-write.rate", (("gpu.socket", "far"),))
    words = Session({number: 0.5}).words
    assert words(far)[-1] == "--platform-set=stage.gpu-write.rate=0.5"
    assert words(near) == tuple(near.split()[1:])
    assert words(far.replace("infiniband-qdr", "tca-peach2"))[-1] == "gpu.socket=far"
    both = near.replace("infiniband-qdr", "ha-pacs-tca")
    assert words(both)[-1] == "--platform-set=stage.infiniband-gpu-write.rate=0.5"
    near_both = f"{both} --platform-set infiniband.gpu.socket=near"
    assert words(near_both)[-1] == "infiniband.gpu.socket=near"
    program = far.replace("bench latency", "run -n 2") + " -- python program.py --sizes 8"
    assert words(program)[-6:] == ("--platform-set=stage.gpu-write.rate=0.5", *program.split()[-5:])


def test_a_command_that_is_refused_is_named_with_its_own_line():
    with pytest.raises(UsageError, match="onehop bench latency .*: unknown platform 'nowhere'"):
        Session().record("onehop bench latency --transport virtual:nowhere")


def test_halving_what_a_broadcast_waits_for_halves_its_share_of_it():
    study = sensitivity.Study([TARGETS["P-V8"]])
    study.begin()
    doorbell = next(e for e in study.run() if e.parameter.key.endswith("per_chain"))
    assert study.done == study.trials
    levels = 4
    saved = doorbell.ours.ours - doorbell.halved.ours
    assert saved == pytest.approx(levels * doorbell.value / 2, rel=1e-3)


def test_a_crossing_that_is_nowhere_is_no_number_of_a_record(capsys):
    target = TARGETS["A-V7"]
    assert "first_behind" in target.ours
    none, some = compare(target, math.inf), compare(target, 4096.0)
    number = Parameter("apenet-v4", "stage.read.rate")
    entry = sensitivity.Entry(target, number, 1.5, "GB/s", "assumed", some, none, None)
    write_record({"results": [none.record(), entry.record()]}, "-")
    first, second = json.loads(capsys.readouterr().out)["results"]
    assert (first["ours"], first["error"], first["verdict"]) == (None, None, "miss")
    assert (second["ours"], second["halved"], second["doubled"]) == (4096.0, None, None)
    assert second["verdicts"] == [some.verdict, "miss", None]
    assert entry.words()[-2] == "inf (miss)"


def test_a_study_leaves_out_programs_at_their_published_size():
    assert TARGETS["A-V11"].slow
    assert sensitivity.Study([TARGETS["A-V11"]]).figures == 0


def test_a_study_takes_the_machine_of_a_simulation_too():
    study = sensitivity.Study([TARGETS["K-V8"]])
    study.begin()
    assert any(number.parameter.key.startswith("stage.") for number, _ in study._cases)


def test_a_study_tries_all_numbers_on_a_program_that_tells_of_no_stages():
    target = TARGETS["L-C1"]
    study = sensitivity.Study([target])
    for key in ("stage.post.cost", "stage.rma.cost"):
        assert study._touches(Parameter("infiniband-qdr", key), target.run["one"])


def test_the_page_of_a_study_leaves_out_solves(monkeypatch):
    asked = []

    class Untried:
        trials = done = 0

        def __init__(self, targets, _):
            asked.extend(target.id for target in targets)

        def begin(self):
            pass

        def run(self):
            return []

    monkeypatch.setattr(sensitivity, "Study", Untried)
    assert "Numbers tried: 0 of 0." in sensitivity.page()
    assert "P-V8" in asked and not {"Q-V3", "L-V1"} & set(asked)


def test_a_study_without_time_does_nothing_and_says_so():
    study = sensitivity.Study([TARGETS["P-V8"]], max_time_s=0)
    study.begin()
    assert (study.run(), study.done, study.stopped) == ([], 0, True)


def test_a_study_stops_while_it_waits_for_a_command(monkeypatch):
    """The time is over before the first figure is there, which nobody computes here."""
    monkeypatch.setattr(session_module._Records, "begin", lambda records, words: records._futures)
    never = collections.defaultdict(concurrent.futures.Future)
    monkeypatch.setattr(session_module._records, "_futures", never)
    study = sensitivity.Study([TARGETS["P-V8"]], max_time_s=0.01)
    study.begin()
    assert study.stopped and study.trials == 0


def test_an_answer_is_kept_for_its_words_and_its_platform_as_it_is(tmp_path):
    mine, file = tmp_path / "mine.toml", tmp_path / "answers.jsonl"
    mine.write_text(platform_file.find("nanet").read_text())
    words, answer = ("bench", "latency"), {"record": {"value": 1.5}}
    Kept(file).note(words, str(mine), answer)
    assert Kept(file).answer(words, str(mine)) == answer
    assert Kept(file).answer((*words, "--sizes", "8"), str(mine)) is None
    assert Kept(file).answer(words, "nanet") == answer
    mine.write_text(mine.read_text() + "\n# changed\n")
    assert Kept(file).answer(words, str(mine)) is None


def test_an_answer_that_was_cut_off_is_lost_alone(tmp_path):
    file = tmp_path / "answers.jsonl"
    for size in ("8", "16"):
        Kept(file).note((size,), "nanet", {"record": {"size": size}})
    file.write_text(file.read_text()[:-3])
    Kept(file).note(("32",), "nanet", {"record": {"size": "32"}})
    found = [Kept(file).answer((size,), "nanet") for size in ("8", "16", "32")]
    assert found == [{"record": {"size": "8"}}, None, {"record": {"size": "32"}}]


def test_an_answer_that_is_damaged_is_not_found(tmp_path):
    file = tmp_path / "answers.jsonl"
    Kept(file).note(("8",), "nanet", {"record": {"size": 12345}})
    whole = file.read_bytes()
    for damaged in (whole.replace(b"12345", b"12346"), whole[:-9], whole + b"]", b"\xff[1]\n5"):
        file.write_bytes(damaged)
        assert Kept(file).answer(("8",), "nanet") is None
    file.write_bytes(b"\xff\n[1]\n" + whole)
    assert Kept(file).answer(("8",), "nanet") == {"record": {"size": 12345}}


def test_a_command_whose_answer_is_kept_is_not_run_again(tmp_path, monkeypatch):
    command = "onehop bench latency --transport virtual:nanet --sizes 8"
    answer = {"record": {"samples": []}}
    Kept(tmp_path / "answers.jsonl").note(Session().words(command), "nanet", answer)
    monkeypatch.setattr(session_module, "_records", session_module._Records())
    session_module.keep(tmp_path / "answers.jsonl")
    assert Session().record(command) == answer["record"]
    assert not session_module._records._is_running


def test_other_readings_give_values_of_targets_that_are_there(session, given):
    for experiment in EXPERIMENTS.values():
        for reading, target in experiment.read():
            assert target.id in {t.id for t in experiment.targets}
            if f"{reading.name},{target.id}" not in given:
                assert target.value(session) > 0


def test_points_of_every_curve_are_computed_at_the_published_places(session):
    for experiment in EXPERIMENTS.values():
        for curve in experiment.curves:
            if curve.name == "strided face":
                assert [p[0] for p in curve.values(session)] == [p[0] for p in curve.points]
            assert all("{" not in command for command in curve.commands())


@pytest.mark.parametrize(
    ("tolerance", "good", "bad"),
    [
        ({"kind": "relative", "value": 0.05}, 10.5, 10.6),
        ({"kind": "absolute", "value": 0.05}, 9.95, 9.94),
        ({"kind": "range", "low": 8, "high": 11}, 8, 7.9),
        ({"kind": "ordering", "margin": 0.05}, 1.06, 0.94),
    ],
)
def test_a_verdict_follows_the_tolerance(tolerance, good, bad):
    target = Target("T-1", "test", "validation", "what", 10, "us", tolerance, "test")
    assert compare(target, good).verdict == "ok"
    assert compare(target, bad).verdict == "miss"


def test_an_order_within_its_margin_is_no_verdict_and_not_counted():
    ordering = {"kind": "ordering", "margin": 0.05}
    target = Target("T-1", "test", "validation", "what", "faster", "-", ordering, "test")
    sides = [compare(target, value) for value in (1.2, 1.01, 0.99, 0.8)]
    assert [side.verdict for side in sides] == ["ok", "tie", "tie", "miss"]
    assert table.counts(sides, "validation") == (1, 2)


def test_what_is_not_built_is_missed_and_inputs_count_apart():
    relative = {"kind": "relative", "value": 0.1}
    target = Target("T-1", "test", "validation", "what", 1.0, "us", relative, "test")
    results = [
        compare(target, 1.0),
        compare(dataclasses.replace(target, missing="a program"), None),
        compare(dataclasses.replace(target, input="a rate"), 1.0),
    ]
    assert table.counts(results, "validation") == (1, 2)
    assert table.counts(results, "input") == (1, 1)
    assert table.summary(results) == (
        "# validation 1 of 2 within tolerance (1 not built), inputs read back 1 of 1"
    )


def test_no_fit_looks_at_a_validation_target():
    assert {TARGETS[name].kind for fit in calibrate.FITS for name in fit.targets} == {"calibration"}


def test_every_fitted_parameter_is_in_state_fitted_in_its_file():
    for fit in calibrate.FITS:
        for group in fit.parameters:
            assert all(calibrate.current_value(parameter) > 0 for parameter in group)


def test_every_number_in_state_fitted_is_found_by_a_fit():
    fitted = {(p.platform, p.key, p.when) for f in calibrate.FITS for g in f.parameters for p in g}
    for name in netsim.shipped():
        for number in sensitivity.chosen(name, ("fitted",)):
            of = number.parameter
            assert (of.platform, of.key, of.when) in fitted


def test_a_fit_finds_the_number_again_that_made_the_figure():
    fit = next(f for f in calibrate.FITS if f.targets == ("A-C8",))
    moved = {parameter: 2.5 for parameter in fit.parameters[0]}
    for entry in calibrate.fit_one(fit, TARGETS, moved):
        assert entry.value == pytest.approx(calibrate.current_value(entry.parameter), rel=5e-3)


def test_writing_a_fit_changes_one_number_and_nothing_else(tmp_path, monkeypatch):
    original = calibrate.platform_file.find("tca-peach2")
    copy = tmp_path / "tca-peach2.toml"
    copy.write_text(original.read_text())
    monkeypatch.setattr(calibrate.platform_file, "find", lambda name: copy)
    parameter = calibrate.Parameter("tca-peach2", "stage.gpu-write-far.rate")
    calibrate.write([calibrate.Fitted(parameter, 1.0, 1.25)])
    old, new = original.read_text().splitlines(), copy.read_text().splitlines()
    changed = [n for n, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
    assert len(changed) == 1
    assert "value = 1.25," in new[changed[0]]
    assert calibrate.current_value(parameter) == 1.25


def test_the_closed_form_is_the_maximum_of_its_branches():
    """The form T = max_i(lambda_i + V tau_i + V N / beta_i) is linear in V once one server is the
    slowest."""
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
    machine = netsim.load("ndr-h200")
    times = [
        packet_form.collective_ps(machine, "broadcast", n, 64, "device") for n in (2, 4, 8, 16)
    ]
    assert times == pytest.approx([times[0] * level for level in (1, 2, 3, 4)])


@pytest.mark.timeout(600)
def test_the_page_of_figures_is_current(given):
    """Words must agree to the letter, numbers to two percent: the simulation may become better in
    the third digit without anybody writing the page again."""
    old, new = (re.split(r"[ |]+", text) for text in (PAGE.read_text(), page(given)))
    assert len(old) == len(new), "run `make docs`"
    for was, now, unit in zip(old, new, [*old[1:], ""], strict=True):
        if re.fullmatch(r"[-+]?[0-9.]+(e[-+]?[0-9]+)?", was):
            assert float(now) == pytest.approx(
                float(was), rel=0.02, abs=1.5 if unit == "%" else 0.02
            ), "run `make docs`"
        else:
            assert now == was, "run `make docs`"


def test_the_readme_has_the_score_of_the_page():
    score = re.search(r"validation (\d+ of \d+) within tolerance", PAGE.read_text())[1]
    assert f"{score} come out within their tolerance" in (DOCS.parent / "README.md").read_text()


@pytest.mark.parametrize("name", [name for name, each in EXPERIMENTS.items() if each.curves])
def test_the_picture_of_an_experiment_has_its_curves_and_no_others(name):
    picture = (DOCS.parent / "experiments" / name / "figure.svg").read_text()
    labels = re.findall(r">([^<>]*), (?:published|ours)</text>", picture)
    expected = [curve.name for curve in EXPERIMENTS[name].curves for _ in range(2)]
    assert labels == expected, "run `make docs`"


@pytest.mark.parametrize("name", netsim.shipped())
def test_the_table_of_steps_adds_up_and_the_picture_names_every_stage(name, tmp_path):
    machine = netsim.load(name)
    text = explain.table(machine)
    shown = {s for p in explain.paths_shown(machine) for s in machine.paths[p].origin}
    assert all(f" {stage} " in text for stage in shown if "go before it" not in text)
    explain.write_picture(machine, tmp_path / "machine.svg")
    picture = (tmp_path / "machine.svg").read_text()
    assert all(stage in picture for stage in shown)


def test_the_program_of_a_figure_runs_from_any_folder_and_environment(monkeypatch, tmp_path):
    typed = TARGETS["L-C1"].run["one"]
    assert " 16 16 16 16 " in typed
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    small = typed.removeprefix("onehop ").replace(" 16 16 16 16 ", " 4 4 4 4 ")
    assert record_of(shlex.split(small))["time_per_iteration_us"] > 0


def test_what_the_pages_are_made_of_is_installed():
    folder = Path(reproduce.__file__).parent.parent / "experiments"
    assert (folder / "faults" / "study.toml").is_file()
    assert (folder / "lattice_solvers" / "full_spinors.py").is_file()
