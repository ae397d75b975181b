"""The messages and kernels of the Wilson solver of PEACH2-Benchmarks, without its numbers: CG on
the squared operator of all sites, which sends links and full spinors, along z and t.

    onehop run -n 16 --transport virtual:infiniband-qdr --memory device -- \\
        python -m onehop.experiments.lattice_solvers.full_spinors 16 16 16 16 --grid 4 4

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
    only, or both. What a rank alone along an axis sends to itself is copied by the driver, a launch
    and a wait for each message, whose bytes take no time."""

    def __init__(self, solver: Solver, bytes_per_site: int, parts: int, *, both: bool) -> None:
        job, face = solver.job, {axis: n * bytes_per_site for axis, n in solver.face.items()}
        self._solver, self._packed = solver, face["z"] * parts
        ways = [(axis, side) for axis in ("t", "z") for side in ((1, -1) if both else (1,))]
        # Along t each part of a face is a message of its own; along z the parts are packed.
        pieces = {"t": [face["t"]] * parts, "z": [face["z"] * parts]}
        sends = [way for way in ways if solver.neighbour(*way) != job.rank]
        self._own = sum(len(pieces[axis]) for axis, side in ways if (axis, side) not in sends)
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
        for _ in range(self._own):
            self._solver.kernel(0, awaited=True)
        if self._chain is not None:
            self._chain.start()
            self._chain.wait()

    def pack(self, sides: int, *, awaited: bool = False) -> None:
        """A kernel for each side reads and writes the face of z, before it is sent or after."""
        for side in range(sides if self._solver.packs else 0):
            self._solver.kernel(2 * self._packed, awaited=awaited and side + 1 == sides)


class Solver:
    def __init__(self, job: onehop.Context, options: argparse.Namespace) -> None:
        x, y, z, t = options.lattice
        self.job, self.packs, self._directives = job, options.packs, options.barriers
        self._grid = dict(zip("zt", options.grid, strict=True))
        self.local = {"z": z // self._grid["z"], "t": t // self._grid["t"]}
        self.sites = x * y * self.local["z"] * self.local["t"]
        self.face = {axis: self.sites // self.local[axis] for axis in "zt"}
        # Its start waits for kernels, as any does; a message of a rank to itself takes no time.
        self._awaited = onehop.PutChain(job, onehop.Window(job, 1))
        self._awaited.push(np.zeros(1, np.uint8), job.rank, 0)
        self._awaited.add_origin(job.rank)
        self._awaited.commit()
        self._links = Exchange(self, LINK, 4, both=False)
        self._spinors = Exchange(self, SPINOR, 1, both=True)

    def neighbour(self, axis: str, side: int) -> int:
        """Ranks are numbered along z first."""
        t, z = divmod(self.job.rank, self._grid["z"])
        here = {"z": z, "t": t}
        here[axis] = (here[axis] + side) % self._grid[axis]
        return here["t"] * self._grid["z"] + here["z"]

    def kernel(self, size_bytes: int, *, awaited: bool = False) -> None:
        self.job.work(bytes=size_bytes)
        if awaited or self._directives:
            self._awaited.start()
            self._awaited.wait()

    def hop(self) -> None:
        self._spinors.pack(2)
        self._spinors()
        if self._directives:
            onehop.barrier(self.job)
        self._spinors.pack(2, awaited=True)
        self.kernel(self.sites * (2 * SPINOR + 8 * ROWS), awaited=True)

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
        self.kernel(3 * vector)  # axpy
        self.kernel(3 * vector, awaited=True)  # axpy
        self.sum(vector)  # norm
        self.kernel(2 * vector, awaited=True)  # scal
        self.kernel(3 * vector, awaited=True)  # axpy

    def sum(self, size_bytes: int) -> None:
        self.kernel(size_bytes)
        onehop.allreduce_sum(self.job, [1.0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lattice", type=int, nargs=4, metavar="N")
    parser.add_argument("--grid", type=int, nargs=2, required=True, metavar=("Z", "T"))
    parser.add_argument(
        "--barriers",
        action="store_true",
        help="as the directive code: after exchanges of spinors, and hosts wait for every kernel",
    )
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
