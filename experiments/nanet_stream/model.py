"""What the card takes from a constant stream into GPU memory before it pushes back."""

from onehop.netsim import closed_form

# Packets of the card are filled, as those of APEnet+ are.
STREAM = 1 << 20
# Payload of one UDP datagram on Ethernet.
DATAGRAM = 1472


def targets(lab):
    return {"N-V1": taken(lab, STREAM)}


def readings(lab):
    return {"every datagram becomes a packet of its own": {"N-V1": taken(lab, DATAGRAM)}}


def taken(lab, size_bytes):
    """MB/s."""
    return closed_form.bandwidth(lab.machine("nanet"), size_bytes, "host", "device") / 1e6
