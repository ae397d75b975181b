"""Streams through one APEnet+ card: what its reading or its receiving side lets through."""

from onehop.netsim import closed_form, packet_form

LARGE = 1 << 20
# Fits the reach of the look-up table; the published best is the top of the curve.
WITHIN_REACH = 1 << 16


def targets(lab):
    card = lab.machine("apenet-v4")
    read = {
        channels: closed_form.bandwidth(
            lab.machine("apenet-v4", {"nic.tx.dma": channels}), LARGE, "host", "host", side="origin"
        )
        for channels in ("single", "double")
    }
    return {
        "A-C1": card.fabric.wire().rate * 8 / 1e9,
        "A-C2": stream(lab, "tlb", "host") / 1e9,
        "A-C3": card.stages["host-translate"].hit / 1e3,
        "A-C4": stream(lab, "nios", "host") / 1e9,
        "A-C5": read["single"] / 1e9,
        "A-V1": stream(lab, "nios-tuned", "host") / 1e9,
        "A-V2": read["double"] / read["single"],
        "A-V6": stream(lab, "nios-tuned", "device") / 1e9,
    }


def readings(lab):
    """The damaged digit read the other way."""
    gap = {"stage.host-read.gap": "300"}
    card = lab.machine("apenet-v4", gap)
    double = closed_form.bandwidth(card, LARGE, "host", "host", side="origin") / 1e9
    return {"gap of 300 ns with two channels": {"A-V2": double / targets(lab)["A-C5"]}}


def packets(lab):
    """Those of the whole way; the others stop in the card."""
    return {
        "A-C2": stream(lab, "tlb", "host", packet_form) / 1e9,
        "A-C4": stream(lab, "nios", "host", packet_form) / 1e9,
        "A-V1": stream(lab, "nios-tuned", "host", packet_form) / 1e9,
        "A-V6": stream(lab, "nios-tuned", "device", packet_form) / 1e9,
    }


def stream(lab, translation, memory, form=closed_form):
    """Bytes/s from host memory into `memory` of the neighbour."""
    card = lab.machine("apenet-v4", {"nic.rx.translation": translation})
    return form.bandwidth(card, WITHIN_REACH, "host", memory)
