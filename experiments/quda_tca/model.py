"""A CG iteration of QUDA: kernels bound by launch or memory, four hopping terms with one exchange
of faces each. TCA and MPI RMA wait for all faces; MPI point-to-point finishes one dimension's
sites while the other's faces are still on their way."""

import math

from onehop.netsim import closed_form, packet_form
from onehop.netsim.collective_form import collective_ps
from onehop.netsim.link_load import busiest_link_ps

# Double precision, links stored as 12 numbers: eight neighbours, eight links, one result.
HOPPING_BYTES_PER_SITE = 8 * 192 + 8 * 96 + 192
# Vector updates and norms of an iteration: three fused kernels, ten passes over vectors.
VECTOR_KERNELS, VECTOR_BYTES_PER_SITE = 3, 10 * 192
# Each of two reductions ends in a copy to the host, and a sum over ranks there, by MPI always.
REDUCTIONS, REDUCTION_US = 2, 10.0
HOPPINGS = 4
# Of the published messages, 24 KB from a face of 8^3 sites. A hopping term of QUDA sends the half
# spinors, twelve numbers, of one parity: those of half the sites, so that a number has 8 bytes.
FACE_BYTES_PER_SITE = 48
# Reached by stencils of the period, of the nominal memory rate.
MEMORY_EFFICIENCY = 0.7

SMALL, LARGE = 8, 16
NODES = 16
OVERLAPPED = "mpi"


def targets(lab):
    return ratios(lab, exchange_us)


def packets(lab):
    return ratios(lab, simulated_exchange_us)


def readings(lab):
    """Other placements of the ranks, with the same fitted numbers."""
    return {
        "ranks along the rings": ratios(lab, ring_exchange_us),
        "ranks near their neighbours": ratios(lab, near_exchange_us),
    }


def ratios(lab, exchange):
    machines = {
        "tca": lab.machine("tca-peach2"),
        "mpi": lab.machine("infiniband-qdr", {"mpi.release": "gdr-2.0b"}),
        "mpi_rma": lab.machine("infiniband-qdr", {"mpi.release": "gdr-2.0b", "variant": "mpi_rma"}),
    }

    def time(*what):
        return iteration_us(machines, *what, exchange)

    def ratio(wire, side, grid):
        return time(wire, side, grid) / time("tca", side, grid)

    def waiting(wire, side, grid):
        return exchange(machines, wire, side, grid) / exchange(machines, "tca", side, grid)

    return {
        "Q-C1": ratio("mpi", SMALL, (2, 2)),
        "Q-C2": ratio("mpi_rma", SMALL, (2, 2)),
        "Q-V1": waiting("mpi", SMALL, (2, 4)),
        "Q-V2": waiting("mpi_rma", SMALL, (2, 4)),
        "Q-V3": ratio("mpi", LARGE, (4, 4)),
        "Q-V4": slower_on_two(time),
        "Q-V5": ratio("mpi", LARGE, (2, 2)),
        "Q-V6": faster_on_many(time),
        "Q-V7": small_order(time),
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
    node = machine.fabric.places or range(NODES)
    sent = [(node[origin], node[target], size) for origin, target, size in flows(side, grid)]
    link = busiest_link_ps(machine.fabric, sent)
    return (own.total_ps + max(0.0, link - own.gap_ps)) / 1e6


def simulated_exchange_us(machines, wire, side, grid):
    """The same, packet by packet."""
    return packet_form.exchange_ps(machines[wire], flows(side, grid), NODES) / 1e6


def ring_exchange_us(machines, wire, side, grid):
    return placed_exchange_us(machines, wire, flows(side, grid))


def near_exchange_us(machines, wire, side, grid):
    return placed_exchange_us(machines, wire, flows(side, grid, near_neighbours))


def placed_exchange_us(machines, wire, sent):
    """With rank r on the r-th node along the rings."""
    return packet_form.exchange_ps(machines[wire], sent, NODES, places=range(NODES)) / 1e6


def flows(side, grid, place=None):
    """(origin, target, bytes) of all ranks, whose numbers `place` tells."""
    place = place or rank_of
    sizes = faces(side, grid)
    shifts = [(d, 0) for d in (1, -1) if grid[0] > 1] + [(0, d) for d in (1, -1) if grid[1] > 1]
    return [
        (
            place(grid, x, y),
            place(grid, (x + dx) % grid[0], (y + dy) % grid[1]),
            size,
        )
        for x in range(grid[0])
        for y in range(grid[1])
        for (dx, dy), size in zip(shifts, sizes, strict=True)
    ]


def rank_of(grid, x, y):
    """QUDA numbers ranks with the last axis fastest."""
    return y + grid[1] * x


def near_neighbours(grid, x, y):
    """Neighbours near on two coupled rings of eight: a short axis lies across the rings; 4 x 4
    takes two rows on each ring, every second one backwards."""
    if grid == (2, 4):
        return y + 8 * x
    if grid == (4, 4):
        along = x if y % 2 == 0 else 7 - x
        # Rows 1 and 2 stand opposite each other, and so do rows 3 and 0.
        return (along if y < 2 else 7 - along) + 8 * (y // 2)
    return x + 8 * y


def iteration_us(machines, wire, side, grid, exchange):
    gpu = machines["tca"].gpu
    launch = gpu["launch"].base / 1e6
    rate = gpu["memory"].base * MEMORY_EFFICIENCY / 1e6
    sites = side**4 / (grid[0] * grid[1]) / 2
    split = sum(n > 1 for n in grid)
    interior = max(launch, sites * HOPPING_BYTES_PER_SITE / rate)
    # One kernel packs and one finishes the faces of each split axis.
    rims = 2 * split * launch
    hidden = (split - 1) * launch if wire == OVERLAPPED else 0.0
    hopping = interior + rims + exchange(machines, wire, side, grid) - hidden
    vectors = max(VECTOR_KERNELS * launch, sites * VECTOR_BYTES_PER_SITE / rate)
    over_ranks = collective_ps(machines["mpi"], "allreduce", math.prod(grid), 8, "host") / 1e6
    return HOPPINGS * hopping + vectors + REDUCTIONS * (REDUCTION_US + over_ranks)


def slower_on_two(time):
    times = {wire: time(wire, LARGE, (2, 1)) for wire in ("tca", "mpi", "mpi_rma")}
    return "slower" if times["tca"] > max(times["mpi"], times["mpi_rma"]) else "faster"


def faster_on_many(time):
    grids = ((2, 4), (4, 4))
    faster = [time("tca", LARGE, grid) < time("mpi", LARGE, grid) for grid in grids]
    return "faster" if all(faster) else "slower"


def small_order(time):
    """TCA first; then RMA, somewhat ahead of point-to-point."""
    for grid in ((2, 1), (2, 2), (2, 4), (4, 4)):
        times = [time(w, SMALL, grid) for w in ("tca", "mpi_rma", "mpi")]
        if times != sorted(times):
            return "other order"
    return "order"
