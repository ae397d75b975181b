"""Two solvers on several GPUs: compute at the rate of one GPU, then exchange, without overlap.

The Wilson code splits z and t, 4 x 4 on 16 processes, sends one message after the other, and runs
on the GPU beside the TCA card, so that MPI reaches it across QPI."""

from onehop.netsim import closed_form
from onehop.netsim.collective_form import collective_ps

# Wilson CG: two hopping terms of 1392 flops and eleven vector operations of 24 flops a site.
SITES = 16**4
WILSON_FLOPS = SITES * (2 * 1392 + 11 * 24)
WILSON_RANKS, SPLIT = 16, 4
HOPPINGS, AXES = 2, 2
FACE_BYTES = 192 * 16 * 16 * (16 // SPLIT)
# Only the z faces are packed; sums over ranks: two products and one norm.
PACKED, SUMS = 1, 3

# One hopping term of the staggered operator; 24 bytes of a face site in single precision.
STAGGERED_FLOPS_PER_SITE = 570
STAGGERED_BYTES_PER_SITE = 24


def targets(lab):
    tca = lab.machine("tca-peach2")
    mpi = lab.machine("infiniband-qdr", {"gpudirect.limit": "receive-8k", "gpu.socket": "far"})
    staged = lab.machine("infiniband-qdr", {"variant": "staged"})
    one = WILSON_FLOPS / mpi.gpu["wilson_solver"].base * 1e6
    on_mpi = wilson_us(mpi, 2 * (2 * message_us(mpi)))
    hybrid = wilson_us(mpi, 2 * message_us(mpi) + exchange_us(tca))
    return {
        "L-C1": WILSON_FLOPS / one / 1e3,
        "L-C2": staggered_speedup(staged, 32),
        "L-V1": WILSON_FLOPS / on_mpi / 1e3,
        "L-V2": on_mpi / hybrid,
        "L-V5": staggered_speedup(staged, 64),
    }


def message_us(mpi):
    return closed_form.pingpong_ps(mpi, FACE_BYTES, "device") / 1e6


def exchange_us(tca):
    """Both faces of an axis in one chain."""
    return closed_form.exchange(tca, [FACE_BYTES] * 2, "device", "device").total_ps / 1e6


def wilson_us(mpi, exchange):
    """One iteration on all ranks; `exchange` for all axes of one hopping term."""
    compute = WILSON_FLOPS / mpi.gpu["wilson_solver"].base / WILSON_RANKS * 1e6
    pack = 2 * PACKED * mpi.stages["pack"].get("launch") / 1e6
    sums = SUMS * collective_ps(mpi, "allreduce", WILSON_RANKS, 8, "host") / 1e6
    return compute + HOPPINGS * (exchange + pack) + sums


def staggered_speedup(machine, side, gpus=4):
    """Lattice 4 x side^3, cut along one axis of `side`."""
    sites = 4 * side**3
    one = sites * STAGGERED_FLOPS_PER_SITE / machine.gpu["staggered_solver"].base * 1e6
    face = 4 * side**2 * STAGGERED_BYTES_PER_SITE
    faces = closed_form.exchange(machine, [face] * 2, "device", "device").total_ps / 1e6
    return one / (one / gpus + faces)
