"""Studies how validation figures depend on the numbers that no source prints: each is halved and
doubled, and everything else stays as it is.

`python -m onehop.reproduce.sensitivity FILE --keep ANSWERS` writes the page, and goes on where an
earlier run with these answers was stopped.
"""

import argparse
import concurrent.futures
import contextlib
import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from onehop._core import UsageError
from onehop.netsim import platform_file
from onehop.record import finite
from onehop.reproduce.experiment import Result, Target, compare, experiments
from onehop.reproduce.session import Parameter, Session, keep, machine_of

# A figure is told when it moves by at least this share of its tolerance.
NOTABLE = 0.25
# Numbers in these states were chosen, read off a curve or taken over from another machine.
CHOSEN = ("assumed", "derived", "read off")
# This many trials are under way ahead of the one that is waited for.
_AHEAD = 8


@dataclasses.dataclass(frozen=True)
class Entry:
    """`value` in the unit of the file; what the target gives as it is, halved and doubled, None
    if the machine does not allow that."""

    target: Target
    parameter: Parameter
    value: float
    unit: str
    state: str
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
            "state": self.state,
            "ours": finite(self.ours.ours),
            "halved": finite(self.halved.ours) if self.halved else None,
            "doubled": finite(self.doubled.ours) if self.doubled else None,
            "verdicts": [r.verdict if r else None for r in self._results()],
        }

    def flips(self) -> bool:
        """Returns whether a verdict depends on the number."""
        return any(r and r.verdict != self.ours.verdict for r in self._results())

    def _results(self) -> tuple[Result | None, ...]:
        return self.ours, self.halved, self.doubled

    def words(self) -> tuple[str, ...]:
        where = ", ".join(f"{option} = {choice}" for option, choice in self.parameter.when)
        number = f"{self.parameter.platform}: {self.parameter.key}" + (where and f" ({where})")
        value = f"{_plain(self.value, 6)} {self.unit}".removesuffix(" 1")
        return (self.target.id, number, self.state, value, *map(_short, self._results()))


@dataclasses.dataclass(frozen=True)
class Number:
    """One that a file has, in its unit."""

    parameter: Parameter
    value: float
    unit: str
    state: str


class Study:
    """A study has all dependences of validation targets that are worth telling, of slow ones none.
    It stops `max_time_s` after it is made. `trials` are the numbers that are changed, of which
    `done` have been; there are none where the time is over before every figure is there as it
    is."""

    def __init__(self, targets: Sequence[Target], max_time_s: float | None = None) -> None:
        judged = [t for t in targets if t.kind == "validation" and t.run and not t.slow]
        self._until = None if max_time_s is None else time.monotonic() + max_time_s
        self._plain = Session(until=self._until)
        self._plain.begin(c for target in judged for c in target.run.values())
        self._judged = judged
        self._cases: list[tuple[Number, list[Target]]] = []
        self.figures, self.done, self.stopped = len(judged), 0, False

    @property
    def trials(self) -> int:
        return len(self._cases)

    def begin(self, tell: Callable[[int, str], None] = lambda *_: None) -> None:
        """Computes all figures as they are, which says what numbers there are to try."""
        with self._in_time():
            for number, target in enumerate(self._judged):
                tell(number, target.id)
                target.value(self._plain)
            cases = ((n, self._touched(self._judged, n)) for n in _numbers_of(self._judged))
            self._cases = [(number, on) for number, on in cases if on]

    def run(self, tell: Callable[[int, str], None] = lambda *_: None) -> list[Entry]:
        """Runs the trials. Raises nothing for numbers that a machine does not allow."""
        found = []
        with self._in_time():
            for number, (what, targets) in enumerate(self._cases):
                for later, touched in self._cases[number : number + _AHEAD]:
                    for factor in (0.5, 2):
                        trial = self._changed(later, factor)
                        trial.begin(c for t in touched for c in t.run.values())
                tell(number, what.parameter.key)
                found += [entry for target in targets if (entry := self._entry(target, what))]
                self.done = number + 1
        order = {target.id: place for place, target in enumerate(_targets(self._cases))}
        return sorted(found, key=lambda entry: order[entry.target.id])

    @contextlib.contextmanager
    def _in_time(self) -> Iterator[None]:
        try:
            yield
        except concurrent.futures.TimeoutError:
            self.stopped = True

    def _entry(self, target: Target, what: Number) -> Entry | None:
        """Returns the effect of the number on a figure, None if it is too small to show."""
        ours = compare(target, target.value(self._plain))
        results = [_value(target, self._changed(what, factor)) for factor in (0.5, 2)]
        if not any(r and _notable(target, ours, r) for r in results):
            return None
        return Entry(target, what.parameter, what.value, what.unit, what.state, ours, *results)

    def _touched(self, targets: Sequence[Target], number: Number) -> list[Target]:
        """Returns the targets with a command that the number changes."""
        return [
            target
            for target in targets
            if any(self._touches(number.parameter, c) for c in target.run.values())
        ]

    def _changed(self, number: Number, factor: float) -> Session:
        value = factor * number.value
        value = int(value) if float(value).is_integer() else value
        return Session({number.parameter: value}, self._touches, self._until)

    def _touches(self, parameter: Parameter, command: str) -> bool:
        """Returns whether a number changes a command: a number of a stage does not if no message
        has passed the stage."""
        platform, options = machine_of(command)
        key = next(parameter.keys_on(platform, options), None)
        if key is None:
            return False
        table, _, rest = key.partition(".")
        if table != "stage":
            return True
        record = self._plain.record(command)
        # A simulation is about its machine, whose numbers stand in its record itself.
        served = record.get("virtual", record).get("stages")
        if served is None:  # a program of an experiment, whose record has its own numbers alone
            return True
        return rest.split(".")[0] in {stage["name"] for stage in served if stage["served"]}


