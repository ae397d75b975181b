"""Fits the numbers in state "fitted" to calibration targets, and writes them to the platform files.

A fit sees only the targets that it names, which must be calibration targets, never validation
targets.
"""

import dataclasses
import math
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from pathlib import Path

import numpy as np
import tomlkit

from onehop._core import UsageError
from onehop.netsim import platform_file
from onehop.reproduce.experiment import Target, experiments
from onehop.reproduce.session import Parameter, Session

# The figures of a fit are computed this many times for each of its numbers.
_TRIALS = 12
# A number is changed by this share to see its effect: times are told in whole nanoseconds.
_STEP = 0.02


@dataclasses.dataclass(frozen=True)
class Fit:
    """`parameters` move together by one factor each (a number that several places share stands in
    one tuple) until the `targets` are met in least squares of relative error."""

    targets: tuple[str, ...]
    parameters: tuple[tuple[Parameter, ...], ...]


@dataclasses.dataclass(frozen=True)
class Fitted:
    """A number before and after; `value` is in the unit of the file."""

    parameter: Parameter
    before: float
    value: float


_V4 = "apenet-v4"
_IB = "infiniband-qdr"
_TCA = "tca-peach2"


def _shared(key: str, *platforms: str, when: tuple = ()) -> tuple[Parameter, ...]:
    return tuple(Parameter(name, key, when) for name in platforms)


def _of(platform: str, *keys: str, when: tuple = ()) -> tuple[Parameter, ...]:
    """Returns numbers of a platform that are one."""
    return tuple(Parameter(platform, key, when) for key in keys)


_LINKS = _shared("wire.efficiency", _V4, "quong", "apenet-v5", "nanet")
_RECEIVE = (
    *_shared("stage.host-write.rate", _V4, "quong"),
    *_shared("stage.gpu-write.rate", _V4, "quong", "nanet"),
)
_CARDS = (_V4, "quong", "apenet-v5")
_FAR = (("gpu.socket", "far"),)
_SEPARATE = (("gpu.registration", "separate"),)
_RELEASE = (("mpi.release", "gdr-2.0b"),)
_BAR1 = (("nic.tx.gpu-read", "bar1"),)
_FIRMWARE = (("nic.tx.gpu-read", "v1"),)
_OWN_NOTIFICATION = _of(
    _TCA,
    "path.gpu-short.local",
    "path.gpu-host-short.local",
    "path.host-host.local",
    "path.host-gpu.local",
)

# The fits run in this order: later ones use what earlier ones found.
FITS = (
    Fit(("A-C2",), (_LINKS,)),
    Fit(("A-C4",), (_RECEIVE,)),
    Fit(("A-C11",), (_shared("stage.host-read.rate", _V4, "quong"),)),
    Fit(("A-C10",), (_shared("stage.gpu-read.rate", *_CARDS, when=_BAR1),)),
    Fit(("A-C13",), (_shared("stage.gpu-requests.hit", *_CARDS),)),
    Fit(("A-C8",), (_shared("stage.gpu-read.lead", *_CARDS),)),
    Fit(("A-C12",), (_shared("stage.gpu-read.interval", *_CARDS, when=_FIRMWARE),)),
    Fit(("I-C2",), (_of(_IB, "stage.inline-delay.write"),)),
    Fit(
        ("I-C5", "I-C6"),
        (
            _of(_IB, "stage.rendezvous.cost"),
            _of(_IB, "stage.gpu-fetch.rate", "stage.eager-fetch.rate"),
        ),
    ),
    Fit(
        ("I-C3", "I-C4"),
        (_of(_IB, "stage.eager-delay.write"), _of(_IB, "stage.eager-copy.rate")),
    ),
    Fit(("I-C7",), (_of(_IB, "stage.copy-out.rate", "stage.copy-in.rate"),)),
    Fit(("I-C9",), (_of(_IB, "stage.copy-wait.write"),)),
    Fit(("I-C8",), (_of(_IB, "stage.gpu-write.rate", when=_FAR),)),
    Fit(("I-C10",), (_of(_IB, "stage.unpinned-out.setup", "stage.unpinned-in.setup"),)),
    Fit(("I-C1",), (_shared("stage.block-post.cost", _IB, "quong"),)),
    Fit(("M-C1",), (_of(_IB, "stage.block-post.rate", when=_SEPARATE),)),
    Fit(("P-C9",), (_of(_TCA, "wire.router"),)),
    Fit(("P-C7",), (_of(_TCA, "stage.pio.cost"),)),
    Fit(("P-C1", "P-C2"), (_OWN_NOTIFICATION,)),
    Fit(
        ("P-C3", "P-C4"),
        (_of(_TCA, "stage.chain-start.per_chain"), _of(_TCA, "stage.gpu-read.rate")),
    ),
    Fit(("P-C5",), (_of(_TCA, "stage.gpu-write-far.rate"),)),
    Fit(("P-C6",), (_of(_TCA, "stage.gpu-read-short.rate"),)),
    Fit(("P-C1", "P-C2"), (_OWN_NOTIFICATION,)),
    Fit(
        ("K-C1", "K-C2", "K-C3"),
        (
            _of("qpace", "stage.bus.write"),
            _of("qpace", "stage.credit.cost"),
        ),
    ),
    Fit(("X-C3",), (_of("ndr-h200", "stage.kernel.per_chain"),)),
    Fit(("L-C1",), (_of(_IB, "gpu.memory", when=(("gpu.code", "xacc"),)),)),
    Fit(("L-C2",), (_of("quong", "gpu.memory", when=(("gpu.code", "staggered"),)),)),
    Fit(("L-C3",), (_of("quong", "stage.hand-over.cost"),)),
    Fit(("A-C14",), (_of("quong", "gpu.memory", when=(("gpu.code", "graph-search"),)),)),
    Fit(("A-C15",), (_of(_V4, "gpu.memory", when=(("gpu.code", "spin-glass"),)),)),
    Fit(("Q-C1",), (_of(_IB, "stage.library.cost", when=_RELEASE),)),
    Fit(("Q-C2",), (_of(_IB, "stage.rma.cost"),)),
)


