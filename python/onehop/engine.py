"""An engine solves M x = b: an operator and options, given as objects or by name."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from onehop import _core
from onehop.argument import checked
from onehop.tolerance import check_tolerance

if TYPE_CHECKING:
    from onehop.gauge import Gauge

Operator = _core.Wilson | _core.Clover | _core.Staggered | _core.Asqtad | _core.Hisq


# These operators have a mass and no kappa, and no spin.
STAGGERED = ("staggered", "asqtad", "hisq")
PARAMETERS = tuple(name for name, *_ in _core.operator_parameters())
_OTHER_WORDS = (*_core.SolveOptions.names, "source", "options", "keep", "progress")


def reach_of(dslash: str) -> int:
    """Returns how many sites the operator of that name hops: no block may be thinner where it was
    cut."""
    return _core.make_operator(dslash, {"mass": 1.0}).reach


def as_operator(operator: Operator | None, how: dict[str, object]) -> Operator:
    """Returns the operator, or that which `how` names by dslash, kappa, mass and so on; these are
    taken out of it."""
    words = {name: how.pop(name) for name in ("dslash", *PARAMETERS) if name in how}
    # A parameter that is spelt wrong would else be told as a mass that is missing.
    names = ("dslash", *PARAMETERS)
    for name in how:
        near = difflib.get_close_matches(name, (*names, *_OTHER_WORDS), n=1)
        if near and near[0] in names:
            raise _core.UsageError(f"no operator has a parameter {name!r}; did you mean {near[0]}?")
    if operator is None:
        return _core.make_operator(words.pop("dslash", "wilson"), words)
    checked(operator, Operator, "the operator", "onehop.Wilson(kappa=0.13) or another operator")
    if words:
        raise _core.UsageError(f"{operator!r} and {next(iter(words))} both given; give one of them")
    return operator


def as_options(options: _core.SolveOptions | None, how: dict[str, object]) -> _core.SolveOptions:
    """Returns the options with what `how` names in place of what they say."""
    options = _core.SolveOptions() if options is None else options
    replaced = checked(options, _core.SolveOptions, "options", "SolveOptions").replace(**how)
    check_tolerance(replaced)
    return replaced


def shared_options(options: _core.SolveOptions) -> dict[str, object]:
    """Returns the options that every rank has to give alike; where a rank computes is its own
    choice."""
    own = ("threads", "device", "share_device")
    return {name: getattr(options, name) for name in _core.SolveOptions.names if name not in own}


def make_engine(
    gauge: Gauge,
    operator: Operator,
    options: _core.SolveOptions,
    progress: Callable[[int, int, float], None] | None = None,
) -> _core.PropagatorSolver:
    """Makes the solver; collective."""
    options.check(operator)
    gauge.field.exchange_ghosts()
    return _core.PropagatorSolver(gauge.field, operator, options, progress)


def empty_solutions(
    geometry: _core.Geometry, operator: Operator, sources: int
) -> NDArray[np.complex128]:
    """Returns an array for this many fields of this rank's block."""
    return np.zeros((sources, *field_shape(geometry, operator.components)), np.complex128)


def field_shape(geometry: _core.Geometry, components: int) -> tuple[int, ...]:
    """Returns (Lt, Lz, Ly, Lx, 4, 3), or (..., 3) for 3 components: a field of this rank's
    block."""
    return (*reversed(geometry.local), *((4, 3) if components == 12 else (3,)))
