"""Platform files of networks of switches are tested for what they make and refuse."""

from __future__ import annotations

import pytest

from onehop import UsageError, _core, netsim
from onehop.netsim import description, graph_file, switch_levels
from onehop.netsim.template import text

_NUMBER = '{{ value = {}, unit = "1", state = "assumed", source = "test" }}'


def loaded(tmp_path, kind, *changes, file="mine.toml"):
    lines = text("mine", kind)
    for old, new in changes:
        assert old in lines
        lines = lines.replace(old, new, 1)
    path = tmp_path / file
    path.write_text(lines)
    return netsim.load(str(path))


def shape(platform, nodes=4):
    return description.describe(platform, nodes).fabrics[0].shape


def test_a_dragonfly_has_the_letters_of_its_paper(tmp_path):
    found = shape(loaded(tmp_path, "dragonfly"))
    assert found.kind == _core.TopologyKind.dragonfly
    assert (found.hosts, found.grouped.leaves, found.grouped.global_ports) == (2, 4, 2)
    assert (found.grouped.groups, found.grouped.order) == (9, _core.GlobalOrder.palmtree)


def test_a_network_has_place_for_all_nodes(tmp_path):
    lines = text("mine", "dragonfly").splitlines()
    most = next(line for line in lines if line.startswith("nodes_most"))
    with pytest.raises(
        UsageError, match="1000000 nodes, but the dragonfly has place for 72 by p, a and g$"
    ):
        loaded(tmp_path, "dragonfly", (most, f"nodes_most = {_NUMBER.format(1000000)}"))


def test_wires_within_and_between_groups_may_differ(tmp_path):
    latency = '{ value = 900, unit = "ns", state = "assumed", source = "test" }'
    change = ("\n[stage]", f"\n[wire.global]\nlatency = {latency}\n\n[stage]")
    found = description.describe(loaded(tmp_path, "dragonfly", change), 4).fabrics[0].links
    assert [link.latency for link in found][2] == 900_000
    assert found[0].latency == found[1].latency < 900_000


def test_a_tree_of_levels_has_any_depth_and_taper(tmp_path):
    lines = text("mine", "fat-tree").splitlines()
    radix = next(line for line in lines if line.startswith("radix"))
    levels = "\n".join(
        f"{key} = {_NUMBER.format(value)}" for key, value in (("m", [8, 8, 8]), ("w", [1, 4, 2]))
    )
    found = shape(loaded(tmp_path, "fat-tree", (radix, levels)))
    assert [(level.down, level.up) for level in found.levels] == [(8, 1), (8, 4), (8, 2)]


def levels(platform, nodes):
    machine = description.describe(platform, nodes)
    return switch_levels.lay_out(machine, machine.links())


def rows(network):
    return [line.split() for line in network.table().splitlines()[1:]]


def test_levels_of_a_tree_have_the_switches_and_the_taper_of_its_numbers(tmp_path):
    """64 leaves of 8 nodes with 4 ports up; 8 times 4 switches above, each with 2; 8 on top."""
    lines = text("mine", "fat-tree").splitlines()
    radix = next(line for line in lines if line.startswith("radix"))
    of_levels = "\n".join(
        f"{key} = {_NUMBER.format(value)}" for key, value in (("m", [8, 8, 8]), ("w", [1, 4, 2]))
    )
    whole = levels(loaded(tmp_path, "fat-tree", (radix, of_levels)), 512)
    assert rows(whole) == [
        ["1", "64", "8", "4", "2:1"],
        ["2", "32", "8", "2", "4:1"],
        ["3", "8", "8", "0"],
    ]
    assert whole.is_layered and len(whole.links) == 2 * (512 + 64 * 4 + 32 * 2)
    few = levels(loaded(tmp_path, "fat-tree", (radix, of_levels)), 12)
    assert rows(few)[0] == ["1", "64", "0", "to", "8", "4", "2:1"]
    assert rows(few)[1:] == rows(whole)[1:]


