"""Ordinary commands are tested on virtual machines."""

import json

import pytest

from onehop import _core, netsim
from onehop.netsim import closed_form, description, packet_form

SOLVE = (
    *("solve", "--lattice", "4x4x4x4", "--start", "hot", "--seed", "5", "--kappa", "0.1"),
    *("--source", "random:7", "--ranks", "4"),
)


def bench(onehop, *words):
    return json.loads(onehop("bench", *words, "--json", "-").out)


def values(record):
    return [sample["value"] for sample in record["samples"]]


def test_latency_is_that_of_the_machine_and_the_same_in_every_run(onehop):
    words = ("latency", "--transport", "virtual:tca-peach2", "--memory", "device")
    first = bench(onehop, *words, "--sizes", "8,8192")
    assert first["transport"] == "virtual:tca-peach2"
    assert [sample["wrong"] for sample in first["samples"]] == [0, 0]
    assert values(first) == values(bench(onehop, *words, "--sizes", "8,8192"))
    # One-way microseconds: Fujita et al. publish 2.0 us flat, then 1.92 us + N / 2.64 GB/s.
    assert values(first) == pytest.approx([2.0, 1.92 + 8192 / 2640], rel=0.1)


def test_milliseconds_of_a_machine_are_not_shown_as_zero(onehop):
    words = (*SOLVE, "--transport", "virtual:apenet-v4")
    record, ended = json.loads(onehop(*words, "--json", "-").out), onehop(*words)
    lines = dict(line.split("  ", 1) for line in ended.out.splitlines() if "time in " in line)
    shown = {name: float(rest.split()[0]) for name, rest in lines.items()}
    assert 0 < shown["time in reductions"] < 0.001
    assert shown["time in reductions"] == pytest.approx(record["timing"]["reductions_s"], abs=1e-6)
    assert shown["time in all"] == pytest.approx(record["timing"]["total_s"], abs=1e-6)


def test_faces_that_leave_early_travel_while_others_are_written(onehop):
    words = ("halo", "--transport", "virtual:infiniband-qdr", "--ranks", "4", "--faces", "2,8")
    record = bench(onehop, *words, "--sizes", "262144", "--early")
    assert record["check"]["passed"]
    assert [s["method"] for s in record["samples"]] == ["onehop early", "onehop"] * 2
    for found in record["comparison"]:
        # All but the writing of the first face overlaps with the wire, which is slower.
        assert found["ratio"] < 1 and found["best_peer"] == "onehop", found
    two, eight = (found["ratio"] for found in record["comparison"])
    assert eight < two, "the more faces, the more of the writing is hidden"


@pytest.mark.parametrize(
    ("pattern", "ranks"),
    [
        ("pingping", 2),
        ("put", 2),
        ("faces", 3),
        ("bandwidth", 2),
        ("halo", 4),
        ("allgather", 16),
        ("allreduce", 16),
        ("broadcast", 16),
        ("alltoall", 8),
    ],
)
def test_every_pattern_brings_every_byte(onehop, pattern, ranks):
    words = (pattern, "--transport", "virtual:apenet-v4", "--ranks", str(ranks))
    record = bench(onehop, *words, "--sizes", "512")
    assert record["check"]["passed"]
    assert all(value > 0 for value in values(record))


@pytest.mark.parametrize("ranks", [2, 4])
def test_a_root_stays_in_a_broadcast_until_its_sends_have_gone(onehop, ranks):
    """If it left, what it calls next would take its processor before the handshake's answer
    comes."""
    machine = netsim.load("infiniband-qdr", {"mpi.release": "gdr-2.0b"})
    words = ("broadcast", "--transport", "virtual:infiniband-qdr", "--memory", "device")
    release = ("--platform-set", "mpi.release=gdr-2.0b")
    record = bench(onehop, *words, *release, "--ranks", str(ranks), "--sizes", "64,16384")
    packets = [
        packet_form.collective_ps(machine, "broadcast", ranks, n, "device") for n in (64, 16384)
    ]
    assert values(record) == pytest.approx([time / 1e6 for time in packets], rel=1e-3)


