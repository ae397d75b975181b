"""Runs the installed `onehop` as a user does, and sees whether it leaves anything behind."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest
from support.command_server import CommandServer

ONEHOP = str(Path(sys.executable).with_name("onehop"))
# Scripts that tests run must call the same onehop.
SEARCH_PATH = f"{Path(ONEHOP).parent}:{os.environ.get('PATH', os.defpath)}"
ROOT = Path(__file__).resolve().parent.parent
MARK = "SEEN_BY_TESTS"


def pytest_addoption(parser):
    parser.addoption(
        "--all-figures",
        action="store_true",
        help="compute also those published figures whose programs take seconds each",
    )


@dataclasses.dataclass
class Ended:
    status: int
    out: str
    err: str
    seconds: float


class Marked:
    """A command whose processes carry a mark in their environment."""

    def __init__(self, environment: dict[str, str]):
        self.mark = f"{MARK}={uuid.uuid4()}"
        name, _, value = self.mark.partition("=")
        self.begun = time.monotonic()
        self.environment = {**os.environ, "PATH": SEARCH_PATH, name: value, **environment}

    def processes(self) -> list[int]:
        """Returns all living processes of this command."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                state = folder.joinpath("stat").read_text().rpartition(")")[2].split()[0]
                if (
                    state not in "ZX"
                    and self.mark.encode() in folder.joinpath("environ").read_bytes()
                ):
                    found.append(int(folder.name))
            except OSError:
                continue
        return found

    def is_gone_within(self, seconds: float) -> bool:
        limit = time.monotonic() + seconds
        while self.processes():
            if time.monotonic() > limit:
                return False
            time.sleep(0.02)
        return True


