"""Formulas compute from the records of commands: a quotient, a share, the size of a crossing.

A formula is a Python expression. The names of commands stand for their records: `mpi.value` is the
first number that a benchmark has found, `mpi.values` are all, `mpi.best` is the largest and
`mpi.at(8)` that of a size; other names are keys of the record, as `mpi.time_per_iteration_us`.
"""

import functools
from collections.abc import Mapping

from onehop.reproduce.session import Session


class Reading:
    """A record, as formulas see it."""

    def __init__(self, record: Mapping) -> None:
        self._record = record

    @property
    def values(self) -> list[float]:
        return [sample["value"] for sample in self._record["samples"]]

    @property
    def sizes(self) -> list[int]:
        return [sample["size_bytes"] for sample in self._record["samples"]]

    @property
    def value(self) -> float:
        return self.values[0]

    @property
    def best(self) -> float:
        return max(self.values)

    def at(self, size_bytes: int) -> float:
        return self.values[self.sizes.index(size_bytes)]

    def share(self, stage: str) -> float:
        """Returns the share of the time in which a stage of a virtual machine was busy."""
        return self._record["samples"][0]["virtual"]["stage_shares"][stage]

    def __getattr__(self, name: str) -> object:
        try:
            return self._record[name]
        except KeyError:
            raise AttributeError(name) from None


def last_ahead(one: Reading, other: Reading) -> int:
    """Returns the largest size at which `one` takes no longer than `other`; 0 where there is
    none."""
    return max((size for size in one.sizes if one.at(size) <= other.at(size)), default=0)


def first_behind(one: Reading, other: Reading) -> float:
    """Returns the smallest size at which `one` takes longer than `other`."""
    return min((n for n in one.sizes if one.at(n) > other.at(n)), default=float("inf"))


def cut(new: float, old: float) -> float:
    """Returns how many percent of the time are saved."""
    return 100 * (1 - new / old)


def largest_cut(new: Reading, old: Reading) -> float:
    """Returns the largest cut over all sizes."""
    return max(cut(a, b) for a, b in zip(new.values, old.values, strict=True))


def evaluate(
    formula: str, known: Mapping[str, object], session: Session | None = None
) -> float | int:
    """Returns the number that the formula gives of what is `known` by name; `netsim.load` in it
    reads machines as the session has them."""
    words = {each.__name__: each for each in (last_ahead, first_behind, cut, largest_cut)}
    words |= {each.__name__: each for each in (min, max, abs)}
    return eval(_compiled(formula), {"__builtins__": {}, "netsim": session} | words | dict(known))


@functools.cache
def _compiled(formula: str) -> object:
    return compile(formula, f"<{formula}>", "eval")
