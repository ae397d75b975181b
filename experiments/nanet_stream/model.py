"""What the card takes from a constant stream into GPU memory before it pushes back."""

from onehop.netsim import closed_form

# Payload of one UDP datagram on Ethernet; every datagram becomes a packet.
DATAGRAM = 1472


def targets(lab):
    card = lab.machine("nanet")
    return {"N-V1": closed_form.bandwidth(card, DATAGRAM, "host", "device") / 1e6}
