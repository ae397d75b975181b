"""Arguments of the wrong kind raise one line that says what was given and what is needed."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from onehop import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

    T = TypeVar("T")


def checked(value: object, kind: type[T] | tuple[type[T], ...], what: str, source: str) -> T:
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


def checked_correlator(value: object) -> NDArray[np.float64]:
    """Returns C(t) as float64 (Nt,); raises UsageError for what is no list of real numbers."""
    found = np.asarray(value)
    if found.ndim == 0 or found.dtype.kind not in "fiu":
        shown = f"an array of {found.dtype}" if found.ndim else type(value).__name__
        raise _core.UsageError(
            f"the correlator is {shown}: give real numbers, one for each t, as its .real"
        )
    return found.astype(np.float64)


class Made:
    """An object that has a `_core` once its constructor has run."""

    def __getattr__(self, name: str) -> object:
        if name == "_core":
            raise _core.UsageError(
                f"this {type(self).__name__} was never made: call its constructor"
            )
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
