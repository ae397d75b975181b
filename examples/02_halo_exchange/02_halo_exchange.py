"""Solves the heat equation on a square, divided in stripes of rows: each step needs one row of
either neighbour."""

import numpy as np

import onehop

SIZE = 48
STEPS = 200

job = onehop.join()
stripes = onehop.Cartesian(job, (SIZE, SIZE), grid=(job.size, 1))
# The stripe has one row of ghosts above and below it, and none beside it.
now, then = (onehop.HaloField(stripes, sides=[(1, 1), (0, 0)]) for _ in range(2))
halo = onehop.HaloExchange(now)
if job.rank == 0:
    now.interior[0, SIZE // 2] = 1000.0


def relax(first: int, end: int) -> None:
    """Returns the new values of rows `first` to `end` of the arrays, which have ghosts around
    them."""
    heat, y = now.array, slice(first, end)
    around = np.roll(heat[y], -1, axis=1) + np.roll(heat[y], 1, axis=1)
    around += heat[first - 1 : end - 1] + heat[first + 1 : end + 1]
    then.array[y] = 0.5 * heat[y] + 0.125 * around


last = stripes.local[0]
for _ in range(STEPS):
    halo.start(now)
    if last > 2:
        relax(2, last)  # needs no ghost
    halo.wait()
    relax(1, 2)
    relax(last, last + 1)
    now, then = then, now

total = onehop.allreduce_sum(job, [(now.interior**2).sum()])[0]
if job.rank == 0:
    print(f"sum of squares after {STEPS} steps: {total:.6f}")