def test_an_option_of_the_platform_changes_the_time(onehop):
    words = ("latency", "--transport", "virtual:apenet-v4", "--sizes", "65536")
    tuned = values(bench(onehop, *words))
    slow = values(bench(onehop, *words, "--platform-set", "nic.rx.translation=nios"))
    assert slow[0] > 1.2 * tuned[0]


def test_options_of_the_platform_add_up(onehop):
    words = ("latency", "--transport", "virtual:apenet-v4", "--sizes", "65536")
    # The first alone is slower, the second alone changes nothing here.
    both = ("--platform-set", "nic.rx.translation=nios", "--platform-set", "variant=staged")
    joined = ("--platform-set", "nic.rx.translation=nios,variant=staged")
    record = bench(onehop, *words, *both)
    assert record["options"]["platform_set"] == {
        "nic.rx.translation": "nios",
        "variant": "staged",
    }
    assert values(record) == values(bench(onehop, *words, *joined))


def test_a_record_says_what_bounded_the_run(onehop):
    words = ("bandwidth", "--transport", "virtual:apenet-v4", "--sizes", "1048576", "--verbose")
    ended = onehop("bench", *words, "--json", "-")
    found = json.loads(ended.out)["virtual"]
    shares = {stage["name"]: stage["share"] for stage in found["stages"]}
    assert found["bounded_by"]["share"] == max(*shares.values(), found["links"][0]["share"])
    assert 0.5 < found["bounded_by"]["share"] <= 1
    # All data crosses one cable in one direction.
    first = found["links"][0]
    assert (first["from"], first["to"]) == (0, 1)
    assert first["packets"] > 0.9 * found["packet_hops"]
    assert found["bounded_by"]["what"] in ended.err


def test_what_fails_in_an_event_is_one_line(refused, tmp_path):
    """Puts carry 2048 bytes at most: the third step of an allgather, which the message of the
    second causes, has no protocol."""
    shipped = netsim.load("apenet-v4").file.read_text()
    host = 'host-host = { variant = "direct", from = "host", to = "host", path = "host-host"'
    most = 'most = { value = 2048, unit = "byte", state = "assumed", source = "test" }'
    assert host in shipped
    platform = tmp_path / "narrow.toml"
    platform.write_text(shipped.replace(host, f"{host}, {most}"))
    words = ("allgather", "--transport", f"virtual:{platform}", "--ranks", "8", "--sizes", "1000")
    words += ("--json", "-")
    assert "for 4000 bytes" in refused("bench", *words)


def test_solve_gives_the_same_bits_as_on_real_ranks(onehop):
    def answer(*words):
        record = json.loads(onehop(*SOLVE, *words, "--json", "-").out)
        keys = ("plaquette", "iterations", "residual_iterated", "residual_true", "grid")
        return [record[key] for key in keys]

    assert answer("--transport", "virtual:apenet-v4") == answer("--transport", "shm")


def test_times_of_a_solve_are_virtual(onehop, tmp_path):
    def solved(*words):
        record = json.loads(
            onehop(*SOLVE, "--transport", "virtual:apenet-v4", *words, "--json", "-").out
        )
        return record["timing"]

    timeline = tmp_path / "timeline.json"
    first = solved("--trace", str(timeline))
    assert first == solved("--trace", str(timeline))
    events = json.loads(timeline.read_text())["traceEvents"]
    ends = [event["ts"] + event.get("dur", 0) for event in events if "ts" in event]
    assert max(ends) - min(e["ts"] for e in events if "ts" in e) >= 1e6 * first["total_s"]
    # A kernel costs a launch there, and 500 sites are done by then anyway.
    assert solved("--memory", "device")["operator_s"] > first["operator_s"]


def simulated(onehop, *words):
    return json.loads(onehop("simulate", "apenet-v4", "cg", *words, "--json", "-").out)


