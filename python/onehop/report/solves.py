"""Shows where the time of solves went, and their results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onehop.counted import by_x, counted
from onehop.figures import COLOURS, new_figure
from onehop.perfmodel.draw import style_of
from onehop.report.figure import picture
from onehop.report.section import SOLVES, Section, Source, Table, number
from onehop.time_split import PARTS, share

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def solves(sources: list[Source]) -> Section | None:
    own = [s for s in sources if s.command == "solve" and s.record.get("timing")]
    if not own:
        return None
    pictures = [picture(_draw_split(own), "Time of each solve by what it was spent on")]
    with_correlator = [s for s in own if s.record.get("correlator")]
    if with_correlator:
        pictures.append(picture(_draw_correlators(with_correlator), "Correlators found"))
    heads = ("solve", "lattice", "where", "iterations", "time (s)")
    heads += ("us per iteration", "waiting (us)")
    rows = tuple(
        (
            _method(s),
            by_x(s.record["lattice"]),
            _where(s),
            number(s.record["iterations"], 9),
            number(s.record["timing"]["total_s"]),
            number(s.record["time_per_iteration_us"]),
            number(s.record["time_halo_wait_us"]),
        )
        for s in own
    )
    return Section(SOLVES, (), tuple(pictures), (Table(heads, rows),))


def _label(source: Source) -> str:
    size = by_x(source.record["lattice"])
    return f"{_method(source)}, {size}\n{_where(source)}"


def _method(source: Source) -> str:
    options = source.record["options"]
    return " ".join(options[key] for key in ("dslash", "prec", "solver"))


def _where(source: Source) -> str:
    counts = {"rank": source.record["ranks"], "thread": source.record["options"]["threads"]}
    words = [counted(n, what) for what, n in counts.items()]
    return ", ".join([*words, source.record["transport"]])


def _draw_split(sources: list[Source]) -> Figure:
    figure, axes = new_figure(figsize=(6.4, 1.4 + 0.6 * len(sources)))
    labels = [_label(source) for source in sources]
    left = [0.0] * len(sources)
    for place, (key, name) in enumerate(PARTS.items()):
        shares = [100 * share(source.record["timing"], key) for source in sources]
        axes.barh(range(len(left)), shares, left=left, color=COLOURS[place], label=name, height=0.6)
        left = [a + b for a, b in zip(left, shares, strict=True)]
    axes.set_yticks(range(len(labels)), labels, fontsize=7)
    axes.invert_yaxis()
    axes.set_xlabel("share of the time (%)")
    axes.set_xlim(0, 100)
    figure.legend(loc="outside upper center", ncols=3, fontsize=7)
    return figure


def _draw_correlators(sources: list[Source]) -> Figure:
    figure, axes = new_figure()
    for place, source in enumerate(sources):
        values = source.record["correlator"]
        label = _label(source).replace("\n", ", ")
        axes.semilogy(range(len(values)), values, markersize=4, label=label, **style_of(place))
    axes.set_xlabel("t")
    axes.set_ylabel("C(t)")
    axes.grid(alpha=0.25)
    axes.legend(fontsize=7)
    return figure
