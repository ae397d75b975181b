"""Reads the source of `onehop solve`, and checks whether it suffices for what is asked of it."""

from collections.abc import Sequence

from onehop._core import UsageError
from onehop.baryons import whether_baryons
from onehop.cli._shared.option import Options
from onehop.counted import by_x
from onehop.engine import Operator
from onehop.source import Source, as_source


def source_of(options: Options, operator: Operator, lattice: Sequence[int]) -> Source:
    """Returns the source that the options name; raises UsageError for one outside the lattice, and
    for hadrons that the source does not have."""
    try:
        source = as_source(options.source)
    except UsageError as error:
        raise UsageError(f"--{error}") from None
    if not all(0 <= s < n for s, n in zip(source.site, lattice, strict=True)):
        raise UsageError(f"--source {source} is outside the lattice {by_x(lattice)}")
    if options.mesons and not source.has_mesons:
        raise UsageError(
            f"--mesons need every spin and colour of a point or wall, not --source {source}"
        )
    why_not = whether_baryons(operator, source) if options.baryons else None
    if why_not:
        raise UsageError(f"--baryons need a propagator {why_not}")
    return source
