"""The second card: link and bus rates, and where its loop-back bandwidth is lost."""

from onehop.netsim import closed_form


def targets(lab):
    card = lab.machine("apenet-v5")
    look_up = card.stages["host-translate"]
    return {
        "B-C1": look_up.hit / 4e3,
        "B-C2": card.stages["host-write"].rate / 1e9,
        "B-C3": card.fabric.wire("x").rate * 8 / 1e9,
        "B-V1": beyond_reach(card, look_up.entries * look_up.page),
        "B-V2": bottleneck(card),
    }


def beyond_reach(card, reach):
    """How the bandwidth changes with the buffer: steady up to the reach of the table, then less."""
    within = [loop(card, int(reach / 2**step)) for step in range(3)]
    beyond = loop(card, int(2 * reach))
    return "drop" if beyond < 0.95 * min(within) and max(within) < 1.05 * min(within) else "steady"


def loop(card, size_bytes):
    """Bytes/s of the card with itself: no cable on the way."""
    sides = ("origin", "target")
    return min(closed_form.bandwidth(card, size_bytes, "host", "host", side=s) for s in sides)


def bottleneck(card):
    size = 1 << 16
    send = closed_form.bandwidth(card, size, "host", "host", side="origin")
    receive = closed_form.bandwidth(card, size, "host", "host", side="target")
    return "rx-bound" if receive < send else "tx-bound"
