"""`onehop fit`: models of what was measured, with how sure they are."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from onehop import output
from onehop._core import UsageError
from onehop.cli.plot import check_format
from onehop.cli.record import new_record, write_record
from onehop.perfmodel import observations
from onehop.perfmodel.as_json import fit_as_json

if TYPE_CHECKING:
    import types
    from collections.abc import Sequence

    from onehop.perfmodel.fit import Fit


def run(options: types.SimpleNamespace, arguments: Sequence[str]) -> int:
    started = time.monotonic()
    outputs = {"--json": options.json, "--plot": options.plot, "-o": options.output}
    for name in outputs.values():
        output.check_writable(name)
    for name in options.results:
        output.check_distinct(name, outputs)
    if options.plot:
        check_format(options.plot)
    found = _fit(options)
    record = new_record("fit", options) | fit_as_json(found)
    record["check"] = {"passed": True, "why": record["verdict"]}
    record["timing"] = {"total_s": time.monotonic() - started}
    if options.json != "-":
        _print(found, record)
    if options.plot:
        _plot(found, options.plot)
    if options.output:
        _write_platform(found, options.output)
    if options.json:
        write_record(record, options.json)
    return 0


def _fit(options: types.SimpleNamespace) -> Fit:
    from onehop.perfmodel.fit import fit

    if options.stages is not None and options.model not in ("stages", "auto"):
        raise UsageError(f"--stages is for --model stages, not {options.model}")
    model = "stages" if options.stages is not None else options.model
    parts = [observations.read(name) for name in options.results]
    streaming = None
    if model == "plogp":
        flowing = [part for part in parts if part.name.startswith(("put ", "bandwidth "))]
        parts = [part for part in parts if part not in flowing] or parts
        streaming = observations.joined(flowing).sorted() if flowing else None
    return fit(observations.joined(parts), model, options.stages, streaming)


def _print(found: Fit, record: dict) -> None:
    print(f"# {found.model} of {found.observations.name}, {len(found.observations)} points")
    if found.stages:
        print(f"{'# stage':<10}{'lambda (us)':>28}{'tau (us)':>28}{'beta (MB/s)':>32}")
        for number, stage in enumerate(record["stages"], 1):
            cells = "".join(
                f"{_cell(stage, key):>{width}}"
                for key, width in (("lambda_us", 28), ("tau_us", 28), ("beta_MBps", 32))
            )
            print(f"{number:<10}{cells}")
    else:
        print(f"{'# bytes':<24}{'fixed (us)':>28}{'rate (MB/s)':>32}")
        for line in record["segments"]:
            sizes = f"{line['least_bytes']:.0f} to {line['most_bytes']:.0f}"
            print(f"{sizes:<24}{_cell(line, 'fixed_us'):>28}{_cell(line, 'beta_MBps'):>32}")
        if found.latency_us is not None:
            print(f"# L {found.latency_us:.3f} us")
    print(f"# {record['verdict']}", flush=True)


def _cell(values: dict, key: str) -> str:
    """'2.76 [2.70, 2.81]'; a bound that is missing is infinite."""
    low, high = values["interval90"][key]
    return f"{_short(values[key])} [{_short(low)}, {_short(high)}]"


def _short(value: float | None) -> str:
    return "inf" if value is None else f"{value:.4g}"


def _plot(found: Fit, name: str) -> None:
    from onehop.perfmodel.draw import draw_fit
    from onehop.perfmodel.figures import save

    with output.complete_or_absent(name) as temporary:
        save(draw_fit(found), temporary)
    print(f"onehop: wrote {name}", file=sys.stderr)


def _write_platform(found: Fit, name: str) -> None:
    from onehop.perfmodel.platform_toml import platform_toml

    with output.complete_or_absent(name) as temporary:
        temporary.write_text(platform_toml(found, Path(name).stem))
    print(f"onehop: wrote {name}", file=sys.stderr)
