"""`onehop app particle-offload`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from onehop import _apps, _core, output
from onehop._core import UsageError
from onehop.cli._shared import job, virtual_reading
from onehop.cli._shared.record import deliver
from onehop.cli.app.start import start
from onehop.record import new_record, virtual_part
from onehop.text_table import aligned

if TYPE_CHECKING:
    import types
    from collections.abc import Sequence

_PARTICLE_BYTES = 48


def run(options: types.SimpleNamespace, arguments: Sequence[str]) -> int:
    """Everything that can be refused is refused here, before any rank starts."""
    if options.chunks % options.buffers:
        raise UsageError(
            f"--chunks {options.chunks} is no multiple of --buffers {options.buffers}; give one"
        )
    needed = _PARTICLE_BYTES * options.chunk * (options.chunks + options.buffers)
    there_is = _core.inspect_machine().memory_bytes
    if needed > there_is:
        raise UsageError(
            f"--chunk {options.chunk} takes {needed / 2**30:.3g} GiB with these chunks and buffers,"
            f" and this machine has {there_is / 2**30:.3g} GiB; give fewer"
        )
    options.ranks = None
    job.settle_ranks(options, 2)
    if options.ranks != 2:
        raise UsageError(
            f"an offload takes two ranks, and this job was started with {options.ranks}"
        )
    return start(arguments, options, _run_on_rank)


def _run_on_rank(context: _core.Context, options: types.SimpleNamespace) -> int:
    started = time.monotonic()
    found = _apps.run_offload(
        context, options.chunk, options.chunks, options.buffers, options.steps
    )
    if context.rank != 0:
        return 0
    record = _record(context, options, found, {"total_s": time.monotonic() - started})
    virtual_reading.tell(record, options)
    status = deliver(record, options, _show)
    if options.plot:
        from onehop.cli._shared.plot import plot_pushes

        with output.complete_or_absent(options.plot) as temporary:
            plot_pushes(record, temporary)
    return status


def _record(
    context: _core.Context,
    options: types.SimpleNamespace,
    found: _apps.OffloadReport,
    timing: dict,
) -> dict:
    record = new_record("app", options)
    record["app"] = "particle-offload"
    record["ranks"], record["transport"] = context.size, context.transport
    record["samples"] = [
        {
            "chunk": turn % options.chunks,
            "buffer": turn % options.buffers,
            "begin_us": begin,
            "end_us": end,
        }
        for turn, (begin, end) in enumerate(found.pushes)
    ]
    record["result"] = {
        "particles": options.chunk * options.chunks,
        "steady_ns_per_particle": found.steady_ns,
        "ns_per_particle": found.all_ns,
        "wrong_particles": found.wrong,
    }
    record["check"] = {
        "passed": found.wrong == 0,
        "what": "particles that are not where pushes in place bring them",
        "value": found.wrong,
        "limit": 0,
        "why": f"{found.wrong or 'no'} particles are wrong after {options.steps} steps",
    }
    record["timing"] = timing
    record.update(virtual_part(context))
    return record


def _show(record: dict) -> None:
    options, result = record["options"], record["result"]
    rows = [
        ("particles", f"{options['chunks']} chunks of {options['chunk']}"),
        ("buffers", f"{options['buffers']}, {record['transport']}"),
        ("steady", f"{result['steady_ns_per_particle']:.4g} ns per particle and step"),
        ("all", f"{result['ns_per_particle']:.4g} ns, with the first copy and the last"),
    ]
    print(aligned(rows))
    check = record["check"]
    print(f"{'right' if check['passed'] else 'WRONG'}: {check['why']}")
