"""Eight channels at once: the published model from its own numbers, kept in the platform file."""

from onehop.netsim import closed_form

CHANNELS = 8
PING_PONG = {"K-C1": 128, "K-C2": 2048, "K-V1": 512, "K-V2": 1024}
PING_PING = {"K-C3": 128, "K-V3": 512, "K-V4": 1024, "K-V5": 2048}


def targets(lab):
    qpace = lab.machine("qpace")
    found = {name: time_us(qpace, "ping-pong", size) for name, size in PING_PONG.items()}
    found |= {name: time_us(qpace, "ping-ping", size) for name, size in PING_PING.items()}
    # What the machine of stages gives, for the fit of its numbers.
    found |= {f"{name}/stages": stages_us(qpace, "ping-pong", n) for name, n in PING_PONG.items()}
    found |= {f"{name}/stages": stages_us(qpace, "ping-ping", n) for name, n in PING_PING.items()}
    return found | {
        "K-V6": closed_form.branch_crossover_bytes(qpace, "ping-pong", CHANNELS),
        "K-V7": closed_form.branch_crossover_bytes(qpace, "ping-ping", CHANNELS),
    }


def time_us(qpace, pattern, size_bytes):
    return closed_form.branch_time_ps(qpace, pattern, size_bytes, CHANNELS) / 1e6


def stages_us(qpace, pattern, size_bytes):
    """The same from stages: in a ping-ping each core also takes what comes and posts credits."""
    found = closed_form.transfer(qpace, size_bytes, channels=CHANNELS)
    if pattern == "ping-pong":
        return found.total_ps / 1e6
    core = sum(t for (_, unit), t in found.busy_ps.items() if unit == "core")
    core += CHANNELS * qpace.stages["credit"].cost
    one = closed_form.transfer(qpace, size_bytes)
    own = sum(t for (_, unit), t in one.busy_ps.items() if unit == "core")
    return max(found.total_ps, one.total_ps - own + core) / 1e6


def curves(lab, published):
    qpace = lab.machine("qpace")
    found = {}
    for name, curve in published.items():
        form = stages_us if name.endswith("stages") else time_us
        pattern = name.removesuffix(", stages")
        found[name] = [(p[0], form(qpace, pattern, p[0])) for p in curve.points]
    return found
