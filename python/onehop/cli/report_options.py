"""The option table of `onehop report`."""

from __future__ import annotations

from onehop.cli.options import Command, Option
from onehop.cli.values import file_name, output_name

REPORT = Command(
    "report",
    "One static page from records: curves, models, rooflines, time splits, scaling.",
    "report RESULTS ... -o FILE",
    (
        Option(
            "RESULTS",
            "records of bench, solve, scale (JSON)",
            file_name,
            is_list=True,
            is_required=True,
        ),
        Option("--output", "the page", output_name, value="FILE", short="-o", is_required=True),
        Option("--title", "of the page", default="onehop report", value="TEXT"),
    ),
    notes="The page loads nothing from elsewhere and can be printed.",
    examples=("onehop report latency.json halo.json solve.json -o report.html",),
)
