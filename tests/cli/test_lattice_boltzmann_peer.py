"""`onehop app lattice-boltzmann` beside lbmpy, which generates kernels of its own."""

from __future__ import annotations

import json

import h5py
import numpy as np
import pytest

EXTENTS = (12, 8, 6)
SPEED, TAU, STEPS = 0.05, 0.53, 100

lbmpy = pytest.importorskip("lbmpy", reason="no lbmpy")


def vortices():
    """Returns density and velocity (x, y, z, 3) at first."""
    x, y = (2 * np.pi * np.arange(n) / n for n in EXTENTS[:2])
    x, y = np.meshgrid(x, y, indexing="ij")
    ratio = np.sqrt(EXTENTS[0] / EXTENTS[1])
    pressure = ratio**2 * np.cos(2 * x) + np.cos(2 * y) / ratio**2
    velocity = np.zeros((*EXTENTS, 3))
    velocity[..., 0] = (-SPEED * ratio * np.cos(x) * np.sin(y))[..., None]
    velocity[..., 1] = (SPEED / ratio * np.sin(x) * np.cos(y))[..., None]
    return np.broadcast_to((1 - 0.75 * SPEED**2 * pressure)[..., None], EXTENTS), velocity


def of_lbmpy(magic):
    """Returns density and velocity after the steps."""
    from lbmpy.scenarios import create_fully_periodic_flow

    rates = {"method": lbmpy.Method.SRT, "relaxation_rate": 1 / TAU}
    if magic is not None:
        odd = 1 / (0.5 + magic / (TAU - 0.5))
        rates = {"method": lbmpy.Method.TRT, "relaxation_rates": [1 / TAU, odd]}
    stencil = lbmpy.LBStencil(lbmpy.Stencil.D3Q19)
    config = lbmpy.LBMConfig(stencil=stencil, compressible=True, **rates)
    density, velocity = vortices()
    flow = create_fully_periodic_flow(velocity, lbm_config=config)
    for block in flow.data_handling.iterate(ghost_layers=False):
        there = block[flow.density_data_name]
        there[...] = density.reshape(there.shape)
    flow.set_pdf_fields_from_macroscopic_values()
    flow.run(STEPS)
    return flow.density[:, :, :], flow.velocity[:, :, :]


@pytest.mark.timeout(300)
@pytest.mark.parametrize("magic", [None, 3 / 16], ids=["bgk", "trt"])
def test_density_and_velocity_are_those_of_lbmpy(onehop, tmp_path, magic):
    words = ("--setup", "taylor-green", "--lattice", *EXTENTS, "--tau", TAU, "--steps", STEPS)
    collision = "bgk" if magic is None else "trt"
    ended = onehop(
        *("app", "lattice-boltzmann", *words, "--velocity", SPEED, "--collision", collision),
        *("-n", "2", "--fields", tmp_path / "f.h5", "--json", "-"),
    )
    assert json.loads(ended.out)["options"]["collision"] == collision
    with h5py.File(tmp_path / "f.h5", "r") as file:
        density, velocity = file["density"][:].T, file["velocity"][:].transpose(3, 2, 1, 0)
    expected_density, expected_velocity = of_lbmpy(magic)
    assert np.abs(velocity).max() > 0.02
    assert np.abs(density - expected_density).max() < 1e-12
    assert np.abs(velocity - expected_velocity).max() < 1e-12