def test_cables_beside_each_other_are_told_by_their_kind(tmp_path):
    found = levels(loaded(tmp_path, "dragonfly"), 72)
    assert not found.is_layered
    assert rows(found) == [["1", "36", "2", "0", "3", "local,", "2", "global"]]
    spines = levels(loaded(tmp_path, "dragonfly+"), 16)
    assert [row[0] for row in rows(spines)] == ["1", "2"]
    assert "global" in spines.words(2) and "global" not in spines.words(1)


def test_switches_of_a_graph_are_as_far_up_as_their_nodes_are_away(tmp_path):
    (tmp_path / "net").write_text("host a 48\nhost b 16\na top\nb top\ntop roof\n")
    change = ('kind = "all-to-all"', 'kind = "graph"\nfile = "net"')
    found = levels(loaded(tmp_path, "all-to-all", change), 64)
    assert found.is_layered
    assert rows(found) == [
        ["1", "2", "16", "to", "48", "1", "48:1"],
        ["2", "1", "2", "1", "2:1"],
        ["3", "1", "1", "0"],
    ]


def test_a_graph_is_read_beside_its_platform(tmp_path):
    (tmp_path / "net").write_text("a b # cable\nb c\nb c\nhost a 2\n\nhost c\n")
    change = ('kind = "all-to-all"', 'kind = "graph"\nfile = "net"')
    platform = loaded(tmp_path, "all-to-all", change, ("value = [8]", "value = [3]"),
                      ("value = 64", "value = 3"))  # fmt: skip
    found = shape(platform, 3).graph
    assert found.edges == [(0, 1), (1, 2), (1, 2)]
    assert found.host_switch == [0, 0, 2]
    assert platform.fabric.topology.graph.names == ("a", "b", "c")


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ("a b\nb b\nhost a\n", "net:2: a cable is two switches; got 'b b'"),
        ("a b\nhost a x\n", "net:2: hosts are host SWITCH [COUNT]"),
        ("a b\n", "no line host SWITCH"),
    ],
)
def test_a_wrong_graph_names_file_and_line(tmp_path, lines, says):
    (tmp_path / "net").write_text(lines)
    with pytest.raises(UsageError, match="net") as raised:
        graph_file.read(str(tmp_path / "net"))
    assert says in str(raised.value)


@pytest.mark.parametrize(
    ("kind", "change", "says"),
    [
        ("dragonfly", ("g = { value = 9", "g = { value = 10"), "topology.g: 8 global ports"),
        ("dragonfly", ('arrangement = "palmtree"\n', ""), "topology.arrangement: missing"),
        ("dragonfly", ("72, unit", "73, unit"), "place for 72"),
        ("dragonfly", ('kind = "dragonfly"', 'kind = "dragonfly"\nrouting = "ugal"'), "needs 3"),
        ("torus", ('kind = "torus"', 'kind = "torus"\nrouting = "valiant"'), "torus needs 4"),
        ("fat-tree", ('kind = "fat-tree"', 'kind = "fat-tree"\nrouting = "ugal"'), "adaptive"),
        (
            "torus",
            ('kind = "torus"', f'kind = "torus"\np = {_NUMBER.format(2)}'),
            "has no effect",
        ),
        ("mesh", ("[4, 4, 4]", "[2, 2, 2, 2, 2, 2, 2, 2, 2]"), "a mesh has 1 to 8 axes"),
        ("hyperx", ("T = {", f"K = {_NUMBER.format([1])}\nT = {{"), "1 numbers of cables for 2"),
    ],
)
def test_wrong_numbers_are_one_line_with_file_and_key(tmp_path, kind, change, says):
    with pytest.raises(UsageError) as raised:
        loaded(tmp_path, kind, change)
    assert str(raised.value).startswith(f"platform file {tmp_path / 'mine.toml'}: ")
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)
