"""GPUs of a node on NVLink, nodes on NDR; an expert-parallel all-to-all over both."""

from onehop.netsim import closed_form

LARGE = 4 << 20
GPUS_OF_A_NODE = 8
# Low-latency dispatch: 128 tokens to 8 experts each; 7168 bytes in FP8, a 4-byte scale for every
# 128 of them and a 16-byte head (DeepEP @0297fc8).
DISPATCH_BYTES = 128 * 8 * (7168 + 7168 // 128 * 4 + 16)


def targets(lab):
    hopper, blackwell, h800 = (
        lab.machine("ndr-h200", {"gpu": g}) for g in ("h200", "b200", "h800")
    )
    ndr200 = lab.machine("ndr-h200", {"link": "ndr200"})
    return {
        "X-C1": hopper.stages["peer"].rate / 1e9,
        "X-C2": blackwell.stages["peer"].rate / 1e9,
        "X-C3": dispatch_us(h800, 8),
        "X-V1": peer(hopper),
        "X-V2": peer(blackwell),
        "X-V3": closed_form.bandwidth(ndr200, LARGE, "device", "device") / 1e9,
        "X-V4": dispatch_us(h800, 64),
        "X-V6": closed_form.bandwidth(h800, LARGE, "device", "device") / 1e9,
    }


def peer(machine):
    """GB/s over NVLink, whatever started the copy."""
    stage = machine.stages["peer"]
    return stage.rate * stage.lanes / 1e9


def dispatch_us(machine, ranks):
    """Tokens go to all ranks alike: those of the node over NVLink, the others over the network."""
    inside = DISPATCH_BYTES * min(GPUS_OF_A_NODE, ranks) // ranks
    outside = DISPATCH_BYTES - inside
    node = closed_form.transfer(machine, inside, "device", "device", variant="node").total_ps
    if outside == 0:
        return node / 1e6
    network = closed_form.transfer(machine, outside, "device", "device", variant="dispatch")
    return max(node, network.total_ps) / 1e6
