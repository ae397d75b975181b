"""What `onehop solve` is asked for: each option is read once, and refused before a rank starts."""

from collections.abc import Sequence
from dataclasses import dataclass

from onehop._core import SolveOptions, UsageError
from onehop.baryons import whether_baryons
from onehop.cli._shared import device as devices
from onehop.cli._shared import job, solving
from onehop.cli._shared.option import Options
from onehop.engine import Operator
from onehop.gauge import inspect_gauge
from onehop.source import Source, as_source


@dataclass(frozen=True)
class Request:
    """The system and how it is solved; the links and what becomes of the solutions are in
    `options`, in which the grid and all that follows from other options are filled in."""

    operator: Operator
    how: SolveOptions
    source: Source
    options: Options


def request_of(options: Options) -> Request:
    """Raises UsageError for what cannot be solved, or not so."""
    _check_links(options)
    operator, how = solving.system_of(options)
    try:
        source = as_source(options.source)
    except UsageError as error:
        raise UsageError(f"--{error}") from None
    lattice = _lattice(options)
    if not all(0 <= s < n for s, n in zip(source.site, lattice, strict=True)):
        raise UsageError(f"--source {source} is outside the lattice {'x'.join(map(str, lattice))}")
    _check_hadrons(source, operator, options)
    job.settle_grid(options, lattice, operator.reach)
    devices.check(options)
    if options.plot and not source.has_correlator:
        raise UsageError(
            f"--plot draws the correlator, which --source {source} has not; leave --plot out"
        )
    return Request(operator, how, source, options)


def _check_links(options: Options) -> None:
    if (options.config is None) == (options.lattice is None):
        both = options.config is not None
        raise UsageError(
            f"{'both' if both else 'neither'} CONFIG {'and' if both else 'nor'} --lattice given; "
            "give one of them"
        )


def _lattice(options: Options) -> Sequence[int]:
    if options.config is None:
        options.start = options.start or "hot"
        options.seed = 1 if options.seed is None else options.seed
        return options.lattice
    if options.start is not None or options.seed is not None:
        raise UsageError("--start and --seed go with --lattice, not with a CONFIG that is read")
    return inspect_gauge(options.config).lattice


def _check_hadrons(source: Source, operator: Operator, options: Options) -> None:
    if options.mesons and not source.has_mesons:
        raise UsageError(
            f"--mesons need every spin and colour of a point or wall, not --source {source}"
        )
    why_not = whether_baryons(operator, source) if options.baryons else None
    if why_not:
        raise UsageError(f"--baryons need a propagator {why_not}")
    smeared = options.smear_source or options.smear_sink
    if options.smear_links is not None and not smeared:
        raise UsageError("--smear-links go with --smear-source or --smear-sink; give one of them")
    if options.momenta is not None and not (options.mesons or options.baryons):
        raise UsageError("--momenta are those of the hadrons; give --mesons or --baryons too")
