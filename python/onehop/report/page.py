"""The page answers in five lines, then shows everything that the records can show."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

from onehop._core import UsageError
from onehop.counted import counted
from onehop.report.curves import curves
from onehop.report.models import models
from onehop.report.predictions import predictions
from onehop.report.rooflines import rooflines
from onehop.report.scalings import scalings
from onehop.report.section import Section, Source, Table
from onehop.report.solves import solves
from onehop.report.summary import summary

if TYPE_CHECKING:
    from collections.abc import Callable

_PARTS: tuple[Callable[[list[Source]], Section | None], ...] = (
    curves,
    models,
    predictions,
    rooflines,
    solves,
    scalings,
)
_MACHINE = ("host", "cpu_model", "isa", "usable_cores", "memory_bytes", "system", "python")


@dataclasses.dataclass(frozen=True)
class Page:
    html: str
    pictures: int


def build_page(sources: list[Source], title: str) -> Page:
    """Builds the page. Raises UsageError when no record has anything to show."""
    import jinja2

    sections = [found for part in _PARTS if (found := part(sources)) is not None]
    if not sections:
        commands = ", ".join(sorted({source.command for source in sources}))
        raise UsageError(f"records of {commands} have nothing to draw; give some of bench or solve")
    place = Path(__file__).parent
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(place),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    html = environment.get_template("page.html.j2").render(
        title=title,
        answers=summary(sources),
        machines=_machines(sources),
        records=_records(sources),
        warnings=_warnings(sources),
        sections=sections,
        style=place.joinpath("page.css").read_text(),
    )
    return Page(html, sum(len(section.pictures) for section in sections))


def _machines(sources: list[Source]) -> Table:
    found = [source.record.get("machine", {}) for source in sources]
    unique = list({str(machine): machine for machine in found}.values())
    rows = [tuple(_fact(machine, key) for key in _MACHINE) for machine in unique]
    return Table(("host", "processor", "set", "cores", "memory", "system", "Python"), tuple(rows))


def _fact(machine: dict, key: str) -> str:
    value = machine.get(key, "-")
    return f"{value / 2**30:.0f} GiB" if key == "memory_bytes" and value != "-" else str(value)


def _records(sources: list[Source]) -> Table:
    rows = []
    for source in sources:
        record = source.record
        what = " ".join(str(p) for p in (source.command, record.get("pattern")) if p)
        ranks = record.get("ranks", "-")
        where = f"{record.get('transport', '-')}, {counted(ranks, 'rank')}"
        where = where if record.get("transport") else "-"
        check = record.get("check", {})
        state = "passed" if check.get("passed") else "FAILED"
        rows.append(
            (
                Path(source.name).name,
                what,
                where,
                _options(record),
                f"{state}: {check.get('why', '-')}",
                str(record.get("version", "-")),
            )
        )
    return Table(("file", "record", "where", "options", "check", "version"), tuple(rows))


def _warnings(sources: list[Source]) -> list[str]:
    """Returns what was not as it should be while records were taken, and the records that
    failed."""
    found = []
    for source in sources:
        name = Path(source.name).name
        found += [f"{name}: {line}" for line in source.record.get("warnings") or ()]
        check = source.record.get("check") or {}
        if not check.get("passed"):
            found.append(f"{name}: its check failed: {check.get('why', '-')}")
        unmet = check.get("criterion_not_met", 0)
        if unmet:
            found.append(f"{name}: {unmet} of {len(source.record['samples'])} cells did not settle")
    return found


def _options(record: dict) -> str:
    """Returns the options of the record, without names of files."""
    hidden = ("json", "csv", "plot", "trace", "out", "output", "verbose", "pattern", "results")
    shown = []
    for key, value in record.get("options", {}).items():
        if key in hidden or value in (None, False, []):
            continue
        text = "x".join(map(str, value)) if key in ("lattice", "grid") else _plain(value)
        shown.append(f"{key.replace('_', '-')} {text}")
    return ", ".join(shown)


def _plain(value: object) -> str:
    if isinstance(value, list):
        text = ",".join(map(str, value))
        return text if len(text) < 40 else f"{value[0]} to {value[-1]}, {len(value)} of them"
    return str(value)
