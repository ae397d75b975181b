"""Lists on the command line are read here; each function raises ValueError."""

import re

from onehop.counted import count_in

_UNITS = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_UNITS_KNOWN = "units are KiB, MiB and GiB"
_WITH_UNIT = re.compile(r"(\d+)([KMG]iB)(?![^,:])")


def names(text: str) -> list[str]:
    """Reads names as 'persistent,fence', each once."""
    parts = text.split(",")
    if not all(parts):
        raise ValueError("names are needed, with commas between")
    return list(dict.fromkeys(parts))


def counts(text: str) -> list[int]:
    """Reads counts as '2,4,8'."""
    found = [count_in(part, 2**63) for part in text.split(",")]
    if not all(found):
        raise ValueError("whole numbers above 0 are needed, as 2,4,8")
    return found


def loads(text: str) -> list[float]:
    """Reads loads as '0.1,0.5'."""
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        found = [0.0]
    if not all(0 < load <= 100 for load in found):
        raise ValueError("numbers above 0 and up to 100 are needed, as 0.1,0.5")
    return found


def counts_or_range(text: str) -> list[int]:
    """Reads counts as '16,64', or '8:1048576', which doubles from the first to the last."""
    first, colon, last = text.partition(":")
    if not colon:
        return counts(text)
    low, high = counts(f"{first},{last}")
    if low > high:
        raise ValueError("the first number of a range is the smallest")
    return [low << k for k in range((high // low).bit_length())]


def sizes_or_range(text: str) -> list[int]:
    """Reads bytes as counts_or_range does, and with units as '96,24KiB' or '8:1MiB'."""
    try:
        return counts_or_range(_in_bytes(text))
    except ValueError as error:
        raise ValueError(f"{error}; {_UNITS_KNOWN}") from None


def size(text: str) -> int:
    """Reads the bytes of a message, as '0', '24576' or '24KiB'."""
    found = count_in(_in_bytes(text), 2**40)
    if not found and text != "0":
        raise ValueError(f"a whole number of bytes up to 1024GiB is needed; {_UNITS_KNOWN}")
    return found


def _in_bytes(text: str) -> str:
    return _WITH_UNIT.sub(lambda m: str(int(m[1]) * _UNITS[m[2]]), text)
