"""Several networks of one node: which of them a message takes, and what they share."""

import pytest
from support.small_platform import GOOD

from onehop import UsageError, netsim
from onehop.netsim import packet_form


def _copies(tmp_path, text):
    """Returns a file with `text` beside two copies of GOOD that differ in cable and variant."""
    for name, latency in (("near", "100"), ("far", "5000")):
        theirs = GOOD.replace("100", latency).replace('"direct"', f'"{name}"')
        (tmp_path / f"{name}.toml").write_text(theirs)
    head = "\n".join(GOOD.strip().split("\n")[:4]) + '\nvariant = "both"\n'
    path = tmp_path / "both.toml"
    path.write_text(head + text)
    return path


_BOTH = """
[network.near]
file = "near.toml"
[network.far]
file = "far.toml"
[protocol.short]
variant = "both"
from = "host"
to = "host"
most = { value = 64, unit = "byte", state = "assumed", source = "test" }
as = "near"
[protocol.long]
variant = "both"
from = "host"
to = "host"
path = "far-put"
"""


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('file = "far.toml"', 'file = "fra.toml"', r"network\.far\.file: there is no .*fra\.toml"),
        ('file = "far.toml"', 'file = "both.toml"', "has networks of other files itself"),
        ('file = "far.toml"', 'file = "far.toml"\nchoose = { a = "b" }', "no such option"),
        (
            'file = "far.toml"',
            'file = "near.toml"',
            "its variant 'near' is that of network near",
        ),
        ('as = "near"', 'as = "naer"', r"protocol\.short\.as.*did you mean near"),
        ('as = "near"', 'as = "near"\npath = "far-put"', r"protocol\.short\.path: both"),
        ('as = "near"', "", r"protocol\.short\.path: missing"),
        ('as = "near"', 'as = "both"', "take those of a third variant"),
    ],
)
def test_a_wrong_network_gives_one_line_with_its_key(tmp_path, old, new, words):
    path = _copies(tmp_path, _BOTH.replace(old, new, 1))
    with pytest.raises(UsageError, match=words) as caught:
        netsim.load(str(path))
    assert "\n" not in str(caught.value)


def test_a_message_takes_the_network_that_its_bytes_say(tmp_path):
    """Cables of 0.1 us and 5 us tell which network a message took."""
    platform = netsim.load(str(_copies(tmp_path, _BOTH)))
    short, _ = packet_form.transfer_ps(platform, 64)
    long, _ = packet_form.transfer_ps(platform, 65)
    assert long - short == pytest.approx(4_900_000, abs=5_000)


def test_networks_of_a_node_share_its_processor_and_nothing_else():
    """Messages over both at once take as long as the longer one alone, but for the processor."""
    platform = netsim.load("ha-pacs-tca", {"infiniband.gpu.socket": "near"})
    for name, stage in platform.stages.items():
        assert stage.unit == "cpu" or stage.unit.startswith(name.split("-")[0]), name

    def time(*sizes):
        run = packet_form.transfers(platform, 2, "device", variant="by-size")
        for size in sizes:
            run.add(0, 1, size)
        return run.run()

    by_tca, by_infiniband = 65536, 65537
    longer = max(time(by_tca), time(by_infiniband))
    assert longer <= time(by_tca, by_infiniband) < longer + 2_000_000
    assert time(by_tca, by_tca) > 1.7 * time(by_tca)


def test_ranks_of_a_block_take_the_network_that_joins_them():
    """Four ranks in turn are joined by TCA, which takes the message whose time it has alone."""
    platform = netsim.load("ha-pacs-tca", {"variant": "by-neighbour"})

    def time(variant, origin, target):
        run = packet_form.transfers(platform, 16, "device", variant=variant)
        move = run.add(origin, target, 32768)
        run.run()
        return run.delivered_ps[move]

    for origin, target in ((0, 1), (2, 3), (7, 4)):
        assert time("by-neighbour", origin, target) == time("direct", origin, target)
    for origin, target in ((3, 4), (0, 4), (15, 0)):
        assert time("by-neighbour", origin, target) == time("mpi", origin, target)


def test_a_network_has_the_numbers_of_its_file_under_its_name():
    whole = netsim.load("ha-pacs-tca", {"infiniband.mpi.release": "gdr-2.0b"})
    alone = netsim.load("infiniband-qdr", {"mpi.release": "gdr-2.0b", "gpu.socket": "far"})
    assert whole.stages["infiniband-library"].cost == alone.stages["library"].cost > 0
    assert whole.fabrics["infiniband"].extents == alone.fabric.extents
    assert whole.fabric.places == netsim.load("tca-peach2").fabric.places
    size = 32768
    for variant, machine in (("mpi", alone), ("direct", netsim.load("tca-peach2"))):
        there = packet_form.transfer_ps(whole, size, "device", variant=variant)
        assert there == packet_form.transfer_ps(machine, size, "device", variant=variant)
