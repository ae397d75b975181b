"""`onehop app particle-offload`."""

import time
from collections.abc import Sequence

from onehop import _apps, _core
from onehop._core import UsageError
from onehop.cli._shared import job
from onehop.cli._shared.option import Options
from onehop.cli.app import running
from onehop.cli.app.series_plot import plot_pushes
from onehop.text_table import aligned

_PARTICLE_BYTES = 48


def run(options: Options, arguments: Sequence[str]) -> int:
    """Runs the command; whatever can be refused is refused here, before any rank starts."""
    if options.chunks % options.buffers:
        raise UsageError(
            f"--chunks {options.chunks} is not a multiple of --buffers {options.buffers}; give a "
            "multiple"
        )
    needed = _PARTICLE_BYTES * options.chunk * (options.chunks + options.buffers)
    what = f"--chunk {options.chunk} with these chunks and buffers takes"
    job.check_memory(needed, what, "give fewer")
    running.choose_ranks(options, 2, "an offload takes two ranks")
    return running.start(arguments, options, _run_on_rank)


def _run_on_rank(context: _core.Context, options: Options) -> int:
    started = time.monotonic()
    found = _apps.run_offload(
        context, options.chunk, options.chunks, options.buffers, options.steps
    )
    if context.rank != 0:
        return 0
    chunks, buffers = options.chunks, options.buffers
    made = {
        "samples": [
            {"chunk": turn % chunks, "buffer": turn % buffers, "begin_us": begin, "end_us": end}
            for turn, (begin, end) in enumerate(found.pushes)
        ],
        "result": {
            "particles": options.chunk * options.chunks,
            "steady_ns_per_particle": found.steady_ns,
            "ns_per_particle": found.all_ns,
            "wrong_particles": found.wrong,
        },
        "check": running.none_wrong(
            found.wrong,
            "particles that are not where pushes in place bring them",
            f"particles are wrong after {options.steps} steps",
        ),
    }
    app, verdicts = "particle-offload", ("right", "WRONG")
    return running.report(app, context, options, started, made, _table, verdicts, plot_pushes)


def _table(record: dict) -> str:
    options, result = record["options"], record["result"]
    rows = [
        ("particles", f"{options['chunks']} chunks of {options['chunk']}"),
        ("buffers", f"{options['buffers']}, {record['transport']}"),
        ("steady", f"{result['steady_ns_per_particle']:.4g} ns per particle and step"),
        ("all", f"{result['ns_per_particle']:.4g} ns, with the first copy and the last"),
    ]
    return aligned(rows)
