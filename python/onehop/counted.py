"""Writes numbers in messages, as 1 rank or 2 ranks or 8x8x8x16, and reads numbers that a user
has written."""

from collections.abc import Sequence


def counted(number: float, noun: str, plural: str | None = None) -> str:
    """Returns '1 rank' or '2 ranks'; `plural` is for nouns that take more than an s."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def by_x(extents: Sequence[int]) -> str:
    """Returns extents as 8x8x8x16."""
    return "x".join(map(str, extents))


def in_bytes(number: int) -> str:
    """Returns '23.5 GiB', and of less than one '63.5 MiB' or '64 KiB'."""
    if number < 2**20:
        return f"{number / 2**10:.0f} KiB"
    return f"{number / 2**20:.1f} MiB" if number < 2**30 else f"{number / 2**30:.1f} GiB"


def count_in(word: str, most: int = 2**31 - 1) -> int:
    """Returns the number that a word stands for, or 0 where it is none from 1 to `most`."""
    # Thousands of digits are refused by int() with an error of its own.
    number = int(word) if word.isdecimal() and len(word) < 100 else 0
    return number if number <= most else 0
