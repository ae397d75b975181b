"""Declares parameters of commands for click, in few words."""

import types

import click

from onehop.cli._shared.values import Choice


class Options(types.SimpleNamespace):
    """What a command was given: an attribute for each of its parameters."""


class Option(click.Option):
    """An option that is only for `of`, some of the words that an argument chooses from (by
    default all), and that has a meaning only with `needs`, another option or an argument."""

    def __init__(
        self, *args: object, of: tuple[str, ...] = (), needs: str | None = None, **settings: object
    ) -> None:
        super().__init__(*args, **settings)
        self.of, self.needs = of, needs


def option(
    names: str,
    help: str,
    type: click.ParamType | tuple[str, ...] | None = None,
    value: str | None = None,
    **settings: object,
) -> Option:
    """Makes '-o --output' with its type, or the words to choose from, and the help's name for its
    value, by default that of the type."""
    of = Choice(type) if isinstance(type, tuple) else type
    metavar = value or getattr(of, "placeholder", None)
    return Option(names.split(), type=of, metavar=metavar, help=help, **settings)


def flag(name: str, help: str, **settings: object) -> Option:
    return Option([name], is_flag=True, help=help, **settings)


def argument(
    name: str,
    help: str,
    type: click.ParamType | tuple[str, ...] | None = None,
    **settings: object,
) -> click.Argument:
    of = Choice(type) if isinstance(type, tuple) else type
    return click.Argument([name.lower()], type=of, help=help, **settings)


def shown_name(param: click.Parameter) -> str:
    """Returns how messages call a parameter: an argument by its name, an option by the first of its
    long names."""
    if isinstance(param, click.Argument):
        return param.name.upper()
    return next((name for name in param.opts if name.startswith("--")), param.opts[-1])
