"""The messages and kernels of the Wilson solver of PEACH2-Benchmarks, without its numbers: CG on
the squared operator of all sites, which sends links and full spinors, along z and t.

    onehop run -n 16 --transport virtual:infiniband-qdr --memory device -- \\
        python experiments/lattice_solvers/full_spinors.py 16 16 16 16 --grid 4 4

writes the time of an iteration as a record.
"""

from __future__ import annotations

import argparse
import json

import numpy as np

import onehop

LINK = 18 * 8  # bytes of a link, of which kernels read two rows
ROWS = 12 * 8
SPINOR = 24 * 8
ITERATIONS = 10


class Exchange:
    """Faces of `bytes_per_site` for the neighbours along t and z, in one chain; towards one side
    only, or both. What a rank alone along an axis sends itself takes no time."""

    def __init__(self, solver: Solver, bytes_per_site: int, parts: int, *, both: bool) -> None:
        job, face = solver.job, {axis: n * bytes_per_site for axis, n in solver.face.items()}
        self._solver, self._packed = solver, face["z"] * parts
        sends = [
            (axis, side)
            for axis in ("t", "z")
            for side in ((1, -1) if both else (1,))
            if solver.neighbour(axis, side) != job.rank
        ]
        # Along t each part of a face is a message of its own; along z the parts are packed.
        pieces = {"t": [face["t"]] * parts, "z": [face["z"] * parts]}
        total = sum(sum(pieces[axis]) for axis, _ in sends)
        self._chain = None
        if not sends:
            return
        window = onehop.Window(job, total)
        self._chain = onehop.PutChain(job, window)
        offset = 0
        for axis, side in sends:
            for piece in pieces[axis]:
                source = np.zeros(piece, np.uint8)
                if axis == "z" and not solver.packs:
                    source = np.zeros((solver.local["t"], 2, piece // solver.local["t"]), np.uint8)
                    source = source[:, 0]
                self._chain.push(source, solver.neighbour(axis, side), offset)
                self._chain.add_origin(solver.neighbour(axis, -side))
                offset += piece
        self._chain.commit()

    def __call__(self) -> None:
        if self._chain is not None:
            self._chain.start()
            self._chain.wait()

    def pack(self, sides: int) -> None:
        """A kernel for each side reads and writes the face of z, before it is sent or after."""
        if self._solver.packs:
            self._solver.kernel(2 * self._packed, launches=sides)


class Solver:
    def __init__(self, job: onehop.Context, options: argparse.Namespace) -> None:
        x, y, z, t = options.lattice
        self.job, self.packs, self._barriers = job, options.packs, options.barriers
        self._grid = dict(zip("zt", options.grid, strict=True))
        self.local = {"z": z // self._grid["z"], "t": t // self._grid["t"]}
        self.sites = x * y * self.local["z"] * self.local["t"]
        self.face = {axis: self.sites // self.local[axis] for axis in "zt"}
        self._links = Exchange(self, LINK, 4, both=False)
        self._spinors = Exchange(self, SPINOR, 1, both=True)

    def neighbour(self, axis: str, side: int) -> int:
        """Ranks are numbered along z first."""
        t, z = divmod(self.job.rank, self._grid["z"])
        here = {"z": z, "t": t}
        here[axis] = (here[axis] + side) % self._grid[axis]
        return here["t"] * self._grid["z"] + here["z"]

    def kernel(self, size_bytes: int, launches: int = 1) -> None:
        self.job.work(bytes=size_bytes, launches=launches)

    def hop(self) -> None:
        self._spinors.pack(2)
        self._spinors()
        if self._barriers:
            onehop.barrier(self.job)
        self._spinors.pack(2)
        self.kernel(self.sites * (2 * SPINOR + 8 * ROWS))

    def squared(self) -> None:
        self._links.pack(1)
        self._links()
        self._links.pack(1)
        self.hop()
        self.hop()

    def iterate(self) -> None:
        self.squared()
        vector = self.sites * SPINOR
        self.sum(2 * vector)  # dot
        self.kernel(6 * vector, launches=2)  # two axpy
        self.sum(vector)  # norm
        self.kernel(5 * vector, launches=2)  # scal, axpy

    def sum(self, size_bytes: int) -> None:
        self.kernel(size_bytes)
        onehop.allreduce_sum(self.job, [1.0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lattice", type=int, nargs=4, metavar="N")
    parser.add_argument("--grid", type=int, nargs=2, required=True, metavar=("Z", "T"))
    parser.add_argument("--barriers", action="store_true", help="after each exchange of spinors")
    parser.add_argument(
        "--rows", dest="packs", action="store_false", help="faces of z by rows, without kernels"
    )
    job = onehop.join()
    solver = Solver(job, parser.parse_args())
    solver.iterate()
    onehop.barrier(job)
    begin = job.now_ns
    for _ in range(ITERATIONS):
        solver.iterate()
    onehop.barrier(job)
    if job.rank == 0:
        print(json.dumps({"time_per_iteration_us": (job.now_ns - begin) / 1e3 / ITERATIONS}))


main()
