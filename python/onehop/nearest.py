"""Finds the name that was probably meant."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def nearest(word: str, known: Sequence[str]) -> str:
    """Returns '; did you mean --kappa?' or ''."""
    # Names are compared without the dashes, which would make all options alike.
    names = {name.lstrip("-"): name for name in known}
    close = difflib.get_close_matches(word.lstrip("-").lower(), names, n=1, cutoff=0.5)
    return f"; did you mean {names[close[0]]}?" if close else ""
