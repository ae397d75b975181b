"""Two solvers on several GPUs: compute at the rate of one GPU, then exchange, without overlap.

The Wilson code splits z and t, 4 x 4 on 16 processes. An iteration applies the squared operator,
which exchanges the links of the faces again, towards one side of each axis, and then the spinors of
both hopping terms, towards both sides. All messages of an exchange are started at once. Over MPI
the z faces are packed by kernels; the hybrid code leaves them to TCA, whose 2D descriptors need no
packing, while MPI carries the t faces. Its job scripts put the MPI code on a GPU beside the
InfiniBand adapter with the GPUDirect limit raised to 512 KiB, and the hybrid code on one beside the
TCA card, with a receive limit of 8 KiB; ranks follow the rings.

Source: mnakao/PEACH2-Benchmarks, LQCD: fopr_wilson_alt.cu, field.cu, main_reflect_ha_mpi.c, run."""

from onehop.netsim import closed_form, packet_form
from onehop.netsim.collective_form import collective_ps

# Wilson CG: two hopping terms of 1392 flops and eleven vector operations of 24 flops a site.
SIDE = 16
WILSON_FLOPS = SIDE**4 * (2 * 1392 + 11 * 24)
HOPPINGS = 2
# Two operators, three axpy, a scaling, a product, a norm; the last two end in a copy and a sum.
KERNELS, SUMS = 8, 2
# Of a site: a spinor of 24 doubles, the link of one direction of 18.
SPINOR_BYTES, LINK_BYTES = 192, 144
# Processes along z and t.
GRIDS = {1: (1, 1), 2: (1, 2), 4: (2, 2), 8: (2, 4), 16: (4, 4), 32: (4, 8), 64: (8, 8)}
SUB_CLUSTER = 16
# As the header of the hybrid code in the repository has it (lattice_reflect_ha_mpi.h, PT 2, PZ 8);
# those of the other codes have it too, with which they had been run before the published runs.
HEADER_GRID = (8, 2)

# One hopping term of the staggered operator; 24 bytes of a face site in single precision.
STAGGERED_FLOPS_PER_SITE = 570
STAGGERED_BYTES_PER_SITE = 24


def targets(lab):
    return figures(lab, own_servers_us)


def packets(lab):
    simulated = figures(lab, simulated_us)
    return {name: simulated[name] for name in ("L-V1", "L-V2")}


def figures(lab, exchange_us):
    tca, across, mpi = machines(lab)
    staged = lab.machine("infiniband-qdr", {"variant": "staged"})
    on_mpi = wilson_us(mpi, 16, exchange_us)
    return {
        "L-C1": WILSON_FLOPS / wilson_us(mpi, 1, exchange_us) / 1e3,
        "L-C2": staggered_speedup(staged, 32),
        "L-V1": WILSON_FLOPS / on_mpi / 1e3,
        "L-V2": on_mpi / wilson_us(across, 16, exchange_us, tca),
        "L-V5": staggered_speedup(staged, 64),
    }


def readings(lab):
    """The hybrid code on the process grid of its header, MPI on that of its packing times."""
    tca, across, mpi = machines(lab)
    hybrid = wilson_us(across, 16, simulated_us, tca, HEADER_GRID)
    return {
        "hybrid on 2 x 8 processes": {"L-V2": wilson_us(mpi, 16, simulated_us) / hybrid},
    }


def curves(lab, published):
    tca, across, mpi = machines(lab)

    def gflops(ranks, wire, fast=None):
        return WILSON_FLOPS / wilson_us(wire, ranks, simulated_us, fast) / 1e3

    hybrid, plain = "hybrid TCA+MPI", "CUDA+MPI"
    return {
        plain: [(ranks, gflops(ranks, mpi)) for ranks, _ in published[plain].points],
        # As published, MPI alone where z is not split.
        hybrid: [
            (ranks, gflops(ranks, across, tca) if GRIDS[ranks][0] > 1 else gflops(ranks, mpi))
            for ranks, _ in published[hybrid].points
        ],
    }


