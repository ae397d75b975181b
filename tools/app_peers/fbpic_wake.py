"""fbpic_wake.py A0 FREQUENCY WAIST DURATION CELLS CELLS_ACROSS

Follows a laser pulse into a plasma with fbpic, as `onehop app particle-in-cell --setup wakefield`
does, in a cylinder with two azimuthal modes and sixteen electrons in a cell, and prints million
particle steps per second, the wake's amplitude over that of linear theory and by how many radians
its phase is ahead. Lengths are in c over the plasma frequency; there are twenty cells in a wave of
the laser along the axis and a third as many across.
"""

from __future__ import annotations

import json
import math
import sys
import time

import numpy as np
from fbpic.lpa_utils.laser import add_laser
from fbpic.main import Simulation
from scipy.constants import c, e, epsilon_0, m_e

DENSITY = 1e24
ACROSS = 3
BEHIND = 3.5


def _made(given: dict) -> tuple[Simulation, float, float]:
    """Returns the simulation, and where the plasma begins and the pulse is at first, in metres."""
    unit = given["unit"]
    cell = given["cell"] * unit
    length, radius = given["cells"] * cell, given["across"] * given["cell"] * unit
    reach = 5.5 * given["duration"] * unit
    simulation = Simulation(
        *(given["cells"], length, given["across"] // ACROSS, radius, 2, cell / c),
        zmin=0.0,
        n_order=-1,
        boundaries={"z": "open", "r": "reflective"},
        verbose_level=0,
    )
    simulation.add_new_species(
        *(-e, m_e),
        n=DENSITY,
        dens_func=lambda z, r: np.where(z >= length, 1.0, 0.0),
        **{"p_nz": 2, "p_nr": 2, "p_nt": 4, "p_zmin": length},
    )
    begins = length - reach
    add_laser(
        simulation,
        given["a0"],
        given["waist"] * unit,
        math.sqrt(2) * given["duration"] * unit,
        begins,
        zf=length,
        lambda0=2 * math.pi * unit / given["frequency"],
    )
    simulation.set_moving_window(v=c)
    return simulation, length, begins


def _theory(given: dict) -> tuple[float, float]:
    """Returns amplitude of the wake in m c w_p / e, and the light's group velocity over c. The
    pulse has the given shape in its electric field: the spectrum of its vector potential is that
    over the frequency, whose mean inverse square is larger by 3/2 / (w T)^2."""
    frequency, angle = given["frequency"], given["duration"]
    index = math.sqrt(1 - 1 / frequency**2)
    a0 = given["a0"] * 2 / (1 + index)
    wider = 1 + 1.5 / (frequency * angle) ** 2
    peak = math.sqrt(math.pi) / 4 * a0**2 * angle * math.exp(-(angle**2) / 4)
    return wider * peak / index, index


def _wake(simulation: Simulation, given: dict, length: float, begins: float) -> tuple[float, float]:
    """Returns amplitude over that of the theory and phase, by least squares on the axis."""
    amplitude, velocity = _theory(given)
    unit = given["unit"]
    grid = simulation.fld.interp[0]
    x = (grid.z - length) / unit
    field = grid.Ez[:, 0].real * e * unit / (m_e * c**2)
    since = simulation.time * c / unit - (length - begins) / unit
    wake = (x > given["waist"]) & (x < velocity * (since - BEHIND * given["duration"]))
    x, field = x[wake], field[wake]
    rayleigh = given["frequency"] * velocity * given["waist"] ** 2 / 2
    intensity = 1 / (1 + (x / rayleigh) ** 2)
    turn = since - x / velocity
    waves = amplitude * intensity[:, None] * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    (cosine, sine), *_ = np.linalg.lstsq(waves, field, rcond=None)
    return math.hypot(cosine, sine), math.atan2(-sine, cosine)


def main() -> None:
    names = ("a0", "frequency", "waist", "duration")
    given = {name: float(word) for name, word in zip(names, sys.argv[1:5], strict=True)}
    given["cells"], given["across"] = int(sys.argv[5]), int(sys.argv[6])
    given["cell"] = 2 * math.pi / (20 * given["frequency"])
    given["unit"] = c / math.sqrt(DENSITY * e**2 / (epsilon_0 * m_e))
    simulation, length, begins = _made(given)
    simulation.step(1, show_progress=False)  # The first step compiles.
    steps = given["cells"] + round(given["waist"] / given["cell"])
    took, moved = 0.0, 0
    for _ in range(0, steps, 10):
        begun = time.perf_counter()
        simulation.step(10, show_progress=False)
        took += time.perf_counter() - begun
        moved += 10 * simulation.ptcl[0].Ntot
    amplitude, phase = _wake(simulation, given, length, begins)
    print(json.dumps({"rate": 1e-6 * moved / took, "amplitude": amplitude, "phase": phase}))


main()
