"""Makes scripts of more or fewer ranks than were recorded, each with as much to do (weak scaling).

That needs a program whose ranks all do the same: messages on a periodic Cartesian communicator of
all ranks, to partners at the same offsets, and collectives of all ranks.
"""

import dataclasses
import math
from collections.abc import Sequence

from onehop._core import UsageError
from onehop.counted import by_x, counted
from onehop.mpi_replay import Script
from onehop.recordings import BEGUN, COLLECTIVES, COMMUNICATORS

# Where the partners stand in an event, from the kind on.
_PARTNERS = {
    **dict.fromkeys(("send", "ssend", "bsend", "recv", "probe", *BEGUN), (4,)),
    "sendrecv": (4, 7),
}
_ADVICE = "so that it can be replayed only by as many ranks as were recorded"


def rescale(scripts: list[Script], extents: Sequence[int]) -> list[Script]:
    """Returns the scripts for a grid of these extents; raises UsageError if this module cannot
    rescale the program."""
    recorded = _recorded_grid(scripts[0], len(scripts))
    if len(recorded) != len(extents):
        raise UsageError(
            f"--grid {by_x(extents)}: the program's grid has {len(recorded)} axes, {by_x(recorded)}"
        )
    model = [_Relative(one, rank, recorded, extents).events() for rank, one in enumerate(scripts)]
    for rank, events in enumerate(model):
        _check_alike(model[0], events, rank)
    ranks = math.prod(extents)
    return [_placed(model[0], scripts, rank, recorded, extents) for rank in range(ranks)]


def _recorded_grid(first: Script, ranks: int) -> list[int]:
    grids = [e[6] for e in first.events if e[0] == "cart" and math.prod(e[6]) == ranks]
    if not grids:
        raise UsageError(
            f"the program has made no Cartesian grid of all its {ranks} ranks, {_ADVICE}"
        )
    return grids[0]


def _coordinates(rank: int, extents: Sequence[int]) -> list[int]:
    found = []
    for extent in reversed(extents):
        found.append(rank % extent)
        rank //= extent
    return found[::-1]


def _rank_at(coordinates: Sequence[int], extents: Sequence[int]) -> int:
    rank = 0
    for at, extent in zip(coordinates, extents, strict=True):
        rank = rank * extent + at % extent
    return rank


@dataclasses.dataclass
class _Relative:
    """A script whose partners are offsets on the recorded grid."""

    script: Script
    rank: int
    recorded: Sequence[int]
    wanted: Sequence[int]
    whole: set[int] = dataclasses.field(default_factory=lambda: {0})
    grids: set[int] = dataclasses.field(default_factory=set)

    def events(self) -> list[list]:
        """Returns the events without computing times and sites; each partner is an offset."""
        return [self._relative(event) for event in self.script.events]

    def _refuse(self, why: str) -> UsageError:
        return UsageError(f"rank {self.rank} {why}, {_ADVICE}")

    def _relative(self, event: list) -> list:
        kind, numbers = event[0], event[3:]
        if kind in COMMUNICATORS:
            self._note(kind, numbers)
            # The rank in a grid of all ranks is that in the job.
            return [kind, *numbers[:2]]
        if kind in COLLECTIVES:
            if numbers[0] not in self.whole or any(isinstance(n, list) for n in numbers):
                raise self._refuse(
                    f"calls MPI_{kind.capitalize()} with a list of counts or on some ranks alone"
                )
        elif kind in _PARTNERS:
            if numbers[0] not in self.grids:
                raise self._refuse(f"has messages ({kind}) on another communicator than the grid")
            numbers = list(numbers)
            for place in _PARTNERS[kind]:
                numbers[place - 3] = self._offset(numbers[place - 3])
        return [kind, *numbers]

    def _note(self, kind: str, numbers: list) -> None:
        parent, made, rank = numbers[:3]
        if kind not in ("dup", "cart") or parent not in self.whole or rank != self.rank:
            raise self._refuse(
                f"makes a communicator ({kind}) that does not have all ranks in order"
            )
        if kind == "cart":
            if numbers[3] != self.recorded or not all(numbers[4]):
                raise self._refuse(
                    f"makes a grid of {by_x(numbers[3])} that is not periodic, or another one "
                    "before"
                )
            self.grids.add(made)
        elif parent in self.grids:
            self.grids.add(made)
        self.whole.add(made)

    def _offset(self, partner: int) -> tuple[int, ...]:
        if partner < 0:
            raise self._refuse("sends to nobody or receives from nobody")
        here = _coordinates(self.rank, self.recorded)
        there = _coordinates(partner, self.recorded)
        return tuple(
            self._along(axis, b - a) for axis, (a, b) in enumerate(zip(here, there, strict=True))
        )

    def _along(self, axis: int, distance: int) -> int:
        extent = self.recorded[axis]
        forward = distance % extent
        if extent == self.wanted[axis]:
            return forward
        # Where one step forward is one step back, or no step, nobody knows which it was.
        if 2 * forward == extent or extent == 1:
            raise UsageError(
                f"the recorded grid {by_x(self.recorded)} has {counted(extent, 'rank')} along axis "
                f"{axis}, which does not tell forward from backward; record the program on 3 or "
                "more there, or leave that extent as it is"
            )
        return forward if 2 * forward < extent else forward - extent


def _check_alike(first: list[list], other: list[list], rank: int) -> None:
    for number, (one, two) in enumerate(zip(first, other, strict=False)):
        if one != two:
            raise UsageError(
                f"ranks 0 and {rank} differ in their event {number + 1}, {one[0]} and {two[0]}: "
                f"not all ranks do the same, {_ADVICE}"
            )
    if len(first) != len(other):
        raise UsageError(
            f"rank 0 has {len(first)} events and rank {rank} {len(other)}: not all ranks do the "
            f"same, {_ADVICE}"
        )


def _placed(
    model: list[list],
    scripts: list[Script],
    rank: int,
    recorded: Sequence[int],
    extents: Sequence[int],
) -> Script:
    """Returns the script of a rank: it computes as the recorded rank that the old grid, repeated,
    has at its place."""
    here = _coordinates(rank, extents)
    twin = scripts[_rank_at(here, recorded)]
    events = []
    for event, own in zip(model, twin.events, strict=True):
        kind, *numbers = event
        if kind in COMMUNICATORS:
            numbers = [*numbers, rank, *own[6:]]
            if kind == "cart":
                numbers[3] = list(extents)
        for place in _PARTNERS.get(kind, ()):
            there = [a + b for a, b in zip(here, numbers[place - 3], strict=True)]
            numbers[place - 3] = _rank_at(there, extents)
        events.append([kind, *own[1:3], *numbers])
    return Script(math.prod(extents), events)
