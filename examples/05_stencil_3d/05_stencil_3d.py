"""Heat in a periodic box, divided along x, y and z: six faces a step, sent where they lie."""

import numpy as np

import onehop

SIZE = [24, 16, 32, 1]  # a lattice of three dimensions
STEPS = 50

job = onehop.join()
ranks = onehop.Geometry(job, SIZE, onehop.choose_grid(SIZE, job.size))
nx, ny, nz = ranks.local[:3]
field = np.zeros((nz + 2, ny + 2, nx + 2))
inside = field[1:-1, 1:-1, 1:-1]

origin = ranks.origin
z, y, x = np.ogrid[:nz, :ny, :nx]
pattern = (x + origin[0]) * 7 + (y + origin[1]) * 5 + (z + origin[2]) * 3
inside[:] = pattern % 11 == 0


def slice_of(mu, n):
    """Slice number n of the block in direction x, y or z; a view."""
    picked = [slice(1, -1)] * 3
    picked[2 - mu] = n
    return field[tuple(picked)]


window = onehop.Window(job, sum(2 * slice_of(mu, 1).size for mu in range(3)))
chain = onehop.PutChain(job, window)
packed, ghosts, offset = [], [], 0
for mu in range(3):
    first, last = slice_of(mu, 1), slice_of(mu, ranks.local[mu])
    ahead, behind = ranks.neighbour(mu, 1), ranks.neighbour(mu, -1)
    # My first slice is the ghost ahead of the rank behind me, and the other way round.
    for source, target, at in ((first, behind, offset), (last, ahead, offset + first.nbytes)):
        if mu == 0:  # two distances between the numbers: packed
            packed.append((chain.push_packed(source.nbytes, target, at), source))
        else:  # rows at one distance: the chain reads them in place
            chain.push(source, target, at)
    # Origins come in the order of the pushes that they answer.
    ghosts.append((slice_of(mu, ranks.local[mu] + 1), chain.add_origin(ahead)))
    ghosts.append((slice_of(mu, 0), chain.add_origin(behind)))
    offset += 2 * first.nbytes
chain.commit()

for _ in range(STEPS):
    for slot, source in packed:
        chain.target_view(slot).reshape(source.shape)[:] = source
    chain.start()
    chain.wait()
    for ghost, arrival in ghosts:
        ghost[:] = chain.arrived(arrival).reshape(ghost.shape)
    around = field[1:-1, 1:-1, 2:] + field[1:-1, 1:-1, :-2]
    around += field[1:-1, 2:, 1:-1] + field[1:-1, :-2, 1:-1]
    around += field[2:, 1:-1, 1:-1] + field[:-2, 1:-1, 1:-1]
    inside[:] = 0.4 * inside + 0.1 * around

heat, squares = onehop.allreduce_sum(job, [inside.sum(), (inside**2).sum()])
if job.rank == 0:
    print(f"heat {heat:.6f}, sum of squares {squares:.6f} after {STEPS} steps")