def test_iterations_without_data_account_for_their_time(onehop):
    words = ("--nodes", "4x4x4", "--lattice", "16x16x16x8")
    record = simulated(onehop, *words)
    parts = record["split_us"]
    assert all(value > 0 for value in parts.values())
    assert sum(parts.values()) == pytest.approx(record["iteration_us"], rel=0.02)
    # There are four exchanges with six neighbours, and two sums of log2 64 steps.
    assert record["messages"] == 64 * (4 * 6 + 2 * 6)
    assert simulated(onehop, *words)["iteration_us"] == record["iteration_us"]


def test_iterations_without_data_take_as_long_as_those_of_a_solve(onehop):
    """The solve is of 8^4 on 16 nodes. Differences of long and short runs are compared, so that
    what is done once drops out, as the first translation of a page. Sums of a solve gather 32 bytes
    instead of adding up 8."""

    def solved(tolerance):
        words = ("--lattice", "8x8x8x8", "--start", "hot", "--seed", "5", "--kappa", "0.1")
        words += ("--source", "random:7", "--grid", "4x2x2x1", "--tol", tolerance)
        wire = ("--transport", "virtual:apenet-v4", "--json", "-")
        return json.loads(onehop("solve", *words, *wire).out)

    early, late = solved("1e-3"), solved("1e-10")

    def of_iteration(part):
        spent = late["timing"][part] - early["timing"][part]
        return 1e6 * spent / (late["iterations"] - early["iterations"])

    place = ("--nodes", "4x2x2", "--lattice", "8x8x8x8", "--steps")
    first = simulated(onehop, *place, "1")["split_us"]
    mean = simulated(onehop, *place, "11")["split_us"]
    parts = {name: (11 * mean[name] - first[name]) / 10 for name in first}
    without_sums = of_iteration("total_s") - of_iteration("reductions_s")
    assert parts["work"] + parts["halo_wait"] == pytest.approx(without_sums, rel=0.01)

    words = ("--transport", "virtual:apenet-v4", "--ranks", "16", "--sizes")
    gathers = values(bench(onehop, "allgather", *words, "32,64"))
    assert of_iteration("reductions_s") == pytest.approx(sum(gathers), rel=0.01)
    adds = values(bench(onehop, "allreduce", *words, "8,16"))
    assert parts["sums"] == pytest.approx(sum(adds), rel=0.01)


def test_a_node_alone_only_works(onehop):
    record = simulated(onehop, "--nodes", "1", "--lattice", "8x8x8x8", "--memory", "device")
    assert record["messages"] == 0
    assert record["iteration_us"] == pytest.approx(record["split_us"]["work"])


def test_blocks_that_are_not_even_are_refused(refused):
    words = ("simulate", "apenet-v4", "cg", "--nodes", "4x4", "--lattice", "12x12x12x12")
    assert "does not divide --lattice 12x12x12x12" in refused(*words)
    assert "--lattice" in refused("simulate", "apenet-v4", "cg")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--transport", "virtual:apenet-v9"), "did you mean apenet-v"),
        (("--transport", "virtual:tca-peach2", "--ranks", "64"), "16"),
        (("--transport", "virtual:qpace", "--memory", "device-host"), "it has direct from host to"),
        (("--transport", "virtual:qpace", "--memory", "device"), "from device to device"),
        (("--transport", "virtual:tca-peach2", "--platform-set", "nonsense"), "KEY=VALUE"),
        (("--transport", "virtual:"), "a platform is needed"),
    ],
)
def test_what_no_machine_has_is_one_clear_line(refused, words, says):
    assert says in refused("bench", "latency", "--sizes", "8", *words)


