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
    return source.command == "bench" and source.record.get("pattern") == "dslash"


def _rows(record: dict) -> list[dict]:
    """The figures stand in samples or in the record itself."""
    shared = {key: record[key] for key in _KEYS if key in record}
    samples = [shared | sample for sample in record["samples"]] or [shared]
    return [row for row in samples if all(row.get(key) for key in _KEYS)]


def _label(source: Source, row: dict) -> str:
    parts = [row.get("operator") or row.get("method") or row.get("dslash"), row.get("prec")]
    lattice = row.get("lattice") or source.record["options"].get("lattice")
    parts.append("x".join(map(str, lattice)) if isinstance(lattice, list) else lattice)
    return " ".join(str(part) for part in parts if part)


def _draw(rows: list[tuple[Source, dict]]) -> Figure:
    figure, axes = new_figure()
    intensities = [row["roofline_gflops"] / row["memory_gbs"] for _, row in rows]
    for place, ((source, row), intensity) in enumerate(zip(rows, intensities, strict=True)):
        style = {"color": COLOURS[place % len(COLOURS)], "marker": MARKERS[place % len(MARKERS)]}
        label = _label(source, row)
        axes.plot([intensity], [row["gflops"]], linestyle="", label=label, **style)
    peak = max(row["fma_peak_gflops"] for _, row in rows)
    memory = max(row["memory_gbs"] for _, row in rows)
    x = np.geomspace(0.3 * min(intensities), max(3 * max(intensities), 2 * peak / memory), 100)
    axes.plot(x, np.minimum(peak, memory * x), "-", color="#777777", linewidth=1.2)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("flops per byte")
    axes.set_ylabel("GFlop/s")
    axes.grid(alpha=0.25)
    axes.legend(fontsize=7)
    return figure
