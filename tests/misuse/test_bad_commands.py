"""Wrong use of generate and run gives one line that says what is wrong, and exit status 2."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys

import pytest
from conftest import ONEHOP

from onehop import UsageError, launch
from onehop.nearest import nearest
from onehop.processes import killed_for_memory


def test_generate_into_no_folder(refused, tmp_path):
    words = ("--lattice", "4x4x4x4", "--beta", "6")
    assert "No such file" in refused("generate", *words, "-o", tmp_path / "no" / "file")


def test_generate_without_beta(refused, tmp_path):
    assert "--beta" in refused("generate", "--lattice", "4x4x4x4", "-o", tmp_path / "file")


def test_continue_without_a_beginning(refused, tmp_path):
    words = ("--lattice", "4x4x4x4", "--beta", "6", "--continue")
    line = refused("generate", *words, "-o", tmp_path / "file")
    assert "cannot continue" in line and line.endswith("leave --continue out to begin a run")


def test_continue_with_another_beta(onehop, refused, tmp_path):
    words = ("generate", "--lattice", "4x4x4x4", "-o", tmp_path / "file", "--sweeps", "1")
    assert onehop(*words, "--beta", "6").status == 0
    line = refused(*words, "--beta", "5.7", "--continue")
    assert "beta 6.0" in line and "5.7" in line
    fewer = refused(*words[:-1], "0", "--beta", "6", "--continue")
    assert "1 sweep done already, --sweeps is 0; give as many --sweeps as" in fewer


def test_names_that_are_no_utf8_are_told_in_one_line(refused):
    name = os.fsdecode(b"conf_\xe9.nersc")
    assert "the name has bytes that are not UTF-8; rename the file" in refused("verify", name)


def test_a_name_that_the_locale_cannot_read_is_not_to_be_changed():
    """Python takes UTF-8 in the locale C, unless it is told not to."""
    words = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    command = [ONEHOP, "verify", "donn\u00e9es.nersc"]
    ended = subprocess.run(command, capture_output=True, text=True, env=os.environ | words)
    assert ended.returncode == 2
    assert "this locale cannot read the name; set LC_ALL to C.UTF-8" in ended.stderr


def test_run_without_a_program(refused):
    assert "program is missing" in refused("run", "-n", "2")


def test_run_without_a_number(refused):
    assert "--ranks" in refused("run", "true")


def test_run_of_no_program(refused):
    assert "cannot start /no/such/program" in refused("run", "-n", "2", "--", "/no/such/program")


def test_a_program_of_this_folder_has_its_path_in_the_hint(refused, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "heat").touch()
    assert "did you mean ./heat?" in refused("run", "-n", "2", "--", "heat")
    assert "give a program's path" in refused("run", "-n", "2", "--", "cold")


def test_np_of_other_launchers_is_told(refused):
    assert "-np is -n here" in refused("run", "-np", "2", "--", "true")


def test_what_cannot_be_started_is_told_with_what_helps(refused, tmp_path):
    script = tmp_path / "program.py"
    script.write_text("print()")
    told = refused("run", "-n", "2", "--", script)
    assert f"Permission denied; name the program that runs it too, as python {script}" in told
    script.chmod(0o755)
    assert "Exec format error; name the program that runs it too" in refused(
        "run", "-n", "2", "--", script
    )


def test_too_few_open_files_are_told_as_such(monkeypatch):
    def fail(*_, **__):
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(launch.subprocess, "Popen", fail)
    with pytest.raises(UsageError, match=r"Too many open files; raise the limit .*\(ulimit -n\)"):
        launch.run_ranks(["/bin/true"], 4)


def test_a_platform_is_no_wire_without_its_word(refused):
    line = refused("run", "-n", "2", "--transport", "qpace", "--", "true")
    assert line.endswith("this wire is not known; did you mean virtual:qpace?")
    line = refused("run", "-n", "2", "--transport", "./mine.toml", "--", "true")
    assert line.endswith("did you mean virtual:./mine.toml?")


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (("tune",), "tune"),
        (("run", "-n", "2", "--transport", "virtual:qpace", "--compute", "recorded"), "run"),
    ],
)
def test_a_home_that_cannot_be_written_is_told_before_anything_is_measured(
    refused, tmp_path, words, command
):
    """A file stands where the cache folder is to be made."""
    home = tmp_path / "file"
    home.touch()
    program = ("--", shutil.which("true")) if command == "run" else ()
    line = refused(*words, *program, HOME=str(home), XDG_CACHE_HOME="")
    variable = {"tune": "ONEHOP_TUNING", "run": "XDG_CACHE_HOME"}[command]
    assert "cannot make the folder" in line and f"name another one by {variable}" in line


def test_a_home_that_cannot_be_read_or_written_is_none(start, tmp_path):
    """Matplotlib too would say that it keeps its fonts elsewhere."""
    home = tmp_path / "file"
    home.touch()
    words = ("--lattice", "4x4x4x4", "--start", "cold", "--mass", "1", "--plot")
    own = {"HOME": str(home), "XDG_CACHE_HOME": "", "XDG_CONFIG_HOME": ""}
    ended = start("solve", *words, tmp_path / "p.png", TMPDIR=str(tmp_path), **own).end()
    assert (ended.status, ended.err) == (0, "")


def test_a_system_without_a_temporary_folder_is_told_what_to_set():
    script = "import tempfile, sys; from onehop.cli import main; "
    script += "tempfile._candidate_tempdir_list = lambda: ['/nowhere']; "
    command = [sys.executable, "-c", script + "sys.exit(main(['selftest']))"]
    ended = subprocess.run(command, capture_output=True, text=True)
    told = "onehop: No usable temporary directory found in ['/nowhere']; "
    assert ended.returncode == 2
    assert ended.stderr == told + "set TMPDIR to a folder that can be written\n"


@pytest.mark.skipif(shutil.which("unshare") is None, reason="no unshare")
def test_shared_memory_that_cannot_be_written_is_found_by_doctor(start):
    prefix = ("unshare", "-rm", "sh", "-c", 'mount -t tmpfs -o ro none /dev/shm && exec "$@"', "sh")
    ended = start("doctor", prefix=prefix).end()
    if "mount" in ended.err or "unshare" in ended.err:
        pytest.skip("no permission to mount another /dev/shm")
    assert ended.status == 1
    assert "problem  shared memory  cannot create shared memory in /dev/shm: Read-only" in ended.out


@pytest.mark.skipif(shutil.which("unshare") is None, reason="no unshare")
@pytest.mark.parametrize(
    ("room", "status", "line"),
    [
        ("64k", 1, "problem  shared memory  no room for "),
        ("64m", 0, "note  shared memory  64.0 MiB free in /dev/shm: enough for small lattices"),
    ],
)
def test_doctor_refuses_shared_memory_only_where_no_job_fits(start, room, status, line):
    mount = f'mount -t tmpfs -o size={room} none /dev/shm && exec "$@"'
    ended = start("doctor", prefix=("unshare", "-rm", "sh", "-c", mount, "sh")).end()
    if "mount" in ended.err or "unshare" in ended.err:
        pytest.skip("no permission to mount another /dev/shm")
    assert ended.status == status
    assert line in ended.out


def test_a_rank_that_the_kernel_ends_for_want_of_memory_is_told_so(monkeypatch, tmp_path):
    counts = iter((4, 5))
    monkeypatch.setattr(launch, "killed_for_memory", lambda: next(counts))
    said = launch.run_ranks(["sh", "-c", "kill -KILL $$"], 1).cause.message
    assert said.startswith(
        "rank 0 was killed by signal 9 (SIGKILL); the kernel has ended a process"
    )
    (tmp_path / "vmstat").write_text("oom_kill_disable 1\noom_kill 7\n")
    assert killed_for_memory(tmp_path / "vmstat") == 7
    assert killed_for_memory(tmp_path / "none") == 0


def test_a_lattice_that_no_memory_holds_is_refused_before_it_is_made(refused):
    line = refused("solve", "--lattice", "2048x2048x2048x2048", "--kappa", "0.12")
    assert line.startswith("the links alone take about 9437184.0 GiB, and this machine has ")


def test_a_file_that_is_no_platform_yet_is_told_where_to_begin(refused, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('name = "mine"\n')
    line = refused("platform", "check", file)
    assert "format: missing; onehop platform new prints a file that has all" in line


def test_a_name_is_near_when_more_than_half_of_it_is_alike():
    """What has less in common misleads."""
    assert nearest("--pion", ["--naik-epsilon", "--mesons"]) == ""
    assert nearest("--plot", ["--platform-set"]) == ""
    assert nearest("--tolerance", ["--tol", "--threads"]) == "; did you mean --tol?"


def test_a_name_that_begins_with_the_word_is_nearer_than_others():
    names = ["wire.rate", "wire.latency"]
    assert nearest("wire.lat", names) == "; did you mean wire.latency?"
    assert nearest("wire.rat", names) == "; did you mean wire.rate?"


def test_words_of_other_programs_are_told_as_they_are_here(refused):
    assert refused("flow") == "unknown command 'flow'; that is measure --flow T here"
    assert refused("bench", "pingpong").endswith("; that is latency here")
    assert refused("solve", "--mpi", "1.1.1.2").endswith("; that is --grid NX NY NZ NT here")
    assert nearest("hmc", ["latency"]) == ""


def test_a_platform_file_of_this_folder_is_in_the_hint(refused, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").touch()
    assert "did you mean mine.toml?" in refused("simulate", "mine", "halo")
