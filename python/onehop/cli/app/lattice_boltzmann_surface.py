"""Where the surface of a droplet of `onehop app lattice-boltzmann` is."""

import numpy as np

from onehop.cli._shared.option import Options


def flat(options: Options) -> bool:
    """Returns true if the droplet is a cylinder."""
    return 1 in options.lattice


def inside(options: Options, phi: np.ndarray) -> np.ndarray:
    """Returns how much of each cell of phi (z, y, x) is inside the surface phi = 0. It is told by
    how far away the surface is: phi is tanh(2 d / W) there."""
    distance = options.interface_width / 2 * np.arctanh(np.clip(phi, -0.9, 0.9))
    return np.clip(0.5 + distance, 0, 1)


def droplet_volume(options: Options, phi: np.ndarray) -> float:
    """Returns the cells of phi (z, y, x) that a droplet fills."""
    return float(inside(options, phi).sum())
