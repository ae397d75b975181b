"""Draws operators against what arithmetic and memory allow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from onehop.counted import by_x
from onehop.figures import new_figure, write_numbers_at
from onehop.perfmodel.draw import style_of
from onehop.report.figure import picture
from onehop.report.section import Section, Source, Table, number
from onehop.roof import above

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The names of more operators would lie on the points.
_MOST_WITHIN = 6
_KEYS = ("gflops", "fma_peak_gflops", "memory_gbs", "roofline_gflops")


def rooflines(sources: list[Source]) -> Section | None:
    """Draws records of `bench dslash`."""
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
    caption = (
        "share of the peak over stated flops per byte, as a multiple of those at which memory "
        "feeds all arithmetic: each operator against its own memory and arithmetic, so that one "
        "roof holds for all"
    )
    beyond = above(*(row["gflops"] / row["roofline_gflops"] for _, row in rows))
    caption += f"; {beyond}" if beyond else ""
    return Section("Rooflines", (), (picture(_draw(rows), caption),), (table,))


def _is_dslash(source: Source) -> bool:
    return source.command == "bench" and source.record.get("pattern") in ("dslash", "solve")


def _rows(record: dict) -> list[dict]:
    """Returns samples, with the median of each rate."""
    rows = []
    for sample in record["samples"]:
        medians = {key: _median(sample.get(key)) for key in _KEYS}
        if all(medians.values()):
            rows.append(sample | medians)
    return rows


def _median(rate: float | dict | None) -> float | None:
    return rate["median"] if isinstance(rate, dict) else rate


def _balance(row: dict) -> float:
    """Returns the flops per byte over those at which memory feeds all arithmetic."""
    peak, roof = row["fma_peak_gflops"], row["roofline_gflops"]
    if roof < peak or not (row.get("flops_per_site") and row.get("bytes_per_site")):
        return roof / peak
    return row["memory_gbs"] * row["flops_per_site"] / row["bytes_per_site"] / peak


def _label(source: Source, row: dict) -> str:
    options = row.get("dslash") or source.record["options"].get("dslash")
    parts = [source.record["pattern"], options]
    parts += [by_x(row.get("lattice") or ()), row.get("prec")]
    told = ("csw", "mu", "recon", "rhs", "ranks", "threads")
    parts += [f"{key} {row[key]}" for key in told if row.get(key)]
    return " ".join(str(part) for part in parts if part)


def _draw(rows: list[tuple[Source, dict]]) -> Figure:
    figure, axes = new_figure()
    places = [_balance(row) for _, row in rows]
    for order, ((source, row), x) in enumerate(zip(rows, places, strict=True)):
        share = 100 * row["gflops"] / row["fma_peak_gflops"]
        axes.plot([x], [share], linestyle="", label=_label(source, row), **style_of(order))
    x = np.geomspace(0.5 * min(*places, 1), 2 * max(*places, 1), 101)
    roof = 100 * np.minimum(1, x)
    axes.plot(x, roof, color="#777777", linewidth=1.2, label="what memory or arithmetic allows")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    write_numbers_at(axes.yaxis)
    axes.set_xlabel("flops per byte, over peak / memory")
    axes.set_ylabel("% of the peak")
    axes.grid(alpha=0.25)
    if len(rows) <= _MOST_WITHIN:
        axes.legend(fontsize=7)
    else:
        width, height = figure.get_size_inches()
        figure.set_size_inches(width, height + 0.09 * len(rows))
        figure.legend(loc="outside lower center", ncols=2, fontsize=6)
    return figure
