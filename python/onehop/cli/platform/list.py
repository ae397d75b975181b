"""`onehop platform list`: the shipped machines."""

from collections.abc import Sequence

from onehop import netsim
from onehop.cli._shared import options as shared
from onehop.cli._shared.command import Command
from onehop.cli._shared.option import Options
from onehop.cli._shared.record import deliver
from onehop.netsim import Platform
from onehop.record import new_record
from onehop.text_table import aligned

COMMAND = Command(
    "list",
    [shared.JSON()],
    usage="[--json FILE]",
    examples=("onehop platform list",),
)

_COLUMNS = ("name", "topology", "nodes_most", "title")


def run(options: Options, _arguments: Sequence[str]) -> int:
    record = new_record("platform", options) | {"action": "list"}
    record["samples"] = [_line(netsim.load(name)) for name in netsim.shipped()]
    record["check"] = {"passed": True, "why": "all of them are valid"}
    return deliver(record, options, _show)


def _line(machine: Platform) -> dict:
    return {
        "name": machine.name,
        "topology": machine.fabric.kind,
        "nodes_most": machine.fabric.nodes_most,
        "title": machine.title,
        "about": machine.about,
        "file": str(machine.file),
    }


def _show(record: dict) -> None:
    rows = [[sample[column] for column in _COLUMNS] for sample in record["samples"]]
    print(aligned(rows, ("machine", "network", "nodes, most", "what it is")))