class Started(Marked):
    """A command that runs."""

    def __init__(self, words, cwd=None, prefix=(), **environment):
        super().__init__(environment)
        self.process = subprocess.Popen(
            [*prefix, *words],
            cwd=cwd,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # A shell that runs the tests in the background may have them ignore Ctrl-C.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def end(self, timeout=90) -> Ended:
        out, err = self.process.communicate(timeout=timeout)
        return Ended(self.process.returncode, out, err, time.monotonic() - self.begun)

    def ranks(self, count: int, timeout=30) -> list[int]:
        """Returns the processes of all ranks, once they run."""
        limit = time.monotonic() + timeout
        while time.monotonic() < limit:
            found = [pid for pid in self.processes() if pid != self.process.pid]
            if len(found) == count:
                return sorted(found)
            time.sleep(0.02)
        raise AssertionError(f"{count} ranks did not start within {timeout} s")


class Served(Marked):
    """A command that a server has run to its end, but for what it may have left behind."""

    def __init__(self, server, words, cwd=None, **environment):
        super().__init__(environment)
        folder = str(cwd or Path.cwd())
        status, out, err = server.run(list(words), folder, self.environment, timeout=90)
        self.ended = Ended(status, out, err, time.monotonic() - self.begun)


def shared_memory() -> set[Path]:
    """Returns what onehop has named there and no living process has mapped, as those of other tests
    that run at the same time have."""
    named = set(Path("/dev/shm").glob("onehop*"))
    if not named:
        return named
    mapped = set()
    for maps in Path("/proc").glob("[0-9]*/maps"):
        try:
            lines = maps.read_text().splitlines()
        except OSError:
            continue
        mapped |= {Path(line[line.index("/dev/shm/") :]) for line in lines if "/dev/shm/" in line}
    return named - mapped


def nothing_is_left(before: set[Path]) -> bool:
    """Says whether shared memory is as before; others have two seconds to map or remove theirs."""
    limit = time.monotonic() + 2
    while not shared_memory() <= before:
        if time.monotonic() > limit:
            return False
        time.sleep(0.05)
    return True


@pytest.fixture
def commands():
    """The commands of a test, of which nothing may be left at its end."""
    marked: list[Marked] = []
    shared_before = shared_memory()
    yield marked
    assert all(one.is_gone_within(2) for one in marked), "processes are left"
    assert nothing_is_left(shared_before), "something is left in /dev/shm"


@pytest.fixture
def start(commands):
    """Starts `onehop WORDS` as a user does."""
    started = []

    def begin(*words, program=ONEHOP, **options) -> Started:
        started.append(Started([program, *map(str, words)], **options))
        commands.append(started[-1])
        return started[-1]

    yield begin
    for one in started:
        if one.process.poll() is None:
            one.process.kill()
        for pipe in (one.process.stdout, one.process.stderr):
            pipe.close()
        one.process.wait()


@pytest.fixture(scope="session")
def server():
    """Runs commands of onehop without the time that an interpreter takes to read its modules."""
    made = CommandServer()
    yield made
    made.close()


@pytest.fixture
def onehop(start, commands, server):
    """Runs `onehop WORDS` to its end; where an interpreter would begin otherwise, as `start`."""

    def run(*words, program=ONEHOP, prefix=(), **options) -> Ended:
        environment = {name: value for name, value in options.items() if name != "cwd"}
        is_usual = program == ONEHOP and not prefix
        if not is_usual or not server.serves({**os.environ, **environment}):
            return start(*words, program=program, prefix=prefix, **options).end()
        commands.append(Served(server, map(str, words), **options))
        return commands[-1].ended

    return run


@pytest.fixture(scope="session")
def onehop_once(server):
    """Runs `onehop WORDS` for several tests, without a look at what it leaves behind."""
    return lambda *words: Served(server, map(str, words)).ended


@pytest.fixture
def solve(onehop):
    """Returns the record of a solve that must converge."""

    def run(*words) -> dict:
        ended = onehop("solve", *words, "--json", "-")
        assert (ended.status, ended.err) == (0, "")
        return json.loads(ended.out)

    return run


@pytest.fixture
def refused(onehop):
    """Runs a command that must fail with status 2 and one line on stderr; returns the line."""

    def run(*words, **options) -> str:
        ended = onehop(*words, **options)
        lines = ended.err.splitlines()
        assert ended.status == 2, (ended.out, ended.err)
        assert len(lines) == 1 and lines[0].startswith("onehop: "), ended.err
        assert ended.out == ""
        return lines[0].removeprefix("onehop: ")

    return run


@pytest.fixture
def allow_containers(monkeypatch):
    """Open MPI refuses root and more ranks than cores unless told otherwise, as in containers."""
    monkeypatch.setenv("OMPI_ALLOW_RUN_AS_ROOT", "1")
    monkeypatch.setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
    monkeypatch.setenv("OMPI_MCA_rmaps_base_oversubscribe", "1")
    monkeypatch.setenv("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe")


@pytest.fixture(scope="session")
def fake_devices(tmp_path_factory):
    """Gives the environment of a machine with two devices, whose driver is that of the C++
    tests."""
    tests = ROOT / "tests"
    folder = tmp_path_factory.mktemp("driver")
    compiler = os.environ.get("CXX") or shutil.which("g++")
    sources = sorted((tests / "fake_device" / "driver").glob("*.cpp"))
    library = folder / "libcuda.so.1"
    words = ("-std=c++20", "-O1", "-shared", "-fPIC", "-pthread", f"-I{tests}", "-o", library)
    subprocess.run([compiler, *words, *sources], check=True, timeout=60)
    return {"LD_LIBRARY_PATH": str(folder)}


@pytest.fixture(scope="session")
def configurations(tmp_path_factory) -> dict[str, Path]:
    """Makes a small thermalised configuration in both formats that we write."""
    folder = tmp_path_factory.mktemp("configurations")
    common = ["generate", "--lattice", "4x4x4x8", "--beta", "6.0", "--sweeps", "5", "--seed", "3"]
    names = {form: folder / f"gauge.{form}" for form in ("nersc", "ildg")}
    for form, name in names.items():
        subprocess.run([ONEHOP, *common, "--format", form, "-o", name], check=True, timeout=60)
    return names


@pytest.fixture(scope="session")
def data() -> Path:
    """Gives the folder of reference configurations."""
    folder = Path(os.environ.get("ONEHOP_TEST_DATA", ROOT.parent / "shared" / "data"))
    if not (folder / "solve_reference.json").exists():
        pytest.skip(f"no reference configurations in {folder}; set ONEHOP_TEST_DATA")
    return folder
