"""Makes the options of an operator and of its solve from what the library says about them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from onehop import _core
from onehop._core import SolveOptions, UsageError
from onehop.cli._shared.option import Options, flag, option
from onehop.cli._shared.values import Choice, Parsed, WholeChoice, finite, whole
from onehop.tolerance import check_tolerance

if TYPE_CHECKING:
    from onehop.engine import Operator

# This word stands for --naik-epsilon from the mass.
_TREE = "tree"
_PARAMETERS = {name: (help, default) for name, help, default, _ in _core.operator_parameters()}
PARAMETERS = tuple(_PARAMETERS)
OPERATORS = tuple(_core.dslash_names())


def flag_of(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _placeholder(name: str) -> str:
    """Returns what stands for the value of a number: MU, or M for mass."""
    return (name if len(name) < 3 else name[0]).upper()


def _checked(name: str, number: Callable[[str], object]) -> Callable[[str], object]:
    """Checks by SolveOptions whether a number is of the right kind."""

    def read(text: str) -> object:
        value = number(text)
        try:
            options = SolveOptions(**{name: value})
            options.check()
            check_tolerance(options)
        except UsageError as error:
            raise ValueError(str(error)) from None
        return value

    return read


def solve_option(name: str, **changes: object) -> click.Option:
    """Makes the option for an attribute of SolveOptions."""
    usual, choices = getattr(SolveOptions(), name), SolveOptions.choices.get(name, ())
    settings = {"help": SolveOptions.help[name], "default": usual} | changes
    if isinstance(usual, bool):
        return flag(flag_of(name), settings["help"])
    if choices and "type" not in settings:
        is_word = isinstance(choices[0], str)
        settings["type"] = Choice(choices) if is_word else WholeChoice(choices)
    elif "type" not in settings:
        is_real = isinstance(usual, float)
        settings["type"] = Parsed(_checked(name, finite if is_real else whole))
        settings["value"] = _placeholder(name) if is_real else "N"
    return option(flag_of(name), **settings)


def _real_or_tree(text: str) -> float | str:
    return text if text == _TREE else finite(text)


def parameter_option(name: str, **changes: object) -> click.Option:
    """Makes the option for a parameter of an operator."""
    help, usual = _PARAMETERS[name]
    is_epsilon = name == "naik_epsilon"
    if is_epsilon:
        help = f"{help.rstrip('.')}; {_TREE}: as the free quark of --mass needs."
    if usual is not None:
        help = f"{help.rstrip('.')} (default: {usual:g})."
    read = Parsed(_real_or_tree if is_epsilon else finite)
    value = f"E|{_TREE}" if is_epsilon else _placeholder(name)
    return option(flag_of(name), **({"help": help, "type": read, "value": value} | changes))


def operator_of(options: Options, mass: float | None = None) -> Operator:
    """Returns the operator that the options name, and fills in its other parameters; `mass` is
    for commands that have no option for it."""
    given = {flag_of(name): getattr(options, name, None) for name in PARAMETERS}
    if mass is not None:
        given["--mass"] = mass
    if given["--kappa"] is None and given["--mass"] is None:
        raise UsageError("the quark mass is missing; give --mass, or --kappa of wilson and clover")
    if given["--naik-epsilon"] == _TREE:
        if options.dslash != "hisq":
            raise UsageError(
                f"--naik-epsilon tree is for hisq; {options.dslash} has no Naik term to change"
            )
        given["--naik-epsilon"] = _tree_level(options)
    operator = _core.make_operator(options.dslash, given)
    for name in set(PARAMETERS) - {"kappa", "mass"}:
        if hasattr(operator, name) and hasattr(options, name):
            setattr(options, name, getattr(operator, name))
    return operator


def _tree_level(options: Options) -> float:
    if options.masses is not None:
        raise UsageError(
            "--naik-epsilon tree needs a single --mass; give a number, which then holds for all "
            "--masses"
        )
    return 0.0 if options.mass is None else _core.tree_level_naik_epsilon(options.mass)


def _check_several(options: Options) -> None:
    """Checks --shifts and --masses, with which --mass becomes the smallest."""
    given = [name for name in ("shifts", "masses") if getattr(options, name) is not None]
    if not given:
        return
    if len(given) == 2:
        raise UsageError("--shifts and --masses both given; give one of them")
    for name in ("rhs", "out", "plot", "smear_sink"):
        if getattr(options, name) is not None:
            raise UsageError(f"{flag_of(name)} is for one system; leave it or --{given[0]} out")
    for name in ("mesons", "baryons"):
        if getattr(options, name):
            raise UsageError(f"--{name} are for one propagator; leave them or --{given[0]} out")
    if options.masses is None:
        return
    if options.mass is not None:
        raise UsageError("--mass and --masses both given; give one of them")
    options.mass = min(options.masses)


def system_of(options: Options) -> tuple[Operator, SolveOptions]:
    """Returns the operator and the options of its solve, or of one per shift or mass; raises
    UsageError for combinations that cannot be solved."""
    _check_several(options)
    operator = operator_of(options)
    how = SolveOptions(**{name: getattr(options, name) for name in SolveOptions.names})
    how.check(operator)
    if options.shifts is not None:
        _core.check_shifts(options.shifts, operator, how)
    if options.masses is not None:
        _core.check_masses(options.masses, operator, how)
    return operator, how
