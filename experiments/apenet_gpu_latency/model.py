"""GPU to GPU over APEnet+, direct and staged, and over InfiniBand through the host."""

from onehop.netsim import closed_form, packet_form

SMALL = 32


def targets(lab, form=closed_form):
    card = lab.machine("apenet-v4")
    staged = lab.machine("apenet-v4", {"p2p": "off"})
    infiniband = lab.machine("infiniband-qdr", {"variant": "staged"})
    return {
        "A-C8": time_us(card, SMALL, form),
        "A-C9": staged.stages["copy-out"].setup / 1e6,
        "A-V5": time_us(staged, SMALL, form),
        "A-V7": crossover(card, infiniband, form),
        "I-C1": time_us(infiniband, SMALL, form),
    }


def packets(lab):
    return targets(lab, packet_form)


def time_us(machine, size_bytes, form):
    return form.pingpong_ps(machine, size_bytes, "device") / 1e6


def crossover(card, infiniband, form):
    """The first size, in steps of a sixteenth of an octave, at which InfiniBand is no slower."""
    for step in range(16 * 12):
        size = int(1024 * 2 ** (step / 16))
        if time_us(infiniband, size, form) <= time_us(card, size, form):
            return size
    return float("inf")