def fit_all(report: Callable[[Fit, list[Fitted]], None] | None = None) -> list[Fitted]:
    """Runs all fits, starting from the values in the files, and returns their results; `report`
    is called with each when it is done."""
    found: dict[Parameter, Fitted] = {}
    known = {target.id: target for each in experiments() for target in each.targets}
    for fit in FITS:
        for name in fit.targets:
            if known[name].kind != "calibration":
                raise UsageError(f"{name} is a validation target; nothing is fitted to it")
            if known[name].missing:
                raise UsageError(f"{name} is not built, so nothing can be fitted to it")
        values = {parameter: entry.value for parameter, entry in found.items()}
        fresh = fit_one(fit, known, values)
        for entry in fresh:
            before = found[entry.parameter].before if entry.parameter in found else entry.before
            found[entry.parameter] = dataclasses.replace(entry, before=before)
        if report:
            report(fit, fresh)
    return list(found.values())


def fit_one(
    fit: Fit, known: Mapping[str, Target], values: Mapping[Parameter, float]
) -> list[Fitted]:
    """Runs one fit, with `values` instead of those in the files."""
    from scipy.optimize import least_squares

    starts = [[values.get(p, current_value(p)) for p in group] for group in fit.parameters]
    targets = [known[name] for name in fit.targets]
    published = np.array([target.published for target in targets], dtype=float)

    def value_of(start: float, x: float) -> float:
        """Returns a value; the steps of the method are shares of x, which therefore keeps off
        zero."""
        return rounded(start * math.exp(x - 1))

    def residual(at: np.ndarray) -> np.ndarray:
        trial = dict(values)
        for group, (start, *_), x in zip(fit.parameters, starts, at, strict=True):
            trial |= dict.fromkeys(group, value_of(start, x))
        session = Session(trial)
        session.begin(command for target in targets for command in target.run.values())
        return np.array([target.value(session) for target in targets]) / published - 1

    first = np.ones(len(starts))
    best = least_squares(residual, first, diff_step=_STEP, xtol=1e-4, max_nfev=_TRIALS)
    return [
        Fitted(parameter, before, value_of(group_starts[0], x))
        for group, group_starts, x in zip(fit.parameters, starts, best.x, strict=True)
        for parameter, before in zip(group, group_starts, strict=True)
    ]


def rounded(value: float) -> float:
    """Rounds to four digits: more would not be supported by the figures."""
    return float(f"{value:.4g}")


def current_value(parameter: Parameter) -> float:
    """Returns the value in the file, in its unit; raises UsageError unless its state is
    "fitted"."""
    path = platform_file.find(parameter.platform)
    return float(_number(path, platform_file.read(path), parameter)["value"])


def write(fitted: Sequence[Fitted]) -> None:
    """Puts the values into the platform files, which stay as they are otherwise."""
    for entry in fitted:
        path = platform_file.find(entry.parameter.platform)
        file = tomlkit.parse(path.read_text())
        _number(path, file, entry.parameter)["value"] = entry.value
        path.write_text(tomlkit.dumps(file))


def _number(path: Path, file: Mapping, parameter: Parameter) -> MutableMapping:
    """Returns the number under its table, or under that of the option's choice."""
    keys = parameter.key.split(".")
    for option, choice in parameter.when[:1]:
        keys = ["option", option, "choice", choice, parameter.key]
    found = file
    for key in keys:
        found = found.get(key, {})
    if found.get("state") != "fitted":
        raise UsageError(f"platform file {path}: {parameter.key} is not in state fitted")
    return found
