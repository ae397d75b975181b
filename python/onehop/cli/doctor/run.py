"""`onehop doctor` says what onehop can use on this machine, and what to do about the rest."""

import os
import resource
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from onehop import _core
from onehop.cli._shared.option import Options
from onehop.cli._shared.record import deliver
from onehop.counted import in_bytes
from onehop.record import new_record
from onehop.text_table import aligned

# Containers often have 64 MiB of /dev/shm, which the windows of a larger lattice do not fit.
_LITTLE_SHARED = 256 * 2**20
_LEAST_LOCKED = 64 * 2**20


class Finding(NamedTuple):
    """`state` is ok, note (something cannot be used) or problem (no job can do without)."""

    state: str
    what: str
    words: str


def run(options: Options, _arguments: Sequence[str]) -> int:
    found = [*_machine(), *_mpis(), *_cuda()]
    problems = [finding.what for finding in found if finding.state == "problem"]
    record = new_record("doctor", options)
    record["samples"] = [finding._asdict() for finding in found]
    why = f"see {', '.join(problems)}" if problems else "everything that every job needs is there"
    record["check"] = {"passed": not problems, "why": why}
    return deliver(record, options, lambda _: print(aligned(found)))


def _machine() -> Iterator[Finding]:
    facts = _core.inspect_machine()
    yield Finding("ok", "cores", f"{facts.usable_cores} usable, instructions up to {facts.isa}")
    yield Finding("ok", "memory", f"{in_bytes(facts.memory_bytes)} for this job")
    yield _shared_memory(facts.shm_free_bytes, facts.usable_cores)
    locked = resource.getrlimit(resource.RLIMIT_MEMLOCK)[0]
    if locked == resource.RLIM_INFINITY:
        yield Finding("ok", "locked memory", "without a limit")
    else:
        enough = locked >= _LEAST_LOCKED
        advice = "" if enough else ": copies to and from devices are slower; raise ulimit -l"
        words = f"at most {locked / 2**20:.0f} MiB{advice}"
        yield Finding("ok" if enough else "note", "locked memory", words)


def _shared_memory(free: int, cores: int) -> Finding:
    words = f"{in_bytes(free)} free in /dev/shm"
    try:
        os.close(_core.create_segment(max(2, cores)))
    except _core.Error as error:
        return Finding("problem", "shared memory", str(error))
    if free < _LITTLE_SHARED:
        words += ": enough for small lattices; for larger ones, free some or mount it larger"
        return Finding("note", "shared memory", words)
    return Finding("ok", "shared memory", words)


def _mpis() -> Iterator[Finding]:
    mpis = _core.mpi_installations()
    if not mpis:
        yield Finding("note", "MPI", "no MPI module, because onehop was built with ONEHOP_MPI=OFF")
    for mpi in mpis:
        if mpi.problem:
            yield Finding("note", "MPI", f"{mpi.name}: {mpi.problem}")
        else:
            yield Finding("ok", "MPI", f"{mpi.name}, started by {mpi.launcher or 'its mpirun'}")


def _cuda() -> Iterator[Finding]:
    module, driver = _core.inspect_cuda(), _core.inspect_driver()
    if module.runtime:
        yield Finding("ok", "CUDA module", f"built with CUDA {module.runtime}")
    else:
        yield Finding("note", "CUDA module", module.problem)
    if driver.problem:
        yield Finding("note", "CUDA driver", driver.problem)
        return
    yield Finding("ok", "CUDA driver", f"for CUDA up to {driver.version}")
    if driver.kernels_problem:
        words = f"none, {driver.kernels_problem}: the copy engine gathers strided rows instead"
        yield Finding("note", "kernels for puts", words)
    for number, device in enumerate(driver.devices):
        yield from _device(f"device {number}", device, alone=len(driver.devices) == 1)


def _device(name: str, device: _core.DriverDevice, *, alone: bool) -> Iterator[Finding]:
    memory = in_bytes(device.memory_bytes)
    words = (
        f"{device.name}, compute capability {device.major}.{device.minor}, {memory}, {device.bus}"
    )
    yield Finding("ok", name, words)
    if device.peers:
        words = f"reaches the memory of devices {', '.join(map(str, device.peers))}"
        yield Finding("ok", f"{name} peers", words)
    elif not alone:
        words = "reaches the memory of no other device: bytes between devices go through the host"
        yield Finding("note", f"{name} peers", words)
    what = f"{name} stream words"
    if not device.stream_words:
        words = "no stream memory operations: the host waits for exchanges between devices"
        yield Finding("note", what, words)
    else:
        flush = "with" if device.flushes_words else "without"
        words = f"streams write and wait for words, {flush} a flush of remote writes"
        yield Finding("ok", what, words)
