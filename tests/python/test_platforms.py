"""All our platform files load with every choice, and every mistake is named with its place."""

import re

import numpy as np
import pytest
from support.packet_exchange import exchange_ps
from support.small_platform import GOOD

from onehop import Alltoall, UsageError, barrier, netsim, virtual
from onehop.netsim import description, faults, platform_file, template


def choices():
    for name in netsim.shipped():
        tables = platform_file.read(platform_file.find(name))
        yield name, {}
        for option, table in tables.get("option", {}).items():
            for choice in table["choice"]:
                yield name, {option: choice}


@pytest.mark.parametrize(("name", "chosen"), list(choices()), ids=str)
def test_every_choice_of_every_platform_loads(name, chosen):
    platform = netsim.load(name, chosen)
    assert platform.name == name
    for key, number in platform.numbers():
        assert number.source.strip(" -"), key
    row = platform.protocols[0]
    assert platform.protocol_for(row.least, row.origin_memory, row.target_memory, row.variant)


def test_tables_that_were_read_belong_to_the_reader():
    file = platform_file.find("nanet")
    platform_file.read(file)["topology"].clear()
    assert platform_file.read(file)["topology"]


def test_an_option_changes_what_it_names():
    fast, slow = netsim.load("apenet-v4"), netsim.load("apenet-v4", {"nic.rx.translation": "nios"})
    assert fast.stages["host-translate"].hit == 124_000
    assert slow.stages["host-translate"].hit == 2_200_000


def test_a_number_can_be_set_from_outside():
    platform = netsim.load("apenet-v4", {"wire.rate": "20"})
    assert platform.fabric.wire().rate == 2.5e9
    assert platform.fabric.wire().rate.state == "assumed"


def _engine(key, value, unit):
    """Gives two engines, the second with a number of its own, and the head of the path."""
    rate = 'rate = { value = 1, unit = "GB/s", state = "assumed", source = "test" }'
    own = f'{key} = {{ value = {value}, unit = "{unit}", state = "assumed", source = "test" }}'
    before = f'[stage.before]\nkind = "dma"\n{rate}\n'
    return f'{before}[stage.engine]\nkind = "dma"\n{rate}\n{own}\n[path.put]\n'


