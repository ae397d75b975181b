"""These are message sizes of `onehop bench`."""

from onehop.cli._shared.lists import counts_or_range, sizes_or_range

DEFAULT = "8:1048576"


class RefinedSizes(list):
    """The first sizes; others follow where the curve bends."""


def sizes(text: str) -> list[int]:
    """Reads '8,64,24KiB', '8:1MiB' or 'auto'; raises ValueError."""
    return RefinedSizes(counts_or_range(DEFAULT)) if text == "auto" else sizes_or_range(text)