@pytest.mark.parametrize("pattern", ["allgather", "allreduce", "broadcast"])
def test_a_staged_collective_takes_that_of_the_hosts_and_its_copies(onehop, pattern):
    sizes = (8, 65536)
    words = (pattern, "--transport", "virtual:infiniband-qdr", "--ranks", "8", "--sizes", "8,65536")
    hosts = values(bench(onehop, *words))
    chosen = ("--memory", "device", "--platform-set", "collectives=staged")
    staged = values(bench(onehop, *words, *chosen))
    machine = netsim.load("infiniband-qdr", {"collectives": "staged"})
    for n, size in enumerate(sizes):
        result = size * 8 if pattern == "allgather" else size
        copies = sum(
            closed_form.control_ps(machine, paths[0 if bytes_ <= 8192 else 1], 0, bytes_) / 1e6
            for paths, bytes_ in (
                (("loop-out", "whole-out"), size),
                (("store-in", "whole-in"), result),
            )
        )
        assert staged[n] == pytest.approx(hosts[n] + copies, rel=0.01)
        foretold = packet_form.collective_ps(machine, pattern, 8, size, "device") / 1e6
        assert staged[n] == pytest.approx(foretold, rel=0.01)


@pytest.mark.parametrize("platform", ["infiniband-qdr", "tca-peach2", "apenet-v4", "ndr-h200"])
@pytest.mark.parametrize("pattern", ["allgather", "allreduce", "broadcast"])
@pytest.mark.parametrize("ranks", [3, 12])
def test_a_collective_takes_what_its_steps_take_in_packets(onehop, platform, pattern, ranks):
    """The ranks of a job and the packet form, which experiments use, take the same steps."""
    sizes = (8, 12344, 1 << 20)
    words = (pattern, "--transport", f"virtual:{platform}", "--ranks", str(ranks))
    words += ("--memory", "device", "--sizes", ",".join(map(str, sizes)))
    record = bench(onehop, *words)
    assert record["check"]["passed"]
    machine = netsim.load(platform)
    foretold = [
        packet_form.collective_ps(machine, pattern, ranks, n, "device") / 1e6 for n in sizes
    ]
    assert values(record) == pytest.approx(foretold, rel=0.03)
    said = [sample["channel"] for sample in record["samples"]]
    how = [packet_form.collective_plan(machine, pattern, ranks, 0, n, "device").how for n in sizes]
    assert said == how and all(said)


def test_bench_says_by_which_schedule_a_collective_is_done(onehop):
    words = ("allgather", "--transport", "virtual:infiniband-qdr", "--memory", "device")
    words += ("--ranks", "16", "--sizes", "512,1024,65536", "--verbose")
    said = onehop("bench", *words).err
    assert "512 bytes: recursive-doubling\n" in said
    assert "1024 bytes: recursive-doubling between hosts" in said
    assert "65536 bytes: ring between hosts, copied back in parts" in said
    direct = onehop("bench", *words, "--platform-set", "collectives=direct").err
    assert "1024 bytes: recursive-doubling\n" in direct and "65536 bytes: ring\n" in direct
    library = onehop("bench", *words, "--platform-set", "collectives=library").err
    assert "512 bytes: recursive-doubling between hosts" in library


@pytest.mark.parametrize("pattern", ["broadcast", "allreduce"])
def test_a_copy_from_memory_that_is_not_pinned_takes_a_core_and_the_bus(onehop, pattern):
    """A buffer is pinned from 512 KiB on, so that there each byte crosses the bus alone."""
    words = (pattern, "--transport", "virtual:infiniband-qdr", "--memory", "device", "--ranks", "2")
    below, beyond = values(bench(onehop, *words, "--sizes", "524280,524288"))
    copies = {"broadcast": 2, "allreduce": 3}[pattern]
    stages = netsim.load("infiniband-qdr").stages
    core, bus = stages["shared-copy"].rate, stages["copy-out"].rate
    assert stages["unpinned-out"].rate == pytest.approx(1 / (1 / core + 1 / bus), rel=1e-3)
    saved = stages["unpinned-out"].setup - stages["whole-out"].setup
    assert below - beyond == pytest.approx(copies * (saved / 1e6 + 2**19 / core * 1e6), rel=0.05)


