"""`onehop app event-stream`."""

import time
from collections.abc import Sequence

from onehop import _apps, _core, output, virtual
from onehop._core import UsageError
from onehop.cli._shared.option import Options
from onehop.cli.app import event_stream_check, event_stream_setup, running
from onehop.cli.app.series_plot import plot_latencies
from onehop.counted import counted
from onehop.text_table import aligned

_PERCENTILES = {"p50": 0.5, "p99": 0.99, "p999": 0.999}
# What the result has of the first wire's sample.
_RESULT = (
    "sustained_mbs",
    "sustained_events_per_s",
    "latency_us",
    "deadline_misses",
    "lost",
    "back_pressure_s",
)


def run(options: Options, arguments: Sequence[str]) -> int:
    """Runs the command; whatever can be refused is refused here, before any rank starts."""
    if options.wire == "udp" and options.buffers is not None:
        raise UsageError("--buffers is for --wire put; leave --buffers out")
    event_stream_setup.fill(options)
    _check(options)
    needed = options.sources + options.consumers
    members = f"{options.sources} sources and {options.consumers} consumers"
    running.choose_ranks(options, needed, f"{members} are {needed} ranks")
    return running.start(arguments, options, _run_on_rank)


def _check(options: Options) -> None:
    if options.transport == "self":
        raise UsageError("transport self serves one rank; use shm or auto")
    if options.wire != "put" and virtual.is_virtual(options.transport):
        raise UsageError(
            f"--wire {options.wire} uses sockets of this machine, which transport "
            f"{options.transport} does not have; give --wire put"
        )
    if options.share == "load" and (options.sources > 1 or options.wire != "put"):
        raise UsageError("--share load is for one source and --wire put; use --share turn")


def _wires(options: Options) -> list[str]:
    return ["put", "udp"] if options.wire == "both" else [options.wire]


def _settings(options: Options) -> _apps.EventStreamSettings:
    same = (
        *("sources", "consumers", "events_per_s", "seconds", "deadline_us", "payload_bytes"),
        *("datagram_bytes", "gather_us", "buffers", "batch", "service_us", "stall_ms", "seed"),
    )
    return _apps.EventStreamSettings(
        **{name: getattr(options, name) for name in same},
        by_load=options.share == "load",
    )


def _run_on_rank(context: _core.Context, options: Options) -> int:
    started = time.monotonic()
    settings = _settings(options)
    samples, faults = [], []
    for wire in _wires(options):
        report = _apps.run_event_stream(context, settings, options.arrivals, options.hits, wire)
        if context.rank == 0:
            samples.append(_sample(wire, report))
            faults += event_stream_check.faults(samples[-1], report)
    if context.rank != 0:
        return 0
    found = {
        "samples": samples,
        "result": {key: samples[0][key] for key in _RESULT},
        "check": event_stream_check.check(faults),
    }
    app, verdicts = "event-stream", ("right", "WRONG")
    return running.report(app, context, options, started, found, _table, verdicts, _draw)


def _draw(record: dict, name: str) -> None:
    if any(sample["decided"] for sample in record["samples"]):
        plot_latencies(record, name)
    else:
        output.warn(f"no event was decided, so {name} is not drawn")


def _sample(wire: str, found: _apps.EventStreamReport) -> dict:
    time_s = found.time_s or None
    latencies = {name: found.percentile_us(share) for name, share in _PERCENTILES.items()}
    return {
        "wire": wire,
        "events": found.events,
        "decided": found.decided,
        "lost": found.events - found.decided,
        "fragments_sent": found.fragments_sent,
        "fragments_taken": found.fragments_taken,
        "time_s": found.time_s,
        "sustained_mbs": time_s and found.bytes / time_s * 1e-6,
        "sustained_events_per_s": time_s and found.decided / time_s,
        "latency_us": {**latencies, "max": found.most_us, "mean": found.mean_us},
        "waited_us": found.waited_us,
        "deadline_misses": found.deadline_misses,
        "back_pressure_s": found.back_pressure_s,
        "kernel_buffer_bytes": found.kernel_buffer_bytes if wire == "udp" else None,
        "damaged": found.damaged,
        "out_of_order": found.out_of_order,
        "unlike": found.unlike,
        "rings": found.rings,
        "true_rings": found.true_rings,
        "found_rings": found.found_rings,
        "false_rings": found.false_rings,
        "kept_rings": found.kept_rings,
        "kept_noise": found.kept_noise,
        "pulls": event_stream_check.pulls(found),
        "histogram_us": [list(bucket) for bucket in found.histogram],
    }


def _columns(sample: dict) -> list[tuple[str, str]]:
    latency = sample["latency_us"]
    share = sample["deadline_misses"] / max(sample["decided"], 1)
    rate, events = sample["sustained_mbs"] or 0, sample["sustained_events_per_s"] or 0
    return [
        (sample["wire"], ""),
        ("  sustained", f"{1e-6 * events:.4g} million events/s, {rate:.4g} MB/s"),
        (
            "  latency",
            ", ".join(f"{name} {latency[name]:.4g}" for name in (*_PERCENTILES, "max")) + " us",
        ),
        ("  deadline missed", f"{sample['deadline_misses']}, {share:.2g} of the decisions"),
        ("  lost", f"{sample['lost']} of {sample['events']} events"),
        ("  back pressure", f"{sample['back_pressure_s']:.4g} s"),
    ]


def _table(record: dict) -> str:
    options = record["options"]
    sources, consumers = (counted(options[f"{which}s"], which) for which in ("source", "consumer"))
    rows = [
        (
            "events",
            f"{options['events_per_s']:.4g} per second, {options['arrivals']}, for "
            f"{options['seconds']:g} s, seed {options['seed']}",
        ),
        ("ranks", f"{sources}, {consumers}, {record['transport']}"),
    ]
    for sample in record["samples"]:
        rows += _columns(sample)
    return aligned(rows)
