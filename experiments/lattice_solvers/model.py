"""Two solvers on several GPUs: compute at the rate of one GPU, then exchange, without overlap.

The Wilson code splits z and t, 4 x 4 on 16 processes, and sends one message after the other. Its
job scripts put the MPI code on a GPU beside the InfiniBand adapter with the GPUDirect limit raised
to 512 KiB, and the hybrid code on one beside the TCA card, with a receive limit of 8 KiB."""

from onehop.netsim import closed_form
from onehop.netsim.collective_form import collective_ps

# Wilson CG: two hopping terms of 1392 flops and eleven vector operations of 24 flops a site.
SIDE = 16
WILSON_FLOPS = SIDE**4 * (2 * 1392 + 11 * 24)
HOPPINGS = 2
FACE_SITE_BYTES = 192
# Processes along z and t.
GRIDS = {1: (1, 1), 2: (1, 2), 4: (2, 2), 8: (2, 4), 16: (4, 4), 32: (4, 8), 64: (8, 8)}
# Sums over ranks: two products and one norm.
SUMS = 3

# One hopping term of the staggered operator; 24 bytes of a face site in single precision.
STAGGERED_FLOPS_PER_SITE = 570
STAGGERED_BYTES_PER_SITE = 24


def targets(lab):
    tca, across, mpi = machines(lab)
    staged = lab.machine("infiniband-qdr", {"variant": "staged"})
    on_mpi, hybrid = wilson_us(mpi, 16), wilson_us(across, 16, tca)
    return {
        "L-C1": WILSON_FLOPS / wilson_us(mpi, 1) / 1e3,
        "L-C2": staggered_speedup(staged, 32),
        "L-V1": WILSON_FLOPS / on_mpi / 1e3,
        "L-V2": on_mpi / hybrid,
        "L-V5": staggered_speedup(staged, 64),
    }


def curves(lab, published):
    tca, across, mpi = machines(lab)
    wires = {"CUDA+MPI": (mpi, None), "hybrid TCA+MPI": (across, tca)}
    return {
        name: [
            (ranks, WILSON_FLOPS / wilson_us(wire, ranks, fast if ranks <= 16 else None) / 1e3)
            for ranks, _ in published[name].points
        ]
        for name, (wire, fast) in wires.items()
    }


def readings(lab):
    _, across, _ = machines(lab)
    return {
        "MPI alone across QPI too": {
            "L-V1": WILSON_FLOPS / wilson_us(across, 16) / 1e3,
            "L-V2": wilson_us(across, 16) / wilson_us(across, 16, machines(lab)[0]),
        }
    }


def machines(lab):
    """TCA, and InfiniBand across QPI and beside the GPU."""
    across = {"gpudirect.limit": "receive-8k", "gpu.socket": "far"}
    near = {"gpudirect.limit": "raised", "gpu.socket": "near"}
    wires = [lab.machine("infiniband-qdr", options) for options in (across, near)]
    return lab.machine("tca-peach2"), *wires


def wilson_us(mpi, ranks, tca=None):
    """One iteration; with a TCA machine the t faces go over it. Only z faces are packed."""
    along_z, along_t = GRIDS[ranks]
    compute = WILSON_FLOPS / mpi.gpu["wilson_solver"].base / ranks * 1e6
    if ranks == 1:
        return compute
    plane = FACE_SITE_BYTES * SIDE * SIDE
    hopping = 0.0
    if along_z > 1:
        hopping += 2 * message_us(mpi, plane * SIDE // along_t)
        hopping += 2 * mpi.stages["pack"].get("launch") / 1e6
    if along_t > 1:
        face = plane * SIDE // along_z
        hopping += exchange_us(tca, face) if tca is not None else 2 * message_us(mpi, face)
    sums = SUMS * collective_ps(mpi, "allreduce", ranks, 8, "host") / 1e6
    return compute + HOPPINGS * hopping + sums


def message_us(mpi, size):
    return closed_form.pingpong_ps(mpi, size, "device") / 1e6


def exchange_us(tca, size):
    """Both faces of an axis in one chain."""
    return closed_form.exchange(tca, [size] * 2, "device", "device").total_ps / 1e6


def staggered_speedup(machine, side, gpus=4):
    """Lattice 4 x side^3, cut along one axis of `side`."""
    sites = 4 * side**3
    one = sites * STAGGERED_FLOPS_PER_SITE / machine.gpu["staggered_solver"].base * 1e6
    face = 4 * side**2 * STAGGERED_BYTES_PER_SITE
    faces = closed_form.exchange(machine, [face] * 2, "device", "device").total_ps / 1e6
    return one / (one / gpus + faces)
