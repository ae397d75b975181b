"""Broadcast by a binomial tree: every level forwards as soon as its data are in.

The job script gives rank r the host r + 1, as the platform does; the rings pass the hosts in
another order."""

from onehop.netsim import closed_form, collective_form, packet_form

RANKS = 16
IN_RING_ORDER = range(RANKS)


def targets(lab):
    tca = lab.machine("tca-peach2")
    return {"P-V8": collective_form.collective_ps(tca, "broadcast", RANKS, 8, "device") / 1e6}


def packets(lab):
    return {"P-V8": time_us(lab.machine("tca-peach2"), 8)}


def readings(lab):
    tca = lab.machine("tca-peach2")
    level = closed_form.pingpong_ps(tca, 8, "device") / 1e6
    return {
        "ranks in the order of the rings": {"P-V8": time_us(tca, 8, IN_RING_ORDER)},
        "every level is half a round trip of the ping-pong": {"P-V8": 4 * level},
    }


def curves(lab, published):
    tca = lab.machine("tca-peach2")
    name = "broadcast"
    return {name: [(p[0], time_us(tca, p[0])) for p in published[name].points]}


def time_us(tca, size_bytes, places=None):
    time = packet_form.collective_ps(tca, "broadcast", RANKS, size_bytes, "device", places=places)
    return time / 1e6
