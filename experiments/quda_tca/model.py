"""A CG iteration of QUDA: kernels bound by launch or memory, four hopping terms with one exchange
of faces each. A rank waits for its own faces and for those that come to it; MPI point-to-point
finishes one dimension's sites while the other's faces are still on their way."""

import functools
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

# QUDA sends the faces of the last axis first, forwards before backwards, and begins with all of
# them at once: lattice/quda, lib/dslash_policy.cuh, DslashGPUComms.
AXES = (1, 0)
# Faces come into two sets of buffers in turn (bufferIndex, same file), as a neighbour may be an
# exchange ahead.
BUFFERS = 2

SMALL, LARGE = 8, 16
NODES = 16
# Ranks go along the rings, as in the one job script of the cluster for a lattice code.
ALONG_RINGS = range(NODES)
OVERLAPPED = "mpi"


def targets(lab):
    return ratios(lab, closed_times)


def packets(lab):
    return ratios(lab, simulated_times)


def readings(lab):
    """Other placements of the ranks and of faces, with the same fitted numbers."""
    by_number = functools.partial(simulated_times, places=None)
    once = functools.partial(simulated_times, buffers=1)
    near = functools.partial(simulated_times, place=near_neighbours)
    return {
        "ranks by the numbers of the hosts": ratios(lab, by_number),
        "ranks near their neighbours": ratios(lab, near),
        "one set of buffers for faces": ratios(lab, once),
    }


def ratios(lab, times):
    """`times` of a wire, the side of the lattice and a grid: of an iteration, and of what rank 0
    waits in it for faces, in us."""
    machines = {
        "tca": lab.machine("tca-peach2"),
        "mpi": lab.machine("infiniband-qdr", {"mpi.release": "gdr-2.0b"}),
        "mpi_rma": lab.machine("infiniband-qdr", {"mpi.release": "gdr-2.0b", "variant": "mpi_rma"}),
    }
    known = functools.cache(functools.partial(times, machines))

    def time(*what):
        return known(*what)[0]

    def ratio(wire, side, grid):
        return time(wire, side, grid) / time("tca", side, grid)

    def waiting(wire, side, grid):
        return known(wire, side, grid)[1] / known("tca", side, grid)[1]

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
        for axis in AXES
        for _ in range(2)
        if grid[axis] > 1
    ]


def closed_times(machines, wire, side, grid):
    """Each exchange by itself: the rank's own servers, or the busiest link between nodes."""
    machine, sizes = machines[wire], faces(side, grid)
    own = closed_form.exchange(machine, sizes, "device", "device")
    link = busiest_link_ps(machine.fabric, flows(side, grid))
    waited = HOPPINGS * (own.total_ps + max(0.0, link - own.gap_ps)) / 1e6
    between = HOPPINGS * hopping_us(machines, wire, side, grid)
    return between + rest_us(machines, side, grid) + waited, waited


def simulated_times(machines, wire, side, grid, place=None, places=ALONG_RINGS, buffers=BUFFERS):
    """The second of two iterations, packet by packet. A rank begins a hopping term when its own
    faces and those for it have come, whatever the others do; only the sums make all wait for all.
    The times were published as rank 0 measured them."""
    schedule = packet_form.Schedule(machines[wire], NODES, places)
    term, rest = hopping_us(machines, wire, side, grid), rest_us(machines, side, grid)
    sent = flows(side, grid, place)
    ranks = range(NODES)
    exchanges = []
    for number in range(2 * HOPPINGS):
        ready, delay = exchanges[-1] if exchanges else [], term
        if number % HOPPINGS == 0:
            ready = [sorted({wait for own in ready for wait in own})] * len(ranks)
            delay += rest
        bank = number % buffers * sum(faces(side, grid))
        puts = schedule.start(sent, "device", ready, delay * 1e6, bank)
        exchanges.append([waits_of(rank, sent, puts) for rank in ranks])
    schedule.run()

    def done_us(exchange, ranks=ranks):
        return max(schedule.done_ps(exchange[rank]) for rank in ranks if exchange[rank]) / 1e6

    begin, end = done_us(exchanges[HOPPINGS - 1]), done_us(exchanges[-1])
    # What rank 0 does not compute from the last sum to its last face, it waits.
    waited = done_us(exchanges[-1], [0]) - begin - rest - HOPPINGS * term
    return end - begin, waited


def waits_of(rank, sent, puts):
    """Of its own puts a rank knows that their sources are free, over TCA by the notification that
    it asked for; of those for it, that they have come."""
    waits = []
    for (origin, target, _), put in zip(sent, puts, strict=True):
        if rank == origin:
            waits += packet_form.Schedule.sources(put)
        if rank == target:
            waits += put
    return waits


def flows(side, grid, place=None):
    """(origin, target, bytes) of all ranks, whose numbers `place` tells."""
    place = place or rank_of
    sizes = faces(side, grid)
    steps = ((1, 0), (-1, 0)), ((0, 1), (0, -1))
    shifts = [step for axis in AXES for step in steps[axis] if grid[axis] > 1]
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


def hopping_us(machines, wire, side, grid):
    """Kernels of a hopping term. One packs all faces, and the host waits for it before anybody may
    read them, as the published 15.3 us of a kernel that packs are with the wait; one finishes the
    faces of each split axis."""
    gpu = machines["tca"].gpu
    launch = gpu.launch / 1e6
    split = sum(n > 1 for n in grid)
    interior = max(launch, sites(side, grid) * HOPPING_BYTES_PER_SITE / memory_rate(gpu))
    pack = machines["mpi"].stages["pack"]
    packed = (pack.launch + sum(faces(side, grid)) / pack.rate * 1e12) / 1e6
    finished = 1 if wire == OVERLAPPED else split
    return interior + packed + finished * launch


def rest_us(machines, side, grid):
    """Vector kernels and reductions of an iteration."""
    gpu = machines["tca"].gpu
    launches = VECTOR_KERNELS * gpu.launch / 1e6
    vectors = max(launches, sites(side, grid) * VECTOR_BYTES_PER_SITE / memory_rate(gpu))
    over_ranks = collective_ps(machines["mpi"], "allreduce", math.prod(grid), 8, "host") / 1e6
    return vectors + REDUCTIONS * (REDUCTION_US + over_ranks)


def sites(side, grid):
    """Of one parity, of a rank."""
    return side**4 / math.prod(grid) / 2


def memory_rate(gpu):
    """Bytes in a us."""
    return gpu.memory * MEMORY_EFFICIENCY / 1e6


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
