"""`onehop simulate` runs a workload on a machine in virtual time."""

import math
import resource
import time
from collections.abc import Sequence
from pathlib import Path

from onehop import _core, netsim
from onehop._core import UsageError
from onehop.cli._shared.option import Options
from onehop.cli._shared.record import deliver
from onehop.cli.simulate import allreduce, cg, halo, replay, traffic
from onehop.cli.simulate.beside import Beside
from onehop.cli.simulate.outcome import Outcome
from onehop.counted import by_x
from onehop.netsim import Platform, faults, load_map, placement, plausibility
from onehop.netsim.run_reading import reading
from onehop.record import new_record

_JOBS = {"halo": halo, "cg": cg, "allreduce": allreduce}


def run(options: Options, arguments: Sequence[str]) -> int:
    if options.workload is None:
        known = "halo, cg, allreduce, traffic or replay"
        raise UsageError(f"onehop simulate needs a workload: {known}")
    platform = netsim.load(options.platform, options.platform_set)
    plausibility.warn_of_own(platform)
    if options.workload == "replay":
        return replay.run(options, platform)
    machine = _machine(options, platform)
    if options.map:
        load_map.check(machine)
    started, cpu = time.monotonic(), time.process_time()
    workload = {**_JOBS, "traffic": traffic}[options.workload]
    programs = {name: job.program for name, job in _JOBS.items()}
    found = workload.run(options, platform, machine, Beside(options, platform, machine, programs))
    cpu = time.process_time() - cpu
    if options.map:
        _draw_map(options, machine, found)
    record = new_record("simulate", options)
    record |= reading(found.accounts, found.total_ps) | found.own
    record |= {
        "cpu_s": cpu,
        "peak_rss_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "check": {"passed": True, "what": "bytes, packets and credits conserved"},
        "timing": {"total_s": time.monotonic() - started},
    }
    return deliver(record, options, workload.show)


def _draw_map(options: Options, machine: _core.MachineDescription, found: Outcome) -> None:
    shape = by_x(options.machine or options.nodes)
    title = f"{options.workload} on {options.platform}, {shape} nodes"
    load_map.draw(Path(options.map), title, machine, found.accounts.links(), found.total_ps)


def _machine(options: Options, platform: Platform) -> _core.MachineDescription:
    """Returns the platform's machine with the faults of the options."""
    options.nodes = list(options.nodes or options.machine or platform.fabric.extents)
    dead, slow = options.dead_link, options.slow_node
    machine = faults.machine(
        platform,
        list(options.machine or options.nodes),
        bit_error_rate=options.bit_error_rate,
        dead_link=_pair(dead, "--dead-link", int) if dead else None,
        slow_node=_pair(slow, "--slow-node", float) if slow else None,
        seed=options.seed,
    )
    if options.workload in _JOBS:
        ranks = math.prod(options.nodes)
        places = placement.places(options.hosts, ranks, machine.nodes)
        machine.places = places or (list(range(ranks)) if options.beside else [])
    return machine


def _pair(text: str, name: str, second: type) -> tuple[int, float]:
    node, _, value = text.partition(":")
    try:
        pair = int(node), second(value)
    except ValueError:
        raise UsageError(f"{name} {text}: two numbers separated by a colon are needed") from None
    if min(pair) < 0:
        raise UsageError(f"{name} {text}: neither number can be negative")
    return pair