@pytest.mark.parametrize("ranks", [3, 8])
@pytest.mark.parametrize("block", [0, 1 << 17])
def test_a_dynamically_staged_alltoall_takes_what_its_packets_take(onehop, ranks, block):
    words = ("alltoall", "--transport", "virtual:infiniband-qdr", "--memory", "device")
    words += ("--ranks", str(ranks), "--sizes", "8,100000,300000", "--schedule", "staged")
    key = "collective.staged.staging_block"
    chosen = f"variant=staged,{key}={block >> 10}"
    record = bench(onehop, *words, "--platform-set", chosen)
    assert record["check"]["passed"]
    platform = netsim.load("infiniband-qdr", {"variant": "staged", key: f"{block >> 10}"})
    machine = description.describe(platform, ranks)
    operation = ("device", "staged", "alltoall", ranks)
    foretold = [_core.collective_ps(machine, *operation, n) / 1e6 for n in (8, 100000, 300000)]
    assert values(record) == pytest.approx(foretold, rel=0.01)


def test_a_message_over_two_rails_is_faster_by_what_the_adapter_reads(onehop):
    words = ("latency", "--transport", "virtual:infiniband-qdr", "--sizes", "16384,5000000")
    single, alternate, striped = (
        values(bench(onehop, *words, "--platform-set", f"mpi.rails={way}"))
        for way in ("single", "alternate", "striped")
    )
    assert single == alternate
    assert striped[0] == single[0]
    # The source is read at 6.9 GB/s, and a link carries 3.87 GB/s.
    assert single[1] / striped[1] == pytest.approx(6.9 / 3.87, rel=0.02)


def test_sources_and_windows_lie_where_the_machine_can_bring_them(onehop):
    """NaNet streams into GPUs; an APEnet+ device reads a GPU late and writes it slowly."""
    words = ("put", "--transport", "virtual:nanet", "--memory", "host-device", "--sizes", "1024")
    assert bench(onehop, *words)["check"]["passed"]
    words = ("latency", "--transport", "virtual:apenet-v4", "--sizes", "8", "--memory")
    kinds = ("host", "host-device", "device-host", "device")
    times = [values(bench(onehop, *words, kind))[0] for kind in kinds]
    assert times[0] < min(times[1:3]) and max(times[1:3]) < times[3]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("alltoall", "--schedule", "stagged"), "staged"),
        (("allgather", "--memory", "host-device"), "not allgather"),
        (("latency", "--memory", "device", "--platform-set", "collectives=stagd"), "staged"),
    ],
)
def test_what_cannot_be_staged_is_one_clear_line(refused, words, says):
    assert says in refused("bench", *words, "--sizes", "8", "--transport", "virtual:apenet-v4")


def test_an_alltoall_is_staged_only_where_copies_are_described(refused):
    words = ("--sizes", "8", "--transport", "virtual:tca-peach2", "--memory", "device")
    said = refused("bench", "alltoall", "--schedule", "staged", *words)
    assert "copy_out and copy_in of collective.direct" in said


def test_every_cell_says_what_was_busy(onehop):
    words = ("bandwidth", "--transport", "virtual:apenet-v4", "--sizes", "8,1048576")
    small, large = bench(onehop, *words)["samples"]
    shares = [cell["virtual"]["stage_shares"] for cell in (small, large)]
    # 8 bytes are bounded by a doorbell, many bytes by reads; one rank of two sends.
    assert max(shares[0], key=shares[0].get) == "doorbell"
    assert shares[1]["host-read"] > 0.3 > shares[1]["doorbell"]
    assert all(0 < share <= 1 for cell in shares for share in cell.values())
    assert (
        large["virtual"]["busiest_link"]["share"] > 10 * small["virtual"]["busiest_link"]["share"]
    )


def test_one_buffer_stays_within_the_reach_of_a_table_that_many_buffers_exceed(onehop):
    """The table reaches 32 pages of 4 KiB: 128 KiB of one buffer fit, twice that do not, nor do 16
    of 64 KiB."""
    words = ("bandwidth", "--transport", "virtual:apenet-v4", "--sizes", "65536,131072,262144")
    apart = values(bench(onehop, *words))
    once = values(bench(onehop, *words, "--one-buffer"))
    assert once[0] == pytest.approx(once[1], rel=0.001)
    assert max(apart) < once[2] < 0.99 * once[1]


