"""A CG iteration of QUDA: kernels bound by launch or memory, four hopping terms with one exchange
of faces each. TCA and MPI RMA wait for all faces; MPI point-to-point finishes one dimension's
sites while the other's faces are still on their way."""

import math

from onehop.netsim import closed_form
from onehop.netsim.link_load import busiest_link_ps

# Single precision, links stored as 12 numbers: eight neighbours, eight links, one result.
HOPPING_BYTES_PER_SITE = 8 * 96 + 8 * 48 + 96
# Vector updates and norms of an iteration: three fused kernels, ten passes over vectors.
VECTOR_KERNELS, VECTOR_BYTES_PER_SITE = 3, 10 * 96
# Each of two reductions ends in a copy to the host.
REDUCTIONS, REDUCTION_US = 2, 10.0
HOPPINGS = 4
# Twelve 4-byte numbers of a face site.
FACE_BYTES_PER_SITE = 48
# Reached by stencils of the period, of the nominal memory rate.
MEMORY_EFFICIENCY = 0.7

SMALL, LARGE = 8, 16
OVERLAPPED = "mpi"


def targets(lab):
    machines = {
        "tca": lab.machine("tca-peach2"),
        "mpi": lab.machine("infiniband-qdr", {"mpi.release": "gdr-2.0b"}),
        "mpi_rma": lab.machine("infiniband-qdr", {"mpi.release": "gdr-2.0b", "variant": "mpi_rma"}),
    }

    def ratio(time, wire, side, grid):
        return time(machines, wire, side, grid) / time(machines, "tca", side, grid)

    return {
        "Q-C1": ratio(iteration_us, "mpi", SMALL, (2, 2)),
        "Q-C2": ratio(iteration_us, "mpi_rma", SMALL, (2, 2)),
        "Q-V1": ratio(exchange_us, "mpi", SMALL, (2, 4)),
        "Q-V2": ratio(exchange_us, "mpi_rma", SMALL, (2, 4)),
        "Q-V3": ratio(iteration_us, "mpi", LARGE, (4, 4)),
        "Q-V4": slower_on_two(machines),
        "Q-V5": ratio(iteration_us, "mpi", LARGE, (2, 2)),
        "Q-V6": faster_on_many(machines),
        "Q-V7": small_order(machines),
        "Q-V8": max(faces(LARGE, (4, 4))),
    }


def faces(side, grid):
    """Bytes of the messages of a rank in one exchange: two for every split axis."""
    local = (side // grid[0], side // grid[1], side, side)
    sites = math.prod(local)
    return [
        FACE_BYTES_PER_SITE * sites // local[axis]
        for axis in (0, 1)
        for _ in range(2)
        if grid[axis] > 1
    ]


def exchange_us(machines, wire, side, grid):
    """All faces of one hopping term: the rank's own servers, or the busiest link between nodes."""
    machine, sizes = machines[wire], faces(side, grid)
    own = closed_form.exchange(machine, sizes, "device", "device")
    link = busiest_link_ps(machine.fabric, flows(side, grid))
    return (own.total_ps + max(0.0, link - own.gap_ps)) / 1e6


def flows(side, grid):
    """(origin, target, bytes) of all ranks, which stand along the rings in the order of x, y."""
    sizes = faces(side, grid)
    shifts = [(d, 0) for d in (1, -1) if grid[0] > 1] + [(0, d) for d in (1, -1) if grid[1] > 1]
    return [
        (x + grid[0] * y, (x + dx) % grid[0] + grid[0] * ((y + dy) % grid[1]), size)
        for x in range(grid[0])
        for y in range(grid[1])
        for (dx, dy), size in zip(shifts, sizes, strict=True)
    ]


def iteration_us(machines, wire, side, grid):
    gpu = machines["tca"].gpu
    launch = gpu["launch"].base / 1e6
    rate = gpu["memory"].base * MEMORY_EFFICIENCY / 1e6
    sites = side**4 / (grid[0] * grid[1]) / 2
    split = sum(n > 1 for n in grid)
    interior = max(launch, sites * HOPPING_BYTES_PER_SITE / rate)
    # One kernel packs and one finishes the faces of each split axis.
    rims = 2 * split * launch
    hidden = (split - 1) * launch if wire == OVERLAPPED else 0.0
    hopping = interior + rims + exchange_us(machines, wire, side, grid) - hidden
    vectors = max(VECTOR_KERNELS * launch, sites * VECTOR_BYTES_PER_SITE / rate)
    return HOPPINGS * hopping + vectors + REDUCTIONS * REDUCTION_US


def slower_on_two(machines):
    times = {wire: iteration_us(machines, wire, LARGE, (2, 1)) for wire in machines}
    return "slower" if times["tca"] > max(times["mpi"], times["mpi_rma"]) else "faster"


def faster_on_many(machines):
    grids = ((2, 4), (4, 4))
    faster = [
        iteration_us(machines, "tca", LARGE, grid) < iteration_us(machines, "mpi", LARGE, grid)
        for grid in grids
    ]
    return "faster" if all(faster) else "slower"


def small_order(machines):
    """TCA first; then RMA, somewhat ahead of point-to-point."""
    for grid in ((2, 1), (2, 2), (2, 4), (4, 4)):
        times = [iteration_us(machines, w, SMALL, grid) for w in ("tca", "mpi_rma", "mpi")]
        if times != sorted(times):
            return "other order"
    return "order"
