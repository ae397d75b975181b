"""`onehop run` starts any program as ranks."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys

import pytest

from onehop import launch
from onehop.netsim import load
from onehop.virtual import Conductor


def test_every_rank_knows_its_place(onehop):
    script = "import os, onehop; c = onehop.join(); os.write(1, b'%d/%d\\n' % (c.rank, c.size))"
    ended = onehop("run", "-n", "3", "--", sys.executable, "-c", script)
    assert (ended.status, ended.err) == (0, "")
    assert sorted(ended.out.split()) == ["0/3", "1/3", "2/3"]


def test_options_of_the_program_are_its_own(onehop):
    ended = onehop("run", "-n", "1", "printf", "%s ", "-n", "--help", "--", "-h")
    assert (ended.status, ended.out) == (0, "-n --help -- -h ")


def test_status_of_the_program_is_returned(onehop):
    ended = onehop("run", "-n", "2", "--", "sh", "-c", "echo reason >&2; exit 7")
    assert ended.status == 7
    assert "reason\n" in ended.err


@pytest.mark.parametrize("virtual", [False, True])
@pytest.mark.parametrize("ending", ["failure", "signal"])
def test_no_rank_is_started_once_the_job_is_to_end(monkeypatch, tmp_path, ending, virtual):
    """Starting the others of many ranks would take longer than ending the job."""
    start = launch._Job._start

    def start_and_see_the_end(job, rank):
        started = start(job, rank)
        if rank == 1 and ending == "failure":
            os.waitid(os.P_PID, job.ranks[0].pid, os.WEXITED | os.WNOWAIT)
        elif rank == 1:
            os.kill(os.getpid(), signal.SIGTERM)
        return started

    monkeypatch.setattr(launch._Job, "_start", start_and_see_the_end)
    script = f"touch {tmp_path}/$ONEHOP_RANK; test $ONEHOP_RANK = 0 && exit 3; sleep 60"
    script = script.replace("exit 3", "exit 3" if ending == "failure" else "sleep 60")
    conductor = Conductor(load("qpace"), 8) if virtual else None
    outcome = launch.run_ranks(["sh", "-c", script], 8, conductor=conductor)
    assert len(outcome.processes) == 2
    assert {path.name for path in tmp_path.iterdir()} <= {"0", "1"}
    if ending == "failure":
        assert outcome.cause.message == "rank 0 ended with exit status 3"
    else:
        assert outcome.interrupted == signal.SIGTERM


SEES_THE_END = """
import atexit, os, pathlib

class Seen:
    def __del__(self):
        pathlib.Path(os.environ["SEEN"]).open("a").write("object ")

atexit.register(lambda: pathlib.Path(os.environ["SEEN"]).open("a").write("exit "))
atexit.seen = Seen()
"""


@pytest.mark.parametrize("words", [("true",), ("false",)])
def test_a_launcher_takes_no_interpreter_down(start, tmp_path, words):
    """That takes longer than to end the ranks. What was registered for the exit is still done."""
    (tmp_path / "sitecustomize.py").write_text(SEES_THE_END)
    seen = {"PYTHONPATH": str(tmp_path), "SEEN": str(tmp_path / "seen")}
    ended = start("run", "-n", "2", "--", *words, **seen).end()
    assert ended.status == (0 if words == ("true",) else 1)
    assert (tmp_path / "seen").read_text() == "exit "
    (tmp_path / "seen").unlink()
    assert start("info", **seen).end().status == 0
    assert (tmp_path / "seen").read_text() == "exit object "


@pytest.mark.alone
def test_a_library_that_is_loaded_first_may_have_taken_a_signal(onehop, tmp_path):
    """UCX does so."""
    source, library = tmp_path / "takes.c", tmp_path / "takes.so"
    source.write_text(
        "#include <signal.h>\nstatic void hear(int number) { (void)number; }\n"
        "__attribute__((constructor)) static void take(void) { signal(SIGHUP, hear); }\n"
    )
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True, timeout=60)
    ended = onehop("run", "-n", 1, "--", "true", LD_PRELOAD=str(library))
    assert (ended.status, ended.err) == (0, "")


def test_failing_rank_ends_the_others(onehop):
    script = "test $ONEHOP_RANK = 1 && exit 3; sleep 60"
    ended = onehop("run", "-n", "3", "--", "sh", "-c", script)
    assert ended.status == 3
    assert ended.seconds < 3
    assert ended.err == "onehop: rank 1 ended with exit status 3\n"


def test_signal_is_named_and_gives_status_2(onehop):
    script = "test $ONEHOP_RANK = 2 && kill -SEGV $$; sleep 60"
    ended = onehop("run", "-n", "3", "--", "sh", "-c", script)
    assert ended.status == 2
    assert ended.err == "onehop: rank 2 was killed by signal 11 (SIGSEGV)\n"


@pytest.mark.alone
def test_peers_of_a_python_rank_that_fails_are_not_heard(onehop):
    """The peers wait for it in a barrier; the cause is the rank's own error."""
    script = """
import onehop, sys
context = onehop.join()
if context.rank == 1:
    sys.exit("the disk is full")
onehop.barrier(context)
"""
    ended = onehop("run", "-n", "3", "--", sys.executable, "-c", script)
    assert ended.status == 1
    assert ended.seconds < 3
    assert ended.err.splitlines()[0] == "the disk is full"
    assert ended.err.splitlines()[-1] == "onehop: rank 1 ended with exit status 1"


