"""`onehop info --chains` says how the puts of a halo exchange travel, and why."""

import math
from collections.abc import Sequence

from onehop import _core, tuning
from onehop._core import UsageError
from onehop.cli._shared import job, rank_grid
from onehop.cli._shared.option import Options
from onehop.cli._shared.record import deliver
from onehop.counted import by_x, counted
from onehop.record import new_record

_EXAMPLE = (8, 8, 8, 16)


def run(options: Options, arguments: Sequence[str]) -> int:
    if options.memory == "device":
        _core.count_devices()
    elif options.in_place:
        raise UsageError("--in-place is for --memory device; faces on the host are always packed")
    options.lattice = options.lattice or list(_EXAMPLE)
    if options.ranks is None and options.grid is None:
        options.ranks = 2
    rank_grid.choose_grid(options, options.lattice)
    return job.run_job(arguments, options, _show_on_rank)


def _show_on_rank(context: _core.Context, options: Options) -> int:
    found = tuning.choice()
    local = [n // g for n, g in zip(options.lattice, options.grid, strict=True)]
    puts = _describe(context, local, options, in_turns=True)
    others = _describe(context, local, options, in_turns=False)
    if context.rank != 0:
        return 0
    # The first commit has chosen where neither the user nor a tuning has.
    why = found.why if found.channels else f"{found.why}; {context.channels_why}"
    record = new_record("info", options)
    record["chains"] = {
        "transport": context.transport,
        "local_lattice": local,
        "grid": list(options.grid),
        "channels": context.channels,
        "why": why,
        "puts": puts,
        "puts_without_turns": [] if others == puts else others,
    }
    record["check"] = {"passed": True, "why": "nothing failed"}
    return deliver(record, options, _show)


def _show(record: dict) -> None:
    found = record["chains"]
    sites, size = by_x(found["local_lattice"]), record["options"]["site_bytes"]
    print(
        f"# halo of {sites} sites of {size} bytes on each rank, "
        f"{counted(math.prod(found['grid']), 'rank')} on {found['transport']}, rank 0"
    )
    if found["channels"]:
        print(f"# channels {found['channels']}: {found['why']}")
    print("\n".join(found["puts"]) or "nothing is sent: the grid has one rank")
    if found["puts_without_turns"]:
        print("# the same by a chain that takes no turns")
        print("\n".join(found["puts_without_turns"]))


def _describe(
    context: _core.Context, local: Sequence[int], options: Options, in_turns: bool
) -> list[str]:
    """Returns one line for each put of this rank: to its neighbours up and down in every cut
    direction."""
    grid = options.grid
    cut = [d for d in range(4) if grid[d] > 1]
    faces = [math.prod(local) // local[d] * options.site_bytes for d in cut for _ in range(2)]
    on_device = options.memory == "device"
    if on_device:
        device = context.rank % _core.count_devices()
        field = _core.DeviceMemory(device, math.prod(local) * options.site_bytes)
        ghosts = _core.DeviceMemory(device, max(1, sum(faces)))
        window = _core.Window.register_address(context, ghosts.address, sum(faces))
    else:
        window = _core.Window.allocate(context, sum(faces))
    chain = _core.PutChain(context, window)
    if in_turns:
        chain.take_turns()
    if on_device:
        chain.wait_on_stream()
    offset = 0
    for number, size in enumerate(faces):
        direction, step = cut[number // 2], 1 - 2 * (number % 2)
        target = _neighbour(context.rank, grid, direction, step)
        if on_device:
            rows = _rows(local, direction, options.site_bytes) if options.in_place else (size, 1, 0)
            chain.push_address(field.address, *rows, target, offset)
        else:
            chain.push_packed(size, target, offset)
        chain.add_origin(_neighbour(context.rank, grid, direction, -step))
        offset += size
    chain.commit()
    lines = chain.describe().splitlines()
    chain.clear()
    return lines


def _rows(local: Sequence[int], direction: int, site_bytes: int) -> tuple[int, int, int]:
    """Returns (bytes, number, distance) of the rows of a face in a field in which x runs
    fastest."""
    row = math.prod(local[:direction]) * site_bytes
    return row, math.prod(local[direction + 1 :]), row * local[direction]


def _neighbour(rank: int, grid: Sequence[int], direction: int, step: int) -> int:
    stride = math.prod(grid[:direction])
    place = rank // stride % grid[direction]
    return rank + ((place + step) % grid[direction] - place) * stride
