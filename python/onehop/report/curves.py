"""Draws measured curves with their spread, and comparisons."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from onehop.figures import new_figure, write_numbers_at
from onehop.perfmodel.draw import style_of
from onehop.report.figure import picture
from onehop.report.section import MEASURED, Section, Source, Table, number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_RATES = ("bandwidth", "bibandwidth", "stream")
_NO_CURVE = ("dslash", "solve")


def curves(sources: list[Source]) -> Section | None:
    """Makes one picture for each pattern, with all transports in it."""
    benches = [s for s in sources if s.command == "bench"]
    patterns = dict.fromkeys(s.record["pattern"] for s in benches)
    drawn = [
        picture(_draw(pattern, own), _caption(pattern))
        for pattern in patterns
        if pattern not in _NO_CURVE
        and any(
            len(samples) > 1
            for _, samples in _series([s for s in benches if s.record["pattern"] == pattern])
        )
        and (own := [s for s in benches if s.record["pattern"] == pattern])
    ]
    if not drawn:
        return None
    text = (
        "Medians of the rounds; the band holds the middle half of them, from the lower to the "
        "upper quartile. A record without quartiles has no band."
    )
    return Section(MEASURED, (text,), tuple(drawn), tuple(_comparisons(benches)))


def _caption(pattern: str) -> str:
    what = "bytes by time" if pattern in _RATES else "time of a step"
    return f"{pattern}: {what} over the message size"


def _draw(pattern: str, sources: list[Source]) -> Figure:
    figure, axes = new_figure()
    for place, (label, samples) in enumerate(_named_series(sources)):
        style = style_of(place)
        sizes = [s["size_bytes"] for s in samples]
        low, high = zip(*map(_quartiles, samples), strict=True)
        axes.fill_between(sizes, low, high, color=style["color"], alpha=0.15, linewidth=0)
        values = [_positive(s["value"]) for s in samples]
        axes.plot(sizes, values, markersize=4, label=label, **style)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    write_numbers_at(axes.yaxis)
    axes.set_xlabel("message size (byte)")
    axes.set_ylabel("MB/s" if pattern in _RATES else "us")
    axes.set_title(pattern, fontsize=10)
    axes.grid(alpha=0.25)
    axes.legend(fontsize=7)
    return figure


def _positive(value: float | None) -> float:
    """Returns a value that an axis of powers has a place for, or NaN, which is left out."""
    return value if value and value > 0 else math.nan


def _quartiles(sample: dict) -> tuple[float, float]:
    low, high = sample.get("quartiles") or (None, None)
    return _positive(low), _positive(high)


def _named_series(sources: list[Source]) -> Iterator[tuple[str, list[dict]]]:
    """Gives the series that are curves; those that would be named alike have the name of their file
    too."""
    found = [
        (label, source, samples)
        for source in sources
        for label, samples in _series([source])
        if len(samples) > 1
    ]
    times = Counter(label for label, _, _ in found)
    for label, source, samples in found:
        yield f"{label} ({Path(source.name).name})" if times[label] > 1 else label, samples


def _series(sources: list[Source]) -> Iterator[tuple[str, list[dict]]]:
    """Returns one series per transport, method, faces, channels and messages."""
    for source in sources:
        found: dict[tuple, list[dict]] = {}
        for sample in source.record["samples"]:
            counts = (sample.get("channels") or 1, sample.get("messages") or 1)
            key = (sample["method"], sample.get("faces"), *counts)
            found.setdefault(key, []).append(sample)
        options = source.record.get("options", {})
        for (method, faces, channels, messages), samples in found.items():
            parts = [f"{source.record['transport']}, {method}"]
            parts += [f"{faces} faces"] if faces else []
            parts += [f"{channels} channels"] if channels > 1 else []
            parts += [f"{messages} messages"] if messages > 1 else []
            parts += ["bytes touched"] if options.get("check") == "inside" else []
            samples.sort(key=lambda sample: sample["size_bytes"])
            yield ", ".join(parts), samples


def _comparisons(sources: list[Source]) -> Iterator[Table]:
    rows = []
    for source in sources:
        for cell in source.record.get("comparison") or ():
            faces = "-" if cell.get("faces") is None else str(cell["faces"])
            times = (number(cell["ours_us"]), number(cell["best_peer_us"]), cell["best_peer"])
            span = f"{cell['ratio_low']:.2f} to {cell['ratio_high']:.2f}"
            ratio = f"{cell['ratio']:.2f} ({span})"
            rows.append((str(cell["size_bytes"]), faces, *times, ratio, cell["verdict"]))
    if rows:
        heads = ("bytes", "faces", "ours (us)", "best peer (us)", "peer", "ratio", "verdict")
        yield Table(heads, tuple(rows))
