"""`onehop tune --device cuda` finds how many threads of a device make a block."""

import time

from onehop import _bench, _core, tuning
from onehop.cli._shared.option import Options
from onehop.cli._shared.record import deliver
from onehop.record import new_record
from onehop.text_table import aligned

_LATTICE = (32, 32, 32, 32)
_ROUNDS = 7


def on_rank(context: _core.Context, options: Options) -> int:
    started = time.monotonic()
    record = new_record("tune", options)
    geometry = _core.Geometry(context, options.lattice or list(_LATTICE), [1, 1, 1, 1])
    cell = _bench.OperatorCell(_core.Wilson(mass=1), _core.SolveOptions(device=options.device))
    found = _bench.tune_device(geometry, cell, _ROUNDS)
    record["samples"] = samples(found)
    # The name is "NVIDIA H200" of "cuda 0: NVIDIA H200".
    device = found.device.partition(": ")[2] or found.device
    record["device"], record["blocks"] = found.device, found.words
    record["check"] = {"passed": True, "why": "timed only; results of blocks are not compared"}
    record["timing"] = {"total_s": time.monotonic() - started}
    record["file"] = str(tuning.save_blocks(device, found.words))
    return deliver(record, options, _show)


def samples(found: _bench.TunedDevice) -> list[dict]:
    return [
        {
            "kernel": block.kernel,
            "threads": threads,
            "value": 1e6 * _core.summarize(seconds).median,
            "unit": "us",
            "chosen": threads == block.threads,
            "raw": [1e6 * each for each in seconds],
        }
        for block in found.blocks
        for threads, seconds in block.times.items()
    ]


def _show(record: dict) -> None:
    print(f"# {record['device']}, us per launch by threads of a block")
    rows: dict[str, dict[int, str]] = {}
    for sample in record["samples"]:
        mark = "*" if sample["chosen"] else " "
        rows.setdefault(sample["kernel"], {})[sample["threads"]] = f"{sample['value']:.2f}{mark}"
    threads = sorted({count for row in rows.values() for count in row})
    lines = [(kernel, *(row.get(count, "") for count in threads)) for kernel, row in rows.items()]
    print(aligned(lines, ("# kernel", *map(str, threads)), left=1))
    print(f"# blocks: {record['blocks'] or 'the standard is best'}")
    print(f"# kept in {record['file']}")
