"""Types of values on the command line, in addition to those of click."""

import math
import os
import re
from collections.abc import Callable
from typing import Generic, TypeVar

import click
from click import Context, Parameter

from onehop.counted import count_in
from onehop.nearest import nearest

T = TypeVar("T")
MOST_SEED = 2**64 - 1
_WITH_UNIT = re.compile(r"[0-9.] *(?:%|[kKMGT]i?B|B|[pnum]?s|min|h)(?:$|[^A-Za-z])")
_TAKES_UNITS = re.compile("[0-9]KiB")


def _without_unit(text: object, param: Parameter | None) -> str:
    """Returns what to do about a number with a unit, as 24KiB or 10us, if the option takes none;
    the help of an option that takes units shows one."""
    about = (getattr(param, "help", None) or "").partition(". ")[0].rstrip(".")
    has_unit = isinstance(text, str) and _WITH_UNIT.search(text)
    if not has_unit or param is None or _TAKES_UNITS.search(about):
        return ""
    return f"; write it without a unit, in that of the option: {about}"


def _said(value: object, wanted: str, error: click.BadParameter) -> str:
    """Returns click's message about a range, and another one where the value is none of a type."""
    if "not a valid" in error.message:
        return f"{value!r}: {wanted} is needed"
    return error.message


class Whole(click.IntRange):
    """A whole number of at least `least`, and at most what a C++ int holds unless `most` says
    more."""

    name, placeholder = "whole number", "N"

    def __init__(self, least: int, most: int = 2**31 - 1) -> None:
        super().__init__(least)
        self._most = most

    def convert(self, value: object, param: Parameter | None, ctx: Context | None) -> int:
        # A file may have a number in the place of a word, which would be cut.
        if isinstance(value, float) and not value.is_integer():
            self.fail(f"{value} is not a whole number", param, ctx)
        try:
            number = super().convert(value, param, ctx)
        except click.BadParameter as error:
            # Launchers of MPI take -np 4, which is read as -n p.
            is_np = value == "p" and param is not None and "-n" in param.opts
            hint = "; -np is -n here" if is_np else _without_unit(value, param)
            self.fail(_said(value, "a whole number", error) + hint, param, ctx)
        if number > self._most:
            self.fail(f"{number} is too large; the most is {self._most}", param, ctx)
        return number


class Real(click.FloatRange):
    """A finite number in a range."""

    name = "number"

    def convert(self, value: object, param: Parameter | None, ctx: Context | None) -> float:
        try:
            number = super().convert(value, param, ctx)
        except click.BadParameter as error:
            self.fail(_said(value, "a number", error) + _without_unit(value, param), param, ctx)
        except OverflowError:
            self.fail("a whole number of so many digits is too large", param, ctx)
        if not math.isfinite(number):
            self.fail(f"{number} is not finite", param, ctx)
        return number


def finite(text: str) -> float:
    """Reads a finite number; raises ValueError."""
    try:
        number = float(text)
    except ValueError:
        raise ValueError("a number is needed") from None
    if not math.isfinite(number):
        raise ValueError("a finite number is needed")
    return number


def whole(text: str) -> int:
    """Reads a whole number that a C++ int holds; raises ValueError."""
    try:
        number = int(text)
    except ValueError:
        raise ValueError("a whole number is needed") from None
    if abs(number) > 2**31 - 1:
        raise ValueError(f"{number} is too large; the most is {2**31 - 1}")
    return number


class Choice(click.Choice):
    """One of some words; another one is refused with the nearest of them."""

    def get_invalid_choice_message(self, value: object, ctx: Context | None) -> str:
        hint = nearest(str(value), self.choices) or f"; choose {', '.join(self.choices)}"
        return f"{value!r} is not known{hint}"


class WholeChoice(Choice):
    """One of some whole numbers."""

    def __init__(self, numbers: tuple[int, ...]) -> None:
        super().__init__([str(number) for number in numbers])

    def convert(self, value: object, param: Parameter | None, ctx: Context | None) -> int:
        return int(super().convert(str(value), param, ctx))


