"""Reads which functions a program or a shared library needs and has, from its dynamic symbols."""

from __future__ import annotations

import dataclasses
import struct
from typing import TYPE_CHECKING

from onehop._core import FileError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

_MAGIC = b"\x7fELF"
_CLASS_64, _LITTLE_ENDIAN = 2, 1
_DYNAMIC_SYMBOLS = 11
_HEADER = struct.Struct("<16xHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_WEAK = 2


@dataclasses.dataclass(frozen=True)
class Symbol:
    """`defined` is false for what another file must have; a `weak` one may be missing, or gives
    way to another definition."""

    name: str
    defined: bool
    weak: bool


def dynamic_symbols(path: Path) -> list[Symbol]:
    """Returns the dynamic symbols of a 64-bit little-endian ELF file; none where it is linked
    statically. Raises FileError for one that cannot be read, UsageError for one that is no such
    file."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}; give a program's path") from None
    if content[:4] != _MAGIC or content[4:6] != bytes((_CLASS_64, _LITTLE_ENDIAN)):
        raise UsageError(f"{path}: no compiled program for this machine; give one, not a script")
    try:
        return _read(content)
    except (struct.error, IndexError, ValueError):
        raise FileError(f"{path}: the file is truncated or damaged; build it anew") from None


def _read(content: bytes) -> list[Symbol]:
    header = _HEADER.unpack_from(content)
    sections_at, section_bytes, count = header[5], header[10], header[11]
    sections = [
        _SECTION.unpack_from(content, sections_at + i * section_bytes) for i in range(count)
    ]
    found = []
    for _, kind, _, _, offset, size, link, *_ in sections:
        if kind != _DYNAMIC_SYMBOLS:
            continue
        names_at = sections[link][4]
        for at in range(offset + _SYMBOL.size, offset + size, _SYMBOL.size):
            name, info, _, section, _, _ = _SYMBOL.unpack_from(content, at)
            begin = names_at + name
            text = content[begin : content.index(b"\0", begin)].decode()
            found.append(Symbol(text, section != 0, info >> 4 == _WEAK))
    return found
