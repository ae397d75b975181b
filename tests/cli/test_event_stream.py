"""`onehop app event-stream` from outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import ONEHOP

import onehop as onehop_package
from onehop import _apps
from onehop.cli.app import event_stream_setup

APP = ("app", "event-stream")
SMALL = (*APP, "--events-per-s", "50000", "--seconds", "0.05", "--seed", "3")


def record_of(onehop, *words):
    ended = onehop(*words, "--json", "-")
    assert (ended.status, ended.err) == (0, "")
    return json.loads(ended.out)


def events_before(seconds, rate, seed, pattern="poisson"):
    times = _apps.event_times(pattern, rate, seed, int(2 * rate * seconds) + 100)
    return [time for time in times if time < seconds * 1e9]


def test_record_says_what_became_of_every_event(onehop):
    record = record_of(onehop, *SMALL, "--wire", "both")
    assert (record["schema"], record["app"]) == ("onehop.app/1", "event-stream")
    put, udp = record["samples"]
    assert (put["wire"], udp["wire"]) == ("put", "udp")
    events = len(events_before(0.05, 5e4, 3))
    assert put["events"] == udp["events"] == put["decided"] == events
    assert put["lost"] == 0 and udp["lost"] == events - udp["decided"] >= 0
    for sample in (put, udp):
        latency = sample["latency_us"]
        order = [latency[name] for name in ("p50", "p99", "p999", "max")]
        assert order == sorted(order) and order[0] > 0
        assert sum(count for _, count in sample["histogram_us"]) == sample["decided"]
        assert sample["damaged"] == sample["out_of_order"] == sample["unlike"] == 0
    result = record["result"]
    assert set(result["latency_us"]) == {"p50", "p99", "p999", "max", "mean"}
    assert result["sustained_mbs"] == put["sustained_mbs"] > 0
    assert (result["lost"], result["deadline_misses"]) == (0, put["deadline_misses"])
    check = record["check"]
    assert (check["passed"], check["value"], check["limit"]) == (True, 0, 0)


def test_rings_are_kept_and_noise_is_not(onehop):
    put = record_of(onehop, *SMALL)["samples"][0]
    noise = put["decided"] - put["rings"]
    assert 0.85 < put["rings"] / put["decided"] < 0.95
    assert put["kept_rings"] > 0.99 * put["rings"]
    assert put["kept_noise"] < 0.2 * noise
    for name in ("x", "y", "radius"):
        pull, limit = put["pulls"][name], put["pulls"]["limit"]
        assert abs(pull["mean"]) < limit["mean"] and abs(pull["width"] - 1) < limit["width"]


def test_several_rings_of_an_event_are_found(onehop):
    put = record_of(onehop, *SMALL, "--hits", "several")["samples"][0]
    # A quarter of the events has no ring, and the others have two on the average.
    assert put["true_rings"] / put["decided"] == pytest.approx(1.5, abs=0.1)
    assert put["found_rings"] > 0.95 * put["true_rings"]
    assert put["false_rings"] < 0.01 * put["true_rings"]
    assert put["kept_rings"] > 0.97 * put["rings"]
    for name in ("x", "y", "radius"):
        pull, limit = put["pulls"][name], put["pulls"]["limit"]
        assert abs(pull["mean"]) < limit["mean"] and abs(pull["width"] - 1) < limit["width"]


@pytest.mark.parametrize(
    "words",
    [
        ("--sources", "2", "--consumers", "2"),
        ("--sources", "2", "--hits", "several"),
        ("--consumers", "3", "--share", "load"),
        ("--arrivals", "bunches", "--batch", "100", "--gather-us", "0"),
        ("--hits", "none", "--payload-bytes", "400", "--arrivals", "constant"),
        ("--transport", "mpi_p2p"),
        ("--transport", "mpi_rma"),
        ("--transport", "virtual:apenet-v4", "--sources", "2"),
        ("--transport", "virtual:quong", "--memory", "device"),
    ],
    ids=" ".join,
)
def test_nothing_is_lost_on_any_wire(onehop, words):
    if "mpi" in " ".join(words) and not Path(ONEHOP).with_name("mpicxx").exists():
        pytest.skip("no MPI")
    pattern = words[words.index("--arrivals") + 1] if "--arrivals" in words else "poisson"
    record = record_of(onehop, *SMALL, *words)
    events = len(events_before(0.05, 5e4, 3, pattern))
    assert record["samples"][0]["decided"] == record["samples"][0]["events"] == events


@pytest.mark.parametrize("wire", ["put", "udp"])
def test_a_run_without_an_event_is_no_right_one(onehop, wire):
    ended = onehop(*APP, "--seconds", "1e-9", "--wire", wire)
    told = f"WRONG: no event happened over {wire}; give a longer --seconds"
    assert ended.status == 1 and told in ended.out


def test_a_stalled_consumer_makes_its_source_wait(onehop):
    words = ("--events-per-s", "3e6", "--seconds", "0.2", "--stall-ms", "300", "--buffers", "2")
    put, udp = record_of(onehop, *APP, *words, "--wire", "both")["samples"]
    assert put["lost"] == 0 and put["back_pressure_s"] > 0.1
    assert put["latency_us"]["max"] > 1e5 and put["deadline_misses"] > 0
    assert udp["lost"] > 0


def lindley_us(times_ns, service_us):
    """The waits of events that are served one after the other."""
    free, waits = 0.0, []
    for time in times_ns:
        begin = max(free, time * 1e-3)
        waits.append(begin - time * 1e-3)
        free = begin + service_us
    return waits


@pytest.mark.parametrize("load", [0.5, 0.8])
def test_events_wait_in_virtual_time_as_in_the_queue_with_constant_service(onehop, load):
    """Their arrivals are Poisson's, whose mean wait is that of M/D/1
    (apps/event_stream/tests/event_source_test.cpp). A datagram of one event takes microseconds on
    its way, a thousandth of the service."""
    service_us, seconds = 2000.0, 2.0
    rate = load / service_us * 1e6
    words = ("--events-per-s", rate, "--seconds", seconds, "--service-us", service_us)
    one_by_one = ("--batch", "1", "--gather-us", "0", "--buffers", "64", "--deadline-us", "1e6")
    wire = ("--transport", "virtual:apenet-v4")
    put = record_of(onehop, *APP, *words, *one_by_one, *wire)["samples"][0]
    waits = lindley_us(events_before(seconds, rate, 1), service_us)
    expected = sum(waits) / len(waits)
    assert put["waited_us"] == pytest.approx(expected, rel=0.02)
    assert put["latency_us"]["mean"] == pytest.approx(expected + service_us, rel=0.02)


@pytest.mark.parametrize("load", [0.5, 0.8, 0.95])
def test_as_many_events_are_late_as_in_the_queue(onehop, load):
    """A decision is late where wait and service end after the deadline of 1 ms. Its datagram takes
    microseconds on its way, and its event 0.1 us beside the service."""
    service_us, seconds = 100.0, 1.0
    rate = load / service_us * 1e6
    words = ("--events-per-s", rate, "--seconds", seconds, "--service-us", service_us)
    one_by_one = ("--batch", "1", "--gather-us", "0", "--buffers", "64", "--deadline-us", "1000")
    wire = ("--transport", "virtual:apenet-v4")
    put = record_of(onehop, *APP, *words, *one_by_one, *wire)["samples"][0]
    times = events_before(seconds, rate, 1)
    least, most = (
        sum(wait + service + way > 1000 for wait in lindley_us(times, service))
        for service, way in ((service_us, 0), (service_us + 0.2, 20))
    )
    assert least <= put["deadline_misses"] <= most < 1.2 * least + 10
    assert (least > 1000) == (load == 0.95) and put["lost"] == 0


def test_events_at_constant_intervals_do_not_wait_in_virtual_time(onehop):
    words = ("--events-per-s", "475", "--seconds", "1", "--service-us", "2000")
    one_by_one = ("--batch", "1", "--gather-us", "0", "--deadline-us", "1e6")
    wire = ("--transport", "virtual:apenet-v4", "--arrivals", "constant")
    put = record_of(onehop, *APP, *words, *one_by_one, *wire)["samples"][0]
    assert put["decided"] == 475 and put["waited_us"] < 0.01 * 2000


def test_virtual_time_is_the_same_every_time(onehop):
    words = (*SMALL, "--transport", "virtual:apenet-v4", "--seconds", "0.01")
    once, again = (record_of(onehop, *words)["samples"] for _ in range(2))
    assert once == again


@pytest.mark.parametrize("name", event_stream_setup.shipped())
def test_setups_are_read_and_play(onehop, name):
    words = ("--setup", name, "--seconds", "0.01", "--sources", "1", "--events-per-s", "20000")
    record = record_of(onehop, *APP, *words)
    assert record["options"]["events_per_s"] == 20000
    given = event_stream_setup.read(name)
    for key in set(given) - {"sources", "events_per_s"}:
        assert record["options"][key] == given[key]


def test_picture_and_table(onehop, tmp_path):
    ended = onehop(*SMALL, "--wire", "both", "--plot", tmp_path / "s.svg")
    assert ended.status == 0
    assert "million events/s" in ended.out and "right: every event" in ended.out
    assert (tmp_path / "s.svg").stat().st_size > 1000


def setup_file(tmp_path, text):
    (tmp_path / "mine.toml").write_text(text)
    return tmp_path / "mine.toml"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sources = 3", "give value, state and source"),
        ('surces = { value = 3, state = "assumed", source = "x" }', "did you mean sources?"),
        ('sources = { value = 0, state = "assumed", source = "x" }', "sources: 0 is not in"),
        ('sources = { value = 1, state = "guess", source = "x" }', "published or assumed"),
        ('arrivals = { value = "poison", state = "assumed", source = "x" }', "mean poisson?"),
        (
            'datagram_bytes = { value = 1e400, state = "assumed", source = "x" }',
            "datagram_bytes: inf is not a whole number",
        ),
        (
            f'events_per_s = {{ value = {10**400}, state = "assumed", source = "x" }}',
            "events_per_s: a whole number of so many digits is too large",
        ),
        ('sources = { value = 1.5, state = "assumed", source = "x" }', "1.5 is not a whole number"),
        ("sources =", "not TOML"),
    ],
)
def test_setups_that_are_none_are_refused(refused, tmp_path, text, message):
    assert message in refused(*APP, "--setup", setup_file(tmp_path, text))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--setup", "nanet"), "did you mean nanet-1?"),
        (("--setup", "nowhere.toml"), "cannot read setup nowhere.toml"),
        (("--wire", "tcp"), "--wire"),
        (("--wire", "udp", "--transport", "virtual:apenet-v4"), "give --wire put"),
        (("--share", "load", "--sources", "2"), "use --share turn"),
        (("--wire", "udp", "--buffers", "4"), "--buffers is for --wire put"),
        (("--payload-bytes", "12"), "multiple of 8"),
        (("--payload-bytes", "1440"), "datagrams of 1472 bytes"),
        (("--events-per-s", "0"), "--events-per-s"),
        (("--events-per-s", "1e-300"), "1e-300 is not in the range 1e-06<=x<=1000000000.0"),
        (("--transport", "self"), "serves one rank"),
        (("--memory", "device"), "add --transport virtual:PLATFORM"),
        (("--plot", "e.txt"), "must end in .png, .pdf or .svg"),
    ],
)
def test_bad_use_is_one_line_that_says_what_to_do(refused, words, message):
    assert message in refused(*APP, *words)


def test_program_runs_under_the_launcher_with_the_same_events(onehop):
    program = Path(onehop_package.__file__).parent / "bin" / "event_stream"
    ended = onehop("run", "-n", "3", "--", program, "50000", "0.05", "2", "put", "3")
    assert (ended.status, ended.err) == (0, "")
    events = len(events_before(0.05, 5e4, 3))
    assert ended.out.startswith(f"{events} events {events} decided ")
