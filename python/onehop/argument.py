"""Arguments of the wrong kind raise one line that says what was given and what is needed."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, TypeVar

from onehop import _core

if TYPE_CHECKING:
    T = TypeVar("T")


def checked(value: object, kind: type[T], what: str, source: str) -> T:
    """Returns `value`; raises UsageError where it is no `kind`, saying from which `source` one
    is."""
    if not isinstance(value, kind):
        raise _core.UsageError(f"{what} is of type {type(value).__name__}: give {source}")
    return value


def checked_context(value: object, what: str) -> _core.Context:
    return checked(value, _core.Context, f"the context of {what}", "the Context of onehop.join()")


def checked_number(value: object, what: str) -> int:
    """Returns a whole number; raises UsageError for anything else."""
    try:
        return operator.index(value)
    except TypeError:
        raise _core.UsageError(
            f"{what} is of type {type(value).__name__}: give a whole number"
        ) from None


class Made:
    """An object that has a `_core` once its constructor has run."""

    def __getattr__(self, name: str) -> object:
        if name == "_core":
            raise _core.UsageError(
                f"this {type(self).__name__} was never made: call its constructor"
            )
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
