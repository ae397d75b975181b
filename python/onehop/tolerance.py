"""Refuses a tolerance that the field of zeros meets, before any iteration."""

from onehop import _core


def check_tolerance(options: _core.SolveOptions) -> None:
    """Raises UsageError for a tolerance of 1 and more: a solve starts with the residual 1."""
    if options.tol >= 1:
        raise _core.UsageError(
            f"tolerance {options.tol:g} is met by zeros, whose residual is 1; give one below 1"
        )
