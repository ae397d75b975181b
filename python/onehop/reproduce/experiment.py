"""Published figures are data: what was published, the commands that give ours, and the verdict."""

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from onehop.netsim import platform_file
from onehop.record import finite
from onehop.reproduce import formula
from onehop.reproduce.formula import evaluate
from onehop.reproduce.session import Session

MISSING = "not built"


@dataclasses.dataclass(frozen=True)
class Target:
    """A published number; `tolerance` as {kind, value} or {kind, low, high}.

    `run` names the commands from whose records `ours` is computed, by reproduce.formula; without
    commands `ours` is a call of the Python interface. `missing` says what would have to be built
    first; then there is no `ours`. `input` says which number of the platform file is read back, if
    the figure tests nothing more than that. For an ordering, `ours` is the quotient that is above 1
    if the source is right. `weight` "low": it is shown, but alone fails nothing. `slow`: its
    commands are programs at their published size, which take seconds each, so that studies that run
    commands hundreds of times leave it out.
    """

    id: str
    system: str
    kind: str
    what: str
    published: float | str
    unit: str
    tolerance: Mapping[str, object]
    source: str
    ours: str = ""
    run: Mapping[str, str] = dataclasses.field(default_factory=dict)
    missing: str = ""
    input: str = ""
    weight: str = ""
    revised: str = ""
    slow: bool = False

    def value(self, session: Session) -> float | None:
        """Returns our value; None if the target is missing."""
        if self.missing:
            return None
        records = {name: formula.Reading(session.record(c)) for name, c in self.run.items()}
        return float(evaluate(self.ours, records, session))

    @property
    def solves(self) -> bool:
        """Returns whether some of its commands are solves, or programs of the experiments."""
        return any(
            command.startswith(("onehop solve ", "onehop run ")) for command in self.run.values()
        )

    def commands(self) -> list[str]:
        """Returns the command lines that a user types for it."""
        if self.missing:
            return []
        if self.run:
            return list(self.run.values())
        return [f'python -c "from onehop import netsim; print({self.ours})"']


@dataclasses.dataclass(frozen=True)
class Curve:
    """Published points [x, y, ...] of a figure, and the command that gives ours: {all} in it stands
    for all x with commas between, or else an expression in braces, as {8 * x}, for one of them."""

    name: str
    x: str
    y: str
    points: Sequence[Sequence[float]]
    source: str
    run: str

    def commands(self) -> list[str]:
        if "{all}" in self.run:
            return [self.run.replace("{all}", ",".join(f"{point[0]:.0f}" for point in self.points))]
        return [self._at(round(point[0])) for point in self.points]

    def _at(self, x: int) -> str:
        return re.sub(r"\{(.*?)\}", lambda found: str(evaluate(found[1], {"x": x})), self.run)

    def values(self, session: Session) -> list[tuple[float, float]]:
        records = [session.record(command) for command in self.commands()]
        samples = [sample for record in records for sample in record["samples"]]
        return [(p[0], s["value"]) for p, s in zip(self.points, samples, strict=True)]


@dataclasses.dataclass(frozen=True)
class Reading:
    """Another reading of the source: the commands of `targets` with the words `add` behind them.
    Not judged."""

    name: str
    targets: Sequence[str]
    add: str


@dataclasses.dataclass(frozen=True)
class Result:
    """A target and ours; `verdict` is "ok", "miss", "tie" of an ordering within its margin, or
    "not built"."""

    target: Target
    ours: float | None
    error: float
    verdict: str

    def record(self) -> dict:
        target = self.target
        return {
            "id": target.id,
            "system": target.system,
            "kind": target.kind,
            "what": target.what,
            "published": target.published,
            "ours": finite(self.ours),
            "unit": target.unit,
            "error": finite(self.error),
            "tolerance": dict(target.tolerance),
            "verdict": self.verdict,
            "source": target.source,
            "reads_input_back": bool(target.input),
            "input": target.input,
            "weight": target.weight,
            "missing": target.missing,
            "command": " && ".join(target.commands()),
            "formula": target.ours,
        }


@dataclasses.dataclass(frozen=True)
class Experiment:
    """A folder with `published.toml` and `README.md`."""

    folder: Path
    title: str
    targets: tuple[Target, ...]
    curves: tuple[Curve, ...]
    readings: tuple[Reading, ...]

    @property
    def name(self) -> str:
        return self.folder.name

    def read(self) -> Iterator[tuple[Reading, Target]]:
        """Returns the other readings, with each of their targets as its commands are then."""
        known = {target.id: target for target in self.targets}
        for reading in self.readings:
            for name in reading.targets:
                target = known[name]
                run = {word: f"{command} {reading.add}" for word, command in target.run.items()}
                yield reading, dataclasses.replace(target, run=run)


def experiments() -> list[Experiment]:
    """Returns all experiments that come with onehop, by name."""
    return [_read(path.parent) for path in sorted(folder().glob("*/published.toml"))]


def folder() -> Path:
    return Path(__file__).parent.parent / "experiments"


def _read(place: Path) -> Experiment:
    table = platform_file.read(place / "published.toml")
    keys = [field.name for field in dataclasses.fields(Target)]
    targets = tuple(Target(**{k: t[k] for k in keys if k in t}) for t in table.get("target", ()))
    curves = tuple(Curve(**c) for c in table.get("curve", ()))
    readings = tuple(Reading(**r) for r in table.get("reading", ()))
    return Experiment(place, table["title"], targets, curves, readings)


def run(
    experiment: Experiment, session: Session, given: Mapping[str, float] | None = None
) -> list[Result]:
    """Returns the verdict on every target of an experiment; `given` has our values, by id, for
    targets that are not computed."""
    given = given or {}
    return [
        compare(target, given[target.id] if target.id in given else target.value(session))
        for target in experiment.targets
    ]


def compare(target: Target, ours: float | None) -> Result:
    """Checks whether `ours` is within the tolerance of the target; the error is relative if the
    tolerance is, and otherwise in the target's unit."""
    if ours is None:
        return Result(target, None, 0.0, MISSING)
    tolerance = target.tolerance
    kind = tolerance["kind"]
    if kind == "ordering":
        margin = tolerance.get("margin", 0.0)
        if 1 - margin < ours < 1 + margin:
            return Result(target, ours, ours - 1, "tie")
        return Result(target, ours, ours - 1, "ok" if ours > 1 else "miss")
    error = ours - target.published
    if kind == "range":
        inside = tolerance["low"] <= ours <= tolerance["high"]
        return Result(target, ours, error, "ok" if inside else "miss")
    if kind == "relative":
        error /= target.published
    # Rounding errors of the arithmetic do not count as a miss.
    inside = abs(error) <= tolerance["value"] + 1e-12
    return Result(target, ours, error, "ok" if inside else "miss")
