"""`onehop app echo`."""

import time
from collections.abc import Sequence

import numpy as np

from onehop import _apps, _core, virtual
from onehop._core import UsageError
from onehop.cli._shared.option import Options
from onehop.cli.app import running
from onehop.cli.app.series_plot import plot_rounds
from onehop.text_table import aligned

_WORD_BYTES = 8
_UNMEASURED = 100


def run(options: Options, arguments: Sequence[str]) -> int:
    """Runs the command; whatever can be refused is refused here, before any rank starts."""
    if options.answer_bytes is not None:
        if options.answer_bytes % _WORD_BYTES:
            raise UsageError(f"--answer-bytes {options.answer_bytes} is not a multiple of 8")
        if "kernel" not in options.variants:
            raise UsageError("--answer-bytes is for variant kernel, which --variants does not name")
    running.choose_ranks(options, 2, "an echo takes two ranks")
    computes = any(variant != "transfer" for variant in options.variants)
    return running.start(arguments, options, _run_on_rank, computes=computes)


def _run_on_rank(context: _core.Context, options: Options) -> int:
    started = time.monotonic()
    samples = []
    cells = [(variant, size) for variant in options.variants for size in options.sizes]
    with running.progress("echo", context, options, len(cells)) as progress:
        for number, (variant, size) in enumerate(cells, 1):
            samples.append(_sample(context, options, variant, size))
            progress.update(number, f"{variant} {size} bytes: {samples[-1]['value']:.4g} us")
    if context.rank != 0:
        return 0
    ends = {
        variant: [s["value"] for s in samples if s["variant"] == variant]
        for variant in options.variants
    }
    wrong = sum(sample["wrong_words"] for sample in samples)
    found = {
        "samples": samples,
        "result": {"growth_us": {variant: us[-1] - us[0] for variant, us in ends.items()}},
        "check": running.none_wrong(
            wrong,
            "words that were not as sent, there or back",
            f"words of {len(samples) * options.rounds} rounds are wrong",
        ),
    }
    verdicts = ("right", "WRONG")
    return running.report("echo", context, options, started, found, _table, verdicts, plot_rounds)


def _sample(context: _core.Context, options: Options, variant: str, size: int) -> dict:
    answer = size
    if variant == "kernel" and options.answer_bytes is not None:
        answer = options.answer_bytes
    # Rounds of a virtual machine are all alike once both ranks have been through one.
    unmeasured = 1 if virtual.is_virtual(context.transport) else _UNMEASURED
    words = [bytes_ // _WORD_BYTES for bytes_ in (size, answer)]
    times, wrong = _apps.run_echo(context, variant, *words, unmeasured, options.rounds)
    quartiles = np.percentile(times, [0, 25, 50, 75, 100]).tolist()
    names = ("min", "firstquartile", "median", "thirdquartile", "max")
    return {
        "variant": variant,
        "size_bytes": size,
        "answer_bytes": answer,
        "value": quartiles[2],
        "round_us": dict(zip(names, quartiles, strict=True)),
        "wrong_words": wrong,
    }


def _table(record: dict) -> str:
    options = record["options"]
    rows = [("bytes", "".join(f"{variant:>28}" for variant in options["variants"]))]
    for size in options["sizes"]:
        cells = [s["round_us"] for s in record["samples"] if s["size_bytes"] == size]
        spread = (
            f"{c['median']:.4g} ({c['firstquartile']:.4g} to {c['thirdquartile']:.4g})"
            for c in cells
        )
        rows.append((str(size), "".join(f"{cell:>28}" for cell in spread)))
    head = f"round times in us, medians and quartiles, {record['transport']}"
    return f"{head}\n{aligned(rows)}"
