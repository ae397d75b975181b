"""The table of `onehop solve`."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclasses.dataclass(frozen=True)
class Option:
    """`name` as typed, "--tol" or for a positional argument "CONFIG"; a positional one that
    `is_list` takes all that stand there."""

    name: str
    help: str
    type: Callable[[str], object] = str
    default: object = None
    value: str = ""
    unit: str = ""
    choices: tuple[str, ...] = ()
    short: str = ""
    is_flag: bool = False
    is_required: bool = False
    is_extents: bool = False
    least_axes: int = 4
    """Numbers that extents need; there are four at most."""
    is_list: bool = False
    joins: str = ""
    """What stands between the values of an option that was given several times; the last counts
    where this is empty."""
    alone: str | None = None
    """What the name means without a value; None where it needs one."""

    @property
    def key(self) -> str:
        return self.name.lstrip("-").replace("-", "_").lower()

    @property
    def is_positional(self) -> bool:
        return not self.name.startswith("-")


@dataclasses.dataclass(frozen=True)
class Command:
    """`takes_program` leaves everything from the first plain word on in `program`."""

    name: str
    summary: str
    usage: str
    options: tuple[Option, ...]
    notes: str = ""
    takes_program: bool = False
    examples: tuple[str, ...] = ()
