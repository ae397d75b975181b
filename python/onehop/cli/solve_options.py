"""The options of `onehop solve`."""

from __future__ import annotations

from dataclasses import replace

from onehop.cli.device_options import DEVICE, SHARE_DEVICE
from onehop.cli.machine_options import MEMORY, PLATFORM_SET, WIRE
from onehop.cli.meson_options import HDF5, MESONS, MOMENTA
from onehop.cli.operator_options import QUARK
from onehop.cli.options import Command, Option
from onehop.cli.shared_options import (
    GRID,
    JSON,
    LATTICE,
    MOST_SEED,
    RANKS,
    START,
    THREADS,
    TRACE,
    VERBOSE,
)
from onehop.cli.solver_options import SOLVING
from onehop.cli.values import file_name, output_name, whole
from onehop.source import FORMS as SOURCES

SOLVE = Command(
    "solve",
    "Propagator and pseudoscalar correlator on a gauge configuration.",
    "solve CONFIG|--lattice X Y Z T --start hot|cold  --kappa K|--mass M  [options]",
    (
        Option("CONFIG", "a gauge configuration: ILDG, NERSC, MILC v5 or openQCD", file_name),
        replace(LATTICE, help=LATTICE.help + ", instead of CONFIG"),
        replace(START, help="links for --lattice: random (hot) or unit (cold)"),
        Option("--seed", "of the hot start", whole(0, MOST_SEED), value="S"),
        *QUARK,
        *SOLVING,
        Option(
            "--source",
            "a point or wall (all spins and colours are solved), a wall of noise (all spins), or "
            "noise everywhere (one solve)",
            default="point:0,0,0,0",
            value=SOURCES,
        ),
        Option(
            "--boundary",
            "of the quarks in time",
            default="antiperiodic",
            choices=("periodic", "antiperiodic"),
        ),
        RANKS,
        THREADS,
        DEVICE,
        SHARE_DEVICE,
        GRID,
        WIRE,
        MEMORY,
        PLATFORM_SET,
        Option(
            "--overlap",
            "compute while faces travel: not at all, the interior, or face by face",
            default="fused",
            choices=("none", "fused", "faces"),
        ),
        MESONS,
        MOMENTA,
        JSON,
        HDF5,
        Option(
            "--plot",
            "draw correlator and effective mass (png, pdf, svg)",
            output_name,
            value="FILE",
        ),
        TRACE,
        Option(
            "--out",
            "the propagator as .npy, (source, t, z, y, x, spin, colour)",
            output_name,
            value="FILE",
        ),
        VERBOSE,
    ),
    examples=(
        "onehop solve b6.0.nersc --kappa 0.13 --ranks 4 --plot pion.png",
        "onehop solve --lattice 8 8 8 8 --start cold --dslash staggered --mass 0.1",
        "onehop solve b6.0.nersc --dslash clover --csw 1.77 --kappa 0.134 --mu 0.01",
        "onehop solve b6.0.nersc --dslash asqtad --u0 0.878 --mass 0.05 --prec mixed",
        "onehop solve b6.0.nersc --kappa 0.13 --mesons --momenta 1 --hdf5 mesons.h5",
    ),
)