def test_hosts_say_where_the_ranks_are(onehop):
    """Odd hosts are a ring in their order: 1 and 3 are neighbours, 1 and 5 a hub further apart, and
    each hub further on costs the same. Seen by stores of the processor, since a put by DMA waits
    for its own notification, which takes longer than the way."""
    words = ("latency", "--transport", "virtual:tca-peach2", "--platform-set", "variant=pio")
    words += ("--sizes", "8", "--hosts")
    near, far, farther = (values(bench(onehop, *words, f"1,{host}"))[0] for host in (3, 5, 7))
    coupled = values(bench(onehop, *words, "7,8"))[0]
    assert coupled == near
    wire = netsim.load("tca-peach2").fabric.wire()
    assert far - near == pytest.approx((wire.latency + wire.router) / 1e6, rel=0.05)
    assert farther - far == pytest.approx(far - near)


@pytest.mark.parametrize(
    ("hosts", "line"),
    [
        ("1,17", "--hosts: platform tca-peach2 has hosts 1 to 16; got 17"),
        ("3", "--hosts has 1 host for 2 ranks; give one for each"),
        ("1,3,5", "--hosts has 3 hosts for 2 ranks; give one for each"),
        (
            "all",
            "--hosts: 'all': hosts as 1,3,5 are needed, or linear:RANKS, random:SEED, file:NAME",
        ),
    ],
)
def test_hosts_that_are_not_there_are_refused(onehop, hosts, line):
    words = ("bench", "latency", "--transport", "virtual:tca-peach2", "--sizes", "8")
    ended = onehop(*words, "--hosts", hosts)
    assert (ended.status, ended.out, ended.err) == (2, "", f"onehop: {line}\n")


def test_rows_cost_the_engine_that_reads_them(onehop):
    """A row costs what the platform says, once per message."""
    words = ("latency", "--transport", "virtual:tca-peach2", "--memory", "device")
    words += ("--sizes", "16384", "--rows")
    few, many = (values(bench(onehop, *words, rows))[0] for rows in ("32", "128"))
    piece = netsim.load("tca-peach2").stages["gpu-read-short"].per_piece / 1e6
    assert many - few == pytest.approx((128 - 32) * piece, rel=0.02)


def test_rows_that_do_not_divide_a_message_are_refused(onehop):
    ended = onehop("bench", "latency", "--transport", "self", "--sizes", "64", "--rows", "3")
    assert (ended.status, ended.err) == (2, "onehop: --rows 3 does not divide --sizes 64\n")


def test_rows_arrive_as_they_were_sent(onehop):
    ended = onehop("bench", "put", "--ranks", "2", "--sizes", "4096", "--rows", "8", "--json", "-")
    assert json.loads(ended.out)["check"]["passed"]


def test_an_allgather_over_tca_waits_for_its_own_notifications(onehop):
    """There are four steps, none of which is over before the rank's own put has told that it is."""
    words = ("allgather", "--transport", "virtual:tca-peach2", "--memory", "device")
    words += ("--ranks", "16", "--sizes", "8")
    own = netsim.load("tca-peach2").paths["gpu-short"].local / 1e6
    waits = values(bench(onehop, *words))[0]
    never = "--platform-set", "path.gpu-short.local=0"
    assert waits > 4 * own > values(bench(onehop, *words, *never))[0]


def test_a_cable_of_one_s_own_that_is_too_long_is_told_beside_the_result(onehop, tmp_path):
    mine = tmp_path / "mine.toml"
    text = netsim.platform_file.find("apenet-v4").read_text()
    cable = 'latency = { value = 100, unit = "ns"'
    mine.write_text(text.replace(cable, cable.replace("ns", "us")))
    ended = onehop("bench", "latency", "--transport", f"virtual:{mine}", "--sizes", "8")
    assert ended.status == 0
    first, second = ended.err.splitlines()
    assert "wire.latency of 100 us is unusually large for a cable, by a factor of 10" in first
    assert "wire.credits of 8 packets let a link carry" in second
