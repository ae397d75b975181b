"""Which setups and options belong to which model of `onehop app lattice-boltzmann`."""

from onehop._core import UsageError
from onehop.cli._shared.option import Options
from onehop.cli.app import lattice_boltzmann_bubble as bubble
from onehop.cli.app import lattice_boltzmann_channel as channel
from onehop.cli.app import lattice_boltzmann_droplet as droplet
from onehop.cli.app import lattice_boltzmann_layers as layers
from onehop.cli.app import lattice_boltzmann_oscillation as oscillation
from onehop.cli.app import lattice_boltzmann_spheres as spheres
from onehop.cli.app import lattice_boltzmann_spinodal as spinodal
from onehop.cli.app import lattice_boltzmann_vortices as vortices
from onehop.counted import by_x

# Each setup tells how many steps are usual, its own part of the result of what a run has found, and
# what is checked of that, or why nothing is.
SETUPS = {
    "single": {"taylor-green": vortices, "poiseuille": channel, "spheres": spheres},
    "free-energy": {"droplet": droplet, "spinodal": spinodal},
    "allen-cahn": {
        "bubble": bubble,
        "oscillation": oscillation,
        "droplet": droplet,
        "poiseuille": layers,
    },
}
_TWO_DENSITIES = {"density_ratio": 10.0, "viscosity_ratio": None}
# These options belong to command lines that have these words; later values go before earlier ones.
_DEFAULTS: dict[str, dict[str, float | None]] = {
    "--model single": {"tau": 0.8, "velocity": 0.01},
    "--model free-energy": {
        "tau": 0.8,
        "surface_tension": 0.01,
        "interface_width": 4.0,
        "mobility": 0.4,
    },
    "--model allen-cahn": {
        "tau": 0.55,
        "interface_width": 4.0,
        "mobility": 0.05,
        **_TWO_DENSITIES,
    },
    "--setup spheres": {"radius": 8.0, "velocity": 1e-3},
    "--setup droplet": {"radius": 16.0},
    "--setup spinodal": {"seed": 1},
    "--setup bubble": {"radius": 16.0, "reynolds": 35.0, "eotvos": 10.0},
    "--setup oscillation": {
        "radius": 32.0,
        "surface_tension": 0.005,
        "interface_width": 5.0,
        "tau": 0.52,
        "density_ratio": 100.0,
    },
    "--model allen-cahn --setup droplet": {
        "density_ratio": 1000.0,
        "surface_tension": 0.002,
        "tau": 0.8,
    },
    "--model allen-cahn --setup poiseuille": {"velocity": 0.01},
}
_NAMES = sorted({name for defaults in _DEFAULTS.values() for name in defaults})
_SAMPLES = {"oscillation": 60}
_LEAST_OF_A_VORTEX = 4


def fill_in_defaults(options: Options) -> None:
    """Fills in the defaults of the model's and the setup's options; raises UsageError for
    options that are not theirs."""
    if options.setup not in SETUPS[options.model]:
        fitting = next(model for model, setups in SETUPS.items() if options.setup in setups)
        raise UsageError(
            f"--setup {options.setup} is not one of --model {options.model}; add --model {fitting}"
        )
    own = _own_defaults(options)
    for name in _NAMES:
        given = getattr(options, name)
        if given is None and name in own:
            setattr(options, name, own[name])
        elif given is not None and name not in own:
            raise UsageError(f"--{name.replace('_', '-')} is for {_owners(name)}")
    if options.setup == "taylor-green" and min(options.lattice[:2]) < _LEAST_OF_A_VORTEX:
        raise UsageError(
            f"vortices need {_LEAST_OF_A_VORTEX} cells or more in x and in y, and --lattice "
            f"{by_x(options.lattice)} has {min(options.lattice[:2])}; choose more "
            "cells"
        )
    if options.contact_angle is not None and options.setup != "droplet":
        raise UsageError("--contact-angle is for --setup droplet")
    if options.setup == "spheres":
        spheres.check_spheres(options)
    elif options.setup in ("droplet", "oscillation"):
        _check_droplet_is_thick(options)
    if "radius" in own and options.model != "single":
        _check_droplet_fits(options)
    if options.samples is None:
        options.samples = _SAMPLES.get(options.setup, 20)
    if options.model == "allen-cahn":
        _derive_forces(options)


def _own_defaults(options: Options) -> dict[str, float | None]:
    """Returns the options that the model and the setup have, with their defaults."""
    words = {f"--model {options.model}", f"--setup {options.setup}"}
    own: dict[str, float | None] = {}
    for owner, defaults in _DEFAULTS.items():
        if {f"--{word.strip()}" for word in owner.split("--") if word} <= words:
            own |= defaults
    return own


def _owners(name: str) -> str:
    """Returns which models and setups have an option, as words of the command line."""
    return " or ".join(owner for owner, defaults in _DEFAULTS.items() if name in defaults)


def _derive_forces(options: Options) -> None:
    """Without a ratio of viscosities, both fluids get the same kinematic viscosity."""
    if options.viscosity_ratio is None:
        options.viscosity_ratio = options.density_ratio
    options.gravity = options.drive = 0.0
    if options.setup == "bubble":
        bubble.set_gravity_and_tension(options)
    if options.setup == "poiseuille":
        layers.set_tension_and_drive(options)


def _check_droplet_is_thick(options: Options) -> None:
    if options.contact_angle is None and options.radius < 4 * options.interface_width:
        raise UsageError(
            f"--radius {options.radius:g} is below 4 times --interface-width "
            f"{options.interface_width:g}; so thick an interface does not have the surface tension "
            "of a flat one"
        )


def _check_droplet_fits(options: Options) -> None:
    """A droplet has room for its interface and, on a wall, to spread or to rise; a bubble begins
    two radii above a wall."""
    on_wall = options.contact_angle is not None
    least = 2 * (options.radius + options.interface_width)
    across = least / 2 if on_wall else least
    if options.setup == "bubble":
        across = least + options.radius
    for extent, needed in zip(options.lattice, (least, least, across), strict=True):
        if extent != 1 and extent < needed:
            raise UsageError(
                f"--radius {options.radius:g} with its interface needs {needed:g} cells, and "
                f"--lattice {by_x(options.lattice)} has {extent}; choose more cells"
            )
    flat = options.lattice.count(1)
    no_height = on_wall or options.setup == "bubble"
    if flat > 1 or (no_height and options.lattice[2] == 1):
        raise UsageError(
            f"--lattice {by_x(options.lattice)} has no room for a droplet; at most "
            "one extent may be 1, and none across a wall"
        )
