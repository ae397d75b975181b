"""What results show in notebooks: pictures of their numbers, and tables of quantities with
errors."""

from __future__ import annotations

import importlib.util
import re

import numpy as np
import pytest

import onehop
from onehop import flow
from onehop.baryons import NAMES, Baryons
from onehop.estimate_display import with_error
from onehop.mesons import STAGGERED, WILSON, Mesons

TIMES = np.arange(12)
AT_REST = [(0, 0, 0), (0, 0, 1)]


@pytest.fixture(autouse=True)
def without_display(monkeypatch):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    yield pyplot
    pyplot.close("all")


def cosh(mass: float) -> np.ndarray:
    return np.cosh(mass * (TIMES - len(TIMES) / 2)) + 0j


def mesons(structures=WILSON) -> Mesons:
    """Correlators of one state each; that at momentum 1 is heavier, and the scalar below zero."""
    masses = 0.2 + 0.05 * np.arange(len(structures))
    correlators = np.array([[cosh(m), cosh(m + 0.1)] for m in masses])
    correlators[0] *= -1 if structures == WILSON else 1
    return Mesons(AT_REST, correlators, structures)


def points(axes) -> list[np.ndarray]:
    return [np.array(line.get_ydata()) for line in axes.get_lines() if len(line.get_ydata())]


@pytest.mark.parametrize(("structures", "name"), [(WILSON, "g5"), (STAGGERED, "000")])
def test_mesons_draw_the_pseudoscalar_and_its_mass(structures, name):
    found = mesons(structures)
    above, below = found.plot()
    assert [text.get_text() for text in above.get_legend().get_texts()] == [name]
    assert above.get_yscale() == "log"
    assert np.array_equal(points(above)[0], found.of(name).real)
    place = [one for one, _ in structures].index(name)
    assert points(below)[0] == pytest.approx(0.2 + 0.05 * place, rel=1e-9)


def test_several_mesons_share_axes_and_those_below_zero_are_open(without_display):
    found = mesons()
    _, axes = without_display.subplots(2, 1)
    above, below = found.plot("1", "g5", momentum=(0, 0, 1), axes=axes)
    assert (above, below) == tuple(axes)
    scalar, open_points, pion = points(above)
    assert np.array_equal(scalar, -found.of("1", (0, 0, 1)).real)
    assert np.array_equal(open_points, scalar)
    assert np.array_equal(pion, found.of("g5", (0, 0, 1)).real)
    heights = [0.3, 0.2 + 0.05 * 15 + 0.1]
    assert [line.mean() for line in points(below)] == pytest.approx(heights, rel=1e-9)
    assert below.get_ylim()[1] > max(heights)
    with pytest.raises(onehop.UsageError, match="no correlator 'g7'"):
        found.plot("g7")


def test_baryons_draw_both_with_masses_of_one_direction():
    falling = np.exp(-0.7 * TIMES) * np.ones((2, 2, 2, 1)) + 0j
    falling[1] = np.exp(-0.9 * TIMES)
    above, below = Baryons(AT_REST, falling).plot(momentum=(0, 0, 1), parity=-1)
    assert [text.get_text() for text in above.get_legend().get_texts()] == list(NAMES)
    assert [line.mean() for line in points(below)] == pytest.approx([0.7, 0.9])
    assert len(points(below)[0]) == len(TIMES) - 1


def rows() -> np.ndarray:
    """Configurations with noise of their own at each t, which does not cancel in a ratio."""
    noise = 1 + 0.01 * np.random.default_rng(1).normal(size=(200, len(TIMES)))
    return noise * cosh(0.4).real


@pytest.mark.parametrize("analyse", [onehop.jackknife, onehop.gamma_method])
def test_estimates_draw_their_values_with_errors(analyse):
    found = analyse(rows(), lambda mean: np.append(onehop.effective_mass(mean)[1:], np.nan))
    axes = found.plot()
    (bars,) = axes.containers
    drawn = np.array(bars.lines[0].get_xydata())
    places = np.flatnonzero(np.isfinite(found.value))
    assert np.array_equal(drawn, np.array([places, found.value[places]]).T)
    ends = np.array([segment[:, 1] for segment in bars.lines[2][0].get_segments()])
    assert np.allclose((ends[:, 1] - ends[:, 0]) / 2, found.error[places])
    assert found.error[places].min() > 1e-4
    one = analyse(rows(), lambda mean: mean[0])
    assert one.plot(axes) is axes and len(axes.containers) == 2


