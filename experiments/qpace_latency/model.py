"""Eight channels at once: the published model from its own numbers, kept in the platform file."""

from onehop.netsim import closed_form

CHANNELS = 8
PING_PONG = {"K-C1": 128, "K-C2": 2048, "K-V1": 512, "K-V2": 1024}
PING_PING = {"K-C3": 128, "K-V3": 512, "K-V4": 1024, "K-V5": 2048}


def targets(lab):
    qpace = lab.machine("qpace")
    found = {name: time_us(qpace, "ping-pong", size) for name, size in PING_PONG.items()}
    found |= {name: time_us(qpace, "ping-ping", size) for name, size in PING_PING.items()}
    return found | {
        "K-V6": closed_form.branch_crossover_bytes(qpace, "ping-pong", CHANNELS),
        "K-V7": closed_form.branch_crossover_bytes(qpace, "ping-ping", CHANNELS),
    }


def time_us(qpace, pattern, size_bytes):
    return closed_form.branch_time_ps(qpace, pattern, size_bytes, CHANNELS) / 1e6
