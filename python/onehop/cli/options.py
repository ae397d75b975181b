"""One table per command; parsing, help, checks and the documentation all read it."""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import types
from typing import TYPE_CHECKING

from onehop._core import UsageError
from onehop.nearest import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


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

    def usage(self) -> str:
        """'-o, --output FILE'"""
        names = f"{self.short}, {self.name}" if self.short else self.name
        shown = self.value if self._is_long_list else "|".join(self.choices) or self.value
        shown = shown if self.alone is None else f"[{shown}]"
        return f"{names} {shown}".rstrip()

    @property
    def _is_long_list(self) -> bool:
        """Choices that go into the help because they leave no room beside it."""
        return len(self.choices) > 8

    def describe(self) -> str:
        """Help with unit and default."""
        notes = [self.unit] if self.unit else []
        if self._is_long_list:
            notes.append(", ".join(self.choices))
        if self.default is not None and not self.is_flag:
            notes.append(f"default {self.default}")
        return f"{self.help} ({', '.join(notes)})" if notes else self.help


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

    def help(self) -> str:
        width = max(len(o.usage()) for o in self.options) + 2
        width = min(width, 30)
        lines = [f"usage: onehop {self.usage}", "", self.summary, ""]
        for option in (*self.options, HELP):
            lines += _two_columns(option.usage(), option.describe(), width)
        if self.notes:
            lines += ["", self.notes]
        if self.examples:
            lines += ["", "examples:", *(f"  {e}" for e in self.examples)]
        return "\n".join(lines) + "\n"


HELP = Option("--help", "this text", short="-h", is_flag=True)


def _two_columns(left: str, right: str, width: int) -> list[str]:
    words, lines, line = right.split(), [], ""
    for word in words:
        if line and len(line) + 1 + len(word) > 96 - width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    lines.append(line)
    if len(left) > width - 1:
        return [f"  {left}", *(f"  {'':{width}}{text}" for text in lines)]
    first, *rest = lines
    return [f"  {left:{width}}{first}", *(f"  {'':{width}}{text}" for text in rest)]


def parse(command: Command, words: Sequence[str]) -> types.SimpleNamespace:
    """The values of all options, keyed as Option.key; raises UsageError."""
    words, program = _split_program(command, list(words))
    parser, joined = _argparse(command), _join_values(command, words)
    if any(o.is_list for o in command.options):
        namespace, rest = parser.parse_known_intermixed_args(joined)
    else:
        namespace, rest = parser.parse_known_args(joined)
    if rest:
        raise UsageError(_unexpected(command, rest[0]))
    values = {o.key: _value(o, getattr(namespace, o.key)) for o in command.options}
    for option in command.options:
        if option.is_required and values[option.key] is None:
            raise UsageError(f"onehop {command.name} needs {option.usage()}: {option.help}")
    return types.SimpleNamespace(**values, **({"program": program} if program is not None else {}))


def wants_help(command: Command, words: Sequence[str]) -> bool:
    """True when -h or --help stands among the command's own words."""
    own, _ = _split_program(command, list(words))
    return "-h" in own or "--help" in own


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:
        raise UsageError(message)


def _argparse(command: Command) -> argparse.ArgumentParser:
    parser = _Parser(add_help=False, allow_abbrev=False, argument_default=None)
    for option in command.options:
        if option.is_positional:
            parser.add_argument(option.key, nargs="*" if option.is_list else "?")
        elif option.is_flag:
            parser.add_argument(option.name, dest=option.key, action="store_true")
        else:
            names = [n for n in (option.short, option.name) if n]
            action = "append" if option.joins else "store"
            parser.add_argument(*names, dest=option.key, action=action)
    return parser


def _split_program(command: Command, words: list[str]) -> tuple[list[str], list[str] | None]:
    if not command.takes_program:
        return words, None
    by_name = _by_name(command)
    position = 0
    while position < len(words) and words[position].startswith("-") and words[position] != "--":
        option = by_name.get(words[position])
        position += 2 if option is not None and not option.is_flag else 1
    program = words[position:]
    return words[:position], program[1:] if program[:1] == ["--"] else program


def _join_values(command: Command, words: list[str]) -> list[str]:
    """Every `--name value` becomes `--name=value`, so that -3e-1 is a value; extents take four."""
    by_name, joined, position = _by_name(command), [], 0
    while position < len(words):
        word = words[position]
        option = by_name.get(word)
        position += 1
        if option is None or option.is_flag:
            joined.append(word)
            continue
        count = _count_values(option, words[position:])
        value = "x".join(words[position : position + count]) if count else option.alone
        joined.append(f"{option.name}={value}")
        position += count
    return joined


def _count_values(option: Option, following: list[str]) -> int:
    if option.alone is not None and (not following or following[0].startswith("-")):
        return 0
    if not following or following[0] == "--":
        raise UsageError(f"{option.name} needs a value: {option.usage()}")
    if not option.is_extents or not following[0].isdecimal():
        if following[0].startswith("--"):
            raise UsageError(f"{option.name} needs a value before {following[0]}: {option.usage()}")
        return 1
    numbers = list(itertools.takewhile(str.isdecimal, following[:4]))
    if len(numbers) < option.least_axes:
        raise UsageError(f"{option.name} needs four numbers x y z t; got {' '.join(numbers)}")
    return len(numbers)


def _by_name(command: Command) -> dict[str, Option]:
    named = [o for o in command.options if not o.is_positional]
    return {o.name: o for o in named} | {o.short: o for o in named if o.short}


def _unexpected(command: Command, word: str) -> str:
    if not word.startswith("-"):
        return f"unexpected argument {word!r} of onehop {command.name}; see --help"
    name = word.partition("=")[0]
    if name in ("-h", "--help"):
        return f"{name} takes no value; got {word}"
    hint = nearest(name, [*_by_name(command), "--help"])
    return f"unknown option {name} of onehop {command.name}{hint or '; see --help'}"


def _value(option: Option, text: object) -> object:
    if option.joins and text is not None:
        text = option.joins.join(text)
    if text is None or text == []:
        return option.type(option.default) if isinstance(option.default, str) else option.default
    if option.is_flag:
        return text
    if option.choices and text not in option.choices:
        hint = nearest(text, option.choices) or f"; choose {', '.join(option.choices)}"
        raise UsageError(f"{option.name} does not know {text!r}{hint}")
    try:
        return [option.type(one) for one in text] if option.is_list else option.type(text)
    except ValueError as error:
        raise UsageError(f"{option.name} {text}: {error}") from None
