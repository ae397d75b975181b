"""What the card takes from a constant stream into GPU memory before it pushes back."""

from onehop.netsim import closed_form

# Payload of a UDP datagram on Ethernet, which the card's protocol encoder encapsulates in a packet.
DATAGRAM = 1472
# What a card would be given that gathered datagrams and filled its packets.
FILLED = 1 << 20


def targets(lab):
    return {"N-V1": taken(lab, DATAGRAM)}


def readings(lab):
    return {"packets are filled with several datagrams": {"N-V1": taken(lab, FILLED)}}


def taken(lab, size_bytes):
    """MB/s."""
    return closed_form.bandwidth(lab.machine("nanet"), size_bytes, "host", "device") / 1e6
