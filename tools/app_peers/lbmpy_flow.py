"""lbmpy_flow.py X Y Z SPEED TAU STEPS MAGIC FILE.npz

Lets vortices decay with lbmpy, as `onehop app lattice-boltzmann --setup taylor-green` does, with
one relaxation time where MAGIC is 0; writes density and velocity and prints million cells per
second.
"""

from __future__ import annotations

import json
import sys
import time

import lbmpy
import numpy as np
from lbmpy.scenarios import create_fully_periodic_flow
from pystencils import CreateKernelConfig, Target


def vortices(extents: list[int], speed: float) -> tuple[np.ndarray, np.ndarray]:
    """Returns density and velocity (x, y, z, 3) at first."""
    x, y = (2 * np.pi * np.arange(n) / n for n in extents[:2])
    x, y = np.meshgrid(x, y, indexing="ij")
    ratio = np.sqrt(extents[0] / extents[1])
    pressure = ratio**2 * np.cos(2 * x) + np.cos(2 * y) / ratio**2
    velocity = np.zeros((*extents, 3))
    velocity[..., 0] = (-speed * ratio * np.cos(x) * np.sin(y))[..., None]
    velocity[..., 1] = (speed / ratio * np.sin(x) * np.cos(y))[..., None]
    return np.broadcast_to((1 - 0.75 * speed**2 * pressure)[..., None], extents), velocity


def _flow(extents: list[int], speed: float, tau: float, magic: float):
    rates = {"method": lbmpy.Method.SRT, "relaxation_rate": 1 / tau}
    if magic:
        odd = 1 / (0.5 + magic / (tau - 0.5))
        rates = {"method": lbmpy.Method.TRT, "relaxation_rates": [1 / tau, odd]}
    how = lbmpy.LBMConfig(stencil=lbmpy.LBStencil(lbmpy.Stencil.D3Q19), compressible=True, **rates)
    kernels = CreateKernelConfig(target=Target.CurrentCPU)
    kernels.cpu.openmp.enable = False
    kernels.cpu.vectorize.enable = True
    kernels.cpu.vectorize.assume_inner_stride_one = True
    density, velocity = vortices(extents, speed)
    flow = create_fully_periodic_flow(
        velocity, lbm_config=how, config=kernels, optimization={"field_layout": "fzyx"}
    )
    for block in flow.data_handling.iterate(ghost_layers=False):
        there = block[flow.density_data_name]
        there[...] = density.reshape(there.shape)
    flow.set_pdf_fields_from_macroscopic_values()
    return flow


def main() -> None:
    extents = [int(word) for word in sys.argv[1:4]]
    speed, tau, magic = (float(sys.argv[k]) for k in (4, 5, 7))
    steps = int(sys.argv[6])
    flow = _flow(extents, speed, tau, magic)
    begun = time.perf_counter()
    flow.run(steps)
    took = time.perf_counter() - begun
    np.savez(sys.argv[8], density=flow.density[:, :, :], velocity=flow.velocity[:, :, :])
    print(json.dumps({"rate": 1e-6 * np.prod(extents) * steps / took}))


main()
