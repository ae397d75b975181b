"""`onehop simulate PLATFORM cg` runs iterations of conjugate gradient without data."""

from onehop import _core, output
from onehop._core import UsageError
from onehop.cli._shared.option import Options
from onehop.cli.simulate.beside import Beside, slowdown_rows
from onehop.cli.simulate.outcome import Outcome, show_load
from onehop.counted import by_x
from onehop.netsim import Platform, cg_workload
from onehop.netsim.program import Program
from onehop.text_table import aligned


def program(options: Options, platform: Platform, machine: _core.MachineDescription) -> Program:
    if options.lattice is None:
        raise UsageError("the workload cg needs --lattice X Y Z T")
    where = (machine, platform.variant, options.nodes)
    return cg_workload.program(*where, options.lattice, options.memory)


def run(
    options: Options, platform: Platform, machine: _core.MachineDescription, beside: Beside
) -> Outcome:
    what = program(options, platform, machine)
    free = platform.free_compute(options.memory)
    if free:
        output.warn(free)
    cg = what.on(machine, options.steps, beside=beside.background)
    times, compared = beside.run(what, cg, options)
    parts = {"work": times.work_ps, "halo_wait": times.halo_wait_ps, "sums": times.sum_ps}
    own = {
        "block": cg_workload.block_of(options.lattice, options.nodes),
        "iteration_us": _us(times.total_ps, options),
        "split_us": {name: _us(ps, options) for name, ps in parts.items()},
        "messages": times.messages,
        "warnings": [free] if free else [],
    }
    return Outcome(own | compared, times.accounts, times.total_ps)


def _us(picoseconds: float, options: Options) -> float:
    return picoseconds / options.steps * 1e-6


def show(record: dict) -> None:
    bound = record["bounded_by"]
    rows = [
        ("a node has", f"{by_x(record['block'])} sites"),
        ("iteration", f"{record['iteration_us']:.2f} us"),
        *(
            (f"  {name.replace('_', ' ')}", f"{value:.2f} us")
            for name, value in record["split_us"].items()
        ),
        ("busiest", f"{bound['what']}, {bound['share']:.0%}"),
        ("retransmissions", record["retransmissions"]),
        ("packet-hops", record["packet_hops"]),
        ("this computer", f"{record['cpu_s']:.2f} s CPU, {record['peak_rss_mib']:.0f} MiB"),
    ]
    print(aligned([*rows, *slowdown_rows(record)]))
    show_load(record)
