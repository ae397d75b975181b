"""Feeds damaged files to the commands that read them, in one process for many files.

    python tests/fuzz/command_fuzzer.py --seconds 600 --jobs 2

A command may do its work, find that a check failed (exit status 1), or say in one line what is
wrong with the file (2). Anything else is a finding: an internal error, a crash, several lines, more
than 20 s or 4 GiB. Its file is kept in the folder of findings, with the command, and the exit
status is then 1. What ends inside the HDF5 library, which trusts the trees of its files, is counted
apart. reader_fuzzer is faster for files that C++ alone reads.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import io
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from onehop import Eigenvectors, mpi_abi, tuning
from onehop.cli import main
from onehop.netsim import template

SECONDS_OF_A_COMMAND = 20
MEMORY_BYTES = 4 << 30
CASES_OF_A_PROCESS = 50  # what a command leaves in the process cannot add up for longer
# Exit statuses of a process that runs commands; the first is faulthandler's.
TOO_LONG, FOUND = 1, 3

EXTREMES = (
    *("0", "-1", "1", "2147483648", "-9223372036854775809", "1e308", "-1e-320", "1e400", "0.5"),
    *("nan", "inf", "NaN", '""', "[]", "{}", "null", "true", '"\\u0000"', "1_000", "0x10", "'"),
    # More than the largest floating-point number, than int() takes, and than a parser can nest.
    *("1" + 400 * "0", 5000 * "9", 3000 * "["),
)
RECORDING = """\
{"schema": "onehop.recording/1", "run": "seed", "rank": 0, "ranks": 2, "mpi": "an MPI"}
["site", 0, "program+0x10"]
["send", 0, 1000, 0, 1, 7, 64]
["irecv", 0, 10, 0, 1, 7, 64, 1]
["wait", 0, 10, [1]]
["allreduce", 0, 500, 0, 1, 8]
["barrier", 0, 20, 0]
{"lines": 6, "missed": {}}
{"schema": "onehop.recording/1", "run": "seed", "rank": 1, "ranks": 2, "mpi": "an MPI"}
["site", 0, "program+0x10"]
["recv", 0, 900, 0, 0, 7, 64]
["send", 0, 10, 0, 0, 7, 64]
["allreduce", 0, 400, 0, 1, 8]
["barrier", 0, 30, 0]
{"lines": 5, "missed": {}}
"""


COMPUTING = """\
{"schema": "onehop.recording/1", "run": "seed", "rank": 0, "ranks": 1, "mpi": ""}
["site", 0, "program+0x10"]
["call", 0, 1000]
["call", 0, 20]
{"lines": 3, "missed": {}}
"""
GRAPH = """\
host left 2
host right 2  # two on each
left middle
middle right
"""


@dataclass(frozen=True)
class Seed:
    """A whole file, and the commands that read it: FILE is the damaged one, HERE its folder, WHOLE
    the file itself, OUT a name to write to. A command that begins with TUNED finds the file by its
    environment. The files `beside` it are whole: they name it, or are named in it."""

    path: Path
    commands: tuple[str, ...]
    beside: tuple[Path, ...] = ()


def make_seeds(folder: Path) -> list[Seed]:
    def onehop(words: str) -> None:
        arguments = [w.replace("@", f"{folder}/") for w in words.split()]
        done = subprocess.run(
            [sys.executable, "-m", "onehop", *arguments],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            sys.exit(f"command_fuzzer: onehop {' '.join(arguments)}: {done.stderr.strip()}")

    onehop("generate --lattice 2 2 2 4 --beta 6 --sweeps 1 -o @links.nersc")
    onehop("solve @links.nersc --kappa 0.1 --json @solve.json --out @propagator.npy")
    short = "--min-time 0.01 --max-time 0.02 --json"
    onehop(f"bench put --sizes 8:64 {short} @put.json")
    onehop(f"bench halo --against hand --sizes 8:64 {short} @halo.json")
    onehop(f"bench dslash --lattice 2 2 2 4 {short} @dslash.json")
    onehop("scale --lattice 16 16 16 16 --nodes 16:32 --json @scale.json")
    onehop("platform new machine -o @machine.toml")
    installed = Path(sys.modules["onehop"].__file__ or "").parent
    networks = ("tca-peach2", "infiniband-qdr")
    for name in ("apenet-v4", "qpace", "roce-clos", "ha-pacs-tca", *networks):
        shutil.copy(installed / "platforms" / f"{name}.toml", folder)
    shutil.copy(installed / "setups" / "nanet-1.toml", folder)
    onehop("solve @links.nersc --dslash staggered --mass 0.5 --out @staggered.npy")
    numbers = np.random.default_rng(2).normal(size=(2, 4, 2, 2, 2, 4, 3, 3))
    Eigenvectors(np.ones(2), numbers[..., 0, :, 0] + 0j, np.ones(2)).write(folder / "eigen.scidac")
    np.save(folder / "fields.npy", numbers + 0j)
    np.save(folder / "edges.npy", np.random.default_rng(1).integers(0, 64, (200, 2)))
    (folder / "recording.jsonl").write_text(RECORDING)
    (folder / "points.csv").write_text(
        "size_bytes,channels,time_us\n" + "".join(f"{2**k},1,{1 + 2**k / 900}\n" for k in range(20))
    )
    (folder / "history").mkdir()
    onehop("generate --lattice 2 2 2 4 --beta 6 --sweeps 2 -o @history/damaged")
    shutil.copy(mpi_abi.library().with_name("onehop_replay"), folder / "program")
    (folder / "hosts").write_text("1\n2\n")
    (folder / "computing.jsonl").write_text(COMPUTING)
    (folder / "damaged.graph").write_text(GRAPH)
    lines = template.text("graph", "all-to-all")
    for old, new in (
        ('kind = "all-to-all"', 'kind = "graph"\nfile = "damaged.graph"'),
        ("value = [8]", "value = [4]"),
        ("value = 64", "value = 4"),
    ):
        lines = lines.replace(old, new, 1)
    (folder / "graph.toml").write_text(lines)
    for name in ("damaged", "other"):
        shutil.copy(folder / "links.nersc", folder / name)
    onehop("ensemble @damaged @other --to @records --kappa 0.1")
    os.environ["ONEHOP_TUNING"] = str(folder / "tuning.json")
    hop = {"ways": {"3": "order:2x2x2", "6": ""}, "together": 6}
    hops = {f"wilson/{precision}/18/2x2x2x4/1x1x1x1/1": hop for precision in ("single", "double")}
    tuning.save({"channels": "plain", "regime": "near", "blocks": {}, "hops": hops})
    os.environ["ONEHOP_TUNING"] = ""

    converted = ("verify FILE", "verify FILE --against WHOLE", "convert FILE OUT.nersc")
    written = tuple(f"convert FILE OUT.{s}" for s in ("h5", "ildg", "scidac", "openqcd", "milc"))
    links = (*converted, *written, "info FILE", "measure FILE", "measure FILE --hdf5 OUT.h5")
    fields = ("verify FILE", "verify FILE --against WHOLE", "convert FILE OUT.npy")
    propagators = (*fields, "convert FILE OUT.scidac", "convert FILE OUT.h5", "info FILE")
    free = " --allow-non-unitary"
    several = (f"verify FILE{free}", f"convert FILE OUT.h5{free}", "info FILE")
    staggered = (*fields[:2], "convert FILE OUT.scidac", "convert FILE OUT.h5", "info FILE")
    virtual = "--transport virtual:tca-peach2"
    besides = tuple(folder / f"{name}.toml" for name in networks)
    graph = folder / "graph.toml"
    joins = f"{sys.executable} {folder}/joins.py"
    (folder / "joins.py").write_text("import onehop\nonehop.barrier(onehop.join())\n")
    machine = ("platform check FILE", "platform show FILE", "simulate FILE halo --nodes 2 2 1")
    drawn = ("platform show FILE --plot OUT.svg", "simulate FILE halo --trace OUT.json")
    seeds = [
        Seed(folder / "solve.json", (*fields, "convert FILE OUT.txt", "report FILE -o OUT.html")),
        Seed(folder / "put.json", ("compare WHOLE FILE", "fit FILE", "report FILE -o OUT.html")),
        Seed(folder / "halo.json", ("compare WHOLE FILE", "fit FILE", "report FILE -o OUT.html")),
        Seed(folder / "dslash.json", ("report FILE -o OUT.html",)),
        Seed(
            folder / "history" / "damaged.json",
            ("generate --lattice 2 2 2 4 --beta 6 --sweeps 3 --continue -o HERE/damaged",),
            (folder / "history" / "damaged",),
        ),
        Seed(folder / "program", ("info --mpi FILE",)),
        Seed(folder / "ha-pacs-tca.toml", machine[:2], besides),
        Seed(
            folder / "records" / "damaged.json",
            (f"ensemble {folder}/damaged {folder}/other --to HERE --kappa 0.1",),
        ),
        Seed(folder / "scale.json", ("report FILE -o OUT.html",)),
        Seed(folder / "points.csv", ("fit FILE", "fit FILE --model hockney -o OUT.toml")),
        Seed(folder / "recording.jsonl", ("simulate ndr-h200 replay --recording FILE",)),
        Seed(folder / "edges.npy", ("app graph-search --edges FILE --roots 2",)),
        Seed(folder / "nanet-1.toml", ("app event-stream --setup FILE --seconds 0.01",)),
        Seed(
            folder / "tuning.json",
            (
                "TUNED info",
                f"TUNED solve {folder}/links.nersc --kappa 0.1 --tol 1e-2",
                f"TUNED solve {folder}/links.nersc --kappa 0.1 --tol 1e-2 --ranks 2",
            ),
        ),
        Seed(
            folder / "hosts",
            (
                "simulate tca-peach2 halo --nodes 2 1 1 --hosts file:FILE",
                f"run -n 2 {virtual} --hosts file:FILE -- true",
            ),
        ),
        Seed(
            folder / "computing.jsonl",
            (f"run -n 1 {virtual} --compute recorded --recording FILE -- {joins}",),
        ),
        Seed(folder / "damaged.graph", ("simulate HERE/graph.toml halo",), (graph,)),
        Seed(
            folder / "roce-clos.toml",
            (
                "platform check FILE",
                "simulate FILE halo",
                "simulate FILE traffic --load 0.9 --window 20 --warm-up 10",
            ),
        ),
        *(
            Seed(folder / name, machine + drawn)
            for name in ("machine.toml", "apenet-v4.toml", "infiniband-qdr.toml", "qpace.toml")
        ),
    ]
    for suffix, commands in (
        *((name, links) for name in ("scidac", "ildg", "openqcd", "milc")),
        *((name, converted) for name in ("h5", "npy")),
    ):
        onehop(f"convert @links.nersc @links.{suffix}")
        seeds.append(Seed(folder / f"links.{suffix}", commands))
    for name in ("propagator.scidac", "propagator.h5"):
        onehop(f"convert @propagator.npy @{name}")
        seeds.append(Seed(folder / name, propagators))
    seeds.append(Seed(folder / "propagator.npy", propagators[:-1]))
    seeds.append(Seed(folder / "fields.npy", several[:-1]))
    for name in ("staggered", "eigen"):
        for suffix in ("scidac", "h5"):
            onehop(
                f"convert @{name}.{'npy' if name == 'staggered' else 'scidac'} @{name}-new.{suffix}"
            )
            seeds.append(Seed(folder / f"{name}-new.{suffix}", staggered))
    for suffix in ("scidac", "h5"):
        onehop(f"convert @fields.npy @fields.{suffix}{free}")
        seeds.append(Seed(folder / f"fields.{suffix}", several))
    for name in ("correlator.h5", "correlator.txt"):
        onehop(f"convert @solve.json @{name}")
        seeds.append(Seed(folder / name, fields))
    return seeds


class Mutator:
    """Damages files as disks and editors do, and puts extreme values in the place of numbers."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def __call__(self, whole: bytes) -> bytes:
        damaged = bytearray(whole)
        for _ in range(self.random.randint(1, 3)):
            self._damage(damaged)
        return bytes(damaged)

    def _place(self, size: int) -> int:
        # Headers and trailers are small beside the data.
        kind = self.random.randrange(4)
        if kind == 0:
            return max(0, size - self.random.randrange(400))
        return self.random.randrange(size + 1 if kind == 1 else min(size, 2000) + 1)

    def _damage(self, data: bytearray) -> None:
        at = self._place(len(data))
        length = self.random.randrange(24)
        kind = self.random.randrange(9)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << self.random.randrange(8)
        elif kind == 1:
            del data[at:]
        elif kind == 2:
            del data[at : at + length]
        elif kind == 3:
            data[at:at] = data[at : at + length]
        elif kind == 4:
            data[at : at + length % 9] = self.random.choice((b"\0", b"\xff", b"\x7f")) * (
                length % 9
            )
        elif kind == 5:
            self._move_line(data)
        else:
            self._replace_number(data)

    def _replace_number(self, data: bytearray) -> None:
        numbers = list(re.finditer(rb"-?\d[\d.eE+-]*|\"[^\"\n]{0,40}\"", bytes(data[:20000])))
        if numbers:
            found = self.random.choice(numbers)
            data[found.start() : found.end()] = self.random.choice(EXTREMES).encode()

    def _move_line(self, data: bytearray) -> None:
        lines = bytes(data).split(b"\n")
        if 2 < len(lines) < 5000:
            line = lines.pop(self.random.randrange(len(lines)))
            if self.random.randrange(2):
                lines.insert(self.random.randrange(len(lines)), line)
            data[:] = b"\n".join(lines)


