"""Ends a command that made a record."""

import sys
from collections.abc import Callable

from onehop.cli._shared.hdf5_file import write_hdf5
from onehop.cli._shared.option import Options
from onehop.record import write_record


def deliver(
    record: dict,
    options: Options,
    show: Callable[[dict], None] | None = None,
    draw: Callable[[dict, str], None] | None = None,
) -> int:
    """Shows a finished record, unless it goes to standard output itself, and writes it; then, where
    the options ask for them, draws it and writes it as HDF5. Returns the exit status, by its check.
    The record comes first: it is whole where there is no room for what else was asked for."""
    if show is not None and options.json != "-":
        show(record)
        sys.stdout.flush()
    if options.json:
        write_record(record, options.json)
    if draw is not None and options.plot:
        draw(record, options.plot)
    if getattr(options, "hdf5", None):
        write_hdf5(record, options.hdf5)
    return 0 if record["check"]["passed"] else 1
