"""Timelines are checked in the files that --trace and onehop.write_trace make."""

import json
import sys

import pytest

QUICK = ("--min-time", "0.01", "--max-time", "0.05", "--block-time", "50", "--warmup", "1")

PROGRAM = """
import sys
import onehop
context = onehop.join()
window = onehop.Window(context, 8)
chain = onehop.PutChain(context, window)
chain.push_packed(64, (context.rank + 1) % context.size, 0)
chain.add_origin((context.rank - 1) % context.size)
if context.rank == 1:
    onehop.PutChain(context, window)  # that the others do not have
for times in range(2):
    chain.commit()
    if times == 0:
        context.start_trace()
    for _ in range(5):
        chain.start()
        chain.wait()
    if times == 0:
        chain.clear()
        chain.push_packed(64, (context.rank + 1) % context.size, 0)
        chain.add_origin((context.rank - 1) % context.size)
onehop.write_trace(context, sys.argv[1])
"""


def tracks(path):
    """Returns the events with a time of every rank, in the order of the file."""
    found = {}
    every = json.loads(path.read_text())["traceEvents"]
    check_bindings(every)
    for event in every:
        if "ts" in event:
            found.setdefault(event["tid"], []).append(event)
    return found


def check_bindings(every):
    """Checks as Perfetto does: sorted by time, an arrow hangs on the innermost slice that is
    open."""
    processes = {event["pid"] for event in every if event["name"] == "process_name"}
    threads = {(event["pid"], event["tid"]) for event in every if event["name"] == "thread_name"}
    open_slices = {}
    for event in sorted((e for e in every if e["ph"] != "M"), key=lambda event: event["ts"]):
        track = event["pid"], event["tid"]
        assert event["pid"] in processes and track in threads
        at_ns, stack = round(1000 * event["ts"]), open_slices.setdefault(track, [])
        while stack and stack[-1][1] <= at_ns:
            stack.pop()
        if event["ph"] == "X":
            stack.append((event["name"], at_ns + round(1000 * event["dur"])))
        else:
            holder = {"s": "start", "f": "arrival"}[event["ph"]]
            assert stack and stack[-1][0] == holder, (event, stack)


def check_tracks(ranks):
    for events in ranks.values():
        times = [event["ts"] for event in events]
        assert times == sorted(times)
        ends = []
        for one in (event for event in events if event["ph"] == "X"):
            begin_ns, length_ns = round(1000 * one["ts"]), round(1000 * one["dur"])
            assert length_ns >= 0
            while ends and ends[-1] <= begin_ns:
                ends.pop()
            # Slices of a track lie inside each other or apart.
            assert not ends or begin_ns + length_ns <= ends[-1]
            ends.append(begin_ns + length_ns)


def arrows(ranks):
    """Returns the arrows, as pairs of events from the start to the end of each; every one has both,
    in order."""
    every = [event for events in ranks.values() for event in events]
    begun = [event for event in every if event["ph"] == "s"]
    begins = {event["id"]: event for event in begun}
    ended = [event for event in every if event["ph"] == "f"]
    ends = {event["id"]: event for event in ended}
    assert len(begins) == len(begun) == len(ends) == len(ended)
    assert begins.keys() == ends.keys()
    assert all(begins[name]["ts"] <= ends[name]["ts"] for name in begins)
    return [(begins[name], ends[name]) for name in begins]


@pytest.mark.parametrize(
    ("ranks", "words"),
    [
        (2, ("bandwidth", "--messages", "3", "--channels", "2", "--sizes", "8,64", *QUICK)),
        (4, ("halo", "--faces", "2", "--sizes", "8,64", "--transport", "virtual:apenet-v4")),
    ],
)
def test_every_put_of_a_benchmark_arrives(onehop, tmp_path, ranks, words):
    path = tmp_path / "trace.json"
    ended = onehop("bench", *words, "--ranks", str(ranks), "--trace", str(path), "--json", "-")
    assert json.loads(ended.out)["check"]["passed"]
    found = tracks(path)
    assert sorted(found) == list(range(ranks))
    check_tracks(found)
    # 16 steps of 2 sizes are recorded: 2 chains of 3 puts one way, or 2 faces from each rank.
    puts = 2 * 3 if ranks == 2 else 2 * ranks
    pairs = arrows(found)
    assert len(pairs) == 2 * 16 * puts
    assert all(begin["tid"] != end["tid"] for begin, end in pairs)


def test_a_program_writes_its_own(onehop, tmp_path):
    path = tmp_path / "trace.json"
    onehop("run", "-n", "3", "--", sys.executable, "-c", PROGRAM, str(path))
    found = tracks(path)
    check_tracks(found)
    pairs = arrows(found)
    # A chain that is committed again counts its exchanges from 1.
    assert len(pairs) == 3 * 2 * 5
    assert all(end["tid"] == (begin["tid"] + 1) % 3 for begin, end in pairs)


def test_one_file_for_two_outputs_is_refused(refused, tmp_path):
    path = str(tmp_path / "one.json")
    told = refused("bench", "latency", "--json", path, "--trace", path)
    assert f"--trace {path} would overwrite the file of --json" in told
