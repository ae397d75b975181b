"""The options of `onehop app lattice-boltzmann`."""

from onehop.cli._shared import options as shared
from onehop.cli._shared.option import option
from onehop.cli._shared.values import OUTPUT, POSITIVE, Extents, Real, Whole
from onehop.cli.app.application import application

COMMAND = application(
    "lattice-boltzmann",
    [
        option(
            "--model",
            "One fluid, two that separate by a free energy, or two of different densities whose "
            "interface is a phase field.",
            ("single", "free-energy", "allen-cahn"),
            default="single",
        ),
        option(
            "--setup",
            "Of one fluid: vortices in x and y that decay, or the flow along x between walls "
            "across z, driven by a force, from rest, or the flow through a cubic array of "
            "spheres. Of two: a droplet, or a mixture that separates. Of two densities: a heavy "
            "droplet, a light bubble that rises from a wall across z, a droplet out of shape that "
            "oscillates, or the flow of a layer below and one above.",
            (
                "taylor-green",
                "poiseuille",
                "spheres",
                "droplet",
                "spinodal",
                "bubble",
                "oscillation",
            ),
            required=True,
        ),
        shared.LATTICE(
            help="Cells in x, y, z, as 64 64 64 or 64x64x64.",
            type=Extents(3, 3),
            value="X Y Z",
            required=True,
        ),
        option(
            "--tau",
            "Relaxation time in steps; the viscosity is (tau - 1/2) / 3 cells^2 per step, with "
            "allen-cahn that of the heavy fluid (default: 0.8; 0.55 with allen-cahn; 0.52 of an "
            "oscillation).",
            Real(min=0.5, min_open=True),
            "T",
        ),
        option(
            "--collision",
            "One relaxation time, or two, for even and odd parts of opposite populations.",
            ("bgk", "trt"),
            default="trt",
        ),
        option(
            "--magic",
            "(tau - 1/2) times the same of the odd parts, with trt; 3/16 puts walls half-way "
            "between cells (default: 0.1875).",
            POSITIVE,
            "P",
        ),
        option(
            "--velocity",
            "The largest at first (taylor-green) or at last (poiseuille), or that in which a "
            "sphere alone would have the drag (spheres), in cells per step; the speed of sound is "
            "0.577 (default: 0.01; 0.001 of spheres).",
            Real(min=0, min_open=True, max=0.3),
            "U",
        ),
        option(
            "--surface-tension",
            "Between two fluids (default: 0.01; with allen-cahn 0.002 of a droplet and 0.005 of an "
            "oscillation).",
            POSITIVE,
            "SIGMA",
        ),
        option(
            "--interface-width",
            "W in cells; a flat interface is tanh(2 x / W) (default: 4; 5 of an oscillation).",
            Real(min=2),
            "W",
        ),
        option(
            "--mobility",
            "Of the order parameter: in its flux - M grad mu (default: 0.4), or with allen-cahn in "
            "- M (grad phi - 2 / W (1 - phi^2) n) (default: 0.05).",
            POSITIVE,
            "M",
        ),
        option(
            "--radius",
            "Of a droplet, bubble or sphere, in cells (default: 16; 32 of an oscillation, 8 of "
            "spheres).",
            Real(min=2),
            "R",
        ),
        option(
            "--density-ratio",
            "Of the heavy fluid, whose density is 1, to the light one (default: 10; 1000 of a "
            "droplet, 100 of an oscillation).",
            Real(min=1),
            "RATIO",
        ),
        option(
            "--viscosity-ratio",
            "Of the heavy fluid's dynamic viscosity to the light one's; between them one over the "
            "kinematic viscosity goes as the density does (default: the density ratio, so that "
            "both kinematic viscosities are the same).",
            POSITIVE,
            "RATIO",
        ),
        option(
            "--reynolds",
            "sqrt(g d) d / viscosity of a bubble of diameter d, which sets gravity (default: 35).",
            POSITIVE,
            "RE",
        ),
        option(
            "--eotvos",
            "g d^2 / surface tension of a bubble, which sets the tension (default: 10).",
            POSITIVE,
            "EO",
        ),
        option(
            "--contact-angle",
            "Put half of a droplet on a wall that it is to meet at this angle, in degrees.",
            Real(min=20, max=160),
            "ANGLE",
        ),
        option("--seed", "Of the mixture at first (default: 1).", Whole(0)),
        option(
            "--steps",
            "Default: until the vortices have decayed to 1/e, the flow is steady, the droplet is "
            "at rest, the mixture has separated, the bubble has risen by more than a diameter, or "
            "the droplet has oscillated more than twice.",
            Whole(1),
        ),
        option(
            "--samples",
            "Samples on the way, evenly spaced (default: 20; 60 of an oscillation).",
            Whole(1),
        ),
        option("--prec", "Of the populations.", ("single", "double"), default="double"),
        shared.RANKS(),
        shared.GRID_OF_THREE(),
    ],
    [
        option(
            "--overlap",
            "Whether cells inside collide while populations of those at faces travel.",
            ("bulk", "none"),
            default="bulk",
        ),
        option(
            "--fields",
            "Write density (z, y, x) and velocity (3, z, y, x) at the end, and of two fluids order "
            "parameter and pressure, as HDF5.",
            OUTPUT,
        ),
    ],
    plot="the fluid and the setup's figure",
    usage="--setup SETUP --lattice X Y Z [options]",
    notes="D3Q19 with streaming in place. Populations are the same bits on any number of ranks and "
    "any wire. The check: mass and, between periodic ends, momentum are kept, the vortices "
    "decay by the viscosity to 0.5 %, the steady channel flow is the exact one, and the drag of "
    "spheres is that of slow flow (Zick and Homsy) to 5 %. Two fluids "
    "keep the order parameter too; the pressure in a droplet is that of Laplace to 3 %, its "
    "contact angle right to 3 degrees, and long waves of a mixture grow by the linear theory to "
    "2 %. A bubble in the box of Hysing et al. rises as fast as there to 5 %, and a droplet "
    "oscillates as fast as Lamb (sphere) or Rayleigh (cylinder) have it to 5 %. Two layers in a "
    "channel flow as viscosities that change over the interface have it to 1 %.",
    examples=(
        "onehop app lattice-boltzmann --setup taylor-green --lattice 64 64 64 -n 2 --plot flow.png",
        "onehop app lattice-boltzmann --setup poiseuille --lattice 4 4 32 --collision bgk",
        "onehop app lattice-boltzmann --setup spheres --lattice 32 32 32 --radius 8 -n 2",
        "onehop app lattice-boltzmann --model free-energy --setup droplet --lattice 36 36 36 "
        "--radius 12 --interface-width 3 -n 2",
        "onehop app lattice-boltzmann --model allen-cahn --setup bubble --lattice 64 1 128 -n 2 "
        "--plot bubble.png",
        "onehop app lattice-boltzmann --model allen-cahn --setup oscillation --lattice 96 1 96",
        "onehop app lattice-boltzmann --setup taylor-green --lattice 64 64 64 --steps 10 -n 4 "
        "--transport virtual:apenet-v4 --memory device",
    ),
)
