"""Alltoall between GPUs, packet by packet: copies before and after, a pipeline per peer, and copies
that overlap with the messages of all peers (dynamic staging)."""

import functools

from onehop.netsim import alltoall_form

RANKS = 8
# From the pipeline's block on: smaller messages are not cut.
SIZES = [2**power for power in range(17, 23)]


def targets(lab):
    machine = lab.machine("infiniband-qdr", {"variant": "staged"})
    return {
        "M-V7": largest_gain(machine, alltoall_form.staged_ps),
        "M-V8": largest_gain(machine, alltoall_form.in_turn_ps),
    }


def readings(lab):
    machine = lab.machine("infiniband-qdr", {"variant": "staged"})
    return {
        "pipelines of all peers run at once": {
            "M-V8": largest_gain(machine, alltoall_form.at_once_ps)
        },
        "pairwise exchange, which waits for what it receives": {
            "M-V8": largest_gain(
                machine, functools.partial(alltoall_form.in_turn_ps, waits_for_received=True)
            )
        },
    }


def largest_gain(machine, other):
    """Percent, over all sizes."""
    return max(100 * (1 - dynamic(machine, n) / other(machine, RANKS, n)) for n in SIZES)


def dynamic(machine, size):
    block = machine.protocol_for(size, "device", "device").block
    return alltoall_form.staged_ps(machine, RANKS, size, block)
