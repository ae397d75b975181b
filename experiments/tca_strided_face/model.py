"""n rows of n doubles, far apart, in one chain of 2D descriptors."""

from onehop.netsim import closed_form, packet_form


def targets(lab, form=closed_form):
    tca = lab.machine("tca-peach2")
    return {"P-C6": time_us(tca, 64, form), "P-V6": time_us(tca, 16, form)}


def packets(lab):
    return targets(lab, packet_form)


def curves(lab, published):
    tca = lab.machine("tca-peach2")
    name = "strided face"
    return {name: [(p[0], time_us(tca, p[0])) for p in published[name].points]}


def time_us(tca, n, form=closed_form):
    return form.pingpong_ps(tca, 8 * n * n, "device", pieces=n) / 1e6
