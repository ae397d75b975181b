"""Collectives of MVAPICH2-GDR on GPU memory; the job scripts raise the GPUDirect limit."""

from onehop.netsim import collective_form, packet_form

RANKS = 16
TARGETS = {
    "I-V8": ("broadcast", 64),
    "I-V9": ("broadcast", 1 << 20),
    "I-V10": ("allgather", 64),
    "I-V12": ("allreduce", 8),
}


def targets(lab, form=collective_form, limit="raised", collectives="pinned"):
    chosen = {"gpudirect.limit": limit, "collectives": collectives}
    machine = lab.machine("infiniband-qdr", chosen)
    return {name: time_us(machine, *what, form) for name, what in TARGETS.items()}


def curves(lab, published):
    machine = lab.machine("infiniband-qdr", {"gpudirect.limit": "raised"})
    return {
        name: [(p[0], time_us(machine, name, p[0])) for p in curve.points]
        for name, curve in published.items()
    }


def packets(lab):
    return targets(lab, packet_form)


def readings(lab):
    return {
        "default GPUDirect limit": targets(lab, packet_form, "default"),
        "copied to the host wherever MVAPICH2 does so": targets(
            lab, packet_form, collectives="library"
        ),
        "messages of GPU memory at all sizes": targets(lab, packet_form, collectives="direct"),
    }


def time_us(machine, operation, size_bytes, form=packet_form):
    return form.collective_ps(machine, operation, RANKS, size_bytes, "device") / 1e6
