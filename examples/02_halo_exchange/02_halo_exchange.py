"""Heat on a square, divided in stripes of rows: each step needs one row of either neighbour."""

import numpy as np

import onehop

SIZE = 48
STEPS = 200

job = onehop.join()
rows = SIZE // job.size
above, below = (job.rank - 1) % job.size, (job.rank + 1) % job.size
field = np.zeros((rows + 2, SIZE))
if job.rank == 0:
    field[1, SIZE // 2] = 1000.0

window = onehop.Window(job, (2, SIZE))
chain = onehop.PutChain(job, window)
# My first row is the lower ghost of the rank above, my last the upper ghost of the one below.
chain.push(field[1], above, field[1].nbytes)
chain.push(field[rows], below, 0)
# In the order of the pushes that they answer, for then both neighbours may be one rank.
from_below = chain.add_origin(below)
from_above = chain.add_origin(above)
chain.commit()


def relaxed(y):
    """The new values of rows `y`, a slice without ghosts."""
    up, down = slice(y.start - 1, y.stop - 1), slice(y.start + 1, y.stop + 1)
    sideways = np.roll(field[y], -1, axis=1) + np.roll(field[y], 1, axis=1)
    return 0.5 * field[y] + 0.125 * (sideways + field[up] + field[down])


for _ in range(STEPS):
    chain.start()
    inner = relaxed(slice(2, rows))  # needs no ghost
    chain.wait()
    field[0] = chain.arrived(from_above)
    field[rows + 1] = chain.arrived(from_below)
    first, last = relaxed(slice(1, 2)), relaxed(slice(rows, rows + 1))
    field[2:rows], field[1:2], field[rows : rows + 1] = inner, first, last

total = onehop.allreduce_sum(job, [(field[1:-1] ** 2).sum()])[0]
if job.rank == 0:
    print(f"sum of squares after {STEPS} steps: {total:.6f}")
