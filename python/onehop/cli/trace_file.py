"""The timeline of a job in the Chrome trace format, which Perfetto reads."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from onehop._core import barrier
from onehop.cli import output

if TYPE_CHECKING:
    from collections.abc import Iterator

    from onehop._core import Context


def write_trace(context: Context, name: str) -> None:
    """Every rank is one track; collective.

    The ranks append in turn, so that no rank has to hold the events of another.
    """
    with output.complete_together(context, name) as temporary:
        for rank in range(context.size):
            if rank == context.rank:
                with temporary.open("a" if rank else "w") as file:
                    file.write(",\n" if rank else '{"displayTimeUnit": "ns", "traceEvents": [\n')
                    file.write(",\n".join(json.dumps(event) for event in _events(context)))
                    file.write("\n]}\n" if rank == context.size - 1 else "")
            barrier(context)
    if context.trace_dropped:
        print(
            f"onehop: warning: rank {context.rank} had no room for {context.trace_dropped} events "
            f"in {name}; trace a shorter solve",
            file=sys.stderr,
        )


def _events(context: Context) -> Iterator[dict]:
    track = {"pid": 0, "tid": context.rank}
    yield {"ph": "M", "name": "process_name", "pid": 0, "args": {"name": "onehop"}}
    yield {"ph": "M", "name": "thread_name", **track, "args": {"name": f"rank {context.rank}"}}
    for name, begin_ns, end_ns, exchange, peer in context.trace_events():
        args = {"exchange": exchange} if exchange else {}
        if peer >= 0:
            args["from_rank"] = peer
        moment = name == "arrival"
        kind = {"ph": "i", "s": "t"} if moment else {"ph": "X", "dur": (end_ns - begin_ns) / 1000}
        yield {"name": name, "ts": begin_ns / 1000, **kind, **track, "args": args}
