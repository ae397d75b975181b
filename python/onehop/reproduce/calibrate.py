"""Fits the numbers in state "fitted" to calibration targets, and writes them to the platform files.

Validation targets are never looked at: a fit sees the targets it names, which must be calibration.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np
import tomlkit

from onehop._core import UsageError
from onehop.netsim import platform_file
from onehop.reproduce.experiment import Laboratory, Parameter, experiments

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, MutableMapping, Sequence
    from pathlib import Path


@dataclasses.dataclass(frozen=True)
class Fit:
    """`parameters` move together by one factor each (a number that several places share stands in
    one tuple) until the `targets` of `experiment` are met in least squares of relative error. A
    target "K-C1/stages" is met by the value of that name, another form of K-C1; "Q-C1/packets" is
    that of the packet simulation."""

    experiment: str
    targets: tuple[str, ...]
    parameters: tuple[tuple[Parameter, ...], ...]


@dataclasses.dataclass(frozen=True)
class Fitted:
    """A number before and after; `value` in the unit of the file."""

    parameter: Parameter
    before: float
    value: float


_V4 = "apenet-v4"
_IB = "infiniband-qdr"
_TCA = "tca-peach2"


def _shared(key: str, *platforms: str) -> tuple[Parameter, ...]:
    return tuple(Parameter(name, key) for name in platforms)


_LINKS = _shared("wire.efficiency", _V4, "quong", "apenet-v5", "nanet")
_RECEIVE = (
    *_shared("stage.host-write.rate", _V4, "quong"),
    *_shared("stage.gpu-write.rate", _V4, "quong", "nanet"),
)
_EAGER = (Parameter(_IB, "stage.gpu-fetch.rate"), Parameter(_IB, "stage.eager-fetch.rate"))
_COPIES = (Parameter(_IB, "stage.copy-out.rate"), Parameter(_IB, "stage.copy-in.rate"))
_FAR = (("gpu.socket", "far"),)
_SEPARATE = (("gpu.registration", "separate"),)
_RELEASE = (("mpi.release", "gdr-2.0b"),)
_BAR1 = (("nic.tx.gpu-read", "bar1"),)
_BLACKWELL = (("gpu", "b200"),)

# In this order: later fits use what earlier ones found.
FITS = (
    Fit("apenet_host_bandwidth", ("A-C2",), (_LINKS,)),
    Fit("apenet_host_bandwidth", ("A-C4",), (_RECEIVE,)),
    Fit("apenet_host_bandwidth", ("A-C5",), (_shared("stage.host-read.rate", _V4, "quong"),)),
    Fit("apenet_gpu_read", ("A-C10",), ((Parameter(_V4, "stage.gpu-read.rate", _BAR1),),)),
    Fit("apenet_gpu_latency", ("A-C8",), (_shared("stage.done.poll", _V4, "quong", "apenet-v5"),)),
    Fit("infiniband_pingpong", ("I-C2",), ((Parameter(_IB, "stage.inline-delay.write"),),)),
    Fit(
        "infiniband_pingpong",
        ("I-C5", "I-C6"),
        ((Parameter(_IB, "stage.rendezvous.cost"),), _EAGER),
    ),
    Fit(
        "infiniband_pingpong",
        ("I-C3", "I-C4"),
        (
            (Parameter(_IB, "stage.eager-delay.write"),),
            (Parameter(_IB, "stage.eager-copy.rate"),),
        ),
    ),
    Fit("infiniband_pingpong", ("I-C7",), (_COPIES,)),
    Fit("infiniband_pingpong", ("I-C9",), ((Parameter(_IB, "stage.copy-wait.write"),),)),
    Fit("infiniband_pingpong", ("I-C8",), ((Parameter(_IB, "stage.gpu-write.rate", _FAR),),)),
    Fit("apenet_gpu_latency", ("I-C1",), (_shared("stage.block-post.cost", _IB, "quong"),)),
    Fit("mvapich2_pipeline", ("M-C1",), ((Parameter(_IB, "stage.block-post.rate", _SEPARATE),),)),
    Fit("tca_pingpong", ("P-C1", "P-C2"), ((Parameter(_TCA, "path.gpu-short.local"),),)),
    Fit(
        "tca_pingpong",
        ("P-C3", "P-C4"),
        (
            (Parameter(_TCA, "stage.chain-start.per_chain"),),
            (Parameter(_TCA, "stage.gpu-read.rate"),),
        ),
    ),
    Fit("tca_pingpong", ("P-C5",), ((Parameter(_TCA, "stage.gpu-pages.miss"),),)),
    Fit("tca_strided_face", ("P-C6",), ((Parameter(_TCA, "stage.gpu-read-short.rate"),),)),
    Fit("tca_pingpong", ("P-C1", "P-C2"), ((Parameter(_TCA, "path.gpu-short.local"),),)),
    Fit(
        "qpace_latency",
        ("K-C1/stages", "K-C2/stages"),
        ((Parameter("qpace", "stage.bus.write"),),),
    ),
    Fit("qpace_latency", ("K-C3/stages",), ((Parameter("qpace", "stage.credit.cost"),),)),
    Fit("modern_fabrics", ("X-C1",), ((Parameter("ndr-h200", "stage.peer.rate"),),)),
    Fit("modern_fabrics", ("X-C2",), ((Parameter("ndr-h200", "stage.peer.rate", _BLACKWELL),),)),
    Fit("modern_fabrics", ("X-C3",), ((Parameter("ndr-h200", "stage.kernel.launch"),),)),
    Fit("lattice_solvers", ("L-C1",), ((Parameter(_IB, "gpu.wilson_solver"),),)),
    Fit("lattice_solvers", ("L-C2",), ((Parameter(_IB, "gpu.staggered_solver"),),)),
    Fit("quda_tca", ("Q-C1/packets",), ((Parameter(_IB, "stage.library.cost", _RELEASE),),)),
    Fit("quda_tca", ("Q-C2/packets",), ((Parameter(_IB, "stage.rma.cost"),),)),
)


def fit_all(report: Callable[[Fit, list[Fitted]], None] | None = None) -> list[Fitted]:
    """Runs all fits, from the values in the files, and returns what they found."""
    found: dict[Parameter, Fitted] = {}
    by_name = {experiment.name: experiment for experiment in experiments()}
    for fit in FITS:
        known = {t.id: t for t in by_name[fit.experiment].targets}
        for name in fit.targets:
            if known[_id(name)].kind != "calibration":
                raise UsageError(f"{name} is a validation target; nothing is fitted to it")
        values = {parameter: entry.value for parameter, entry in found.items()}
        fresh = _fit(fit, by_name[fit.experiment], known, values)
        for entry in fresh:
            before = found[entry.parameter].before if entry.parameter in found else entry.before
            found[entry.parameter] = dataclasses.replace(entry, before=before)
        if report:
            report(fit, fresh)
    return list(found.values())


def _id(name: str) -> str:
    return name.partition("/")[0]


def _fit(fit: Fit, experiment: object, known: dict, values: dict[Parameter, float]) -> list[Fitted]:
    from scipy.optimize import least_squares

    starts = [[values.get(p, current_value(p)) for p in group] for group in fit.parameters]
    published = np.array([known[_id(name)].published for name in fit.targets], dtype=float)

    def residual(logs: np.ndarray) -> np.ndarray:
        trial = dict(values)
        for group, log in zip(fit.parameters, logs, strict=True):
            trial |= dict.fromkeys(group, float(np.exp(log)))
        ours = experiment.values(Laboratory(trial))
        if any(name.endswith("/packets") for name in fit.targets):
            packets = experiment.simulated(Laboratory(trial))
            ours |= {f"{name}/packets": value for name, value in packets.items()}
        return np.array([float(ours[name]) for name in fit.targets]) / published - 1

    first = np.log([group[0] for group in starts])
    best = least_squares(residual, first, diff_step=1e-3, xtol=1e-10)
    return [
        Fitted(parameter, start, _rounded(float(np.exp(log))))
        for group, group_starts, log in zip(fit.parameters, starts, best.x, strict=True)
        for parameter, start in zip(group, group_starts, strict=True)
    ]


def _rounded(value: float) -> float:
    """Four digits: more would not be supported by the figures."""
    return float(f"{value:.4g}")


def current_value(parameter: Parameter) -> float:
    """As the file has it, in its unit; raises UsageError unless its state is "fitted"."""
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
    """The number under its table, or under that of the option's choice."""
    keys = parameter.key.split(".")
    for option, choice in parameter.when[:1]:
        keys = ["option", option, "choice", choice, parameter.key]
    found = file
    for key in keys:
        found = found.get(key, {})
    if found.get("state") != "fitted":
        raise UsageError(f"platform file {path}: {parameter.key} is not in state fitted")
    return found
