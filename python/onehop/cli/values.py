"""What the words of a command line are turned into; each raises ValueError."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def whole(least: int, most: int = 2**31 - 1) -> Callable[[str], int]:
    """A whole number from `least` to `most`."""

    def convert(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise ValueError("a whole number is needed") from None
        if number < least:
            raise ValueError(f"the least is {least}")
        if number > most:
            raise ValueError(f"the most is {most}")
        return number

    return convert


def real(text: str) -> float:
    """A finite number."""
    try:
        number = float(text)
    except ValueError:
        raise ValueError("a number is needed") from None
    if not math.isfinite(number):
        raise ValueError("a finite number is needed")
    return number


def positive(text: str) -> float:
    number = real(text)
    if number <= 0:
        raise ValueError("a number above 0 is needed")
    return number


def extents(text: str) -> list[int]:
    """'8x8x8x16' as x, y, z, t."""
    parts = text.replace(",", "x").split("x")
    if len(parts) != 4 or not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise ValueError(
            "four positive whole numbers x y z t are needed, as in 8 8 8 16 or 8x8x8x16"
        )
    return [whole(1)(part) for part in parts]


def grid(text: str) -> list[int]:
    """'32x32x32' as extents of one to four axes."""
    parts = text.replace(",", "x").split("x")
    if len(parts) > 4 or not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise ValueError("one to four positive whole numbers are needed, as in 8 8 8 or 8x8x8")
    return [whole(1)(part) for part in parts]


def file_name(text: str) -> str:
    """A name that is not empty."""
    if not text:
        raise ValueError("a file name is needed")
    return text


def output_name(text: str) -> str:
    """A file to write that cannot be standard output."""
    if text == "-":
        raise ValueError("a file name is needed; this does not go to standard output")
    return file_name(text)
