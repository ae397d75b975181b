"""Python edits links, and lattices that cannot be are refused."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import onehop
from onehop import UsageError, _core
from onehop.flow import measure_point


def rotated(gauge):
    """Puts other elements of SU(3) on the first slice, whose links are in ghosts too."""
    phase = np.exp(0.3j)
    gauge.links[:, 0] = np.diag([phase, 1 / phase, 1])
    return gauge


@pytest.fixture
def context():
    return _core.join("self")


def test_an_edited_field_is_written_and_read(context, tmp_path):
    gauge = rotated(onehop.cold_gauge((4, 4, 4, 4), context=context))
    gauge.write(tmp_path / "edited.nersc")
    again = onehop.read_gauge(tmp_path / "edited.nersc", context=context)
    np.testing.assert_array_equal(again.links, gauge.links)
    assert again.plaquette == gauge.plaquette < 1


@pytest.mark.parametrize(
    ("name", "form"),
    [("a.ildg", "ILDG"), ("a.milc", "MILC"), ("a.QIO", "SciDAC"), ("cnfg1", "NERSC")],
)
def test_a_file_has_the_format_that_its_name_says(context, tmp_path, name, form):
    onehop.cold_gauge((4, 4, 4, 4), context=context).write(tmp_path / name)
    assert onehop.inspect_gauge(tmp_path / name).format == form


def test_a_copy_has_links_of_its_own(context):
    gauge = onehop.hot_gauge((4, 4, 4, 4), seed=5, context=context)
    copied = gauge.copy()
    before = gauge.plaquette
    assert copied.plaquette == before and np.array_equal(copied.links, gauge.links)
    copied.links[...] = np.eye(3)
    assert (gauge.plaquette, copied.plaquette) == (before, pytest.approx(1))


GAUGES = """
import onehop
first = onehop.cold_gauge((4, 4, 4, 8))
second = onehop.hot_gauge((4, 4, 4, 8), seed=3)
assert first.context.size == second.context.size == 2
del first
assert onehop.cold_gauge((4, 4, 4, 8)).plaquette == 1
"""
JOINED = """
import onehop
context = onehop.join()
assert onehop.cold_gauge((4, 4, 4, 8)).context.size == 2
"""


@pytest.mark.parametrize("program", [GAUGES, JOINED], ids=["gauges", "joined"])
def test_gauges_of_no_context_are_of_the_job_that_was_joined(start, program):
    ended = start("run", "-n", 2, "--", sys.executable, "-c", program).end()
    assert (ended.status, ended.err) == (0, "")


DIFFERENT = """
import onehop, sys
gauge = onehop.hot_gauge((4, 4, 4, 8), seed=3)
r = gauge.context.rank
point = {"source": (0, 0, 0, r)}
calls = {
    "write with format nersc on rank 0 and format ildg on rank 1": lambda: gauge.write(
        sys.argv[1], format=("nersc", "ildg")[r]
    ),
    "heatbath with beta 6 on rank 0 and beta 7 on rank 1": lambda: gauge.heatbath(
        beta=6 + r, seed=1, sweep=0
    ),
    "heatbath with sweep 0 on rank 0 and sweep 1 on rank 1": lambda: gauge.heatbath(
        beta=6, seed=1, sweep=r
    ),
    "a hot start with seed 0 on rank 0 and seed 1 on rank 1": lambda: onehop.hot_gauge(
        (4, 4, 4, 4), r
    ),
    "source point:0,0,0,0 on rank 0 and source point:0,0,0,1 on rank 1": lambda: onehop.solve(
        gauge, onehop.Wilson(mass=0.5), **point
    ),
    "solve_shifted with values [0.0, 0.0": lambda: onehop.solve_shifted(
        gauge, [0.0] * 200 + [0.1 * r], onehop.Wilson(mass=0.5), source="random:1"
    ),
    "csw=1.5": lambda: onehop.solve(gauge, onehop.Clover(mass=0.5, csw=1 + r / 2)),
    "tol 1e-05 on rank 0 and tol 1e-06 on rank 1": lambda: onehop.solve(
        gauge, onehop.Wilson(mass=0.5), tol=10.0 ** (-5 - r)
    ),
}
for part, call in calls.items():
    try:
        call()
    except onehop.UsageError as told:
        assert part in str(told) and "give the same on all" in str(told), told
    else:
        raise AssertionError(part)
"""


def test_ranks_that_ask_for_different_things_are_told_both(start, tmp_path):
    words = ("run", "-n", 2, "--", sys.executable, "-c", DIFFERENT, tmp_path / "g.nersc")
    ended = start(*words).end()
    assert (ended.status, ended.err) == (0, "") and list(tmp_path.iterdir()) == []


def test_an_edited_field_is_measured_as_it_is(context):
    gauge = rotated(onehop.cold_gauge((4, 4, 4, 4), context=context))
    found = measure_point(gauge)
    gauge.field.exchange_ghosts()
    assert found == measure_point(gauge)
    assert found.energy_plaquette > 0


def test_an_edited_field_is_updated_as_it_is(context):
    fields = [rotated(onehop.cold_gauge((4, 4, 4, 4), context=context)) for _ in range(2)]
    fields[1].field.exchange_ghosts()
    for gauge in fields:
        gauge.heatbath(beta=6.0, seed=1, sweep=0)
    np.testing.assert_array_equal(fields[0].links, fields[1].links)


@pytest.mark.parametrize(("mu", "sign"), [(7, 1), (-1, 1), (4, -1), (0, 0), (0, 2)])
def test_a_direction_that_is_not_there_is_refused(context, mu, sign):
    geometry = _core.Geometry(context, [4, 4, 4, 4], [1, 1, 1, 1])
    with pytest.raises(UsageError, match="a direction from 0 to 3"):
        geometry.neighbour(mu, sign)
