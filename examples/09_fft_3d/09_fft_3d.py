"""Transforms fields in a box by Fourier, and back: planes on each rank, a transposition, then lines
across what were the ranks."""

import numpy as np
from numpy.typing import NDArray

import onehop

try:
    from scipy import fft
except ImportError:
    from numpy import fft

SHAPE = (16, 24, 32)  # z, y, x


class Transform:
    """The discrete Fourier transform of a box that the ranks have in slabs along z; its modes are
    in slabs along y. One alltoall, made once, carries both transpositions."""

    def __init__(self, job: onehop.Context, shape: tuple[int, int, int]) -> None:
        nz, ny, nx = shape
        self.block = (job.size, nz // job.size, ny // job.size, nx)
        self.send, self.receive = np.empty((2, *self.block), complex)
        self.alltoall = onehop.persistent_alltoall(job, self.send, self.receive)

    def start(self, slab: NDArray[np.float64]) -> None:
        """Transforms planes (z, y, x) of this rank and sends them on, a block for each rank."""
        ranks, z, y, x = self.block
        planes = fft.fftn(slab, axes=(1, 2))
        self.send[...] = planes.reshape(z, ranks, y, x).swapaxes(0, 1)
        self.alltoall.start()

    def finish(self) -> NDArray[np.complex128]:
        """Returns the modes (z, y, x), all of z and this rank's part of y."""
        ranks, z, y, x = self.block
        self.alltoall.wait()
        modes: NDArray[np.complex128] = fft.fft(self.receive.reshape(ranks * z, y, x), axis=0)
        return modes

    def inverse(self, modes: NDArray[np.complex128]) -> NDArray[np.complex128]:
        ranks, z, y, x = self.block
        self.send[...] = fft.ifft(modes, axis=0).reshape(self.block)
        self.alltoall.start()
        self.alltoall.wait()
        planes = self.receive.swapaxes(0, 1).reshape(z, ranks * y, x)
        slab: NDArray[np.complex128] = fft.ifftn(planes, axes=(1, 2))
        return slab


job = onehop.join()
if SHAPE[0] % job.size or SHAPE[1] % job.size:
    raise SystemExit(f"{job.size} ranks do not divide {SHAPE[0]} and {SHAPE[1]}; give 2 or 4")
slab = np.split(np.arange(SHAPE[0]), job.size)[job.rank]  # the z of this rank
lines = np.split(np.arange(SHAPE[1]), job.size)[job.rank]  # the y of its modes
fields = np.random.default_rng(1).normal(size=(3, *SHAPE))  # every rank draws all, to compare

transforms = [Transform(job, SHAPE) for _ in fields]
for k, field in enumerate(fields):  # one field travels while the next is transformed
    transforms[k].start(field[slab])
error, change = 0.0, 0.0
for k, field in enumerate(fields):
    modes, expected = transforms[k].finish(), np.fft.fftn(field)
    error = max(error, abs(modes - expected[:, lines]).max() / abs(expected).max())
    change = max(change, abs(transforms[k].inverse(modes) - field[slab]).max())

error, change = onehop.allreduce_max(job, [error, change])
if job.rank == 0:
    print(f"{len(fields)} fields of {SHAPE[0]} x {SHAPE[1]} x {SHAPE[2]}")
    print(f"modes are NumPy's to 1e-12: {error < 1e-12}")
    print(f"the fields are back to 1e-12: {change < 1e-12}")
