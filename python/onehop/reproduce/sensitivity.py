"""How validation figures depend on the numbers in state "assumed": each is halved and doubled, and
everything else stays as it is. `python -m onehop.reproduce.sensitivity FILE` writes the page."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from onehop._core import UsageError
from onehop.netsim import platform_file
from onehop.reproduce.experiment import Laboratory, Parameter, Target, experiments, run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from onehop import netsim
    from onehop.reproduce.experiment import Experiment, Result

# Share of its tolerance that a figure must move by to be told.
NOTABLE = 0.25


@dataclasses.dataclass(frozen=True)
class Entry:
    """`value` in the unit of the file; what the target gives as it is, halved and doubled, None
    where the machine does not allow that."""

    target: Target
    parameter: Parameter
    value: float
    unit: str
    ours: Result
    halved: Result | None
    doubled: Result | None

    def record(self) -> dict:
        return {
            "id": self.target.id,
            "platform": self.parameter.platform,
            "number": self.parameter.key,
            "options": dict(self.parameter.when),
            "value": self.value,
            "unit": self.unit,
            "ours": self.ours.ours,
            "halved": self.halved.ours if self.halved else None,
            "doubled": self.doubled.ours if self.doubled else None,
            "verdicts": [r.verdict if r else None for r in self._results()],
        }

    def _results(self) -> tuple[Result | None, ...]:
        return self.ours, self.halved, self.doubled

    def words(self) -> tuple[str, ...]:
        where = ", ".join(f"{option} = {choice}" for option, choice in self.parameter.when)
        number = f"{self.parameter.platform}: {self.parameter.key}" + (where and f" ({where})")
        value = f"{self.value:g} {self.unit}".removesuffix(" 1")
        return (self.target.id, number, value, *(_short(r) for r in self._results()))


class _Listener(Laboratory):
    """Notes which platforms an experiment takes."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def machine(self, name: str, options: Mapping[str, str] | None = None) -> netsim.Platform:
        self.names.add(name)
        return super().machine(name, options)


def of(experiment: Experiment) -> list[Entry]:
    """All dependences of an experiment's validation targets that are worth telling."""
    laboratory = _Listener()
    ours = {r.target.id: r for r in run(experiment, laboratory)}
    found = []
    for name in sorted(laboratory.names):
        for parameter, value, unit in assumed(name):
            moved = [_moved(experiment, parameter, factor * value) for factor in (0.5, 2)]
            for target in experiment.targets:
                results = [m and m[target.id] for m in moved]
                if target.kind == "validation" and any(
                    r and _notable(target, ours[target.id], r) for r in results
                ):
                    found.append(Entry(target, parameter, value, unit, ours[target.id], *results))
    return found


def assumed(platform: str) -> Iterator[tuple[Parameter, float, str]]:
    """Single numbers other than zero in state assumed, with unit, also under the options."""
    table = platform_file.read(platform_file.find(platform))
    options = table.pop("option", {})
    yield from _numbers(platform, table, "", ())
    for option, about in options.items():
        for choice, overrides in about.get("choice", {}).items():
            for key, row in overrides.items():
                if isinstance(row, dict):
                    yield from _numbers(platform, {key: row}, "", ((option, choice),))


def _numbers(
    platform: str, table: dict, where: str, when: tuple[tuple[str, str], ...]
) -> Iterator[tuple[Parameter, float, str]]:
    for key, row in table.items():
        if not isinstance(row, dict):
            continue
        name = f"{where}.{key}" if where else key
        if "state" not in row:
            yield from _numbers(platform, row, name, when)
        elif row["state"] == "assumed" and isinstance(row["value"], int | float) and row["value"]:
            yield Parameter(platform, name, when), row["value"], row["unit"]


def _moved(experiment: Experiment, parameter: Parameter, value: float) -> dict[str, Result] | None:
    trial = int(value) if float(value).is_integer() else value
    try:
        return {r.target.id: r for r in run(experiment, Laboratory({parameter: trial}))}
    except UsageError:
        return None


def _notable(target: Target, before: Result, after: Result) -> bool:
    if before.verdict != after.verdict:
        return True
    tolerance = target.tolerance
    if tolerance["kind"] == "ordering":
        return before.ours != after.ours
    if tolerance["kind"] == "range":
        allowed = (tolerance["high"] - tolerance["low"]) / 2
    else:
        allowed = tolerance["value"]
        if tolerance["kind"] == "relative":
            allowed *= abs(target.published)
    return abs(after.ours - before.ours) > max(NOTABLE * allowed, 1e-9)


def table(entries: Sequence[Entry]) -> list[tuple[str, ...]]:
    """Words of all columns, the head first."""
    head = ("figure", "number", "assumed", "ours", "halved", "doubled")
    return [head, *(entry.words() for entry in entries)]


def _short(result: Result | None) -> str:
    if result is None:
        return "-"
    ours = result.ours if isinstance(result.ours, str) else f"{result.ours:.4g}"
    return ours + ("" if result.verdict == "ok" else " (miss)")


def page() -> str:
    """Markdown."""
    found = [entry for experiment in experiments() for entry in of(experiment)]
    head, *rows = table(found)
    lines = ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)]
    return (
        "# Assumptions that validation figures depend on\n\n"
        "Written by `make docs` from `onehop reproduce --sensitivity`. Every number in state"
        " assumed is halved and doubled, with everything else as it is; listed is what moves a"
        " validation figure by more than a quarter of its tolerance or changes its verdict.\n\n"
        + "\n".join(lines)
        + "\n"
    )


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page())
