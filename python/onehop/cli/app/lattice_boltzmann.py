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
            "One fluid: decaying vortices in x and y; flow along x between walls across z, "
            "driven from rest by a force; or flow through a cubic array of spheres. Two fluids: "
            "a droplet, or a mixture that separates. Two densities: a heavy droplet, a light "
            "bubble that rises from a wall across z, a deformed droplet that oscillates, or the "
            "flow of two layers, one above the other.",
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
            "Relaxation time in steps; the viscosity, with allen-cahn that of the heavy fluid, "
            "is (tau - 1/2) / 3 cells^2 per step (default: 0.8; 0.55 with allen-cahn; 0.52 for "
            "oscillation).",
            Real(min=0.5, min_open=True),
            "T",
        ),
        option(
            "--collision",
            "One relaxation time (bgk), or two, for even and odd parts of opposite populations "
            "(trt).",
            ("bgk", "trt"),
            default="trt",
        ),
        option(
            "--magic",
            "For trt: (tau - 1/2) of even times that of odd parts; 3/16 puts walls half-way "
            "between cells (default: 0.1875).",
            POSITIVE,
            "P",
        ),
        option(
            "--velocity",
            "Largest initial (taylor-green) or final (poiseuille) velocity, or that at which a "
            "single sphere would have the same drag (spheres), in cells per step; the speed of "
            "sound is 0.577 (default: 0.01; 0.001 for spheres).",
            Real(min=0, min_open=True, max=0.3),
            "U",
        ),
        option(
            "--surface-tension",
            "Surface tension between two fluids (default: 0.01; with allen-cahn 0.002 for "
            "droplet and 0.005 for oscillation).",
            POSITIVE,
            "SIGMA",
        ),
        option(
            "--interface-width",
            "W in cells; a flat interface is tanh(2 x / W) (default: 4; 5 for oscillation).",
            Real(min=2),
            "W",
        ),
        option(
            "--mobility",
            "Mobility M of the order parameter, whose flux is - M grad mu (default: 0.4), or "
            "with allen-cahn - M (grad phi - 2 / W (1 - phi^2) n) (default: 0.05).",
            POSITIVE,
            "M",
        ),
        option(
            "--radius",
            "Radius of a droplet, bubble or sphere, in cells (default: 16; 32 for oscillation, 8 "
            "for spheres).",
            Real(min=2),
            "R",
        ),
        option(
            "--density-ratio",
            "Density of the heavy fluid (1) over that of the light one (default: 10; 1000 for "
            "droplet, 100 for oscillation).",
            Real(min=1),
            "RATIO",
        ),
        option(
            "--viscosity-ratio",
            "Dynamic viscosity of the heavy fluid over that of the light one; across the "
            "interface, the inverse kinematic viscosity follows the density (default: the "
            "density ratio, so that both kinematic viscosities are equal).",
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
            "Put half a droplet on a wall, which it should meet at this angle, in degrees.",
            Real(min=20, max=160),
            "ANGLE",
        ),
        option("--seed", "Seed of the initial mixture (default: 1).", Whole(0)),
        option(
            "--steps",
            "Number of steps (default: until the vortices have decayed to 1/e, the flow is "
            "steady, the droplet is at rest, the mixture has separated, the bubble has risen by "
            "more than a diameter, or the droplet has oscillated more than twice).",
            Whole(1),
        ),
        option(
            "--samples",
            "Samples during the run, evenly spaced (default: 20; 60 for oscillation).",
            Whole(1),
        ),
        option("--prec", "Precision of the populations.", ("single", "double"), default="double"),
        shared.RANKS(),
        shared.GRID_OF_THREE(),
    ],
    [
        option(
            "--overlap",
            "Whether inner cells collide while populations of face cells travel.",
            ("bulk", "none"),
            default="bulk",
        ),
        option(
            "--fields",
            "Write final density (z, y, x) and velocity (3, z, y, x), for two fluids also order "
            "parameter and pressure, as HDF5.",
            OUTPUT,
        ),
    ],
    plot="the fluid and the setup's figure",
    usage="--setup SETUP --lattice X Y Z [options]",
    notes="D3Q19 with streaming in place. Populations are the same, bit for bit, on any number "
    "of ranks and any wire. The check: mass and, with periodic boundaries, momentum are "
    "conserved; the viscosity from the decay of vortices is right to 0.5 %, the steady "
    "channel flow is exact, and the drag of spheres agrees with slow flow (Zick and Homsy) "
    "to 5 %. For two fluids: the order parameter is conserved, the pressure in a droplet "
    "follows Laplace to 3 %, its contact angle is right to 3 degrees, and long waves of a "
    "mixture grow as in linear theory to 2 %. For two densities: a bubble in the box of "
    "Hysing et al. rises as fast as theirs to 5 %, a droplet oscillates as predicted by "
    "Lamb (sphere) or Rayleigh (cylinder) to 5 %, and two layers in a channel flow as a "
    "viscosity that varies across the interface predicts, to 1 %.",
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
