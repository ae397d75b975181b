"""Alltoall between GPUs: copies before and after, a pipeline per peer, and copies that overlap with
the messages of all peers (dynamic staging)."""

from onehop.netsim import closed_form

RANKS = 8
# From the pipeline's block on: smaller messages are not cut.
SIZES = [2**power for power in range(17, 23)]


def targets(lab):
    machine = lab.machine("infiniband-qdr", {"variant": "staged"})
    return {
        "M-V7": largest_gain(machine, unstaged),
        "M-V8": largest_gain(machine, per_peer),
    }


def readings(lab):
    machine = lab.machine("infiniband-qdr", {"variant": "staged"})
    return {
        "pipelines of peers overlap, but for handshake and launch": {
            "M-V8": largest_gain(machine, launched_in_turn)
        }
    }


def largest_gain(machine, other):
    """Percent, over all sizes."""
    return max(100 * (1 - overlapped(machine, n) / other(machine, n)) for n in SIZES)


def unstaged(machine, size):
    """The whole buffer to the host, alltoall there, the whole buffer back."""
    copies = sum(
        machine.stages[name].get("setup") + RANKS * size / machine.stages[name].get("rate") * 1e12
        for name in ("block-out", "block-in")
    )
    return copies + (RANKS - 1) * send_ps(machine, size)


def send_ps(machine, size):
    """What a message takes of the adapter."""
    found = closed_form.transfer(machine, size, "device", "device")
    return found.busy_ps["origin", "block"]


def per_peer(machine, size):
    """Copies and RDMA overlap for each peer, not between peers: one pipeline after another."""
    one = closed_form.transfer(machine, size, "device", "device")
    return (RANKS - 1) * one.total_ps


def launched_in_turn(machine, size):
    """The next peer's pipeline starts as soon as the adapter is free, its handshake is over and its
    first copy is launched."""
    one = closed_form.transfer(machine, size, "device", "device")
    row = machine.protocol_for(size, "device", "device", "naive")
    turn = (
        send_ps(machine, size)
        + closed_form.control_ps(machine, row.request)
        + closed_form.control_ps(machine, row.grant)
        + machine.stages["block-out"].get("setup")
    )
    return one.total_ps + (RANKS - 2) * turn


def overlapped(machine, size):
    """All messages in one pipeline."""
    return closed_form.exchange(machine, [size] * (RANKS - 1), "device", "device").total_ps