def test_a_quantity_of_two_dimensions_is_not_drawn():
    found = onehop.jackknife(np.random.default_rng(1).normal(size=(9, 2, 3)))
    with pytest.raises(onehop.UsageError, match=r"Jackknife.plot draws .* not shape \(2, 3\); let"):
        found.plot()
    assert "<td>1, 2</td>" in found._repr_html_()


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        (0.52312, 0.0047, "0.5231(47)"),
        (0.52312, 0.00996, "0.523(10)"),
        (-12.345, 1.23, "-12.3(12)"),
        (5678.9, 123.0, "5679(123)"),
        (0.5, 0.0, "0.5"),
        (float("nan"), 0.1, "nan"),
    ],
)
def test_an_error_has_two_digits_in_brackets(value, error, words):
    assert with_error(value, error) == words


def test_tables_have_values_with_errors_and_no_end():
    samples = np.random.default_rng(2).normal(size=(50, 100))
    found = onehop.gamma_method(samples)
    text = found._repr_html_()
    cells = re.findall(r"<tr><td>(\d+)</td><td>(.*?)</td><td>(.*?)</td></tr>", text)
    assert [int(place) for place, *_ in cells] == list(range(64)) and ">36 more<" in text
    for place, value, tau in cells:
        k = int(place)
        assert value == with_error(found.value[k], found.error[k])
        assert tau == with_error(found.tau_int[k], found.tau_int_error[k])
    assert "<th>tau_int</th>" in text
    assert "tau_int" not in onehop.jackknife(samples)._repr_html_()


def test_a_flow_draws_its_energy_and_charge_and_t0():
    energies = [flow.FlowPoint(t, 0.9 / (1 + t), 0.8 / (1 + t), 2.0) for t in np.linspace(0, 2, 9)]
    above, below = flow.plot(energies)
    times = np.linspace(0, 2, 9)
    assert np.allclose(points(above)[0], 0.8 * times**2 / (1 + times))
    assert [text.get_text() for text in above.get_legend().get_texts()] == ["clover", "plaquette"]
    assert np.array_equal(points(below)[0], np.full(9, 2.0))
    (said,) = [text.get_text() for text in above.texts]
    assert said == f"$t_0$ = {flow.flow_scales(energies).t0:.4f}"
    assert len(flow.plot(energies[:2])[0].texts) == 0  # t^2 E is below 0.3 there


@pytest.mark.parametrize(
    ("name", "draw"),
    [
        ("Mesons.plot", lambda: mesons().plot()),
        ("Jackknife.plot", lambda: onehop.jackknife(rows()).plot()),
        ("flow.plot", lambda: flow.plot([flow.FlowPoint(0.0, 1.0, 1.0, 0.0)])),
    ],
)
def test_without_matplotlib_a_plot_says_what_to_install(monkeypatch, name, draw):
    monkeypatch.setattr(importlib.util, "find_spec", lambda package: None)
    with pytest.raises(onehop.UsageError, match=f"{name} needs matplotlib.*extra plot"):
        draw()


def test_what_a_cell_ends_with_says_its_numbers(tmp_path):
    gauge = onehop.cold_gauge((4, 4, 4, 8))
    gauge.write(tmp_path / "cold.nersc")
    assert repr(gauge.plaquettes).startswith("<PlaquetteAverage 1.0000000000, spatial 1.0")
    assert repr(gauge.geometry).startswith("<Geometry [4, 4, 4, 8] on grid [1, 1, 1, 1]")
    assert "NERSC of [4, 4, 4, 8], 64 bit" in repr(onehop.inspect_gauge(tmp_path / "cold.nersc"))
    options = onehop.SolveOptions(solver="bicgstab", tol=1e-8)
    assert repr(options) == "SolveOptions(solver='bicgstab', tol=1e-08)"
    assert repr(onehop.SolveOptions()) == "SolveOptions()"


def test_one_record_is_no_list_of_records():
    for one in ("solved.json", {"correlator": [1.0]}):
        with pytest.raises(onehop.UsageError, match="give a list of them"):
            onehop.samples_of(one, "correlator")
