"""Predicted scaling obeys what must hold on any machine."""

from __future__ import annotations

import math

import pytest
from onehop._core import UsageError

from onehop import netsim
from onehop.netsim import template
from onehop.netsim.closed_form import lattice_bandwidth
from onehop.perfmodel import scaling, workload
from onehop.perfmodel.draw_scaling import draw_scaling
from onehop.perfmodel.scaling_simulation import simulated_us

LATTICE = (32, 32, 32, 64)
WILSON = workload.OPERATORS["wilson"]


def point(name: str, nodes: int, gflops=100.0, lattice=LATTICE, overlap=True):
    platform = netsim.load(name)
    node = scaling.node_of(platform, gflops, None)
    return scaling.predict(platform, node, lattice, WILSON, "single", nodes, overlap)


def test_grids_cut_the_lattice_into_even_parts_and_all_nodes_work():
    for nodes in (1, 2, 24, 128):
        found = workload.grids((24, 24, 24, 48), nodes)
        assert found and all(math.prod(grid) == nodes for grid in found)
        for grid in found:
            assert all(n % (2 * g) == 0 for n, g in zip((24, 24, 24, 48), grid, strict=True))
    assert workload.grids((8, 8, 8, 8), 7) == []


def test_faces_are_half_spinors_of_half_of_the_sites():
    share = workload.share_of((8, 8, 8, 16), (1, 1, 2, 2), WILSON, "single")
    sites = 8 * 8 * 4 * 8
    assert share.faces == tuple(
        (a, sites // e * 48 // 2) for a, e in ((2, 4), (3, 8)) for _ in "12"
    )


def test_improved_quarks_send_three_layers_and_are_cut_no_thinner():
    naive, improved = (workload.OPERATORS[name] for name in ("staggered", "hisq"))
    shape = ((8, 8, 8, 16), (1, 1, 2, 2))
    shares = [workload.share_of(*shape, operator, "single") for operator in (naive, improved)]
    assert [size for _, size in shares[1].faces] == [3 * size for _, size in shares[0].faces]
    # With 4 sites none has all its neighbours three sites away.
    assert (shares[0].surface_share, shares[1].surface_share) == (1 - 2 / 4 * 6 / 8, 1)
    assert (1, 1, 1, 8) in workload.grids((8, 8, 8, 16), 8)
    found = workload.grids((8, 8, 8, 16), 8, improved.reach)
    assert found and (1, 1, 1, 8) not in found and (1, 1, 2, 4) in found


def test_the_staggered_operator_is_applied_once_where_wilsons_is_twice():
    staggered, wilson = (
        workload.share_of(LATTICE, (1, 1, 1, 1), workload.OPERATORS[name], "single")
        for name in ("staggered", "wilson")
    )
    assert (staggered.hoppings, wilson.hoppings) == (2, 4)
    assert staggered.flops < wilson.flops / 4


def test_bandwidth_needed_is_that_of_the_formula():
    """The formula is B = g (P b / F) sum 2 / L_d, with no launch and memory that does not count."""
    found = point("apenet-v5", 16)
    split = [axis for axis in range(4) if found.grid[axis] > 1]
    node = scaling.node_of(netsim.load("apenet-v5"), 100.0, None)
    launch = node.launch_us
    share = workload.share_of(LATTICE, found.grid, WILSON, "single")
    formula = lattice_bandwidth(
        found.local,
        split,
        gpus=1,
        flops_per_second=100e9,
        face_bytes=48,
        site_flops=WILSON.flops,
    )
    compute = node.time_us(share.hopping_flops, share.hopping_bytes) - launch
    assert found.required_gbs * (compute + launch) / compute == pytest.approx(formula / 1e9)


@pytest.mark.parametrize("name", ["apenet-v5", "infiniband-qdr", "qpace"])
def test_more_nodes_never_raise_efficiency_much_and_parts_add_up(name):
    points = scaling.with_efficiency([point(name, n) for n in (1, 2, 8, 64, 512)])
    assert points[0].efficiency == 1 and points[0].halo_us == 0 and points[0].sums_us == 0
    for one, other in zip(points, points[1:], strict=False):
        assert other.efficiency < 1.01 * one.efficiency
    for one in points:
        parts = one.compute_us + one.halo_exposed_us + one.sums_us
        assert parts == pytest.approx(one.iteration_us)


def test_overlap_hides_faces_but_never_more_than_there_are():
    for nodes in (2, 64, 512):
        hidden, open_ = (point("apenet-v5", nodes, overlap=o) for o in (True, False))
        assert hidden.halo_exposed_us <= open_.halo_exposed_us + 1e-9
        assert open_.halo_exposed_us == pytest.approx(open_.halo_us)


def test_a_torus_pays_for_axes_it_does_not_have():
    """Four axes are split on three dimensions, so that two of them share links."""
    platform = netsim.load("apenet-v5")
    flat, folded = (
        workload.share_of((32, 32, 32, 32), grid, WILSON, "single")
        for grid in ((1, 4, 4, 4), (4, 4, 4, 4))
    )
    hops, load = scaling._on_links(platform, flat)
    assert set(hops.values()) == {1} and load == 1
    hops, load = scaling._on_links(platform, folded)
    assert max(hops.values()) == 4 and load >= 4


@pytest.mark.parametrize(
    ("grid", "cables"), [((1, 4, 4, 4), 2 * 16), ((4, 4, 4, 4), 2 * 16), ((2, 2, 4, 8), 2 * 8)]
)
def test_the_bisection_of_a_torus_is_that_of_its_cables(grid, cables):
    """Axes that lie within another make a dimension longer and add no cable to the cut."""
    platform = netsim.load("apenet-v5")
    share = workload.share_of((32, 32, 32, 32), grid, WILSON, "single")
    _, bisection = scaling._bisection(platform, share, math.prod(grid))
    wire = platform.fabric.wire()
    assert bisection == pytest.approx(cables * wire.rate * wire.efficiency / 1e9)


@pytest.mark.parametrize("overlap", [True, False])
def test_a_host_waits_for_its_kernels_before_each_exchange_and_each_sum(overlap):
    """Four hopping terms and two sums; a node alone sends nothing, and waits for nothing."""
    waits, at_once = (netsim.load("infiniband-qdr", {"gpu.wait": w}) for w in ("10.3", "0"))
    for nodes, count in ((1, 0), (16, 6)):
        times = []
        for platform in (waits, at_once):
            node = scaling.node_of(platform, None, None)
            found = scaling.predict(platform, node, LATTICE, WILSON, "double", nodes, overlap)
            packets = simulated_us(platform, node, found, WILSON, "double", overlap)
            times.append((found.iteration_us, packets, found.halo_exposed_us))
        more = [one - other for one, other in zip(*times, strict=True)]
        assert more == pytest.approx([count * 10.3, count * 10.3, 0], abs=0.01)


def test_platforms_without_gpus_compute_on_their_host():
    platform = netsim.load("qpace")
    node = scaling.node_of(platform, None, None)
    assert (node.flops_per_s, node.bytes_per_s) == (platform.host.flops, platform.host.memory)
    assert (node.memory, node.launch_us, node.wait_us) == ("host", 0, 0)


def test_platforms_that_do_not_say_what_computes_ask_for_it():
    platform = netsim.load("qpace")
    mute = platform.model_copy(update={"host": platform.host.model_copy(update={"flops": 0.0})})
    with pytest.raises(UsageError, match="--node-gflops"):
        scaling.node_of(mute, None, None)


def test_where_scaling_stops_is_the_last_above_half():
    def at(nodes, efficiency):
        return scaling.dataclasses.replace(point("qpace", 2), nodes=nodes, efficiency=efficiency)

    assert scaling.stops_at([at(16, 1.0), at(32, 0.6), at(64, 0.4), at(128, 0.2)]) == 32
    assert scaling.stops_at([at(16, 1.0), at(32, 0.6)]) is None


@pytest.mark.parametrize("machine", ["apenet-v5", "qpace", "infiniband-qdr"])
@pytest.mark.parametrize("nodes", [1, 2, 16, 64])
@pytest.mark.parametrize("overlap", [True, False])
def test_packets_take_what_the_closed_form_says(machine, overlap, nodes):
    """Each has a unit that takes what leaves and what arrives in turn: APEnet+'s microcontroller,
    the bus of a host, an adapter that reads and writes memory of GPUs."""
    platform = netsim.load(machine)
    node = scaling.node_of(platform, 100.0, None)
    found = scaling.predict(platform, node, LATTICE, WILSON, "single", nodes, overlap, True)
    packets = simulated_us(platform, node, found, WILSON, "single", overlap)
    assert packets == pytest.approx(found.iteration_us, 0.05)


@pytest.mark.parametrize("simulated_us", [None, 9.5])
def test_every_line_of_a_picture_is_explained(simulated_us):
    """Each has a name in a legend, or in the legend of its panel above."""
    point = {"nodes": 16, "iteration_us": 9.0, "efficiency": 1.0, "simulated_us": simulated_us}
    point |= {"available_gbs": 2.0, "required_gbs": 3.0}
    figure = draw_scaling({"one": [point], "two": [point]}, "title")
    dashed = [
        list(line.get_ydata()) for line in figure.axes[0].lines if line.get_linestyle() == "--"
    ]
    assert dashed == ([] if simulated_us is None else [[simulated_us]] * 2)
    assert ("dashed" in figure.axes[0].get_title()) == bool(dashed)
    legends = [axes.get_legend() for axes in figure.axes if axes.get_legend()]
    named = {text.get_text() for legend in legends for text in legend.get_texts()}
    assert named == {"one", "two", "half"}
    assert all(line.get_label() in named for axes in figure.axes for line in axes.lines)


def test_a_picture_has_no_zero_on_a_logarithmic_axis():
    """A node alone needs no bandwidth, and a line to there would fall through the panel."""
    points = [
        {"nodes": n, "iteration_us": 9.0 / n, "efficiency": 1.0, "required_gbs": n - 1.0}
        for n in (1, 2, 4)
    ]
    figure = draw_scaling({"one": points}, "title")
    needed = figure.axes[2]
    assert [list(line.get_xdata()) for line in needed.lines] == [[2, 4]]
    figure.canvas.draw()
    assert not any("10^" in label.get_text() for label in needed.get_yticklabels(which="both"))


def test_a_mesh_is_refused(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(template.text("mine", "mesh"))
    with pytest.raises(UsageError, match="mine is a mesh .*onehop simulate"):
        point(str(file), 16)
