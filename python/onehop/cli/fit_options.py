"""The option tables of `onehop fit` and `onehop compare`."""

from __future__ import annotations

from onehop.cli.options import Command, Option
from onehop.cli.shared_options import JSON
from onehop.cli.values import file_name, output_name, positive, whole

_PLOT = Option("--plot", "draw it (png, pdf, svg)", output_name, value="FILE")

FIT = Command(
    "fit",
    "Models of measured times, each parameter with its 90% interval, and what cannot be known.",
    "fit RESULTS ... [--model MODEL] [options]",
    (
        Option(
            "RESULTS",
            "records of bench, or CSV with the columns size_bytes, channels, time_us",
            file_name,
            is_list=True,
            is_required=True,
        ),
        Option(
            "--model",
            "what to fit; auto takes what foretells unseen sizes best",
            default="auto",
            choices=("auto", "hockney", "loggp", "plogp", "stages"),
        ),
        Option(
            "--stages", "number of stages (default: by cross-validation)", whole(1, 6), value="N"
        ),
        Option("--output", "a platform file for simulate", output_name, value="FILE", short="-o"),
        _PLOT,
        JSON,
    ),
    notes=(
        "The staged model is T(N,V) = max_i(lambda_i + V tau_i + V N / beta_i) for V channels\n"
        "of N bytes each. See docs/how_to/model_a_wire.md."
    ),
    examples=(
        "onehop fit latency.json --model stages --plot fit.png",
        "onehop fit points.csv --model auto --json - -o mine.toml",
    ),
)

COMPARE = Command(
    "compare",
    "Tells whether a record of bench is SAME, FAST, SLOW or AMBIGUOUS against an older one.",
    "compare OLD NEW [options]",
    (
        Option("OLD", "the record to compare with", file_name, is_required=True),
        Option("NEW", "the record in question", file_name, is_required=True),
        Option("--tolerance", "changes below so many percent are SAME", positive, 10.0, "P"),
        JSON,
    ),
    notes="Exit status 1 when a cell is SLOW.",
    examples=("onehop compare main.json branch.json",),
)
