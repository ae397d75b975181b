"""Uses matplotlib without a display, so that the same run gives the same bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure


def new_figure(rows: int = 1, columns: int = 1, **options: object) -> tuple[Figure, object]:
    """Makes what pyplot.subplots does, owned by the caller: nothing is kept for a display."""
    from matplotlib import rcParams
    from matplotlib.figure import Figure

    rcParams["svg.hashsalt"] = "onehop"
    ratios = {key: options.pop(key) for key in ("height_ratios",) if key in options}
    size = options.pop("figsize", (6.4, 4.4))
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(rows, columns, gridspec_kw=ratios or None, **options)
    return figure, axes


def save(figure: Figure, path: Path) -> None:
    """Saves a figure in the format that the ending of the name says."""
    undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    figure.savefig(path, dpi=130, metadata=undated.get(path.suffix.lower(), {}))
