"""Compiles the peers' programs where their library is, starts them and ends them."""

import contextlib
import dataclasses
import hashlib
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from onehop import _bench, _core, output, processes
from onehop.cli._shared.option import Options
from onehop.cli.bench import peers as known
from onehop.cli.bench.peers import Peer

_SOURCES = Path(_core.__file__).parent / "peers"
_FLAGS = ("-std=c++20", "-O3", "-march=native", "-DNDEBUG")
# Libraries that have no compiler of their own: the program, and what it links.
_WITHOUT_MPI = {"ucx": ("ucx", ("-lucp", "-lucs")), "zeromq": ("zmq", ("-lzmq", "-pthread"))}
_START_S = 30.0
# Programs end by themselves within this time, or are told to, or are killed; then their files are
# removed, in as long a time where the cores are busy.
_END_S = 2.0
LONGEST_END_S = 4 * _END_S
# A socket file's name has 107 letters at most, so its folder must be shorter.
_LONGEST_FOLDER = 80


@dataclasses.dataclass(frozen=True)
class Setting:
    """One way to run a peer at its best; which is the best one differs from step to step."""

    suffix: str
    environment: dict[str, str]


@dataclasses.dataclass
class PeerJob:
    name: str
    folder: Path
    processes: list[subprocess.Popen]
    told: Path
    settings: dict[str, str]


def prepare(found: Sequence[Peer]) -> tuple[dict[str, Path], list[str]]:
    """Returns the program of each peer by name, compiled unless it has been, and what went
    wrong."""
    programs, problems = {}, []
    for peer in found:
        program = _place_of(peer)
        if not program.exists():
            print(f"onehop: compiling the steps for {peer.name}", file=sys.stderr, flush=True)
            problem = _compile(peer, program)
            if problem:
                problems.append(f"{peer.name} left out: {problem}")
                continue
        programs[peer.name] = program
    return programs, problems


@contextlib.contextmanager
def connected(
    context: _core.Context, options: Options, cores: Sequence[int]
) -> Iterator[tuple[_bench.BenchPeers, dict]]:
    """Returns the peers that rank 0 has started, reached from all ranks, and what the record says
    of them. Collective."""
    with contextlib.ExitStack() as stack:
        facts = {}
        if context.rank == 0:
            # A rank that died of this signal would leave what the programs have in shared memory.
            signal.signal(signal.SIGTERM, processes.interrupt)
            found = known.find(options.peers)
            jobs, problems = stack.enter_context(running(found, context.size, cores))
            absent = known.missing(found)
            for line in problems:
                print(f"onehop: {line}", file=sys.stderr)
            if absent and options.peers is None:
                fetch = "onehop bench --install-peers fetches what is missing"
                print(f"onehop: not compared with {', '.join(absent)}; {fetch}", file=sys.stderr)
            if not jobs:
                raise _core.UsageError("no peer started; see the lines above")
            facts["peers"] = [{"name": j.name, "environment": j.settings} for j in jobs]
            facts["peers_missing"] = [*problems, *absent]
            facts["places"] = [[j.name, str(j.folder)] for j in jobs]
        facts = json.loads(_core.broadcast_text(context, json.dumps(facts)))
        peers = _bench.BenchPeers(context, facts.pop("places"))
        try:
            yield peers, facts
        finally:
            # The programs end when nobody holds their sockets any more.
            peers.close()


@contextlib.contextmanager
def running(
    found: Sequence[Peer], ranks: int, cores: Sequence[int]
) -> Iterator[tuple[list[PeerJob], list[str]]]:
    """Gives all peers with their settings, started and waiting, and what went wrong; ends them on
    exit."""
    programs, problems = prepare(found)
    crowded = ranks > len(_core.allowed_cores())
    with tempfile.TemporaryDirectory(prefix="onehop-") as folder:
        if len(folder) > _LONGEST_FOLDER:
            raise _core.UsageError(f"the name {folder} is too long for sockets; set TMPDIR=/tmp")
        jobs: list[PeerJob] = []
        try:
            for peer in found:
                if peer.name in programs:
                    for setting in _settings(peer, crowded):
                        place = Path(folder) / str(len(jobs))
                        jobs.append(_start(peer, setting, programs[peer.name], place, ranks, cores))
            ready = [job for job in jobs if _is_ready(job, ranks, problems)]
            yield ready, problems
        finally:
            _end([process for job in jobs for process in job.processes])


def _place_of(peer: Peer) -> Path:
    """Returns a folder that differs with the sources, the library and the processor."""
    key = hashlib.sha256(f"{peer.name} {peer.prefix} {peer.compiler} {_FLAGS}".encode())
    for source in sorted(_SOURCES.rglob("*.?pp")):
        key.update(source.read_bytes())
    with Path("/proc/cpuinfo").open(errors="replace") as facts:
        key.update(next((line for line in facts if line.startswith("flags")), "").encode())
    return output.cache_folder() / "peers" / key.hexdigest()[:20]


