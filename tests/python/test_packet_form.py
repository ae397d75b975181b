"""The packet simulation and the closed form read the same file and agree."""

import pytest
from support.packet_exchange import exchange_ps

from onehop import UsageError, _core, netsim
from onehop.netsim import closed_form, description, packet_form

CASES = [
    ("apenet-v4", {}, "device", (32, 4096, 1 << 20)),
    ("apenet-v4", {"p2p": "off"}, "device", (32, 65536)),
    ("apenet-v4", {"nic.tx.gpu-read": "v2"}, "device", (1 << 20,)),
    ("apenet-v4", {"nic.rx.translation": "nios"}, "host", (65536,)),
    ("apenet-v4", {"stage.host-translate.entries": "0"}, "host", (65536,)),
    ("tca-peach2", {}, "device", (8, 2048, 8192, 1 << 20)),
    ("infiniband-qdr", {}, "device", (8, 64, 16384, 4 << 20)),
    ("infiniband-qdr", {"variant": "staged"}, "device", (8, 4 << 20)),
    ("ndr-h200", {}, "device", (8, 1 << 20)),
    ("quong", {"variant": "infiniband"}, "device", (8, 1 << 20)),
    ("nvlink-nvl72", {}, "device", (8, 16 << 20)),
]


@pytest.mark.parametrize(("name", "options", "memory", "sizes"), CASES, ids=str)
def test_closed_form_and_packets_agree_on_an_idle_machine(name, options, memory, sizes):
    machine = netsim.load(name, options)
    for size in sizes:
        closed = closed_form.pingpong_ps(machine, size, memory)
        assert packet_form.pingpong_ps(machine, size, memory) == pytest.approx(closed, rel=0.03)


@pytest.mark.parametrize("head", [0.1, 1.0, 3.0])
def test_an_engine_asks_ahead_for_what_comes_before_its_first_data(head):
    """Data that come late are late once, and the rest follows at the rate of the wire."""
    machine = netsim.load("ndr-h200", {"stage.fetch.head": head})
    for size in (1 << 16, 1 << 20, 1 << 24):
        closed = closed_form.pingpong_ps(machine, size, "device")
        assert packet_form.pingpong_ps(machine, size, "device") == pytest.approx(closed, rel=0.01)


def test_eight_channels_of_qpace_share_core_and_link_as_in_the_closed_form():
    machine = netsim.load("qpace")
    for size in (128, 512, 2048):
        closed = closed_form.pingpong_ps(machine, size, channels=8)
        packets = packet_form.pingpong_ps(machine, size, channels=8)
        assert packets == pytest.approx(closed, rel=0.02)


@pytest.mark.parametrize(("name", "rows"), [("tca-peach2", 64), ("infiniband-qdr", 512)])
def test_strided_sources_cost_in_packets_what_they_cost_in_closed_form(name, rows):
    machine = netsim.load(name)
    for size in (2048, 32768, 1 << 20):
        closed = closed_form.pingpong_ps(machine, size, "device", pieces=rows)
        packets = packet_form.pingpong_ps(machine, size, "device", pieces=rows)
        assert packets == pytest.approx(closed, rel=0.04)
        assert packets >= packet_form.pingpong_ps(machine, size, "device", pieces=2)


def steps_alone_ps(machine, operation, ranks, size):
    """What a collective takes in whose steps each rank hears what it sends, on idle wires."""
    plan = packet_form.collective_plan(machine, operation, ranks, 0, size, "device")
    table = machine.collective()
    assert not plan.by_hosts
    return plan.entry_ps + sum(
        table.step
        + closed_form.transfer(machine, step.bytes, "device", "device").total_ps
        + (step.heard / table.reduce * 1e12 if step.combines and table.reduce else 0)
        for step in plan.steps
    )


@pytest.mark.parametrize("operation", ["allgather", "allreduce", "barrier"])
def test_a_collective_of_pairs_on_a_switch_takes_what_its_steps_take(operation):
    machine = netsim.load("infiniband-qdr")
    for size in (8, 512):
        packets = packet_form.collective_ps(machine, operation, 16, size, "device")
        assert packets == pytest.approx(steps_alone_ps(machine, operation, 16, size), rel=0.03)


@pytest.mark.parametrize("name", netsim.shipped())
def test_every_schedule_of_a_platform_file_runs_in_packets(name):
    machine = netsim.load(name)
    for table in machine.collectives.values():
        for operation in ("broadcast", "allgather", "allreduce", "alltoall", "barrier"):
            if operation in table:
                few = packet_form.collective_ps(machine, operation, 4, 8)
                assert few < packet_form.collective_ps(machine, operation, 8, 8)
    with pytest.raises(UsageError, match="no collective is called 'gossip'"):
        packet_form.collective_ps(machine, "gossip", 2, 8)


