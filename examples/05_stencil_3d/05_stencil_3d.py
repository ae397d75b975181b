"""Solves the heat equation in a periodic box, divided along x, y and z: six faces a step, in one
exchange."""

import numpy as np

import onehop

STEPS = 50

job = onehop.join()
ranks = onehop.Cartesian(job, (32, 16, 24))  # z, y, x: the shape of the box as an array
box = onehop.HaloField(ranks, width=1)
halo = onehop.HaloExchange(box)
field, inside = box.array, box.interior  # with ghosts around it, and without

z, y, x = np.ogrid[ranks.slices]
inside[...] = (x * 7 + y * 5 + z * 3) % 11 == 0

for _ in range(STEPS):
    halo.exchange()
    around = field[1:-1, 1:-1, 2:] + field[1:-1, 1:-1, :-2]
    around += field[1:-1, 2:, 1:-1] + field[1:-1, :-2, 1:-1]
    around += field[2:, 1:-1, 1:-1] + field[:-2, 1:-1, 1:-1]
    inside[...] = 0.4 * inside + 0.1 * around

heat, squares = onehop.allreduce_sum(job, [inside.sum(), (inside**2).sum()])
if job.rank == 0:
    print(f"heat {heat:.6f}, sum of squares {squares:.6f} after {STEPS} steps")