@pytest.mark.alone
def test_grandchildren_are_ended_too(start):
    script = "sleep 60 & sleep 61 & test $ONEHOP_RANK = 0 && exit 1; wait"
    job = start("run", "-n", "2", "--", "sh", "-c", script)
    assert job.end().status == 1
    assert job.is_gone_within(0.5)


def test_rank_0_reads_the_input(tmp_path):
    import subprocess

    from conftest import ONEHOP

    words = [ONEHOP, "run", "-n", "2", "--", "cat"]
    done = subprocess.run(words, input="line\n", capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stdout) == (0, "line\n")


def test_solve_runs_under_run(onehop, configurations):
    ended = onehop(
        "run", "-n", "2", "--", "onehop", "solve", configurations["nersc"], "--mass", "0.5"
    )
    assert (ended.status, ended.err) == (0, "")
    assert ended.out.count("converged: ") == 1
    assert "on grid 1x1x1x2" in ended.out


def test_error_under_run_is_said_once(onehop):
    ended = onehop("run", "-n", "2", "--", "onehop", "solve", "/no/such", "--mass", "0.5")
    assert ended.status == 2
    assert len(ended.err.splitlines()) == 1 and "/no/such" in ended.err


def test_last_words_that_are_no_text_are_told_all_the_same(onehop):
    """A program in C++ may quote the name of a file, which may have any bytes."""
    words = b'{"rank": 0, "class": "Error", "message": "cannot read conf_\xe9.nersc"}\n'
    script = f"import os; os.write(int(os.environ['ONEHOP_REPORT_FD']), {words!r}); os._exit(2)"
    ended = onehop("run", "-n", 1, "--", sys.executable, "-c", script)
    assert (ended.status, ended.err) == (2, "onehop: cannot read conf_\ufffd.nersc\n")


def test_what_a_program_writes_among_last_words_is_no_report(onehop):
    words = b'garbage\n[1]\n{"rank": 0}\n{"rank": 0, "class": "Error", "message": "all is lost"}\n'
    script = f"import os; os.write(int(os.environ['ONEHOP_REPORT_FD']), {words!r}); os._exit(2)"
    ended = onehop("run", "-n", 1, "--", sys.executable, "-c", script)
    assert (ended.status, ended.err) == (2, "onehop: all is lost\n")


def test_last_words_go_through_the_pipe_whole():
    """Ranks that fail together write to one pipe, which mixes lines above its limit."""
    line = launch._report(1, ValueError("\u00e9" * 5000))
    assert len(line) <= select.PIPE_BUF and line.endswith(b"\n")
    assert set(json.loads(line)["message"]) == {"\u00e9"}


def test_expected_and_real_number_of_ranks_differ(onehop, configurations):
    words = ("onehop", "solve", configurations["nersc"], "--mass", "0.5", "--ranks", "4")
    ended = onehop("run", "-n", "2", "--", *words)
    assert ended.status == 2
    assert "--ranks 4" in ended.err and "2 ranks" in ended.err


def test_programs_decide_about_threads_of_their_numpy(onehop, monkeypatch):
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    script = "import os; print(os.environ.get('OPENBLAS_NUM_THREADS'))"
    assert onehop("run", "-n", "1", "--", sys.executable, "-c", script).out == "None\n"


def test_commands_leave_no_core_to_numpy(monkeypatch):
    """On one core there is none to leave."""
    import subprocess

    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    script = (
        "import os, sys; from onehop.cli import main; main(['measure', 'no_such_file']);"
        "assert 'numpy' in sys.modules; print(len(os.listdir('/proc/self/task')))"
    )
    words = [sys.executable, "-c", script]
    assert (
        subprocess.run(words, capture_output=True, text=True, timeout=30).stdout.split()[-1] == "1"
    )


def test_the_launcher_loads_no_numpy():
    import subprocess

    command = "-X", "importtime", "-m", "onehop", "run", "-n", "1", "--", "true"
    ended = subprocess.run([sys.executable, *command], capture_output=True, text=True, timeout=30)
    assert ended.returncode == 0
    assert "onehop.launch" in ended.stderr and "numpy" not in ended.stderr