def test_pauses_between_the_steps_of_a_collective_count():
    direct = {"collectives": "direct"}
    slow = netsim.load("infiniband-qdr", {**direct, "collective.mpi.entry": "9.5"})
    fast = netsim.load("infiniband-qdr", direct)

    def more_ps(operation, memory):
        times = [packet_form.collective_ps(m, operation, 4, 8, memory) for m in (fast, slow)]
        return times[1] - times[0]

    # A copy at the GPU is added; a barrier copies nothing, and a broadcast nobody's own data.
    assert more_ps("allreduce", "device") == pytest.approx(3e6)
    assert more_ps("allreduce", "host") == 0
    assert more_ps("barrier", "device") == more_ps("broadcast", "device") == 0


def test_rings_make_collectives_slower_than_their_steps_alone():
    machine = netsim.load("tca-peach2")
    alone = steps_alone_ps(machine, "allgather", 16, 4096)
    along = packet_form.collective_ps(machine, "allgather", 16, 4096, "device", places=range(16))
    assert along > 1.2 * alone


def test_few_ranks_stand_in_the_installed_machine_and_many_on_a_larger_one():
    machine = netsim.load("apenet-v4")
    assert description.describe(machine, 2).nodes == 16
    assert machine.fabric.shape_for(512) == (8, 8, 8)
    assert description.describe(machine, 64, (16, 2, 2)).nodes == 64
    with pytest.raises(UsageError, match="2x2 do not make 5 nodes"):
        description.describe(machine, 5, (2, 2))


@pytest.mark.parametrize("name", netsim.shipped())
def test_every_platform_can_be_simulated(name):
    machine = netsim.load(name)
    nodes = min(4, machine.fabric.nodes_most)
    description.describe(machine, nodes).check()


def staged_alltoall_ps(ranks, size, block):
    """Returns the time of an alltoall of GPU memory through the hosts, with copies of `block` KiB,
    0 for all at once."""
    chosen = {"variant": "staged", "collective.staged.staging_block": f"{block}"}
    machine = description.describe(netsim.load("infiniband-qdr", chosen), ranks)
    return _core.collective_ps(machine, "device", "staged", "alltoall", ranks, size)


def test_alltoall_gains_by_overlap():
    """Copies that overlap with messages are hidden, except for a block before and a block after."""
    size, ranks = 1 << 20, 4
    apart, blocks = (staged_alltoall_ps(ranks, size, block) for block in (0, 128))
    copies = 2 * ranks * size / 5.5e9 * 1e12
    send = (ranks - 1) * size / 3.2e9 * 1e12
    assert apart > copies + send
    assert max(copies / 2, send) < blocks < apart - copies / 4
    # A block has at least one peer's part, however small it is.
    assert staged_alltoall_ps(ranks, size, 1) == blocks


@pytest.mark.parametrize("variant", ["mpi", "staged"])
@pytest.mark.parametrize("size", [8, 1 << 20, 1 << 24])
def test_a_pipelined_source_is_free_when_its_last_block_has_been_read(variant, size):
    """Blocks are counted once, and a slow wire holds the reader back."""
    machine = netsim.load("infiniband-qdr", {"variant": variant})
    found = closed_form.transfer(machine, size, "device", "device")
    delivered, free = packet_form.transfer_ps(machine, size, "device")
    assert found.local_ps < found.total_ps
    assert found.local_ps == pytest.approx(free, rel=0.1)


@pytest.mark.parametrize("size", [8, 65536])
def test_a_chain_is_started_once(size):
    machine = netsim.load("tca-peach2")
    four = closed_form.transfer(machine, size, "device", "device", channels=4).total_ps
    assert packet_form.transfer_ps(machine, size, "device", channels=4)[0] == pytest.approx(
        four, rel=0.02
    )
    flows = [(0, 1, size)] * 4
    assert exchange_ps(machine, flows, 16) == pytest.approx(four, rel=0.02)


def test_a_transfer_may_wait_for_sources_that_are_free():
    """Over TCA an origin's own notification comes after the target's, once pages are known."""
    machine = netsim.load("tca-peach2")

    def times_us(waits_of):
        run = packet_form.transfers(machine, 2, "device")
        known = run.add(0, 1, 12288)
        put = run.add(0, 1, 12288, [known])
        last = run.add(0, 1, 8, [waits_of(put)])
        run.run()
        delivered, free = run.delivered_ps, run.source_free_ps
        begin = delivered[put] if waits_of(put) >= 0 else free[put]
        return (begin - delivered[known]) / 1e6, (delivered[last] - begin) / 1e6

    heard, after_heard = times_us(lambda put: ~put)
    there, after_there = times_us(lambda put: put)
    assert heard > there + 1
    assert after_heard == pytest.approx(after_there, abs=1e-3)
