"""Makes pictures of the page: SVG inside the page itself, with a text for readers who do not see
it."""

from __future__ import annotations

import base64
import dataclasses
import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclasses.dataclass(frozen=True)
class Picture:
    """`source` is a data URL; `caption` says what to see."""

    source: str
    caption: str


def picture(figure: Figure, caption: str) -> Picture:
    from matplotlib import rc_context

    text = io.BytesIO()
    with rc_context({"svg.hashsalt": "onehop"}):
        figure.savefig(text, format="svg", metadata={"Date": None})
    code = base64.b64encode(text.getvalue()).decode()
    return Picture(f"data:image/svg+xml;base64,{code}", caption)
