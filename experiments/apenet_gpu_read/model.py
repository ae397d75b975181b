"""The engine of an APEnet+ card that reads GPU memory, in its versions."""

from onehop.netsim import closed_form

LARGE = 1 << 22
INTERVAL = "stage.gpu-read.interval"


def targets(lab):
    head = lab.machine("apenet-v4").stages["gpu-read"].head
    return {
        "A-C6": read(lab, "v3"),
        "A-C7": head / 1e6,
        "A-C10": read(lab, "bar1"),
        "A-V3": read(lab, "v2"),
        "A-V4": read(lab, "v1"),
    }


def readings(lab):
    return {"version 1 asks every 300 ns": {"A-V4": read(lab, "v1", {INTERVAL: "300"})}}


def read(lab, engine, more=()):
    """GB/s out of GPU memory."""
    card = lab.machine("apenet-v4", {"nic.tx.gpu-read": engine} | dict(more))
    return closed_form.bandwidth(card, LARGE, "device", "host", side="origin") / 1e9
