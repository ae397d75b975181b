"""Shows networks side by side: predictions of `onehop scale`."""

from pathlib import Path

from onehop.counted import by_x
from onehop.perfmodel.draw_scaling import draw_cost, draw_scaling
from onehop.report.figure import picture
from onehop.report.section import SCALING, Section, Source, Table, number


def scalings(sources: list[Source]) -> Section | None:
    own = [s for s in sources if s.command == "scale"]
    if not own:
        return None
    pictures, tables = [], []
    for source, title in zip(own, _titles(own), strict=True):
        series: dict[str, list[dict]] = {}
        for sample in source.record["samples"]:
            series.setdefault(sample["platform"], []).append(sample)
        pictures.append(picture(draw_scaling(series, title), f"{title}: {_limits(source)}"))
        caption = f"{title}: what a site costs, and how full the middle of the network is"
        pictures.append(picture(draw_cost(series, title), caption))
        tables.append(_table(series, title))
    text = (
        "Which network for my lattice, and where does it stop scaling? Predicted, not measured: "
        f"{own[0].record['method']} from the platform files, the best process grid for each number "
        "of nodes. Efficiency is against the fewest nodes."
    )
    return Section(SCALING, (text,), tuple(pictures), tuple(tables))


def _titles(sources: list[Source]) -> list[str]:
    """Names sets; those that would be named alike also get the options in which they differ."""
    titles = [_title(source) for source in sources]
    found = []
    for source, title in zip(sources, titles, strict=True):
        alike = [s for s, other in zip(sources, titles, strict=True) if other == title]
        found.append(title + "".join(f", {part}" for part in _differences(source, alike)))
    return [
        title if found.count(title) == 1 else f"{title} ({Path(source.name).name})"
        for source, title in zip(sources, found, strict=True)
    ]


def _differences(source: Source, alike: list[Source]) -> list[str]:
    hidden = ("json", "csv", "plot")
    own = source.record["options"]
    names = [
        name
        for name in own
        if name not in hidden and any(s.record["options"].get(name) != own[name] for s in alike)
    ]
    return [f"{name.replace('_', ' ')} {_words(own[name])}" for name in names]


def _words(value: object) -> str:
    if isinstance(value, list):
        return " and ".join(map(str, value)) if len(value) < 4 else f"{value[0]} to {value[-1]}"
    return "unset" if value is None else str(value)


def _title(source: Source) -> str:
    options = source.record["options"]
    size = by_x(options["lattice"])
    return f"CG iteration, {options['dslash']} {options['prec']}, {size}"


def _limits(source: Source) -> str:
    parts = []
    for name, last in source.record["stops_at"].items():
        own = [s["nodes"] for s in source.record["samples"] if s["platform"] == name]
        if own:
            parts.append(f"{max(own)} of {name}, the most" if last is None else f"{last} of {name}")
    return f"nodes up to which half of the efficiency is left: {', '.join(parts)}"


def _table(series: dict[str, list[dict]], title: str) -> Table:
    heads = ("platform", "nodes", "grid", "us", "efficiency", "needs GB/s", "has GB/s", "bound by")
    rows = [
        (
            name,
            str(p["nodes"]),
            by_x(p["grid"]),
            number(p["iteration_us"]),
            f"{p['efficiency']:.2f}",
            number(p["required_gbs"], 3),
            number(p["available_gbs"], 3),
            p["bound_by"],
        )
        for name, points in series.items()
        for p in points
    ]
    return Table(heads, tuple(rows), title)
