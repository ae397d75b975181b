"""`onehop simulate PLATFORM allreduce` sums over all nodes, without data."""

import math

from onehop import _core
from onehop._core import UsageError
from onehop.cli._shared.option import Options
from onehop.cli.simulate.beside import Beside, slowdown_rows
from onehop.cli.simulate.outcome import Outcome, show_load
from onehop.netsim import Platform
from onehop.netsim.program import Program
from onehop.text_table import aligned

# Programs take other schedules of sums instead of those with more steps.
_MOST_STEPS = 32


def program(options: Options, platform: Platform, machine: _core.MachineDescription) -> Program:
    options.message_bytes = 8 if options.message_bytes is None else options.message_bytes
    ranks = math.prod(options.nodes)
    what = (machine, options.memory, platform.variant, "allreduce", ranks, 0)
    plan = _core.collective_plan(*what, options.message_bytes)
    if len(plan.steps) > _MOST_STEPS:
        raise UsageError(
            f"allreduce of {options.message_bytes} bytes by {plan.how} takes {len(plan.steps)} "
            f"steps on {ranks} nodes; {_MOST_STEPS} can be simulated so: give fewer nodes, or use "
            "onehop bench allreduce --transport virtual"
        )
    steps = [("sum", options.message_bytes)]
    return Program(options.memory, platform.variant, options.nodes, [], steps)


def run(
    options: Options, platform: Platform, machine: _core.MachineDescription, beside: Beside
) -> Outcome:
    what = program(options, platform, machine)
    sums = what.on(machine, options.steps, beside=beside.background)
    times, compared = beside.run(what, sums, options)
    own = {"step_us": times.total_ps / options.steps * 1e-6, "sum_messages": times.messages}
    return Outcome(own | compared, times.accounts, times.total_ps)


def show(record: dict) -> None:
    bound = record["bounded_by"]
    rows = [
        ("sum", f"{record['step_us']:.3f} us (virtual)"),
        ("bounded by", f"{bound['what']}, busy for {bound['share']:.0%} of the time"),
        ("packet-hops", f"{record['packet_hops']}, {record['events']} events"),
    ]
    print(aligned([*rows, *slowdown_rows(record)]))
    show_load(record)
