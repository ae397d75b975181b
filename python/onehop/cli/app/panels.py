"""Panels for the pictures of several applications."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from onehop.cli._shared.option import Options
from onehop.counted import by_x
from onehop.figures import COLOURS, new_figure, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, RED = COLOURS[:2]
GREY_LINE = {"color": "grey", "linewidth": 0.8}


@contextlib.contextmanager
def beside(record: dict, name: str) -> Iterator[tuple[Axes, Axes, Options]]:
    """Gives the axes of how a run ended and, on their right, of its setup's figure, with the
    options of the record; saves them."""
    figure, (left, right) = new_figure(1, 2, figsize=(9.6, 4.4))
    options = Options(**record["options"])
    yield left, right, options
    size = by_x(options.lattice)
    left.set_title(f"{options.setup}, {size}, step {options.steps}", fontsize=10)
    right.grid(alpha=0.25)
    _make_tall_panel_narrow(left)
    save(figure, name)


def _make_tall_panel_narrow(axes: Axes) -> None:
    """Takes from the figure what the left panel leaves white beside an image of equal steps that is
    taller than wide."""
    tall = 1.0 if axes.get_aspect() == "auto" else axes.get_data_ratio()
    if tall <= 1:
        return
    of_axes, height = 1.2, 3.6  # inches: labels and colour scale, and the image
    narrow, wide = of_axes + height / tall, of_axes + height
    axes.get_gridspec().set_width_ratios((narrow, wide))
    axes.figure.set_size_inches(narrow + wide, axes.figure.get_size_inches()[1])


def draw_image(
    axes: Axes, image: np.ndarray, what: str, labels: tuple[str, str], **settings: object
) -> None:
    """Draws a field (rows, columns), and the scale of its colours, which points beyond its ends
    where the field goes there; `labels` are those of the axes."""
    drawn = axes.imshow(image, origin="lower", **settings)
    low, high = (image.min() < drawn.norm.vmin, image.max() > drawn.norm.vmax)
    extend = {(False, False): "neither", (True, True): "both"}.get(
        (low, high), "min" if low else "max"
    )
    axes.figure.colorbar(drawn, ax=axes, label=what, shrink=0.85, extend=extend)
    axes.set(xlabel=labels[0], ylabel=labels[1])


def draw_legend_on_image(axes: Axes, *, dark: bool = False) -> None:
    """Draws the legend of what lies upon an image; `dark` is for bright lines."""
    colours = {"facecolor": "#303040", "labelcolor": "white"} if dark else {}
    axes.legend(fontsize=8, loc="upper right", framealpha=0.85, **colours)


def draw_measured(
    axes: Axes,
    measured: tuple[Sequence[float], Sequence[float]],
    labels: tuple[str, str],
    *,
    theory: tuple[Sequence[float], Sequence[float], str] | None = None,
    title: str = "",
    **settings: object,
) -> None:
    """Draws points (x, y), and the line (x, y, label) on which they should be."""
    points = {"marker": "o", "linestyle": "", "markersize": 4, "color": BLUE, "label": "measured"}
    axes.plot(*measured, **(points | settings))
    if theory is not None:
        line = {"color": "black", "linewidth": 0.8, "zorder": 3}
        axes.plot(*theory[:2], **line, label=theory[2])
    axes.set(xlabel=labels[0], ylabel=labels[1])
    axes.set_title(title, fontsize=10)
    axes.legend(frameon=False)
