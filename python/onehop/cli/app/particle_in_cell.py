"""The options of `onehop app particle-in-cell`."""

from onehop.cli._shared import options as shared
from onehop.cli._shared.option import option
from onehop.cli._shared.values import MOST_SEED, OUTPUT, POSITIVE, Extents, Real, Whole, WholeChoice
from onehop.cli.app.application import application

SETUPS = (
    "vacuum-wave",
    "plasma-oscillation",
    "langmuir",
    "plasma-light",
    "two-stream",
    "gyration",
    "thermal",
    "wakefield",
)
COMMAND = application(
    "particle-in-cell",
    [
        option(
            "--setup",
            "A standing light wave, an oscillating cold plasma, an oscillating hot one "
            "(Bohm-Gross), light in a cold plasma, two counter-streaming beams, orbits in a "
            "magnetic field, a hot plasma, or the wake of a laser pulse.",
            SETUPS,
            required=True,
        ),
        shared.LATTICE(
            help="Cells in x, y and, for three dimensions, z, as 64 64 or 16x16x16.",
            type=Extents(2, 3),
            value="X Y [Z]",
            required=True,
        ),
        option(
            "--velocity",
            "Velocity as gamma v / c, by setup: the largest (plasma-oscillation: 0.001, "
            "gyration: 2), of the beams (0.2), thermal (0.1; langmuir: 0.03), of an electron in "
            "light (plasma-light: 0.001) or in the laser pulse, a0 (0.1).",
            # A slower particle may stay where it is, since a place has 53 bits.
            Real(min=1e-9, max=100),
            "U",
        ),
        option(
            "--cell",
            "Length of a cell in c over the plasma frequency (default: 0.1; two-stream: the "
            "lattice has the wave that grows fastest; langmuir: k times the Debye length is 0.2; "
            "thermal: the Debye length; wakefield: 1/20 of the laser's wavelength).",
            POSITIVE,
            "H",
        ),
        option(
            "--frequency",
            "For wakefield: frequency of the laser over that of the plasma (default: 6).",
            Real(min=1, min_open=True),
            "W",
        ),
        option(
            "--waist",
            "For wakefield: radius at which the laser's amplitude is 1/e, in c over the plasma "
            "frequency (default: 4).",
            POSITIVE,
            "R",
        ),
        option(
            "--duration",
            "For wakefield: T of the laser's envelope exp(-t^2 / 2 T^2), over the plasma "
            "frequency (default: 1.414, which gives the largest wake).",
            POSITIVE,
            "T",
        ),
        option(
            "--particles",
            "Electrons per cell, at most 4096; for gyration, in all (default: 8; langmuir: 64; "
            "not for vacuum-wave).",
            Whole(1),
        ),
        option(
            "--order",
            "Order of the particles' shape (default: 2; not for vacuum-wave).",
            WholeChoice((1, 2)),
        ),
        option(
            "--pusher",
            "How the magnetic field rotates momenta (default: boris; not for vacuum-wave).",
            ("boris", "higuera-cary"),
        ),
        option(
            "--courant",
            "Time step over the longest stable one.",
            Real(min=0, min_open=True, max=1, max_open=True),
            "C",
            default=0.95,
        ),
        option(
            "--steps",
            "Default: four periods, until the beams are mixed, 1000 for thermal, or until the "
            "wake fills the window.",
            Whole(1),
        ),
        option("--samples", "Samples during the run, evenly spaced.", Whole(1), default=100),
        option(
            "--seed",
            "Seed of thermal momenta and orbits.",
            Whole(0, MOST_SEED),
            default=1,
        ),
        shared.RANKS(),
        shared.GRID_OF_THREE(
            help="Ranks in x, y and z, as 2 1 or 1x1x2 (default: smallest faces).",
            type=Extents(2, 3),
            value="NX NY [NZ]",
        ),
    ],
    [
        option(
            "--fields",
            "Write the final E, B, electron density and electrons, as openPMD 1.1.0 (HDF5).",
            OUTPUT,
        ),
        option(
            "--density",
            "Electrons per cm^3, which set the units of --fields; the run does not depend on it.",
            POSITIVE,
            "N",
            default=1e18,
        ),
    ],
    plot="fields or particles and the setup's figure",
    usage="--setup SETUP --lattice X Y [Z] [options]",
    notes="Yee's grid, Boris or Higuera-Cary, Esirkepov's currents; ions do not move. All "
    "numbers are the same, bit for bit, on any number of ranks and any wire. The check: no "
    "particle is lost, Gauss's laws hold to rounding, energy is conserved to 1 %, and the "
    "setup's own quantity is right: dispersion of light on the grid to 1e-10, frequencies "
    "in a plasma to 0.5 %, growth of the beams' instability to 3 %, frequency and radius "
    "of orbits to 1e-10, amplitude of the wake to 5 % and its wavelength to 1 %.",
    examples=(
        "onehop app particle-in-cell --setup two-stream --lattice 64 4 --plot beams.png",
        "onehop app particle-in-cell --setup vacuum-wave --lattice 32 24 16 -n 2",
        "onehop app particle-in-cell --setup wakefield --lattice 512 320 --plot wake.png",
        "onehop app particle-in-cell --setup thermal --lattice 16 16 16 --steps 10 -n 4 "
        "--transport virtual:apenet-v4 --memory device",
    ),
)
