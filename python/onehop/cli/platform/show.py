"""`onehop platform show`: a machine for the reader."""

from collections.abc import Sequence
from pathlib import Path

from onehop import netsim
from onehop.cli._shared import options as shared
from onehop.cli._shared.command import Command
from onehop.cli._shared.option import Options
from onehop.cli._shared.record import deliver
from onehop.netsim import explain
from onehop.record import new_record

COMMAND = Command(
    "show",
    [
        shared.PLATFORM(),
        shared.PLATFORM_SET(),
        shared.PLOT(help="Draw the machine, as png, pdf or svg."),
        shared.JSON(help="Write every number with its source; - is standard output."),
    ],
    usage="PLATFORM [--platform-set KEY=VALUE] [--plot FILE] [--json FILE]",
    examples=(
        "onehop platform show qpace",
        "onehop platform show apenet-v4 --platform-set p2p=off --plot apenet.svg",
    ),
)


def run(options: Options, _arguments: Sequence[str]) -> int:
    machine = netsim.load(options.platform, options.platform_set)
    record = new_record("platform", options) | {"action": "show"}
    record |= {"file": str(machine.file), "title": machine.title, "about": machine.about}
    record["samples"] = [
        {
            "key": key,
            **{part: getattr(number, part) for part in ("value", "unit", "state", "source")},
        }
        for key, number in machine.numbers()
    ]
    record["check"] = {"passed": True, "why": "the file is valid"}
    return deliver(
        record,
        options,
        lambda _: print(f"{explain.table(machine)}in {machine.file}"),
        lambda _, name: explain.write_picture(machine, Path(name)),
    )
