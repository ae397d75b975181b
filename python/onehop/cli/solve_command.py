"""The options of `onehop solve`."""

from __future__ import annotations

from onehop.cli._shared import options as shared
from onehop.cli._shared.command import Command
from onehop.cli._shared.option import argument, flag, option
from onehop.cli._shared.values import (
    INPUT,
    MOST_SEED,
    NUMBER,
    OUTPUT,
    POSITIVE,
    Parsed,
    Whole,
    finite,
)
from onehop.propagator import MOST_IN_BLOCK, MOST_TOGETHER
from onehop.source import FORMS


def _epsilon(text: str) -> float | str:
    return text if text == "tree" else finite(text)


def _numbers(text: str) -> list[float]:
    """'0.01,0.02', none below 0."""
    values = [finite(part) for part in text.split(",")]
    if min(values) < 0:
        raise ValueError("numbers of 0 or more are needed")
    return values


COMMAND = Command(
    "solve",
    [
        argument(
            "CONFIG",
            "A gauge configuration: ILDG, NERSC, MILC v5 or openQCD.",
            INPUT,
            required=False,
        ),
        shared.LATTICE(help="Extents x, y, z, t, as 8 8 8 16 or 8x8x8x16, instead of CONFIG."),
        shared.START(help="Links for --lattice: random (hot) or unit (cold)."),
        option("--seed", "Of the hot start.", Whole(0, MOST_SEED), "S"),
        shared.DSLASH(),
        option("--kappa", "Hopping parameter 1/(2(4+m)), not for staggered.", POSITIVE, "K"),
        option("--mass", "Quark mass in lattice units.", NUMBER, "M"),
        shared.CSW(),
        shared.MU(),
        option(
            "--u0",
            "Tadpole factor of asqtad: a path of n links is divided by u0^(n-1) (default: 1).",
            POSITIVE,
            "U0",
        ),
        option(
            "--naik-epsilon",
            "Of hisq: the Naik term is taken 1 + E times, for heavy quarks; tree: as the free "
            "quark of --mass needs (default: 0).",
            Parsed(_epsilon),
            "E|tree",
        ),
        shared.SOLVER(),
        option(
            "--shifts",
            "Solve M^+ M + shift instead of M, for all of these at once (multi-shift CG).",
            Parsed(_numbers),
            "LIST",
        ),
        option(
            "--masses",
            "Of staggered quarks, instead of --mass: all at once (multi-shift CG).",
            Parsed(_numbers),
            "LIST",
        ),
        shared.PRECISION(),
        shared.RECON(),
        option(
            "--rhs",
            "Sources solved together, which share links, faces and reductions and change no "
            f"bit but with block-cg (default: {MOST_TOGETHER}, or what onehop tune dslash found; "
            f"of block-cg {MOST_IN_BLOCK}, or all where there are fewer).",
            Whole(1),
            "N",
        ),
        option("--tol", "Goal for |b - M x| / |b|.", POSITIVE, "T", default=1e-10),
        option(
            "--max-iter", "Give up a source after so many iterations.", Whole(1), "N", default=10000
        ),
        option(
            "--source",
            "A point or wall (all spins and colours are solved), a wall of noise (all spins), "
            "or noise everywhere (one solve).",
            None,
            FORMS,
            default="point:0,0,0,0",
        ),
        option(
            "--boundary",
            "Of the quarks in time.",
            ("periodic", "antiperiodic"),
            default="antiperiodic",
        ),
        shared.RANKS(),
        shared.THREADS(),
        shared.DEVICE(),
        shared.SHARE_DEVICE(),
        shared.GRID(),
        shared.WIRE(),
        shared.MEMORY(),
        shared.PLATFORM_SET(),
        option(
            "--overlap",
            "Compute while faces travel: not at all, the interior, or face by face.",
            ("none", "fused", "faces"),
            default="fused",
        ),
        flag(
            "--mesons",
            "Two-point functions of the 16 gamma structures (staggered: 8 corners) into the "
            "record.",
        ),
        option(
            "--momenta",
            "Of the mesons: all n with n_x^2 + n_y^2 + n_z^2 up to N2, p_i = 2 pi n_i / L_i "
            "(default: 0).",
            Whole(0),
            "N2",
        ),
        shared.JSON(),
        shared.HDF5(),
        shared.PLOT(help="Draw correlator and effective mass, as png, pdf or svg."),
        shared.TRACE(),
        option(
            "--out", "The propagator as .npy, (source, t, z, y, x, spin, colour).", OUTPUT, "FILE"
        ),
        shared.VERBOSE(),
    ],
    usage="CONFIG|--lattice X Y Z T --start hot|cold  --kappa K|--mass M  [options]",
    examples=(
        "onehop solve b6.0.nersc --kappa 0.13 --ranks 4 --plot pion.png",
        "onehop solve --lattice 8 8 8 8 --start cold --dslash staggered --mass 0.1",
        "onehop solve b6.0.nersc --dslash clover --csw 1.77 --kappa 0.134 --mu 0.01",
        "onehop solve b6.0.nersc --dslash asqtad --u0 0.878 --mass 0.05 --prec mixed",
        "onehop solve b6.0.nersc --kappa 0.13 --mesons --momenta 1 --hdf5 mesons.h5",
    ),
)
COMMAND.work = "onehop.cli.solve"
