"""Broadcast by a binomial tree: every level forwards as soon as its data are in."""

from onehop.netsim.collective_form import collective_ps

RANKS = 16


def targets(lab):
    return {"P-V8": time_us(lab.machine("tca-peach2"), 8)}


def curves(lab, published):
    tca = lab.machine("tca-peach2")
    return {"broadcast": [(p[0], time_us(tca, p[0])) for p in published["broadcast"].points]}


def time_us(tca, size_bytes):
    return collective_ps(tca, "broadcast", RANKS, size_bytes, "device") / 1e6