MISTAKES = {
    "unknown key": (
        "latency =",
        "latencyy =",
        r"wire\.latencyy: unknown key; did you mean latency",
    ),
    "missing unit": ('unit = "ns", ', "", r"wire\.latency\.unit: missing; units are ps, ns, us"),
    "missing source": (
        '"ns", state = "assumed", source = "test"',
        '"ns", state = "assumed"',
        "source",
    ),
    "wrong unit": ('"ns"', '"GB/s"', r"wire\.latency: unit 'GB/s' does not measure a time"),
    "a unit in other letters": ('"GB/s"', '"Gbps"', r"wire\.rate: unit 'Gbps'.*did you mean Gb/s"),
    "negative rate": (
        'value = 1.0, unit = "GB/s"',
        'value = -1.0, unit = "GB/s"',
        r"wire\.rate: -1",
    ),
    "unknown state": ('"ns", state = "assumed"', '"ns", state = "fited"', "did you mean fitted"),
    "unknown stage": (
        'origin = ["post"]',
        'origin = ["pots"]',
        r"path\.put\.origin.*did you mean post",
    ),
    "unused stage": ('origin = ["post"]', "origin = []", r"stage\.post: unused"),
    "unknown kind": ('kind = "software"', 'kind = "softwear"', "did you mean software"),
    "a stage without a name": (
        'origin = ["post"]',
        'origin = ["post", ""]',
        r"path\.put\.origin: no stage is called ''",
    ),
    "rows of an engine at the target": (
        '[path.put]\norigin = ["post"]\ntarget = []',
        _engine("per_piece", 10, "ns") + 'origin = ["post"]\ntarget = ["engine"]',
        r"stage\.engine\.per_piece: .* path\.put\.target; .* first stage of packets of an origin",
    ),
    "a window of a second engine": (
        '[path.put]\norigin = ["post"]',
        _engine("window", 4096, "byte") + 'origin = ["post", "before", "engine"]',
        r"stage\.engine\.window: .* path\.put\.origin; .* first stage of packets of an origin",
    ),
    "unknown path": ('path = "put"', 'path = "pur"', r"protocol\.put\.path.*did you mean put"),
    "too many nodes": ("value = 8, unit", "value = 3, unit", "4 nodes, but nodes_most is 3"),
    "unroutable tree": ('kind = "ring"', 'kind = "fat-tree"', r"topology\.radix: missing.*routed"),
    "leaves of no tree": (
        'kind = "ring"',
        'kind = "ring"\ndown = 2\nup = 2',
        r"topology\.down: has no effect on a ring",
    ),
    "a leaf that leads nowhere": (
        'kind = "ring"',
        'kind = "fat-tree"\nradix = 8\ndown = 4',
        r"topology\.up: missing; ports of a leaf switch go down and up",
    ),
    "a leaf of too many ports": (
        'kind = "ring"',
        'kind = "fat-tree"\nradix = 8\ndown = 4\nup = 5',
        r"topology\.up: 4 ports down and 5 up; a switch has 8",
    ),
    "leaves for fewer nodes": (
        'kind = "ring"',
        'kind = "fat-tree"\nradix = 3\ndown = 2\nup = 1',
        r"topology\.down: 3 leaves of 2 nodes, but nodes_most is 8",
    ),
    "wrong axes": ("value = [4]", "value = [2, 2]", "has 1 axis; got 2"),
    "unknown table": ("[stage.post]", "[stag.post]", "stag: unknown table; did you mean stage"),
    "no topology": ("[topology]", "[topologies]", "did you mean topology"),
    "half a node": (
        "value = [4]",
        "value = [3.5]",
        r"extents: 3\.5 nodes is not a whole",
    ),
    "a ring that deadlocks": (
        "[wire]",
        '[wire]\nchannels = { value = 1, unit = "1", state = "assumed", source = "test" }',
        r"wire\.channels: 1; a ring of 4 nodes can deadlock",
    ),
    "half a byte": ("value = 256", "value = 1.5", r"wire\.packet: 1\.5 byte is not a whole number"),
    "packets too long": ("value = 256", "value = 65536", r"wire\.packet: .* at most 65535 B"),
    "a time beyond the clock": ("value = 100", "value = 1e30", r"wire\.latency: .* at most 1e\+15"),
    "copies without their path": (
        "[protocol]",
        '[collective.direct]\nstaging = "asked"\n[protocol]',
        r"collective\.direct\.copy_out: missing; staging needs it",
    ),
    "unknown path of copies": (
        "[protocol]",
        '[collective.direct]\ncopy_out = "pur"\n[protocol]',
        r"collective\.direct\.copy_out: no path is called 'pur'; did you mean put",
    ),
    "collectives of nothing": (
        "[protocol]",
        "[collective.dirct]\n[protocol]",
        r"collective\.dirct: no protocol has this variant; did you mean direct",
    ),
    "an algorithm of nothing": (
        "[protocol]",
        '[algorithm.a]\nvariant = "dirct"\nof = "broadcast"\nschedule = "ring"\n[protocol]',
        r"algorithm\.a\.variant: no protocol has this variant; did you mean direct",
    ),
    "an algorithm without copies": (
        "[protocol]",
        '[algorithm.a]\nvariant = "direct"\nof = "broadcast"\nschedule = "chain"\n'
        'staging = "whole"\n[protocol]',
        r"algorithm\.a\.staging: collective\.direct needs copy_out and copy_in for that",
    ),
    "segments of no tree": (
        "[protocol]",
        '[algorithm.a]\nvariant = "direct"\nof = "broadcast"\nschedule = "chain"\nsegment = { '
        'value = 1, unit = "KiB", state = "assumed", source = "test" }\n[protocol]',
        r"algorithm\.a\.segment: has no effect on 'chain'",
    ),
    "short copies without their path": (
        "[protocol]",
        '[collective.direct]\nshort_most = { value = 1, unit = "KiB", state = "assumed", '
        'source = "test" }\n[protocol]',
        r"collective\.direct\.short_out: missing; short copies need it",
    ),
    "a number alone": (
        'latency = { value = 100, unit = "ns", state = "assumed", source = "test" }',
        "latency = 100",
        r"wire\.latency: 100 alone has no unit; write \{ value = .* units are ps, ns, us, ms, s",
    ),
    "no number": ("value = 100", 'value = "100"', r"wire\.latency: value '100' is not a number"),
    "a number for a word": ('title = "t"', "title = 1", "title: a word in quotes is needed"),
    "a word for a list": (
        'origin = ["post"]',
        'origin = "post"',
        r"path\.put\.origin: a list of stage names is needed",
    ),
    "a word for a table": ("[topology]", 'host = "fast"\n[topology]', "host: a table is needed"),
    "a stage of no kind": ('kind = "software"', "", r"stage\.post\.kind: missing"),
    "an unknown key of a stage": ("cost =", "costs =", r"stage\.post\.costs: .* mean cost"),
    "an unknown key of a number": (
        'value = 100, unit = "ns"',
        'value = 100, units = "ns"',
        r"wire\.latency\.units: unknown key; did you mean unit",
    ),
    "another format": ("format = 1", "format = 2", "format: 2; this onehop reads format 1"),
    "not TOML": ("format = 1", "format = = 1", "not TOML"),
    "thousands of digits": ("format = 1", f"format = {5000 * '9'}", "not TOML: .* 5000 digits"),
    "thousands of brackets": ("format = 1", f"format = {5000 * '['}", "not TOML: .*recursion"),
    "more than the largest floating-point number": (
        "value = 8,",
        f"value = {10**400},",
        "nodes_most: value 1000.* is not finite",
    ),
    "more than an int": (
        "value = 8,",
        "value = 4294967296,",
        "nodes_most: .* out of range; at most",
    ),
    "more bytes than are exact": (
        'path = "put" }',
        'path = "put", least = { value = 1e30, unit = "B", state = "assumed", source = "test" } }',
        r"protocol\.put\.least: .* out of range; at most 9\.007",
    ),
    "a clock that stands still": (
        '"ns"',
        '"cycles at 0 MHz"',
        "latency: .* no clock has this rate",
    ),
    "a clock of two points": (
        '"ns"',
        '"cycles at 1.2.3 MHz"',
        "latency: .* no clock has this rate",
    ),
}


