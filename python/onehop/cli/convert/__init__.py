"""The options of `onehop convert`."""

from onehop.cli._shared import options as shared
from onehop.cli._shared.command import Command
from onehop.cli._shared.option import argument, flag, option
from onehop.cli._shared.values import INPUT, KEPT_OUTPUT, WholeChoice
from onehop.lattice_files.formats import format_names

COMMAND = Command(
    "convert",
    [
        argument(
            "IN",
            "A gauge configuration, a propagator, eigenvectors, several fields of links, or a "
            "record of solve with its correlators; its format is recognised by its content.",
            INPUT,
            required=False,
        ),
        argument(
            "OUT",
            "The file to write; its name or --format gives the format.",
            KEPT_OUTPUT,
            required=False,
        ),
        option("--format", "Format of OUT.", format_names()),
        option(
            "--prec",
            "Precision of OUT (default: that of IN if the format has it).",
            ("single", "double"),
        ),
        option(
            "--rows",
            "Rows of each link; 2 lets readers compute the third (NERSC).",
            WholeChoice((2, 3)),
        ),
        shared.ALLOW_NON_UNITARY(
            help="Accept links that differ from SU(3) by more than 1e-3, such as smeared ones, "
            "and files of several fields of links, such as fat and long links.",
        ),
        shared.FORCE(help="Replace an existing OUT.", needs="OUT"),
        flag(
            "--describe",
            "Describe how every format, or that of --format, stores numbers: order of indices, "
            "bytes, normalisation, spin basis, boundary.",
        ),
        shared.JSON(),
        shared.VERBOSE(),
    ],
    usage="IN OUT [--format NAME] [--prec single|double] [options], or --describe",
    notes="IN is verified: checksums, stated plaquette, links in SU(3). OUT appears only when it "
    "is complete. Memory use is that of a few time slices.",
    examples=(
        "onehop convert b6.0.lat b6.0.ildg",
        "onehop convert b6.0.ildg b6.0.nersc --rows 2 --prec single",
        "onehop convert b6.0.nersc cnfg1 --format openqcd",
        "onehop convert propagator.npy propagator.scidac",
        "onehop convert eigenvectors.scidac eigenvectors.h5",
        "onehop convert fat_and_long.scidac links.h5 --allow-non-unitary",
        "onehop convert solved.json correlators.txt",
        "onehop convert --describe --format openqcd",
    ),
)
