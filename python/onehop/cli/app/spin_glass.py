"""The options of `onehop app spin-glass`."""

from onehop.cli._shared import options as shared
from onehop.cli._shared.option import option
from onehop.cli._shared.values import MOST_SEED, Extents, Parsed, Real, Whole
from onehop.cli.app.application import application
from onehop.cli.app.spin_glass_tempering import betas

COMMAND = application(
    "spin-glass",
    [
        shared.LATTICE(
            help="Extents x, y, z, as 64 64 64 or 64x64x64.",
            type=Extents(3, 3),
            value="X Y Z",
            required=True,
        ),
        option("--beta", "Inverse temperature.", Real(min=0), "B"),
        option(
            "--betas",
            "Parallel tempering instead: ascending inverse temperatures, one per replica, as "
            "0.5,0.7,1, or 0.5:1:6 for 6 from 0.5 to 1 with equal ratios.",
            Parsed(betas),
            "B1,B2,...",
        ),
        option(
            "--exchange-every",
            "With --betas: sweeps between exchanges of neighbouring replicas; 0: never (default: "
            "1).",
            Whole(0),
        ),
        option(
            "--disorder",
            "Couplings: Gaussian of mean 0 and variance 1, +1 or -1, or all 1.",
            ("gaussian", "pm1", "ferromagnet"),
            default="gaussian",
        ),
        option("--sweeps", "Heatbath sweeps in all.", Whole(1), default=100),
        option(
            "--overrelax",
            "Over-relaxations per heatbath sweep.",
            Whole(0),
            "M",
            default=10,
        ),
        option(
            "--thermalise",
            "Initial sweeps to leave out of averages (default: a fifth of --sweeps).",
            Whole(0),
        ),
        option(
            "--seed", "Seed of couplings, start and heatbath.", Whole(0, MOST_SEED), "S", default=1
        ),
        option(
            "--replicas",
            "Copies with the same couplings; without --betas, copies 0 and 1, 2 and 3, ... are "
            "compared (default: 1, or one for each of --betas).",
            Whole(1, 65535),
            "R",
        ),
        option("--prec", "Precision of the spins.", ("single", "double"), default="single"),
        shared.RANKS(),
        shared.GRID_OF_THREE(),
    ],
    [
        option(
            "--overlap",
            "Whether inner sites are updated while face sites travel.",
            ("bulk", "none"),
            default="bulk",
        ),
    ],
    plot="the energy by sweep",
    usage="--lattice X Y Z (--beta B | --betas B1,B2,...) [options]",
    notes="H = - sum of J s.s over the bonds of a periodic lattice. The same seed gives the same "
    "energies, bit for bit, on any number of ranks and any wire. The check: over-relaxation keeps "
    "the energy.",
    examples=(
        "onehop app spin-glass --lattice 64 64 64 --beta 1.5 -n 2 --plot energy.png",
        "onehop app spin-glass --lattice 6 6 6 --betas 1:4:12 --sweeps 1000",
        "onehop app spin-glass --lattice 64 64 64 --beta 1.5 -n 4 --transport virtual:apenet-v4 "
        "--memory device",
    ),
)