def _targets(cases: Sequence[tuple[Number, list[Target]]]) -> list[Target]:
    return list({target.id: target for _, some in cases for target in some}.values())


def _numbers_of(targets: Sequence[Target]) -> Iterator[Number]:
    platforms = {machine_of(c)[0] for target in targets for c in target.run.values()}
    for platform in sorted(platforms):
        yield from chosen(platform)


def chosen(platform: str, states: Sequence[str] = CHOSEN) -> Iterator[Number]:
    """Returns single numbers other than zero in these states, also those of options."""
    table = platform_file.read(platform_file.find(platform))
    options = table.pop("option", {})
    yield from _numbers(platform, table, "", (), states)
    for option, about in options.items():
        for choice, overrides in about.get("choice", {}).items():
            for key, row in overrides.items():
                if isinstance(row, dict):
                    at = ((option, choice),)
                    yield from _numbers(platform, {key: row}, "", at, states)


def _numbers(
    platform: str,
    table: dict,
    where: str,
    when: tuple[tuple[str, str], ...],
    states: Sequence[str],
) -> Iterator[Number]:
    for key, row in table.items():
        if not isinstance(row, dict):
            continue
        name = f"{where}.{key}" if where else key
        if "state" not in row:
            yield from _numbers(platform, row, name, when, states)
        elif row["state"] in states and isinstance(row["value"], int | float) and row["value"]:
            yield Number(Parameter(platform, name, when), row["value"], row["unit"], row["state"])


def _value(target: Target, session: Session) -> Result | None:
    try:
        return compare(target, target.value(session))
    except UsageError:
        return None


def _notable(target: Target, before: Result, after: Result) -> bool:
    if before.verdict != after.verdict:
        return True
    tolerance = target.tolerance
    if tolerance["kind"] == "ordering":
        return False
    if tolerance["kind"] == "range":
        allowed = (tolerance["high"] - tolerance["low"]) / 2
    else:
        allowed = tolerance["value"]
        if tolerance["kind"] == "relative":
            allowed *= abs(target.published)
    return abs(after.ours - before.ours) > max(NOTABLE * allowed, 1e-9)


def table(entries: Sequence[Entry]) -> list[tuple[str, ...]]:
    """Returns the words of all columns, the head first."""
    head = ("figure", "number", "state", "value", "ours", "halved", "doubled")
    return [head, *(entry.words() for entry in entries)]


def _short(result: Result | None) -> str:
    if result is None:
        return "-"
    return _plain(result.ours, 4) + ("" if result.verdict == "ok" else f" ({result.verdict})")


def _plain(value: float, digits: int) -> str:
    """Returns a whole number with all of its digits, another one with `digits`."""
    return str(int(value)) if float(value).is_integer() else f"{value:.{digits}g}"


def page(max_time_s: float | None = None) -> str:
    """Returns Markdown for as many numbers as the time allows, without figures of solves, which
    compute an answer for every number that is tried: twenty times what a benchmark takes."""
    study = Study([t for each in experiments() for t in each.targets if not t.solves], max_time_s)
    study.begin()
    found = study.run()
    head, *rows = table(found)
    lines = ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)]
    flips = [(entry.target.id, entry.state) for entry in found if entry.flips()]
    flipping = len({name for name, _ in flips})
    assumed = len({name for name, state in flips if state == "assumed"})
    return (
        "# Numbers that validation figures depend on\n\n"
        "Written by `make docs` from `onehop reproduce --sensitivity`. Every number that no source"
        " prints (assumed, derived or read off a curve) is halved and doubled, with everything else"
        " as it is; listed is what moves a validation figure by more than a quarter of its"
        " tolerance or changes its verdict. Solves and programs at their published size are left"
        " out, which take a second or more each; `onehop reproduce --sensitivity FIGURE` has those"
        f" of solves. The verdicts of {flipping} figures change so, of {assumed} where an assumed"
        " number is."
        f" Numbers tried: {study.done} of {study.trials}.\n\n" + "\n".join(lines) + "\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--max-time", type=float, metavar="S", help="stop after so many seconds")
    parser.add_argument("--keep", type=Path, metavar="ANSWERS", help="file of what commands gave")
    options = parser.parse_args()
    if options.keep:
        keep(options.keep)
    options.file.write_text(page(options.max_time))


if __name__ == "__main__":
    main()
