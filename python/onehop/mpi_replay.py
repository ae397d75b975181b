"""Turns a recording into instructions for onehop_replay, and runs them on a virtual machine."""

from __future__ import annotations

import dataclasses
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from onehop import launch, mpi_abi
from onehop.recordings import COLLECTIVES, RankRecording, medians, places

if TYPE_CHECKING:
    from onehop.virtual import Conductor

_ANY_SOURCE, _ANY_TAG = -1, -2


@dataclasses.dataclass(frozen=True)
class RankTimes:
    """Nanoseconds of a rank: from MPI_Init to MPI_Finalize, and what of it it has computed, or
    spent in messages, in collectives and in making communicators."""

    begin: int
    end: int
    computing: int
    messages: int
    collectives: int
    communicators: int


@dataclasses.dataclass
class Script:
    """What a rank does in a replay: `events` as in a recording, with one computing time for all
    that lie between the same two call sites, and receives that name sources and tags."""

    ranks: int
    events: list[list]

    @property
    def computing(self) -> int:
        """Nanoseconds of computing."""
        return sum(event[2] for event in self.events)

    def orders(self, scale: float) -> str:
        """Returns what onehop_replay reads: the bytes of the largest buffer, and a line for each
        event, with computing times multiplied by `scale`."""
        lines = []
        for kind, _, before, *numbers in self.events:
            words = [kind, round(before * scale)]
            for number in numbers:
                words += [len(number), *number] if isinstance(number, list) else [number]
            lines.append(" ".join(map(str, words)))
        return "\n".join([str(self._room()), *lines, ""])

    def _room(self) -> int:
        """Returns bytes that are enough for every buffer."""
        return max(
            (_bytes_of(kind, numbers, self.ranks) for kind, _, _, *numbers in self.events),
            default=0,
        )


def _bytes_of(kind: str, numbers: list, ranks: int) -> int:
    """Returns the bytes of an event's largest buffer, in a replay where all parts of a list lie at
    the same place."""
    match kind.removeprefix("i") if kind in COLLECTIVES else kind:
        case "send" | "ssend" | "bsend" | "recv":
            return numbers[3]
        case "isend" | "issend" | "irecv" | "send_init" | "ssend_init" | "recv_init":
            return numbers[3]
        case "sendrecv":
            return max(numbers[3], numbers[6])
        case "bcast":
            return numbers[1]
        case "reduce" | "allreduce" | "scan" | "exscan":
            return numbers[1] * numbers[2]
        case "reduce_scatter_block":
            return numbers[1] * numbers[2] * ranks
        case "reduce_scatter":
            return sum(numbers[1])
        case "gather" | "scatter" | "allgather" | "alltoall":
            return numbers[1] * ranks
        case "gatherv" | "scatterv":
            return max([numbers[1], *numbers[2]])
        case "allgatherv":
            return max([numbers[2], *numbers[1]])
        case "alltoallv":
            return max([0, *numbers[1], *numbers[2]])
        case _:
            return 0


def script(one: RankRecording) -> Script:
    """Returns what a rank does, with the medians of its computing times."""
    return Script(one.ranks, _named(one, _with_medians(one)))


def _with_medians(one: RankRecording) -> list[list]:
    times = medians(one)
    return [
        [event[0], event[1], times[place], *event[3:]]
        for place, event in zip(places(one), one.events, strict=True)
    ]


def _named(one: RankRecording, events: list[list]) -> list[list]:
    """Returns the events with the sources and tags that messages had where receives left them
    open. Persistent receives of that kind become receives of their own."""
    found: list[list] = []
    begun: dict[int, list] = {}
    persistent: dict[int, list] = {}
    for number, event in enumerate(events):
        kind, last = event[0], event[-1]
        if kind == "irecv":
            begun[last] = event
        elif kind == "recv_init" and (event[4] == _ANY_SOURCE or event[5] == _ANY_TAG):
            persistent[last] = event
            event = ["start", *event[1:3], []]
        elif kind == "free" and last in persistent:
            del persistent[last]
            event = ["start", *event[1:3], []]
        elif kind == "start" and not persistent.keys().isdisjoint(last):
            found += _started(event, persistent, begun)
            continue
        elif kind == "wait":
            for request in last:
                if (number, request) in one.matched:
                    begun[request][4:6] = one.matched[number, request]
        found.append(event)
    return found


def _started(event: list, persistent: dict[int, list], begun: dict[int, list]) -> list[list]:
    """Returns an event for each request that one event has started."""
    found = []
    before = event[2]
    for request in event[3]:
        if request in persistent:
            one = ["irecv", event[1], before, *persistent[request][3:]]
            begun[request] = one
        else:
            one = ["start", event[1], before, [request]]
        before = 0
        found.append(one)
    return found


def run(
    scripts: list[Script], scale: float, conductor: Conductor
) -> tuple[launch.Outcome, list[RankTimes]]:
    """Replays a rank for each of these scripts, whose computing times are multiplied by `scale`;
    returns times where no rank has failed."""
    program = mpi_abi.library().with_name("onehop_replay")
    with tempfile.TemporaryDirectory(prefix="onehop-replay-") as folder:
        for rank, one in enumerate(scripts):
            (Path(folder) / f"{rank}.orders").write_text(one.orders(scale))
        outcome = launch.run_ranks(
            [str(program), folder],
            len(scripts),
            conductor=conductor,
            variables=mpi_abi.environment(),
        )
        if outcome.cause is not None or outcome.interrupted:
            return outcome, []
        times = [
            RankTimes(*map(int, (Path(folder) / f"{rank}.times").read_text().split()))
            for rank in range(len(scripts))
        ]
    return outcome, times
