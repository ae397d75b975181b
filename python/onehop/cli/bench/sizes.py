"""Message sizes of `onehop bench`."""

from __future__ import annotations

from onehop.cli._shared.lists import counts_or_range

DEFAULT = "8:1048576"


class RefinedSizes(list):
    """Sizes to begin with; others follow where the curve bends."""


def sizes(text: str) -> list[int]:
    """'8,64,512', '8:1048576' or 'auto'; raises ValueError."""
    return RefinedSizes(counts_or_range(DEFAULT)) if text == "auto" else counts_or_range(text)
