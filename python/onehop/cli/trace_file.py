"""The timeline of a job in the Chrome trace format, which Perfetto reads."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from onehop._core import barrier
from onehop.cli import output

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from onehop._core import Context

    # As Context.trace_events gives them: name, begin_ns, end_ns, exchange, peer, chain, arrival.
    Event = tuple[str, int, int, int, int, int, int]


def write_trace(context: Context, name: str) -> None:
    """Writes what all ranks have done since their start_trace to the file `name`; collective.

    Every rank is one track, and an arrow leads from each put to its arrival.
    """
    write_events(context, name, context.trace_events(), context.trace_dropped)


def write_events(context: Context, name: str, events: Iterable[Event], dropped: int) -> None:
    """As write_trace, for events of this rank and how many more there were; collective.

    The ranks append in turn, so that no rank has to hold the events of another.
    """
    with output.complete_together(context, name) as temporary:
        for rank in range(context.size):
            if rank == context.rank:
                with temporary.open("a" if rank else "w") as file:
                    file.write(",\n" if rank else '{"displayTimeUnit": "ns", "traceEvents": [\n')
                    file.write(",\n".join(map(json.dumps, _records(context.rank, events))))
                    file.write("\n]}\n" if rank == context.size - 1 else "")
            barrier(context)
    if dropped:
        print(
            f"onehop: warning: rank {context.rank} had no room for {dropped} events in {name}, "
            "so that some arrows have one end only; trace less",
            file=sys.stderr,
        )


def _records(rank: int, events: Iterable[Event]) -> Iterator[dict]:
    track = {"pid": 0, "tid": rank}
    yield {"ph": "M", "name": "process_name", "pid": 0, "args": {"name": "onehop"}}
    yield {"ph": "M", "name": "thread_name", **track, "args": {"name": f"rank {rank}"}}
    # Recorded at their ends; what contains another comes before it.
    for name, begin_ns, end_ns, exchange, peer, chain, arrival in sorted(
        map(_with_length, events), key=lambda event: (event[1], -event[2])
    ):
        at = {"ts": begin_ns / 1000, **track}
        is_put = name == "put"
        if not is_put:
            args = {"exchange": exchange} if exchange else {}
            args |= {"from_rank": peer} if peer >= 0 else {}
            yield {"name": name, "ph": "X", "dur": (end_ns - begin_ns) / 1000, **at, "args": args}
        if arrival >= 0:
            # An arrow begins in the slice of the start and ends in that of the arrival.
            target = peer if is_put else rank
            arrow = {"name": "put", "cat": "put", "id": f"{chain}.{exchange}.{target}.{arrival}"}
            yield {**arrow, **({"ph": "s"} if is_put else {"ph": "f", "bp": "e"}), **at}


def _with_length(event: Event) -> Event:
    """Arrows hang on what lasts; in virtual time many a slice takes none."""
    name, begin_ns, end_ns, *rest = event
    return (name, begin_ns, end_ns if name == "put" else max(end_ns, begin_ns + 1), *rest)
