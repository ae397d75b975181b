"""`onehop app echo`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from onehop import _apps, _core, output, virtual
from onehop._core import UsageError
from onehop.cli._shared import job, virtual_reading
from onehop.cli._shared.progress import Progress
from onehop.cli._shared.record import deliver
from onehop.cli.app.start import start
from onehop.record import new_record, virtual_part
from onehop.text_table import aligned

if TYPE_CHECKING:
    import types
    from collections.abc import Sequence

_WORD_BYTES = 8
_UNMEASURED = 100


def run(options: types.SimpleNamespace, arguments: Sequence[str]) -> int:
    """Everything that can be refused is refused here, before any rank starts."""
    if options.answer_bytes is not None:
        if options.answer_bytes % _WORD_BYTES:
            raise UsageError(f"--answer-bytes {options.answer_bytes} is no multiple of 8")
        if "kernel" not in options.variants:
            raise UsageError("--answer-bytes is for variant kernel, and --variants has it not")
    options.ranks = None
    job.settle_ranks(options, 2)
    if options.ranks != 2:
        raise UsageError(f"an echo takes two ranks, and this job was started with {options.ranks}")
    computes = any(variant != "transfer" for variant in options.variants)
    return start(arguments, options, _run_on_rank, computes=computes)


def _run_on_rank(context: _core.Context, options: types.SimpleNamespace) -> int:
    started = time.monotonic()
    samples = []
    cells = [(variant, size) for variant in options.variants for size in options.sizes]
    with Progress(
        "echo", len(cells), verbose=options.verbose, show=context.rank == 0, often=True
    ) as progress:
        for number, (variant, size) in enumerate(cells, 1):
            samples.append(_sample(context, options, variant, size))
            progress.update(number, f"{variant} {size} bytes: {samples[-1]['value']:.4g} us")
    if context.rank != 0:
        return 0
    record = _record(context, options, samples, {"total_s": time.monotonic() - started})
    virtual_reading.tell(record, options)
    status = deliver(record, options, _show)
    if options.plot:
        from onehop.cli._shared.plot import plot_echo

        with output.complete_or_absent(options.plot) as temporary:
            plot_echo(record, temporary)
    return status


def _sample(
    context: _core.Context, options: types.SimpleNamespace, variant: str, size: int
) -> dict:
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


def _record(
    context: _core.Context, options: types.SimpleNamespace, samples: list[dict], timing: dict
) -> dict:
    record = new_record("app", options)
    record["app"] = "echo"
    record["ranks"], record["transport"] = context.size, context.transport
    record["samples"] = samples
    ends = {
        variant: [s["value"] for s in samples if s["variant"] == variant]
        for variant in options.variants
    }
    record["result"] = {
        "growth_us": {variant: values[-1] - values[0] for variant, values in ends.items()}
    }
    wrong = sum(sample["wrong_words"] for sample in samples)
    record["check"] = {
        "passed": wrong == 0,
        "what": "words that were not as sent, there or back",
        "value": wrong,
        "limit": 0,
        "why": f"{wrong or 'no'} words of {len(samples) * options.rounds} rounds are wrong",
    }
    record["timing"] = timing
    record.update(virtual_part(context))
    return record


def _show(record: dict) -> None:
    options = record["options"]
    rows = [("bytes", "".join(f"{variant:>28}" for variant in options["variants"]))]
    for size in options["sizes"]:
        cells = [s["round_us"] for s in record["samples"] if s["size_bytes"] == size]
        spread = (
            f"{c['median']:.4g} ({c['firstquartile']:.4g} to {c['thirdquartile']:.4g})"
            for c in cells
        )
        rows.append((str(size), "".join(f"{cell:>28}" for cell in spread)))
    print(f"round times in us, medians and quartiles, {record['transport']}")
    print(aligned(rows))
    check = record["check"]
    print(f"{'right' if check['passed'] else 'WRONG'}: {check['why']}")
