"""4 MB between GPUs of two nodes: copy and send, pipelined by hand, pipelined by the library."""

from onehop.netsim import closed_form

SIZE = 4 << 20
# The strided message has rows of one 4-byte element.
ROWS = SIZE // 4


def targets(lab):
    shared, separate = (
        lab.machine("infiniband-qdr", {"gpu.registration": r}) for r in ("shared", "separate")
    )
    cuts = {
        "M-C1": cut(library(separate), naive(separate)),
        "M-V1": cut(library(shared), naive(shared)),
        "M-V2": cut(library(shared), by_hand(shared)),
        "M-V3": cut(library(separate), by_hand(separate)),
        "M-V6": cut(library(shared), naive(shared, ROWS)),
    }
    # A put runs the same pipeline, and is compared with copy, put, copy.
    return cuts | {"M-V4": cuts["M-V1"], "M-V5": cuts["M-C1"]}


def cut(new, old):
    """Percent of time saved."""
    return 100 * (1 - new / old)


def library(machine):
    return closed_form.transfer(machine, SIZE, "device", "device", variant="staged").total_ps


def naive(machine, rows=1):
    return closed_form.transfer(
        machine, SIZE, "device", "device", variant="naive", pieces=rows
    ).total_ps


def by_hand(machine):
    """Block after block, each with its handshake and the launch of its copy before it, and with two
    registrations the receiver's host copy behind it; only the copies overlap."""
    block = machine.protocol_for(SIZE, "device", "device", "staged").block
    one = closed_form.transfer(machine, block, "device", "device", variant="staged")
    row = machine.protocol_for(SIZE, "device", "device", "naive")
    handshake = closed_form.control_ps(machine, row.request) + closed_form.control_ps(
        machine, row.grant
    )
    launch = machine.stages["block-out"].setup
    host_copy = machine.stages["block-post"].rate
    received = block / host_copy * 1e12 if host_copy else 0.0
    turn = one.busy_ps["origin", "block"] + handshake + launch + received
    return one.total_ps + handshake + received + (SIZE // block - 1) * turn
