"""`onehop platform check`: what is wrong or implausible in a described machine."""

from collections import Counter
from collections.abc import Iterator, Sequence

from onehop import netsim
from onehop.cli._shared import options as shared
from onehop.cli._shared.command import Command
from onehop.cli._shared.option import Options
from onehop.cli._shared.record import deliver
from onehop.netsim import Platform, plausibility
from onehop.record import new_record

COMMAND = Command(
    "check",
    [shared.PLATFORM(), shared.JSON()],
    usage="PLATFORM [--json FILE]",
    notes="Every choice of every option is tried. Exit status: 0 nothing is unusual, 1 a number "
    "is implausible, 2 the file is not valid; one line then names the key.",
    examples=("onehop platform check mine.toml",),
)


def run(options: Options, _arguments: Sequence[str]) -> int:
    machine = netsim.load(options.platform)
    found: dict[str, str] = {}
    for choice, chosen in _variations(machine, options.platform):
        for words in plausibility.advice(chosen):
            found.setdefault(words, choice)
    states = Counter(number.state for _, number in machine.numbers())
    record = new_record("platform", options) | {"action": "check"}
    record["states"] = dict(states)
    record["samples"] = [{"choice": choice, "words": words} for words, choice in found.items()]
    why = f"{len(found) or 'none'} unusual"
    record["check"] = {"passed": not found, "why": why}
    return deliver(record, options, _show)


def _variations(machine: Platform, name: str) -> Iterator[tuple[str, Platform]]:
    """The machine as it is, then with each choice of each option."""
    yield "", machine
    for key, option in machine.options.items():
        for choice in option.choice:
            if choice != option.default:
                yield f"{key}={choice}", netsim.load(name, {key: choice})


def _show(record: dict) -> None:
    for sample in record["samples"]:
        print(
            f"with {sample['choice']}: {sample['words']}" if sample["choice"] else sample["words"]
        )
    states = ", ".join(f"{count} {state}" for state, count in record["states"].items())
    total = sum(record["states"].values())
    print(f"{record['options']['platform']}: {total} numbers ({states}), {record['check']['why']}")
