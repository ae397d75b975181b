"""Shows quantities with their errors: as points with bars, and as a table in notebooks."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from onehop._core import UsageError
from onehop.extras import require
from onehop.figures import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# A longer table is cut in the middle of a notebook.
_MOST_ROWS = 64


def axes_for(user: str, axes: Axes | None, value: NDArray[np.float64]) -> Axes:
    """Returns the axes that a caller has given, or those of a new figure of pyplot. Raises
    UsageError for a quantity that is not a list of numbers, and if there is no matplotlib."""
    if value.ndim > 1:
        raise UsageError(
            f"{user} draws one number or a list of them, not shape {value.shape}; let the function "
            "give a part of it, as jackknife(samples, lambda mean: mean[0])"
        )
    require(user)
    if axes is not None:
        return axes
    from matplotlib import pyplot

    return pyplot.subplots(layout="constrained")[1]


def draw_estimate(axes: Axes, value: NDArray[np.float64], error: NDArray[np.float64]) -> None:
    """Draws those numbers that are finite over their index, with their errors."""
    values, errors = np.atleast_1d(value), np.atleast_1d(error)
    places = np.flatnonzero(np.isfinite(values) & np.isfinite(errors))
    axes.errorbar(
        places, values[places], errors[places], fmt="o", markersize=4, capsize=2, color=COLOURS[0]
    )
    axes.set_xlabel("index")
    axes.set_ylabel("value")
    axes.grid(alpha=0.25)


def with_error(value: float, error: float) -> str:
    """Returns 0.5231(47): the value up to the second digit of its error, which stands in brackets
    in units of the last digit."""
    if not (math.isfinite(value) and math.isfinite(error)) or error <= 0:
        return f"{value:.6g}"
    digits = 1 - math.floor(math.log10(float(f"{error:.1e}")))
    if digits <= 0:
        return f"{value:.0f}({error:.0f})"
    return f"{value:.{digits}f}({round(error * 10**digits)})"


def html_table(shape: tuple[int, ...], columns: Mapping[str, Sequence[str]]) -> str:
    """Returns a table with a row for each number of a quantity of this shape, by its index; a
    long table says how many are left out."""
    rows = [
        "".join(f"<td>{html.escape(cell)}</td>" for cell in (", ".join(map(str, index)), *cells))
        for index, *cells in zip(np.ndindex(shape), *columns.values(), strict=True)
    ]
    more = len(rows) - _MOST_ROWS
    if more > 0:
        rows[_MOST_ROWS:] = [f'<td colspan="{len(columns) + 1}">{more} more</td>']
    head = "".join(f"<th>{html.escape(one)}</th>" for one in ("", *columns))
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
