"""What a program of MPI has called, recorded over one MPI and replayed on virtual machines."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from onehop._core import FileError, UsageError

from onehop import launch, mpi_abi, mpi_replay, mpi_rescale, netsim, recordings, virtual

HERE = Path(__file__).parent
BIN = Path(sys.executable).parent

pytestmark = pytest.mark.skipif(
    not (BIN / "mpicc_abi").exists(),
    reason="no mpicc_abi beside this Python: pip install 'mpich>=5'",
)


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    found = tmp_path_factory.mktemp("recorded") / "recorded"
    command = [BIN / "mpicc_abi", "-O1", "-o", found, HERE / "recorded.c"]
    subprocess.run(command, check=True, timeout=60)
    return found


@pytest.fixture(scope="module")
def by_mpich(program, tmp_path_factory):
    """Records over MPICH, in real time, once for the same words; returns the folder."""
    made = {}

    def record(ranks, *words):
        if (ranks, *words) not in made:
            folder = tmp_path_factory.mktemp("ranks")
            recorder = mpi_abi.library().with_name("libonehop_recorder.so")
            command = ["env", f"LD_PRELOAD={recorder}", program, *map(str, words)]
            done = subprocess.run(
                [BIN / "mpiexec", "-n", str(ranks), *command],
                env={**os.environ, "ONEHOP_RECORDING": str(folder)},
                capture_output=True,
                text=True,
                timeout=60,
            )
            assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
            made[(ranks, *words)] = folder
        return made[(ranks, *words)]

    return record


def scripts_of(folder):
    return [mpi_replay.script(one) for one in recordings.read(str(folder))]


def replayed(scripts, platform, scale=0.0):
    """Returns the picoseconds of a replay, and the times of its ranks."""
    conductor = virtual.Conductor(netsim.load(platform), len(scripts))
    outcome, times = mpi_replay.run(scripts, scale, conductor)
    assert outcome.cause is None
    return conductor.accounts.now_ps, times


def direct(program, ranks, platform, *words, computing=None):
    """Returns the picoseconds of the program itself."""
    conductor = virtual.Conductor(netsim.load(platform), ranks)
    variables = mpi_abi.environment(virtual=True, computing=computing)
    command = [str(program), *map(str, words)]
    outcome = launch.run_ranks(command, ranks, conductor=conductor, variables=variables)
    assert outcome.cause is None
    return conductor.accounts.now_ps


@pytest.mark.parametrize(
    ("words", "platform"),
    [
        (("all",), "infiniband-qdr"),
        (("to_and_fro",), "apenet-v4"),
        (("halo", 2, 2), "qpace"),
        (("sums",), "infiniband-qdr"),
    ],
)
def test_a_replay_takes_what_the_program_takes_to_the_picosecond(
    by_mpich, program, words, platform
):
    replay, _ = replayed(scripts_of(by_mpich(4, *words)), platform)
    assert replay == direct(program, 4, platform, *words)


def test_what_is_waited_for_between_messages_is_waited_for_in_a_replay(by_mpich, program):
    replay, _ = replayed(scripts_of(by_mpich(2, "waits")), "qpace")
    assert replay == direct(program, 2, "qpace", "waits")


def test_recorded_computing_takes_the_same_time_in_every_run(by_mpich, onehop, program, tmp_path):
    folder = by_mpich(4, "halo", 2, 2)
    replay, _ = replayed(scripts_of(folder), "apenet-v4", 1.0)
    recordings.write_computing(recordings.read(str(folder)), tmp_path)
    direct_ps = [
        direct(program, 4, "apenet-v4", "halo", 2, 2, computing=str(tmp_path)) for _ in range(2)
    ]
    assert direct_ps == [replay, replay]
    without = direct(program, 4, "apenet-v4", "halo", 2, 2)
    assert replay > without
    words = ("--transport", "virtual:apenet-v4", "--compute", "recorded", "--verbose")
    recording = ("--recording", folder, "--", program)
    ended = onehop("run", "-n", 4, "--mpi", *words, *recording, "halo", 2, 2)
    assert (ended.status, ended.out) == (0, "")
    assert f"onehop: {replay * 1e-6:.2f} us of virtual time" in ended.err
    # The library that lets the recorded times pass takes none of its own.
    for times in tmp_path.iterdir():
        pairs = [line.split("\t", 1)[1] for line in times.read_text().splitlines(True)]
        times.write_text("".join(f"0\t{pair}" for pair in pairs))
    assert direct(program, 4, "apenet-v4", "halo", 2, 2, computing=str(tmp_path)) == without
    # Another program calls from other places.
    ended = onehop("run", "-n", 4, "--mpi", *words, *recording, "sums")
    assert ended.status == 0 and "where the recording has another order" in ended.err


def test_a_recording_is_the_same_over_any_mpi_and_machine(by_mpich, onehop, program, tmp_path):
    name = str(tmp_path / "recording")
    options = ("--transport", "virtual:apenet-v4", "--record", name)
    ended = onehop("run", "-n", 4, "--mpi", *options, "--", program, "halo", 2, 2)
    assert (ended.status, ended.err) == (0, "")
    for ours, theirs in zip(
        recordings.read(name), recordings.read(str(by_mpich(4, "halo", 2, 2))), strict=True
    ):
        assert ours.mpi.startswith("onehop") and theirs.mpi.startswith("MPICH")
        assert ours.sites == theirs.sites
        assert [[e[:2], e[3:]] for e in ours.events] == [[e[:2], e[3:]] for e in theirs.events]


def test_computing_delays_those_who_wait_for_it(by_mpich):
    scripts = scripts_of(by_mpich(4, "to_and_fro"))
    for one in scripts:
        for event in one.events:
            event[2] = 0
    before, _ = replayed(scripts, "infiniband-qdr", 1.0)
    # Everything waits for the first message of rank 0.
    scripts[0].events[0][2] = 500_000
    after, times = replayed(scripts, "infiniband-qdr", 2.0)
    # The clock that computing goes by has whole nanoseconds.
    assert after - before == pytest.approx(1e9, abs=1e3)
    assert [one.computing for one in times] == [1_000_000, 0, 0, 0]
    assert times[1].messages - times[2].messages > 1_000_000


def test_a_call_site_computes_the_median_of_what_it_did():
    events = [["barrier", 0, time, 0] for time in (900, 10, 30, 20, 5000)]
    one = recordings.RankRecording("run", 0, 1, "", events)
    # The first is preceded by no call, the others by the same one.
    assert [event[2] for event in mpi_replay.script(one).events] == [900, 25, 25, 25, 25]


@pytest.mark.parametrize(
    ("kind", "numbers", "room"),
    [
        ("send", [0, 1, 2**20, 8], 8),
        ("irecv", [0, 1, 2**20, 8, 2**20], 8),
        ("sendrecv", [0, 1, 9, 8, 1, 9, 16], 16),
        ("iallreduce", [0, 3, 16, 2**20], 48),
        ("reduce_scatter_block", [0, 3, 16], 192),
        ("reduce_scatter", [0, [16, 32, 0, 16], 16], 64),
        ("iallgather", [0, 8, 2**20], 32),
        ("gatherv", [0, 8, [], 3], 8),
        ("scatterv", [0, 8, [8, 16, 8, 8], 0], 16),
        ("allgatherv", [0, [8, 8, 24, 8], 8], 24),
        ("ialltoallv", [0, [2**20] * 4, [2**20] * 4, 7], 2**20),
        ("split", [0, 2, 1, 2**20, 2**20], 0),
    ],
)
def test_a_replay_has_the_room_of_its_largest_message(kind, numbers, room):
    """Requests, tags and keys are not bytes, and all parts of a list lie at the same place."""
    one = mpi_replay.Script(4, [[kind, 0, 0, *numbers]])
    assert one.orders(0).split()[0] == str(room)


def test_a_replay_without_memory_says_so(capfd):
    script = mpi_replay.Script(1, [["send", 0, 0, 0, -3, 1, 2**62], ["end", 0, 0]])
    conductor = virtual.Conductor(netsim.load("qpace"), 1)
    outcome, _ = mpi_replay.run([script], 0.0, conductor)
    assert outcome.cause is not None
    assert f"there is no memory for the {2**62} bytes" in capfd.readouterr().err


def test_a_receive_that_was_open_names_whose_message_it_got():
    """On another machine another message might be there first."""
    any_source, any_tag = -1, -2
    events = [
        ["irecv", 0, 0, 0, any_source, 3, 8, 0],
        ["recv_init", 0, 0, 0, any_source, any_tag, 8, 1],
        ["start", 0, 0, [1]],
        ["wait", 0, 0, [0, 1]],
        ["free", 0, 0, 1],
    ]
    one = recordings.RankRecording("run", 0, 8, "", events)
    one.matched = {(3, 0): (5, 3), (3, 1): (6, 4)}
    named = [event for event in mpi_replay.script(one).events if event != ["start", 0, 0, []]]
    assert named == [
        ["irecv", 0, 0, 0, 5, 3, 8, 0],
        ["irecv", 0, 0, 0, 6, 4, 8, 1],
        ["wait", 0, 0, [0, 1]],
    ]


def test_more_ranks_take_what_the_program_takes_on_them(by_mpich, program):
    scripts = mpi_rescale.rescale(scripts_of(by_mpich(9, "halo", 3, 3)), [4, 3])
    replay, _ = replayed(scripts, "infiniband-qdr")
    assert replay == direct(program, 12, "infiniband-qdr", "halo", 4, 3)


@pytest.mark.parametrize(
    ("ranks", "words", "extents", "why"),
    [
        (4, ("to_and_fro",), [8], "no Cartesian grid of all its 4 ranks"),
        (4, ("halo", 2, 2), [4, 2], "does not tell forward from backward"),
        (9, ("halo", 3, 3), [12], "has 2 axes, 3x3"),
    ],
)
def test_other_numbers_of_ranks_are_refused_where_nobody_knows(
    by_mpich, ranks, words, extents, why
):
    with pytest.raises(UsageError, match=why):
        mpi_rescale.rescale(scripts_of(by_mpich(ranks, *words)), extents)


def test_ranks_that_do_not_the_same_are_no_model_for_others(by_mpich):
    scripts = scripts_of(by_mpich(9, "halo", 3, 3))
    starts = [event for event in scripts[4].events if event[0] == "allreduce"]
    starts[2][4] = 2
    with pytest.raises(UsageError, match=r"ranks 0 and 4 differ in their event \d+, allreduce"):
        mpi_rescale.rescale(scripts, [4, 4])


def test_what_is_not_recorded_is_told_and_refused(onehop, program, refused, tmp_path):
    name = str(tmp_path / "recording")
    ended = onehop(*("run", "-n", 2, "--mpi", "--record", name, "--", program, "something_else"))
    line = "not recorded, so that no replay can be made: MPI_Win_create (1), MPI_Win_free (1)"
    assert ended.status == 0
    assert sorted(ended.err.splitlines()) == [
        f"onehop: recorder: rank {rank}: {line}" for rank in range(2)
    ]
    said = refused("simulate", "infiniband-qdr", "replay", "--recording", name)
    assert "rank 0 called MPI_Win_create 1 times, which is not recorded" in said


def test_a_program_that_loads_mpi_late_is_recorded(onehop, tmp_path):
    """An interpreter does so, whose extension brings the MPI."""
    source = tmp_path / "late.c"
    source.write_text(
        "#include <mpi.h>\nint go(void) { MPI_Init(0, 0); MPI_Barrier(MPI_COMM_WORLD);"
        " return MPI_Finalize(); }\n"
    )
    late, name = tmp_path / "late.so", tmp_path / "recording"
    command = [BIN / "mpicc_abi", "-shared", "-fPIC", "-o", late, source]
    subprocess.run(command, check=True, timeout=60)
    script = f"import ctypes; ctypes.CDLL({str(late)!r}).go()"
    words = ("run", "-n", 2, "--mpi", "--record", name, "--", sys.executable, "-c", script)
    ended = onehop(*words)
    assert (ended.status, ended.err) == (0, "")
    kinds = [[event[0] for event in one.events] for one in recordings.read(str(name))]
    assert kinds == [["barrier", "end"]] * 2


def test_a_recording_that_is_cut_is_not_kept(refused, tmp_path):
    source = tmp_path / "early.c"
    source.write_text("#include <mpi.h>\nint main(void) { MPI_Init(0, 0); return 0; }\n")
    program, name = tmp_path / "early", tmp_path / "recording"
    subprocess.run([BIN / "mpicc_abi", "-o", program, source], check=True, timeout=60)
    said = refused("run", "-n", 1, "--mpi", "--record", name, "--", program)
    assert "the recording of rank 0 is cut, since the program has not reached MPI_Finalize" in said
    assert not name.exists()


def test_calls_that_fail_are_told_and_refused(onehop, program, refused, tmp_path):
    name = str(tmp_path / "recording")
    ended = onehop(*("run", "-n", 2, "--mpi", "--record", name, "--", program, "errors"))
    line = "rank 1: not recorded, so that no replay can be made: MPI_Recv with an error (1)"
    assert (ended.status, ended.err) == (0, f"onehop: recorder: {line}\n")
    said = refused("simulate", "infiniband-qdr", "replay", "--recording", name)
    assert "rank 1 called MPI_Recv with an error 1 times, which is not recorded" in said


def test_a_thread_that_calls_alone_is_recorded(by_mpich):
    in_a_thread, in_main = (
        [[event[0] for event in one.events] for one in scripts_of(by_mpich(2, *words))]
        for words in (("to_and_fro", "in_a_thread"), ("to_and_fro",))
    )
    assert in_a_thread == in_main and "send" in in_main[0]


def _cut(folder):
    path = folder / "rank-000001.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))


def _cut_in_a_line(folder):
    path = folder / "rank-000001.jsonl"
    path.write_text(path.read_text()[:-30])


def _lose_a_line(folder):
    path = folder / "rank-000001.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines[:3], *lines[4:]]))


def _lack_a_rank(folder):
    (folder / "rank-000002.jsonl").unlink()


def _mix(folder):
    path = folder / "rank-000001.jsonl"
    head, _, rest = path.read_text().partition("\n")
    path.write_text(json.dumps({**json.loads(head), "run": "another"}) + "\n" + rest)


def _be_of_the_future(folder):
    path = folder / "rank-000000.jsonl"
    path.write_text(path.read_text().replace("recording/1", "recording/2"))


def _have_strange_events(folder):
    path = folder / "rank-000003.jsonl"
    path.write_text(path.read_text().replace('["end"', '["dance"'))


def _name_a_site_by_a_list(folder):
    path = folder / "rank-000003.jsonl"
    path.write_text(path.read_text().replace('["site",0,', '["site",[],'))


@pytest.mark.parametrize("content", ["int main() {}\n", "[1]\n", "{}\n"])
def test_a_file_that_is_no_recording_is_told_apart(tmp_path, content):
    name = tmp_path / "halo.c"
    name.write_text(content)
    with pytest.raises(FileError, match="line 1: a recording .* does not begin so; name a file"):
        recordings.read(str(name))


def _send_in_an_unknown_communicator(folder):
    path = folder / "rank-000003.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    last = json.loads(lines[-1])
    lines[-1:] = ['["barrier",0,20,-1]\n', json.dumps(last | {"lines": last["lines"] + 1}) + "\n"]
    path.write_text("".join(lines))


@pytest.mark.parametrize(
    ("events", "why"),
    [
        ([["wait", 0, 0, [99]]], "wait of request 99, which no call has made"),
        ([["matched", 99, 0, 0], ["wait", 0, 0, [99]]], "matched of request 99, which no call"),
        ([["isend", 0, 0, 0, 0, 1, 8, 0], ["start", 0, 0, [0]]], "start of request 0, which no"),
        (
            [["isend", 0, 0, 0, 0, 1, 8, 0], ["wait", 0, 0, [0]], ["wait", 0, 0, [0]]],
            "wait of request 0, which no call has made",
        ),
        ([["free", 0, 0, 7]], "free of request 7, which no call has made"),
        ([["cart", 0, 0, 0, 2, 0, [1, 1], []]], "cart has a list of the wrong length"),
        ([["scatterv", 0, 0, 0, 8, [8, 8], 0]], "scatterv has a list of the wrong length"),
        ([["gatherv", 0, 0, 0, 8, [], 0]], "gatherv has a list of the wrong length"),
        ([["allgatherv", 0, 0, 0, [], 8]], "allgatherv has a list of the wrong length"),
        ([["send", 0, 0, 0, 0, 1, -8]], "send has a negative number of bytes"),
        ([["sendrecv", 0, 0, 0, 0, 1, 8, 0, 1, -8]], "sendrecv has a negative number of bytes"),
        ([["allreduce", 0, 0, 0, 2, -8]], "allreduce has a negative number of bytes or elements"),
        ([["allgatherv", 0, 0, 0, [-8], 8]], "allgatherv has a negative number of bytes"),
        ([["barrier", 0, -5, 0]], "a program cannot have computed for -5 ns"),
    ],
)
def test_events_that_do_not_go_together_are_refused(tmp_path, events, why):
    head = {"schema": recordings.SCHEMA, "run": "a", "rank": 0, "ranks": 1, "mpi": "b"}
    lines = [head, *events, {"lines": len(events), "missed": {}}]
    name = tmp_path / "recording"
    name.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(FileError, match=why):
        recordings.read(str(name))


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (_cut, "rank 1 ends here without its last line"),
        (_cut_in_a_line, "the line is damaged or cut"),
        (_lose_a_line, "rank 1 has lost lines"),
        (_lack_a_rank, "rank 2 of 4 is missing"),
        (_mix, "are of two runs"),
        (_be_of_the_future, "the schema is onehop.recording/2"),
        (_have_strange_events, "no event of a recording is"),
        (_name_a_site_by_a_list, "no event of a recording is"),
        (_send_in_an_unknown_communicator, "barrier in communicator -1, which no call has made"),
    ],
)
def test_damaged_recordings_are_refused(by_mpich, tmp_path, damage, why):
    folder = shutil.copytree(by_mpich(4, "to_and_fro"), tmp_path / "damaged")
    damage(folder)
    with pytest.raises(FileError, match=why):
        recordings.read(str(folder))


def test_a_replay_says_where_the_time_went(by_mpich, onehop, tmp_path):
    name = str(tmp_path / "record.json")
    words = ("--recording", by_mpich(9, "halo", 3, 3), "--grid", 4, 3, "--json", name)
    ended = onehop("simulate", "infiniband-qdr", "replay", *words)
    assert (ended.status, ended.err) == (0, "")
    assert "from MPI_Init to MPI_Finalize" in ended.out
    record = json.loads(Path(name).read_text())
    assert (record["recorded_ranks"], len(record["ranks"])) == (9, 12)
    computing = sum(one["computing_us"] for one in record["ranks"]) / 12
    assert record["communication_share"] == pytest.approx(1 - computing / record["total_us"])
    assert 0 < record["communication_share"] < 1


def test_a_recording_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(FileError, match="No such file"):
        recordings.read(str(tmp_path / "recording"))
    with pytest.raises(FileError, match="there is no recording in it"):
        recordings.read(str(tmp_path))


def test_a_replay_needs_a_recording(refused):
    assert "needs --recording FILE" in refused("simulate", "qpace", "replay")
    assert "add --mpi" in refused("run", "-n", "1", "--record", "x", "--", "true")
