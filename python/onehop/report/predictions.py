"""Shows predictions that were measured afterwards, and how far off they were."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from onehop._core import FileError, UsageError
from onehop.counted import by_x, counted
from onehop.figures import new_figure
from onehop.perfmodel import observations
from onehop.perfmodel.draw import style_of
from onehop.perfmodel.prediction import (
    GOAL,
    Checked,
    ExchangeModel,
    Iteration,
    check_halo,
    check_more_faces,
    exchange_model,
    predict_iteration,
)
from onehop.report.figure import picture
from onehop.report.section import Section, Source, Table, number

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def predictions(sources: list[Source]) -> Section | None:
    """Predicts halo steps and CG iterations, from ping-ping that packs and reads as they do."""
    models = dict(_models(sources))
    halos = [source for source in sources if _is_bench(source, "halo")]
    checked = [
        check_halo(models[source.record["transport"]], _read(source))
        for source in halos
        if source.record["transport"] in models
    ]
    checked += [one for source in halos if (one := _more(source)) is not None]
    iterations = list(_iterations(sources, models))
    if not checked and not iterations:
        return None
    text = [
        "Curves between ranks say what a halo step and a CG iteration will take: ping-ping that "
        "packs and reads every byte, and the steps with few faces for those with more. "
        f"All were measured as well; the goal is {100 * GOAL:.0f}% for nine sizes of ten.",
        *(one.summary() for one in checked),
    ]
    pictures = tuple(picture(_draw(one), one.summary()) for one in checked)
    heads = ("iteration", "alone (us)", "faces", "sums", "predicted", "measured", "error")
    rows = tuple(_row(label, one) for label, one in iterations)
    tables = (Table(heads, rows),) if rows else ()
    return Section("Predictions checked", tuple(text), pictures, tables)


def _more(source: Source) -> Checked | None:
    try:
        return check_more_faces(_read(source))
    except (UsageError, FileError):
        return None


def _is_bench(source: Source, pattern: str) -> bool:
    return source.command == "bench" and source.record.get("pattern") == pattern


def _read(source: Source) -> observations.Observations:
    return observations.of_record(source.record, source.name)


def _models(sources: list[Source]) -> Iterator[tuple[str, ExchangeModel]]:
    parts: dict[str, list[observations.Observations]] = {}
    for source in sources:
        packed = source.record.get("options", {}).get("pack") == "direct"
        if _is_bench(source, "pingping") and packed:
            parts.setdefault(source.record["transport"], []).append(_read(source))
    for transport, own in parts.items():
        try:
            yield transport, exchange_model(own)
        except (UsageError, FileError):
            continue


def _iterations(
    sources: list[Source], models: dict[str, ExchangeModel]
) -> Iterator[tuple[str, Iteration]]:
    solves = [source.record for source in sources if source.command == "solve"]
    for together in solves:
        model = models.get(together["transport"])
        sums = [us for s in sources if _is_sum_of(s, together) for us in _sum_us(s)]
        for alone in solves:
            found = model and sums and predict_iteration(model, alone, together, min(sums))
            if found:
                size = by_x(together["lattice"])
                ranks = f"{counted(together['ranks'], 'rank')}, {together['transport']}"
                yield f"{together['options']['dslash']} {size}, {ranks}", found


def _is_sum_of(source: Source, solve: dict) -> bool:
    record = source.record
    same = record.get("transport") == solve["transport"] and record.get("ranks") == solve["ranks"]
    return _is_bench(source, "allreduce") and same


def _sum_us(source: Source) -> list[float]:
    """Returns the time of a sum by the shortest message; none where no sum was measured."""
    own = [s for s in source.record["samples"] if s["method"] == "onehop"]
    own.sort(key=lambda sample: sample["size_bytes"])
    return [sample["value"] for sample in own[:1]]


def _row(label: str, one: Iteration) -> tuple[str, ...]:
    parts = (one.alone_us, one.halo_us, one.sums_us, one.predicted_us, one.measured_us)
    return (label, *(number(part) for part in parts), f"{100 * one.error:+.1f}%")


def _draw(one: Checked) -> Figure:
    figure, (above, below) = new_figure(
        2, 1, sharex=True, figsize=(6.4, 5.4), height_ratios=(3, 1.3)
    )
    data = one.observations
    for place, faces in enumerate(np.unique(data.channels)):
        own = data.channels == faces
        sizes = data.size_bytes[own]
        style = style_of(place)
        points = style | {"markersize": 4, "linestyle": ""}
        above.plot(sizes, data.time_us[own], label=f"{faces:g} faces, measured", **points)
        above.plot(sizes, one.predicted_us[own], color=style["color"], label="predicted")
        below.plot(sizes, 100 * one.errors[own], **points)
    below.axhspan(-100 * GOAL, 100 * GOAL, color="#777777", alpha=0.15, linewidth=0)
    above.set_xscale("log", base=2)
    above.set_yscale("log")
    above.set_ylabel("halo step (us)")
    above.set_title(one.name, fontsize=10)
    above.legend(fontsize=7)
    below.set_ylabel("error (%)")
    below.set_xlabel("bytes of a face")
    for axes in (above, below):
        axes.grid(alpha=0.25)
    return figure
