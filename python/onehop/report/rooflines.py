"""Operators against what arithmetic and memory allow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from onehop.perfmodel.draw import COLOURS, MARKERS
from onehop.perfmodel.figures import new_figure
from onehop.report.figure import picture
from onehop.report.section import Section, Source, Table, number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The names of more operators would lie on the points.
_MOST_WITHIN = 6
_KEYS = ("gflops", "fma_peak_gflops", "memory_gbs", "roofline_gflops")


def rooflines(sources: list[Source]) -> Section | None:
    """Of records of `bench dslash`."""
    rows = [(s, row) for s in sources if _is_dslash(s) for row in _rows(s.record)]
    if not rows:
        return None
    heads = ("operator", "GFlop/s", "of the roof", "arithmetic (GFlop/s)", "memory (GB/s)")
    table = Table(
        heads,
        tuple(
            (
                _label(source, row),
                number(row["gflops"]),
                f"{100 * row['gflops'] / row['roofline_gflops']:.0f}%",
                number(row["fma_peak_gflops"]),
                number(row["memory_gbs"]),
            )
            for source, row in rows
        ),
    )
    caption = "stated flops over bytes moved; the roof is memory times intensity, or arithmetic"
    return Section("Rooflines", (), (picture(_draw(rows), caption),), (table,))


def _is_dslash(source: Source) -> bool:
    return source.command == "bench" and source.record.get("pattern") in ("dslash", "solve")


def _rows(record: dict) -> list[dict]:
    """Samples, with the median of each rate."""
    rows = []
    for sample in record["samples"]:
        medians = {key: _median(sample.get(key)) for key in _KEYS}
        if all(medians.values()):
            rows.append(sample | medians)
    return rows


def _median(rate: float | dict | None) -> float | None:
    return rate["median"] if isinstance(rate, dict) else rate


def _intensity(row: dict) -> float:
    """Flops per byte."""
    if "flops_per_site" in row:
        return row["flops_per_site"] / row["bytes_per_site"]
    return row["roofline_gflops"] / row["memory_gbs"]


def _label(source: Source, row: dict) -> str:
    options = row.get("dslash") or source.record["options"].get("dslash")
    parts = [source.record["pattern"], options]
    parts += ["x".join(map(str, row.get("lattice") or ())), row.get("prec")]
    told = ("csw", "mu", "recon", "rhs", "ranks", "threads")
    parts += [f"{key} {row[key]}" for key in told if row.get(key)]
    return " ".join(str(part) for part in parts if part)


def _levels(rates: list[float]) -> list[float]:
    """The fastest memory and, where it is another one, the slowest: caches and what is behind."""
    fast, slow = max(rates), min(rates)
    return [fast, slow] if fast > 1.5 * slow else [fast]


def _draw(rows: list[tuple[Source, dict]]) -> Figure:
    figure, axes = new_figure()
    intensities = [_intensity(row) for _, row in rows]
    for place, ((source, row), intensity) in enumerate(zip(rows, intensities, strict=True)):
        # No pair of colour and marker comes twice before all have.
        turn = place + place // len(COLOURS)
        style = {"color": COLOURS[place % len(COLOURS)], "marker": MARKERS[turn % len(MARKERS)]}
        label = _label(source, row)
        axes.plot([intensity], [row["gflops"]], linestyle="", label=label, **style)
    peak = max(row["fma_peak_gflops"] for _, row in rows)
    memories = _levels([row["memory_gbs"] for _, row in rows])
    right = max(3 * max(intensities), 2 * peak / min(memories))
    x = np.geomspace(0.3 * min(intensities), right, 100)
    for memory, line in zip(memories, ("-", "--"), strict=False):
        label = f"{memory:.3g} GB/s, {peak:.3g} GFlop/s"
        roof = np.minimum(peak, memory * x)
        axes.plot(x, roof, line, color="#777777", linewidth=1.2, label=label)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("flops per byte")
    axes.set_ylabel("GFlop/s")
    axes.grid(alpha=0.25)
    if len(rows) <= _MOST_WITHIN:
        axes.legend(fontsize=7)
    else:
        width, height = figure.get_size_inches()
        figure.set_size_inches(width, height + 0.09 * len(rows))
        figure.legend(loc="outside lower center", ncols=2, fontsize=6)
    return figure
