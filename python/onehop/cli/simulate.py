"""`onehop simulate`: a workload on a machine in virtual time."""

from __future__ import annotations

import resource
import time
from pathlib import Path
from typing import TYPE_CHECKING

from onehop import _core, netsim, output
from onehop._core import UsageError
from onehop.cli import simulate_cg, simulate_map, simulate_table
from onehop.cli.record import new_record, write_record
from onehop.cli.simulate_progress import SimulateProgress
from onehop.netsim import faults, halo_workload, load_map
from onehop.netsim.run_reading import reading

if TYPE_CHECKING:
    import types
    from collections.abc import Sequence

    from onehop.netsim import Platform


def run(options: types.SimpleNamespace, arguments: Sequence[str]) -> int:
    _check(options)
    platform = netsim.load(options.platform, options.platform_set)
    if options.explain:
        return _explain(options, platform)
    machine = _machine(options, platform)
    if options.map:
        load_map.check(machine)
    if options.workload == "cg":
        return simulate_cg.run(options, platform, machine)
    protocol = platform.protocol_for(options.message_bytes, options.memory, options.memory)
    record = _simulate(options, machine, platform, protocol.name)
    if options.json != "-":
        simulate_table.show(record)
    if options.json:
        write_record(record, options.json)
    return 0


def _check(options: types.SimpleNamespace) -> None:
    output.check_distinct(
        None,
        {
            "--json": options.json,
            "--trace": options.trace,
            "--plot": options.plot,
            "--map": options.map,
        },
    )
    for name in (options.json, options.trace, options.plot, options.map):
        output.check_writable(name)
    if options.workload is None and not options.explain:
        raise UsageError("onehop simulate needs a workload: halo or cg; or --explain")
    if options.plot and not options.explain:
        raise UsageError("--plot draws the machine, so it needs --explain")
    if options.map and options.explain:
        raise UsageError("--map draws the load of a workload, so it cannot be with --explain")
    for name, (usual, workload) in _OF_ONE_WORKLOAD.items():
        if options.workload != workload and getattr(options, name) != usual:
            asked = options.workload or "--explain"
            raise UsageError(f"--{name.replace('_', '-')} is for {workload}, not {asked}")
    if options.compute < 0:
        raise UsageError(f"--compute {options.compute}: a time cannot be negative")


# With the value that stands where it was not given.
_OF_ONE_WORKLOAD = {
    "message_bytes": (24576, "halo"),
    "compute": (0.0, "halo"),
    "diagonal": (3, "halo"),
    "scheduler": ("ladder", "halo"),
    "lattice": (None, "cg"),
}


def _explain(options: types.SimpleNamespace, platform: Platform) -> int:
    from onehop.netsim import explain

    print(explain.table(platform))
    if options.plot:
        explain.write_picture(platform, Path(options.plot))
    return 0


def _machine(options: types.SimpleNamespace, platform: Platform) -> _core.MachineDescription:
    """The platform's machine with the faults that were asked for."""
    options.nodes = list(options.nodes or platform.fabric.extents)
    dead, slow = options.dead_link, options.slow_node
    return faults.machine(
        platform,
        options.nodes,
        bit_error_rate=options.bit_error_rate,
        dead_link=_pair(dead, "--dead-link", int) if dead else None,
        slow_node=_pair(slow, "--slow-node", float) if slow else None,
        seed=options.seed,
    )


def _pair(text: str, name: str, second: type) -> tuple[int, float]:
    node, _, value = text.partition(":")
    try:
        pair = int(node), second(value)
    except ValueError:
        raise UsageError(f"{name} {text}: two numbers apart by a colon are needed") from None
    if min(pair) < 0:
        raise UsageError(f"{name} {text}: neither number can be negative")
    return pair


def _simulate(
    options: types.SimpleNamespace,
    machine: _core.MachineDescription,
    platform: Platform,
    protocol: str,
) -> dict:
    started, cpu = time.monotonic(), time.process_time()
    halo = _core.ProgramRun(
        machine,
        options.memory,
        platform.variant,
        options.nodes,
        halo_workload.equal_faces(options.nodes, options.message_bytes, options.diagonal),
        [("pause", round(options.compute * 1e6)), ("send", 0), ("await", 0)],
        options.steps,
        options.scheduler,
    )
    if options.trace:
        halo.record_trace()
    with SimulateProgress(options, halo.face_messages) as progress:
        times = halo.run(progress.update if progress.wanted else None)
    duration_ps = times.total_ps
    cpu = time.process_time() - cpu
    if options.trace:
        with output.complete_or_absent(options.trace) as temporary:
            halo.write_trace(str(temporary))
    if options.map:
        simulate_map.draw(options, machine, times.accounts.links(), duration_ps)
    record = new_record("simulate", options)
    record |= {
        "protocol": protocol,
        "step_us": duration_ps / options.steps * 1e-6,
        "cpu_s": cpu,
        "peak_rss_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        **reading(times.accounts, duration_ps),
    }
    record["samples"] = (halo.finished_ps * 1e-6 / options.steps).tolist()[:4096]
    record["check"] = {"passed": True, "what": "bytes, packets and credits conserved"}
    record["timing"] = {"total_s": time.monotonic() - started}
    return record
