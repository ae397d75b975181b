"""`onehop simulate PLATFORM cg`: iterations of conjugate gradient without data."""

from __future__ import annotations

import resource
import time
from typing import TYPE_CHECKING

from onehop import output
from onehop._core import UsageError
from onehop.cli import simulate_map, simulate_table
from onehop.cli.record import new_record, write_record
from onehop.netsim import cg_workload
from onehop.netsim.run_reading import reading

if TYPE_CHECKING:
    import types

    from onehop.netsim import Platform


def run(options: types.SimpleNamespace, platform: Platform, machine: object) -> int:
    if options.lattice is None:
        raise UsageError("the workload cg needs --lattice X Y Z T")
    block = cg_workload.block_of(options.lattice, options.nodes)
    started, cpu = time.monotonic(), time.process_time()
    ask = (machine, platform.variant, options.nodes, options.lattice, options.memory, options.steps)
    if options.trace:
        with output.complete_or_absent(options.trace) as temporary:
            times = cg_workload.run(*ask, str(temporary))
    else:
        times = cg_workload.run(*ask)
    read = reading(times.accounts, times.total_ps)
    if options.map:
        simulate_map.draw(options, machine, times.accounts.links(), times.total_ps)
    record = new_record("simulate", options)
    record |= {
        "block": block,
        "iteration_us": _us(times.total_ps, options),
        "split_us": {
            "work": _us(times.work_ps, options),
            "halo_wait": _us(times.halo_wait_ps, options),
            "sums": _us(times.sum_ps, options),
        },
        **read,
        "messages": times.messages,
        "cpu_s": time.process_time() - cpu,
        "peak_rss_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "check": {"passed": True, "what": "bytes, packets and credits conserved"},
        "timing": {"total_s": time.monotonic() - started},
    }
    if options.json != "-":
        _show(record)
    if options.json:
        write_record(record, options.json)
    return 0


def _us(picoseconds: float, options: types.SimpleNamespace) -> float:
    return picoseconds / options.steps * 1e-6


def _show(record: dict) -> None:
    print(f"{'a node has':24}{'x'.join(map(str, record['block']))} sites")
    print(f"{'iteration':24}{record['iteration_us']:12.2f} us")
    for name, value in record["split_us"].items():
        print(f"  {name.replace('_', ' '):22}{value:12.2f} us")
    bound = record["bounded_by"]
    print(f"{'busiest':24}{bound['share']:12.0%} {bound['what']}")
    if record["retransmissions"]:
        print(f"{'retransmissions':24}{record['retransmissions']:12}")
    print(f"{'packet-hops':24}{record['packet_hops']:12}")
    print(f"{'computer':24}{record['cpu_s']:12.2f} s, {record['peak_rss_mib']:.0f} MiB")
    simulate_table.show_load(record)
