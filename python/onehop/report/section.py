"""Parts of the page are data for the template."""

import dataclasses

from onehop.report.figure import Picture

# Sections that the first lines of the page lead to.
MEASURED = "What was measured"
SOLVES = "Solves"
SCALING = "Scaling"
RECORDS = "Records"


@dataclasses.dataclass(frozen=True)
class Answer:
    """`question` is a few words, `words` a sentence, `section` the title of the section on it."""

    question: str
    words: str
    section: str


@dataclasses.dataclass(frozen=True)
class Table:
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""


@dataclasses.dataclass(frozen=True)
class Section:
    """`text` are paragraphs."""

    title: str
    text: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()
    tables: tuple[Table, ...] = ()

    @property
    def anchor(self) -> str:
        """The name by which links on the page find the section."""
        return anchor(self.title)


@dataclasses.dataclass(frozen=True)
class Source:
    """A record and the file it came from."""

    name: str
    record: dict

    @property
    def command(self) -> str:
        return str(self.record.get("command"))


def anchor(title: str) -> str:
    return title.lower().replace(" ", "-")


def number(value: float | None, digits: int = 4) -> str:
    """Returns a large number with all digits before its point, which a table shows better than a
    power of ten."""
    if value is None:
        return "-"
    return f"{value:.0f}" if 10**digits <= value < 1e7 else f"{value:.{digits}g}"
