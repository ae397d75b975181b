"""Reads recordings, which libonehop_recorder.so writes for MPI programs, and the ranks of a virtual
machine for programs that join by onehop itself.

A recording is one file of JSON lines for each rank in a folder, or all of them one after the other
in one file. docs/reference/recording.md describes the lines.
"""

import collections
import dataclasses
import itertools
import json
import re
import statistics
from collections.abc import Iterator
from pathlib import Path

from onehop._core import FileError, UsageError
from onehop.counted import counted

SCHEMA = "onehop.recording/1"

_BLOCKING = {
    "barrier": "i",
    "bcast": "iii",
    "reduce": "iiii",
    **dict.fromkeys(("allreduce", "scan", "exscan", "reduce_scatter_block"), "iii"),
    "reduce_scatter": "ili",
    **dict.fromkeys(("gather", "scatter"), "iii"),
    **dict.fromkeys(("allgather", "alltoall"), "ii"),
    **dict.fromkeys(("gatherv", "scatterv"), "iili"),
    "allgatherv": "ili",
    "alltoallv": "ill",
}
COLLECTIVES = {**_BLOCKING, **{f"i{name}": f"{shape}i" for name, shape in _BLOCKING.items()}}
# These have a request, the last of their numbers.
BEGUN = ("isend", "issend", "irecv", "send_init", "ssend_init", "recv_init")
COMMUNICATORS = {
    "dup": "iii",
    "split": "iiiii",
    "create": "iiil",
    "create_group": "iiiil",
    "cart": "iiill",
    "cart_sub": "iiil",
}
_WITHOUT_COMMUNICATOR = ("start", "wait", "free", "end", "call")
_WORLD, _SELF, _NO_COMMUNICATOR = 0, 1, -1
_LONGEST_NS = 10**15  # eleven days; virtual time counts picoseconds in 64 bits
# What follows the kind, the site and the nanoseconds of computing: i a number, l a list of numbers.
_MESSAGES = {
    **dict.fromkeys(("send", "ssend", "bsend", "recv"), "iiii"),
    **dict.fromkeys(BEGUN, "iiiii"),
    "sendrecv": "iiiiiii",
}
SHAPES = {
    **_MESSAGES,
    "probe": "iii",
    "start": "l",
    "wait": "l",
    "free": "i",
    **COLLECTIVES,
    **COMMUNICATORS,
    "comm_free": "i",
    "end": "",
    # A program without MPI has these alone; it can compute as recorded, and cannot be replayed.
    "call": "",
}


@dataclasses.dataclass
class RankRecording:
    """What one rank called: `events` are lists of a kind, a site, nanoseconds of computing before
    it, and the numbers that SHAPES describes. `mpi` is empty for a program without, `program` is a
    digest of its code where onehop run has written it. `sites` names
    the sites, `matched` the sources and tags of receives that did not name them, by the number of
    the event that waited for them and the request's."""

    run: str
    rank: int
    ranks: int
    mpi: str
    events: list[list] = dataclasses.field(default_factory=list)
    sites: dict[int, str] = dataclasses.field(default_factory=dict)
    matched: dict[tuple[int, int], tuple[int, int]] = dataclasses.field(default_factory=dict)
    program: str = ""


def read(name: str) -> list[RankRecording]:
    """Returns the recordings of all ranks of a run, in order.

    Raises FileError for a file that is damaged, cut or of two runs, UsageError for a program that
    cannot be replayed.
    """
    found: list[RankRecording] = []
    for path in _files(name):
        found += _Reader(path).ranks()
    if not found:
        raise FileError(f"{name}: there is no recording in it; make one with onehop run --record")
    _check_together(name, found)
    return sorted(found, key=lambda one: one.rank)


def require_mpi(name: str, recording: list[RankRecording]) -> None:
    """Raises UsageError for a recording of a program that joins by onehop itself."""
    if not recording[0].mpi:
        raise UsageError(
            f"{name} is a recording of a program without MPI, which cannot be replayed; run the "
            "program itself with --compute recorded"
        )


def join(folder: Path, ranks: int, into: Path, program: str) -> None:
    """Writes the files of all ranks one after the other, with the digest of their `program`. Raises
    UsageError if there are none, FileError if a rank's is not there or is cut."""
    parts = _files(str(folder))
    if not parts:
        raise UsageError(
            "--record: the program has ended without calling MPI_Init or joining a job, so that "
            "there is nothing to record"
        )
    for rank in range(ranks):
        _check_ended(folder / f"rank-{rank:06}.jsonl", rank)
    with into.open("wb") as file:
        for path in parts:
            head, _, rest = path.read_bytes().partition(b"\n")
            file.write(json.dumps({**json.loads(head), "program": program}).encode() + b"\n" + rest)


