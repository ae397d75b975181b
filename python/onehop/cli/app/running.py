"""Starts the ranks of an application, and reports their results."""

import time
from collections.abc import Callable, Sequence

import numpy as np

from onehop import _core, output
from onehop._core import UsageError
from onehop.cli._shared import job, platform, rank_grid, virtual_reading
from onehop.cli._shared.option import Options
from onehop.cli._shared.progress import Progress
from onehop.cli._shared.record import deliver
from onehop.counted import by_x, counted
from onehop.record import new_record, virtual_part


def choose_ranks(options: Options, needed: int, why: str) -> None:
    """Sets the number of ranks of an application that takes no other, as `why` says."""
    options.ranks = None
    rank_grid.choose_ranks(options, needed)
    if options.ranks != needed:
        raise UsageError(f"{why}, and this job was started with {options.ranks}")


def start(
    arguments: Sequence[str],
    options: Options,
    on_rank: Callable[[_core.Context, Options], int],
    *,
    computes: bool = True,
) -> int:
    """Runs `on_rank` on every rank, after checking that the requested machine is possible; its
    status on rank 0 is the command's. With `computes`, a warning says if the machine's
    processors take no time."""
    machine = platform.machine_of(options, computes=computes)
    return job.run_job(arguments, options, on_rank, machine=machine)


def progress(app: str, context: _core.Context, options: Options, total: int) -> Progress:
    show = context.rank == 0
    return Progress(app, total, verbose=options.verbose, show=show, often=True)


def none_wrong(wrong: int, what: str, why: str) -> dict[str, object]:
    """Returns the check of a record whose limit is that nothing is wrong; `why` is the text after
    their number."""
    return {
        "passed": wrong == 0,
        "what": what,
        "value": wrong,
        "limit": 0,
        "why": f"{wrong or 'no'} {why}",
    }


def below_limits(all_checks: Sequence[tuple[str, float, float]]) -> dict[str, object]:
    """Returns the check of a record from names, values and limits of all checks: the first that
    failed, or else the last."""
    what, value, limit = next((c for c in all_checks if not c[1] < c[2]), all_checks[-1])
    passed = value < limit
    return {
        "passed": passed,
        "what": what,
        "value": value,
        "limit": limit,
        "why": f"{what}: {value:.1e}, {'below' if passed else 'not below'} {limit:.1e}",
    }


def report(
    app: str,
    context: _core.Context,
    options: Options,
    started: float,
    found: dict[str, object],
    table: Callable[[dict], str],
    verdicts: tuple[str, str],
    draw: Callable[[dict, str], None],
) -> int:
    """Makes the record of a run, shows it as `table` and the verdict on its check, the good one
    first, and draws it; returns the exit status. `found` has samples, result and check, and may
    have more, as timing beside the time since it was `started`."""
    record = new_record("app", options)
    record |= {"app": app, "ranks": context.size, "transport": context.transport}
    timing = {"total_s": time.monotonic() - started, **found.pop("timing", {})}
    record |= found | {"timing": timing} | virtual_part(context)
    virtual_reading.tell(record, options)

    def show(record: dict) -> None:
        check = record["check"]
        print(table(record))
        print(f"{verdicts[not check['passed']]}: {check['why']}")

    return deliver(record, options, show, draw)


def lattice_row(record: dict) -> tuple[str, str]:
    """Returns the row of a table with the lattice, its grid of ranks and the wire."""
    size, grid = (by_x(record["options"][name]) for name in ("lattice", "grid"))
    return (
        "lattice",
        f"{size} on grid {grid}, {counted(record['ranks'], 'rank')}, {record['transport']}",
    )


def save_array(name: str, array: np.ndarray) -> None:
    """Writes an .npy file, complete or not at all."""
    with output.complete_or_absent(name) as temporary, temporary.open("wb") as file:
        np.save(file, array)
