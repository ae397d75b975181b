"""The request of `onehop solve`: each option is read once, and refused before a rank starts."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from onehop import launch
from onehop._core import SolveOptions, UsageError
from onehop.cli._shared import device as devices
from onehop.cli._shared import job, rank_grid, solving
from onehop.cli._shared.option import Options
from onehop.cli.solve.source import source_of
from onehop.engine import Operator
from onehop.gauge import inspect_gauge
from onehop.lattice_files.formats import check_array_name
from onehop.source import Source

# A site has four matrices of nine complex numbers.
_LINK_BYTES = 4 * 9 * 16


@dataclass(frozen=True)
class Request:
    """The system and how it is solved; the links and what becomes of the solutions are in
    `options`, in which the grid and all that follows from other options are filled in."""

    operator: Operator
    how: SolveOptions
    source: Source
    options: Options


def request_of(options: Options) -> Request:
    """Returns the request that the options make; raises UsageError if it cannot be solved."""
    _check_words(options)
    lattice = _lattice(options)
    operator, how = solving.system_of(options)
    source = source_of(options, operator, lattice)
    rank_grid.choose_grid(options, lattice, operator.reach)
    # Another launcher may have started the other ranks on other machines.
    blocks = options.ranks if launch.rank_and_size() else 1
    links_bytes = math.prod(lattice) * _LINK_BYTES // blocks
    job.check_memory(links_bytes, "the links alone take", "take a smaller lattice")
    devices.check(options)
    if options.plot and not source.has_correlator:
        raise UsageError(
            f"--plot draws the correlator, which --source {source} does not have; leave --plot out"
        )
    return Request(operator, how, source, options)


def _check_words(options: Options) -> None:
    if (options.config is None) == (options.lattice is None):
        both = options.config is not None
        raise UsageError(
            f"{'both' if both else 'neither'} CONFIG {'and' if both else 'nor'} --lattice given; "
            "give one of them"
        )
    smeared = options.smear_source or options.smear_sink
    if options.smear_links is not None and not smeared:
        raise UsageError("--smear-links go with --smear-source or --smear-sink; give one of them")
    if options.out is not None:
        check_array_name(options.out)
    if options.momenta is not None and not (options.mesons or options.baryons):
        raise UsageError("--momenta are those of the hadrons; give --mesons or --baryons too")


def _lattice(options: Options) -> Sequence[int]:
    if options.config is None:
        options.start = options.start or "hot"
        options.seed = 1 if options.seed is None else options.seed
        return options.lattice
    if options.start is not None or options.seed is not None:
        raise UsageError("--start and --seed go with --lattice, not with a CONFIG that is read")
    return inspect_gauge(options.config).lattice
