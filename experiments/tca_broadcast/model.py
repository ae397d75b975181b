"""Broadcast by a binomial tree: every level forwards as soon as its data are in."""

from onehop.netsim import collective_form, packet_form

RANKS = 16


def targets(lab, form=collective_form):
    return {"P-V8": time_us(lab.machine("tca-peach2"), 8, form)}


def curves(lab, published):
    tca = lab.machine("tca-peach2")
    return {"broadcast": [(p[0], time_us(tca, p[0])) for p in published["broadcast"].points]}


def packets(lab):
    return targets(lab, packet_form)


def time_us(tca, size_bytes, form=packet_form):
    return form.collective_ps(tca, "broadcast", RANKS, size_bytes, "device") / 1e6