def write(folder, text):
    path = folder / "mine.toml"
    path.write_text(text)
    return str(path)


def test_a_file_of_the_users_own_loads_by_its_path(tmp_path):
    assert netsim.load(write(tmp_path, GOOD)).name == "mine"


def test_a_file_with_the_mark_of_utf_8_loads(tmp_path):
    """Some editors begin each file with it."""
    path = tmp_path / "mine.toml"
    path.write_bytes(("\ufeff" + GOOD.replace("\n", "\r\n")).encode())
    assert netsim.load(str(path)).name == "mine"


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_wrong_file_gives_one_line_with_file_and_key(tmp_path, mistake):
    old, new, expected = MISTAKES[mistake]
    assert old in GOOD
    path = write(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(Exception, match=expected) as caught:
        netsim.load(path)
    message = str(caught.value)
    assert path in message
    assert "\n" not in message


@pytest.mark.parametrize(
    "fault",
    [{"dead_link": 5}, {"dead_link": (-1, 0)}, {"dead_link": (1, 0, 2)}, {"slow_node": (0, -1)}],
)
def test_faults_of_another_kind_are_refused_in_one_line(fault):
    with pytest.raises(UsageError, match="give a node and a .* none of them negative"):
        faults.machine(netsim.load("apenet-v4"), (4, 4), **fault)


def test_choices_that_are_no_dictionary_are_refused():
    with pytest.raises(UsageError, match="tca-peach2 are of type str: give a dictionary"):
        netsim.load("tca-peach2", "wire.rate=8")


def test_more_ranks_than_nodes_are_refused():
    with pytest.raises(UsageError, match="at most 16 nodes; 17 were asked for"):
        netsim.load("tca-peach2").check_nodes(17)


def test_more_nodes_of_coupled_rings_make_longer_rings():
    """The advice of the refusal above is taken."""
    tca = netsim.load("tca-peach2", {"topology.nodes_most": "32"})
    assert tca.fabric.shape_for(32) == (16, 2)
    assert description.describe(tca, 31).nodes == 32


def test_a_wrong_name_or_option_names_the_nearest():
    with pytest.raises(UsageError, match="did you mean apenet-v4"):
        netsim.load("apenet-v44")
    with pytest.raises(UsageError, match="did you mean nios"):
        netsim.load("apenet-v4", {"nic.rx.translation": "nois"})
    with pytest.raises(UsageError, match=re.escape("did you mean nic.rx.translation")):
        netsim.load("apenet-v4", {"nic.rx.translate": "nios"})


def test_ranks_go_over_the_hosts_by_number():
    """Host 1 is coupled to 2 and is a link away from 3 on its ring; 4 is both away."""
    tca = netsim.load("tca-peach2")
    assert tca.fabric.places[:4] == (0, 8, 1, 9)
    assert sorted(tca.fabric.places) == list(range(16))

    def time(target, places=None):
        return exchange_ps(tca, [(0, target, 8)], 16, places=places)

    assert time(1) == time(2) < time(3)
    assert time(3, range(16)) > time(2, range(16)) > time(1, range(16))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ("mark_least=200000", r"congestion\.mark_least: 200000 bytes, but mark_most is 200000"),
        ("gain=0", r"congestion\.gain: 0 1 is out of range"),
        ("increase_timer=0", r"congestion\.increase_timer: 0 us is out of range"),
        ("increase_rate=50000", r"congestion\.increase_rate: 50000 Mb/s; a link has 40 Gb/s"),
        ("mark_mots=1", r"congestion\.mark_mots.*did you mean"),
    ],
)
def test_a_wrong_congestion_control_gives_one_line_with_its_key(changed, words):
    key, _, value = changed.partition("=")
    with pytest.raises(UsageError, match=words) as raised:
        netsim.load("roce-clos", {f"congestion.{key}": value})
    assert "\n" not in str(raised.value)


