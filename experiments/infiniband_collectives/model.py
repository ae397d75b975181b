"""Collectives of MVAPICH2-GDR on GPU memory, with the library's default limits."""

from onehop.netsim.collective_form import collective_ps

RANKS = 16
TARGETS = {
    "I-V8": ("broadcast", 64),
    "I-V9": ("broadcast", 1 << 20),
    "I-V10": ("allgather", 64),
    "I-V12": ("allreduce", 8),
}


def targets(lab):
    machine = lab.machine("infiniband-qdr", {"gpudirect.limit": "default"})
    return {name: time_us(machine, *what) for name, what in TARGETS.items()}


def curves(lab, published):
    machine = lab.machine("infiniband-qdr", {"gpudirect.limit": "default"})
    return {
        name: [(p[0], time_us(machine, name, p[0])) for p in curve.points]
        for name, curve in published.items()
    }


def time_us(machine, operation, size_bytes):
    return collective_ps(machine, operation, RANKS, size_bytes, "device") / 1e6
