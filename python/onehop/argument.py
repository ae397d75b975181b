"""Checks arguments: an error is one line that says what was given and what is needed."""

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from onehop import _core

T = TypeVar("T")


def checked(value: object, kind: type[T] | tuple[type[T], ...], what: str, source: str) -> T:
    """Returns `value`; raises UsageError, which names the `source` of one, if it is not a
    `kind`."""
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


def checked_int(value: object, what: str, least: int = -(2**31), most: int = 2**31 - 1) -> int:
    """Returns a whole number from `least` to `most`, by default the range of a C++ int; raises
    UsageError for anything else."""
    number = checked_number(value, what)
    if not least <= number <= most:
        raise _core.UsageError(f"{what} is {number}: give a whole number from {least} to {most}")
    return number


def checked_seed(value: object, what: str) -> int:
    """Returns a seed; raises UsageError for anything but a whole number from 0 to 2^64-1."""
    seed = checked_number(value, what)
    if not 0 <= seed < 2**64:
        raise _core.UsageError(f"{what} is {seed}: give a whole number from 0 to 2^64-1")
    return seed


def checked_numbers(values: object, what: str) -> list[float]:
    """Returns real numbers; raises UsageError for anything but a list or an array of them."""
    found = np.asarray(values) if isinstance(values, (Sequence, np.ndarray)) else np.array(None)
    if found.ndim != 1 or found.size and found.dtype.kind not in "fiu":
        raise _core.UsageError(f"{what} are {values!r}: give a list of numbers, as [0.1, 0.2]")
    return found.astype(np.float64).tolist()


def as_array(values: object, what: str) -> np.ndarray:
    """Returns an array; raises UsageError for lists of different lengths, of which none can be
    made."""
    try:
        return np.asarray(values)
    except ValueError:
        raise _core.UsageError(
            f"{what}: lists that differ in length; give lists of equal length"
        ) from None


def checked_field(values: object, what: str) -> NDArray[np.complex128]:
    """Returns a contiguous array complex128; raises UsageError for anything but numbers."""
    found = np.asarray(values)
    if found.dtype.kind not in "fciu":
        raise _core.UsageError(f"{what} is an array of {found.dtype}: give complex numbers")
    return np.ascontiguousarray(found, np.complex128)


def checked_correlator(value: object) -> NDArray[np.float64]:
    """Returns C(t) as float64 (Nt,); raises UsageError for anything but a list of real numbers."""
    found = as_array(value, "the correlator")
    if found.ndim != 1 or found.dtype.kind not in "fiu":
        shown = f"an array of {found.dtype}" if found.ndim else type(value).__name__
        if found.ndim > 1:
            shown = f"an array of shape {found.shape}"
        is_one = found.ndim == 0 and found.dtype.kind in "fiu"
        raise _core.UsageError(
            "the correlator is a single number: give one number for each t; jackknife and "
            "gamma_method take a row of these for each configuration"
            if is_one
            else f"the correlator is {shown}: give real numbers, one for each t, as its .real"
        )
    return found.astype(np.float64)


class Made:
    """An object that has attributes once its constructor has run."""

    if not TYPE_CHECKING:  # where names that do not exist are to be found out

        def __getattr__(self, name):
            is_python_s = name.startswith("__")  # which asks for what copies and pickles need
            if not self.__dict__ and not is_python_s:
                raise _core.UsageError(
                    f"this {type(self).__name__} was never initialised: call its constructor"
                )
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
