"""Reads a network of switches from a file: a cable or hosts a line."""

from pathlib import Path
from typing import NamedTuple

from onehop._core import UsageError
from onehop.counted import count_in


class Graph(NamedTuple):
    """Switches by name, in the order in which the file names them; cables and the switch of every
    node by the switches' numbers."""

    names: tuple[str, ...]
    edges: tuple[tuple[int, int], ...]
    host_switch: tuple[int, ...]


def read(name: str) -> Graph:
    """Reads a file whose lines are `A B`, a cable between two switches, or `host A [COUNT]`, nodes
    on a switch; nodes are numbered as they stand there. What follows # is ignored. Raises
    UsageError with file and line."""
    try:
        lines = Path(name).read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "not a text"
        raise UsageError(f"cannot read graph file {name}: {why}") from None
    numbers: dict[str, int] = {}
    edges: list[tuple[int, int]] = []
    hosts: list[int] = []
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if words[0] == "host":
            switch, count = _host(f"{name}:{number}", words)
            hosts += [numbers.setdefault(switch, len(numbers))] * count
        elif len(words) == 2 and words[0] != words[1]:
            a, b = (numbers.setdefault(word, len(numbers)) for word in words)
            edges.append((a, b))
        else:
            raise UsageError(f"{name}:{number}: a cable is two switches; got {line.strip()!r}")
    if not hosts:
        raise UsageError(f"{name}: no line host SWITCH; nothing can send")
    return Graph(tuple(numbers), tuple(edges), tuple(hosts))


def _host(where: str, words: list[str]) -> tuple[str, int]:
    count = words[2] if len(words) == 3 else "1"
    if not 2 <= len(words) <= 3 or not count_in(count, 2**22):
        raise UsageError(f"{where}: hosts are host SWITCH [COUNT]; got {' '.join(words)!r}")
    return words[1], int(count)
