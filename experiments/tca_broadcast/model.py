"""Broadcast by a binomial tree: every level forwards as soon as its data are in. Allgather by
recursive doubling: every step waits for the notification of its own put and for the partner's.

The job script gives rank r the host r + 1, as the platform does; the rings pass the hosts in
another order."""

from onehop.netsim import closed_form, collective_form, packet_form

RANKS = 16
IN_RING_ORDER = range(RANKS)


def targets(lab):
    tca = lab.machine("tca-peach2")
    return {"P-V8": collective_form.collective_ps(tca, "broadcast", RANKS, 8, "device") / 1e6}


def packets(lab):
    return {"P-V8": time_us(lab.machine("tca-peach2"), 8)}


def readings(lab):
    tca = lab.machine("tca-peach2")
    level = closed_form.pingpong_ps(tca, 8, "device") / 1e6
    return {
        "ranks in the order of the rings": {"P-V8": time_us(tca, 8, IN_RING_ORDER)},
        "every level is half a round trip of the ping-pong": {"P-V8": 4 * level},
    }


def curves(lab, published):
    tca = lab.machine("tca-peach2")
    times = {"broadcast": time_us, "allgather": allgather_us}
    return {
        name: [(size, time(tca, size)) for size, _ in published[name].points]
        for name, time in times.items()
    }


def time_us(tca, size_bytes, places=None):
    time = packet_form.collective_ps(tca, "broadcast", RANKS, size_bytes, "device", places=places)
    return time / 1e6


def allgather_us(tca, size_bytes):
    """`size_bytes` of each rank."""
    schedule = packet_form.Schedule(tca, RANKS)
    waits = [[] for _ in range(RANKS)]
    step = 1
    while step < RANKS:
        puts = [
            schedule.transfer(
                rank,
                rank ^ step,
                step * size_bytes,
                "device",
                after=waits[rank],
                address=(rank & -step) * size_bytes,
            )
            for rank in range(RANKS)
        ]
        waits = [schedule.sources(puts[rank]) + puts[rank ^ step] for rank in range(RANKS)]
        step *= 2
    schedule.run()
    return max(schedule.done_ps(wait) for wait in waits) / 1e6
