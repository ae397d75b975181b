"""`onehop report` makes one page from any set of records."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from onehop import output
from onehop.record_files import read_record

if TYPE_CHECKING:
    import types
    from collections.abc import Sequence


def run(options: types.SimpleNamespace, arguments: Sequence[str]) -> int:
    from onehop.report.page import build_page
    from onehop.report.section import Source

    sources = [Source(name, read_record(name)) for name in options.results]
    page = build_page(sources, options.title)
    with output.complete_or_absent(options.output) as temporary:
        temporary.write_text(page.html)
    size = len(page.html) / 1e6
    print(
        f"onehop: wrote {options.output}, {page.pictures} pictures, {size:.1f} MB", file=sys.stderr
    )
    return 0
