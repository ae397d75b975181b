"""Fits models to measurements."""

from onehop._core import FileError, UsageError
from onehop.perfmodel import observations
from onehop.perfmodel.as_json import fit_as_json
from onehop.perfmodel.draw import draw_fit
from onehop.perfmodel.fit import Fit, fit
from onehop.report.figure import picture
from onehop.report.section import Section, Source, Table, number

_MODELLED = ("latency", "pingping", "pingpong", "put")
_LEAST_POINTS = 5


def models(sources: list[Source]) -> Section | None:
    """Makes a fit for each pattern and transport, records of several channels together."""
    groups: dict[str, list[observations.Observations]] = {}
    for source in sources:
        if source.command == "bench" and source.record["pattern"] in _MODELLED:
            try:
                found = observations.of_record(source.record, source.name)
            except FileError:
                continue
            groups.setdefault(found.name, []).append(found)
    fits = [found for parts in groups.values() if (found := _fit(parts)) is not None]
    if not fits:
        return None
    pictures = tuple(picture(draw_fit(one), _caption(one)) for one in fits)
    text = "Lines are models, points are measured; below, how far each point lies off, in percent."
    return Section("Models", (text,), pictures, tuple(_table(one) for one in fits))


def _fit(parts: list[observations.Observations]) -> Fit | None:
    data = observations.joined(parts)
    if len(data) < _LEAST_POINTS:
        return None
    try:
        return fit(data)
    except UsageError:
        return None


def _caption(one: Fit) -> str:
    return f"{one.observations.name}. {fit_as_json(one)['verdict']}"


def _table(one: Fit) -> Table:
    record = fit_as_json(one)
    if one.stages:
        rows = [
            (f"stage {n}", *(_cell(s, key) for key in ("lambda_us", "tau_us", "beta_MBps")))
            for n, s in enumerate(record["stages"], 1)
        ]
        return Table((one.observations.name, "lambda (us)", "tau (us)", "beta (MB/s)"), tuple(rows))
    rows = [
        (
            f"{s['least_bytes']:.0f} to {s['most_bytes']:.0f} byte",
            _cell(s, "fixed_us"),
            _cell(s, "beta_MBps"),
        )
        for s in record["segments"]
    ]
    return Table((one.observations.name, "fixed (us)", "rate (MB/s)"), tuple(rows))


def _cell(values: dict, key: str) -> str:
    low, high = values["interval90"][key]
    return f"{_bound(values[key])} [{_bound(low)}, {_bound(high)}]"


def _bound(value: float | None) -> str:
    return "∞" if value is None else number(value)
