"""Reads which functions a program or a shared library needs and has, from its dynamic symbols, and
which libraries it is linked with."""

import dataclasses
import struct
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from onehop._core import FileError, UsageError

T = TypeVar("T")


_MAGIC = b"\x7fELF"
_CLASS_64, _LITTLE_ENDIAN = 2, 1
_DYNAMIC, _DYNAMIC_SYMBOLS = 6, 11
_ENTRY = struct.Struct("<qQ")
_NEEDED = 1
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
    statically. Raises FileError for one that cannot be read, UsageError for a file of another
    kind."""
    return _read(path, _symbols)


def needed_libraries(path: Path) -> list[str]:
    """Returns the names of the libraries that the file is linked with, as libmpi_abi.so.1; raises
    as `dynamic_symbols` does."""
    return _read(path, _libraries)


def _read(path: Path, read: Callable[[bytes, list[tuple[int, ...]]], list[T]]) -> list[T]:
    """Returns what `read` finds in the content of the file and in its sections."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}; give a program's path") from None
    if content[:4] != _MAGIC or content[4:6] != bytes((_CLASS_64, _LITTLE_ENDIAN)):
        raise UsageError(f"{path}: no compiled program for this machine; give one, not a script")
    try:
        return read(content, _sections(content))
    except (struct.error, IndexError, OverflowError, ValueError):
        raise FileError(f"{path}: the file is truncated or damaged; build it anew") from None


def _sections(content: bytes) -> list[tuple[int, ...]]:
    header = _HEADER.unpack_from(content)
    sections_at, section_bytes, count = header[5], header[10], header[11]
    return [_SECTION.unpack_from(content, sections_at + i * section_bytes) for i in range(count)]


def _text(content: bytes, begin: int) -> str:
    return content[begin : content.index(b"\0", begin)].decode()


def _libraries(content: bytes, sections: list[tuple[int, ...]]) -> list[str]:
    found = []
    for _, kind, _, _, offset, size, link, *_ in sections:
        if kind != _DYNAMIC:
            continue
        for at in range(offset, offset + size, _ENTRY.size):
            tag, value = _ENTRY.unpack_from(content, at)
            if tag == _NEEDED:
                found.append(_text(content, sections[link][4] + value))
    return found


def _symbols(content: bytes, sections: list[tuple[int, ...]]) -> list[Symbol]:
    found = []
    for _, kind, _, _, offset, size, link, *_ in sections:
        if kind != _DYNAMIC_SYMBOLS:
            continue
        names_at = sections[link][4]
        for at in range(offset + _SYMBOL.size, offset + size, _SYMBOL.size):
            name, info, _, section, _, _ = _SYMBOL.unpack_from(content, at)
            found.append(Symbol(_text(content, names_at + name), section != 0, info >> 4 == _WEAK))
    return found
