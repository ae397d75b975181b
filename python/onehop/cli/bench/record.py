"""Makes the record of `onehop bench`."""

from __future__ import annotations

import os
import statistics
from typing import TYPE_CHECKING

from onehop import _core, tuning
from onehop.cli._shared.option import Options
from onehop.cli.bench.patterns import IN_MBS
from onehop.record import new_record

if TYPE_CHECKING:
    from onehop import _bench

# Between cores of one cache a line takes about 50 ns, between caches 100 and more.
NEAR_NS = 100.0
# A ratio may be this far from 1 and still count as the same.
TOLERANCE = 1.10
_LEAST_CLEAN = 6


def begin(context: _core.Context, options: Options) -> dict:
    """Begins the record, before this process is pinned, which hides the machine's cores from it."""
    pinned = options.pin == "cores"
    record = new_record("bench", options)
    record["pattern"] = options.pattern
    record["ranks"] = context.size
    record["transport"] = context.transport
    record["pinning"] = "rank r on allowed core r, in turns" if pinned else "none"
    record["cores"] = _core.allowed_cores()
    record["channel_choice"] = _channels(context)
    record["warnings"] = _core.machine_warnings(context.size, pinned)
    if options.against != "none" or options.early:
        record["comparison"] = []
    return record


def _channels(context: _core.Context) -> str | None:
    """Says which way lines go between cores, where there are several: the built-in ways cost up to
    30 % of a halo step on some processors."""
    if context.transport != "shm":
        return None
    chosen = tuning.choice()
    if chosen.channels:
        return f"{chosen.channels}, {chosen.why}"
    return "built in; onehop tune measures them for this machine (some ten seconds)"


def add(
    record: dict, options: Options, cell: _bench.BenchCell, outcome: _bench.BenchOutcome
) -> None:
    """Adds one sample per contender that was timed, ours first, and the verdict where there is a
    peer."""
    keep = kept_rounds(outcome.disturbed)
    timed = [series for series in outcome.all if len(series.us)]
    samples = [_sample(record, cell, outcome, series, keep) for series in timed]
    record["samples"] += samples
    if any(sample["followed"] for sample in samples[1:]):
        record["comparison"].append(_compare(samples, keep))


def kept_rounds(disturbed: list[bool]) -> list[int]:
    """Returns the rounds in which no rank lost its core, or all of them where those are too few."""
    clean = [number for number, was in enumerate(disturbed) if not was]
    return clean if len(clean) >= _LEAST_CLEAN else list(range(len(disturbed)))


def _sample(
    record: dict,
    cell: _bench.BenchCell,
    outcome: _bench.BenchOutcome,
    series: _bench.BenchSeries,
    keep: list[int],
) -> dict:
    raw = list(series.us)
    kept = range(len(raw)) if series.dropped else keep
    values = [_value(record["pattern"], series, raw[k]) for k in kept]
    found = _core.summarize(values)
    return {
        "method": series.name,
        "peer": series.family or None,
        "size_bytes": max(cell.face_bytes),
        "faces": len(cell.face_bytes) if record["pattern"] == "halo" else None,
        "face_bytes": list(cell.face_bytes),
        "channels": cell.channels,
        "messages": max(1, cell.messages) if record["pattern"] in ("pingping", "commit") else None,
        "value": found.median,
        "least": found.least,
        "most": found.most,
        "quartiles": _quartiles(values),
        "spread": found.spread,
        "unit": "MB/s" if record["pattern"] in IN_MBS else "us",
        "wrong": series.wrong,
        "followed": not series.dropped,
        "met": outcome.met,
        "why": outcome.why,
        "line_latency_ns": outcome.line_latency_ns,
        "buffers": cell.turns,
        "channel": series.channel,
        "steps_per_block": series.steps,
        "raw": raw,
        "disturbed": outcome.disturbed,
    }


def _quartiles(values: list[float]) -> list[float]:
    """Returns the bounds of the middle half of the values, between neighbours by proportion."""
    if len(values) < 2:
        return 2 * values
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return [low, high]


def _value(pattern: str, series: _bench.BenchSeries, us: float) -> float:
    """Returns what the table shows, from microseconds per step."""
    return series.bytes / us if pattern in IN_MBS else us / series.hops


def _compare(samples: list[dict], keep: list[int]) -> dict:
    ours, *peers = samples
    followed = (sample for sample in peers if sample["followed"])
    best = min(followed, key=step_us)
    pairs = ([sample["raw"][k] for k in keep] for sample in (ours, best))
    found = _core.compare_pairs(*pairs, TOLERANCE)
    return {
        "faces": ours["faces"],
        "size_bytes": ours["size_bytes"],
        "ours_us": step_us(ours),
        "best_peer_us": step_us(best),
        "best_peer": best["method"],
        "ratio": found.ratio,
        "ratio_low": found.low,
        "ratio_high": found.high,
        "verdict": found.verdict,
    }


def step_us(sample: dict) -> float:
    """Returns the time of one item where the value is a rate: MB/s are bytes per microsecond."""
    if sample["unit"] == "MB/s":
        return sample["size_bytes"] / sample["value"]
    return sample["value"]


def finish(record: dict, total_s: float) -> None:
    wrong = sum(sample["wrong"] for sample in record["samples"])
    unmet = sum(not sample["met"] for sample in record["samples"])
    record["check"] = {
        "passed": wrong == 0,
        "why": f"{wrong} bytes wrong" if wrong else "every byte was as sent",
        "criterion_not_met": unmet,
    }
    record |= _regime(record)
    record["load_average"] = list(os.getloadavg())
    record["timing"] = {"total_s": total_s}


def _regime(record: dict) -> dict:
    """Says how far apart the cores are, by the median over the cells; nothing for one rank, nor
    where all ranks wait for the same core."""
    found = _core.summarize([sample["line_latency_ns"] for sample in record["samples"]]).median
    if found == 0 or len(record["cores"]) == 1:
        return {"line_latency_ns": None, "regime": None}
    return {"line_latency_ns": found, "regime": regime_of(found)}


def regime_of(line_ns: float) -> str:
    """Names how far apart cores are between which a line takes so long."""
    return "near" if line_ns < NEAR_NS else "far"
