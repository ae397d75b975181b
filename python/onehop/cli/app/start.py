"""How every application starts its ranks."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from onehop.cli._shared import job, platform

if TYPE_CHECKING:
    import types
    from collections.abc import Callable, Sequence

    from onehop import _core


def start(
    arguments: Sequence[str],
    options: types.SimpleNamespace,
    on_rank: Callable[[_core.Context, types.SimpleNamespace], int],
    *,
    computes: bool = True,
) -> int:
    """Runs `on_rank` on every rank, once the machine and the picture that are asked for are known
    to be possible; its status on rank 0 is the command's. What `computes` is warned of machines
    whose processors take no time."""
    machine = platform.machine_of(options, computes=computes)
    if options.plot:
        from onehop.cli._shared.plot import check_format

        check_format(options.plot)
    return job.run_job(arguments, options, partial(on_rank, options=options), machine=machine)