def test_messages_to_a_node_lie_apart_in_its_window():
    """Two of three quarters of the table's reach are beyond it, wherever they lay before."""
    machine = netsim.load("apenet-v5")
    table = machine.stages["host-translate"]
    size = int(0.75 * table.entries * table.page)

    def time(flows, in_place):
        return exchange_ps(machine, flows, 16, "host", in_place=in_place)

    one, two = [(1, 0, size)], [(1, 0, size), (2, 0, size)]
    assert time(one, in_place=True) < 0.95 * time(one, in_place=False)
    assert time(two, in_place=True) == pytest.approx(time(two, in_place=False), rel=0.01)


def test_a_few_ranks_go_over_the_hosts_of_a_fat_tree_too(tmp_path):
    """Host 2 hangs where node 20 is, on another leaf of 16, and host 21 in its place."""
    order = [1, 21, *range(3, 21), 2, *range(22, 65)]
    hosts = f'hosts = {{ value = {order}, unit = "1", state = "assumed", source = "test" }}\n'
    text = template.text("tree", "fat-tree").replace("radix =", f"{hosts}radix =")
    tree = netsim.load(write(tmp_path, text))
    assert description.describe(tree, 2).places[:2] == [0, 20]


def test_a_leaf_with_fewer_links_up_than_nodes_takes_so_much_longer(tmp_path):
    """All four nodes of a leaf send to another one; a message within the leaf is as fast."""
    text = template.text("tree", "fat-tree").replace("value = 512", "value = 128")
    size, across, within = 1 << 20, [(n, n + 4, 1 << 20) for n in range(4)], [(0, 1, 1 << 20)]

    def time(flows, up):
        own = f"down = 4\nup = {up}\nradix ="
        tree = netsim.load(write(tmp_path, text.replace("radix =", own)))
        return exchange_ps(tree, flows, 64, "host")

    wire = netsim.load(write(tmp_path, text)).fabric.wire()
    assert time(within, 1) == time(within, 4)
    more = time(across, 1) - time(across, 4)
    assert more == pytest.approx(3 * size / wire.rate * 1e12, rel=0.05)


