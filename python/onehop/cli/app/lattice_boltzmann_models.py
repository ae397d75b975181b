"""Which setups and options belong to which model of `onehop app lattice-boltzmann`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onehop._core import UsageError

if TYPE_CHECKING:
    import types

_SETUPS = {"single": ("taylor-green", "poiseuille"), "free-energy": ("droplet", "spinodal")}
# These options belong to a model, or to a setup of it.
_DEFAULTS: dict[str, dict[str, float]] = {
    "single": {"velocity": 0.01},
    "free-energy": {"surface_tension": 0.01, "interface_width": 4.0, "mobility": 0.4},
    "droplet": {"radius": 16.0},
    "spinodal": {"seed": 1},
}


def settle_model(options: types.SimpleNamespace) -> None:
    """Gives what the model and the setup need their defaults; raises UsageError for what is not of
    them."""
    if options.setup not in _SETUPS[options.model]:
        fitting = next(model for model, setups in _SETUPS.items() if options.setup in setups)
        raise UsageError(
            f"--setup {options.setup} is not one of --model {options.model}; add --model {fitting}"
        )
    for owner, defaults in _DEFAULTS.items():
        for name, value in defaults.items():
            given = getattr(options, name)
            if given is None and owner in (options.model, options.setup):
                setattr(options, name, value)
            elif given is not None and owner not in (options.model, options.setup):
                kind = "model" if owner in _SETUPS else "setup"
                raise UsageError(f"--{name.replace('_', '-')} is for --{kind} {owner}")
    if options.contact_angle is not None and options.setup != "droplet":
        raise UsageError("--contact-angle is for --setup droplet")
    if options.setup == "droplet":
        _check_droplet_fits(options)


def _check_droplet_fits(options: types.SimpleNamespace) -> None:
    """A droplet has room for its interface and, on a wall, to spread or to rise."""
    on_wall = options.contact_angle is not None
    if not on_wall and options.radius < 4 * options.interface_width:
        raise UsageError(
            f"--radius {options.radius:g} is below 4 times --interface-width "
            f"{options.interface_width:g}; so thick an interface does not have the surface tension "
            "of a flat one"
        )
    least = 2 * (options.radius + options.interface_width)
    for extent, needed in zip(
        options.lattice, (least, least, least / 2 if on_wall else least), strict=True
    ):
        if extent != 1 and extent < needed:
            raise UsageError(
                f"--radius {options.radius:g} with its interface needs {needed:g} cells, and "
                f"--lattice {'x'.join(map(str, options.lattice))} has {extent}; choose more cells"
            )
    flat = options.lattice.count(1)
    if flat > 1 or (on_wall and options.lattice[2] == 1):
        raise UsageError(
            f"--lattice {'x'.join(map(str, options.lattice))} has no room for a droplet; at most "
            "one extent may be 1, and across a wall none"
        )