def _check_ended(part: Path, rank: int) -> None:
    lines = part.read_bytes().splitlines() if part.exists() else []
    try:
        ended = "lines" in json.loads(lines[-1])
    except (IndexError, TypeError, ValueError):
        ended = False
    if not ended:
        raise FileError(
            f"--record: the recording of rank {rank} is cut, since the program has not reached "
            "MPI_Finalize or left its job, or the temporary folder is full; nothing is kept"
        )


def write_computing(recording: list[RankRecording], folder: Path) -> None:
    """Writes for each rank what a program that runs once more is to compute between two calls: the
    nanoseconds and the two sites, with tabs between. Nothing is before the first call."""
    for one in recording:
        lines = [
            f"{time}\t{one.sites.get(before, '')}\t{one.sites.get(after, '')}\n"
            for (before, after), time in medians(one).items()
        ]
        (folder / str(one.rank)).write_text("".join(lines))


def places(one: RankRecording) -> list[tuple[int | None, int]]:
    """Returns for each event the site of the one before and its own."""
    return list(itertools.pairwise([None, *(event[1] for event in one.events)]))


def medians(one: RankRecording) -> dict[tuple[int | None, int], int]:
    """Returns the median computing time between each pair of sites."""
    all_times = collections.defaultdict(list)
    for place, event in zip(places(one), one.events, strict=True):
        all_times[place].append(event[2])
    return {place: round(statistics.median(times)) for place, times in all_times.items()}


def _files(name: str) -> list[Path]:
    path = Path(name)
    return sorted(path.glob("rank-*.jsonl")) if path.is_dir() else [path]


def _check_together(name: str, found: list[RankRecording]) -> None:
    first = found[0]
    for one in found:
        if one.run != first.run:
            raise FileError(
                f"{name}: ranks {first.rank} and {one.rank} are of two runs, {first.run} and "
                f"{one.run}; record into a folder of its own"
            )
    there = {one.rank for one in found}
    missing = next((rank for rank in range(first.ranks) if rank not in there), None)
    if missing is not None:
        raise FileError(f"{name}: rank {missing} of {first.ranks} is missing; record once more")
    if len(found) > first.ranks:
        raise FileError(f"{name}: {len(found)} parts of a run of {counted(first.ranks, 'rank')}")


