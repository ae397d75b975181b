"""One published figure: its targets and points as data, its model as code, its verdict."""

from __future__ import annotations

import dataclasses
import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from onehop import netsim
from onehop.netsim import platform_file

if TYPE_CHECKING:
    import types
    from collections.abc import Mapping, Sequence


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A number of a platform file that is fitted: `key` of `platform`, while the options `when`
    are chosen; there `option` names the table that holds it."""

    platform: str
    key: str
    when: tuple[tuple[str, str], ...] = ()


class Laboratory:
    """Where experiments take their machines from; `overrides` are trial values of a fit, in the
    units of the files."""

    def __init__(self, overrides: Mapping[Parameter, float] | None = None) -> None:
        self._overrides = dict(overrides or {})

    def machine(self, name: str, options: Mapping[str, str] | None = None) -> netsim.Platform:
        """A platform with options."""
        chosen = dict(options or {})
        for parameter, value in self._overrides.items():
            if parameter.platform == name and all(chosen.get(k) == v for k, v in parameter.when):
                chosen[parameter.key] = repr(value)
        return netsim.load(name, chosen)


@dataclasses.dataclass(frozen=True)
class Target:
    """A published number; `tolerance` as {kind, value} or {kind, low, high}. `input` says what of
    the platform file or the model is read back, where the figure tests nothing more than that."""

    id: str
    system: str
    kind: str
    what: str
    published: float | str
    unit: str
    tolerance: Mapping[str, object]
    source: str
    input: str = ""


@dataclasses.dataclass(frozen=True)
class Curve:
    """Published points [x, y, ...] of a figure."""

    name: str
    x: str
    y: str
    points: Sequence[Sequence[float]]
    source: str


@dataclasses.dataclass(frozen=True)
class Result:
    """A target and what the model gives for it; `verdict` is "ok" or "miss".

    `ours` comes from the packet simulation where `closed_form` holds what that form gives, and
    from the closed form elsewhere.
    """

    target: Target
    ours: float | str
    error: float
    verdict: str
    closed_form: float | str | None = None

    def record(self) -> dict:
        target = self.target
        return {
            "id": target.id,
            "system": target.system,
            "kind": target.kind,
            "what": target.what,
            "published": target.published,
            "ours": self.ours,
            "closed_form": self.closed_form,
            "unit": target.unit,
            "error": self.error,
            "tolerance": dict(target.tolerance),
            "verdict": self.verdict,
            "source": target.source,
            "input": target.input,
        }


@dataclasses.dataclass(frozen=True)
class Experiment:
    """A folder with `published.toml`, `model.py` and `README.md`."""

    folder: Path
    title: str
    targets: tuple[Target, ...]
    curves: tuple[Curve, ...]

    @property
    def name(self) -> str:
        return self.folder.name

    def values(self, laboratory: Laboratory) -> dict[str, float | str]:
        """Ours, by the id of the target."""
        return self._model().targets(laboratory)

    def simulated(self, laboratory: Laboratory) -> dict[str, float | str]:
        """Ours packet by packet, for those targets that are simulated."""
        packets = getattr(self._model(), "packets", None)
        return packets(laboratory) if packets else {}

    def readings(self, laboratory: Laboratory) -> dict[str, dict[str, float | str]]:
        """Ours under other readings of the source, by reading and target; not judged."""
        readings = getattr(self._model(), "readings", None)
        return readings(laboratory) if readings else {}

    def points(self, laboratory: Laboratory) -> dict[str, list[tuple[float, float]]]:
        """Ours at the places of every published curve, by its name."""
        return self._model().curves(laboratory, {c.name: c for c in self.curves})

    def _model(self) -> types.ModuleType:
        name = f"onehop._experiment_{self.name}"
        if name not in sys.modules:
            spec = importlib.util.spec_from_file_location(name, self.folder / "model.py")
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            sys.modules[name] = module
        return sys.modules[name]


def experiments() -> list[Experiment]:
    """All that come with onehop, by name."""
    folder = Path(__file__).parent.parent / "experiments"
    return [_read(path.parent) for path in sorted(folder.glob("*/published.toml"))]


def _read(folder: Path) -> Experiment:
    table = platform_file.read(folder / "published.toml")
    keys = [field.name for field in dataclasses.fields(Target)]
    targets = tuple(Target(**{k: t[k] for k in keys if k in t}) for t in table.get("target", ()))
    curves = tuple(Curve(**c) for c in table.get("curve", ()))
    return Experiment(folder, table["title"], targets, curves)


def run(experiment: Experiment, laboratory: Laboratory | None = None) -> list[Result]:
    """The verdict on every target of an experiment."""
    laboratory = laboratory or Laboratory()
    closed, packets = experiment.values(laboratory), experiment.simulated(laboratory)
    results = []
    for target in experiment.targets:
        result = compare(target, packets.get(target.id, closed[target.id]))
        if target.id in packets:
            result = dataclasses.replace(result, closed_form=closed[target.id])
        results.append(result)
    return results


def compare(target: Target, ours: float | str) -> Result:
    """Whether `ours` lies within the tolerance of the target; the error is relative where the
    tolerance is, and in the target's unit elsewhere."""
    kind = target.tolerance["kind"]
    if kind == "ordering":
        same = ours == target.published
        return Result(target, ours, 0.0 if same else 1.0, "ok" if same else "miss")
    if kind == "range":
        inside = target.tolerance["low"] <= ours <= target.tolerance["high"]
        return Result(target, ours, ours - target.published, "ok" if inside else "miss")
    error = ours - target.published
    if kind == "relative":
        error /= target.published
    # Rounding of the arithmetic is no miss.
    inside = abs(error) <= target.tolerance["value"] + 1e-12
    return Result(target, ours, error, "ok" if inside else "miss")
