"""`onehop report` makes one page from any set of records."""

from collections.abc import Sequence

from onehop import output
from onehop.cli._shared.option import Options
from onehop.record_files import read_record
from onehop.report.page import build_page
from onehop.report.section import Source


def run(options: Options, arguments: Sequence[str]) -> int:
    sources = [Source(name, read_record(name)) for name in options.results]
    page = build_page(sources, options.title)
    size = len(page.html) / 1e6
    output.write_text(page.html, options.output, f", {page.pictures} pictures, {size:.1f} MB")
    return 0
