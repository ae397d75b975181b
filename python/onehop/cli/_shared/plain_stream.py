"""Shows the contents of files without letting them control the terminal."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterator
from typing import TextIO

# Controls but for tabs and line breaks, and what changes the direction of text or has no width.
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


class PlainStream:
    """Writes to `bare`, with characters that would control a terminal as numbers, such as \\x1b."""

    def __init__(self, bare: TextIO) -> None:
        self.bare = bare

    def write(self, text: str) -> int:
        self.bare.write(_STEERING.sub(_by_number, text))
        return len(text)

    def writelines(self, lines: list[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> object:
        return getattr(self.bare, name)


def _by_number(found: re.Match[str]) -> str:
    number = ord(found[0])
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"


@contextlib.contextmanager
def plain_streams() -> Iterator[None]:
    """Makes standard output and error plain for as long as a command runs."""
    bare = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (PlainStream(stream) for stream in bare)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = bare