def test_a_window_that_is_read_and_written_at_once_serves_one_packet_after_the_other():
    size = 256 << 10
    tca = netsim.load("tca-peach2", {"gpu.window": "in-turn"})
    write = tca.stages["gpu-write"]
    packet = tca.fabric.wire().packet
    reading = packet / tca.stages["window-read"].rate
    writing = (packet + write.overhead) / write.rate
    one, both = (
        exchange_ps(tca, flows, 16) for flows in ([(0, 2, size)], [(0, 2, size), (2, 0, size)])
    )
    assert both / one == pytest.approx(1 + writing / reading, rel=0.03)


def test_hosts_are_a_permutation(tmp_path):
    text = netsim.load("tca-peach2").file.read_text()
    path = write(tmp_path, text.replace("12, 14, 16]", "12, 14, 14]"))
    with pytest.raises(Exception, match="each of 1 to 16 once"):
        netsim.load(path)


def test_software_is_done_with_a_message_before_the_adapter_sees_it():
    machine = netsim.load("infiniband-qdr")
    seen = [path.origin for path in machine.paths.values() if "adapter" in path.origin]
    assert len(seen) > 10
    for stages in seen:
        later = stages[stages.index("adapter") + 1 :]
        assert not any(machine.stages[name].kind == "software" for name in later)


def test_a_number_without_a_source_is_refused(tmp_path):
    mine = tmp_path / "mine.toml"
    text = platform_file.find("nanet").read_text()
    mine.write_text(text.replace('source = "128-bit header and footer"', 'source = " "'))
    with pytest.raises(UsageError, match="wire.framing: source is empty; say where"):
        netsim.load(str(mine))


def test_the_host_waits_for_its_gpu_once_before_it_sends_what_that_has_made():
    """A barrier behind two kernels takes longer than one behind none by one wait."""
    platform = netsim.load("tca-peach2")
    taken = {}

    def body(kernels):
        def run(ctx):
            for _ in range(kernels):
                ctx.work(launches=1)
            begin = ctx.now_ns
            barrier(ctx)
            barrier(ctx)
            taken[kernels] = ctx.now_ns - begin
            return 0

        return run

    for kernels in (0, 2):
        virtual.run(platform, 2, body(kernels), "device")
    assert platform.gpu.wait > 0
    assert taken[2] - taken[0] == pytest.approx(platform.gpu.wait / 1e3, abs=2)


def test_an_alltoall_of_two_nodes_fills_the_network_with_what_leaves_them():
    """A rank sends 8 of its 15 blocks to the other node, at the rate of its cable, so that no two
    ranks may send to the same one meanwhile; the other 7 go beside them."""
    platform = netsim.load("ndr-h200", {"gpu": "h800", "variant": "dispatch"})
    taken = {}

    def body(size_bytes):
        def run(ctx):
            exchange = Alltoall(ctx, size_bytes, np.uint8)
            blocks = np.zeros((ctx.size, size_bytes), np.uint8)
            exchange.run(blocks)
            barrier(ctx)
            begin = ctx.now_ns
            exchange.run(blocks)
            barrier(ctx)
            taken[size_bytes] = ctx.now_ns - begin
            return 0

        return run

    short, long = 1 << 17, 1 << 18
    for size_bytes in (short, long):
        virtual.run(platform, 16, body(size_bytes), "device")
    packet, framing, cable = 4096, 66, 50  # bytes, bytes, bytes a nanosecond
    filled = 8 * (long - short) * (1 + framing / packet) / cable
    assert taken[long] - taken[short] == pytest.approx(filled, rel=0.03)
