"""Shows how much of the offered traffic networks carry: records of `onehop simulate PLATFORM
traffic`."""

from pathlib import Path

from onehop.netsim.traffic_plot import figure_of
from onehop.report.figure import picture
from onehop.report.section import Section, Source, Table, number


def loads(sources: list[Source]) -> Section | None:
    own = [s for s in sources if s.command == "simulate" and "points" in s.record]
    if not own:
        return None
    pictures = [picture(figure_of(s.record, _platform(s)), _caption(s)) for s in own]
    text = (
        "How much random traffic does the network alone carry, and how long does it wait? A load "
        "of 1 keeps the first link of every node busy."
    )
    return Section("Traffic", (text,), tuple(pictures), tuple(_table(s) for s in own))


def _platform(source: Source) -> str:
    return Path(str(source.record["options"]["platform"])).stem


def _caption(source: Source) -> str:
    record = source.record
    what = f"{_platform(source)}, {record['pattern']} traffic, {record['routing']} routing"
    return f"{what}: at most {number(record['saturation'], 3)} is accepted"


def _table(source: Source) -> Table:
    heads = ("load", "accepted", "mean us", "99 % us")
    rows = [
        (
            f"{p['load']:g}",
            number(p["accepted"], 3),
            number(p.get("mean_us")),
            number(p.get("p99_us")),
        )
        for p in source.record["points"]
    ]
    return Table(heads, tuple(rows), _caption(source))
