"""`onehop simulate PLATFORM halo` runs exchanges of every node with its neighbours."""

from onehop import _core
from onehop.cli._shared.option import Options
from onehop.cli._shared.progress import Progress
from onehop.cli.simulate.beside import Beside, slowdown_rows
from onehop.cli.simulate.outcome import Outcome, show_load
from onehop.counted import by_x
from onehop.netsim import Platform, halo_workload
from onehop.netsim.program import Program
from onehop.text_table import aligned

_MOST_SAMPLES = 4096


def program(options: Options, platform: Platform, machine: _core.MachineDescription) -> Program:
    options.message_bytes = 24576 if options.message_bytes is None else options.message_bytes
    faces = halo_workload.equal_faces(options.nodes, options.message_bytes, options.diagonal)
    steps = [("pause", round(options.compute * 1e6)), ("send", 0), ("await", 0)]
    return Program(options.memory, platform.variant, options.nodes, faces, steps)


def run(
    options: Options, platform: Platform, machine: _core.MachineDescription, beside: Beside
) -> Outcome:
    what = program(options, platform, machine)
    protocol = platform.protocol_for(options.message_bytes, options.memory, options.memory).name
    halo = what.on(machine, options.steps, options.scheduler, beside.background)
    with Progress("simulate", halo.face_messages, verbose=options.verbose) as progress:

        def tell(now_ps: int, delivered: int) -> None:
            found = f"{delivered}/{halo.face_messages} messages"
            progress.update(delivered, f"{now_ps * 1e-6:.1f} us virtual, {found}")

        times, compared = beside.run(what, halo, options, tell if progress.is_shown else None)
    own = {
        "protocol": protocol,
        "step_us": times.total_ps / options.steps * 1e-6,
        "samples": (halo.finished_ps * 1e-6 / options.steps).tolist()[:_MOST_SAMPLES],
    }
    return Outcome(own | compared, times.accounts, times.total_ps)


def show(record: dict) -> None:
    options, hops = record["options"], record["packet_hops"]
    shape = by_x(options["nodes"])
    bound = record["bounded_by"]
    rate = hops / max(record["cpu_s"], 1e-9) * 1e-6
    used = f"{record['cpu_s']:.2f} s CPU, {rate:.2f} million packet-hops/s"
    rows = [
        ("step", f"{record['step_us']:.3f} us (virtual)"),
        ("bounded by", f"{bound['what']}, busy for {bound['share']:.0%} of the time"),
        ("packet-hops", f"{hops}, {record['events']} events"),
        ("this computer", f"{used}, {record['peak_rss_mib']:.0f} MiB"),
    ]
    print(
        f"{options['platform']}, {shape} nodes, {options['message_bytes']} bytes to each neighbour,"
        f" protocol {record['protocol']}"
    )
    print(aligned([*rows, *slowdown_rows(record)], indent=2))
    show_load(record)
