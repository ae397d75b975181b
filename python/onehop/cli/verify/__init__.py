"""The options of `onehop verify`."""

from onehop.cli._shared import options as shared
from onehop.cli._shared.command import Command
from onehop.cli._shared.option import argument, option
from onehop.cli._shared.values import INPUT, Real

COMMAND = Command(
    "verify",
    [
        argument(
            "FILE",
            "A gauge configuration, a propagator, eigenvectors, several fields of links or "
            "correlators, in any known format.",
            INPUT,
        ),
        option(
            "--against",
            "Compare with the field in this file, whose format and precision may be others.",
            INPUT,
            "OTHER",
        ),
        option(
            "--tol",
            "What they may differ by: links absolutely, propagators and other fields relative to "
            "the largest number of a source at a site, correlators and eigenvalues relative to "
            "each (default: what rounding to both precisions explains).",
            Real(min=0),
            "T",
        ),
        shared.ALLOW_NON_UNITARY(
            help="Links may differ from SU(3) by more than 1e-3, and a file may hold several "
            "fields of them."
        ),
        shared.JSON(),
        shared.VERBOSE(),
    ],
    usage="FILE [--against OTHER] [options]",
    notes="Looks at checksums, the stated plaquette and link trace, whether links are in SU(3) and "
    "numbers finite. Exit status 1 where something is wrong, 2 where a file cannot be read.",
    examples=(
        "onehop verify b6.0.nersc",
        "onehop verify b6.0.ildg --against b6.0.milc",
        "onehop verify propagator.npy --against other.npy --tol 1e-8",
    ),
)
