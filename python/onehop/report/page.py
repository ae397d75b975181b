"""Builds the page: it says what was measured where, gives answers in a few lines, shows a
picture of each section, and then everything that the records can show."""

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path

from onehop._core import UsageError
from onehop.counted import by_x, counted
from onehop.report.curves import curves
from onehop.report.facts import facts
from onehop.report.loads import loads
from onehop.report.models import models
from onehop.report.predictions import predictions
from onehop.report.rooflines import rooflines
from onehop.report.scalings import scalings
from onehop.report.section import RECORDS, Answer, Section, Source, Table, anchor
from onehop.report.solves import solves
from onehop.report.summary import summary

_PARTS: tuple[Callable[[list[Source]], Section | None], ...] = (
    curves,
    models,
    predictions,
    rooflines,
    solves,
    scalings,
    loads,
)

# More files with the same warning are counted, and more warnings wait for a click.
_MOST_NAMES = 3
_MOST_WARNINGS = 12


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
        raise UsageError(
            f"records of {commands} have nothing to draw; give some of bench, solve, scale or "
            "simulate traffic"
        )
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
        facts=[_linked(fact, sections) for fact in facts(sources)],
        answers=[_linked(answer, sections) for answer in summary(sources)],
        records=_records(sources),
        warnings=_warnings(sources),
        most_warnings=_MOST_WARNINGS,
        sections=sections,
        records_anchor=anchor(RECORDS),
        style=place.joinpath("page.css").read_text(),
    )
    return Page(html, sum(len(section.pictures) for section in sections))


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


def _linked(answer: Answer, sections: list[Section]) -> tuple[Answer, str]:
    """Returns the answer and where it leads: to its section, or to the records where the page has
    no such section."""
    titles = [section.title for section in sections]
    return answer, anchor(answer.section if answer.section in titles else RECORDS)


def _warnings(sources: list[Source]) -> list[str]:
    """Returns the warnings of records, each of them once, and the records that failed."""
    names: dict[str, list[str]] = {}
    for source in sources:
        for line in _warnings_of(source.record):
            names.setdefault(line, []).append(Path(source.name).name)
    return [f"{_listed(files)}: {line}" for line, files in names.items()]


def _warnings_of(record: dict) -> Iterator[str]:
    yield from record.get("warnings") or ()
    check = record.get("check") or {}
    if not check.get("passed"):
        yield f"its check failed: {check.get('why', '-')}"
    unmet = check.get("criterion_not_met", 0)
    if unmet:
        yield f"{unmet} of {len(record['samples'])} cells did not settle"


def _listed(names: list[str]) -> str:
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def _options(record: dict) -> str:
    """Returns the options of the record, without names of files."""
    hidden = ("json", "csv", "plot", "trace", "out", "output", "verbose", "pattern", "results")
    shown = []
    for key, value in record.get("options", {}).items():
        if key in hidden or value in (None, False, []):
            continue
        text = by_x(value) if key in ("lattice", "grid") else _plain(value)
        shown.append(f"{key.replace('_', '-')} {text}")
    return ", ".join(shown)


def _plain(value: object) -> str:
    if isinstance(value, list):
        text = ",".join(map(str, value))
        return text if len(text) < 40 else f"{value[0]} to {value[-1]}, {len(value)} of them"
    return str(value)
