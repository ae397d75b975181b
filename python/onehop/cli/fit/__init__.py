"""The options of `onehop fit`."""

from onehop.cli._shared import options as shared
from onehop.cli._shared.command import Command
from onehop.cli._shared.option import argument, option
from onehop.cli._shared.values import INPUT, KEPT_OUTPUT, Whole

COMMAND = Command(
    "fit",
    [
        argument(
            "RESULTS",
            "Records of bench, or CSV with the columns size_bytes, channels, time_us.",
            INPUT,
            nargs=-1,
            required=True,
        ),
        option(
            "--model",
            "Model to fit; auto takes the one that best predicts sizes left out of the fit.",
            ("auto", "hockney", "loggp", "plogp", "stages"),
            default="auto",
        ),
        option("--stages", "Number of stages (default: by cross-validation).", Whole(1, 6)),
        shared.OUT(help="Write a platform file for simulate.", type=KEPT_OUTPUT),
        shared.FORCE(help="Replace an existing platform file.", needs="--output"),
        shared.PLOT(),
        shared.JSON(),
    ],
    usage="RESULTS ... [--model MODEL] [options]",
    notes="The staged model is T(N,V) = max_i(lambda_i + V tau_i + V N / beta_i) for V channels "
    "of N bytes each. See docs/how_to/model_a_wire.md.",
    examples=(
        "onehop fit latency.json --model stages --plot fit.png",
        "onehop fit points.csv --model auto --json - -o mine.toml",
    ),
)
