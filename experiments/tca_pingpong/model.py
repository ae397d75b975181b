"""Ping-pong between neighbours whose ranks wait for their own notification too."""

from onehop.netsim import closed_form, packet_form

SIZES = {"P-C1": 8, "P-C2": 2048, "P-C3": 4096, "P-C4": 65536, "P-C5": 1 << 20}
SIZES |= {"P-V1": 512, "P-V3": 32768, "P-V5": 4 << 20}
LARGE = 4 << 20


def targets(lab, form=closed_form):
    tca = lab.machine("tca-peach2")
    sandy = lab.machine("tca-peach2", {"host": "sandy-bridge"})
    return {name: time_us(tca, size, form) for name, size in SIZES.items()} | {
        "P-V13": crossover(tca, lab.machine("infiniband-qdr"), form),
        "P-V15": time_us(tca, LARGE, form) / time_us(sandy, LARGE, form),
    }


def curves(lab, published):
    tca = lab.machine("tca-peach2")
    name = "one-way time"
    return {name: [(p[0], time_us(tca, p[0])) for p in published[name].points]}


def packets(lab):
    return targets(lab, packet_form)


def time_us(machine, size_bytes, form=closed_form):
    return form.pingpong_ps(machine, size_bytes, "device") / 1e6


def crossover(tca, infiniband, form):
    """The largest power of two at which TCA is still faster."""
    sizes = [2**power for power in range(12, 23)]
    faster = [size for size in sizes if time_us(tca, size, form) <= time_us(infiniband, size, form)]
    return max(faster, default=0)
