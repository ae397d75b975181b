"""Uses matplotlib without a display, so that the same run gives the same bytes."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from onehop.output import complete_or_absent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

COLOURS = ("#1f5a92", "#a8441f", "#3b7a3b", "#6b4a8f", "#8a6d1d", "#2b7f86", "#99456b", "#555555")
# Two panels above each other share what lies along them.
PANELS = {"sharex": True, "figsize": (6.4, 5.6), "height_ratios": (3, 2)}


def new_figure(rows: int = 1, columns: int = 1, **options: object) -> tuple[Figure, object]:
    """Makes what pyplot.subplots does, owned by the caller: nothing is kept for a display."""
    # Where no folder of the user can be written matplotlib would say so in lines of its own.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    from matplotlib.figure import Figure

    size = options.pop("figsize", (6.4, 4.4))
    ratios = {key: options.pop(key) for key in ("height_ratios",) if key in options}
    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots(rows, columns, gridspec_kw=ratios or None, **options)


@contextlib.contextmanager
def stacked(
    name: str | Path, labels: tuple[str, str, str] | None = None, **options: object
) -> Iterator[tuple[Axes, Axes]]:
    """Gives two axes above each other to draw on, as PANELS or `options` of new_figure say, and
    saves them. `labels` are those of the upper and the lower vertical axis, and of the horizontal
    one."""
    figure, (above, below) = new_figure(2, 1, **(PANELS | options))
    yield above, below
    if labels is not None:
        above.set_ylabel(labels[0])
        below.set(ylabel=labels[1], xlabel=labels[2])
    for axes in (above, below):
        axes.grid(alpha=0.25)
    save(figure, name)


def write_numbers_at(axis: Axis) -> None:
    """Labels the ticks of a logarithmic axis by numbers, not by products with powers of ten."""
    from matplotlib.ticker import LogFormatter

    class Numbers(LogFormatter):
        def __call__(self, x: float, pos: int | None = None) -> str:
            # Digits of its own text are too few on a short axis.
            return f"{x:g}" if super().__call__(x, pos) else ""

    axis.set_major_formatter(Numbers())
    axis.set_minor_formatter(Numbers())


def save(figure: Figure, name: str | Path, *, text_stays_text: bool = False) -> None:
    """Saves a figure, complete or not at all, in the format that the ending of the name says; with
    `text_stays_text` an SVG has its words as text, to be searched and edited, instead of as
    outlines."""
    from matplotlib import rc_context

    undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    settings = {
        "svg.hashsalt": "onehop",
        "svg.fonttype": "none" if text_stays_text else "path",
    }
    with rc_context(settings), complete_or_absent(str(name)) as path:
        ending = Path(name).suffix.lower()
        figure.savefig(path, dpi=130, format=ending[1:], metadata=undated.get(ending, {}))
