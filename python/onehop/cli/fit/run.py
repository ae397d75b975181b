"""`onehop fit` fits models to measurements, and says how certain they are."""

import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from onehop import output
from onehop._core import UsageError
from onehop.cli._shared.option import Options
from onehop.cli._shared.record import deliver
from onehop.figures import save
from onehop.perfmodel import observations
from onehop.perfmodel.as_json import fit_as_json
from onehop.perfmodel.draw import draw_fit
from onehop.perfmodel.fit import Fit, fit
from onehop.perfmodel.platform_toml import platform_toml
from onehop.record import new_record
from onehop.text_table import aligned

# Messages of these patterns follow each other: their times are gaps of PLogP.
_FLOWING = ("put ", "bandwidth ")


def run(options: Options, arguments: Sequence[str]) -> int:
    started = time.monotonic()
    found = _fit(options)
    record = new_record("fit", options) | fit_as_json(found)
    record["check"] = {"passed": True, "why": record["verdict"]}
    record["timing"] = {"total_s": time.monotonic() - started}
    status = deliver(record, options, partial(_show, found), lambda _, name: _plot(found, name))
    if options.output:
        output.write_text(platform_toml(found, Path(options.output).stem), options.output)
    return status


def _fit(options: Options) -> Fit:
    if options.stages is not None and options.model not in ("stages", "auto"):
        raise UsageError(f"--stages is for --model stages, not {options.model}")
    model = "stages" if options.stages is not None else options.model
    parts = [observations.read(name) for name in options.results]
    streaming = None
    if model == "plogp":
        flowing = [part for part in parts if part.name.startswith(_FLOWING)]
        lone = [part for part in parts if not part.name.startswith(_FLOWING)]
        if flowing and lone:
            parts, streaming = lone, observations.joined(flowing)
    return fit(observations.joined(parts), model, options.stages, streaming)


def _show(found: Fit, record: dict) -> None:
    print(f"# {found.model} of {found.observations.name}, {len(found.observations)} points")
    if found.stages:
        heads = ("# stage", "lambda (us)", "tau (us)", "beta (MB/s)")
        rows = [
            (number, *(_cell(stage, key) for key in ("lambda_us", "tau_us", "beta_MBps")))
            for number, stage in enumerate(record["stages"], 1)
        ]
    else:
        heads = ("# bytes", "fixed (us)", "rate (MB/s)")
        rows = [
            (
                f"{line['least_bytes']:.0f} to {line['most_bytes']:.0f}",
                *(_cell(line, key) for key in ("fixed_us", "beta_MBps")),
            )
            for line in record["segments"]
        ]
    print(aligned(rows, heads, left=1))
    if not found.stages and found.latency_us is not None:
        print(f"# L {found.latency_us:.3f} us")
    print(f"# {record['verdict']}")


def _cell(values: dict, key: str) -> str:
    """Prints '2.76 [2.70, 2.81]'; a bound that is missing is infinite."""
    low, high = values["interval90"][key]
    return f"{_short(values[key])} [{_short(low)}, {_short(high)}]"


def _short(value: float | None) -> str:
    return "inf" if value is None else f"{value:.4g}"


def _plot(found: Fit, name: str) -> None:
    save(draw_fit(found), name)
    output.say_written(name)
