"""Chooses the number of steps of an application."""

import math
from collections.abc import Callable

from onehop._core import UsageError
from onehop.cli._shared.option import Options

_MOST = 2**31 - 1


def fill_in_steps(options: Options, usual: Callable[[Options], int]) -> None:
    """Fills in steps where they were not given; raises UsageError if `usual` returns more than
    a C++ int holds."""
    if options.steps is not None:
        return
    try:
        steps: float = usual(options)
    except (OverflowError, ZeroDivisionError):
        steps = math.inf
    if steps > _MOST:
        raise UsageError(
            f"--setup {options.setup} with these options takes {steps:.3g} steps; give fewer "
            f"--steps, at most {_MOST}, or other options"
        )
    options.steps = steps
