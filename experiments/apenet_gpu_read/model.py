"""The engine of an APEnet+ card that reads GPU memory, in its versions."""

from onehop.netsim import closed_form

LARGE = 1 << 22


def targets(lab):
    head = lab.machine("apenet-v4").stages["gpu-read"].get("head")
    return {
        "A-C6": read(lab, "v3"),
        "A-C7": head / 1e6,
        "A-C10": read(lab, "bar1"),
        "A-V3": read(lab, "v2"),
        "A-V4": read(lab, "v1"),
    }


def read(lab, engine):
    """GB/s out of GPU memory."""
    card = lab.machine("apenet-v4", {"nic.tx.gpu-read": engine})
    return closed_form.bandwidth(card, LARGE, "device", "host", side="origin") / 1e9
