"""`onehop tune` measures which way of storing is fastest here, and keeps it."""

import math
import os
import time
from collections.abc import Sequence
from functools import partial

from onehop import _bench, _core, launch, tuning
from onehop._core import UsageError
from onehop.cli._shared import device as devices
from onehop.cli._shared import job
from onehop.cli._shared.option import Options
from onehop.cli._shared.record import deliver
from onehop.cli.bench.record import kept_rounds, regime_of
from onehop.cli.bench.run import pin
from onehop.cli.tune import device, hops
from onehop.record import new_record
from onehop.text_table import aligned

_FACES = 4
_TOTALS = [_FACES * 48 << k for k in range(14)]
# A channel is replaced by one that is faster by more than this.
_WORTH = 1.03
_MODES = ("packed", "copied")
_RANKS = 2


def run(options: Options, arguments: Sequence[str]) -> int:
    tuning.check_replaceable()
    if options.what == "dslash":
        options.ranks = options.ranks or 1
        hops.check(options)
        return job.run_job(arguments, options, hops.on_rank)
    if options.device != "host":
        return _tune_device(arguments, options)
    options.what = "lines"
    if options.lattice is not None:
        raise UsageError("--lattice is for dslash and --device cuda; lines between cores have none")
    options.ranks = options.ranks or _RANKS
    if launch.rank_and_size() is None:
        if _core.inspect_machine().usable_cores < options.ranks:
            raise UsageError(
                f"{options.ranks} ranks need as many cores; measure on another machine"
            )
        # The table that is about to be replaced, or is not there yet, must not decide.
        os.environ["ONEHOP_CHANNELS"] = "plain"
    return job.run_job(arguments, options, _tune_on_rank)


def _tune_device(arguments: Sequence[str], options: Options) -> int:
    if options.what is not None:
        raise UsageError(f"--device {options.device} tunes a device; leave out {options.what}")
    if options.ranks is not None:
        raise UsageError("--ranks is for lines between cores; a device is tuned by one process")
    options.ranks, options.share_device = 1, False
    devices.check(options)
    return job.run_job(arguments, options, device.on_rank)


def _tune_on_rank(context: _core.Context, options: Options) -> int:
    started = time.monotonic()
    record = new_record("tune", options)
    pin(context.rank)
    schedule = _bench.BenchSchedule(0.03, options.max_time, 0.01, 1e-4, 0, 20)
    names = _core.channel_names()
    nobody = _bench.BenchPeers(context, [])
    lines: list[float] = []
    for mode in _MODES:
        for total in _TOTALS:
            outcome = _bench.bench_cell(context, _cell(total, mode, names), schedule, nobody)
            lines.append(outcome.line_latency_ns)
            keep = kept_rounds(outcome.disturbed)
            record["samples"] += [
                {
                    "mode": mode,
                    "size_bytes": total,
                    "channel": name,
                    "value": _core.summarize([series.us[k] for k in keep]).median,
                    "unit": "us",
                    "wrong": series.wrong,
                    "raw": list(series.us),
                }
                for name, series in zip(names, outcome.all, strict=True)
            ]
    if context.rank != 0:
        return 0
    _finish(record, names, _core.summarize(lines).median, time.monotonic() - started)
    return deliver(record, options, partial(_show, names))


def _cell(total: int, mode: str, names: Sequence[str]) -> _bench.BenchCell:
    cell = _bench.BenchCell()
    cell.pattern = "halo"
    cell.face_bytes = [total // _FACES] * _FACES
    cell.packed = mode == "packed"
    cell.channel = names[0]
    cell.channels_beside = list(names[1:])
    return cell


def _finish(record: dict, names: Sequence[str], line_ns: float, total_s: float) -> None:
    wrong = sum(sample["wrong"] for sample in record["samples"])
    words = "/".join(in_words(choose(_medians(record, mode), names)) for mode in _MODES)
    regime = regime_of(line_ns)
    record["channels"] = words
    record["regime"] = {"line_latency_ns": line_ns, "name": regime}
    record["check"] = {
        "passed": wrong == 0,
        "why": f"{wrong} bytes wrong" if wrong else "every byte was as sent",
    }
    record["timing"] = {"total_s": total_s}
    if wrong:
        return
    record["file"] = str(
        tuning.save(
            {
                "regime": f"{regime}, {line_ns:.0f} ns for a line",
                "channels": words,
                "measured_us": {mode: _medians(record, mode) for mode in _MODES},
            }
        )
    )


def _medians(record: dict, mode: str) -> dict[int, dict[str, float]]:
    """Returns the microseconds of a halo step by bytes and channel."""
    found: dict[int, dict[str, float]] = {}
    for sample in record["samples"]:
        if sample["mode"] == mode:
            found.setdefault(sample["size_bytes"], {})[sample["channel"]] = sample["value"]
    return found


def choose(medians: dict[int, dict[str, float]], names: Sequence[str]) -> list[tuple[str, int]]:
    """Returns channel and last size of each step; the channel before stays where it is about as
    fast."""
    steps: list[tuple[str, int]] = []
    for total, by_channel in medians.items():
        best = min(names, key=by_channel.__getitem__)
        if steps and by_channel[steps[-1][0]] <= _WORTH * by_channel[best]:
            steps[-1] = (steps[-1][0], total)
        else:
            steps.append((best, total))
    return steps


def in_words(steps: Sequence[tuple[str, int]]) -> str:
    """Returns the words of ONEHOP_CHANNELS; a step ends half way to the next size, by ratio."""
    words = [f"{name}<={round(math.sqrt(2) * last)}" for name, last in steps[:-1]]
    return ",".join([*words, steps[-1][0]])


def _show(names: Sequence[str], record: dict) -> None:
    for mode in _MODES:
        rows = []
        for total, by_channel in _medians(record, mode).items():
            best = min(by_channel.values())
            marks = ("*" if by_channel[name] == best else " " for name in names)
            cells = (f"{by_channel[name]:.3f}{m}" for name, m in zip(names, marks, strict=True))
            rows.append((total, *cells))
        print(f"# {mode} faces, us per halo step of {_FACES} faces")
        print(aligned(rows, ("# bytes sent", *names), left=1))
    regime = record["regime"]
    print(f"# cores are {regime['name']}: {regime['line_latency_ns']:.0f} ns for a line")
    print(f"# channels: {record['channels']}")
    print(f"# {'kept in ' + record['file'] if 'file' in record else record['check']['why']}")
