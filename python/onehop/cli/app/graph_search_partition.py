"""Chooses the rows and columns in which `onehop app graph-search` divides edges among ranks."""

import math
import re

from onehop._core import UsageError
from onehop.cli._shared import rank_grid
from onehop.cli._shared.option import Options
from onehop.counted import counted

_GRID = re.compile(r"([1-9][0-9]{0,5})x([1-9][0-9]{0,5})")


def partition(text: str) -> str:
    """Reads 1d, 2d or rows and columns; raises ValueError."""
    if text not in ("1d", "2d") and _GRID.fullmatch(text) is None:
        raise ValueError("1d, 2d or rows and columns as 2x3 are needed")
    return text


def choose_partition(options: Options) -> None:
    """Fills in the number of ranks, and turns `partition` into rows and columns, as 2x3."""
    given = _GRID.fullmatch(options.partition)
    rows, columns = (int(number) for number in given.groups()) if given else (1, 1)
    rank_grid.choose_ranks(options, rows * columns)
    if given is None:
        rows = _most_square(options.ranks) if options.partition == "2d" else 1
        columns = options.ranks // rows
    if rows * columns != options.ranks:
        raise UsageError(
            f"--partition {options.partition} is for {counted(rows * columns, 'rank')}, and "
            f"--ranks is {options.ranks}; give one of the two"
        )
    options.partition = f"{rows}x{columns}"


def rows(options: Options) -> int:
    """Returns the rows of a partition that `choose_partition` has made."""
    return int(options.partition.partition("x")[0])


def _most_square(ranks: int) -> int:
    return max(rows for rows in range(1, math.isqrt(ranks) + 1) if ranks % rows == 0)