def machines(lab):
    """TCA, and InfiniBand across QPI and beside the GPU."""
    across = {"gpudirect.limit": "receive-8k", "gpu.socket": "far"}
    near = {"gpudirect.limit": "raised", "gpu.socket": "near"}
    wires = [lab.machine("infiniband-qdr", options) for options in (across, near)]
    return lab.machine("tca-peach2"), *wires


def wilson_us(mpi, ranks, exchange_us, tca=None, grid=None):
    """One iteration; with a TCA machine the z faces go over it."""
    compute = WILSON_FLOPS / mpi.gpu.wilson_solver / ranks * 1e6
    launches = KERNELS * mpi.gpu.launch / 1e6
    sums = SUMS * (collective_ps(mpi, "allreduce", ranks, 8, "host") + copy_ps(mpi, 8)) / 1e6
    total = compute + launches + sums
    grid = grid or GRIDS[ranks]
    for (along_z, along_t), times in ((links(ranks, *grid), 1), (spinors(ranks, *grid), HOPPINGS)):
        if tca is None:
            total += times * (pack_us(mpi, along_z) + exchange_us(mpi, ranks, along_z + along_t))
        else:
            near = [message for message in along_z if message[0] < SUB_CLUSTER]
            total += times * max(
                exchange_us(mpi, ranks, along_t), exchange_us(tca, SUB_CLUSTER, near)
            )
    return total


def links(ranks, z, t):
    """(origin, target, bytes) of the messages along z, all directions in one, and along t."""
    size = LINK_BYTES * SIDE**2
    return (
        [(rank, neighbour(rank, z, t, 1, 0), 4 * size * SIDE // t) for rank in range(ranks)],
        [(rank, neighbour(rank, z, t, 0, 1), size * SIDE // z) for rank in range(ranks)] * 4,
    )


def spinors(ranks, z, t):
    size = SPINOR_BYTES * SIDE**2
    both = [(rank, way) for rank in range(ranks) for way in (1, -1)]
    return (
        [(rank, neighbour(rank, z, t, way, 0), size * SIDE // t) for rank, way in both],
        [(rank, neighbour(rank, z, t, 0, way), size * SIDE // z) for rank, way in both],
    )


def neighbour(rank, z, t, by_z, by_t):
    """Ranks number z fastest."""
    return (rank + by_z) % z + rank // z * z if by_z else (rank + by_t * z) % (z * t)


def pack_us(mpi, messages):
    """Rank 0 packs what it sends along z and unpacks what comes: a kernel and a wait each."""
    pack = mpi.stages["pack"]
    size = sum(message[2] for message in messages if message[0] == 0)
    return 2 * (pack.launch + size / pack.rate * 1e12) / 1e6


def copy_ps(mpi, size):
    """A call that copies within a GPU or out of it."""
    return mpi.collectives["mpi"].entry + 2 * size / mpi.gpu.memory * 1e12


def to_itself_us(machine, messages):
    """An axis of one process sends to itself."""
    return sum(copy_ps(machine, size) for a, b, size in messages if a == b == 0) / 1e6


def own_servers_us(machine, ranks, messages):
    """An exchange, as the servers of rank 0 alone take it."""
    sizes = [size for origin, target, size in messages if origin == 0 != target]
    wires = closed_form.exchange(machine, sizes, "device", "device").total_ps if sizes else 0.0
    return wires / 1e6 + to_itself_us(machine, messages)


def simulated_us(machine, ranks, messages):
    """The same, packet by packet, all ranks at once. Links and the spinors of either hopping term
    are arrays of their own, together beyond the reach of any table of pages here."""
    away = [message for message in messages if message[0] != message[1]]
    nodes = max(ranks, 2)
    wires = (
        packet_form.exchange_ps(machine, away, nodes, places=range(nodes), in_place=False)
        if away
        else 0.0
    )
    return wires / 1e6 + to_itself_us(machine, messages)


def staggered_speedup(machine, side, gpus=4):
    """Lattice 4 x side^3, cut along one axis of `side`."""
    sites = 4 * side**3
    one = sites * STAGGERED_FLOPS_PER_SITE / machine.gpu.staggered_solver * 1e6
    face = 4 * side**2 * STAGGERED_BYTES_PER_SITE
    faces = closed_form.exchange(machine, [face] * 2, "device", "device").total_ps / 1e6
    return one / (one / gpus + faces)
