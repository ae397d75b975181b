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
            "Compare with the field in this file, whose format and precision may differ.",
            INPUT,
            "OTHER",
        ),
        option(
            "--tol",
            "Largest difference allowed: absolute for links, relative to the largest number of a "
            "source at a site for propagators and other fields, relative to each for correlators "
            "and eigenvalues (default: what rounding to both precisions explains).",
            Real(min=0),
            "T",
        ),
        shared.ALLOW_NON_UNITARY(
            help="Accept links that differ from SU(3) by more than 1e-3, and files of several "
            "fields of links."
        ),
        shared.JSON(),
        shared.VERBOSE(),
    ],
    usage="FILE [--against OTHER] [options]",
    notes="Checks checksums, the stated plaquette and link trace, whether links are in SU(3) and "
    "whether numbers are finite. Exit status 1 if something is wrong, 2 if a file cannot "
    "be read.",
    examples=(
        "onehop verify b6.0.nersc",
        "onehop verify b6.0.ildg --against b6.0.milc",
        "onehop verify propagator.npy --against other.npy --tol 1e-8",
    ),
)