class Parsed(click.ParamType, Generic[T]):
    """The value that the function `read` makes of the text; its ValueError says what is wrong with
    it."""

    def __init__(self, read: Callable[[str], T]) -> None:
        self.name, self._read = read.__name__, read

    def convert(self, value: object, param: Parameter | None, ctx: Context | None) -> T:
        if not isinstance(value, str):
            return value
        try:
            return self._read(value)
        except ValueError as error:
            self.fail(f"{value!r}: {error}{_without_unit(value, param)}", param, ctx)


# What is wanted, and an example, of the least to the most axes.
_WANTED_EXTENTS = {
    (1, 4): ("one to four numbers", "8 8 8 or 8x8x8"),
    (2, 2): ("two numbers x y", "8 8 or 8x8"),
    (2, 3): ("two numbers x y or three x y z", "8 8 or 8x8x8"),
    (3, 3): ("three numbers x y z", "8 8 8 or 8x8x8"),
    (4, 4): ("four numbers x y z t", "8 8 8 16 or 8x8x8x16"),
}


class Extents(click.ParamType):
    """Extents of `least` to `most` axes: '8x8x8x16', or 8 8 8 16 as words; of four axes also
    8.8.8.16, as Grid writes them, which is no fraction."""

    name = "extents"

    def __init__(self, least: int = 4, most: int = 4) -> None:
        self._least, self._most = least, most

    def convert(self, value: object, param: Parameter | None, ctx: Context | None) -> list[int]:
        if isinstance(value, list):
            return value
        between = "[x,.]" if self._least == 4 else "[x,]"
        extents = [count_in(part) for part in re.split(between, value)]
        if not (all(extents) and self._least <= len(extents) <= self._most):
            wanted, example = _WANTED_EXTENTS[self._least, self._most]
            self.fail(f"{value!r}: {wanted} above 0 are needed, as in {example}", param, ctx)
        return extents


def _why_no_text(name: str) -> str:
    try:
        os.fsencode(name).decode()
    except UnicodeDecodeError:
        return "the name has bytes that are not UTF-8; rename the file"
    return "this locale cannot read the name; set LC_ALL to C.UTF-8"


class File(click.ParamType):
    """The name of a file to read, or with `is_output` to write; with `may_be_stdout` it can be -,
    and the ending of a picture gives its format.

    `replaces` says which existing files an output may replace: "results", such as records, pictures
    and reports, but no links and no propagator; "nothing" without --force, for files from which
    other runs continue; "own", as the command itself decides.
    """

    name, placeholder = "file", "FILE"

    def __init__(
        self,
        *,
        is_output: bool = False,
        may_be_stdout: bool = False,
        is_picture: bool = False,
        replaces: str = "results",
    ) -> None:
        self.is_output, self._may_be_stdout = is_output, may_be_stdout
        self.is_picture, self.replaces = is_picture, replaces

    def convert(self, value: str, param: Parameter | None, ctx: Context | None) -> str:
        if not value or value.startswith("--"):
            self.fail(f"{value!r}: a file name is needed", param, ctx)
        if value == "-" and self.is_output and not self._may_be_stdout:
            self.fail("'-': a file name is needed; this does not go to standard output", param, ctx)
        try:
            value.encode()
        except UnicodeEncodeError:
            self.fail(f"{value!r}: {_why_no_text(value)}", param, ctx)
        return value

    def shell_complete(self, ctx: Context, param: Parameter, incomplete: str) -> list:
        return click.Path().shell_complete(ctx, param, incomplete)


POSITIVE = Real(min=0, min_open=True)
INPUT = File()
OUTPUT = File(is_output=True)
PICTURE = File(is_output=True, is_picture=True)
KEPT_OUTPUT = File(is_output=True, replaces="nothing")
