"""The options of `onehop solve`."""

from onehop.cli._shared import options as shared
from onehop.cli._shared.command import Command
from onehop.cli._shared.option import argument, flag, option
from onehop.cli._shared.solving import PARAMETERS, parameter_option, solve_option
from onehop.cli._shared.values import (
    INPUT,
    KEPT_OUTPUT,
    MOST_SEED,
    Parsed,
    Whole,
    finite,
)
from onehop.quark_smearing import parse_quark_smearing, parse_spatial_smearing
from onehop.source import FORMS


def _numbers(text: str) -> list[float]:
    """Reads numbers as '0.01,0.02'."""
    return [finite(part) for part in text.split(",")]


def _wuppertal(text: str) -> str:
    parse_quark_smearing(text)
    return text


def _links(text: str) -> str:
    parse_spatial_smearing(text)
    return text


COMMAND = Command(
    "solve",
    [
        argument(
            "CONFIG",
            "A gauge configuration: ILDG, SciDAC, NERSC, MILC v5 or openQCD.",
            INPUT,
            required=False,
        ),
        shared.ALLOW_NON_UNITARY(),
        shared.LATTICE(help="Extents x, y, z, t, as 8 8 8 16 or 8x8x8x16, instead of CONFIG."),
        shared.START(help="Links for --lattice: random (hot, the default) or unit (cold)."),
        option("--seed", "Seed of the hot start (default: 1).", Whole(0, MOST_SEED), "S"),
        shared.DSLASH(),
        *map(parameter_option, PARAMETERS),
        shared.SOLVER(),
        option(
            "--shifts",
            "Solve M^+ M + shift instead of M, for all these shifts at once (multi-shift CG).",
            Parsed(_numbers),
            "LIST",
        ),
        option(
            "--masses",
            "Masses of staggered quarks, solved at once (multi-shift CG), instead of --mass.",
            Parsed(_numbers),
            "LIST",
        ),
        shared.PRECISION(),
        shared.RECON(),
        *map(solve_option, ("rhs", "tol", "max_iter")),
        option(
            "--source",
            "A point or wall (all spins and colours are solved), a wall of noise (all spins), "
            "or noise everywhere (one solve).",
            None,
            FORMS,
            default="point:0,0,0,0",
        ),
        option(
            "--smear-source",
            "Smear the source in space, N steps of weight KAPPA.",
            Parsed(_wuppertal),
            "wuppertal:KAPPAxN",
        ),
        option(
            "--smear-sink",
            "Also smear the sink, for correlators and hadrons, not for --out.",
            Parsed(_wuppertal),
            "wuppertal:KAPPAxN",
        ),
        option(
            "--smear-links",
            "Smear quarks with links smeared in space N times.",
            Parsed(_links),
            "ape:ALPHA[xN]|stout:RHO[xN]",
        ),
        solve_option("boundary"),
        shared.RANKS(),
        shared.THREADS(),
        shared.DEVICE(),
        shared.SHARE_DEVICE(),
        shared.GRID(),
        shared.WIRE(),
        shared.MEMORY(),
        shared.PLATFORM_SET(),
        shared.HOSTS(),
        solve_option("overlap"),
        flag(
            "--mesons",
            "Add two-point functions of the 16 gamma structures (staggered: 8 corners) to the "
            "record.",
        ),
        flag(
            "--baryons",
            "Add two-point functions of proton and Delta, in both parities, to the record.",
        ),
        option(
            "--momenta",
            "Momenta of these hadrons: all n with n_x^2 + n_y^2 + n_z^2 up to N2, p_i = 2 pi n_i "
            "/ L_i (default: 0).",
            Whole(0),
            "N2",
        ),
        shared.JSON(),
        shared.HDF5(),
        shared.PLOT(
            help=("Draw correlator and effective mass, also of baryons, as png, pdf or svg.")
        ),
        shared.TRACE(),
        option(
            "--out",
            "Write the propagator (source, t, z, y, x, spin, colour), .npy.",
            KEPT_OUTPUT,
        ),
        shared.FORCE(help="Replace an existing propagator.", needs="--out"),
        shared.VERBOSE(),
    ],
    usage="CONFIG|--lattice X Y Z T --start hot|cold  --kappa K|--mass M  [options]",
    examples=(
        "onehop solve b6.0.nersc --kappa 0.13 --ranks 4 --plot pion.png",
        "onehop solve --lattice 8 8 8 8 --start cold --dslash staggered --mass 0.1",
        "onehop solve b6.0.nersc --dslash clover --csw 1.77 --kappa 0.134 --mu 0.01",
        "onehop solve b6.0.nersc --dslash asqtad --u0 0.878 --mass 0.05 --prec mixed",
        "onehop solve b6.0.nersc --kappa 0.13 --smear-source wuppertal:0.2x30",
        "onehop solve b6.0.nersc --kappa 0.13 --mesons --baryons --momenta 1 --hdf5 hadrons.h5",
    ),
)
