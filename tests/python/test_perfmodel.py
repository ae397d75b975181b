"""Fits find what data were made of, know how sure they are, and say what data cannot tell."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onehop._core import FileError, UsageError

from onehop import netsim
from onehop.netsim.closed_form import branch_ps, transfer
from onehop.netsim.plausibility import advice
from onehop.perfmodel import observations, segments, staged
from onehop.perfmodel.as_json import fit_as_json
from onehop.perfmodel.fit import fit
from onehop.perfmodel.observations import Observations, joined
from onehop.perfmodel.platform_toml import platform_toml
from onehop.perfmodel.prediction import (
    ExchangeModel,
    check_halo,
    check_more_faces,
    exchange_model,
    predict_iteration,
)
from onehop.perfmodel.refine import finer_sizes
from onehop.perfmodel.stages import NAMES, fit_stages
from onehop.shipped_files import tomllib

# These are (lambda us, tau us, beta MB/s), first the stage that rules short messages; DESY talk of
# 2011.
PING_PONG = ((0.766, 0.57, 4084.74), (2.76, 0.037, 937.8))
PING_PING = ((1.795, 1.209, 1303.9), (2.423, 0.326, 808.6))
SIZES = (128, 256, 512, 1024, 2048)


def exact(stages, sizes, channels) -> Observations:
    size, many = (grid.ravel().astype(float) for grid in np.meshgrid(sizes, channels))
    times = np.max([a + many * b + many * size / c for a, b, c in stages], axis=0)
    return Observations(size, many, times, "made up")


def noisy(data: Observations, seed: int, relative=0.02) -> Observations:
    noise = np.random.default_rng(seed).standard_normal(len(data))
    return Observations(data.size_bytes, data.channels, data.time_us * (1 + relative * noise))


@pytest.mark.parametrize("stages", [PING_PONG, PING_PING])
def test_exact_times_give_the_stages_back(stages):
    found = fit(exact(stages, range(64, 2049, 64), (1, 2, 4, 6, 8)), "stages").stages
    for one, (lam, tau, beta) in zip(found, stages, strict=True):
        assert (one.lambda_us, one.tau_us, one.beta_MBps) == pytest.approx((lam, tau, beta), 1e-3)
        assert one.undetermined == ()


@pytest.mark.parametrize("stages", [PING_PONG, PING_PING])
def test_medians_agree_with_the_truth_and_intervals_hold_it_as_often_as_they_say(stages):
    """There are 20 data sets of 30 points each."""
    truth = [dict(zip(NAMES, stage, strict=True)) for stage in stages]
    inside, ratios = [], []
    for seed in range(20):
        found = fit_stages(noisy(exact(stages, (64, *SIZES), (1, 2, 4, 6, 8)), seed), 2)
        for number, one in enumerate(found):
            for name in NAMES:
                interval = one.intervals[name]
                inside.append(interval.low <= truth[number][name] <= interval.high)
                ratios.append(getattr(one, name) / truth[number][name])
    assert 0.80 <= np.mean(inside) <= 0.97
    medians = np.median(np.reshape(ratios, (20, 2, 3)), axis=0)
    # The wire's growth with the channels is 1% of the time of ping-pong, and known to 40% only.
    assert np.abs(medians - 1).max() < 0.5
    assert np.median(np.abs(medians - 1)) < 0.10


def test_one_number_of_channels_leaves_lambda_and_tau_open():
    found = fit(exact(PING_PONG, range(64, 2049, 64), (8,)), "stages")
    for one, (lam, tau, beta) in zip(found.stages, PING_PONG, strict=True):
        assert one.undetermined == ("lambda_us", "tau_us")
        assert one.combined.value_us == pytest.approx(lam + 8 * tau, 1e-3)
        assert one.lambda_us + 8 * one.tau_us == pytest.approx(lam + 8 * tau, 1e-3)
        assert one.intervals["lambda_us"].low <= lam <= one.intervals["lambda_us"].high
        assert one.intervals["tau_us"].low <= tau <= one.intervals["tau_us"].high
        assert one.beta_MBps == pytest.approx(beta, 1e-3)
    assert "only lambda + 8 tau" in fit_as_json(found)["verdict"]


def test_the_published_points_show_two_stages():
    """Five stages were published; chance hides one stage now and then."""
    fits = [fit(noisy(exact(PING_PONG, SIZES, (8,)), seed), "stages") for seed in range(10)]
    found = [one.stages for one in fits if len(one.stages) == 2]
    assert len(found) >= 9
    assert np.median([wire.beta_MBps for _, wire in found]) == pytest.approx(937.8, 0.1)


def test_noise_is_no_stage():
    counts = [
        len(fit(noisy(exact(((2.0, 0.3, 900.0),), SIZES, (1, 2, 4, 8)), seed), "stages").stages)
        for seed in range(10)
    ]
    assert counts.count(1) >= 8


def test_one_wild_point_turns_nothing():
    data = noisy(exact(PING_PONG, range(64, 2049, 64), (1, 8)), 1)
    data.time_us[20] *= 5
    wire = fit(data, "stages", stages=2).stages[1]
    assert wire.beta_MBps == pytest.approx(937.8, 0.05)


def test_the_same_data_give_the_same_fit():
    data = noisy(exact(PING_PING, SIZES, (1, 8)), 3)
    shuffled = np.random.default_rng(1).permutation(len(data))
    other = Observations(
        data.size_bytes[shuffled], data.channels[shuffled], data.time_us[shuffled], data.name
    )
    assert fit_as_json(fit(data)) == fit_as_json(fit(other))


def test_protocols_are_found_where_the_time_jumps():
    sizes = 2.0 ** np.arange(3, 23)
    eager, rendezvous = 2 + sizes / 2000, 12 + sizes / 5000
    data = Observations(sizes, np.ones(20), np.where(sizes < 5000, eager, rendezvous), "jump")
    first, second = fit(data, "loggp").lines
    assert (first.segment.most_bytes, second.segment.least_bytes) == (4096, 8192)
    assert (first.segment.fixed_us, first.rate_MBps) == pytest.approx((2, 2000), 1e-2)
    assert (second.segment.fixed_us, second.rate_MBps) == pytest.approx((12, 5000), 1e-2)
    assert fit(data, "auto").model == "loggp"


def test_hockney_of_a_line_is_the_line():
    found = fit(exact(((1.5, 0.0, 2000.0),), 2 ** np.arange(3, 20), (1,)), "auto")
    assert found.model == "hockney"
    assert segments.evaluate([found.lines[0].segment], np.array([1e6]))[0] == pytest.approx(501.5)


def test_streams_tell_latency_from_gap():
    sizes = 2.0 ** np.arange(3, 15)
    gap = 0.5 + sizes / 1000
    lone = Observations(sizes, np.ones(12), 3 + gap, "latency")
    stream = Observations(sizes, np.ones(12), gap, "put")
    assert fit(lone, "plogp", streaming=stream).latency_us == pytest.approx(3)
    assert fit(lone, "plogp").latency_us is None


def test_streams_on_several_channels_tell_the_gap_of_each_size():
    def gap(size):
        return 0.5 + 0.1 * np.log(size)

    sizes = 2.0 ** np.arange(3, 15)
    lone = Observations(1.3 * sizes[:-1], np.ones(11), 3 + gap(1.3 * sizes[:-1]), "latency")
    parts = [
        Observations(own, np.full(len(own), many), gap(own) * many, "bandwidth")
        for many, own in ((1.0, sizes), (2.0, sizes[:4]), (8.0, sizes[:6]))
    ]
    for streaming in (joined(parts), joined(parts).sorted(), joined(parts[::-1])):
        assert fit(lone, "plogp", streaming=streaming).latency_us == pytest.approx(3)


def test_too_few_points_are_refused():
    with pytest.raises(UsageError, match="2 different sizes"):
        fit(exact(PING_PONG, (128, 256), (8,)))
    with pytest.raises(UsageError, match="cannot carry 3 stages"):
        fit(exact(PING_PONG, SIZES, (8,)), "stages", stages=3)


@pytest.mark.parametrize("model", ["auto", "hockney", "loggp", "plogp", "stages"])
def test_messages_without_bytes_are_refused_where_no_other_is_there(model):
    with pytest.raises(UsageError, match="all messages that were measured have 0 bytes"):
        fit(exact(PING_PONG, (0,), (1, 2, 4)), model)
    assert fit(exact(PING_PONG, (0, 4096), (1, 2, 4)), model).score >= 0


def test_a_table_of_a_spreadsheet_is_read(tmp_path):
    """It begins with the mark of UTF-8, and its lines end as on Windows."""
    path = tmp_path / "points.csv"
    path.write_bytes("\ufeffsize_bytes,time_us\r\n8,1.5\r\n".encode())
    assert observations.read(str(path)).time_us.tolist() == [1.5]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("size_bytes,channels\n8,1\n", "no column time_us"),
        ("bytes,us\n8,1\n", "no column size_bytes and time_us; .* and may name channels"),
        ("size_bytes,time_us\n8,x\n", "line 2: numbers are needed"),
        ("size_bytes,time_us\n8,-1\n", "times are above 0"),
        ("size_bytes,time_us\n", "nothing was measured"),
        ('{"command": "solve", "samples": []}', "a record of solve"),
        ("{", "is not a record"),
    ],
)
def test_files_that_cannot_be_fitted_are_named(tmp_path, text, complaint):
    path = tmp_path / "points"
    path.write_text(text)
    with pytest.raises(FileError, match=complaint):
        observations.read(str(path))


def test_a_bound_keeps_parameters_positive():
    data = exact(((0.0, 0.5, 1000.0),), SIZES, (1, 2, 4))
    design = staged.design_matrix(data.size_bytes, data.channels)
    for seed in range(5):
        times = noisy(data, seed).time_us
        free = staged.fit_planes(design, times, 1)
        assert (staged.positive(design, times, free).parameters >= 0).all()


def test_a_fit_becomes_a_platform_with_the_same_times(tmp_path):
    """Segments have the same times everywhere; stages on the channels for which their sizes are
    cut."""
    sizes = 2.0 ** np.arange(3, 23)
    jump = np.where(sizes < 5000, 2 + sizes / 2000, 12 + sizes / 5000)
    for found, channels in (
        (fit(Observations(sizes, np.ones(20), jump), "loggp"), 1),
        (fit(exact(PING_PONG, range(64, 2049, 64), (8,)), "stages"), 8),
    ):
        path = tmp_path / "fitted.toml"
        path.write_text(platform_toml(found, 'a "name"'))
        platform = netsim.load(path)
        assert advice(platform) == []
        for size in (8, 128, 2048, 4096):
            time = transfer(platform, size, channels=channels).total_ps / 1e6
            assert time == pytest.approx(found.times(size, channels).item(), 1e-3)
    for many in (1, 8):
        branches = platform.branches["fitted"].values()
        longest = max(branch_ps(branch, 512, many) for branch in branches) / 1e6
        assert longest == pytest.approx(found.times(512, many).item(), 1e-6)


def test_sizes_are_added_where_the_curve_bends_and_nowhere_else():
    curve = {2**k: max(1.0, 2**k / 4096) for k in range(3, 21)}
    assert finer_sizes(curve, 48) == [2896, 5792]
    assert finer_sizes({2**k: float(2**k) for k in range(3, 21)}, 48) == []
    jump = {2**k: 1.0 if k < 12 else 3.0 for k in range(3, 21)}
    assert 2896 in finer_sizes(jump, 48) and len(finer_sizes(jump, 1)) == 1
    for _ in range(6):
        jump |= {size: 1.0 if size < 4096 else 3.0 for size in finer_sizes(jump, 48)}
    last = max(size for size, time in jump.items() if time == 1)
    assert len(jump) < 30 and 4096 / last < 1.2


def test_halo_is_predicted_from_pairs_that_touch_their_bytes():
    """The step costs what one message of all bytes costs, and more per further message."""
    sizes = 2.0 ** np.arange(6, 18)

    def step(size, many):
        return 0.2 + 0.05 * (many - 1) + size * many / 5000

    parts = [Observations(sizes, np.full(12, v), step(sizes, v), "pingping") for v in (1, 2, 4)]
    size, faces = (grid.ravel() for grid in np.meshgrid(sizes[:9], (2.0, 8.0)))
    halo = Observations(size, faces, 1.1 * step(size, faces), "halo")
    checked = check_halo(exchange_model(parts), halo)
    assert checked.errors == pytest.approx(np.full(18, 1 / 1.1 - 1), abs=5e-3)
    assert checked.within_goal == 1


def test_ping_pong_of_tca_predicts_its_long_broadcasts_only():
    """The five calibration points predict a broadcast as four puts in a row. Short puts are faster
    in a tree than in a ping-pong, which waits for its own notification too."""
    folder = Path(__file__).resolve().parents[2] / "experiments"
    targets = tomllib.loads((folder / "tca_pingpong" / "published.toml").read_text())["target"]
    points = [
        (float(target["what"].split()[-2]), target["published"])
        for target in targets
        if target["kind"] == "calibration" and "GPU-to-GPU one-way" in target["what"]
    ]
    size, time = np.array(points).T
    found = fit(Observations(size, np.ones(len(size)), time, "TCA ping-pong"), "auto")
    published = tomllib.loads((folder / "tca_broadcast" / "published.toml").read_text())
    bytes_sent, measured = np.array(published["curve"][0]["points"]).T
    errors = 4 * found.times(bytes_sent) / measured - 1
    assert np.abs(errors[bytes_sent >= 8192]).max() < 0.15
    assert errors[bytes_sent <= 2048].min() > 0.3


def test_more_faces_are_predicted_from_two_and_four():
    """The law is by volume, or by message where a protocol changes at a size of message."""
    sizes = 2.0 ** np.arange(6, 18)
    size, faces = (grid.ravel() for grid in np.meshgrid(sizes, (2.0, 4.0, 8.0)))
    each = np.where(size < 3000, 1 + size / 2000, 9 + size / 6000)
    for times, law in ((0.2 + size * faces / 5000, "volume"), (0.5 + faces * each, "message")):
        data = Observations(size, faces, times, "halo")
        assert exchange_model([data]).law == law
        checked = check_more_faces(data)
        assert set(checked.observations.channels) == {8} and len(checked.errors) == 12
        assert np.abs(checked.errors).max() < 0.02
    assert check_more_faces(Observations(sizes, np.full(12, 2.0), sizes, "halo")) is None


def solved(lattice, grid, us, rhs=4, **options) -> dict:
    """Makes the record of a solve of ten iterations that take `us` each."""
    timing = {"total_s": 1e-6 * us * 10 + 5, "check_s": 5}
    place = {"lattice": lattice, "grid": grid, "ranks": int(np.prod(grid)), "rhs": rhs}
    options = {"dslash": "wilson", "prec": "double"} | options
    return place | {"timing": timing, "iterations_total": 10, "options": options}


@pytest.fixture
def packed() -> ExchangeModel:
    sizes = 2.0 ** np.arange(6, 18)
    return exchange_model([Observations(sizes, np.ones(12), 0.5 + sizes / 5000, "pingping")])


ALONE, TOGETHER = ([4, 4, 4, 8], [1, 1, 1, 1], 100), ([4, 4, 4, 16], [1, 1, 1, 2], 150)


@pytest.mark.parametrize(("prec", "size_bytes"), [("double", 8), ("single", 4), ("half", 2)])
def test_an_iteration_is_one_rank_and_four_steps_and_two_sums(packed, prec, size_bytes):
    alone, together = (solved(*one, prec=prec) for one in (ALONE, TOGETHER))
    found = predict_iteration(packed, alone, together, sum_us=3.0)
    faces = 2 * 4 * 4 * 4 / 2 * 12 * size_bytes
    step = float(packed.times(faces, 1))
    assert found.predicted_us == pytest.approx(100 + 4 * step + 6)
    assert found.measured_us == pytest.approx(150)
    other = solved([4, 4, 4, 8], [1, 1, 1, 2], 9, prec=prec)
    assert predict_iteration(packed, alone, other, 3.0) is None


@pytest.mark.parametrize(
    "other",
    [
        {"prec": "single"},
        {"recon": 12},
        {"threads": 2},
        {"device": "cuda"},
        {"solver": "bicgstab"},
        {"dslash": "clover"},
        {"rhs": 1},
    ],
)
def test_solves_that_differ_foretell_nothing_of_each_other(packed, other):
    assert predict_iteration(packed, solved(*ALONE), solved(*TOGETHER), 3.0)
    assert predict_iteration(packed, solved(*ALONE), solved(*TOGETHER, **other), 3.0) is None


@pytest.mark.parametrize("how", [{"prec": "mixed"}, {"dslash": "overlap"}])
def test_faces_whose_size_is_not_known_foretell_nothing(packed, how):
    alone, together = (solved(*one, **how) for one in (ALONE, TOGETHER))
    assert predict_iteration(packed, alone, together, 3.0) is None
