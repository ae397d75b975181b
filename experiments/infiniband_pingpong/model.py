"""GPUDirect ping-pong in its regimes: inline, eager, read by the adapter, staged."""

from onehop.netsim import closed_form, packet_form

RAISED = {"I-C2": 8, "I-C3": 64, "I-C4": 8192, "I-C5": 32768, "I-C6": 262144, "I-C7": 2097152}
RAISED |= {"I-V1": 1024, "I-V3": 131072}
DEFAULT = {"I-C9": 65536, "I-V5": 16384}
FAR = {"I-C8": 65536}

OPTIONS = {
    "limit raised": {"gpudirect.limit": "raised"},
    "default limit": {"gpudirect.limit": "default"},
    "across QPI, default limit": {"gpudirect.limit": "default", "gpu.socket": "far"},
    "across QPI, receive limit": {"gpudirect.limit": "receive-8k", "gpu.socket": "far"},
}


def targets(lab, form=closed_form):
    found = {}
    for sizes, options in zip((RAISED, DEFAULT, FAR), OPTIONS.values(), strict=False):
        machine = lab.machine("infiniband-qdr", options)
        found |= {name: time_us(machine, size, form) for name, size in sizes.items()}
    return found


def curves(lab, published):
    machines = {name: lab.machine("infiniband-qdr", o) for name, o in OPTIONS.items()}
    return {
        name: [(p[0], time_us(machine, p[0])) for p in published[name].points]
        for name, machine in machines.items()
    }


def packets(lab):
    return targets(lab, packet_form)


def time_us(machine, size_bytes, form=closed_form):
    return form.pingpong_ps(machine, size_bytes, "device") / 1e6
