"""Places ranks on the hosts of a virtual machine: in turn, at random, or as a file says. A host
may have several ranks."""

import random
from collections.abc import Collection
from pathlib import Path

from onehop._core import UsageError
from onehop.counted import count_in, counted

_LINEAR, _RANDOM, _FILE = "linear:", "random:", "file:"


def parse(text: str) -> list[int] | str:
    """Reads '1,3,5' as hosts, counted from 1, or leaves 'linear', 'linear:RANKS', 'random:SEED' and
    'file:NAME' as they are; raises ValueError for anything else."""
    seed, ranks = text.removeprefix(_RANDOM), text.removeprefix(_LINEAR)
    if text in ("linear", f"{_RANDOM}0") or (text.startswith(_RANDOM) and count_in(seed, 2**64)):
        return text
    if text.startswith(_LINEAR) and count_in(ranks):
        return text
    if text.startswith(_FILE) and text != _FILE:
        return text
    found = [count_in(part) for part in text.split(",")]
    if not all(found):
        raise ValueError("hosts as 1,3,5 are needed, or linear:RANKS, random:SEED, file:NAME")
    return found


def is_for_each(given: list[int] | str | None) -> bool:
    """Returns whether a list or a file names a host for each rank, and no rank more."""
    return isinstance(given, list) or (isinstance(given, str) and given.startswith(_FILE))


def hosts(given: list[int] | str | None, installed: int, ranks: int | None) -> list[int]:
    """Returns the host of each of `ranks` ranks, or of all that `installed` ones take; empty where
    ranks go over them in turn. A file has the number of a host for each rank, apart by space or
    lines, and comments after #. Raises UsageError with file and line."""
    if not given or given == "linear":
        return []
    if isinstance(given, list):
        return given
    if given.startswith(_FILE):
        return _read(given.removeprefix(_FILE))
    if given.startswith(_LINEAR):
        on_each = int(given.removeprefix(_LINEAR))
        return [1 + rank // on_each for rank in range(ranks or on_each * installed)]
    # The order of random keys is the same in every version of Python.
    draw = random.Random(int(given.removeprefix(_RANDOM)))
    return [host for _, host in sorted((draw.random(), host) for host in range(1, installed + 1))]


def places(
    given: list[int] | str | None, ranks: int, nodes: int, taken: Collection[int] = ()
) -> list[int]:
    """Returns the node of each of `ranks` ranks, of those of a machine's `nodes` that are not
    `taken`; empty where rank r is on node r of all. Raises UsageError if nodes are missing,
    taken, or named twice."""
    if ranks == nodes and not taken:
        found = hosts(given, nodes, ranks)
        if found and sorted(found) != list(range(1, nodes + 1)):
            raise UsageError(f"--hosts: each of 1 to {nodes} once; got {len(found)} hosts")
        return [host - 1 for host in found]
    free = nodes - len(taken)
    if ranks > free:
        raise UsageError(
            f"a job of {counted(ranks, 'node')} on a machine of {nodes}, of which {free} are free;"
            " give a larger --machine"
        )
    order = hosts(given, nodes, ranks) or range(1, nodes + 1)
    if not is_for_each(given) and len(set(order)) == len(order):
        return [host - 1 for host in order if host - 1 not in taken][:ranks]
    if len(order) != ranks or len(set(order)) != ranks:
        raise UsageError(
            f"--hosts: {counted(ranks, 'different host')} needed, one for each node of the job; "
            f"got {len(order)}"
        )
    for host in order:
        if host > nodes or host - 1 in taken:
            why = f"the machine has {nodes}" if host > nodes else "another job has it"
            raise UsageError(
                f"--hosts: host {host} is not available, since {why}; choose another one"
            )
    return [host - 1 for host in order]


def _read(name: str) -> list[int]:
    try:
        lines = Path(name).read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "not a text"
        raise UsageError(f"cannot read hosts from {name}: {why}") from None
    found: list[int] = []
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].replace(",", " ").split()
        for word in words:
            if not count_in(word):
                raise UsageError(
                    f"{name}:{number}: {word!r} is not the number of a host, from 1 on"
                )
        found += [int(word) for word in words]
    if not found:
        raise UsageError(f"{name} has no hosts; give a number for each rank")
    return found