def arguments_of(command: str, seed: Seed, damaged: Path, folder: Path) -> list[str]:
    """Returns the words of a command, whose output is not there yet."""
    for earlier in folder.glob("out*"):
        earlier.unlink()
    tuned = command.startswith("TUNED ")
    os.environ["ONEHOP_TUNING"] = str(damaged) if tuned else ""
    command = command.removeprefix("TUNED ")
    names = {"FILE": str(damaged), "WHOLE": str(seed.path), "OUT": str(folder / "out")}
    names["HERE"] = str(damaged.parent)
    return [re.sub("|".join(names), lambda name: names[name[0]], w) for w in command.split()]


def check_seeds(seeds: list[Seed], folder: Path) -> None:
    """Ends the program where a command refuses a whole file: damaged ones would not come far."""
    for seed in seeds:
        for command in seed.commands:
            words = arguments_of(command, seed, seed.path, folder)
            with (
                contextlib.redirect_stdout(io.StringIO()),
                contextlib.redirect_stderr(io.StringIO()),
            ):
                status = main(words)
            if status not in (0, 1):
                sys.exit(f"command_fuzzer: onehop {' '.join(words)} refuses a whole file")


def what_is_wrong(status: int, said: str) -> str | None:
    """Returns why this is no way for a command to end, or None."""
    lines = [line for line in said.splitlines() if line and "warning: " not in line]
    if "internal error" in said:
        return "an internal error"
    if status not in (0, 1, 2):
        return f"exit status {status}"
    if status == 2 and len(lines) != 1:
        return f"{len(lines)} lines for an error"
    return None


