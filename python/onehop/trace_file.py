"""Writes the timeline of a job in the Chrome trace format, which Perfetto reads."""

import sys
from collections.abc import Iterable

from onehop import output
from onehop._core import Context, barrier, timeline
from onehop.argument import checked_context

# Context.trace_events gives them as name, begin_ns, end_ns, exchange, peer, chain, arrival.
Event = tuple[str, int, int, int, int, int, int]


def write_trace(context: Context, name: str) -> None:
    """Writes what all ranks have done since their start_trace to the file `name`; collective.

    Every rank is one track, and an arrow leads from each put to its arrival.

    >>> job.start_trace()
    >>> onehop.barrier(job)
    >>> onehop.write_trace(job, "trace.json")               # to be opened in ui.perfetto.dev
    """
    checked_context(context, "write_trace")
    write_events(context, name, context.trace_events(), context.trace_dropped)


def write_events(context: Context, name: str, events: Iterable[Event], dropped: int) -> None:
    """Writes as write_trace does, for events of this rank and how many more there were; collective.

    The ranks append in turn, so that no rank has to hold the events of another.
    """
    with output.complete_together(context, name) as temporary:
        for rank in range(context.size):
            if rank == context.rank:
                with temporary.open("a" if rank else "w") as file:
                    file.write(",\n" if rank else '{"displayTimeUnit": "ns", "traceEvents": [\n')
                    file.write(timeline(context.rank, list(events)))
                    file.write("\n]}\n" if rank == context.size - 1 else "")
            barrier(context)
    if dropped:
        print(
            f"onehop: warning: rank {context.rank} had no room for {dropped} events in {name}, "
            "so that some arrows have one end only; trace less",
            file=sys.stderr,
        )