class _Reader:
    """Reads one file, with one rank after the other."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._number = 0

    def ranks(self) -> Iterator[RankRecording]:
        try:
            with self._path.open(encoding="utf-8") as file:
                self._lines = iter(file)
                while (head := self._next()) is not None:
                    yield self._rank(head)
        except UnicodeDecodeError:
            raise self._damaged("it is not text") from None
        except OSError as error:
            if isinstance(error, FileError):
                raise
            raise FileError(f"cannot read {self._path}: {error.strerror}") from None

    def _damaged(self, why: str) -> FileError:
        where = f"{self._path}, line {self._number}" if self._number else str(self._path)
        return FileError(f"{where}: {why}; record the program once more")

    def _foreign(self) -> FileError:
        return FileError(
            f"{self._path}, line {self._number}: a recording of a program does not begin so; "
            "name a file or a folder of onehop run --record"
        )

    def _next(self) -> object:
        text = next(self._lines, None)
        if text is None:
            return None
        self._number += 1
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            if self._number == 1:
                raise self._foreign() from None
            raise self._damaged("the line is damaged or cut") from None

    def _rank(self, head: object) -> RankRecording:
        wanted = {"schema": str, "run": str, "rank": int, "ranks": int, "mpi": str}
        if not isinstance(head, dict) or "schema" not in head:
            raise self._foreign()
        if head["schema"] != SCHEMA:
            raise self._damaged(f"the schema is {head['schema']}, but only {SCHEMA} can be read")
        if any(not isinstance(head.get(key), kind) for key, kind in wanted.items()) or not (
            0 <= head["rank"] < head["ranks"]
        ):
            raise self._damaged("the line of a rank lacks something or is damaged")
        found = RankRecording(*(head[key] for key in wanted if key != "schema"))
        found.program = str(head.get("program", ""))
        begun = self._number
        self._communicators = {_WORLD, _SELF}
        self._requests: dict[int, bool] = {}
        self._place = found.rank, found.ranks
        self._unknown: FileError | None = None
        while isinstance(line := self._next(), list):
            self._take(found, line)
        if not isinstance(line, dict) or "lines" not in line:
            raise self._damaged(
                f"rank {found.rank} ends here without its last line: the program has not reached "
                "MPI_Finalize or left its job, or the file was cut"
            )
        if line["lines"] != self._number - begun - 1:
            raise self._damaged(f"rank {found.rank} has lost lines")
        self._refuse_missed(found, line.get("missed"))
        # A call that could not be recorded may have begun it.
        if self._unknown is not None:
            raise self._unknown
        return found

    def _take(self, into: RankRecording, line: list) -> None:
        kind, *rest = line or [None]
        if kind == "site" and _has_shape(rest, "is"):
            into.sites[rest[0]] = rest[1]
        elif kind == "matched" and _has_shape(rest, "iii"):
            # It stands before the event that has waited for the message.
            self._check_requests(kind, rest[:1])
            into.matched[len(into.events), rest[0]] = rest[1], rest[2]
        elif isinstance(kind, str) and kind in SHAPES and _has_shape(rest, "ii" + SHAPES[kind]):
            self._check_time(rest[1])
            self._check_size(line)
            self._check_communicator(kind, rest[2:])
            self._check_lists(kind, rest[2:])
            self._keep_request(kind, rest[2:])
            into.events.append(line)
        else:
            raise self._damaged(f"no event of a recording is {json.dumps(line)[:60]}")

    def _check_communicator(self, kind: str, numbers: list) -> None:
        """Refuses one that no event before has made, and keeps those that this one makes."""
        if kind in _WITHOUT_COMMUNICATOR:
            return
        if numbers[0] not in self._communicators:
            raise self._damaged(f"{kind} in communicator {numbers[0]}, which no call has made")
        if kind in COMMUNICATORS:
            self._communicators.add(numbers[1])
        self._communicators.discard(numbers[0] if kind == "comm_free" else _NO_COMMUNICATOR)

    def _check_lists(self, kind: str, numbers: list) -> None:
        """Refuses lists that are shorter or longer than a replay reads; only of the world it is
        known how many ranks there are."""
        lengths = {len(part) for part in numbers if isinstance(part, list)}
        is_wrong = kind == "cart" and len(lengths) > 1
        if kind in COLLECTIVES and numbers[0] == _WORLD:
            rank, ranks = self._place
            # Lists that matter at the root alone are empty elsewhere.
            at_root = kind.removeprefix("i") in ("gatherv", "scatterv")
            is_wrong = lengths != {0 if at_root and numbers[3] != rank else ranks} and bool(lengths)
        if is_wrong:
            raise self._damaged(f"{kind} has a list of the wrong length")

    def _keep_request(self, kind: str, numbers: list) -> None:
        """Keeps the request that an event begins, and forgets those that it ends."""
        if kind in BEGUN or (kind in COLLECTIVES and kind not in _BLOCKING):
            self._requests[numbers[-1]] = kind.endswith("_init")
        elif kind in ("start", "wait", "free"):
            named = numbers[0] if isinstance(numbers[0], list) else numbers
            self._check_requests(kind, named)
            for request in named:
                if kind == "free" or (kind == "wait" and not self._requests.get(request)):
                    self._requests.pop(request, None)

    def _check_requests(self, kind: str, requests: list) -> None:
        for request in requests:
            known = self._requests.get(request)
            if known is None or (kind == "start" and not known):
                self._unknown = self._unknown or self._damaged(
                    f"{kind} of request {request}, which no call has made"
                )

    def _check_time(self, nanoseconds: int) -> None:
        if not 0 <= nanoseconds <= _LONGEST_NS:
            raise self._damaged(f"a program cannot have computed for {str(nanoseconds)[:40]} ns")

    def _check_size(self, event: list) -> None:
        kind, *numbers = event[0], *map(_flat, event[3:])
        # Only the communicator of a collective, and what names the partners of messages, may be
        # negative.
        sizes = numbers[1:] if kind in COLLECTIVES else numbers[3::3] if kind in _MESSAGES else []
        if any(size < 0 for part in sizes for size in part):
            raise self._damaged(f"{kind} has a negative number of bytes or elements")
        numbers = [number for part in numbers for number in part]
        if any(abs(number) >= 2**31 for number in numbers):
            raise UsageError(
                f"{self._path}, line {self._number}: {event[0]} with {max(numbers)} bytes or "
                "elements; less than 2 GiB can be replayed"
            )

    def _refuse_missed(self, found: RankRecording, missed: object) -> None:
        if not isinstance(missed, dict):
            raise self._damaged("the last line of a rank is damaged")
        for function, calls in missed.items():
            raise UsageError(
                f"{self._path}: rank {found.rank} called {function} {calls} times, which is not "
                "recorded, so that the program cannot be replayed; "
                "docs/reference/recording.md says what can"
            )


def _flat(part: int | list[int]) -> list[int]:
    return part if isinstance(part, list) else [part]


def _has_shape(values: list, shape: str) -> bool:
    return len(values) == len(shape) and all(map(_is_of, values, shape))


def _is_of(value: object, kind: str) -> bool:
    """Returns whether this is a number, a list of numbers, or by "s" the name of a site, which is
    written into a line with tabs."""
    if kind == "s":
        return isinstance(value, str) and re.search(r"[\t\n\ud800-\udfff]", value) is None
    if kind == "l":
        return isinstance(value, list) and all(type(one) is int for one in value)
    return type(value) is int