def _compile(peer: Peer, program: Path) -> str:
    """Compiles the program; returns what went wrong, in one line, or nothing."""
    kind, linked = _WITHOUT_MPI.get(peer.family, ("mpi", ()))
    compiler, libraries = [str(peer.compiler)], []
    if linked:
        lib = peer.prefix / "lib"
        compiler = [*shlex.split(os.environ.get("CXX", "c++")), f"-I{peer.prefix / 'include'}"]
        libraries = [f"-L{lib}", f"-Wl,-rpath,{lib}", *linked]
    source = _SOURCES / "benchmarks" / "peers" / f"{kind}_peer.cpp"
    command = [*compiler, *_FLAGS, f"-I{_SOURCES}", str(source), *libraries]
    partial = program.with_name(f"{program.name}.{os.getpid()}")
    try:
        output.make_folder_of_user(program.parent)
        done = subprocess.run(
            [*command, "-o", str(partial)],
            env=known.environment(peer.prefix),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode == 0:
            partial.replace(program)
            return ""
    except _core.FileError as error:
        return str(error)
    except OSError as error:
        return f"{error.filename}: {error.strerror}"
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
    lines = done.stderr.splitlines() or [f"{command[0]} gave status {done.returncode}"]
    return next((line for line in lines if "error" in line), lines[0])


def _settings(peer: Peer, crowded: bool) -> list[Setting]:
    if peer.family == "openmpi":
        usual = {
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "PRTE_ALLOW_RUN_AS_ROOT": "1",
            "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
            "OMPI_MCA_hwloc_base_binding_policy": "none",
            "PRTE_MCA_hwloc_default_binding_policy": "none",
            "OMPI_MCA_mpi_yield_when_idle": str(int(crowded)),
        }
        over_ucx = {
            "OMPI_MCA_pml": "ucx",
            "OMPI_MCA_osc": "ucx",
            "OMPI_MCA_opal_common_ucx_tls": "any",
            "OMPI_MCA_opal_common_ucx_devices": "any",
        }
        return [Setting("", usual), Setting(" (ucx)", usual | over_ucx)]
    if peer.family == "mpich":
        yields = {"MPIR_CVAR_POLLS_BEFORE_YIELD": "1", "MPIR_CVAR_ENABLE_HEAVY_YIELD": "1"}
        usual = yields if crowded else {}
        in_node = {"UCX_TLS": "self,posix,cma"}
        return [Setting("", usual), Setting(" (UCX_TLS=self,posix,cma)", usual | in_node)]
    if peer.family == "intel":
        yields = {"I_MPI_THREAD_YIELD": "2", "I_MPI_WAIT_MODE": "1"} if crowded else {}
        providers = str(peer.prefix / "lib")
        usual = {"I_MPI_FABRICS": "shm", "I_MPI_PIN": "0", "FI_PROVIDER_PATH": providers}
        return [Setting("", usual | yields)]
    if peer.family == "zeromq":
        return [Setting("", {})]
    return [Setting("", {"UCX_TLS": "posix,sysv,cma,self", "UCX_WARN_UNUSED_ENV_VARS": "n"})]


def _start(
    peer: Peer, setting: Setting, program: Path, folder: Path, ranks: int, cores: Sequence[int]
) -> PeerJob:
    folder.mkdir()
    told = folder / "told"
    words = (str(program), str(folder), ",".join(map(str, cores)))
    if peer.family == "ucx":
        commands = [(*words, str(rank), str(ranks)) for rank in range(ranks)]
    elif peer.family == "zeromq":
        # Its ranks are the threads of one process.
        commands = [(*words, str(ranks))]
    else:
        commands = [(str(peer.launcher), "-n", str(ranks), *words)]
    with told.open("w") as output:
        started = [
            subprocess.Popen(
                command,
                env=known.environment(peer.prefix) | setting.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                preexec_fn=processes.tie_to_launcher(os.getpid()),
            )
            for command in commands
        ]
    return PeerJob(peer.name + setting.suffix, folder, started, told, setting.environment)


def _is_ready(job: PeerJob, ranks: int, problems: list[str]) -> bool:
    end = time.monotonic() + _START_S
    while time.monotonic() < end:
        if all((job.folder / str(rank)).is_socket() for rank in range(ranks)):
            return True
        if any(process.poll() is not None for process in job.processes):
            break
        time.sleep(0.01)
    words = [line for line in job.told.read_text(errors="replace").splitlines() if line.strip()]
    problems.append(f"{job.name} left out: it did not start: {words[0] if words else 'no word'}")
    return False


def _end(started: Sequence[subprocess.Popen]) -> None:
    """Waits for the programs, which end by themselves and clean up once nobody holds their
    sockets."""
    for number in (None, signal.SIGTERM, signal.SIGKILL):
        for process in started if number else ():
            processes.signal_group(process.pid, number)
        limit = time.monotonic() + _END_S
        for process in started:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=max(0.0, limit - time.monotonic()))
        started = [process for process in started if process.returncode is None]