class Child:
    """Runs commands on damaged files, each file written beside its command before it is read."""

    def __init__(self, folder: Path, seeds: list[Seed], seed: int) -> None:
        self.folder, self.seeds = folder, seeds
        self.mutator = Mutator(seed)
        self.random = random.Random(seed)

    def run(self, cases: int, until: float) -> int:
        """Returns how many were run; a finding ends the process."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        said = os.open(self.folder / "said", os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        os.dup2(said, 2)
        faulthandler.enable(file=2)  # what is written last tells where a command crashed or hung
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
        for case in range(cases):
            if time.monotonic() > until:
                return case
            os.ftruncate(2, 0)
            os.lseek(2, 0, os.SEEK_SET)
            faulthandler.dump_traceback_later(SECONDS_OF_A_COMMAND, exit=True)
            status = main(self._next())
            faulthandler.cancel_dump_traceback_later()
            wrong = what_is_wrong(status, (self.folder / "said").read_text(errors="replace"))
            if wrong:
                (self.folder / "wrong").write_text(wrong)
                os._exit(FOUND)
        return cases

    def _next(self) -> list[str]:
        seed = self.random.choice(self.seeds)
        damaged = self.folder / f"damaged{seed.path.suffix}"
        damaged.write_bytes(self.mutator(seed.path.read_bytes()))
        for file in seed.beside:
            shutil.copy(file, self.folder)
        command = arguments_of(self.random.choice(seed.commands), seed, damaged, self.folder)
        (self.folder / "command").write_text(json.dumps([*command, str(damaged)]))
        return command


def run_child(folder: Path, seeds: list[Seed], seed: int, until: float) -> int:
    """Returns the wait status of a process that ran some cases, and leaves its count."""
    child = os.fork()
    if child == 0:
        try:
            done = Child(folder, seeds, seed).run(CASES_OF_A_PROCESS, until)
            (folder / "count").write_text(str(done))
        except BaseException as error:
            (folder / "wrong").write_text(f"{type(error).__name__} left the command: {error}")
            os._exit(FOUND)
        os._exit(0)
    return os.waitpid(child, 0)[1]


def keep(folder: Path, findings: Path, seed: int, status: int) -> None:
    *command, damaged = json.loads((folder / "command").read_text())
    if os.WIFSIGNALED(status):
        wrong = f"signal {os.WTERMSIG(status)}"
    elif os.WEXITSTATUS(status) == TOO_LONG:
        wrong = f"more than {SECONDS_OF_A_COMMAND} s"
    else:
        wrong = (folder / "wrong").read_text()
    findings.mkdir(parents=True, exist_ok=True)
    kept = findings / f"{seed}{Path(damaged).suffix}"
    shutil.copy(damaged, kept)
    words = " ".join(str(kept) if word == damaged else word for word in command)
    said = (folder / "said").read_text(errors="replace").strip()
    print(f"{wrong}: onehop {words}\n    {said}", flush=True)


def died_in_hdf5(folder: Path, status: int) -> bool:
    frames = [line for line in (folder / "said").read_text().splitlines() if "  File " in line]
    ended_by_itself = os.WIFEXITED(status) and os.WEXITSTATUS(status) == FOUND
    return not ended_by_itself and bool(frames) and "h5py" in frames[0]


def work(seeds: list[Seed], findings: Path, first: int, step: int, until: float) -> list[int]:
    """Returns how many commands were run, how many findings there are, and how many processes
    died in the HDF5 library."""
    ran = found = hdf5 = 0
    seed = first
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        while time.monotonic() < until:
            status = run_child(folder, seeds, seed, until)
            if status == 0:
                ran += int((folder / "count").read_text())
            elif died_in_hdf5(folder, status):
                hdf5 += 1
            else:
                found += 1
                keep(folder, findings, seed, status)
            seed += step
    return [ran, found, hdf5]


def run() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--findings", type=Path, default=Path("build/fuzz/findings"))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        seeds = make_seeds(Path(name))
        check_seeds(seeds, Path(name))
        until = time.monotonic() + given.seconds
        ends = []
        for job in range(given.jobs):
            read_end, write_end = os.pipe()
            if os.fork() == 0:
                os.close(read_end)
                counts = work(seeds, given.findings, given.seed + job, given.jobs, until)
                os.write(write_end, json.dumps(counts).encode())
                os._exit(0)
            os.close(write_end)
            ends.append(read_end)
        counts = [json.loads(os.read(end, 100) or b"[0, 1, 0]") for end in ends]
        for _ in ends:
            os.wait()
    ran, found, hdf5 = (sum(column) for column in zip(*counts, strict=True))
    print(f"{ran} commands on damaged files, {found} findings, {hdf5} ends inside the HDF5 library")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(run())
